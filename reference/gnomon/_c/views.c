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
        if (count == 1 && (PyTuple_CheckExact(args[0]) || PyList_CheckExact(args[0]))) {
            PyObject *key = PySequence_Tuple(args[0]); /* a tuple is its own */
            for (Py_ssize_t k = 0; key != NULL && k < PyTuple_Size(key); k++) {
                if (!PyLong_CheckExact(PyTuple_GetItem(key, k))) {
                    Py_CLEAR(key);
                }
            }
            return key;
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

/* What views are taken of: a tensor's storage and counter, its base, and how its views came to be. */
typedef struct Source {
    PyObject *tensor, *storage, *counter, *base, *creation; /* no base: autograd doesn't follow what is shown */
    int is_recorded;
} Source;

/* Look at ``a`` for a call with these keys; ``creation`` is what its views are where they are recorded, or could be.
 * 1, 0 where Python has to make the view, or -1 with an exception.  All that is found is borrowed from ``a``. */
static int look_at(PyObject *a, long keys, PyObject *creation, Source *source) {
    const int is_unrecorded = keys == house.no_grad || keys == house.no_grad_on_variables;
    source->is_recorded = keys == house.recorded;
    if ((!source->is_recorded && !is_unrecorded && keys != house.plain) || is_watched()) {
        return 0;
    }
    PyObject *view_of = SLOT(a, house.view_of);
    source->tensor = source->base = a;
    source->creation = is_unrecorded ? house.no_grad_mode : creation;
    if (view_of != Py_None) {
        source->base = PyTuple_GetItem(view_of, 0);
        if (source->creation == house.zero) {
            source->creation = PyTuple_GetItem(view_of, 2);
        }
    }
    if (SLOT(a, house.storage) == Py_None) {
        PyObject *made = PyObject_CallFunctionObjArgs(house.untyped_storage, a, NULL);
        if (made == NULL) {
            return -1;
        }
        Py_DECREF(made); /* the tensor has it */
    }
    source->storage = SLOT(a, house.storage);
    source->counter = version_counter(a);
    return source->counter == NULL ? -1 : 1;
}

/* A view of the source, without a Node; NULL with an exception. */
static PyObject *show(const Source *source, PyObject *view_spec, PyObject *offset, double nbytes) {
    PyObject *output = PyType_GenericAlloc(house.tensor, 0);
    if (output == NULL) {
        return NULL;
    }
    const double address = address_of(source->tensor);
    SLOT(output, house.spec) = new_reference(view_spec);
    SLOT(output, house.storage) = new_reference(source->storage);
    SLOT(output, house.storage_offset) = PyNumber_Add(SLOT(source->tensor, house.storage_offset), offset);
    SLOT(output, house.address) =
        address != 0 ? PyFloat_FromDouble(address + nbytes) : new_reference(house.zero_address);
    SLOT(output, house.autograd_meta) = new_reference(Py_None);
    SLOT(output, house.version) = new_reference(source->counter);
    SLOT(output, house.gradient_edge) = new_reference(Py_None);
    SLOT(output, house.keys) = new_reference(house.tensor_keys_object);
    PyObject *origin = source->base == NULL ? new_reference(Py_None) : PyTuple_New(3);
    if (origin == NULL || SLOT(output, house.storage_offset) == NULL || SLOT(output, house.address) == NULL) {
        Py_XDECREF(origin);
        goto failed;
    }
    if (source->base == NULL) {
        SLOT(output, house.view_of) = origin;
        return output;
    }
    PyTuple_SetItem(origin, 0, new_reference(source->base));
    PyTuple_SetItem(origin, 1, new_reference(SLOT(source->counter, house.value)));
    PyTuple_SetItem(origin, 2, new_reference(source->creation));
    SLOT(output, house.view_of) = origin;
    if (source->is_recorded) {
        return output;
    }
    if (!(keys_of(source->base) & house.autograd)) {
        if (add_view(source->counter, output) < 0) {
            goto failed;
        }
        return output;
    }
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
    return output;
failed:
    Py_DECREF(output);
    return NULL;
}

/* The view that ``plan`` says, and its Node where it is recorded; NULL and no exception where Python has to make it. */
static PyObject *make_view(PyObject *plan, PyObject *a) {
    Source source;
    PyObject *node_class = SLOT(plan, house.plan_node_class);
    const long keys = keys_of(a) | read_mode_word();
    if ((keys == house.recorded && node_class == Py_None) || look_at(a, keys, house.zero, &source) <= 0) {
        return NULL;
    }
    PyObject *output = show(&source, SLOT(plan, house.plan_spec), SLOT(plan, house.plan_offset),
                            PyFloat_AsDouble(SLOT(plan, house.plan_nbytes)));
    if (output == NULL || !source.is_recorded) {
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
        forget_error();
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

/* The plan of x[index], borrowed; NULL, without an exception, where there is none. */
static PyObject *plan_of_index(PyObject *plans, PyObject *a, PyObject *index) {
    PyObject *row = find(plans, SLOT(a, house.spec));
    PyObject *key = row == NULL ? NULL : view_key(KEY_INDEX, &index, 1);
    PyObject *plan = key == NULL ? NULL : find(row, key);
    Py_XDECREF(key);
    forget_error();
    return plan;
}

/* x[index] = value, by ``function``, which is (fill_, copy_): the view, and what writes to it. */
PyObject *call_setitem(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    if ((count & ~OFFSET_BIT) != 3 || names != NULL) {
        return elsewhere(self->rest, args, count, names);
    }
    PyObject *a = args[0], *value = args[2];
    double number;
    if (spec_of(a) == NULL) {
        return PYTHON;
    }
    const int is_number = as_number(value, &number);
    PyObject *value_spec = is_number ? NULL : spec_of(value);
    if (!is_number && value_spec == NULL) {
        return PYTHON;
    }
    const long keys = keys_of(a) | (is_number ? 0 : keys_of(value)) | read_mode_word();
    if (keys != house.plain && keys != house.no_grad && keys != house.no_grad_on_variables) {
        return PYTHON;
    }
    PyObject *plan = plan_of_index(self->plans, a, args[1]);
    if (plan == NULL || SLOT(plan, house.plan_overlap) != Py_False) {
        return PYTHON;
    }
    if (!is_number) {
        PyObject *sizes = SLOT(SLOT(plan, house.plan_spec), house.sizes);
        const int fits = PyObject_RichCompareBool(sizes, SLOT(value_spec, house.sizes), Py_EQ);
        if (fits <= 0) {
            return fits < 0 ? NULL : PYTHON;
        }
    }
    Py_INCREF(plan); /* what is allocated may run the garbage collector, and that anything */
    PyObject *view = make_view(plan, a);
    Py_DECREF(plan);
    if (view == NULL) {
        return PyErr_Occurred() ? NULL : PYTHON;
    }
    PyObject *const arguments[] = {view, value, Py_False};
    PyObject *done = call_overload(PyTuple_GetItem(self->function, is_number ? 0 : 1), arguments, is_number ? 2 : 3);
    Py_DECREF(view);
    if (done == NULL) {
        if (!is_number || !PyErr_ExceptionMatches(PyExc_RuntimeError)) {
            return NULL;
        }
        forget_error(); /* a number that does not fit: the readable way says so */
        return elsewhere(self->rest, args, count, NULL);
    }
    Py_DECREF(done);
    return new_reference(Py_None);
}

/* ---- operators that make views, one or several ----------------------------------------------------------------- */

#define MOST_PIECES 62 /* those that are recorded are bits of a number */

/* What the plan of a call is found by; a new reference, NULL, perhaps with an exception, where it has none. */
static PyObject *key_of_operator(Shortcut *self, PyObject *const *args) {
    PyObject *spec = spec_of(args[0]);
    if (spec == NULL || self->arity == 1) { /* as in Python: a key of one part is that part */
        Py_XINCREF(spec);
        return spec;
    }
    PyObject *key = PyTuple_New(2 * self->arity - 1);
    if (key != NULL) {
        PyTuple_SetItem(key, 0, new_reference(spec));
        for (Py_ssize_t k = 1; k < self->arity; k++) {
            PyTuple_SetItem(key, 2 * k - 1, new_reference(args[k]));
            PyTuple_SetItem(key, 2 * k, new_reference((PyObject *)Py_TYPE(args[k])));
        }
    }
    return key;
}

/* The plan of such a call, and what its views are taken of; a new reference, NULL (perhaps with an exception) where
 * Python has to make them. */
static PyObject *plan_of_views(Shortcut *self, PyObject *const *args, PyObject *creation, Source *source) {
    PyObject *key = key_of_operator(self, args);
    PyObject *plan = key == NULL ? NULL : find(self->plans, key);
    Py_XDECREF(key);
    if (plan == NULL) {
        return NULL;
    }
    const long keys = keys_of(args[0]) | read_mode_word();
    if (keys == house.recorded && self->refuses_recording) {
        return NULL;
    }
    Py_INCREF(plan); /* what is allocated may run the garbage collector, and that anything */
    if (look_at(args[0], keys, creation, source) <= 0) {
        Py_DECREF(plan);
        return NULL;
    }
    return plan;
}

PyObject *call_pieces(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    if ((Py_ssize_t)(count & ~OFFSET_BIT) != self->arity || names != NULL) {
        return elsewhere(self->rest, args, count, names);
    }
    Source source;
    PyObject *outputs[MOST_PIECES], *plan = plan_of_views(self, args, house.multi_output, &source);
    if (plan == NULL) {
        return PyErr_Occurred() ? NULL : PYTHON;
    }
    PyObject *specs = PyTuple_GetItem(plan, 0), *offsets = PyTuple_GetItem(plan, 1), *nbytes = PyTuple_GetItem(plan, 2);
    const Py_ssize_t length = PyTuple_Size(specs);
    if (source.is_recorded && length > MOST_PIECES) {
        Py_DECREF(plan);
        return PYTHON;
    }
    PyObject *result = PyTuple_New(length);
    for (Py_ssize_t k = 0; result != NULL && k < length; k++) {
        PyObject *output = show(&source, PyTuple_GetItem(specs, k), PyTuple_GetItem(offsets, k),
                                PyFloat_AsDouble(PyTuple_GetItem(nbytes, k)));
        if (output == NULL) {
            Py_CLEAR(result);
        } else {
            PyTuple_SetItem(result, k, output);
        }
        if (k < MOST_PIECES) {
            outputs[k] = output;
        }
    }
    if (result != NULL && source.is_recorded && self->recorder != Py_None
        && record(self, args, outputs, length, (1LL << length) - 1, specs) < 0) {
        Py_CLEAR(result);
    }
    Py_DECREF(plan);
    return result;
}

/* An operator that makes one view.  Without a recorder it is detach: autograd does not follow its alias. */
PyObject *call_piece(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    if ((Py_ssize_t)(count & ~OFFSET_BIT) != self->arity || names != NULL) {
        return elsewhere(self->rest, args, count, names);
    }
    Source source;
    PyObject *plan = plan_of_views(self, args, house.zero, &source);
    if (plan == NULL) {
        return PyErr_Occurred() ? NULL : PYTHON;
    }
    if (self->recorder == Py_None) {
        source.base = NULL;
    }
    PyObject *result = show(&source, PyTuple_GetItem(plan, 0), PyTuple_GetItem(plan, 1),
                            PyFloat_AsDouble(PyTuple_GetItem(plan, 3)));
    if (result != NULL && source.is_recorded && self->recorder != Py_None
        && record(self, args, &result, 1, 1, PyTuple_GetItem(plan, 2)) < 0) {
        Py_CLEAR(result);
    }
    Py_DECREF(plan);
    return result;
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
