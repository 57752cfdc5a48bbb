/* The tensor object (memory/tensor.py): its fields, and its deallocation. */
#include "speedups.h"

#define MOST_KEPT 128

static Tensor *kept[MOST_KEPT]; /* free list of deallocated tensor objects */
static int kept_count;

void track(Tensor *self) {
    if (!PyObject_GC_IsTracked((PyObject *)self)) {
        PyObject_GC_Track(self);
    }
}

Tensor *new_tensor(void) {
    if (kept_count > 0) {
        Tensor *self = kept[--kept_count];
        PyObject_Init((PyObject *)self, facts.tensor);
        return self;
    }
    Tensor *self = PyObject_GC_New(Tensor, facts.tensor);
    if (self != NULL) {
        memset((char *)self + sizeof(PyObject), 0, sizeof *self - sizeof(PyObject));
    }
    return self;
}

Tensor *make_tensor(PyObject *spec, double address, give_back *free) {
    Tensor *made = new_tensor();
    if (made != NULL) {
        made->spec = new_reference(spec);
        made->address = address;
        made->free = free;
        made->keys = KEY_TENSOR_KEYS;
    }
    return made;
}

Tensor *alias_tensor(Tensor *tensor, PyObject *spec, int64_t offset, double nbytes) {
    Tensor *made = new_tensor();
    if (made == NULL) {
        return NULL;
    }
    made->spec = new_reference(spec);
    if (share_memory(made, tensor) < 0 || version_counter(tensor) == NULL) {
        Py_DECREF(made);
        return NULL;
    }
    made->version = new_reference(tensor->version);
    made->offset = tensor->offset + offset;
    made->address = tensor->address != 0 ? tensor->address + nbytes : 0;
    made->keys = tensor->keys & ~(int64_t)KEY_AUTOGRAD;
    track(made);
    return made;
}

/* ---- version counters ------------------------------------------------------------------------------------------ */

Version *version_counter(Tensor *tensor) {
    if (tensor->version == NULL) {
        Version *counter = PyObject_New(Version, facts.version);
        if (counter == NULL) {
            return NULL;
        }
        counter->value = 0;
        counter->first = NULL;
        tensor->version = (PyObject *)counter;
    }
    return (Version *)tensor->version;
}

void add_view(Version *counter, Tensor *view) {
    view->previous = NULL;
    view->next = counter->first;
    if (counter->first != NULL) {
        counter->first->previous = view;
    }
    counter->first = view;
    view->is_listed = 1;
}

/* Removes a view from the list of its version counter. */
static void leave_list(Tensor *view) {
    if (!view->is_listed) {
        return;
    }
    if (view->previous != NULL) {
        view->previous->next = view->next;
    } else {
        ((Version *)view->version)->first = view->next;
    }
    if (view->next != NULL) {
        view->next->previous = view->previous;
    }
    view->previous = view->next = NULL;
    view->is_listed = 0;
}

/* Can tensors of this spec have gradients? */
int has_gradients(PyObject *spec) {
    PyObject *dtype = SLOT(spec, facts.dtype);
    PyObject *category = dtype == NULL ? NULL : SLOT(dtype, facts.category);
    return category != NULL && PyLong_AsLong(category) >= 2;
}

/* VersionCounter.add_view(view) */
static PyObject *keep_view(PyObject *counter, PyObject *view) {
    if (!is_tensor(view) || ((Tensor *)view)->version != counter) {
        return PyErr_Format(PyExc_TypeError, "add_view: expected a tensor with this counter, got %R", view);
    }
    leave_list((Tensor *)view);
    add_view((Version *)counter, (Tensor *)view);
    Py_RETURN_NONE;
}

/* VersionCounter.views_require_grad(base): views of other bases, which share the counter, stay in the list. */
static PyObject *views_require_grad(PyObject *counter, PyObject *base) {
    Tensor *view = ((Version *)counter)->first;
    while (view != NULL) {
        Tensor *next = view->next;
        if (view->base == NULL || view->base == base) {
            leave_list(view);
            if (view->base != NULL && view->spec != NULL && has_gradients(view->spec)) {
                view->keys |= KEY_AUTOGRAD;
            }
        }
        view = next;
    }
    Py_RETURN_NONE;
}

static void deallocate_version(PyObject *object) { /* listed views hold references to it: the list is empty */
    PyTypeObject *type = Py_TYPE(object);
    type->tp_free(object);
    Py_DECREF(type);
}

/* VersionCounter(value=0) */
static PyObject *make_version(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"value", NULL};
    long long value = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|L", names, &value)) {
        return NULL;
    }
    Version *made = (Version *)PyType_GenericAlloc(type, 0);
    if (made != NULL) {
        made->value = value;
    }
    return (PyObject *)made;
}

/* ---- fields ---------------------------------------------------------------------------------------------------- */

/* A field that holds an object, or NULL for None; ``closure`` is its offset. */
static PyObject *get_field(PyObject *object, void *closure) {
    PyObject *found = SLOT(object, (Py_ssize_t)(intptr_t)closure);
    return new_reference(found == NULL ? Py_None : found);
}

/* Does the value have the type that C assumes for the field? */
static int fits(Py_ssize_t offset, PyObject *value) {
    switch (offset) {
    case offsetof(Tensor, spec): return facts.spec == NULL || PyObject_TypeCheck(value, facts.spec);
    case offsetof(Tensor, edge): return PyTuple_Check(value) && PyTuple_GET_SIZE(value) == 2;
    case offsetof(Tensor, meta): return facts.autograd_meta == NULL || PyObject_TypeCheck(value, facts.autograd_meta);
    case offsetof(Tensor, version): return PyObject_TypeCheck(value, facts.version);
    default: return 1;
    }
}

static int set_field(PyObject *object, PyObject *value, void *closure) {
    if (value != NULL && value != Py_None && !fits((Py_ssize_t)(intptr_t)closure, value)) {
        PyErr_Format(PyExc_TypeError, "a tensor's own fields: got %R, which is not of the field's type", value);
        return -1;
    }
    if (value != NULL && value != Py_None) {
        if (PyObject_TypeCheck(object, facts.tensor)) {
            track((Tensor *)object);
        }
        Py_INCREF(value);
    } else {
        value = NULL;
    }
    fill(&SLOT(object, (Py_ssize_t)(intptr_t)closure), value);
    return 0;
}

static PyObject *get_attributes(PyObject *object, void *closure) {
    track((Tensor *)object);
    return PyObject_GenericGetDict(object, closure);
}

/* A tensor takes attributes, like any Python object; these may form reference cycles. */
static int set_attribute(PyObject *object, PyObject *name, PyObject *value) {
    track((Tensor *)object);
    return PyObject_GenericSetAttr(object, name, value);
}

static PyObject *get_view_of(PyObject *object, void *closure) {
    (void)closure;
    const Tensor *self = (Tensor *)object;
    if (self->base == NULL) {
        Py_RETURN_NONE;
    }
    return Py_BuildValue("OLi", self->base, (long long)self->base_version, self->creation);
}

static int set_view_of(PyObject *object, PyObject *value, void *closure) {
    (void)closure;
    Tensor *self = (Tensor *)object;
    PyObject *base = NULL;
    long long version = 0;
    int creation = 0;
    const int is_given = value != NULL && value != Py_None;
    if (is_given && !PyTuple_Check(value)) {
        PyErr_Format(PyExc_TypeError, "a tensor's own fields: got %R, which is not of the field's type", value);
        return -1;
    }
    if (is_given && !PyArg_ParseTuple(value, "OLi", &base, &version, &creation)) {
        return -1;
    }
    track(self);
    Py_XINCREF(base);
    fill(&self->base, base);
    self->base_version = version;
    self->creation = creation;
    return 0;
}

/* Removes the tensor from the view list of its former base. */
static int set_version(PyObject *object, PyObject *value, void *closure) {
    Tensor *self = (Tensor *)object;
    if (value != NULL && value != Py_None && !fits(offsetof(Tensor, version), value)) {
        return set_field(object, value, closure); /* which raises the error: nothing has changed */
    }
    leave_list(self);
    return set_field(object, value, closure);
}

static PyObject *get_storage(PyObject *object, void *closure) {
    (void)closure;
    PyObject *found = storage_of((Tensor *)object);
    return found == NULL && PyErr_Occurred() != NULL ? NULL : new_reference(found == NULL ? Py_None : found);
}

/* An uninitialized tensor has no spec; an initialized one always has one. */
static PyObject *get_spec(PyObject *object, void *closure) {
    (void)closure;
    PyObject *spec = ((Tensor *)object)->spec;
    return spec != NULL ? new_reference(spec) : PyErr_Format(PyExc_AttributeError, "_spec");
}

static int set_spec(PyObject *object, PyObject *value, void *closure) {
    if (value == NULL || value == Py_None) {
        PyErr_SetString(PyExc_TypeError, "a tensor has a spec");
        return -1;
    }
    Tensor *self = (Tensor *)object;
    const double before = begin_of(self, self->spec);
    if (set_field(object, value, closure) < 0) {
        return -1;
    }
    if (!is_owner(self) && self->address != 0) {
        self->address += begin_of(self, self->spec) - before;
    }
    return 0;
}

static PyObject *get_offset(PyObject *object, void *closure) {
    (void)closure;
    return PyLong_FromLongLong(((Tensor *)object)->offset);
}

static int set_offset(PyObject *object, PyObject *value, void *closure) {
    (void)closure;
    Tensor *self = (Tensor *)object;
    const long long offset = value == NULL ? -1 : PyLong_AsLongLong(value);
    if (value == NULL || (offset == -1 && PyErr_Occurred() != NULL)) {
        return PyErr_Occurred() != NULL ? -1 : (PyErr_SetString(PyExc_TypeError, "a tensor has an offset"), -1);
    }
    const double before = begin_of(self, self->spec);
    self->offset = offset;
    if (!is_owner(self) && self->address != 0) {
        self->address += begin_of(self, self->spec) - before;
    }
    return 0;
}

static PyObject *get_address(PyObject *object, void *closure) {
    (void)closure;
    const Tensor *self = (Tensor *)object;
    if (isnan(self->address)) {
        raise_freed(self);
        return NULL;
    }
    return PyFloat_FromDouble(self->address);
}

/* Releases the old memory; the address becomes the one in the Storage's memory. */
static int set_storage(PyObject *object, PyObject *value, void *closure) {
    Tensor *self = (Tensor *)object;
    const int is_given = value != NULL && value != Py_None;
    const double start = is_given ? address_of(value) : 0;
    if (start < 0) {
        return -1;
    }
    const int was_owner = is_owner(self);
    const double owned = self->address;
    PyObject *spec = self->spec;
    self->address = start == 0 ? 0 : start + begin_of(self, spec);
    Block *block = self->block;
    self->block = NULL;
    const int status = set_field(object, value, closure);
    begin_showing(self);
    if (block != NULL) {
        Py_XDECREF(block->storage);
        Py_DECREF(block);
    } else if (was_owner) {
        give_memory_back(spec, owned, self->free);
    }
    return status;
}

#define FIELD(name, field) {name, get_field, set_field, NULL, (void *)offsetof(Tensor, field)}

static PyGetSetDef tensor_fields[] = {
    {"_storage", get_storage, set_storage, NULL, (void *)offsetof(Tensor, storage)},
    {"_spec", get_spec, set_spec, NULL, (void *)offsetof(Tensor, spec)},
    {"_storage_offset", get_offset, set_offset, NULL, NULL},
    {"_address", get_address, NULL, NULL, NULL},
    FIELD("_gradient_edge", edge),
    FIELD("_autograd_meta", meta),
    {"_version_counter", get_field, set_version, NULL, (void *)offsetof(Tensor, version)},
    {"_view_of", get_view_of, set_view_of, NULL, NULL},
    {"__dict__", get_attributes, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef tensor_members[] = {
    {"_keys", T_LONGLONG, offsetof(Tensor, keys), 0, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(Tensor, attributes), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Tensor, weak_references), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyMethodDef version_methods[] = {
    {"add_view", keep_view, METH_O, NULL},
    {"views_require_grad", views_require_grad, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef version_members[] = {
    {"value", T_LONGLONG, offsetof(Version, value), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

/* ---- deallocation ----------------------------------------------------------------------------------------------- */

static int traverse(PyObject *object, visitproc visit, void *arg) {
    Tensor *self = (Tensor *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->spec);
    Py_VISIT(self->storage);
    Py_VISIT(self->edge);
    Py_VISIT(self->meta);
    Py_VISIT(self->version);
    Py_VISIT(self->base);
    Py_VISIT(self->attributes);
    return 0;
}

/* The memory is kept: it is not part of a cycle. */
static int clear(PyObject *object) {
    Tensor *self = (Tensor *)object;
    Py_CLEAR(self->edge);
    Py_CLEAR(self->meta);
    Py_CLEAR(self->base);
    Py_CLEAR(self->attributes);
    return 0;
}

/* Returns the object to the free list, or frees it. */
static void free_body(Tensor *self, PyTypeObject *type) {
    /* the garbage collector marks an object that it has finalized, and would not finalize it again */
    if (type == facts.tensor && kept_count < MOST_KEPT && !PyObject_GC_IsFinalized((PyObject *)self)) {
        memset((char *)self + sizeof(PyObject), 0, sizeof *self - sizeof(PyObject));
        kept[kept_count++] = self;
    } else {
        type->tp_free(self);
    }
    Py_DECREF(type);
}

/* Does it own only its memory: a result without autograd data or other references? */
static int is_untouched(const Tensor *self) {
    return self->spec != NULL && self->address != 0 && self->storage == NULL && self->block == NULL && self->edge == NULL
           && self->meta == NULL && self->version == NULL && self->base == NULL && self->attributes == NULL
           && self->weak_references == NULL && !self->is_shown;
}

static void deallocate(PyObject *object) {
    Tensor *self = (Tensor *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (PyObject_GC_IsTracked(object)) {
        PyObject_GC_UnTrack(object);
    } else if (is_untouched(self)) {
        give_memory_back(self->spec, self->address, self->free);
        Py_DECREF(self->spec);
        free_body(self, type);
        return;
    }
    Py_TRASHCAN_BEGIN(self, deallocate)
    if (self->weak_references != NULL) {
        PyObject_ClearWeakRefs(object);
    }
    leave_list(self);
    stop_showing(self);
    clear(object);
    if (self->block != NULL) {
        leave_block(self);
    } else if (self->storage == NULL && self->address != 0 && self->spec != NULL) {
        give_memory_back(self->spec, self->address, self->free);
    }
    Py_CLEAR(self->storage);
    Py_CLEAR(self->version);
    Py_CLEAR(self->spec);
    free_body(self, type);
    Py_TRASHCAN_END
}

/* Tensor(...): what the class's _legacy_new makes of the arguments. */
static PyObject *make(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static PyObject *name;
    PyObject *function = attribute_of((PyObject *)type, &name, "_legacy_new");
    PyObject *made = function == NULL ? NULL : PyObject_Call(function, args, keywords);
    Py_XDECREF(function);
    return made;
}

PyObject *bare_tensor(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    PyTypeObject *type = count == 0 || args[0] == Py_None ? facts.tensor : (PyTypeObject *)args[0];
    if (count > 1 || !PyType_Check(type) || !PyType_IsSubtype(type, facts.tensor)) {
        return PyErr_Format(PyExc_TypeError, "bare_tensor: expected a subclass of Tensor");
    }
    if (type == facts.tensor) {
        Tensor *made = new_tensor();
        if (made != NULL) {
            track(made);
        }
        return (PyObject *)made;
    }
    PyObject *nothing = PyTuple_New(0);
    PyObject *made = nothing == NULL ? NULL : PyBaseObject_Type.tp_new(type, nothing, NULL);
    Py_XDECREF(nothing);
    return made;
}

/* ---- the classes ----------------------------------------------------------------------------------------------- */

static const char *const left_behind[] = {
    "__dict__", "__weakref__", "__slots__", "__module__", "_address", "__qualname__", "__new__",
    "add_view", "views_require_grad", NULL,
};

/* Copies to a C class the attributes of the Python class, except its slots. */
static int take_over(PyObject *made, PyObject *python, const char *but) {
    PyObject *own = PyObject_GetAttrString(python, "__dict__");
    PyObject *items = own == NULL ? NULL : PyMapping_Items(own);
    Py_XDECREF(own);
    int status = items == NULL ? -1 : 0;
    for (Py_ssize_t k = 0; status == 0 && k < PyList_GET_SIZE(items); k++) {
        PyObject *pair = PyList_GET_ITEM(items, k), *name = PyTuple_GET_ITEM(pair, 0);
        int is_left = Py_TYPE(PyTuple_GET_ITEM(pair, 1)) == &PyMemberDescr_Type
                      || (but != NULL && PyUnicode_CompareWithASCIIString(name, but) == 0);
        for (const char *const *each = left_behind; !is_left && *each != NULL; each++) {
            is_left = PyUnicode_CompareWithASCIIString(name, *each) == 0;
        }
        if (!is_left) {
            status = PyObject_SetAttr(made, name, PyTuple_GET_ITEM(pair, 1));
        }
    }
    Py_XDECREF(items);
    return status;
}

#if PY_VERSION_HEX < 0x030c0000
/* Python calls __buffer__ itself from 3.12 on. */
static int get_buffer(PyObject *self, Py_buffer *view, int flags) {
    view->obj = NULL;
    PyObject *shared = PyObject_CallMethod(self, "__buffer__", "i", flags);
    const int status = shared == NULL ? -1 : PyObject_GetBuffer(shared, view, flags);
    Py_XDECREF(shared);
    return status;
}
#endif

static PyType_Slot tensor_slots[] = {
    {Py_tp_dealloc, (void *)deallocate}, {Py_tp_traverse, (void *)traverse},      {Py_tp_clear, (void *)clear},
    {Py_tp_setattro, (void *)set_attribute}, {Py_tp_members, tensor_members}, {Py_tp_getset, tensor_fields},
    {Py_tp_new, (void *)make},
#if PY_VERSION_HEX < 0x030c0000
    {Py_bf_getbuffer, (void *)get_buffer},
#endif
    {0, NULL},
};

static PyType_Spec tensor_spec = {
    "gnomon.Tensor", sizeof(Tensor), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, tensor_slots,
};

static PyType_Slot version_slots[] = {
    {Py_tp_dealloc, (void *)deallocate_version}, {Py_tp_new, (void *)make_version},
    {Py_tp_methods, version_methods},            {Py_tp_members, version_members},
    {0, NULL},
};

static PyType_Spec version_spec = {
    "gnomon.VersionCounter", sizeof(Version), 0, Py_TPFLAGS_DEFAULT, version_slots,
};

PyTypeObject *made_like(PyType_Spec *spec, PyObject *python, const char *but) {
    PyObject *made = PyType_FromSpec(spec);
    PyObject *module = made == NULL ? NULL : PyObject_GetAttrString(python, "__module__");
    if (module == NULL || PyObject_SetAttrString(made, "__module__", module) < 0
        || take_over(made, python, but) < 0) {
        Py_CLEAR(made);
    }
    Py_XDECREF(module);
    if (made != NULL) { /* errors show the unqualified name, as for a Python class */
        ((PyTypeObject *)made)->tp_name = strrchr(spec->name, '.') + 1;
    }
    return (PyTypeObject *)made;
}

PyTypeObject *make_tensor_type(PyObject *python) {
    return made_like(&tensor_spec, python, NULL);
}

PyTypeObject *make_version_type(PyObject *python) {
    return made_like(&version_spec, python, "__init__");
}
