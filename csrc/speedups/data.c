/* Conversion of numbers: tensors from nested lists (creation.py), tolist and item. */
#include "speedups.h"

/* The codes (values/dtype.py) of the dtypes that are read and written here. */
enum { BOOL, UINT8, INT8, INT16, INT32, INT64, FLOAT16, BFLOAT16, FLOAT32, FLOAT64 };
enum { CATEGORY_BOOL, CATEGORY_INTEGER, CATEGORY_FLOATING };
/* Indices in the tuple that learning.py returns for a created tensor. */
enum { MADE_SPEC, MADE_CODE, MADE_NBYTES, MADE_ALLOCATE, MADE_FREE };

#define MOST_LEVELS 16 /* of nested lists; deeper ones are handled in Python */

typedef double allocate(double nbytes);

/* ---- from lists ------------------------------------------------------------------------------------------------ */

/* The sizes of nested lists and tuples, and the widest category of the numbers in them. */
typedef struct Nest {
    Py_ssize_t sizes[MOST_LEVELS];
    int levels;
    int category;
    int is_typed; /* is the dtype given? Then a subclass of float, such as NumPy's float64, is a float */
} Nest;

/* The length of a list or a tuple; -1 for anything else. */
static Py_ssize_t length_of(PyObject *object) {
    if (PyList_CheckExact(object)) {
        return PyList_GET_SIZE(object);
    }
    return PyTuple_CheckExact(object) ? PyTuple_GET_SIZE(object) : -1;
}

static PyObject *item_of(PyObject *object, Py_ssize_t k) {
    return PyList_CheckExact(object) ? PyList_GET_ITEM(object, k) : PyTuple_GET_ITEM(object, k);
}

static int category_of(PyObject *number, int is_typed) {
    if (PyFloat_CheckExact(number) || (is_typed && PyFloat_Check(number))) {
        return CATEGORY_FLOATING;
    }
    if (PyLong_CheckExact(number)) {
        int overflow = 0;
        PyLong_AsLongLongAndOverflow(number, &overflow);
        return overflow ? -1 : CATEGORY_INTEGER;
    }
    return PyBool_Check(number) ? CATEGORY_BOOL : -1;
}

/* Does everything at this level have the expected sizes? Notes the category of its numbers. */
static int is_regular(PyObject *data, Nest *nest, int level) {
    if (level == nest->levels) {
        const int category = category_of(data, nest->is_typed);
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

/* Inspects the data. Returns 0 if Python must handle it: empty, ragged lists, or anything but plain numbers. */
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

/* Writes a number of regular nested lists; returns the next address, or NULL if the dtype may not hold the number. */
static char *store_number(PyObject *number, long code, char *to) {
    const int is_float = PyFloat_Check(number);
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

/* Builds a call's key: requested device and dtype, category, sizes. */
static int make_key(const Nest *nest, PyObject *dtype, PyObject *device, Key *key) {
    begin_key(key);
    if (!add_device(key, device) || !add_value(key, dtype) || !add_word(key, (uint64_t)nest->category)) {
        return 0;
    }
    for (int k = 0; k < nest->levels; k++) {
        add_word(key, (uint64_t)nest->sizes[k]);
    }
    return 1;
}

/* tensor(data), perhaps with a dtype and a device. */
PyObject *call_data(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Function *self = (Function *)callable;
    PyObject *dtype = Py_None, *device = Py_None;
    int is_known = PyVectorcall_NARGS(count) == 1;
    for (Py_ssize_t k = 0; is_known && names != NULL && k < PyTuple_GET_SIZE(names); k++) {
        PyObject *name = PyTuple_GET_ITEM(names, k);
        if (PyUnicode_CompareWithASCIIString(name, "dtype") == 0) {
            dtype = args[1 + k];
        } else if (PyUnicode_CompareWithASCIIString(name, "device") == 0) {
            device = args[1 + k];
        } else {
            is_known = 0;
        }
    }
    Nest nest = {.is_typed = dtype != Py_None};
    Key key;
    if (facts.learn == NULL || !is_known || !is_simple(read_mode_word() | KEY_TENSOR_KEYS) || !survey(args[0], &nest)
        || !make_key(&nest, dtype, device, &key)) {
        forget_error();
        return readable(self, args, count, names);
    }
    Row *row = find_row(&self->calls, &key);
    if (row == NULL) {
        PyObject *result = readable(self, args, count, names);
        PyObject *plan = result == NULL ? NULL : PyObject_CallOneArg(self->extra, result);
        PyObject *const given[] = {dtype, device};
        if (plan == NULL || keep_row(&self->calls, &key, held_by(given, 2), plan) < 0) {
            Py_CLEAR(result);
        }
        Py_XDECREF(plan);
        return result;
    }
    if (row->found == Py_None) {
        return readable(self, args, count, names);
    }
    PyObject *plan = new_reference(row->found); /* allocation may run the garbage collector, and so arbitrary code */
    allocate *take = (allocate *)(uintptr_t)PyFloat_AsDouble(PyTuple_GET_ITEM(plan, MADE_ALLOCATE));
    const double address = take(PyFloat_AsDouble(PyTuple_GET_ITEM(plan, MADE_NBYTES)));
    const long code = PyLong_AsLong(PyTuple_GET_ITEM(plan, MADE_CODE));
    give_back *free = (give_back *)(uintptr_t)PyFloat_AsDouble(PyTuple_GET_ITEM(plan, MADE_FREE));
    PyObject *result =
        address > 0 ? (PyObject *)make_tensor(PyTuple_GET_ITEM(plan, MADE_SPEC), address, free) : NULL;
    Py_DECREF(plan);
    if (PyErr_Occurred()) {
        return NULL;
    }
    /* a number that needs more checks, or a list changed by finalizers */
    if (result != NULL && !(is_regular(args[0], &nest, 0) && store(args[0], &nest, 0, code, (char *)(uintptr_t)address))) {
        Py_CLEAR(result);
    }
    return result != NULL ? result : readable(self, args, count, names);
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
    if (level == PyTuple_GET_SIZE(sizes)) {
        return load_number(from, code);
    }
    const Py_ssize_t size = PyLong_AsSsize_t(PyTuple_GET_ITEM(sizes, level));
    const Py_ssize_t step = PyLong_AsSsize_t(PyTuple_GET_ITEM(strides, level)) * itemsizes[code];
    const int is_last = level + 1 == PyTuple_GET_SIZE(sizes);
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

/* Caches learning.py's answer for a spec. */
long code_of(Function *self, PyObject *object) {
    Tensor *tensor = as_tensor(object);
    note_more();
    if (tensor == NULL || !(tensor->address > 0)) { /* none, or freed */
        return -1;
    }
    const int64_t keys = tensor->keys | read_mode_word();
    if (!is_simple(keys)) {
        return -1;
    }
    Key key;
    begin_key(&key);
    add_identity(&key, tensor->spec);
    Row *row = find_row(&self->calls, &key);
    if (row == NULL) {
        PyObject *code = PyObject_CallOneArg(self->extra, tensor->spec);
        PyObject *held = code == NULL ? NULL : PyList_New(0);
        if (held == NULL || PyList_Append(held, tensor->spec) < 0 || keep_row(&self->calls, &key, held, code) < 0) {
            forget_error();
        }
        Py_XDECREF(code);
        row = find_row(&self->calls, &key);
    }
    return row == NULL ? -1 : PyLong_AsLong(row->found);
}

/* x.tolist(). */
PyObject *call_tolist(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Function *self = (Function *)callable;
    const long code = PyVectorcall_NARGS(count) == 1 && names == NULL ? code_of(self, args[0]) : -1;
    if (code < 0) {
        return readable(self, args, count, names);
    }
    Tensor *tensor = (Tensor *)new_reference(args[0]);
    PyObject *spec = new_reference(tensor->spec);
    PyObject *result = load((const char *)(uintptr_t)tensor->address, code, SLOT(spec, facts.sizes),
                            SLOT(spec, facts.strides), 0);
    Py_DECREF(spec);
    Py_DECREF(tensor);
    return result;
}

/* x.item(). */
PyObject *call_item(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Function *self = (Function *)callable;
    const long code = PyVectorcall_NARGS(count) == 1 && names == NULL ? code_of(self, args[0]) : -1;
    const Tensor *tensor = code < 0 ? NULL : (Tensor *)args[0];
    if (tensor == NULL || PyLong_AsLong(SLOT(tensor->spec, facts.numel)) != 1) {
        return readable(self, args, count, names);
    }
    return load_number((const char *)(uintptr_t)tensor->address, code);
}

/* ---- x[index] = value ------------------------------------------------------------------------------------------ */

/* Is x[index] a view for any x? */
static int makes_one_view(PyObject *index) {
    if (PyTuple_CheckExact(index)) {
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(index); k++) {
            PyObject *each = PyTuple_GET_ITEM(index, k);
            if (PyTuple_CheckExact(each) || !makes_one_view(each)) {
                return 0;
            }
        }
        return 1;
    }
    return PyLong_CheckExact(index) || PySlice_Check(index) || index == Py_Ellipsis || index == Py_None;
}

/* If x[index] is a known view and nothing is recorded: fills it, or copies to it. ``extra`` has the function of
 * x[index], and the operators that write a number and a tensor. */
PyObject *call_setitem(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Function *self = (Function *)callable;
    double number;
    if (PyVectorcall_NARGS(count) != 3 || names != NULL || as_tensor(args[0]) == NULL) {
        return readable(self, args, count, names);
    }
    const int is_number = as_number(args[2], &number);
    const Tensor *value = is_number ? NULL : as_tensor(args[2]);
    const int64_t keys = ((Tensor *)args[0])->keys | (value == NULL ? 0 : value->keys) | read_mode_word();
    const int is_index = makes_one_view(args[1]);
    if ((!is_number && value == NULL) || !is_simple(keys) || records(keys) || !is_index) {
        return readable(self, args, count, names);
    }
    PyObject *view = PyObject_Vectorcall(PyTuple_GET_ITEM(self->extra, 0), args, 2, NULL);
    if (view == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_IndexError)) {
            return NULL;
        }
        forget_error(); /* if the number does not fit, either, Python raises the error */
        return readable(self, args, count, names);
    }
    /* only a view of x is written here, and no element twice */
    const Tensor *shown = as_tensor(view);
    int is_plain = shown != NULL && shown->base != NULL
                   && home_of(shown) == home_of((Tensor *)args[0]);
    if (is_plain && value != NULL) {
        is_plain = PyObject_RichCompareBool(SLOT(shown->spec, facts.sizes), SLOT(value->spec, facts.sizes), Py_EQ);
    }
    if (is_plain > 0 && SLOT(shown->spec, facts.is_contiguous) != Py_True) {
        PyObject *overlaps = PyObject_CallOneArg(PyTuple_GET_ITEM(self->extra, 3), shown->spec);
        is_plain = overlaps == NULL ? -1 : overlaps == Py_False;
        Py_XDECREF(overlaps);
    }
    PyObject *done = NULL;
    if (is_plain > 0) {
        PyObject *const arguments[] = {view, args[2], Py_False};
        done = PyObject_Vectorcall(PyTuple_GET_ITEM(self->extra, is_number ? 1 : 2), arguments, is_number ? 2 : 3, NULL);
        if (done == NULL && is_number && PyErr_ExceptionMatches(PyExc_RuntimeError)) {
            forget_error(); /* a number that does not fit: Python raises the error */
            is_plain = 0;
        }
    }
    Py_DECREF(view);
    if (is_plain == 0) {
        return readable(self, args, count, names);
    }
    Py_XDECREF(done);
    return is_plain < 0 || done == NULL ? NULL : new_reference(Py_None);
}
