/* Entry and exit of blocks that change a thread's context variables (values/thread_local_state.py, device.py).
 *
 * An interrupt is raised between two bytecodes. There are none here, so a block is either entered or not, and is always
 * exited. */
#include "speedups.h"

static struct {
    PyObject *set, *get, *inside, *given, *before, *mask, *ended;
} names;

/* Objects that are looked up by name. 0, or -1 with an exception. */
static int know_names(void) {
    if (names.ended == NULL) {
        names.set = PyUnicode_InternFromString("set");
        names.get = PyUnicode_InternFromString("get");
        names.inside = PyUnicode_InternFromString("_inside");
        names.given = PyUnicode_InternFromString("_given");
        names.before = PyUnicode_InternFromString("_before");
        names.mask = PyUnicode_InternFromString("_mask");
        names.ended = PyUnicode_InternFromString("_ended");
    }
    return names.ended == NULL ? -1 : 0;
}

/* Sets each variable to its value; of the mode word only the bits in ``mask``.  0, or -1 with an exception. */
static int set_all(PyObject *pairs, long mask) {
    for (Py_ssize_t k = 0; k < PySequence_Size(pairs); k++) {
        PyObject *pair = PySequence_GetItem(pairs, k);
        PyObject *variable = pair == NULL ? NULL : PyTuple_GET_ITEM(pair, 0);
        PyObject *value = pair == NULL ? NULL : new_reference(PyTuple_GET_ITEM(pair, 1));
        if (variable == facts.mode_word && mask != -1) {
            const long word = (stored_mode_word() & ~mask) | (PyLong_AsLong(value) & mask);
            Py_DECREF(value);
            value = PyLong_FromLong(word);
        }
        PyObject *token =
            value == NULL ? NULL : PyObject_CallMethodObjArgs(variable, names.set, value, NULL);
        Py_XDECREF(value);
        Py_XDECREF(pair);
        if (token == NULL) {
            return -1;
        }
        Py_DECREF(token);
    }
    return PyErr_Occurred() ? -1 : 0;
}

/* The variables of ``pairs`` with their current values, in a tuple; NULL with an exception. */
static PyObject *values_of(PyObject *pairs) {
    const Py_ssize_t count = PyTuple_Check(pairs) ? PyTuple_GET_SIZE(pairs) : -1;
    PyObject *values = count < 0 ? NULL : PyTuple_New(count);
    for (Py_ssize_t k = 0; values != NULL && k < count; k++) {
        PyObject *variable = PyTuple_GET_ITEM(PyTuple_GET_ITEM(pairs, k), 0);
        PyObject *value = PyObject_CallMethodObjArgs(variable, names.get, NULL);
        PyObject *pair = value == NULL ? NULL : PyTuple_New(2);
        if (pair == NULL) {
            Py_XDECREF(value);
            Py_CLEAR(values);
            break;
        }
        PyTuple_SET_ITEM(pair, 0, new_reference(variable));
        PyTuple_SET_ITEM(pair, 1, value);
        PyTuple_SET_ITEM(values, k, pair);
    }
    return values;
}

/* ThreadLocalStateGuard.__enter__ */
PyObject *call_enter(PyObject *callable, PyObject *const *args, size_t count, PyObject *keywords) {
    if (PyVectorcall_NARGS(count) != 1 || keywords != NULL) {
        return readable((Function *)callable, args, count, keywords);
    }
    if (know_names() < 0) {
        return NULL;
    }
    PyObject *inside = PyObject_CallMethodObjArgs(args[0], names.inside, NULL);
    PyObject *given = inside == NULL ? NULL : PyObject_GetAttr(args[0], names.given);
    PyObject *guarded = given == NULL ? NULL : PyObject_GetAttr(args[0], names.before);
    PyObject *before = guarded == NULL ? NULL : values_of(inside);
    int status = before == NULL ? -1 : PyList_Append(guarded, before);
    if (status == 0 && set_all(inside, -1) < 0) {
        PyObject *type, *error, *traceback;
        PyErr_Fetch(&type, &error, &traceback);
        set_all(before, -1);
        PyList_SetSlice(guarded, PyList_Size(guarded) - 1, PyList_Size(guarded), NULL);
        PyErr_Restore(type, error, traceback);
        status = -1;
    }
    Py_XDECREF(inside);
    Py_XDECREF(guarded);
    Py_XDECREF(before);
    if (status < 0) {
        Py_CLEAR(given);
    }
    return given;
}

/* ThreadLocalStateGuard.__exit__ */
PyObject *call_exit(PyObject *callable, PyObject *const *args, size_t count, PyObject *keywords) {
    if (PyVectorcall_NARGS(count) < 1 || keywords != NULL) {
        return readable((Function *)callable, args, count, keywords);
    }
    if (know_names() < 0) {
        return NULL;
    }
    PyObject *guarded = PyObject_GetAttr(args[0], names.before);
    PyObject *bits = guarded == NULL ? NULL : PyObject_GetAttr(args[0], names.mask);
    PyObject *before = bits == NULL ? NULL : PyList_GetItem(guarded, PyList_Size(guarded) - 1);
    int status = -1;
    if (before != NULL) {
        Py_INCREF(before);
        status = PyList_SetSlice(guarded, PyList_Size(guarded) - 1, PyList_Size(guarded), NULL);
        status = set_all(before, PyLong_AsLong(bits)) < 0 ? -1 : status;
        Py_DECREF(before);
    }
    Py_XDECREF(bits);
    Py_XDECREF(guarded);
    if (status < 0) {
        return NULL;
    }
    PyObject *ended = PyObject_GetAttr((PyObject *)Py_TYPE(args[0]), names.ended);
    if (ended == NULL) {
        return NULL;
    }
    PyObject *done =
        ended == facts.nothing_to_end ? new_reference(Py_None) : PyObject_CallFunctionObjArgs(ended, args[0], NULL);
    Py_DECREF(ended);
    return done;
}

/* device.__exit__ */
PyObject *call_leave_device(PyObject *callable, PyObject *const *args, size_t count, PyObject *keywords) {
    (void)args;
    (void)keywords;
    (void)count;
    if (know_names() < 0) {
        return NULL;
    }
    PyObject *variable = ((Function *)callable)->extra;
    PyObject *scope = PyObject_CallMethodObjArgs(variable, names.get, NULL);
    PyObject *around = scope == NULL ? NULL : PySequence_GetItem(scope, 1);
    PyObject *token = around == NULL ? NULL : PyObject_CallMethodObjArgs(variable, names.set, around, NULL);
    Py_XDECREF(scope);
    Py_XDECREF(around);
    if (token == NULL) {
        return NULL;
    }
    Py_DECREF(token);
    return new_reference(Py_None);
}

/* __del__ of an object that owns a block: ``_free(address)``. */
PyObject *call_give_back(PyObject *callable, PyObject *const *args, size_t count, PyObject *keywords) {
        if (PyVectorcall_NARGS(count) != 1 || keywords != NULL) {
        return readable((Function *)callable, args, count, keywords);
    }
    static PyObject *name_free, *name_address;
    PyObject *free = attribute_of(args[0], &name_free, "_free");
    if (free == NULL || free == Py_None) { /* it never got the block */
        forget_error();
        Py_XDECREF(free);
        return new_reference(Py_None);
    }
    PyObject *address = attribute_of(args[0], &name_address, "address");
    PyObject *done = address == NULL ? NULL : PyObject_CallFunctionObjArgs(free, address, NULL);
    Py_XDECREF(free);
    Py_XDECREF(address);
    return done;
}
