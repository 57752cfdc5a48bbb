/* Keys of calls: their arguments as machine words, and hash tables of those. */
#include "speedups.h"

#include <float.h>

#define MOST_ROWS 4096 /* kinds of calls; with more, the table is cleared */
#define MOST_ROWS_OF_LISTS 64
#define LONG_KEY 256   /* words; longer keys are for whole models' parameters */

/* Words that start a value are odd, so that they differ from addresses of objects. */
enum {
    WORD_NONE = 1, WORD_FALSE = 3, WORD_TRUE = 5, WORD_INTEGER = 7, WORD_FLOAT = 9, WORD_TUPLE = 11, WORD_SLICE = 13,
    WORD_TENSORS = 15, WORD_ABSENT = 17, WORD_DEFAULT = 19, WORD_ELLIPSIS = 21, WORD_LIST = 23
};

static uint64_t epoch = 1; /* how often the state that plans depend on has changed */

int as_number(PyObject *object, double *number) {
    if (PyFloat_CheckExact(object)) {
        *number = PyFloat_AS_DOUBLE(object);
        return 1;
    }
    if (PyBool_Check(object)) {
        *number = object == Py_True;
        return 1;
    }
    if (!PyLong_CheckExact(object)) {
        return 0;
    }
    int overflow = 0;
    const long long integer = PyLong_AsLongLongAndOverflow(object, &overflow);
    *number = (double)integer;
    return !overflow && integer < EXACT_INTEGER && integer > -EXACT_INTEGER;
}

int is_large(PyObject *object, double number) {
    return PyFloat_CheckExact(object) ? isfinite(number) && fabs(number) > (double)FLT_MAX
                                      : number < -128 || number > 127;
}

static int is_one_of_a_kind(PyObject *value) {
    const PyTypeObject *type = Py_TYPE(value);
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(facts.values); k++) {
        if ((PyObject *)type == PyTuple_GET_ITEM(facts.values, k)) {
            return 1;
        }
    }
    return 0;
}

int add_value(Key *key, PyObject *value) {
    if (value == Py_None) {
        return add_word(key, WORD_NONE);
    }
    if (PyBool_Check(value)) {
        return add_word(key, value == Py_True ? WORD_TRUE : WORD_FALSE);
    }
    if (PyLong_CheckExact(value)) {
        int overflow = 0;
        const long long integer = PyLong_AsLongLongAndOverflow(value, &overflow);
        return !overflow && add_word(key, WORD_INTEGER) && add_word(key, (uint64_t)integer);
    }
    if (PyFloat_CheckExact(value)) { /* by its bits: -0.0 is not 0.0 */
        const double number = PyFloat_AS_DOUBLE(value);
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        return add_word(key, WORD_FLOAT) && add_word(key, bits);
    }
    const int is_tuple = PyTuple_CheckExact(value) || Py_TYPE(value)->tp_base == &PyTuple_Type; /* Size is one */
    if (is_tuple || PyList_CheckExact(value)) {
        const Py_ssize_t count = is_tuple ? PyTuple_GET_SIZE(value) : PyList_GET_SIZE(value);
        /* x[[0, 1]] is not x[0, 1] */
        int is_known = add_word(key, is_tuple ? WORD_TUPLE : WORD_LIST) && add_word(key, (uint64_t)count);
        for (Py_ssize_t k = 0; is_known && k < count; k++) {
            is_known = add_value(key, is_tuple ? PyTuple_GET_ITEM(value, k) : PyList_GET_ITEM(value, k));
        }
        return is_known;
    }
    if (PySlice_Check(value)) {
        const PySliceObject *slice = (PySliceObject *)value;
        return add_word(key, WORD_SLICE) && add_value(key, slice->start) && add_value(key, slice->stop)
               && add_value(key, slice->step);
    }
    if (value == Py_Ellipsis) {
        return add_word(key, WORD_ELLIPSIS);
    }
    return is_one_of_a_kind(value) && add_identity(key, value);
}

int add_tensors(Key *key, PyObject *list) {
    if (list == Py_None) {
        return add_word(key, WORD_NONE);
    }
    const int is_tuple = PyTuple_CheckExact(list);
    if (!is_tuple && !PyList_CheckExact(list)) {
        return 0;
    }
    const Py_ssize_t count = is_tuple ? PyTuple_GET_SIZE(list) : PyList_GET_SIZE(list);
    int is_known = add_word(key, WORD_TENSORS) && add_word(key, (uint64_t)count);
    for (Py_ssize_t k = 0; is_known && k < count; k++) {
        PyObject *each = is_tuple ? PyTuple_GET_ITEM(list, k) : PyList_GET_ITEM(list, k);
        if (each == Py_None) {
            is_known = add_word(key, WORD_ABSENT);
            continue;
        }
        Tensor *tensor = as_tensor(each);
        is_known = tensor != NULL && add_identity(key, tensor->spec);
    }
    return is_known;
}

int add_device(Key *key, PyObject *device) {
    if (device != Py_None) {
        return is_one_of_a_kind(device) && add_identity(key, device);
    }
    PyObject *scope = NULL;
    if (PyContextVar_Get(facts.scoped_devices, NULL, &scope) < 0 || scope == NULL) {
        forget_error();
        return 0;
    }
    /* setting the default device clears all plans: outside blocks it is constant */
    const int is_known = PyTuple_CheckExact(scope) ? add_word(key, WORD_DEFAULT)
                                                         && add_identity(key, PyTuple_GET_ITEM(scope, 0))
                                                   : add_word(key, WORD_DEFAULT);
    Py_DECREF(scope);
    return is_known;
}

/* ---- tables ---------------------------------------------------------------------------------------------------- */

static void free_row(Row *row) {
    Py_DECREF(row->held);
    Py_DECREF(row->found);
    PyMem_Free(row);
}

void clear_table(Table *table) {
    Row **rows = table->rows;
    const Py_ssize_t room = table->room;
    table->rows = NULL;
    table->room = table->count = 0;
    for (Py_ssize_t k = 0; k < room; k++) {
        if (rows[k] != NULL) {
            free_row(rows[k]);
        }
    }
    PyMem_Free(rows);
}

static Row **place_of(const Table *table, uint64_t hash, Py_ssize_t count, const uint64_t *words) {
    const uint64_t mask = (uint64_t)table->room - 1;
    for (uint64_t place = hash;; place++) {
        Row **at = &table->rows[place & mask];
        if (*at == NULL
            || ((*at)->hash == hash && (*at)->count == count
                && memcmp((*at)->words, words, (size_t)count * sizeof *words) == 0)) {
            return at;
        }
    }
}

Row *find_row(Table *table, const Key *key) {
    if (table->epoch != epoch) {
        clear_table(table);
        table->epoch = epoch;
    }
    return table->room == 0 ? NULL : *place_of(table, key->hash, key->count, key->words);
}

static int grow(Table *table) {
    const Py_ssize_t room = table->room ? 2 * table->room : 8;
    Row **rows = PyMem_Calloc((size_t)room, sizeof *rows);
    if (rows == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    Table grown = {.rows = rows, .room = room, .count = table->count, .epoch = table->epoch};
    for (Py_ssize_t k = 0; k < table->room; k++) {
        Row *row = table->rows[k];
        if (row != NULL) {
            *place_of(&grown, row->hash, row->count, row->words) = row;
        }
    }
    PyMem_Free(table->rows);
    *table = grown;
    return 0;
}

int keep_row(Table *table, const Key *key, PyObject *held, PyObject *found) {
    if (table->epoch != epoch || table->count >= (key->count > LONG_KEY ? MOST_ROWS_OF_LISTS : MOST_ROWS)) {
        clear_table(table);
        table->epoch = epoch;
    }
    Row *row = PyMem_Malloc(sizeof *row + (size_t)key->count * sizeof *row->words);
    if (held == NULL || row == NULL || (2 * table->count >= table->room && grow(table) < 0)) {
        if (PyErr_Occurred() == NULL) {
            PyErr_NoMemory();
        }
        PyMem_Free(row);
        Py_XDECREF(held);
        return -1;
    }
    row->hash = key->hash;
    row->count = key->count;
    row->held = held;
    row->found = new_reference(found);
    memcpy(row->words, key->words, (size_t)key->count * sizeof *row->words);
    Row **at = place_of(table, row->hash, row->count, row->words);
    Row *before = *at;
    *at = row;
    if (before == NULL) {
        table->count++;
    } else {
        free_row(before);
    }
    return 0;
}

/* forget_plans(): the state that plans depend on has changed: kernels, default dtype or default device. */
PyObject *forget_plans(PyObject *module, PyObject *nothing) {
    (void)module;
    (void)nothing;
    epoch++;
    Py_RETURN_NONE;
}
