/* Python's operators on tensors: the number protocol, comparisons and subscripts, which call bound functions. */
#include "speedups.h"

/* X(slot's name, method, reflected method) */
#define BINARY(X)                                                                                               \
    X(nb_add, __add__, __radd__)                                                                                \
    X(nb_subtract, __sub__, __rsub__)                                                                           \
    X(nb_multiply, __mul__, __rmul__)                                                                           \
    X(nb_true_divide, __truediv__, __rtruediv__)                                                                \
    X(nb_floor_divide, __floordiv__, __rfloordiv__)                                                             \
    X(nb_remainder, __mod__, __rmod__)                                                                          \
    X(nb_matrix_multiply, __matmul__, __rmatmul__)                                                              \
    X(nb_and, __and__, __rand__)                                                                                \
    X(nb_or, __or__, __ror__)                                                                                   \
    X(nb_xor, __xor__, __rxor__)                                                                                \
    X(nb_lshift, __lshift__, __rlshift__)                                                                       \
    X(nb_rshift, __rshift__, __rrshift__)
#define INPLACE(X)                                                                                              \
    X(nb_inplace_add, __iadd__)                                                                                 \
    X(nb_inplace_subtract, __isub__)                                                                            \
    X(nb_inplace_multiply, __imul__)                                                                            \
    X(nb_inplace_true_divide, __itruediv__)
#define UNARY(X)                                                                                                \
    X(nb_negative, __neg__)                                                                                     \
    X(nb_absolute, __abs__)
#define COMPARISONS(X) X(0, __lt__) X(1, __le__) X(2, __eq__) X(3, __ne__) X(4, __gt__) X(5, __ge__)

#define FUNCTION(method) protocol.method
static struct {
#define DECLARE_BINARY(slot, method, reflected) PyObject *method, *reflected;
#define DECLARE(slot, method) PyObject *method;
    BINARY(DECLARE_BINARY)
    INPLACE(DECLARE)
    UNARY(DECLARE)
    COMPARISONS(DECLARE)
    PyObject *__getitem__, *__setitem__;
} protocol;

static PyObject *call_two(PyObject *function, PyObject *a, PyObject *b) {
    PyObject *const args[] = {a, b};
    if (function == NULL) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return ((Function *)function)->call(function, args, 2, NULL);
}

#define DEFINE_BINARY(slot, method, reflected)                                                                  \
    static PyObject *do_##slot(PyObject *a, PyObject *b) {                                                      \
        return is_tensor(a) ? call_two(protocol.method, a, b) : call_two(protocol.reflected, b, a);             \
    }
#define DEFINE_INPLACE(slot, method)                                                                            \
    static PyObject *do_##slot(PyObject *a, PyObject *b) {                                                      \
        return call_two(protocol.method, a, b);                                                                 \
    }
#define DEFINE_UNARY(slot, method)                                                                              \
    static PyObject *do_##slot(PyObject *a) {                                                                   \
        return ((Function *)protocol.method)->call(protocol.method, &a, 1, NULL);                               \
    }
BINARY(DEFINE_BINARY)
INPLACE(DEFINE_INPLACE)
UNARY(DEFINE_UNARY)

static PyObject *compare(PyObject *a, PyObject *b, int sign) {
#define CASE(number, method) \
    case number: return call_two(protocol.method, a, b);
    switch (sign) {
        COMPARISONS(CASE)
    default: Py_RETURN_NOTIMPLEMENTED;
    }
}

/* A slice with numbers in place of its 0-dim tensors; NULL if it has none, or one that is no integer. */
static PyObject *slice_of_numbers(PyObject *index) {
    const PySliceObject *slice = (PySliceObject *)index;
    PyObject *const given[] = {slice->start, slice->stop, slice->step};
    if (!is_tensor(given[0]) && !is_tensor(given[1]) && !is_tensor(given[2])) {
        return NULL;
    }
    PyObject *numbers[3];
    for (int k = 0; k < 3; k++) {
        numbers[k] = is_tensor(given[k]) ? PyNumber_Index(given[k]) : Py_NewRef(given[k]);
        if (numbers[k] == NULL) {
            if (PyErr_ExceptionMatches(PyExc_Exception)) {
                PyErr_Clear(); /* the slow path raises it again */
            }
            while (k > 0) {
                Py_DECREF(numbers[--k]);
            }
            return NULL;
        }
    }
    PyObject *made = PySlice_New(numbers[0], numbers[1], numbers[2]);
    for (int k = 0; k < 3; k++) {
        Py_DECREF(numbers[k]);
    }
    return made;
}

static PyObject *get_item(PyObject *a, PyObject *index) {
    PyObject *plain = PySlice_Check(index) ? slice_of_numbers(index) : NULL;
    if (plain == NULL && PyErr_Occurred() != NULL) {
        return NULL;
    }
    PyObject *given = plain == NULL ? index : plain;
    PyObject *found = call_row(protocol.__getitem__, a, given);
    if (found == NULL && PyErr_Occurred() == NULL) {
        found = call_two(protocol.__getitem__, a, given);
    }
    Py_XDECREF(plain);
    return found;
}

static int set_item(PyObject *a, PyObject *index, PyObject *value) {
    if (value == NULL) {
        PyErr_SetString(PyExc_AttributeError, "__delitem__");
        return -1;
    }
    PyObject *const args[] = {a, index, value};
    PyObject *done = ((Function *)protocol.__setitem__)->call(protocol.__setitem__, args, 3, NULL);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}

/* The function of that name if it is a Function; others are left to Python. */
static PyObject *own_function(PyObject *functions, const char *name) {
    PyObject *found = PyDict_GetItemString(functions, name);
    return found != NULL && Py_TYPE(found) == facts.function ? new_reference(found) : NULL;
}

/* Does the class have the same function under this name as Tensor? */
static int inherits(PyObject *type, const char *name, PyObject *function) {
    PyObject *found = PyObject_GetAttrString(type, name);
    const int is_same = found != NULL && found == function;
    Py_XDECREF(found);
    forget_error();
    return is_same;
}

/* share_number_protocol(a class derived from Tensor): what it does not override uses Tensor's slots directly. Otherwise
 * Python would see two implementations, and call the right operand's reflected method first. */
PyObject *share_number_protocol(PyObject *module, PyObject *type) {
    (void)module;
    if (!PyType_Check(type) || !PyType_IsSubtype((PyTypeObject *)type, facts.tensor)) {
        return PyErr_Format(PyExc_TypeError, "expected a class derived from Tensor, got %R", type);
    }
    PyNumberMethods *numbers = ((PyTypeObject *)type)->tp_as_number;
#define SHARE(slot, method, reflected)                                                                          \
    if (numbers != NULL && protocol.method != NULL && protocol.reflected != NULL                                \
        && facts.tensor->tp_as_number->slot == do_##slot && inherits(type, #method, protocol.method)            \
        && inherits(type, #reflected, protocol.reflected)) {                                                    \
        numbers->slot = do_##slot;                                                                              \
    }
    BINARY(SHARE)
    Py_RETURN_NONE;
}

/* use_number_protocol(the class's functions by name): Python's operators call them without a look-up. */
PyObject *use_number_protocol(PyObject *module, PyObject *functions) {
    (void)module;
    if (!PyDict_Check(functions)) {
        return PyErr_Format(PyExc_TypeError, "expected a dict, got %R", functions);
    }
    PyHeapTypeObject *type = (PyHeapTypeObject *)facts.tensor;
#define USE_BINARY(slot, method, reflected)                                                                     \
    protocol.method = own_function(functions, #method);                                                         \
    protocol.reflected = own_function(functions, #reflected);                                                   \
    if (protocol.method != NULL && protocol.reflected != NULL) {                                                \
        type->as_number.slot = do_##slot;                                                                       \
    }
#define USE(slot, method)                                                                                       \
    protocol.method = own_function(functions, #method);                                                         \
    if (protocol.method != NULL) {                                                                              \
        type->as_number.slot = do_##slot;                                                                       \
    }
#define USE_COMPARISON(number, method)                                                                          \
    protocol.method = own_function(functions, #method);                                                         \
    is_whole = is_whole && protocol.method != NULL;
    BINARY(USE_BINARY)
    INPLACE(USE)
    UNARY(USE)
    int is_whole = 1;
    COMPARISONS(USE_COMPARISON)
    if (is_whole) {
        facts.tensor->tp_richcompare = compare;
    }
    protocol.__getitem__ = own_function(functions, "__getitem__");
    protocol.__setitem__ = own_function(functions, "__setitem__");
    if (protocol.__getitem__ != NULL && protocol.__setitem__ != NULL) {
        type->as_mapping.mp_subscript = get_item;
        type->as_mapping.mp_ass_subscript = set_item;
    }
    PyType_Modified(facts.tensor);
    return PyErr_Occurred() != NULL ? NULL : new_reference(Py_None);
}
