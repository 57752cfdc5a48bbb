/* How Python gets to a shortcut: operators as they are called, functions and methods of the face (bind.py). */
#include "house.h"

#define MOST_ARGUMENTS 24 /* of a call; those with more go Python's way */

PyObject *call_overload(PyObject *overload, PyObject *const *args, size_t given) {
    PyObject *arity = SLOT(overload, house.arity), *fast = SLOT(overload, house.fast);
    if (arity == NULL || fast == NULL || fast == Py_None || PyLong_AsLong(arity) != (long)given) {
        return PyObject_Vectorcall(overload, args, given, NULL);
    }
    Py_INCREF(fast);
    PyObject *result = PyObject_Vectorcall(fast, args, given, NULL);
    Py_DECREF(fast);
    return result;
}

/* What has been raised, or a TypeError where an argument is not of the schema's type; NULL. */
static PyObject *refuse_misfits(PyObject *operator, PyObject *const *args, Py_ssize_t count) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError) && !PyErr_ExceptionMatches(PyExc_TypeError)) {
        return NULL;
    }
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyObject *arguments = PyTuple_New(count);
    for (Py_ssize_t k = 0; arguments != NULL && k < count; k++) {
        PyTuple_SetItem(arguments, k, new_reference(args[k]));
    }
    PyObject *fitting = arguments == NULL ? NULL : PyObject_CallMethod(operator, "refuse_misfits", "(O)", arguments);
    Py_XDECREF(arguments);
    if (fitting == NULL) {
        Py_XDECREF(type);
        Py_XDECREF(error);
        Py_XDECREF(traceback);
        return NULL;
    }
    Py_DECREF(fitting);
    PyErr_Restore(type, error, traceback);
    return NULL;
}

/* OpOverload.__call__: straight to its shortcut. */
PyObject *call_operator(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    const Py_ssize_t given = (Py_ssize_t)(count & ~OFFSET_BIT);
    if (given >= 1 && names == NULL && PyType_IsSubtype(Py_TYPE(args[0]), (PyTypeObject *)house.op_overload)) {
        PyObject *arity = SLOT(args[0], house.arity), *fast = SLOT(args[0], house.fast);
        if (arity != NULL && fast != NULL && fast != Py_None && PyLong_AsLong(arity) == given - 1) {
            PyObject *result = call_overload(args[0], args + 1, (size_t)(given - 1));
            return result == NULL ? refuse_misfits(args[0], args + 1, given - 1) : result;
        }
    }
    return elsewhere(self->python, args, count, names);
}

enum { HAS_DIMENSIONS, FITS_INT64, ALL_TENSORS, ALL_INTEGERS }; /* argument_parser.py */

/* Is the argument as the guard wants it? */
static int holds(long guard, PyObject *value) {
    if (guard == HAS_DIMENSIONS) {
        PyObject *spec = SLOT(value, house.spec);
        return spec != NULL && PyTuple_Size(SLOT(spec, house.sizes)) > 0;
    }
    if (guard == FITS_INT64) {
        int overflow = 0;
        PyLong_AsLongLongAndOverflow(value, &overflow);
        return overflow == 0;
    }
    const int is_tuple = PyTuple_CheckExact(value);
    const Py_ssize_t length = is_tuple ? PyTuple_Size(value) : PyList_Size(value);
    for (Py_ssize_t k = 0; k < length; k++) {
        PyObject *each = is_tuple ? PyTuple_GetItem(value, k) : PyList_GetItem(value, k);
        if (guard == ALL_TENSORS ? !is_tensor(each) : !PyLong_CheckExact(each)) {
            return 0;
        }
    }
    return length > 0;
}

/* What ``known`` of bind.py has where; the last of a call with keywords alone. */
enum {
    KNOWN_OPERATOR, KNOWN_RETURN_TYPE, KNOWN_SINGLES, KNOWN_TAIL, KNOWN_GUARDS, KNOWN_PACKED, KNOWN_ORDER, KNOWN_LENGTH
};

/* The results as the type that has names for them; takes the reference. */
static PyObject *with_names(PyObject *result, PyObject *kind) {
    if (result == NULL || kind == Py_None) {
        return result;
    }
    PyObject *arguments = PySequence_Tuple(result);
    Py_DECREF(result);
    result = arguments == NULL ? NULL : PyObject_CallObject(kind, arguments);
    Py_XDECREF(arguments);
    return result;
}

/* The list of `length` that a number stands for. */
static PyObject *list_of(PyObject *number, PyObject *length) {
    const Py_ssize_t count = PyLong_AsSsize_t(length);
    PyObject *list = PyTuple_New(count);
    for (Py_ssize_t k = 0; list != NULL && k < count; k++) {
        PyTuple_SetItem(list, k, new_reference(number));
    }
    return list;
}

/* Calls an overload for what is known of a call, and gives back the lists that were made for it, of which one may be
 * missing for want of memory. */
static PyObject *call_known(PyObject *found, PyObject *const *all, Py_ssize_t total, PyObject *const *lists,
                            Py_ssize_t list_count) {
    PyObject *result = NULL;
    if (list_count == 0 || lists[list_count - 1] != NULL) {
        Py_INCREF(found);
        result = with_names(call_overload(PyTuple_GetItem(found, KNOWN_OPERATOR), all, (size_t)total),
                            PyTuple_GetItem(found, KNOWN_RETURN_TYPE));
        Py_DECREF(found);
    }
    for (Py_ssize_t k = 0; k < list_count; k++) {
        Py_XDECREF(lists[k]);
    }
    return result;
}

/* A call whose last arguments are given by keyword. */
static PyObject *call_with_keywords(Shortcut *self, PyObject *const *args, size_t count, PyObject *names) {
    const Py_ssize_t given = (Py_ssize_t)(count & ~OFFSET_BIT) + PyTuple_Size(names);
    PyObject *key = given > MOST_ARGUMENTS ? NULL : PyTuple_New(given + 1);
    for (Py_ssize_t k = 0; key != NULL && k < given; k++) {
        PyTuple_SetItem(key, k, new_reference((PyObject *)Py_TYPE(args[k])));
    }
    PyObject *found = NULL;
    if (key != NULL) {
        PyTuple_SetItem(key, given, new_reference(names));
        found = find(self->plans, key);
        Py_DECREF(key);
    }
    forget_error();
    if (found == NULL || PyTuple_Size(found) != KNOWN_LENGTH) {
        return elsewhere(self->rest, args, count, names);
    }
    PyObject *singles = PyTuple_GetItem(found, KNOWN_SINGLES), *tail = PyTuple_GetItem(found, KNOWN_TAIL);
    PyObject *guards = PyTuple_GetItem(found, KNOWN_GUARDS), *order = PyTuple_GetItem(found, KNOWN_ORDER);
    const Py_ssize_t total = PyTuple_Size(order);
    if (total > MOST_ARGUMENTS) {
        return elsewhere(self->rest, args, count, names);
    }
    for (Py_ssize_t k = 0; k < PyTuple_Size(guards); k += 2) {
        if (!holds(PyLong_AsLong(PyTuple_GetItem(guards, k + 1)),
                   args[PyLong_AsSsize_t(PyTuple_GetItem(guards, k))])) {
            return elsewhere(self->rest, args, count, names);
        }
    }
    PyObject *all[MOST_ARGUMENTS], *lists[MOST_ARGUMENTS];
    Py_ssize_t list_count = 0;
    for (Py_ssize_t k = 0; k < total && (list_count == 0 || lists[list_count - 1] != NULL); k++) {
        PyObject *place = PyTuple_GetItem(order, k);
        const Py_ssize_t index = PyLong_AsSsize_t(place);
        all[k] = index < 0 ? PyTuple_GetItem(tail, k) : args[index];
        PyObject *length = index < 0 || PyDict_Size(singles) == 0 ? NULL : PyDict_GetItemWithError(singles, place);
        if (length != NULL) {
            all[k] = lists[list_count++] = list_of(args[index], length);
        }
    }
    return call_known(found, all, total, lists, list_count);
}

/* A function or method of the face, whose overload the types of the arguments say (bind.py, ``known``). */
PyObject *call_function(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    const Py_ssize_t given = (Py_ssize_t)(count & ~OFFSET_BIT);
    if (names != NULL) {
        return call_with_keywords(self, args, count, names);
    }
    if (given > MOST_ARGUMENTS) {
        return elsewhere(self->rest, args, count, names);
    }
    PyObject *types = PyTuple_New(given);
    if (types == NULL) {
        return NULL;
    }
    for (Py_ssize_t k = 0; k < given; k++) {
        PyTuple_SetItem(types, k, new_reference((PyObject *)Py_TYPE(args[k])));
    }
    PyObject *found = find(self->plans, types);
    Py_DECREF(types);
    if (found == NULL) {
        return PYTHON;
    }
    PyObject *singles = PyTuple_GetItem(found, KNOWN_SINGLES), *tail = PyTuple_GetItem(found, KNOWN_TAIL);
    PyObject *guards = PyTuple_GetItem(found, KNOWN_GUARDS);
    const Py_ssize_t left = PyTuple_Size(tail);
    /* ints that stand for a list, or -1 */
    const Py_ssize_t packed = PyLong_AsSsize_t(PyTuple_GetItem(found, KNOWN_PACKED));
    const Py_ssize_t own = packed < 0 ? given : packed + 1;
    if (own + left > MOST_ARGUMENTS) {
        return PYTHON;
    }
    for (Py_ssize_t k = 0; k < PyTuple_Size(guards); k += 2) {
        if (!holds(PyLong_AsLong(PyTuple_GetItem(guards, k + 1)),
                   args[PyLong_AsSsize_t(PyTuple_GetItem(guards, k))])) {
            return PYTHON;
        }
    }
    PyObject *all[MOST_ARGUMENTS], *lists[MOST_ARGUMENTS];
    Py_ssize_t list_count = 0;
    for (Py_ssize_t k = 0; k < own; k++) {
        all[k] = args[k];
    }
    if (packed >= 0) {
        PyObject *list = PyTuple_New(given - packed);
        for (Py_ssize_t k = 0; list != NULL && k < given - packed; k++) {
            PyTuple_SetItem(list, k, new_reference(args[packed + k]));
        }
        all[packed] = lists[list_count++] = list;
    } else {
        PyObject *index, *length;
        Py_ssize_t position = 0;
        while (PyDict_Next(singles, &position, &index, &length)
               && (list_count == 0 || lists[list_count - 1] != NULL)) {
            const Py_ssize_t k = PyLong_AsSsize_t(index);
            all[k] = lists[list_count++] = list_of(args[k], length);
        }
    }
    for (Py_ssize_t k = 0; k < left; k++) {
        all[own + k] = PyTuple_GetItem(tail, k);
    }
    return call_known(found, all, own + left, lists, list_count);
}
