/* The functions by which other libraries release tensors that gnomon gave them (interop/dlpack.py).
 *
 * A consumer may call a deleter from any thread, without the GIL, and after the interpreter has ended. Then the object
 * that keeps the memory is left alone: the process is about to end, and nobody else may use the memory's owner.
 */
#include "speedups.h"

/* The members of DLPack's structures up to what is needed here; interop/dlpack_layout.py has all of them. */
typedef struct Unversioned {
    unsigned char tensor[48];
    PyObject *manager_ctx;
    void (*deleter)(void *);
} Unversioned;

typedef struct Versioned {
    uint32_t major, minor;
    PyObject *manager_ctx;
    void (*deleter)(void *);
} Versioned;

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
    Py_DECREF(keeper); /* the structure is part of it */
    PyErr_Restore(type, error, traceback);
    PyGILState_Release(state);
}

static void delete_unversioned(void *managed) {
    release(((Unversioned *)managed)->manager_ctx);
}

static void delete_versioned(void *managed) {
    release(((Versioned *)managed)->manager_ctx);
}

/* Of a capsule: nobody has used it if it still has its first name. */
static void end_capsule(PyObject *capsule) {
    if (PyCapsule_IsValid(capsule, "dltensor")) {
        Unversioned *managed = PyCapsule_GetPointer(capsule, "dltensor");
        managed->deleter(managed);
    } else if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        Versioned *managed = PyCapsule_GetPointer(capsule, "dltensor_versioned");
        managed->deleter(managed);
    }
}

/* dlpack_functions(): the addresses of the deleter without and with a version, and of a capsule's destructor. */
PyObject *dlpack_functions(PyObject *module, PyObject *nothing) {
    (void)module;
    (void)nothing;
    return Py_BuildValue("KKK", (unsigned long long)(uintptr_t)delete_unversioned,
                         (unsigned long long)(uintptr_t)delete_versioned,
                         (unsigned long long)(uintptr_t)end_capsule);
}
