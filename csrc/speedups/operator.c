/* The operator's call (dispatch/dispatcher.py, OpOverload): finds the plan of a call, runs the prepared kernel, fills
 * the results, records the Node. */
#include "speedups.h"

/* The entry points of csrc/gnomon.h. */
typedef double call0(double call);
typedef double call1(double call, double a);
typedef double call2(double call, double a, double b);
typedef double call3(double call, double a, double b, double c);
typedef double call_scalar(double call, double number);
typedef double call_stream(double call, int64_t seed, int64_t counter);
typedef int32_t run1(double call, double out);
typedef int32_t run2(double call, double out, double a);
typedef int32_t run3(double call, double out, double a, double b);
typedef int32_t run_scalar(double call, double out, double number);
typedef int32_t run_stream(double call, double out, int64_t seed, int64_t counter);
typedef int32_t run_array(double call, const double *data);
typedef double allocate(double nbytes);

#define MOST_OUTPUTS 62 /* the recorded ones are bits of a number */
#define LAST_COUNTER ((long long)1 << 62) /* streams are tracked here up to this counter */

_Thread_local Noted *noted;
_Thread_local int nested;
_Thread_local long long warnings_given;
_Thread_local PyObject *launches;
static PyObject *python_call;            /* OpOverload.__call__ in Python */

static int add_operand(Operands *operands, PyObject *object) {
    if (operands->count == MOST_TENSORS) {
        return 0;
    }
    double address = 0;
    if (object != Py_None) {
        const Tensor *tensor = as_tensor(object);
        if (tensor == NULL) {
            return 0;
        }
        address = tensor->address;
        if (isnan(address)) { /* the error comes from Python */
            return 0;
        }
        operands->keys |= tensor->keys;
        operands->common &= tensor->keys;
    }
    operands->objects[operands->count] = object;
    operands->addresses[operands->count++] = address;
    return 1;
}

static int add_operands(Operands *operands, PyObject *list) {
    if (list == Py_None) {
        return 1;
    }
    const int is_tuple = PyTuple_CheckExact(list);
    if (!is_tuple && !PyList_CheckExact(list)) {
        return 0;
    }
    const Py_ssize_t count = is_tuple ? PyTuple_GET_SIZE(list) : PyList_GET_SIZE(list);
    for (Py_ssize_t k = 0; k < count; k++) {
        if (!add_operand(operands, is_tuple ? PyTuple_GET_ITEM(list, k) : PyList_GET_ITEM(list, k))) {
            return 0;
        }
    }
    return 1;
}

/* Collects the tensors of a call. 0 if one of them excludes a plan. */
static int collect(const Operator *self, PyObject *const *args, Operands *operands) {
    operands->count = 0;
    operands->keys = KEY_TENSOR_KEYS;
    operands->common = -1;
    for (Py_ssize_t k = 0; k < self->arity; k++) {
        if (!(self->tensors >> k & 1)) {
            continue;
        }
        double number;
        if (self->lists >> k & 1) {
            if (!add_operands(operands, args[k])) {
                return 0;
            }
        } else if (is_tensor(args[k]) || (args[k] == Py_None && self->optionals >> k & 1)) {
            if (!add_operand(operands, args[k])) {
                return 0;
            }
        } else if (operands->count > 0 && operands->count < MOST_TENSORS && as_number(args[k], &number)
                   && !(self->numbers_fit && is_large(args[k], number))) {
            operands->objects[operands->count] = args[k];
            operands->addresses[operands->count++] = number;
        } else {
            return 0;
        }
    }
    return 1;
}

/* Builds a call's key. 0 if it has none. */
int make_operator_key(const Operator *self, PyObject *const *args, Key *key) {
    begin_key(key);
    for (Py_ssize_t k = 0; k < self->arity; k++) {
        PyObject *each = args[k];
        int is_known;
        if (self->tensors >> k & 1) {
            if (self->lists >> k & 1) {
                is_known = add_tensors(key, each);
            } else if (each == Py_None) {
                is_known = add_value(key, each);
            } else {
                is_known = add_identity(key, is_tensor(each) ? (void *)((Tensor *)each)->spec : (void *)Py_TYPE(each));
            }
        } else if (k == self->number) {
            double number;
            is_known = as_number(each, &number) && add_identity(key, Py_TYPE(each));
        } else if (k == self->device) {
            is_known = add_device(key, each);
        } else {
            is_known = (k != self->generator || each == Py_None) && add_value(key, each);
        }
        if (!is_known) {
            return 0;
        }
    }
    return 1;
}

/* ---- kernels --------------------------------------------------------------------------------------------------- */

/* The kernel's arguments besides addresses. */
typedef struct Told {
    double number;
    int64_t seed;
    long long counter;
} Told;

/* Does the kernel accept the number? Infinities and NaN only for floats. */
static int take_number(const PlanFields *plan, PyObject *const *args, Told *told) {
    if (plan->number < 0) {
        return 1;
    }
    PyObject *object = args[plan->number];
    if (!as_number(object, &told->number)) {
        return 0;
    }
    if (PyFloat_CheckExact(object) && !isfinite(told->number)) {
        return 1;
    }
    return told->number >= plan->least && told->number <= plan->most;
}

static int set_counter(long long counter) {
    PyObject *number = PyLong_FromLongLong(counter);
    if (number == NULL) {
        return -1;
    }
    PyObject *name = PyUnicode_InternFromString("_counter");
    const int status = name == NULL ? -1 : PyObject_SetAttr(facts.default_generator, name, number);
    Py_XDECREF(name);
    Py_DECREF(number);
    return status;
}

/* Reads the position of the default generator's stream, and advances it by so many blocks. 1; 0 if that is beyond what
 * is tracked here; or -1 with an exception. */
static int take_blocks(int64_t blocks, Told *told) {
    static PyObject *name_seed, *name_counter;
    PyObject *seed = attribute_of(facts.default_generator, &name_seed, "_seed");
    PyObject *counter = attribute_of(facts.default_generator, &name_counter, "_counter");
    int overflow = 0, status = -1;
    if (seed != NULL && counter != NULL) {
        told->seed = (int64_t)PyLong_AsUnsignedLongLongMask(seed);
        told->counter = PyLong_AsLongLongAndOverflow(counter, &overflow);
        if (PyErr_Occurred() == NULL) {
            status = overflow != 0 || told->counter > LAST_COUNTER ? 0 : set_counter(told->counter + blocks) < 0 ? -1 : 1;
        }
    }
    Py_XDECREF(seed);
    Py_XDECREF(counter);
    return status;
}

static void *function_of(const PlanFields *plan) {
    return (void *)(uintptr_t)plan->function;
}

static give_back *free_of(const PlanFields *plan) {
    return (give_back *)(uintptr_t)plan->free;
}

/* Calls a kernel that has no machine code through Python: its result as a double; NaN with an exception. */
static double enter_python(const PlanFields *plan, const double *data, Py_ssize_t count) {
    PyObject *arguments = PyTuple_New(count + 1), *call = PyFloat_FromDouble(plan->call);
    if (arguments == NULL || call == NULL) {
        Py_XDECREF(arguments);
        Py_XDECREF(call);
        return NAN;
    }
    PyTuple_SET_ITEM(arguments, 0, call);
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *each = PyFloat_FromDouble(data[k]);
        if (each == NULL) {
            Py_DECREF(arguments);
            return NAN;
        }
        PyTuple_SET_ITEM(arguments, k + 1, each);
    }
    PyObject *returned = PyObject_CallObject(plan->callable, arguments);
    Py_DECREF(arguments);
    const double result = returned == NULL ? NAN : PyFloat_AsDouble(returned);
    Py_XDECREF(returned);
    return PyErr_Occurred() != NULL ? NAN : result;
}

/* Calls a kernel that allocates its output: returns the address, or a number <= 0 if there is none. */
static double enter_new(const PlanFields *plan, const double *data, const Told *told) {
    void *entry = function_of(plan);
    if (entry == NULL && plan->entry != ENTRY_CALL_STREAM) {
        double given[4] = {0};
        memcpy(given, data, (size_t)plan->order_count * sizeof *given);
        if (plan->entry == ENTRY_CALL_SCALAR) {
            given[plan->order_count] = told->number;
        }
        return enter_python(plan, given, plan->order_count + (plan->entry == ENTRY_CALL_SCALAR));
    }
    switch (plan->entry) {
    case ENTRY_NOTHING: return ((allocate *)entry)(plan->nbytes[0]);
    case ENTRY_CALL_SCALAR: return ((call_scalar *)entry)(plan->call, told->number);
    case ENTRY_CALL_STREAM: return ((call_stream *)entry)(plan->call, told->seed, told->counter);
    default: break;
    }
    switch (plan->order_count) {
    case 0: return ((call0 *)entry)(plan->call);
    case 1: return ((call1 *)entry)(plan->call, data[0]);
    case 2: return ((call2 *)entry)(plan->call, data[0], data[1]);
    default: return ((call3 *)entry)(plan->call, data[0], data[1], data[2]);
    }
}

int enters_directly(const PlanFields *plan) {
    return plan->kind == KIND_NEW && (plan->entry == ENTRY_CALL || plan->entry == ENTRY_CALL_NUMBER)
           && plan->function != 0 && plan->number < 0 && plan->returned == 1;
}

PyObject *enter_directly(PlanObject *object, const double *data) {
    const PlanFields *plan = &object->plan;
    const double address = enter_new(plan, data, NULL);
    if (!(address > 0)) {
        return NULL;
    }
    return (PyObject *)make_tensor(PyTuple_GET_ITEM(plan->specs, 0), address, free_of(plan));
}

int record_directly(Operator *self, PlanObject *object, PyObject *const *args, Tensor *output) {
    if (!self->is_recorded || object->plan.recorded == 0) {
        return 0;
    }
    PyObject *inputs[MOST_ARGUMENTS];
    Py_ssize_t count = 0;
    for (Py_ssize_t k = 0; k < self->arity; k++) {
        if (self->tensors >> k & 1) {
            inputs[count++] = args[k];
        }
    }
    return record(self, object, args, inputs, count, &output);
}

/* Calls a kernel whose output is among the addresses. Returns its status. */
static int32_t enter_written(const PlanFields *plan, const double *data, const Told *told) {
    void *entry = function_of(plan);
    if (entry == NULL) {
        double given[5] = {0};
        memcpy(given, data, (size_t)plan->order_count * sizeof *given);
        if (plan->entry == ENTRY_RUN_SCALAR) {
            given[plan->order_count] = told->number;
        }
        const double status = enter_python(plan, given, plan->order_count + (plan->entry == ENTRY_RUN_SCALAR));
        return isnan(status) ? -1 : (int32_t)status;
    }
    switch (plan->entry) {
    case ENTRY_ARRAY: return ((run_array *)entry)(plan->call, data);
    case ENTRY_RUN_SCALAR: return ((run_scalar *)entry)(plan->call, data[0], told->number);
    case ENTRY_RUN_STREAM: return ((run_stream *)entry)(plan->call, data[0], told->seed, told->counter);
    default: break;
    }
    switch (plan->order_count) {
    case 1: return ((run1 *)entry)(plan->call, data[0]);
    case 2: return ((run2 *)entry)(plan->call, data[0], data[1]);
    default: return ((run3 *)entry)(plan->call, data[0], data[1], data[2]);
    }
}

/* Allocates several outputs and runs the kernel. 1; 0 if memory is exhausted or the kernel reports a fault. */
static int run_several(const PlanFields *plan, double *data) {
    allocate *take = (allocate *)(uintptr_t)plan->allocate;
    int is_done = 1;
    for (Py_ssize_t k = 0; k < plan->nbytes_count; k++) {
        data[k] = take(plan->nbytes[k]);
        is_done = is_done && data[k] != 0;
    }
    is_done = is_done && ((run_array *)function_of(plan))(plan->call, data) == 0;
    for (Py_ssize_t k = 0; !is_done && k < plan->nbytes_count; k++) {
        if (data[k] != 0) {
            free_of(plan)(data[k]);
        }
    }
    return is_done;
}

/* The same through Python: ``callable(addresses of the inputs)`` returns those of the outputs, or None. */
static int run_several_in_python(const PlanFields *plan, double *data) {
    PyObject *inputs = PyList_New(plan->order_count);
    for (Py_ssize_t k = 0; inputs != NULL && k < plan->order_count; k++) {
        PyObject *each = PyFloat_FromDouble(data[plan->nbytes_count + k]);
        if (each == NULL) {
            Py_CLEAR(inputs);
        } else {
            PyList_SET_ITEM(inputs, k, each);
        }
    }
    PyObject *found = inputs == NULL ? NULL : PyObject_CallOneArg(plan->callable, inputs);
    Py_XDECREF(inputs);
    const int is_done = found != NULL && PyList_Check(found) && PyList_GET_SIZE(found) == plan->nbytes_count;
    for (Py_ssize_t k = 0; is_done && k < plan->nbytes_count; k++) {
        data[k] = PyFloat_AsDouble(PyList_GET_ITEM(found, k));
    }
    Py_XDECREF(found);
    return is_done;
}

static PyObject *run_new(Operator *self, PlanObject *object, PyObject *const *args, const Operands *operands,
                         int is_recorded) {
    const PlanFields *plan = &object->plan;
    Told told = {0};
    if (!take_number(plan, args, &told)) {
        return NULL;
    }
    Tensor *outputs[MOST_OUTPUTS];
    double few[8], *data = few, *many = NULL;
    const Py_ssize_t made = plan->nbytes_count, start = plan->entry == ENTRY_ARRAY ? made : 0;
    if (start + plan->order_count > 8) {
        data = many = PyMem_Malloc((size_t)(start + plan->order_count) * sizeof *data);
        if (many == NULL) {
            return PyErr_NoMemory();
        }
    }
    for (Py_ssize_t k = 0; k < plan->order_count; k++) {
        data[start + k] = operands->addresses[plan->order[k]];
    }
    int is_done;
    if (plan->entry == ENTRY_ARRAY) {
        is_done = function_of(plan) == NULL ? run_several_in_python(plan, data) : run_several(plan, data);
    } else {
        if (plan->entry == ENTRY_CALL_STREAM) {
            const int taken = take_blocks(plan->blocks, &told);
            if (taken <= 0) {
                return NULL;
            }
        }
        data[0] = enter_new(plan, data, &told);
        is_done = data[0] > 0;
        if (!is_done && plan->entry == ENTRY_CALL_STREAM) {
            set_counter(told.counter);
        }
    }
    PyObject *result = NULL;
    if (is_done && PyErr_Occurred() == NULL) {
        result = plan->returned == 1 ? NULL : PyTuple_New(made);
        int status = plan->returned == 1 || result != NULL ? 0 : -1;
        for (Py_ssize_t k = 0; k < made && status == 0; k++) {
            outputs[k] = make_tensor(PyTuple_GET_ITEM(plan->specs, k), data[k], free_of(plan));
            status = outputs[k] == NULL ? -1 : 0; /* no memory for objects: the remaining outputs are leaked */
            if (plan->returned == 1) {
                result = (PyObject *)outputs[k];
            } else if (status == 0) {
                PyTuple_SET_ITEM(result, k, (PyObject *)outputs[k]);
            }
        }
        if (status == 0 && is_recorded && self->is_recorded && plan->recorded != 0) {
            status = record(self, object, args, operands->objects, operands->count, outputs);
        }
        if (status < 0) {
            Py_CLEAR(result);
        }
    }
    PyMem_Free(many);
    return result;
}

/* Of several written tensors, at most so many are compared with the other operands: an out= variant has no more. */
enum { COMPARED_OUTPUTS = 4 };

/* Does an input share memory with a written tensor, without being the same tensor? */
static int may_overlap(const PlanFields *plan, const Operands *operands) {
    if (plan->written_count > COMPARED_OUTPUTS) { /* of a list of tensors, which are written in place */
        return 0;
    }
    for (Py_ssize_t number = 0; number < plan->written_count; number++) {
        const Py_ssize_t place = (Py_ssize_t)plan->written[number];
        const Tensor *output = (Tensor *)operands->objects[place];
        for (Py_ssize_t k = 0; k < operands->count; k++) {
            PyObject *each = operands->objects[k];
            if (k == place || !is_tensor(each)) {
                continue;
            }
            if (each == (PyObject *)output) {
                if (plan->is_exclusive) {
                    return 1;
                }
            } else if (home_of(output) != NULL && home_of((Tensor *)each) == home_of(output)) {
                return 1;
            }
        }
    }
    return 0;
}

static PyObject *run_written(PlanObject *object, PyObject *const *args, const Operands *operands) {
    const PlanFields *plan = &object->plan;
    Told told = {0};
    if (!take_number(plan, args, &told) || may_overlap(plan, operands)) {
        return NULL;
    }
    for (Py_ssize_t k = 0; k < plan->written_count; k++) {
        Tensor *tensor = (Tensor *)operands->objects[plan->written[k]];
        if ((tensor->keys & KEY_TENSOR_KEYS) != KEY_TENSOR_KEYS) { /* made in inference mode */
            return NULL;
        }
        if (version_counter(tensor) == NULL) {
            return NULL;
        }
    }
    double few[8], *data = few, *many = NULL;
    if (plan->order_count > 8) {
        data = many = PyMem_Malloc((size_t)plan->order_count * sizeof *data);
        if (many == NULL) {
            return PyErr_NoMemory();
        }
    }
    for (Py_ssize_t k = 0; k < plan->order_count; k++) {
        data[k] = operands->addresses[plan->order[k]];
    }
    if (plan->entry == ENTRY_RUN_STREAM && take_blocks(plan->blocks, &told) <= 0) {
        PyMem_Free(many);
        return NULL;
    }
    const int32_t status = enter_written(plan, data, &told);
    PyMem_Free(many);
    if (status != 0) {
        if (plan->entry == ENTRY_RUN_STREAM && PyErr_Occurred() == NULL) {
            set_counter(told.counter);
        }
        return NULL;
    }
    for (Py_ssize_t k = 0; k < plan->written_count; k++) {
        ((Version *)((Tensor *)operands->objects[plan->written[k]])->version)->value++;
    }
    switch (plan->returned) {
    case 0: return new_reference(Py_None);
    case 1: return new_reference(operands->objects[plan->written[0]]);
    default: break; /* all written tensors, in order */
    }
    PyObject *written = PyTuple_New(plan->written_count);
    for (Py_ssize_t k = 0; written != NULL && k < plan->written_count; k++) {
        PyTuple_SET_ITEM(written, k, new_reference(operands->objects[plan->written[k]]));
    }
    return written;
}

PyObject *tuple_of(PyObject *const *args, Py_ssize_t count) {
    PyObject *made = PyTuple_New(count);
    for (Py_ssize_t k = 0; made != NULL && k < count; k++) {
        PyTuple_SET_ITEM(made, k, new_reference(args[k]));
    }
    return made;
}

/* Notifies observers of a beginning; returns the argument of ``tell_end``, or NULL with an exception. Steals the
 * arguments' reference. */
static PyObject *tell_start(PyObject *scope, PyObject *name, PyObject *arguments) {
    PyObject *token =
        arguments == NULL ? NULL : PyObject_CallFunctionObjArgs(facts.start, scope, name, arguments, NULL);
    Py_XDECREF(arguments);
    return token;
}

/* Notifies observers of the end, with success and result; None for a kernel, which writes to its arguments. An
 * exception raised here replaces the result. */
static PyObject *tell_end(PyObject *token, PyObject *result, int is_kernel) {
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyObject *done = PyObject_CallFunctionObjArgs(facts.end, token, result == NULL ? Py_False : Py_True,
                                                  result == NULL || is_kernel ? Py_None : result, NULL);
    Py_DECREF(token);
    if (done == NULL) {
        Py_XDECREF(type);
        Py_XDECREF(error);
        Py_XDECREF(traceback);
        Py_CLEAR(result);
    } else {
        Py_DECREF(done);
        PyErr_Restore(type, error, traceback);
    }
    return result;
}

PyObject *run_kind(Operator *self, PlanObject *object, PyObject *const *args, const Operands *operands,
                          int64_t keys) {
    switch (object->plan.kind) {
    case KIND_NEW: return run_new(self, object, args, operands, records(keys));
    case KIND_WRITTEN: return run_written(object, args, operands);
    case KIND_VIEW: return run_view(self, object, args, keys);
    case KIND_SELF: return new_reference(args[0]);
    default: return run_views(self, object, args, keys);
    }
}

/* The same with observers: of the operator, and of its kernel. */
static PyObject *run_told(Operator *self, PlanObject *object, PyObject *const *args, const Operands *operands,
                          int64_t keys) {
    PyObject *token = tell_start(facts.function_scope, self->name, tuple_of(args, self->arity));
    if (token == NULL) {
        return NULL;
    }
    PyObject *result = NULL, *kernel = NULL;
    const PlanFields *plan = &object->plan;
    const int has_kernel = plan->kind <= KIND_WRITTEN && plan->entry != ENTRY_NOTHING;
    if (has_kernel) {
        PyObject *spec = PyTuple_GET_SIZE(plan->specs) > 0 ? PyTuple_GET_ITEM(plan->specs, 0)
                                                            : ((Tensor *)operands->objects[plan->written[0]])->spec;
        PyObject *tensors = tuple_of(operands->objects, operands->count);
        PyObject *launch = tensors == NULL ? NULL : PyTuple_Pack(2, SLOT(spec, facts.device), tensors);
        Py_XDECREF(tensors);
        kernel = tell_start(facts.kernel_scope, plan->kernel_name, launch);
    }
    if (!has_kernel || kernel != NULL) {
        result = run_kind(self, object, args, operands, keys);
    }
    if (kernel != NULL) {
        result = tell_end(kernel, result, 1);
    }
    if (result == NULL && PyErr_Occurred() == NULL) { /* the kernel has declined: Python continues */
        PyObject *arguments = tuple_of(args, self->arity);
        const long long active = (keys | read_mode_word()) & KEY_ALL_KEYS & ~(read_mode_word() >> KEY_EXCLUDED_SHIFT);
        result = arguments == NULL ? NULL
                                   : PyObject_CallMethod((PyObject *)self, "redispatch", "LO", active, arguments);
        Py_XDECREF(arguments);
    }
    return tell_end(token, result, 0);
}

static int64_t excluded_above(const Operator *self) {
    return self->composite == NULL && !self->is_written ? KEY_ABOVE : 0;
}

/* `ignored`: keys that do not matter for this call. */
static PyObject *run_collected(Operator *self, PlanObject *object, PyObject *const *args, const Operands *operands,
                               int64_t ignored) {
    const int64_t kind = object->plan.kind;
    const int64_t word = read_mode_word() & ~ignored, seen = is_told(word) ? KEY_OBSERVED_BIT : 0;
    const int64_t keys = (operands->keys | word) & ~seen;
    const int64_t above = kind == KIND_NEW || kind == KIND_VIEW ? excluded_above(self) : 0;
    if (!is_simple(keys & ~above) || (seen && self->calls_others)) { /* which observers see as well */
        return NULL;
    }
    if (records(keys)
        && (self->refuses_recording || object->plan.kind == KIND_WRITTEN
            || (operands->common & KEY_TENSOR_KEYS) != KEY_TENSOR_KEYS)) {
        return NULL;
    }
    Py_INCREF(object); /* allocation may run the garbage collector, and so arbitrary code */
    const Py_ssize_t held = self->lists ? operands->count : 0; /* a list may be changed meanwhile */
    for (Py_ssize_t k = 0; k < held; k++) {
        Py_INCREF(operands->objects[k]);
    }
    PyObject *result = seen ? run_told(self, object, args, operands, keys)
                            : run_kind(self, object, args, operands, keys);
    for (Py_ssize_t k = 0; k < held; k++) {
        Py_DECREF(operands->objects[k]);
    }
    Py_DECREF(object);
    return result;
}

PyObject *run_plan(Operator *self, PlanObject *object, PyObject *const *args) {
    Operands operands;
    return collect(self, args, &operands) ? run_collected(self, object, args, &operands, 0) : NULL;
}

/* ---- running in Python, and learning plans ---------------------------------------------------------------------- */

PyObject *call_readable(Operator *self, PyObject *const *args, Py_ssize_t count) {
    PyObject *few[26], **all = few;
    if (count + 1 > 26) {
        all = PyMem_Malloc((size_t)(count + 1) * sizeof *all);
        if (all == NULL) {
            return PyErr_NoMemory();
        }
    }
    all[0] = (PyObject *)self;
    memcpy(all + 1, args, (size_t)count * sizeof *all);
    PyObject *result = PyObject_Vectorcall(python_call, all, (size_t)count + 1, NULL);
    if (all != few) {
        PyMem_Free(all);
    }
    return result;
}

/* after_launch(...): called for each launch of a backend's own kernel (calls/launch.py). */
PyObject *after_launch(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    (void)module;
    note_more(); /* one outside any operator's call */
    if (launches != NULL) {
        PyObject *launch = PyTuple_New(count);
        for (Py_ssize_t k = 0; launch != NULL && k < count; k++) {
            PyTuple_SET_ITEM(launch, k, new_reference(args[k]));
        }
        const int status = launch == NULL ? -1 : PyList_Append(launches, launch);
        Py_XDECREF(launch);
        if (status < 0) {
            return NULL;
        }
    }
    Py_RETURN_NONE;
}

/* The objects whose addresses are words of a key. */
static int hold(PyObject *held, PyObject *value) {
    if (is_tensor(value)) {
        return PyList_Append(held, ((Tensor *)value)->spec);
    }
    const int is_tuple = PyTuple_Check(value);
    if (is_tuple || PyList_CheckExact(value)) {
        const Py_ssize_t count = is_tuple ? PyTuple_GET_SIZE(value) : PyList_GET_SIZE(value);
        for (Py_ssize_t k = 0; k < count; k++) {
            if (hold(held, is_tuple ? PyTuple_GET_ITEM(value, k) : PyList_GET_ITEM(value, k)) < 0) {
                return -1;
            }
        }
        return 0;
    }
    return PyList_Append(held, value);
}

PyObject *held_by(PyObject *const *args, Py_ssize_t count) {
    PyObject *held = PyList_New(0), *scope = NULL;
    int status = held == NULL ? -1 : PyContextVar_Get(facts.scoped_devices, NULL, &scope);
    if (status == 0 && scope != NULL) {
        status = PyList_Append(held, scope);
        Py_DECREF(scope);
    }
    for (Py_ssize_t k = 0; status == 0 && k < count; k++) {
        status = hold(held, args[k]);
    }
    if (status < 0) {
        Py_CLEAR(held);
    }
    return held;
}

/* Runs in Python, and stores a plan under the key. */
static PyObject *learn(Operator *self, const Key *key, PyObject *const *args) {
    PyObject *outer = launches, *mine = PyList_New(0);
    if (mine == NULL) {
        return NULL;
    }
    launches = mine;
    const long long warned = warnings_given;
    PyObject *result = call_readable(self, args, self->arity);
    launches = outer;
    if (warned != warnings_given) { /* which the next call must repeat */
        Py_DECREF(mine);
        return result;
    }
    PyObject *arguments = result == NULL ? NULL : tuple_of(args, self->arity);
    PyObject *declared = arguments == NULL
                             ? NULL
                             : PyObject_CallFunctionObjArgs(facts.learn, self, arguments, result, mine, NULL);
    Py_XDECREF(arguments);
    Py_DECREF(mine);
    PyObject *plan = declared == NULL ? NULL : plan_from(declared);
    Py_XDECREF(declared);
    Key after;
    if (plan != NULL && (!make_operator_key(self, args, &after) || after.hash != key->hash)) {
        Py_DECREF(plan); /* an output was resized: the next one may have the old sizes */
        return result;
    }
    if (plan == NULL || keep_row(&self->plans, key, held_by(args, self->arity), plan) < 0) {
        Py_CLEAR(result);
    }
    Py_XDECREF(plan);
    return result;
}

static unsigned bits_of(PyObject *found, Py_ssize_t place) {
    return (unsigned)PyLong_AsUnsignedLong(PyTuple_GET_ITEM(found, place));
}

/* Gets the facts about this operator from learning.py. 0, or -1 with an exception. */
static int prepare(Operator *self) {
    PyObject *found = PyObject_CallOneArg(facts.prepare, (PyObject *)self);
    if (found == NULL) {
        return -1;
    }
    if (found == Py_None) {
        self->is_readable = 1;
    } else {
        self->tensors = bits_of(found, 0);
        self->lists = bits_of(found, 1);
        self->optionals = bits_of(found, 2);
        self->number = (int)PyLong_AsLong(PyTuple_GET_ITEM(found, 3));
        self->device = (int)PyLong_AsLong(PyTuple_GET_ITEM(found, 4));
        self->generator = (int)PyLong_AsLong(PyTuple_GET_ITEM(found, 5));
        self->numbers_fit = (int)bits_of(found, 6);
        self->is_written = (int)bits_of(found, 7);
        self->refuses_recording = (int)bits_of(found, 8);
        fill(&self->recorder, new_reference(PyTuple_GET_ITEM(found, 9)));
        self->is_recorded = self->recorder != Py_None;
        PyObject *composite = PyTuple_GET_ITEM(found, 10);
        fill(&self->composite, composite == Py_None ? NULL : new_reference(composite));
        self->composite_refuses_recording = (int)bits_of(found, 11);
        self->makes_view = (int)bits_of(found, 12);
        self->only_allocates = (int)bits_of(found, 13);
        self->calls_others = (int)bits_of(found, 14);
    }
    Py_DECREF(found);
    if (PyErr_Occurred() != NULL) {
        return -1;
    }
    self->is_prepared = 1;
    return 0;
}

static PyObject *call_complete(Operator *self, PyObject *const *args) {
    if (!self->is_prepared && prepare(self) < 0) {
        return NULL;
    }
    Operands operands;
    if (self->is_readable || launches != NULL || !collect(self, args, &operands)) {
        return call_readable(self, args, self->arity);
    }
    if (self->composite != NULL) {
        PyObject *result = run_composite(self, args, &operands);
        return result != NULL || PyErr_Occurred() != NULL ? result : call_readable(self, args, self->arity);
    }
    const int64_t whole_word = read_mode_word();
    int64_t ignored = 0;
    if (whole_word >= 0 && (operands.keys | whole_word) & KEY_BATCHED) {
        int is_plain = 0;
        const int are_normal = (operands.common & KEY_TENSOR_KEYS) == KEY_TENSOR_KEYS;
        PyObject *result =
            are_normal ? call_batched(self, args, operands.keys | whole_word, whole_word, &is_plain) : NULL;
        if (result != NULL || PyErr_Occurred() != NULL) {
            return result;
        }
        if (!is_plain) {
            return call_readable(self, args, self->arity);
        }
        ignored = KEY_BATCHED;
    }
    Key key;
    if (!make_operator_key(self, args, &key)) {
        forget_error();
        return call_readable(self, args, self->arity);
    }
    Row *row = find_row(&self->plans, &key);
    if (row != NULL) {
        if (row->found != Py_None) {
            PyObject *result = run_collected(self, (PlanObject *)row->found, args, &operands, ignored);
            if (result != NULL || PyErr_Occurred() != NULL) {
                return result;
            }
        }
        return call_readable(self, args, self->arity);
    }
    ignored |= excluded_above(self);
    const int64_t word = whole_word < 0 ? whole_word : whole_word & ~ignored;
    const int64_t keys = (operands.keys | word) & ~(is_told(word) ? (int64_t)KEY_OBSERVED_BIT : 0);
    if (!is_simple(keys) || (records(keys) && (self->is_written || self->refuses_recording))) {
        return call_readable(self, args, self->arity);
    }
    return learn(self, &key, args);
}

PyObject *plan_of(Operator *self, PyObject *const *args) {
    Key key;
    int is_known = make_operator_key(self, args, &key);
    if (self->composite != NULL) { /* its outcome if nothing is recorded */
        is_known = is_known && add_word(&key, 0);
    }
    Row *row = is_known ? find_row(&self->plans, &key) : NULL;
    return row == NULL || row->found == Py_None ? NULL : row->found;
}

PyObject *call_operator(Operator *self, PyObject *const *args, Py_ssize_t count) {
    return count == self->arity ? call_complete(self, args) : call_readable(self, args, count);
}

/* Not all arguments, or keywords: completes them first. */
static PyObject *call_incomplete(Operator *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
    PyObject *given = tuple_of(args, count), *keywords = PyDict_New();
    int status = given == NULL || keywords == NULL ? -1 : 0;
    for (Py_ssize_t k = 0; status == 0 && names != NULL && k < PyTuple_GET_SIZE(names); k++) {
        status = PyDict_SetItem(keywords, PyTuple_GET_ITEM(names, k), args[count + k]);
    }
    PyObject *complete =
        status < 0 ? NULL : PyObject_CallMethod((PyObject *)self, "complete", "OO", given, keywords);
    Py_XDECREF(given);
    Py_XDECREF(keywords);
    PyObject *result = NULL;
    if (complete != NULL && PyTuple_Check(complete)) {
        result = call_operator(self, &PyTuple_GET_ITEM(complete, 0), PyTuple_GET_SIZE(complete));
    }
    Py_XDECREF(complete);
    return result;
}

/* A deeply nested call, which may have little stack left. It is not learnt. */
static PyObject *call_nested(Operator *self, PyObject *const *args, size_t given, PyObject *names) {
    const Py_ssize_t count = PyVectorcall_NARGS(given);
    if (names == NULL) {
        return call_readable(self, args, count);
    }
    PyObject *method = PyMethod_New(python_call, (PyObject *)self);
    PyObject *result = method == NULL ? NULL : PyObject_Vectorcall(method, args, (size_t)count, names);
    Py_XDECREF(method);
    return result;
}

static PyObject *vectorcall(PyObject *callable, PyObject *const *args, size_t given, PyObject *names) {
    Operator *self = (Operator *)callable;
    const Py_ssize_t count = PyVectorcall_NARGS(given);
    if (facts.learn == NULL) { /* gnomon is being imported: nothing is registered yet */
        PyObject *bound = PyMethod_New(python_call, callable);
        PyObject *result = bound == NULL ? NULL : PyObject_Vectorcall(bound, args, (size_t)count, names);
        Py_XDECREF(bound);
        return result;
    }
    Noted *outer = noted;
    if (nested >= MOST_NESTED) {
        note_more();
        noted = NULL;
        PyObject *result = call_nested(self, args, given, names);
        noted = outer;
        return result;
    }
    noted = NULL; /* its own calls are not noted */
    nested++;
    PyObject *result = names == NULL && count == self->arity ? call_complete(self, args)
                                                             : call_incomplete(self, args, count, names);
    nested--;
    noted = outer;
    if (outer != NULL && outer->steps != NULL && result != NULL && names == NULL && count == self->arity) {
        PyObject *arguments = tuple_of(args, count);
        PyObject *step = arguments == NULL ? NULL : PyTuple_Pack(3, callable, arguments, result);
        if (step == NULL || PyList_Append(outer->steps, step) < 0) {
            Py_CLEAR(result);
        }
        Py_XDECREF(arguments);
        Py_XDECREF(step);
    }
    if (outer != NULL && result != NULL && outer->count++ == 0 && names == NULL && count == self->arity) {
        outer->operator= (Operator *)new_reference(callable);
        outer->arguments = tuple_of(args, count);
        outer->result = new_reference(result);
        if (outer->arguments == NULL) {
            Py_CLEAR(result);
        }
    }
    return result;
}

/* ---- the class ------------------------------------------------------------------------------------------------- */

static PyObject *make(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    (void)args;
    (void)keywords;
    Operator *self = (Operator *)PyType_GenericAlloc(type, 0);
    if (self != NULL) {
        self->call = vectorcall;
        self->number = self->device = self->generator = -1;
    }
    return (PyObject *)self;
}

static int traverse(PyObject *object, visitproc visit, void *arg) {
    Operator *self = (Operator *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->table_of_keys);
    Py_VISIT(self->kernels);
    Py_VISIT(self->lengths);
    Py_VISIT(self->name);
    Py_VISIT(self->record);
    Py_VISIT(self->schema);
    Py_VISIT(self->tensor_positions);
    Py_VISIT(self->attributes);
    Py_VISIT(self->composite);
    Py_VISIT(self->recorder);
    return 0;
}

static int clear(PyObject *object) {
    Operator *self = (Operator *)object;
    Py_CLEAR(self->table_of_keys);
    Py_CLEAR(self->kernels);
    Py_CLEAR(self->lengths);
    Py_CLEAR(self->name);
    Py_CLEAR(self->record);
    Py_CLEAR(self->schema);
    Py_CLEAR(self->tensor_positions);
    Py_CLEAR(self->attributes);
    Py_CLEAR(self->composite);
    Py_CLEAR(self->recorder);
    clear_table(&self->plans);
    clear_table(&self->batched);
    return 0;
}

static void deallocate(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    if (((Operator *)object)->weak_references != NULL) {
        PyObject_ClearWeakRefs(object);
    }
    clear(object);
    type->tp_free(object);
    Py_DECREF(type);
}

/* clears the plans of one operator, after kernels were registered for it. */
static PyObject *forget(PyObject *object, PyObject *nothing) {
    (void)nothing;
    clear_table(&((Operator *)object)->plans);
    clear_table(&((Operator *)object)->batched);
    ((Operator *)object)->is_prepared = 0;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"_forget_plans", forget, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};

static PyMemberDef members[] = {
    {"_table", T_OBJECT_EX, offsetof(Operator, table_of_keys), 0, NULL},
    {"kernels", T_OBJECT_EX, offsetof(Operator, kernels), 0, NULL},
    {"lengths", T_OBJECT_EX, offsetof(Operator, lengths), 0, NULL},
    {"name", T_OBJECT_EX, offsetof(Operator, name), 0, NULL},
    {"record", T_OBJECT_EX, offsetof(Operator, record), 0, NULL},
    {"schema", T_OBJECT_EX, offsetof(Operator, schema), 0, NULL},
    {"tensor_positions", T_OBJECT_EX, offsetof(Operator, tensor_positions), 0, NULL},
    {"arity", T_PYSSIZET, offsetof(Operator, arity), 0, NULL},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Operator, call), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(Operator, attributes), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Operator, weak_references), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, (void *)make},           {Py_tp_call, (void *)PyVectorcall_Call}, {Py_tp_dealloc, (void *)deallocate},
    {Py_tp_traverse, (void *)traverse},  {Py_tp_clear, (void *)clear},            {Py_tp_members, members},
    {Py_tp_methods, methods},            {0, NULL},
};

static PyType_Spec spec = {
    "gnomon.OpOverload",
    sizeof(Operator),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    slots,
};

PyTypeObject *make_operator_type(PyObject *python) {
    python_call = PyObject_GetAttrString(python, "__call__");
    return python_call == NULL ? NULL : made_like(&spec, python, "__call__");
}
