/* What a call leaves behind: tensors, and the Nodes that turn it round (autograd/variable_type.py). */
#include "house.h"

PyObject *make_tensor(PyObject *spec, double address) {
    PyObject *number = PyFloat_FromDouble(address);
    PyObject *made = number == NULL ? NULL : PyType_GenericAlloc(house.tensor, 0);
    if (made == NULL) {
        Py_XDECREF(number);
        return NULL;
    }
    SLOT(made, house.spec) = new_reference(spec);
    SLOT(made, house.address) = number;
    SLOT(made, house.storage) = new_reference(Py_None);
    SLOT(made, house.storage_offset) = new_reference(house.zero);
    SLOT(made, house.keys) = new_reference(house.tensor_keys_object);
    SLOT(made, house.gradient_edge) = new_reference(Py_None);
    SLOT(made, house.autograd_meta) = new_reference(Py_None);
    SLOT(made, house.version) = new_reference(Py_None);
    SLOT(made, house.view_of) = new_reference(Py_None);
    return made;
}

PyObject *version_counter(PyObject *tensor) {
    PyObject *counter = SLOT(tensor, house.version);
    if (counter == Py_None) {
        counter = PyType_GenericAlloc(house.version_counter, 0);
        if (counter == NULL) {
            return NULL;
        }
        SLOT(counter, house.value) = new_reference(house.zero);
        SLOT(counter, house.views) = new_reference(Py_None);
        fill(tensor, house.version, counter);
    }
    return counter;
}

PyObject *edge_of(PyObject *tensor) {
    PyObject *edge = SLOT(tensor, house.gradient_edge);
    if (SLOT(tensor, house.view_of) == Py_None) {
        if (edge != Py_None) {
            return new_reference(edge);
        }
        PyObject *meta = SLOT(tensor, house.autograd_meta);
        if (meta != Py_None) {
            edge = SLOT(meta, house.accumulator_edge);
            if (edge != NULL && edge != Py_None) {
                PyObject *specs = SLOT(PyTuple_GetItem(edge, 0), house.metadata_specs);
                if (PyTuple_GetItem(specs, 0) == SLOT(tensor, house.spec)) {
                    return new_reference(edge);
                }
            }
        }
    }
    return PyObject_CallFunctionObjArgs(house.gradient_edge_of, tensor, NULL);
}

/* What codes say that a Node keeps: which argument's value, an output, an argument's sizes or spec, a constant. */
enum { KEEP_VALUE, KEEP_OUTPUT, KEEP_SIZES, KEEP_SPEC, KEEP_CONSTANT };

static PyObject *keep(long code, PyObject *const *args, PyObject *const *outputs, PyObject *constants) {
    const long position = code >> 3;
    const long kind = code & 7;
    if (kind == KEEP_CONSTANT) {
        return new_reference(PyTuple_GetItem(constants, position));
    }
    if (kind == KEEP_OUTPUT) {
        PyObject *output = outputs[position];
        if (SLOT(output, house.gradient_edge) == Py_None) {
            return PyObject_CallFunctionObjArgs(house.save, output, NULL);
        }
        return PyWeakref_NewRef(output, NULL); /* what a Node needs of its own outputs, it borrows */
    }
    PyObject *value = args[position];
    if (!is_tensor(value)) {
        if (kind == KEEP_SIZES) {
            PyErr_SetString(PyExc_TypeError, "a formula asks for the sizes of what is no tensor");
            return NULL;
        }
        return new_reference(value);
    }
    if (kind == KEEP_SIZES) {
        return new_reference(SLOT(SLOT(value, house.spec), house.sizes));
    }
    if (kind == KEEP_SPEC) {
        return new_reference(SLOT(value, house.spec));
    }
    if (SLOT(value, house.version) != Py_None) { /* it was written to, or shares its memory */
        return PyObject_CallFunctionObjArgs(house.save, value, NULL);
    }
    return new_reference(value);
}

/* How to record a call whose operands are as ``mask`` says; borrowed, NULL with an exception. */
static PyObject *recipe(Shortcut *self, long long mask, PyObject *const *args) {
    PyObject *key = PyLong_FromLongLong(mask);
    if (self->records == NULL) {
        self->records = PyDict_New();
    }
    PyObject *found = key == NULL || self->records == NULL ? NULL : find(self->records, key);
    if (key != NULL && self->records != NULL && found == NULL) {
        PyObject *arguments = PyTuple_New(self->arity);
        for (Py_ssize_t k = 0; arguments != NULL && k < self->arity; k++) {
            PyTuple_SetItem(arguments, k, new_reference(args[k]));
        }
        found = arguments == NULL ? NULL : PyObject_CallFunctionObjArgs(self->recorder, key, arguments, NULL);
        Py_XDECREF(arguments);
        const int status = found == NULL ? -1 : PyDict_SetItem(self->records, key, found);
        Py_XDECREF(found); /* the dictionary has it */
        found = status < 0 ? NULL : found;
    }
    Py_XDECREF(key);
    return found;
}

int record(Shortcut *self, PyObject *const *args, PyObject *const *outputs, Py_ssize_t output_count, long long recorded,
           PyObject *metadata) {
    long long mask = 0;
    Py_ssize_t edge_count = 0;
    for (Py_ssize_t k = 0; k < self->arity; k++) {
        if (self->tensors >> k & 1) {
            edge_count++;
            if (!is_tensor(args[k])) {
                mask |= 2LL << (2 * k);
            } else if (keys_of(args[k]) & house.autograd) {
                mask |= 1LL << (2 * k);
            }
        }
    }
    PyObject *found = recipe(self, mask, args);
    if (found == NULL) {
        return -1;
    }
    Py_INCREF(found);
    PyObject *codes = PyTuple_GetItem(found, 1), *constants = PyTuple_GetItem(found, 2);
    const Py_ssize_t kept = PyTuple_Size(codes);
    PyObject *node = PyType_GenericAlloc((PyTypeObject *)PyTuple_GetItem(found, 0), 0);
    PyObject *edges = PyTuple_New(edge_count);
    PyObject *saved = PyList_New(kept);
    PyObject *number = PyObject_CallNoArgs(house.next_sequence_number);
    int status = -1;
    if (node == NULL || edges == NULL || saved == NULL || number == NULL) {
        goto done;
    }
    for (Py_ssize_t k = 0, filled = 0; k < self->arity; k++) {
        if (self->tensors >> k & 1) {
            PyObject *next = mask >> (2 * k) & 1 ? edge_of(args[k]) : new_reference(Py_None);
            if (next == NULL) {
                goto done;
            }
            PyTuple_SetItem(edges, filled++, next);
        }
    }
    for (Py_ssize_t k = 0; k < output_count; k++) {
        if (recorded >> k & 1) {
            PyObject *edge = PyTuple_New(2), *position = PyLong_FromSsize_t(k);
            if (edge == NULL || position == NULL) {
                Py_XDECREF(edge);
                Py_XDECREF(position);
                goto done;
            }
            PyTuple_SetItem(edge, 0, new_reference(node));
            PyTuple_SetItem(edge, 1, position);
            fill(outputs[k], house.gradient_edge, edge);
            fill(outputs[k], house.keys, new_reference(house.variable_keys_object));
        }
    }
    for (Py_ssize_t k = 0; k < kept; k++) {
        PyObject *each = keep(PyLong_AsLong(PyTuple_GetItem(codes, k)), args, outputs, constants);
        if (each == NULL) {
            goto done;
        }
        PyList_SetItem(saved, k, each);
    }
    fill(node, house.next_edges, new_reference(edges));
    fill(node, house.sequence_nr, new_reference(number));
    fill(node, house.metadata_specs, new_reference(metadata));
    fill(node, house.saved, new_reference(saved));
    status = 0;
done:
    Py_XDECREF(node);
    Py_XDECREF(edges);
    Py_XDECREF(saved);
    Py_XDECREF(number);
    Py_DECREF(found);
    return status;
}
