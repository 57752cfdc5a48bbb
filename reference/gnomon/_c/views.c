/* Shortcuts of views (fast_views.py); item, and the end of a tensor. */
#include "house.h"

enum { KEY_INTEGERS, KEY_SIZES, KEY_INDEX };

static PyObject *tuple_of_integers(PyObject *const *items, Py_ssize_t count) {
    for (Py_ssize_t k = 0; k < count; k++) {
        if (!PyLong_CheckExact(items[k])) {
            return NULL; /* True and 1.0 are equal to 1, and no dimensions */
        }
    }
    PyObject *key = PyTuple_New(count);
    for (Py_ssize_t k = 0; key != NULL && k < count; k++) {
        PyTuple_SetItem(key, k, new_reference(items[k]));
    }
    return key;
}

static PyObject *slice_key(PyObject *index) {
    PyObject *key = PyTuple_New(4);
    if (key == NULL) {
        return NULL;
    }
    PyTuple_SetItem(key, 0, new_reference(house.word_slice));
    PyObject *const names[] = {house.start, house.stop, house.step};
    for (int k = 0; k < 3; k++) {
        PyObject *each = PyObject_GetAttr(index, names[k]);
        if (each == NULL || (each != Py_None && !PyLong_CheckExact(each))) {
            Py_XDECREF(each);
            Py_DECREF(key);
            return NULL;
        }
        PyTuple_SetItem(key, k + 1, each);
    }
    return key;
}

/* What fast_views.py's plans are found by; NULL for other arguments. */
static PyObject *view_key(int kind, PyObject *const *args, Py_ssize_t count) {
    if (kind == KEY_INTEGERS) {
        return tuple_of_integers(args, count);
    }
    if (kind == KEY_SIZES) {
        if (count == 1 && PyTuple_CheckExact(args[0])) {
            for (Py_ssize_t k = 0; k < PyTuple_Size(args[0]); k++) {
                if (!PyLong_CheckExact(PyTuple_GetItem(args[0], k))) {
                    return NULL;
                }
            }
            return new_reference(args[0]);
        }
        return tuple_of_integers(args, count);
    }
    if (count != 1) {
        return NULL;
    }
    PyObject *index = args[0];
    if (PyLong_CheckExact(index)) {
        return new_reference(index);
    }
    if (PySlice_Check(index)) {
        return slice_key(index);
    }
    if (!PyTuple_CheckExact(index)) {
        return NULL;
    }
    const Py_ssize_t length = PyTuple_Size(index);
    PyObject *key = PyTuple_New(length + 1);
    if (key == NULL) {
        return NULL;
    }
    PyTuple_SetItem(key, 0, new_reference(house.zero)); /* a tuple that no slice's key is equal to */
    for (Py_ssize_t k = 0; k < length; k++) {
        PyObject *each = PyTuple_GetItem(index, k), *part = NULL;
        if (PyLong_CheckExact(each) || each == Py_None || each == Py_Ellipsis) {
            part = new_reference(each);
        } else if (PySlice_Check(each)) {
            part = slice_key(each);
        }
        if (part == NULL) {
            Py_DECREF(key);
            return NULL;
        }
        PyTuple_SetItem(key, k + 1, part);
    }
    return key;
}

/* Keep ``view`` in mind at the counter (VersionCounter.add_view).  0, or -1 with an exception. */
static int add_view(PyObject *counter, PyObject *view) {
    PyObject *views = SLOT(counter, house.views);
    PyObject *reference = PyWeakref_NewRef(view, NULL);
    if (reference == NULL) {
        return -1;
    }
    int status = 0;
    if (views == NULL || views == Py_None) {
        views = PyList_New(1);
        if (views == NULL) {
            Py_DECREF(reference);
            return -1;
        }
        PyList_SetItem(views, 0, reference);
        fill(counter, house.views, views);
        return 0;
    }
    const Py_ssize_t length = PyList_Size(views) + 1;
    if (length >= 32 && !(length & (length - 1))) { /* those that were freed are forgotten: Python's business */
        PyObject *done = PyObject_CallMethod(counter, "add_view", "O", view);
        status = done == NULL ? -1 : 0;
        Py_XDECREF(done);
    } else {
        status = PyList_Append(views, reference);
    }
    Py_DECREF(reference);
    return status;
}

/* The view that ``plan`` says, and its Node where it is recorded; NULL and no exception where Python has to make it. */
static PyObject *make_view(PyObject *plan, PyObject *a) {
    const long keys = keys_of(a) | read_mode_word();
    const int is_recorded = keys == house.recorded;
    const int is_unrecorded = keys == house.no_grad || keys == house.no_grad_on_variables;
    if ((!is_recorded && !is_unrecorded && keys != house.plain) || is_watched()) {
        return NULL;
    }
    PyObject *node_class = SLOT(plan, house.plan_node_class);
    PyObject *storage = SLOT(a, house.storage), *view_of = SLOT(a, house.view_of), *base = a;
    PyObject *creation = is_unrecorded ? house.no_grad_mode : house.zero;
    if (is_recorded && node_class == Py_None) {
        return NULL;
    }
    if (view_of != Py_None) {
        base = PyTuple_GetItem(view_of, 0);
        if (!is_unrecorded) {
            creation = PyTuple_GetItem(view_of, 2);
        }
    }
    if (storage == Py_None) {
        PyObject *made = PyObject_CallFunctionObjArgs(house.untyped_storage, a, NULL);
        if (made == NULL) {
            return NULL;
        }
        Py_DECREF(made); /* the tensor has it */
        storage = SLOT(a, house.storage);
    }
    PyObject *counter = version_counter(a);
    if (counter == NULL) {
        return NULL;
    }
    PyObject *view_spec = SLOT(plan, house.plan_spec);
    PyObject *output = PyType_GenericAlloc(house.tensor, 0);
    if (output == NULL) {
        return NULL;
    }
    const double address = PyFloat_AsDouble(SLOT(a, house.address));
    SLOT(output, house.spec) = new_reference(view_spec);
    SLOT(output, house.storage) = new_reference(storage);
    SLOT(output, house.storage_offset) = PyNumber_Add(SLOT(a, house.storage_offset), SLOT(plan, house.plan_offset));
    SLOT(output, house.address) =
        address != 0 ? PyFloat_FromDouble(address + PyFloat_AsDouble(SLOT(plan, house.plan_nbytes)))
                     : new_reference(house.zero_address);
    SLOT(output, house.autograd_meta) = new_reference(Py_None);
    SLOT(output, house.version) = new_reference(counter);
    SLOT(output, house.gradient_edge) = new_reference(Py_None);
    SLOT(output, house.keys) = new_reference(house.tensor_keys_object);
    PyObject *origin = PyTuple_New(3);
    if (origin == NULL || SLOT(output, house.storage_offset) == NULL || SLOT(output, house.address) == NULL) {
        Py_XDECREF(origin);
        goto failed;
    }
    PyTuple_SetItem(origin, 0, new_reference(base));
    PyTuple_SetItem(origin, 1, new_reference(SLOT(counter, house.value)));
    PyTuple_SetItem(origin, 2, new_reference(creation));
    SLOT(output, house.view_of) = origin;
    if (!is_recorded) {
        if (keys_of(base) & house.autograd) {
            PyObject *dtype = PyObject_GetAttr(view_spec, house.dtype);
            PyObject *category = dtype == NULL ? NULL : PyObject_GetAttr(dtype, house.category);
            Py_XDECREF(dtype);
            if (category == NULL) {
                goto failed;
            }
            if (PyLong_AsLong(category) >= 2) {
                fill(output, house.keys, new_reference(house.variable_keys_object));
            }
            Py_DECREF(category);
        } else if (add_view(counter, output) < 0) {
            goto failed;
        }
        return output;
    }
    PyObject *edge = edge_of(a);
    if (edge == NULL) {
        goto failed;
    }
    PyObject *node = PyType_GenericAlloc((PyTypeObject *)node_class, 0);
    PyObject *edges = PyTuple_New(1);
    PyObject *number = PyObject_CallNoArgs(house.next_sequence_number);
    PyObject *own = PyTuple_New(2);
    if (node == NULL || edges == NULL || number == NULL || own == NULL) {
        Py_XDECREF(node);
        Py_XDECREF(edges);
        Py_XDECREF(number);
        Py_XDECREF(own);
        Py_DECREF(edge);
        goto failed;
    }
    PyTuple_SetItem(edges, 0, edge);
    SLOT(node, house.next_edges) = edges;
    SLOT(node, house.sequence_nr) = number;
    SLOT(node, house.metadata_specs) = new_reference(SLOT(plan, house.plan_metadata));
    SLOT(node, house.saved) = new_reference(SLOT(plan, house.plan_saved));
    PyTuple_SetItem(own, 0, node);
    PyTuple_SetItem(own, 1, new_reference(house.zero));
    fill(output, house.gradient_edge, own);
    fill(output, house.keys, new_reference(house.variable_keys_object));
    return output;
failed:
    Py_DECREF(output);
    return NULL;
}

PyObject *call_view(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    const Py_ssize_t given = (Py_ssize_t)(count & ~OFFSET_BIT);
    if (given < 1 || names != NULL) {
        return elsewhere(self->rest, args, count, names);
    }
    PyObject *a = args[0], *spec = spec_of(a);
    if (spec == NULL) {
        return PYTHON;
    }
    PyObject *row = find(self->plans, spec);
    if (row == NULL) {
        return PYTHON;
    }
    PyObject *key = view_key(self->kind, args + 1, given - 1);
    if (key == NULL) {
        PyErr_Clear();
        return PYTHON;
    }
    PyObject *plan = find(row, key);
    Py_DECREF(key);
    if (plan == NULL) {
        return PYTHON;
    }
    Py_INCREF(plan); /* what is allocated may run the garbage collector, and that anything */
    PyObject *result = make_view(plan, a);
    Py_DECREF(plan);
    return result != NULL || PyErr_Occurred() ? result : PYTHON;
}

PyObject *call_item(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    if ((count & ~OFFSET_BIT) != 1 || names != NULL) {
        return elsewhere(self->rest, args, count, names);
    }
    PyObject *a = args[0], *spec = spec_of(a);
    if (spec == NULL) {
        return PYTHON;
    }
    PyObject *plan = find(self->plans, spec);
    if (plan == NULL) {
        return PYTHON;
    }
    const long keys = (keys_of(a) | read_mode_word()) & ~(house.autograd | house.grad_mode);
    if (keys != house.tensor_keys || is_watched()) {
        return PYTHON;
    }
    PyObject *const arguments[] = {SLOT(a, house.address), PyTuple_GetItem(plan, 1)};
    return PyObject_Vectorcall(PyTuple_GetItem(plan, 0), arguments, 2, NULL);
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
        PyObject *borrows = PyObject_GetAttr(PyTuple_GetItem(edge, 0), house.borrows_outputs);
        if (borrows == NULL) {
            PyErr_Clear();
            return PYTHON;
        }
        Py_DECREF(borrows);
        if (borrows != Py_False) {
            return PYTHON;
        }
    }
    if (storage != Py_None) {
        return new_reference(Py_None);
    }
    PyObject *free = SLOT(SLOT(a, house.spec), house.free);
    return free == NULL || free == Py_None ? PYTHON : PyObject_Vectorcall(free, &SLOT(a, house.address), 1, NULL);
}

