/* Shortcuts of operators: one kernel call (fast_path.py, fast_operators.py). */
#include "house.h"

#include <float.h>

/* The entry points of csrc/gnomon.h. */
typedef double call1(double call, double a);
typedef double call2(double call, double a, double b);
typedef double call3(double call, double a, double b, double c);
typedef int32_t inplace1(double call, double out, double a);
typedef int32_t inplace2(double call, double out, double a, double b);
typedef int32_t run_all(double call, const double *data);
typedef double allocate(double nbytes);
typedef void give_back(double address);

/* Where a plan has what: of one output, and of several. */
enum { PLAN_ENTRY, PLAN_CALL, PLAN_SPEC, PLAN_METADATA, PLAN_KEEP, PLAN_ADDRESS, PLAN_LENGTH };
enum {
    SEVERAL_KEEP, SEVERAL_SPECS, SEVERAL_METADATA, SEVERAL_RECORDED, SEVERAL_CALL, SEVERAL_NBYTES, SEVERAL_ALLOCATE,
    SEVERAL_FREE, SEVERAL_RUN, SEVERAL_LENGTH
};
/* Of an operator that only writes to its arguments: in which order the kernel takes them, and which were written. */
enum { WRITTEN_KEEP, WRITTEN_CALL, WRITTEN_RUN, WRITTEN_ORDER, WRITTEN_POSITIONS, WRITTEN_LENGTH };

#define MOST_ARGUMENTS 24 /* of an operator; those with more go Python's way */
#define MOST_TENSORS 512  /* of a call of several outputs */
#define MOST_WRITTEN 1024 /* of a call that only writes */

/* The tensors of a call, lists and absent ones included. */
typedef struct Operands {
    PyObject **tensors;
    double *addresses;
    int count, room;
    long keys;
} Operands;

void *function_in(PyObject *plan, Py_ssize_t position, Py_ssize_t length) {
    if (!PyTuple_Check(plan) || PyTuple_Size(plan) != length) {
        return NULL;
    }
    return (void *)(uintptr_t)PyFloat_AsDouble(PyTuple_GetItem(plan, position));
}

int as_number(PyObject *object, double *number) {
    if (PyFloat_CheckExact(object)) {
        *number = PyFloat_AsDouble(object);
        return 1;
    }
    if (!PyLong_CheckExact(object)) {
        return 0;
    }
    int overflow = 0;
    const long long integer = PyLong_AsLongLongAndOverflow(object, &overflow);
    *number = (double)integer;
    return !overflow && integer < 1LL << 53 && integer > -(1LL << 53);
}

/* Might a dtype of a number's kind not hold it?  Infinities, and NaN, all do. */
static int is_large(PyObject *object, double number) {
    return PyFloat_CheckExact(object) ? isfinite(number) && fabs(number) > FLT_MAX : number < -128 || number > 127;
}

/* Run the kernel of ``plan`` and make the result; NULL and no exception where Python has to do it: no memory, or a
 * kernel that found a fault, and the readable path says which. */
static PyObject *run(Shortcut *self, PyObject *plan, void *entry, PyObject *const *args, const double *addresses,
                     int count, int is_recorded) {
    Py_INCREF(plan);
    const double call = PyFloat_AsDouble(PyTuple_GetItem(plan, PLAN_CALL));
    double address = 0;
    switch (count) {
    case 1: address = ((call1 *)entry)(call, addresses[0]); break;
    case 2: address = ((call2 *)entry)(call, addresses[0], addresses[1]); break;
    default: address = ((call3 *)entry)(call, addresses[0], addresses[1], addresses[2]); break;
    }
    PyObject *output = NULL;
    if (address > 0) {
        output = make_tensor(PyTuple_GetItem(plan, PLAN_SPEC), address);
        if (output != NULL && is_recorded
            && record(self, args, &output, 1, 1, PyTuple_GetItem(plan, PLAN_METADATA)) < 0) {
            Py_DECREF(output);
            output = NULL;
        }
    }
    Py_DECREF(plan);
    return output;
}

/* The end of a shortcut of one output. */
static PyObject *finish(Shortcut *self, PyObject *plan, PyObject *const *args, size_t count, const double *addresses,
                        int operands, long keys) {
    void *entry = plan == NULL ? NULL : function_in(plan, PLAN_ADDRESS, PLAN_LENGTH);
    if (entry == NULL) {
        return PYTHON;
    }
    keys |= read_mode_word();
    if (!is_simple(keys) || (keys == house.recorded && self->refuses_recording) || is_watched()) {
        return PYTHON;
    }
    const int is_recorded = keys == house.recorded && self->recorder != Py_None;
    PyObject *output = run(self, plan, entry, args, addresses, operands, is_recorded);
    return output != NULL || PyErr_Occurred() ? output : PYTHON;
}

PyObject *call_unary(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    if ((count & ~OFFSET_BIT) != 1 || names != NULL) {
        return elsewhere(self->rest, args, count, names);
    }
    PyObject *a = args[0], *spec = spec_of(a);
    if (spec == NULL) {
        return PYTHON;
    }
    const double addresses[] = {address_of(a)};
    return finish(self, find(self->plans, spec), args, count, addresses, 1, keys_of(a));
}

PyObject *call_binary(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    if ((count & ~OFFSET_BIT) != 2 || names != NULL) {
        return elsewhere(self->rest, args, count, names);
    }
    PyObject *a = args[0], *b = args[1], *spec;
    if (!is_tensor(a) || (spec = SLOT(a, house.spec)) == NULL) {
        return PYTHON;
    }
    PyObject *row = find(self->plans, spec), *key = NULL;
    double addresses[] = {address_of(a), 0};
    long keys = keys_of(a);
    if (is_tensor(b)) {
        key = SLOT(b, house.spec);
        if (key == NULL) {
            return PYTHON;
        }
        keys |= keys_of(b);
        addresses[1] = address_of(b);
    } else if (as_number(b, &addresses[1])) {
        key = (PyObject *)Py_TYPE(b);
    }
    if (row == NULL || key == NULL) {
        return PYTHON;
    }
    return finish(self, find(row, key), args, count, addresses, 2, keys);
}

int count_write(PyObject *tensor) {
    PyObject *counter = version_counter(tensor);
    PyObject *value = counter == NULL ? NULL : PyNumber_Add(SLOT(counter, house.value), house.one);
    if (value == NULL) {
        return -1;
    }
    fill(counter, house.value, value);
    return 0;
}

int may_overlap(Shortcut *self, PyObject *const *args) {
    PyObject *storage = SLOT(args[0], house.storage);
    for (Py_ssize_t k = 1; storage != Py_None && k < self->arity; k++) {
        if (is_tensor(args[k]) && args[k] != args[0] && SLOT(args[k], house.storage) == storage) {
            return 1;
        }
    }
    return 0;
}

/* An operator that writes to its first argument, which it returns. */
static PyObject *finish_inplace(Shortcut *self, PyObject *plan, PyObject *const *args, size_t count,
                                const double *addresses, int operands, long keys) {
    void *entry = plan == NULL ? NULL : function_in(plan, PLAN_ADDRESS, PLAN_LENGTH);
    if (entry == NULL) {
        return PYTHON;
    }
    keys |= read_mode_word();
    if (!is_simple(keys) || keys == house.recorded || is_watched() || may_overlap(self, args)) {
        return PYTHON;
    }
    if ((keys_of(args[0]) & house.tensor_keys) != house.tensor_keys) { /* made in inference mode */
        return PYTHON;
    }
    Py_INCREF(plan); /* what is allocated may run the garbage collector, and that anything */
    if (version_counter(args[0]) == NULL) {
        Py_DECREF(plan);
        return NULL;
    }
    const double call = PyFloat_AsDouble(PyTuple_GetItem(plan, PLAN_CALL));
    const int32_t status = operands == 1
                               ? ((inplace1 *)entry)(call, addresses[0], addresses[0])
                               : ((inplace2 *)entry)(call, addresses[0], addresses[0], addresses[1]);
    Py_DECREF(plan);
    if (status != 0) {
        return PYTHON;
    }
    return count_write(args[0]) < 0 ? NULL : new_reference(args[0]);
}

/* An operator of up to three tensors with whatever other arguments. */
PyObject *call_general(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    if ((Py_ssize_t)(count & ~OFFSET_BIT) != self->arity || names != NULL) {
        return elsewhere(self->rest, args, count, names);
    }
    PyObject *parts[2 * MOST_ARGUMENTS];
    double addresses[3];
    int operands = 0;
    long keys = 0;
    Py_ssize_t length = 0;
    for (Py_ssize_t k = 0; k < self->arity; k++) {
        if (!(self->tensors >> k & 1)) {
            if (self->numbers >> k & 1 && is_negative_zero(args[k])) {
                return PYTHON;
            }
            parts[length++] = args[k];
            parts[length++] = (PyObject *)Py_TYPE(args[k]);
        } else if (is_tensor(args[k])) {
            parts[length] = SLOT(args[k], house.spec);
            if (parts[length++] == NULL) {
                return PYTHON;
            }
            keys |= keys_of(args[k]);
            addresses[operands++] = address_of(args[k]);
        } else if (operands > 0 && as_number(args[k], &addresses[operands])
                   && !(self->numbers_fit && is_large(args[k], addresses[operands]))) {
            parts[length++] = (PyObject *)Py_TYPE(args[k]);
            operands++;
        } else {
            return PYTHON;
        }
    }
    PyObject *plan;
    if (length == 1) { /* as in Python: a key of one part is that part */
        plan = find(self->plans, parts[0]);
    } else {
        PyObject *key = PyTuple_New(length);
        if (key == NULL) {
            return NULL;
        }
        for (Py_ssize_t k = 0; k < length; k++) {
            PyTuple_SetItem(key, k, new_reference(parts[k]));
        }
        plan = find(self->plans, key);
        Py_DECREF(key);
    }
    return self->is_inplace ? finish_inplace(self, plan, args, count, addresses, operands, keys)
                            : finish(self, plan, args, count, addresses, operands, keys);
}

/* An operator that writes to its last argument, which it returns (fast_out.py). */
PyObject *call_out(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    if ((Py_ssize_t)(count & ~OFFSET_BIT) != self->arity || names != NULL) {
        return elsewhere(self->rest, args, count, names);
    }
    PyObject *parts[2 * MOST_ARGUMENTS], *output = args[self->arity - 1];
    double addresses[3];
    int operands = 0;
    long keys = 0;
    Py_ssize_t length = 0;
    PyObject *storage = spec_of(output) == NULL ? Py_None : SLOT(output, house.storage);
    for (Py_ssize_t k = 0; k < self->arity; k++) {
        PyObject *each = args[k], *spec = self->tensors >> k & 1 ? spec_of(each) : NULL;
        if (!(self->tensors >> k & 1)) {
            if (self->numbers >> k & 1 && is_negative_zero(each)) {
                return PYTHON;
            }
            parts[length++] = each;
            parts[length++] = (PyObject *)Py_TYPE(each);
            continue;
        }
        if (spec == NULL || operands == 3) {
            return PYTHON;
        }
        if (k + 1 < self->arity && (each == output || (storage != Py_None && SLOT(each, house.storage) == storage))) {
            return PYTHON; /* the output shares its memory */
        }
        parts[length++] = spec;
        keys |= keys_of(each);
        addresses[operands++] = address_of(each);
    }
    PyObject *key = PyTuple_New(length);
    if (key == NULL) {
        return NULL;
    }
    for (Py_ssize_t k = 0; k < length; k++) {
        PyTuple_SetItem(key, k, new_reference(parts[k]));
    }
    PyObject *plan = find(self->plans, key);
    Py_DECREF(key);
    void *entry = plan == NULL ? NULL : function_in(plan, PLAN_ADDRESS, PLAN_LENGTH);
    keys |= read_mode_word();
    if (entry == NULL || !is_simple(keys) || keys == house.recorded || is_watched()
        || (keys_of(output) & house.tensor_keys) != house.tensor_keys) { /* made in inference mode */
        return PYTHON;
    }
    Py_INCREF(plan); /* what is allocated may run the garbage collector, and that anything */
    if (version_counter(output) == NULL) {
        Py_DECREF(plan);
        return NULL;
    }
    const double call = PyFloat_AsDouble(PyTuple_GetItem(plan, PLAN_CALL));
    const int32_t status = operands == 2
                               ? ((inplace1 *)entry)(call, addresses[1], addresses[0])
                               : ((inplace2 *)entry)(call, addresses[2], addresses[0], addresses[1]);
    Py_DECREF(plan);
    if (status != 0) {
        return PYTHON;
    }
    return count_write(output) < 0 ? NULL : new_reference(output);
}

/* ---- several outputs, lists of tensors, tensors that may be absent --------------------------------------------- */

/* Note a tensor, or None, and return what it adds to a key; borrowed, NULL for anything else. */
static PyObject *part_of(PyObject *object, Operands *operands) {
    if (operands->count == operands->room || (object != Py_None && !is_tensor(object))) {
        return NULL;
    }
    const int number = operands->count++;
    operands->tensors[number] = object;
    operands->addresses[number] = 0;
    if (object == Py_None) {
        return Py_None;
    }
    if (SLOT(object, house.spec) != NULL) { /* else it was never filled */
        operands->addresses[number] = address_of(object);
        operands->keys |= keys_of(object);
    }
    return SLOT(object, house.spec);
}

/* The part of a key for a list of tensors; a new reference, NULL where it is none or too long. */
static PyObject *part_of_list(PyObject *list, Operands *operands) {
    const int is_tuple = PyTuple_CheckExact(list);
    if (!is_tuple && !PyList_CheckExact(list)) {
        return NULL;
    }
    const Py_ssize_t length = is_tuple ? PyTuple_Size(list) : PyList_Size(list);
    PyObject *part = PyTuple_New(length);
    for (Py_ssize_t k = 0; part != NULL && k < length; k++) {
        PyObject *spec = part_of(is_tuple ? PyTuple_GetItem(list, k) : PyList_GetItem(list, k), operands);
        if (spec == NULL) {
            Py_DECREF(part);
            return NULL;
        }
        PyTuple_SetItem(part, k, new_reference(spec));
    }
    return part;
}

/* The key of a call, as fast_operators.py's; a new reference, NULL (perhaps with an exception) where it has none. */
static PyObject *several_key(Shortcut *self, PyObject *const *args, Operands *operands) {
    Py_ssize_t length = 0;
    for (Py_ssize_t k = 0; k < self->arity; k++) {
        length += self->tensors >> k & 1 ? 1 : 2;
    }
    PyObject *key = PyTuple_New(length);
    for (Py_ssize_t k = 0, filled = 0; key != NULL && k < self->arity; k++) {
        PyObject *each = args[k];
        if (!(self->tensors >> k & 1)) {
            if (self->numbers >> k & 1 && is_negative_zero(each)) {
                Py_DECREF(key);
                return NULL;
            }
            PyTuple_SetItem(key, filled++, new_reference(each));
            PyTuple_SetItem(key, filled++, new_reference((PyObject *)Py_TYPE(each)));
            continue;
        }
        PyObject *part;
        if (self->lists >> k & 1) {
            part = part_of_list(each, operands);
        } else if (each == Py_None && !(self->optionals >> k & 1)) {
            part = NULL;
        } else {
            part = part_of(each, operands);
            Py_XINCREF(part);
        }
        if (part == NULL) {
            Py_DECREF(key);
            return NULL;
        }
        PyTuple_SetItem(key, filled++, part);
    }
    if (key != NULL && length == 1) {
        PyObject *only = new_reference(PyTuple_GetItem(key, 0));
        Py_DECREF(key);
        return only;
    }
    return key;
}

/* The plan of a call with lists or absent tensors, or NULL; never an exception. */
static PyObject *plan_of_lists(Shortcut *self, PyObject *const *args, Operands *operands) {
    PyObject *key = several_key(self, args, operands);
    if (key == NULL) {
        forget_error();
        return NULL;
    }
    PyObject *plan = find(self->plans, key);
    Py_DECREF(key);
    return plan;
}

/* Memory for the outputs, and the kernel.  The outputs' addresses are in ``addresses`` then; 0 where there is no
 * memory or the kernel found a fault. */
static int run_several(PyObject *plan, double *addresses, Py_ssize_t output_count) {
    PyObject *nbytes = PyTuple_GetItem(plan, SEVERAL_NBYTES);
    allocate *take = (allocate *)function_in(plan, SEVERAL_ALLOCATE, SEVERAL_LENGTH);
    give_back *give = (give_back *)function_in(plan, SEVERAL_FREE, SEVERAL_LENGTH);
    run_all *entry = (run_all *)function_in(plan, SEVERAL_RUN, SEVERAL_LENGTH);
    int is_done = 1;
    for (Py_ssize_t k = 0; k < output_count; k++) {
        addresses[k] = take(PyFloat_AsDouble(PyTuple_GetItem(nbytes, k)));
        is_done = is_done && addresses[k] != 0;
    }
    is_done = is_done && entry(PyFloat_AsDouble(PyTuple_GetItem(plan, SEVERAL_CALL)), addresses) == 0;
    for (Py_ssize_t k = 0; !is_done && k < output_count; k++) {
        if (addresses[k] != 0) {
            give(addresses[k]);
        }
    }
    return is_done;
}

PyObject *call_several(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    if ((Py_ssize_t)(count & ~OFFSET_BIT) != self->arity || names != NULL) {
        return elsewhere(self->rest, args, count, names);
    }
    PyObject *tensors[MOST_TENSORS];
    double inputs[MOST_TENSORS], addresses[MOST_TENSORS];
    Operands operands = {.tensors = tensors, .addresses = inputs, .room = MOST_TENSORS};
    PyObject *plan = plan_of_lists(self, args, &operands);
    if (plan == NULL || function_in(plan, SEVERAL_RUN, SEVERAL_LENGTH) == NULL) {
        return PYTHON;
    }
    const long keys = operands.keys | read_mode_word();
    if (!is_simple(keys) || (keys == house.recorded && self->refuses_recording) || is_watched()) {
        return PYTHON;
    }
    PyObject *specs = PyTuple_GetItem(plan, SEVERAL_SPECS);
    const Py_ssize_t output_count = PyTuple_Size(specs);
    if (output_count + operands.count > MOST_TENSORS) {
        return PYTHON;
    }
    memcpy(addresses + output_count, inputs, (size_t)operands.count * sizeof *inputs);
    Py_INCREF(plan);
    const int is_done = run_several(plan, addresses, output_count);
    if (!is_done) {
        Py_DECREF(plan);
        return PYTHON;
    }
    PyObject **outputs = tensors;
    PyObject *result = PyTuple_New(output_count);
    for (Py_ssize_t k = 0; k < output_count; k++) {
        outputs[k] = result == NULL ? NULL : make_tensor(PyTuple_GetItem(specs, k), addresses[k]);
        if (outputs[k] == NULL) { /* no memory for objects: what is left of the numbers is lost with them */
            Py_XDECREF(result);
            Py_DECREF(plan);
            return NULL;
        }
        PyTuple_SetItem(result, k, outputs[k]);
    }
    if (keys == house.recorded && self->recorder != Py_None
        && record(self, args, outputs, output_count, PyLong_AsLongLong(PyTuple_GetItem(plan, SEVERAL_RECORDED)),
                  PyTuple_GetItem(plan, SEVERAL_METADATA))
               < 0) {
        Py_CLEAR(result);
    } else if (self->kind == 1) { /* one output is returned as it is */
        PyObject *only = new_reference(outputs[0]);
        Py_DECREF(result);
        result = only;
    }
    Py_DECREF(plan);
    return result;
}

/* An operator that only writes to tensors among its arguments, an optimizer's step, say. */
PyObject *call_written(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    if ((Py_ssize_t)(count & ~OFFSET_BIT) != self->arity || names != NULL) {
        return elsewhere(self->rest, args, count, names);
    }
    PyObject *tensors[MOST_WRITTEN];
    double addresses[MOST_WRITTEN], ordered[MOST_WRITTEN];
    Operands operands = {.tensors = tensors, .addresses = addresses, .room = MOST_WRITTEN};
    PyObject *plan = plan_of_lists(self, args, &operands);
    run_all *entry = plan == NULL ? NULL : (run_all *)function_in(plan, WRITTEN_RUN, WRITTEN_LENGTH);
    if (entry == NULL) {
        return PYTHON;
    }
    const long keys = operands.keys | read_mode_word();
    if (!is_simple(keys) || keys == house.recorded || is_watched()) {
        return PYTHON;
    }
    PyObject *order = PyTuple_GetItem(plan, WRITTEN_ORDER), *written = PyTuple_GetItem(plan, WRITTEN_POSITIONS);
    for (Py_ssize_t k = 0; k < PyTuple_Size(order); k++) {
        ordered[k] = addresses[PyLong_AsSsize_t(PyTuple_GetItem(order, k))];
    }
    for (Py_ssize_t k = 0; k < PyTuple_Size(written); k++) {
        PyObject *tensor = tensors[PyLong_AsSsize_t(PyTuple_GetItem(written, k))];
        if ((keys_of(tensor) & house.tensor_keys) != house.tensor_keys) { /* made in inference mode */
            return PYTHON;
        }
    }
    Py_INCREF(plan); /* what is allocated may run the garbage collector, and that anything */
    for (Py_ssize_t k = 0; k < PyTuple_Size(written); k++) {
        if (version_counter(tensors[PyLong_AsSsize_t(PyTuple_GetItem(written, k))]) == NULL) {
            Py_DECREF(plan);
            return NULL;
        }
    }
    const int32_t status = entry(PyFloat_AsDouble(PyTuple_GetItem(plan, WRITTEN_CALL)), ordered);
    PyObject *result = status == 0 ? new_reference(Py_None) : NULL;
    for (Py_ssize_t k = 0; status == 0 && result != NULL && k < PyTuple_Size(written); k++) {
        if (count_write(tensors[PyLong_AsSsize_t(PyTuple_GetItem(written, k))]) < 0) {
            Py_CLEAR(result);
        }
    }
    Py_DECREF(plan);
    return status == 0 ? result : PYTHON;
}

/* ---- compositions ---------------------------------------------------------------------------------------------- */

/* The keys of the tensors among an argument's; -1 where it is nothing of the kind. */
static long keys_among(PyObject *object, int is_list) {
    if (object == Py_None) {
        return 0;
    }
    if (!is_list) {
        if (PyFloat_CheckExact(object) || PyLong_CheckExact(object)) {
            return 0; /* a number in a tensor's place */
        }
        return is_tensor(object) && SLOT(object, house.keys) != NULL ? keys_of(object) : -1;
    }
    const int is_tuple = PyTuple_CheckExact(object);
    if (!is_tuple && !PyList_CheckExact(object)) {
        return -1;
    }
    long keys = 0;
    const Py_ssize_t length = is_tuple ? PyTuple_Size(object) : PyList_Size(object);
    for (Py_ssize_t k = 0; k < length; k++) {
        const long own = keys_among(is_tuple ? PyTuple_GetItem(object, k) : PyList_GetItem(object, k), 0);
        if (own < 0) {
            return -1;
        }
        keys |= own;
    }
    return keys;
}

/* Raise what was raised with the operator's name; NULL. */
static PyObject *raise_with_name(Shortcut *self) {
    if (PyErr_ExceptionMatches(house.named)) {
        PyObject *type, *error, *traceback;
        PyErr_Fetch(&type, &error, &traceback);
        PyErr_NormalizeException(&type, &error, &traceback);
        if (traceback != NULL) {
            PyException_SetTraceback(error, traceback);
        }
        PyObject *nothing = PyObject_CallFunctionObjArgs(house.raise_named, self->operator, error, NULL);
        Py_XDECREF(nothing);
        Py_XDECREF(type);
        Py_XDECREF(error);
        Py_XDECREF(traceback);
    }
    return NULL;
}

PyObject *call_composite(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    if ((Py_ssize_t)(count & ~OFFSET_BIT) != self->arity || names != NULL) {
        return elsewhere(self->rest, args, count, names);
    }
    long keys = house.tensor_keys;
    for (Py_ssize_t k = 0; k < self->arity; k++) {
        if (self->tensors >> k & 1) {
            const long own = args[k] == Py_None && !((self->optionals | self->lists) >> k & 1)
                                 ? -1
                                 : keys_among(args[k], (int)(self->lists >> k & 1));
            if (own < 0) {
                return PYTHON;
            }
            keys |= own;
        }
    }
    keys |= read_mode_word();
    if (!is_simple(keys) || (keys == house.recorded && self->refuses_recording) || is_watched()) {
        return PYTHON;
    }
    PyObject *result = elsewhere(self->function, args, count, NULL);
    if (result == NULL) {
        return raise_with_name(self);
    }
    if (Py_TYPE(result) == house.tensor && SLOT(result, house.view_of) != Py_None) {
        PyObject *arguments = PyTuple_New(self->arity);
        for (Py_ssize_t k = 0; arguments != NULL && k < self->arity; k++) {
            PyTuple_SetItem(arguments, k, new_reference(args[k]));
        }
        PyObject *done =
            arguments == NULL ? NULL : PyObject_CallFunctionObjArgs(house.hide_base, result, arguments, NULL);
        Py_XDECREF(arguments);
        if (done == NULL) {
            Py_CLEAR(result);
        }
        Py_XDECREF(done);
    }
    return result;
}
