/* The memory of tensors (memory/tensor.py, memory/storage.py).
 *
 * A result owns its memory by address only, since most results never need a Storage. Memory shared with another tensor
 * is a Block; if the storage is accessed, it becomes a Storage. All tensors on a Block or Storage are in a list,
 * because they cache its address, which changes when a Storage grows.
 */
#include "speedups.h"

void give_memory_back(PyObject *spec, double address, give_back *free) {
    if (free != NULL) {
        free(address);
        return;
    }
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyObject *number = PyFloat_FromDouble(address);
    PyObject *done = number == NULL ? NULL : PyObject_CallFunctionObjArgs(facts.give_back, spec, number, NULL);
    if (done == NULL) {
        PyErr_WriteUnraisable(facts.give_back);
    }
    Py_XDECREF(done);
    Py_XDECREF(number);
    PyErr_Restore(type, error, traceback);
}

static Tensor *shown; /* the last tensor on a Storage or a Block */

void begin_showing(Tensor *self) {
    if (!self->is_shown) {
        self->is_shown = 1;
        self->shown_before = shown;
        self->shown_after = NULL;
        if (shown != NULL) {
            shown->shown_after = self;
        }
        shown = self;
    }
}

void stop_showing(Tensor *self) {
    if (!self->is_shown) {
        return;
    }
    self->is_shown = 0;
    if (self->shown_before != NULL) {
        self->shown_before->shown_after = self->shown_after;
    }
    if (self->shown_after != NULL) {
        self->shown_after->shown_before = self->shown_before;
    } else {
        shown = self->shown_before;
    }
}

double begin_of(const Tensor *self, PyObject *spec) {
    static PyObject *name_dtype, *name_itemsize;
    PyObject *dtype = spec == NULL || facts.spec == NULL ? NULL : new_reference(SLOT(spec, facts.dtype));
    PyObject *itemsize = NULL;
    if (dtype != NULL) {
        itemsize = new_reference(SLOT(dtype, facts.itemsize));
    } else if (spec != NULL && (dtype = attribute_of(spec, &name_dtype, "dtype")) != NULL) { /* before all is set */
        itemsize = attribute_of(dtype, &name_itemsize, "itemsize");
    }
    const double nbytes = itemsize == NULL ? 0 : (double)self->offset * (double)PyLong_AsLong(itemsize);
    Py_XDECREF(itemsize);
    Py_XDECREF(dtype);
    return nbytes;
}

static PyObject *name_memory;

/* An attribute that is True or False, or -1 with an exception. */
static int flag_of(PyObject *object, PyObject **interned, const char *name) {
    PyObject *flag = attribute_of(object, interned, name);
    const int is_set = flag == NULL ? -1 : PyObject_IsTrue(flag);
    Py_XDECREF(flag);
    return is_set;
}

double address_of(PyObject *storage) {
    static PyObject *name_is_freed, *name_backend, *name_has_addresses, *name_address;
    double address = -1;
    const int is_freed = flag_of(storage, &name_is_freed, "_is_freed");
    if (is_freed != 0) {
        return is_freed < 0 ? -1 : NAN;
    }
    PyObject *backend = attribute_of(storage, &name_backend, "backend");
    const int is_there = backend == NULL ? -1 : flag_of(backend, &name_has_addresses, "has_addresses");
    if (is_there == 1) {
        PyObject *memory = attribute_of(storage, &name_memory, "memory");
        PyObject *method = memory == NULL ? NULL : attribute_of(backend, &name_address, "address");
        PyObject *number = method == NULL ? NULL : PyObject_CallOneArg(method, memory);
        address = number == NULL ? -1 : PyFloat_AsDouble(number);
        Py_XDECREF(number);
        Py_XDECREF(method);
        Py_XDECREF(memory);
    } else if (is_there == 0) {
        address = 0;
    }
    Py_XDECREF(backend);
    return PyErr_Occurred() != NULL ? -1 : address;
}

void raise_freed(const Tensor *tensor) {
    PyObject *memory = attribute_of(home_of(tensor), &name_memory, "memory");
    if (memory != NULL) {
        PyErr_SetString(PyExc_RuntimeError, "the memory of a tensor was freed while it was used");
    }
    Py_XDECREF(memory);
}

/* The Storage's memory has moved. Updates every tensor, even if errors occur. */
static void tell_shown(PyObject *storage, PyObject *before) {
    const double start = address_of(storage);
    if (start < 0) { /* such as an interrupt: then memory that tensors still refer to is never freed */
        Py_XINCREF(before);
        forget_error();
        return;
    }
    for (Tensor *each = shown; each != NULL; each = each->shown_before) {
        if (each->storage == storage || (each->block != NULL && each->block->storage == storage)) {
            each->address = start == 0 ? 0 : start + begin_of(each, each->spec);
        }
    }
}

/* replace_memory(Storage._replace_memory, storage, memory). A storage whose memory was freed has none. */
PyObject *replace_memory(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *readable, *storage, *memory;
    if (!PyArg_ParseTuple(args, "OOO", &readable, &storage, &memory)) {
        return NULL;
    }
    PyObject *before = attribute_of(storage, &name_memory, "memory");
    PyErr_Clear();
    PyObject *done = PyObject_CallFunctionObjArgs(readable, storage, memory, NULL);
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyObject *after = attribute_of(storage, &name_memory, "memory");
    PyErr_Clear();
    if (after != before) {
        tell_shown(storage, before);
    }
    Py_XDECREF(after);
    Py_XDECREF(before);
    PyErr_Restore(type, error, traceback);
    return done;
}

/* If the backend has machine code for both, no interrupt can separate the memory from its owner. */
PyObject *own_memory(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *tensor, *nbytes, *index, *allocate_address;
    double allocate, free;
    if (!PyArg_ParseTuple(args, "O!OOddO", facts.tensor, &tensor, &nbytes, &index, &allocate, &free,
                          &allocate_address)) {
        return NULL;
    }
    Tensor *self = (Tensor *)tensor;
    if (self->storage != NULL || self->block != NULL || self->address != 0 || self->spec == NULL) {
        return PyErr_Format(PyExc_ValueError, "own_memory: the tensor has memory already");
    }
    const double wanted = PyLong_AsDouble(nbytes);
    if (wanted < 0) {
        return PyErr_Occurred() != NULL ? NULL : PyErr_Format(PyExc_ValueError, "own_memory: got %R bytes", nbytes);
    }
    double (*const entry)(double) = (double (*)(double))(uintptr_t)allocate;
    double address = entry != NULL ? entry(wanted) : 0;
    if (address == 0) { /* memory may be exhausted; the backend raises the error */
        PyObject *number = PyObject_CallFunctionObjArgs(allocate_address, nbytes, index, NULL);
        address = number == NULL ? -1 : PyFloat_AsDouble(number);
        Py_XDECREF(number);
        if (PyErr_Occurred() != NULL) {
            return NULL;
        }
    }
    self->address = address;
    self->free = (give_back *)(uintptr_t)free;
    return new_reference(tensor);
}

PyObject *own_memories(PyObject *module, PyObject *args) {
    static PyObject *name_extent;
    PyObject *specs, *index, *allocate_address;
    double allocate, free;
    if (!PyArg_ParseTuple(args, "O!OddO", &PyList_Type, &specs, &index, &allocate, &free, &allocate_address)) {
        return NULL;
    }
    PyObject *made = PyList_New(0);
    for (Py_ssize_t i = 0; made != NULL && i < PyList_GET_SIZE(specs); i++) {
        PyObject *spec = PyList_GET_ITEM(specs, i);
        PyObject *tensor = (PyObject *)make_tensor(spec, 0, NULL);
        PyObject *nbytes = tensor == NULL ? NULL : attribute_of(spec, &name_extent, "extent_nbytes");
        PyObject *own = nbytes == NULL ? NULL
                                       : Py_BuildValue("OOOddO", tensor, nbytes, index, allocate, free,
                                                       allocate_address);
        PyObject *done = own == NULL ? NULL : own_memory(module, own);
        if (done == NULL || PyList_Append(made, tensor) < 0) {
            Py_CLEAR(made);
        }
        Py_XDECREF(done);
        Py_XDECREF(own);
        Py_XDECREF(nbytes);
        Py_XDECREF(tensor);
    }
    return made;
}

PyObject *owns_memory(PyObject *module, PyObject *tensor) {
    (void)module;
    return PyBool_FromLong(is_tensor(tensor) && is_owner((Tensor *)tensor));
}

PyObject *has_address(PyObject *module, PyObject *tensor) {
    (void)module;
    return PyBool_FromLong(is_tensor(tensor) && ((Tensor *)tensor)->address != 0);
}

PyObject *is_alias_of(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    (void)module;
    if (count != 2 || !is_tensor(args[0]) || !is_tensor(args[1])) {
        return PyErr_Format(PyExc_TypeError, "is_alias_of: expected two tensors");
    }
    const Tensor *one = (Tensor *)args[0], *other = (Tensor *)args[1];
    return PyBool_FromLong(one == other || (home_of(one) != NULL && home_of(one) == home_of(other)));
}

static void deallocate_block(PyObject *object) {
    Block *self = (Block *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->owner != NULL) {
        PyObject *kind, *error, *traceback;
        PyErr_Fetch(&kind, &error, &traceback);
        Py_DECREF(self->owner);
        PyErr_Restore(kind, error, traceback);
    } else if (self->storage == NULL) { /* else the Storage owns the memory; its tensors have released it */
        give_memory_back(self->spec, self->address, self->free);
    }
    Py_DECREF(self->spec);
    type->tp_free(object);
    Py_DECREF(type);
}

void leave_block(Tensor *self) {
    Block *block = self->block;
    if (block != NULL) {
        self->block = NULL;
        Py_XDECREF(block->storage);
        Py_DECREF(block);
    }
}

/* Turns the memory that a tensor owns, or that ``owner`` keeps, into a Block, which tensors can share; NULL with an
 * exception. */
static Block *make_block(Tensor *self, PyObject *owner) {
    Block *block = PyObject_New(Block, facts.block);
    if (block != NULL) {
        block->spec = new_reference(self->spec);
        block->address = self->address;
        block->free = self->free;
        Py_XINCREF(owner);
        block->owner = owner;
        block->storage = NULL;
        self->block = block;
        begin_showing(self);
    }
    return block;
}

Tensor *make_shared(PyObject *spec, double address, PyObject *owner) {
    Tensor *made = make_tensor(spec, address, NULL);
    if (made != NULL && make_block(made, owner) == NULL) {
        made->address = 0; /* it is not the tensor's to free */
        Py_CLEAR(made);
    }
    return made;
}

/* Calls a function until no interrupt occurs in it; returns whether there was an exception. An interrupt is raised
 * afterwards. */
static int call_through(PyObject *function) {
    PyObject *type = NULL, *error = NULL, *traceback = NULL, *done = PyObject_CallNoArgs(function);
    while (done == NULL && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
        Py_XDECREF(type);
        Py_XDECREF(error);
        Py_XDECREF(traceback);
        PyErr_Fetch(&type, &error, &traceback);
        done = PyObject_CallNoArgs(function);
    }
    if (done != NULL && type != NULL) {
        PyErr_Restore(type, error, traceback);
    }
    Py_XDECREF(done);
    return PyErr_Occurred() == NULL;
}

PyObject *storage_of(Tensor *self) {
    Block *block = self->block;
    if (block == NULL) {
        if (!is_owner(self)) {
            return self->storage;
        }
        if ((block = make_block(self, NULL)) == NULL) {
            return NULL;
        }
    }
    track(self);
    PyObject *take_over = NULL;
    if (block->storage == NULL) {
        PyObject *what = block->owner != NULL ? new_reference(block->owner) : PyFloat_FromDouble(block->address);
        PyObject *make = block->owner != NULL ? facts.share : facts.adopt;
        PyObject *pair = what == NULL ? NULL : PyObject_CallFunctionObjArgs(make, block->spec, what, NULL);
        Py_XDECREF(what);
        if (pair == NULL) {
            return NULL;
        }
        if (self->block != block) { /* another thread did it */
            Py_DECREF(pair);
            return self->storage;
        }
        if (block->storage == NULL) {
            block->storage = PyTuple_GET_ITEM(pair, 0);
            for (Py_ssize_t k = 0; k < Py_REFCNT(block); k++) {
                Py_INCREF(block->storage);
            }
            take_over = new_reference(PyTuple_GET_ITEM(pair, 1));
        }
        Py_DECREF(pair);
    }
    self->storage = block->storage; /* with the reference that the tensor held through the block */
    self->block = NULL;
    Py_DECREF(block);
    if (take_over != NULL) {
        const int is_done = call_through(take_over);
        Py_DECREF(take_over);
        if (!is_done) {
            return NULL;
        }
    }
    return self->storage;
}

int share_memory(Tensor *tensor, Tensor *with) {
    if (is_owner(with) && make_block(with, NULL) == NULL) {
        return -1;
    }
    begin_showing(tensor);
    if (with->block != NULL) {
        tensor->block = (Block *)new_reference((PyObject *)with->block);
        Py_XINCREF(with->block->storage);
        return 0;
    }
    if (with->storage == NULL) { /* it has none; Python raises the error */
        Py_XDECREF(PyObject_CallOneArg(facts.untyped_storage, (PyObject *)with));
        return -1;
    }
    Py_XINCREF(with->storage);
    tensor->storage = with->storage;
    return 0;
}

static PyType_Slot block_slots[] = {{Py_tp_dealloc, (void *)deallocate_block}, {0, NULL}};

static PyType_Spec block_spec = {"gnomon_speedups.Block", sizeof(Block), 0, Py_TPFLAGS_DEFAULT, block_slots};

int is_memory_ready(void) {
    facts.block = (PyTypeObject *)PyType_FromSpec(&block_spec);
    return facts.block == NULL ? -1 : 0;
}
