/* x[mask] (ops/indexing/index.py, _index_composite): one mask, with few enough elements to count here. */
#include "speedups.h"

#define MOST_COUNTED (1 << 15) /* elements; for more, the backend's kernel counts them, on its threads */

/* Are the mask's sizes the first ones of the tensor?  1, 0, or -1 with an exception. */
static int fits(PyObject *mask, PyObject *tensor) {
    const Py_ssize_t count = PyTuple_GET_SIZE(mask);
    int is_fitting = count > 0 && count <= PyTuple_GET_SIZE(tensor);
    for (Py_ssize_t k = 0; is_fitting > 0 && k < count; k++) {
        is_fitting = PyObject_RichCompareBool(PyTuple_GET_ITEM(mask, k), PyTuple_GET_ITEM(tensor, k), Py_EQ);
    }
    return is_fitting;
}

/* The only index in a list, if it is a mask for the first dimensions of ``self`` whose elements can be counted here;
 * borrowed. Otherwise NULL, perhaps with an exception. */
static Tensor *mask_of(Function *self, Tensor *tensor, PyObject *indices) {
    const int is_tuple = PyTuple_CheckExact(indices);
    if (facts.nonzero_static == NULL || !(is_tuple || PyList_CheckExact(indices))
        || (is_tuple ? PyTuple_GET_SIZE(indices) : PyList_GET_SIZE(indices)) != 1) {
        return NULL;
    }
    Tensor *mask = as_tensor(is_tuple ? PyTuple_GET_ITEM(indices, 0) : PyList_GET_ITEM(indices, 0));
    if (mask == NULL || SLOT(mask->spec, facts.dtype) != facts.bool_dtype
        || SLOT(mask->spec, facts.is_contiguous) != Py_True
        || SLOT(mask->spec, facts.device) != SLOT(tensor->spec, facts.device)
        || PyLong_AsLongLong(SLOT(mask->spec, facts.numel)) > MOST_COUNTED
        || fits(SLOT(mask->spec, facts.sizes), SLOT(tensor->spec, facts.sizes)) <= 0) {
        return NULL;
    }
    return code_of(self, (PyObject *)mask) >= 0 ? mask : NULL;
}

/* Column ``dim`` of the indices that were found. */
static PyObject *column(PyObject *found, Py_ssize_t dim) {
    PyObject *number = PyLong_FromSsize_t(dim), *one = PyLong_FromLong(1);
    PyObject *result = NULL;
    if (number != NULL && one != NULL) {
        PyObject *const arguments[] = {found, one, number};
        result = PyObject_Vectorcall(facts.select, arguments, 3, NULL);
    }
    Py_XDECREF(number);
    Py_XDECREF(one);
    return result;
}

/* The indices of the mask's true elements, one per dimension of the tensor, None for dimensions after the mask's. */
static PyObject *indices_of(const Tensor *mask, Py_ssize_t ndim) {
    const Py_ssize_t dims = PyTuple_GET_SIZE(SLOT(mask->spec, facts.sizes));
    const Py_ssize_t numel = PyLong_AsSsize_t(SLOT(mask->spec, facts.numel));
    const unsigned char *elements = (const unsigned char *)(uintptr_t)mask->address;
    Py_ssize_t count = 0;
    for (Py_ssize_t k = 0; k < numel; k++) {
        count += elements[k] != 0;
    }
    PyObject *rows = PyLong_FromSsize_t(count), *fill_value = PyLong_FromLong(-1), *found = NULL;
    if (rows != NULL && fill_value != NULL) {
        PyObject *const arguments[] = {(PyObject *)mask, rows, fill_value};
        found = PyObject_Vectorcall(facts.nonzero_static, arguments, 3, NULL);
    }
    Py_XDECREF(rows);
    Py_XDECREF(fill_value);
    PyObject *indices = found == NULL ? NULL : PyList_New(ndim);
    for (Py_ssize_t k = 0; indices != NULL && k < ndim; k++) {
        PyObject *each = k < dims ? column(found, k) : new_reference(Py_None);
        if (each == NULL) {
            Py_CLEAR(indices);
        } else {
            PyList_SET_ITEM(indices, k, each);
        }
    }
    Py_XDECREF(found);
    return indices;
}

PyObject *call_mask(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Function *self = (Function *)callable;
    Tensor *tensor = PyVectorcall_NARGS(count) == 2 && names == NULL ? as_tensor(args[0]) : NULL;
    Tensor *mask = tensor == NULL ? NULL : mask_of(self, tensor, args[1]);
    if (mask == NULL) {
        return PyErr_Occurred() != NULL ? NULL : readable(self, args, count, names);
    }
    Py_INCREF(mask);
    PyObject *indices = indices_of(mask, PyTuple_GET_SIZE(SLOT(tensor->spec, facts.sizes)));
    Py_DECREF(mask);
    PyObject *result = NULL;
    if (indices != NULL) {
        PyObject *const arguments[] = {(PyObject *)tensor, indices};
        result = PyObject_Vectorcall(facts.index, arguments, 2, NULL);
    }
    Py_XDECREF(indices);
    return result;
}
