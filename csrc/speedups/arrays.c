/* Memory that tensors share with arrays of NumPy (bindings/creation.py's from_numpy, Tensor.numpy).
 *
 * Which spec an array has, or which array a spec, is what Python found for the first one with the same sizes, strides
 * and dtype. NumPy's headers are not needed: an array is read by the buffer protocol, and made by calling its type.
 */
#include "speedups.h"

#define LONGEST_FORMAT 7 /* characters, which fit a word */

/* The key of a writable array: its type, and its buffer's format, sizes and strides. 0 if it has none. */
static int make_array_key(PyObject *array, const Py_buffer *view, Key *key) {
    const char *format = view->format == NULL ? "B" : view->format;
    const size_t length = strlen(format);
    if (view->readonly || length > LONGEST_FORMAT) {
        return 0;
    }
    uint64_t word = 0;
    memcpy(&word, format, length);
    begin_key(key);
    int is_known = add_identity(key, Py_TYPE(array)) && add_word(key, word) && add_word(key, (uint64_t)view->itemsize)
                   && add_word(key, (uint64_t)view->ndim) && add_device(key, Py_None);
    for (int k = 0; is_known && k < view->ndim; k++) {
        is_known = add_word(key, (uint64_t)view->shape[k]) && add_word(key, (uint64_t)view->strides[k]);
    }
    return is_known;
}

static PyObject *list_of(PyObject *object) {
    PyObject *list = PyList_New(1);
    if (list != NULL) {
        PyList_SET_ITEM(list, 0, new_reference(object));
    }
    return list;
}

/* from_numpy(array). The function's extra is learning.py's spec_of_array(array, tensor). */
PyObject *call_from_numpy(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Function *self = (Function *)callable;
    if (facts.learn == NULL || names != NULL || PyVectorcall_NARGS(count) != 1 || !PyObject_CheckBuffer(args[0])
        || !is_simple(read_mode_word() | KEY_TENSOR_KEYS)) {
        return readable(self, args, count, names);
    }
    PyObject *owner = PyMemoryView_FromObject(args[0]);
    Key key;
    if (owner == NULL || !make_array_key(args[0], PyMemoryView_GET_BUFFER(owner), &key)) {
        Py_XDECREF(owner);
        forget_error();
        return readable(self, args, count, names);
    }
    Row *row = find_row(&self->calls, &key);
    PyObject *result;
    if (row != NULL && row->found != Py_None) {
        PyObject *spec = new_reference(row->found); /* allocation may run the garbage collector, and so arbitrary code */
        result = (PyObject *)make_shared(spec, (double)(uintptr_t)PyMemoryView_GET_BUFFER(owner)->buf, owner);
        Py_DECREF(spec);
    } else {
        result = readable(self, args, count, names);
        PyObject *spec = NULL;
        if (row == NULL && result != NULL) {
            spec = PyObject_CallFunctionObjArgs(self->extra, args[0], result, NULL);
            if (spec == NULL || keep_row(&self->calls, &key, list_of((PyObject *)Py_TYPE(args[0])), spec) < 0) {
                Py_CLEAR(result);
            }
        }
        Py_XDECREF(spec);
    }
    Py_DECREF(owner);
    return result;
}

/* What learning.py's array_of_spec returns: arguments of numpy.ndarray, and the type. */
enum { ARRAY_TYPE, ARRAY_SIZES, ARRAY_DTYPE, ARRAY_STRIDES, ARRAY_NBYTES };

/* Does the storage have these bytes from the tensor's first element on? It may have been made smaller. */
static int has_bytes(PyObject *storage, const Tensor *tensor, Py_ssize_t nbytes) {
    static PyObject *name_capacity;
    PyObject *capacity = attribute_of(storage, &name_capacity, "_capacity");
    const double there = capacity == NULL ? -1 : PyLong_AsDouble(capacity);
    Py_XDECREF(capacity);
    return there >= begin_of(tensor, tensor->spec) + (double)nbytes;
}

/* The array on a tensor's memory, which is kept as long as the array; NULL if that is too small, or with an exception. */
static PyObject *array_on(Tensor *tensor, PyObject *plan) {
    static PyObject *name_keep_size, *name_memory;
    const Py_ssize_t nbytes = PyLong_AsSsize_t(PyTuple_GET_ITEM(plan, ARRAY_NBYTES));
    PyObject *storage = storage_of(tensor);
    if (storage == NULL || !has_bytes(storage, tensor, nbytes)) {
        return NULL;
    }
    Py_INCREF(storage);
    PyObject *keep = attribute_of(storage, &name_keep_size, "keep_size");
    PyObject *kept = keep == NULL ? NULL : PyObject_CallNoArgs(keep);
    PyObject *memory = kept == NULL ? NULL : attribute_of(storage, &name_memory, "memory");
    PyObject *bytes = NULL, *array = NULL;
    if (memory != NULL) {
        bytes = bytes_at((void *)(uintptr_t)tensor->address, nbytes, memory);
    }
    if (bytes != NULL) {
        PyObject *zero = PyLong_FromLong(0);
        PyObject *given[] = {NULL, PyTuple_GET_ITEM(plan, ARRAY_SIZES), PyTuple_GET_ITEM(plan, ARRAY_DTYPE), bytes, zero,
                             PyTuple_GET_ITEM(plan, ARRAY_STRIDES)};
        if (zero != NULL) {
            array = PyObject_Vectorcall(PyTuple_GET_ITEM(plan, ARRAY_TYPE), given + 1,
                                        5 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
        }
        Py_XDECREF(zero);
    }
    Py_XDECREF(bytes);
    Py_XDECREF(memory);
    Py_XDECREF(kept);
    Py_XDECREF(keep);
    Py_DECREF(storage);
    return array;
}

/* Tensor.numpy(). The function's extra is learning.py's array_of_spec(tensor). */
PyObject *call_numpy(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Function *self = (Function *)callable;
    Tensor *tensor = names == NULL && PyVectorcall_NARGS(count) == 1 ? as_tensor(args[0]) : NULL;
    Key key;
    begin_key(&key);
    if (facts.learn == NULL || tensor == NULL || !(tensor->address > 0) || (tensor->keys & KEY_AUTOGRAD) != 0
        || !is_simple(tensor->keys | read_mode_word()) || !add_identity(&key, tensor->spec)) {
        return readable(self, args, count, names);
    }
    Row *row = find_row(&self->calls, &key);
    if (row != NULL && row->found != Py_None) {
        PyObject *plan = new_reference(row->found); /* Python code may run */
        PyObject *array = array_on(tensor, plan);
        Py_DECREF(plan);
        return array != NULL || PyErr_Occurred() != NULL ? array : readable(self, args, count, names);
    }
    PyObject *spec = new_reference(tensor->spec);
    PyObject *array = readable(self, args, count, names);
    if (row == NULL && array != NULL) {
        PyObject *plan = PyObject_CallFunctionObjArgs(self->extra, spec, array, NULL);
        if (plan == NULL || keep_row(&self->calls, &key, list_of(spec), plan) < 0) {
            Py_CLEAR(array);
        }
        Py_XDECREF(plan);
    }
    Py_DECREF(spec);
    return array;
}
