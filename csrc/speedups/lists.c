/* Loops over lists of tensors (calls/lists.py): what Python reads of each of them. */
#include "speedups.h"

typedef int visit(Tensor *tensor, void *context);

/* Calls `function` with a tensor, or with those of a list or tuple; what is no tensor is left out.  0, or -1 with an
 * exception. */
static int visit_each(PyObject *value, visit *function, void *context) {
    if (is_tensor(value)) {
        return function((Tensor *)value, context);
    }
    if (!PyList_Check(value) && !PyTuple_Check(value)) {
        return 0;
    }
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); i++) {
        PyObject *each = PySequence_Fast_GET_ITEM(value, i);
        if (is_tensor(each) && function((Tensor *)each, context) < 0) {
            return -1;
        }
    }
    return 0;
}

static int add_keys(Tensor *tensor, void *context) {
    *(int64_t *)context |= tensor->keys;
    return 0;
}

/* keys_of(positions, arguments): dispatch/dispatcher.py. */
PyObject *keys_of(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    (void)module;
    if (count != 2 || !PyTuple_Check(args[0]) || !(PyTuple_Check(args[1]) || PyList_Check(args[1]))) {
        PyErr_SetString(PyExc_TypeError, "keys_of: expected positions and arguments");
        return NULL;
    }
    int64_t keys = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args[0]); i++) {
        const Py_ssize_t position = PyLong_AsSsize_t(PyTuple_GET_ITEM(args[0], i));
        if (position < 0 || position >= PySequence_Fast_GET_SIZE(args[1])) {
            PyErr_SetString(PyExc_IndexError, "keys_of: a position is out of range");
            return NULL;
        }
        visit_each(PySequence_Fast_GET_ITEM(args[1], position), add_keys, &keys);
    }
    return PyLong_FromLongLong(keys);
}

/* specs_of_list(tensors): calls/lists.py. */
PyObject *specs_of_list(PyObject *module, PyObject *tensors) {
    (void)module;
    PyObject *fast = PySequence_Fast(tensors, "specs_of_list: expected a list of tensors");
    if (fast == NULL) {
        return NULL;
    }
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(fast);
    PyObject *specs = PyTuple_New(count);
    for (Py_ssize_t i = 0; specs != NULL && i < count; i++) {
        Tensor *tensor = as_tensor(PySequence_Fast_GET_ITEM(fast, i));
        if (tensor == NULL) {
            PyErr_Format(PyExc_AttributeError, "specs_of_list: element %zd is no tensor", i);
            Py_CLEAR(specs);
        } else {
            PyTuple_SET_ITEM(specs, i, new_reference(tensor->spec));
        }
    }
    Py_DECREF(fast);
    return specs;
}

static int add_version(Tensor *tensor, void *context) {
    (void)context;
    if (tensor->version == facts.inference_version) {
        return 0;
    }
    Version *counter = version_counter(tensor);
    if (counter == NULL) {
        return -1;
    }
    counter->value++;
    return 0;
}

/* bump_versions(tensors): autograd/variable_type.py. */
PyObject *bump_versions(PyObject *module, PyObject *tensors) {
    (void)module;
    return visit_each(tensors, add_version, NULL) < 0 ? NULL : new_reference(Py_None);
}

static int find_inference(Tensor *tensor, void *context) {
    *(int *)context |= tensor->version == facts.inference_version;
    return 0;
}

/* any_inference(tensors): autograd/variable_type.py. */
PyObject *any_inference(PyObject *module, PyObject *tensors) {
    (void)module;
    int any = 0;
    visit_each(tensors, find_inference, &any);
    return PyBool_FromLong(any);
}

/* addresses(columns, count) of gnomon_c/backend.py: the addresses of lists of `count` tensors, one list after the other, as doubles; zeros for
 * None. */
PyObject *addresses(PyObject *module, PyObject *const *args, Py_ssize_t given) {
    (void)module;
    const Py_ssize_t count = given == 2 ? PyLong_AsSsize_t(args[1]) : -1;
    if (count < 0 || !PyList_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "addresses: expected a list of columns and their length");
        return NULL;
    }
    const Py_ssize_t columns = PyList_GET_SIZE(args[0]);
    PyObject *made = PyBytes_FromStringAndSize(NULL, columns * count * (Py_ssize_t)sizeof(double));
    if (made == NULL) {
        return NULL;
    }
    double *next = (double *)(void *)PyBytes_AS_STRING(made);
    for (Py_ssize_t k = 0; k < columns; k++, next += count) {
        PyObject *column = PyList_GET_ITEM(args[0], k);
        if (column == Py_None) {
            memset(next, 0, (size_t)count * sizeof *next);
            continue;
        }
        if ((!PyList_Check(column) && !PyTuple_Check(column)) || PySequence_Fast_GET_SIZE(column) != count) {
            PyErr_SetString(PyExc_TypeError, "addresses: expected lists of equal lengths");
            Py_DECREF(made);
            return NULL;
        }
        for (Py_ssize_t i = 0; i < count; i++) {
            Tensor *tensor = as_tensor(PySequence_Fast_GET_ITEM(column, i));
            next[i] = tensor == NULL ? 0 : tensor->address;
            if (isnan(next[i])) {
                raise_freed(tensor);
                Py_DECREF(made);
                return NULL;
            }
        }
    }
    return made;
}
