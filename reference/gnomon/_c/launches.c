/* Shortcuts of operators that launch one kernel at most (fast_launches.py): factories, fills, copies, random numbers. */
#include "house.h"

/* What the kernel is told beside addresses (hot_path.py). */
enum { LAUNCH_PLAIN, LAUNCH_NUMBER, LAUNCH_STREAM };
/* Where a plan has what. */
enum {
    LAUNCH_ENTRY, LAUNCH_CALL, LAUNCH_SPEC, LAUNCH_METADATA, LAUNCH_KEEP, LAUNCH_ADDRESS, LAUNCH_LEAST, LAUNCH_MOST,
    LAUNCH_BLOCKS, LAUNCH_LENGTH
};

/* The entry points of csrc/gnomon.h. */
typedef double call0(double call);
typedef double call1(double call, double a);
typedef double call0_scalar(double call, double number);
typedef double call0_stream(double call, int64_t seed, int64_t counter);
typedef int32_t run1(double call, double out);
typedef int32_t run2(double call, double out, double a);
typedef int32_t run1_scalar(double call, double out, double number);
typedef int32_t run1_stream(double call, double out, int64_t seed, int64_t counter);

#define MOST_ARGUMENTS 24
#define LAST_COUNTER (1LL << 62) /* so far streams are followed here */

/* What a kernel is told. */
typedef struct Told {
    double out, input, number;
    int64_t seed, counter;
} Told;

/* Enter the kernel; the output's address, in place 1; at most 0 where it could not run. */
static double enter(Shortcut *self, void *entry, double call, const Told *told) {
    if (self->is_inplace) {
        int32_t status;
        if (self->kind == LAUNCH_NUMBER) {
            status = ((run1_scalar *)entry)(call, told->out, told->number);
        } else if (self->kind == LAUNCH_STREAM) {
            status = ((run1_stream *)entry)(call, told->out, told->seed, told->counter);
        } else if (self->input >= 0) {
            status = ((run2 *)entry)(call, told->out, told->input);
        } else {
            status = ((run1 *)entry)(call, told->out);
        }
        return status == 0;
    }
    if (self->kind == LAUNCH_NUMBER) {
        return ((call0_scalar *)entry)(call, told->number);
    }
    if (self->kind == LAUNCH_STREAM) {
        return ((call0_stream *)entry)(call, told->seed, told->counter);
    }
    return self->input >= 0 ? ((call1 *)entry)(call, told->input) : ((call0 *)entry)(call);
}

static int set_counter(int64_t counter) {
    PyObject *number = PyLong_FromLongLong(counter);
    const int status = number == NULL ? -1 : PyObject_SetAttr(house.default_generator, house.counter, number);
    Py_XDECREF(number);
    return status;
}

/* Take so many blocks of the default stream.  1, 0 where Python has to, or -1 with an exception. */
static int take_blocks(PyObject *blocks, Told *told) {
    PyObject *seed = PyObject_GetAttr(house.default_generator, house.seed);
    PyObject *counter = PyObject_GetAttr(house.default_generator, house.counter);
    int status = -1;
    if (seed != NULL && counter != NULL) {
        int overflow = 0;
        told->seed = (int64_t)PyLong_AsUnsignedLongLongMask(seed);
        told->counter = PyLong_AsLongLongAndOverflow(counter, &overflow);
        status = overflow || told->counter > LAST_COUNTER ? 0 : 1;
        if (PyErr_Occurred() || (status == 1 && set_counter(told->counter + PyLong_AsLongLong(blocks)) < 0)) {
            status = -1;
        }
    }
    Py_XDECREF(seed);
    Py_XDECREF(counter);
    return status;
}

/* Does the number of a call fit its plan?  Infinities and NaN do where they may come. */
static int fits(PyObject *plan, PyObject *given, double number) {
    return (PyFloat_AsDouble(PyTuple_GetItem(plan, LAUNCH_LEAST)) <= number
            && number <= PyFloat_AsDouble(PyTuple_GetItem(plan, LAUNCH_MOST)))
           || (PyFloat_CheckExact(given) && !isfinite(number));
}

/* The plan of a call, with what the arguments tell; borrowed.  NULL, perhaps with an exception, where Python has to
 * look. */
static PyObject *plan_of(Shortcut *self, PyObject *const *args, Told *told, long *keys) {
    PyObject *parts[2 * MOST_ARGUMENTS], *device = NULL, *plan = NULL;
    Py_ssize_t length = 0;
    for (Py_ssize_t k = 0; k < self->arity; k++) {
        PyObject *each = args[k];
        if (self->tensors >> k & 1) {
            PyObject *spec = spec_of(each);
            if (spec == NULL) {
                goto done;
            }
            *keys |= keys_of(each);
            parts[length++] = spec;
            if (k == self->input) {
                told->input = address_of(each);
            }
        } else if (k == self->number) {
            if (!as_number(each, &told->number)) {
                goto done;
            }
            parts[length++] = (PyObject *)Py_TYPE(each);
        } else if (k == self->device) {
            device = each == Py_None ? PyObject_CallNoArgs(house.default_device) : new_reference(each);
            if (device == NULL) {
                goto done;
            }
            parts[length++] = device;
        } else if (self->numbers >> k & 1 && (is_negative_zero(each) || PyComplex_CheckExact(each))) {
            goto done;
        } else {
            parts[length++] = each;
            parts[length++] = (PyObject *)Py_TYPE(each);
        }
    }
    if (length == 1) { /* as in Python: a key of one part is that part */
        plan = find(self->plans, parts[0]);
    } else {
        PyObject *key = PyTuple_New(length);
        for (Py_ssize_t k = 0; key != NULL && k < length; k++) {
            PyTuple_SetItem(key, k, new_reference(parts[k]));
        }
        plan = key == NULL ? NULL : find(self->plans, key);
        Py_XDECREF(key);
    }
done:
    Py_XDECREF(device);
    return plan;
}

PyObject *call_launch(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    if ((Py_ssize_t)(count & ~OFFSET_BIT) != self->arity || names != NULL) {
        return elsewhere(self->rest, args, count, names);
    }
    Told told = {0};
    long keys = house.tensor_keys;
    PyObject *plan = plan_of(self, args, &told, &keys);
    if (plan == NULL && PyErr_Occurred()) {
        return NULL;
    }
    void *entry = plan == NULL ? NULL : function_in(plan, LAUNCH_ADDRESS, LAUNCH_LENGTH);
    if (entry == NULL || (self->kind == LAUNCH_NUMBER && !fits(plan, args[self->number], told.number))) {
        return PYTHON;
    }
    keys |= read_mode_word();
    if (!is_simple(keys) || (keys == house.recorded && (self->is_inplace || self->refuses_recording)) || is_watched()) {
        return PYTHON;
    }
    Py_INCREF(plan); /* what is allocated may run the garbage collector, and that anything */
    if (self->is_inplace) {
        /* not what was made in inference mode */
        if ((keys_of(args[0]) & house.tensor_keys) != house.tensor_keys || may_overlap(self, args)) {
            Py_DECREF(plan);
            return PYTHON;
        }
        told.out = address_of(args[0]);
        if (version_counter(args[0]) == NULL) {
            Py_DECREF(plan);
            return NULL;
        }
    }
    if (self->kind == LAUNCH_STREAM) {
        const int taken = take_blocks(PyTuple_GetItem(plan, LAUNCH_BLOCKS), &told);
        if (taken <= 0) {
            Py_DECREF(plan);
            return taken == 0 ? PYTHON : NULL;
        }
    }
    const double address = enter(self, entry, PyFloat_AsDouble(PyTuple_GetItem(plan, LAUNCH_CALL)), &told);
    if (!(address > 0)) { /* no memory, or a kernel that found a fault: the readable path says which */
        const int status = self->kind == LAUNCH_STREAM ? set_counter(told.counter) : 0;
        Py_DECREF(plan);
        return status < 0 ? NULL : PYTHON;
    }
    if (self->is_inplace) {
        Py_DECREF(plan);
        return count_write(args[0]) < 0 ? NULL : new_reference(args[0]);
    }
    PyObject *result = make_tensor(PyTuple_GetItem(plan, LAUNCH_SPEC), address);
    PyObject *metadata = PyTuple_GetItem(plan, LAUNCH_METADATA); /* empty where nothing is recorded: of integers */
    if (result != NULL && keys == house.recorded && self->recorder != Py_None && PyTuple_Size(metadata) > 0
        && record(self, args, &result, 1, 1, metadata) < 0) {
        Py_CLEAR(result);
    }
    Py_DECREF(plan);
    return result;
}
