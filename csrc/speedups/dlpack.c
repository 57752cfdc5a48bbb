/* DLPack's structures and the capsules that carry them (interop/dlpack.py).
 *
 * A consumer may call a deleter from any thread, without the GIL, and after the interpreter has ended. Then the objects
 * that keep the memory are left alone: the process is about to end, and nobody else may use the memory's owner.
 */
#include "speedups.h"

#include <stdlib.h>

#define NAME(versioned) ((versioned) ? "dltensor_versioned" : "dltensor")
#define USED_NAME(versioned) ((versioned) ? "used_dltensor_versioned" : "used_dltensor")

/* interop/dlpack_layout.py describes the structures. */
typedef struct DLTensor {
    void *data;
    int32_t device_type, device_id;
    int32_t ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} DLTensor;

typedef struct Unversioned {
    DLTensor tensor;
    void *manager_ctx;
    void (*deleter)(struct Unversioned *);
} Unversioned;

typedef struct Versioned {
    uint32_t major, minor;
    void *manager_ctx;
    void (*deleter)(struct Versioned *);
    uint64_t flags;
    DLTensor tensor;
} Versioned;

/* ---- to other libraries ------------------------------------------------------------------------------------------ */

static int is_running(void) {
#if PY_VERSION_HEX >= 0x030d0000
    return Py_IsInitialized() && !Py_IsFinalizing();
#else
    return Py_IsInitialized() && !_Py_IsFinalizing();
#endif
}

static void release(PyObject *keeper) {
    if (!is_running()) {
        return;
    }
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    Py_DECREF(keeper);
    PyErr_Restore(type, error, traceback);
    PyGILState_Release(state);
}

static void delete_unversioned(Unversioned *managed) {
    release(managed->manager_ctx);
    free(managed);
}

static void delete_versioned(Versioned *managed) {
    release(managed->manager_ctx);
    free(managed);
}

/* Calls the deleter of a structure, of ours or of another library. */
static void end_structure(void *structure, int versioned) {
    if (versioned) {
        Versioned *managed = structure;
        if (managed->deleter != NULL) {
            managed->deleter(managed);
        }
    } else {
        Unversioned *managed = structure;
        if (managed->deleter != NULL) {
            managed->deleter(managed);
        }
    }
}

/* Of a capsule: nobody has used it if it still has its first name. */
static void end_capsule(PyObject *capsule) {
    for (int versioned = 0; versioned < 2; versioned++) {
        if (PyCapsule_IsValid(capsule, NAME(versioned))) {
            end_structure(PyCapsule_GetPointer(capsule, NAME(versioned)), versioned);
            return;
        }
    }
}

static int copy_integers(PyObject *tuple, int64_t *to) {
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(tuple); k++) {
        to[k] = PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, k));
    }
    return PyErr_Occurred() == NULL;
}

/* dlpack_capsule(keeper, address, sizes, strides, code, bits, device_type, device_id, versioned, flags): a capsule of
 * DLPack 1.1, or of before versions, whose consumer owns a reference to ``keeper``. */
PyObject *dlpack_capsule(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *keeper, *sizes, *strides;
    unsigned long long address, flags;
    int code, bits, device_type, device_id, versioned;
    if (!PyArg_ParseTuple(args, "OKO!O!iiiipK", &keeper, &address, &PyTuple_Type, &sizes, &PyTuple_Type, &strides,
                          &code, &bits, &device_type, &device_id, &versioned, &flags)) {
        return NULL;
    }
    const Py_ssize_t ndim = PyTuple_GET_SIZE(sizes);
    const size_t own = versioned ? sizeof(Versioned) : sizeof(Unversioned); /* a multiple of 8 */
    char *structure = malloc(own + 2 * (size_t)ndim * sizeof(int64_t));
    if (structure == NULL) {
        return PyErr_NoMemory();
    }
    int64_t *const integers = (int64_t *)(void *)(structure + own);
    const DLTensor tensor = {(void *)(uintptr_t)address,
                             device_type,
                             device_id,
                             (int32_t)ndim,
                             (uint8_t)code,
                             (uint8_t)bits,
                             1,
                             integers,
                             integers + ndim,
                             0};
    if (versioned) {
        *(Versioned *)(void *)structure = (Versioned){1, 1, keeper, delete_versioned, flags, tensor};
    } else {
        *(Unversioned *)(void *)structure = (Unversioned){tensor, keeper, delete_unversioned};
    }
    PyObject *capsule = NULL;
    if (PyTuple_GET_SIZE(strides) == ndim && copy_integers(sizes, integers) && copy_integers(strides, integers + ndim)) {
        capsule = PyCapsule_New(structure, NAME(versioned), end_capsule);
    } else if (PyErr_Occurred() == NULL) {
        PyErr_SetString(PyExc_ValueError, "dlpack_capsule: sizes and strides differ in length");
    }
    if (capsule == NULL) {
        free(structure);
    } else {
        Py_INCREF(keeper);
    }
    return capsule;
}

/* ---- from other libraries ---------------------------------------------------------------------------------------- */

static PyObject *tuple_of_integers(const int64_t *numbers, int32_t count) {
    PyObject *made = PyTuple_New(count);
    for (int32_t k = 0; made != NULL && k < count; k++) {
        PyObject *number = PyLong_FromLongLong(numbers[k]);
        if (number == NULL) {
            Py_CLEAR(made);
        } else {
            PyTuple_SET_ITEM(made, k, number);
        }
    }
    return made;
}

/* The structure in a capsule that nobody has used, and whether it has a version; NULL without an exception. */
static void *structure_in(PyObject *capsule, int *versioned) {
    for (*versioned = 0; *versioned < 2; (*versioned)++) {
        if (PyCapsule_IsValid(capsule, NAME(*versioned))) {
            return PyCapsule_GetPointer(capsule, NAME(*versioned));
        }
    }
    return NULL;
}

/* dlpack_opened(capsule): (version, flags, device type and number, dtype's code, bits and lanes, sizes, strides or None,
 * address) of an unused capsule, where version is None or (major, minor); None for other objects. */
PyObject *dlpack_opened(PyObject *module, PyObject *capsule) {
    (void)module;
    int versioned;
    void *const structure = structure_in(capsule, &versioned);
    if (structure == NULL) {
        Py_RETURN_NONE;
    }
    const Versioned *const managed = structure;
    const DLTensor *const tensor = versioned ? &managed->tensor : &((const Unversioned *)structure)->tensor;
    PyObject *version = versioned ? Py_BuildValue("II", managed->major, managed->minor) : new_reference(Py_None);
    if (versioned && managed->major != 1) { /* all but the version may be elsewhere */
        return Py_BuildValue("NKiiBBHOOK", version, 0ULL, 0, 0, 0, 0, 0, Py_None, Py_None, 0ULL);
    }
    PyObject *sizes = tuple_of_integers(tensor->shape, tensor->ndim);
    PyObject *strides = tensor->strides == NULL ? new_reference(Py_None)
                                                : tuple_of_integers(tensor->strides, tensor->ndim);
    return Py_BuildValue("NKiiBBHNNK", version, versioned ? (unsigned long long)managed->flags : 0ULL,
                         tensor->device_type, tensor->device_id, tensor->code, tensor->bits, tensor->lanes, sizes,
                         strides, (unsigned long long)((uintptr_t)tensor->data + tensor->byte_offset));
}

/* Memory of another library in host memory: a buffer of bytes, which are released with it. */
typedef struct Foreign {
    PyObject_HEAD
    void *bytes;
    Py_ssize_t nbytes;
    PyObject *owner; /* or NULL: the structure */
    void *structure;
    int versioned;
} Foreign;

static void deallocate_foreign(PyObject *object) {
    Foreign *self = (Foreign *)object;
    PyTypeObject *type = Py_TYPE(object);
    Py_XDECREF(self->owner);
    if (self->structure != NULL) {
        PyObject *kind, *error, *traceback;
        PyErr_Fetch(&kind, &error, &traceback);
        end_structure(self->structure, self->versioned);
        PyErr_Restore(kind, error, traceback);
    }
    type->tp_free(object);
    Py_DECREF(type);
}

static int fill_buffer(PyObject *object, Py_buffer *view, int flags) {
    Foreign *self = (Foreign *)object;
    return PyBuffer_FillInfo(view, object, self->bytes, self->nbytes, 0, flags);
}

static PyType_Slot foreign_slots[] = {
    {Py_tp_dealloc, (void *)deallocate_foreign},
    {Py_bf_getbuffer, (void *)fill_buffer},
    {0, NULL},
};

static PyType_Spec foreign_spec = {"gnomon_speedups.Foreign", sizeof(Foreign), 0, Py_TPFLAGS_DEFAULT, foreign_slots};

static PyTypeObject *foreign_type;

static Foreign *new_foreign(unsigned long long address, Py_ssize_t nbytes) {
    if (foreign_type == NULL && (foreign_type = (PyTypeObject *)PyType_FromSpec(&foreign_spec)) == NULL) {
        return NULL;
    }
    Foreign *made = PyObject_New(Foreign, foreign_type);
    if (made != NULL) {
        made->bytes = (void *)(uintptr_t)address;
        made->nbytes = nbytes;
        made->owner = NULL;
        made->structure = NULL;
        made->versioned = 0;
    }
    return made;
}

PyObject *bytes_at(void *address, Py_ssize_t nbytes, PyObject *owner) {
    Foreign *made = new_foreign((uintptr_t)address, nbytes);
    if (made != NULL) {
        made->owner = new_reference(owner);
    }
    return (PyObject *)made;
}

/* foreign_bytes(address, nbytes, owner): a buffer of the bytes there, which keeps ``owner`` alive. */
PyObject *foreign_bytes(PyObject *module, PyObject *args) {
    (void)module;
    unsigned long long address;
    Py_ssize_t nbytes;
    PyObject *owner;
    if (!PyArg_ParseTuple(args, "KnO", &address, &nbytes, &owner)) {
        return NULL;
    }
    return bytes_at((void *)(uintptr_t)address, nbytes, owner);
}

/* dlpack_taken(capsule, address, nbytes): marks the capsule as used, and returns the owner of its structure, which is
 * also a buffer of the bytes, if they are in host memory. */
PyObject *dlpack_taken(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *capsule;
    unsigned long long address;
    Py_ssize_t nbytes;
    if (!PyArg_ParseTuple(args, "OKn", &capsule, &address, &nbytes)) {
        return NULL;
    }
    int versioned;
    void *const structure = structure_in(capsule, &versioned);
    if (structure == NULL) {
        return PyErr_Format(PyExc_ValueError, "dlpack_taken: the capsule is used");
    }
    Foreign *made = new_foreign(address, nbytes);
    if (made == NULL || PyCapsule_SetName(capsule, USED_NAME(versioned)) < 0) {
        Py_XDECREF(made);
        return NULL;
    }
    made->structure = structure;
    made->versioned = versioned;
    return (PyObject *)made;
}
