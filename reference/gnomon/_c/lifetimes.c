/* How tensors and blocks of memory end: what runs in a finalizer is out of an interrupt's reach here.  In Python it is
 * not, and there an interrupt is lost and the work half done. */
#include "house.h"

/* What a tensor that is being freed leaves to its Node (memory/tensor.py, heir_of); NULL with an exception. */
static PyObject *heir_of(PyObject *tensor) {
    PyObject *heir = PyType_GenericAlloc(house.tensor, 0);
    PyObject *keys = heir == NULL ? NULL : PyLong_FromLong(keys_of(tensor) & ~house.autograd);
    if (keys == NULL) {
        Py_XDECREF(heir);
        return NULL;
    }
    const Py_ssize_t same[] = {house.spec, house.storage, house.storage_offset, house.address, house.version};
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        SLOT(heir, same[k]) = new_reference(SLOT(tensor, same[k]));
    }
    SLOT(heir, house.keys) = keys;
    SLOT(heir, house.gradient_edge) = new_reference(Py_None);
    SLOT(heir, house.autograd_meta) = new_reference(Py_None);
    SLOT(heir, house.view_of) = new_reference(Py_None);
    return heir;
}

/* A SavedVariable of an output at version 0, whose numbers are ``heir``'s; takes that reference. */
static PyObject *saved_output(PyObject *heir, PyObject *edge) {
    PyObject *made = heir == NULL ? NULL : PyType_GenericAlloc((PyTypeObject *)house.saved_variable, 0);
    if (made == NULL) {
        Py_XDECREF(heir);
        return NULL;
    }
    SLOT(made, house.saved_tensor) = heir;
    SLOT(made, house.saved_version) = new_reference(house.zero);
    SLOT(made, house.output_nr) = new_reference(PyTuple_GetItem(edge, 1));
    SLOT(made, house.unpack_hook) = new_reference(Py_None);
    SLOT(made, house.saved_edge) = new_reference(Py_None);
    SLOT(made, house.is_variable) = new_reference(Py_True);
    return made;
}

/* RecordedNode.keep_output of a dying output (saved_variable.py, keep_output_of): 1 if its memory was taken over, 0 if
 * nothing was borrowed, -1 with an exception. */
static int keep_output(PyObject *saved, PyObject *output, PyObject *edge) {
    int is_there = 0;
    for (Py_ssize_t k = 0; k < PyList_Size(saved); k++) {
        PyObject *each = PyList_GetItem(saved, k);
        if ((PyObject *)Py_TYPE(each) != house.weak_reference) {
            continue;
        }
        PyObject *known = PyObject_CallNoArgs(each);
        if (known == NULL) {
            return -1;
        }
        const int is_another = known != Py_None && known != output;
        Py_DECREF(known);
        if (is_another) {
            continue;
        }
        PyObject *kept = saved_output(heir_of(output), edge);
        if (kept == NULL || PyList_SetItem(saved, k, kept) < 0) {
            return -1;
        }
        is_there = 1;
    }
    return is_there;
}

/* Tensor.__del__: where no Node borrows it, all there is to do is to give its memory back. */
PyObject *call_delete(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    if ((count & ~OFFSET_BIT) != 1 || names != NULL || !is_tensor(args[0])) {
        return elsewhere(self->rest, args, count, names);
    }
    PyObject *a = args[0];
    PyObject *edge = SLOT(a, house.gradient_edge), *storage = SLOT(a, house.storage);
    if (edge == NULL || storage == NULL || SLOT(a, house.spec) == NULL) { /* it was never filled */
        return PYTHON;
    }
    if (edge != Py_None) {
        PyObject *node = PyTuple_GetItem(edge, 0);
        PyObject *borrows = PyObject_GetAttr(node, house.borrows_outputs);
        if (borrows == NULL) {
            forget_error();
            return PYTHON;
        }
        Py_DECREF(borrows);
        /* a Node that nobody else holds goes with the tensor; another one needs the numbers */
        if (borrows != Py_False && (Py_REFCNT(edge) > 1 || Py_REFCNT(node) > 1)) {
            if (!PyType_IsSubtype(Py_TYPE(node), (PyTypeObject *)house.recorded_node)) {
                return PYTHON;
            }
            PyObject *saved = SLOT(node, house.saved);
            const int is_kept = saved == NULL || saved == Py_None ? 0 : keep_output(saved, a, edge);
            if (is_kept != 0) {
                return is_kept < 0 ? NULL : new_reference(Py_None);
            }
        }
    }
    if (storage != Py_None) {
        return new_reference(Py_None);
    }
    PyObject *free = SLOT(SLOT(a, house.spec), house.free);
    return free == NULL || free == Py_None ? PYTHON : PyObject_Vectorcall(free, &SLOT(a, house.address), 1, NULL);
}

/* __del__ of what owns a block: ``_free(address)``. */
PyObject *call_give_back(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    if ((count & ~OFFSET_BIT) != 1 || names != NULL) {
        return elsewhere(self->rest, args, count, names);
    }
    PyObject *free = PyObject_GetAttr(args[0], house.name_free);
    if (free == NULL || free == Py_None) { /* it was never given the block */
        forget_error();
        Py_XDECREF(free);
        return new_reference(Py_None);
    }
    PyObject *address = PyObject_GetAttr(args[0], house.name_address);
    PyObject *done = address == NULL ? NULL : PyObject_CallFunctionObjArgs(free, address, NULL);
    Py_XDECREF(free);
    Py_XDECREF(address);
    return done;
}
