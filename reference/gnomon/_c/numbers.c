/* Numbers in and out (fast_numbers.py): a tensor of nested lists, and nested lists of a tensor. */
#include "house.h"

/* The dtypes by their codes (values/dtype.py), as far as they are written and read here. */
enum { BOOL, UINT8, INT8, INT16, INT32, INT64, FLOAT16, BFLOAT16, FLOAT32, FLOAT64 };
enum { CATEGORY_BOOL, CATEGORY_INTEGER, CATEGORY_FLOATING };
/* Where a plan has what: of a tensor that is made, and of one that is read. */
enum { MADE_SPEC, MADE_CODE, MADE_NBYTES, MADE_ALLOCATE, MADE_LENGTH };
enum { READ_CODE, READ_SIZES, READ_STRIDES, READ_LENGTH };

#define MOST_LEVELS 16 /* of lists in lists; those with more go Python's way */

typedef double allocate(double nbytes);

/* ---- from lists ------------------------------------------------------------------------------------------------ */

/* The sizes of nested lists and tuples, and the widest category of the numbers in them. */
typedef struct Nest {
    Py_ssize_t sizes[MOST_LEVELS];
    int levels;
    int category;
} Nest;

/* How many items a list or a tuple has; -1 for anything else. */
static Py_ssize_t length_of(PyObject *object) {
    if (PyList_CheckExact(object)) {
        return PyList_Size(object);
    }
    return PyTuple_CheckExact(object) ? PyTuple_Size(object) : -1;
}

static PyObject *item_of(PyObject *object, Py_ssize_t k) {
    return PyList_CheckExact(object) ? PyList_GetItem(object, k) : PyTuple_GetItem(object, k);
}

static int category_of(PyObject *number) {
    if (PyFloat_CheckExact(number)) {
        return CATEGORY_FLOATING;
    }
    if (PyLong_CheckExact(number)) {
        int overflow = 0;
        PyLong_AsLongLongAndOverflow(number, &overflow);
        return overflow ? -1 : CATEGORY_INTEGER;
    }
    return PyBool_Check(number) ? CATEGORY_BOOL : -1;
}

/* Is what stands at this level as the sizes say, all of it?  Notes what its numbers are. */
static int is_regular(PyObject *data, Nest *nest, int level) {
    if (level == nest->levels) {
        const int category = category_of(data);
        nest->category = category > nest->category ? category : nest->category;
        return category >= 0;
    }
    if (length_of(data) != nest->sizes[level]) {
        return 0;
    }
    for (Py_ssize_t k = 0; k < nest->sizes[level]; k++) {
        if (!is_regular(item_of(data, k), nest, level + 1)) {
            return 0;
        }
    }
    return 1;
}

/* Look through the data.  0 where Python has to: nothing in it, ragged lists, other things than plain numbers. */
static int survey(PyObject *data, Nest *nest) {
    nest->levels = nest->category = 0;
    PyObject *first = data;
    for (Py_ssize_t length; (length = length_of(first)) >= 0; first = item_of(first, 0)) {
        if (length == 0 || nest->levels == MOST_LEVELS) {
            return 0;
        }
        nest->sizes[nest->levels++] = length;
    }
    return is_regular(data, nest, 0);
}

/* A float32's bits as bfloat16's, rounded to nearest, ties to even. */
static uint16_t to_bfloat16(float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    if ((bits & 0x7fffffffu) > 0x7f800000u) {
        return 0x7fc0;
    }
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

static float from_bfloat16(uint16_t half) {
    const uint32_t bits = (uint32_t)half << 16;
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static double from_float16(uint16_t half) {
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    const double sign = half >> 15 ? -1.0 : 1.0;
    if (exponent == 31) {
        return fraction ? copysign(NAN, sign) : sign * INFINITY;
    }
    return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

static const struct {
    long long least, most;
} ranges[] = {
    [UINT8] = {0, UINT8_MAX},          [INT8] = {INT8_MIN, INT8_MAX},     [INT16] = {INT16_MIN, INT16_MAX},
    [INT32] = {INT32_MIN, INT32_MAX},  [INT64] = {INT64_MIN, INT64_MAX},
};

#define STORE(type, value)                    \
    do {                                      \
        const type stored = (type)(value);    \
        memcpy(to, &stored, sizeof stored);   \
        return to + sizeof stored;            \
    } while (0)

/* Write a number of a regular nest; what is behind it, or NULL where the dtype does not surely hold it. */
static char *store_number(PyObject *number, long code, char *to) {
    const int is_float = PyFloat_CheckExact(number);
    if (code >= FLOAT16 || (code == BOOL && is_float)) {
        const double value = is_float ? PyFloat_AsDouble(number) : PyLong_AsDouble(number);
        switch (code) {
        case BOOL: STORE(uint8_t, value != 0);
        case BFLOAT16: STORE(uint16_t, to_bfloat16((float)value));
        case FLOAT32: STORE(float, value);
        case FLOAT64: STORE(double, value);
        default: return NULL;
        }
    }
    if (is_float) {
        return NULL;
    }
    const long long value = PyLong_AsLongLong(number);
    if (code == BOOL) {
        STORE(uint8_t, value != 0);
    }
    if (value < ranges[code].least || value > ranges[code].most) {
        return NULL;
    }
    switch (code) {
    case UINT8: STORE(uint8_t, value);
    case INT8: STORE(int8_t, value);
    case INT16: STORE(int16_t, value);
    case INT32: STORE(int32_t, value);
    default: STORE(int64_t, value);
    }
}

static char *store(PyObject *data, const Nest *nest, int level, long code, char *to) {
    if (level == nest->levels) {
        return store_number(data, code, to);
    }
    for (Py_ssize_t k = 0; to != NULL && k < nest->sizes[level]; k++) {
        to = store(item_of(data, k), nest, level + 1, code, to);
    }
    return to;
}

/* What plans are found by: the device and the dtype that are asked for, the category, the sizes; NULL with an
 * exception. */
static PyObject *key_of(const Nest *nest, PyObject *dtype, PyObject *asked) {
    PyObject *device = asked == Py_None ? PyObject_CallNoArgs(house.default_device) : new_reference(asked);
    PyObject *key = device == NULL ? NULL : PyTuple_New(3 + nest->levels);
    if (key == NULL) {
        Py_XDECREF(device);
        return NULL;
    }
    PyTuple_SetItem(key, 0, device);
    PyTuple_SetItem(key, 1, new_reference(dtype));
    PyTuple_SetItem(key, 2, PyLong_FromLong(nest->category));
    for (int k = 0; k < nest->levels; k++) {
        PyTuple_SetItem(key, 3 + k, PyLong_FromSsize_t(nest->sizes[k]));
    }
    return key;
}

/* tensor(data), perhaps with a dtype and a device. */
PyObject *call_tensor(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    PyObject *dtype = Py_None, *device = Py_None;
    int is_known = (count & ~OFFSET_BIT) == 1;
    for (Py_ssize_t k = 0; is_known && names != NULL && k < PyTuple_Size(names); k++) {
        PyObject *name = PyTuple_GetItem(names, k);
        if (PyUnicode_CompareWithASCIIString(name, "dtype") == 0) {
            dtype = args[1 + k];
        } else if (PyUnicode_CompareWithASCIIString(name, "device") == 0) {
            device = args[1 + k];
        } else {
            is_known = 0;
        }
    }
    Nest nest;
    if (!is_known || !is_simple(read_mode_word() | house.tensor_keys) || is_watched() || !survey(args[0], &nest)) {
        return elsewhere(self->rest, args, count, names);
    }
    PyObject *key = key_of(&nest, dtype, device);
    if (key == NULL) {
        return NULL;
    }
    PyObject *plan = find(self->plans, key);
    if (plan == NULL) {
        PyObject *result = PyObject_CallFunctionObjArgs(self->function, args[0], dtype, device, key, NULL);
        Py_DECREF(key);
        return result;
    }
    Py_DECREF(key);
    Py_INCREF(plan); /* what is allocated may run the garbage collector, and that anything */
    allocate *take = (allocate *)function_in(plan, MADE_ALLOCATE, MADE_LENGTH);
    const double address = take == NULL ? 0 : take(PyFloat_AsDouble(PyTuple_GetItem(plan, MADE_NBYTES)));
    const long code = PyLong_AsLong(PyTuple_GetItem(plan, MADE_CODE));
    PyObject *result = address > 0 ? make_tensor(PyTuple_GetItem(plan, MADE_SPEC), address) : NULL;
    Py_DECREF(plan);
    if (PyErr_Occurred()) {
        return NULL;
    }
    /* a number that needs more than a look, or a list that the collector's finalizers have changed */
    if (result != NULL && !(is_regular(args[0], &nest, 0) && store(args[0], &nest, 0, code, (char *)(uintptr_t)address))) {
        Py_CLEAR(result);
    }
    return result != NULL ? result : elsewhere(self->rest, args, count, names);
}

/* ---- to lists -------------------------------------------------------------------------------------------------- */

#define LOAD(type, name)           \
    type name;                     \
    memcpy(&name, from, sizeof name)

static PyObject *load_number(const char *from, long code) {
    switch (code) {
    case BOOL: return new_reference(*from ? Py_True : Py_False);
    case UINT8: return PyLong_FromLong(*(const uint8_t *)from);
    case INT8: return PyLong_FromLong(*(const int8_t *)from);
    case INT16: {
        LOAD(int16_t, value);
        return PyLong_FromLong(value);
    }
    case INT32: {
        LOAD(int32_t, value);
        return PyLong_FromLong(value);
    }
    case INT64: {
        LOAD(int64_t, value);
        return PyLong_FromLongLong(value);
    }
    case FLOAT16: {
        LOAD(uint16_t, value);
        return PyFloat_FromDouble(from_float16(value));
    }
    case BFLOAT16: {
        LOAD(uint16_t, value);
        return PyFloat_FromDouble(from_bfloat16(value));
    }
    case FLOAT32: {
        LOAD(float, value);
        return PyFloat_FromDouble(value);
    }
    default: {
        LOAD(double, value);
        return PyFloat_FromDouble(value);
    }
    }
}

static const Py_ssize_t itemsizes[] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8};

/* The numbers of dimensions ``level`` on, from an address on; NULL with an exception. */
static PyObject *load(const char *from, long code, PyObject *sizes, PyObject *strides, Py_ssize_t level) {
    if (level == PyTuple_Size(sizes)) {
        return load_number(from, code);
    }
    const Py_ssize_t size = PyLong_AsSsize_t(PyTuple_GetItem(sizes, level));
    const Py_ssize_t step = PyLong_AsSsize_t(PyTuple_GetItem(strides, level)) * itemsizes[code];
    const int is_last = level + 1 == PyTuple_Size(sizes);
    PyObject *list = PyList_New(size);
    for (Py_ssize_t k = 0; list != NULL && k < size; k++) {
        PyObject *each =
            is_last ? load_number(from + k * step, code) : load(from + k * step, code, sizes, strides, level + 1);
        if (each == NULL) {
            Py_CLEAR(list);
        } else {
            PyList_SetItem(list, k, each);
        }
    }
    return list;
}

/* x.tolist(). */
PyObject *call_tolist(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    if ((count & ~OFFSET_BIT) != 1 || names != NULL) {
        return elsewhere(self->rest, args, count, names);
    }
    PyObject *a = args[0], *spec = spec_of(a);
    PyObject *plan = spec == NULL ? NULL : find(self->plans, spec);
    if (plan == NULL || !(address_of(a) > 0)) {
        return PYTHON;
    }
    const long keys = (keys_of(a) | read_mode_word()) & ~(house.autograd | house.grad_mode);
    if (keys != house.tensor_keys || is_watched() || PyTuple_Size(plan) != READ_LENGTH) {
        return PYTHON;
    }
    Py_INCREF(plan);
    Py_INCREF(a);
    PyObject *result = load((const char *)(uintptr_t)address_of(a), PyLong_AsLong(PyTuple_GetItem(plan, READ_CODE)),
                            PyTuple_GetItem(plan, READ_SIZES), PyTuple_GetItem(plan, READ_STRIDES), 0);
    Py_DECREF(a);
    Py_DECREF(plan);
    return result;
}
