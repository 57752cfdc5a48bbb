/* Calls under one vmap (func/batching.py).
 *
 * A batching rule calls operators on the values of batched tensors. These calls depend only on the specs and keys of
 * the examples and of the values, and on all non-tensor arguments. So a rule is observed once per such key; later its
 * calls are repeated below the vmap, and the result of the last one is wrapped. Each of them has its own plan. Nested
 * vmaps, dual levels, observers, and writes run in Python. */
#include "speedups.h"

#define NO_AUTOGRAD ((int64_t)KEY_AUTOGRAD << KEY_EXCLUDED_SHIFT)
#define NO_VIEWS ((int64_t)KEY_AD_INPLACE_OR_VIEW << KEY_EXCLUDED_SHIFT)

/* Objects registered by batching.py. */
static struct {
    PyTypeObject *type;                  /* BatchedTensor */
    PyObject *levels, *dual_level;       /* context variables */
    PyObject *rule_runs, *nowhere;       /* a Counter; the Storage that means none */
    PyObject *learn;                     /* learning.py */
    Py_ssize_t level, value;             /* slots of BatchedTensor */
    PyObject *no_levels;
} batching;

PyObject *know_batching(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *type, *levels, *dual_level, *rule_runs, *nowhere, *learn;
    if (!PyArg_ParseTuple(args, "O!OOOOO", &PyType_Type, &type, &levels, &dual_level, &rule_runs, &nowhere, &learn)) {
        return NULL;
    }
    batching.level = slot_offset(type, "level");
    batching.value = slot_offset(type, "value");
    batching.no_levels = PyTuple_New(0);
    if (batching.level < 0 || batching.value < 0 || batching.no_levels == NULL) {
        return NULL;
    }
    batching.levels = new_reference(levels);
    batching.dual_level = new_reference(dual_level);
    batching.rule_runs = new_reference(rule_runs);
    batching.nowhere = new_reference(nowhere);
    batching.learn = new_reference(learn);
    batching.type = (PyTypeObject *)new_reference(type);
    Py_RETURN_NONE;
}

static PyObject *read_variable(PyObject *variable) {
    PyObject *value = NULL;
    if (PyContextVar_Get(variable, NULL, &value) < 0) {
        forget_error();
    }
    return value;
}

/* The stack of vmaps (new reference) if it has one vmap and no dual level inside or around it; else NULL. */
static PyObject *one_level(void) {
    PyObject *levels = read_variable(batching.levels), *dual = read_variable(batching.dual_level);
    int is_one = levels != NULL && dual == Py_None && PyTuple_Check(levels) && PyTuple_GET_SIZE(levels) == 1;
    if (is_one) {
        PyObject *level = PyTuple_GET_ITEM(levels, 0); /* (number, size, randomness, dual level) */
        is_one = PyTuple_Check(level) && PyTuple_GET_SIZE(level) == 4 && PyTuple_GET_ITEM(level, 3) == Py_None;
    }
    Py_XDECREF(dual);
    if (!is_one) {
        Py_CLEAR(levels);
    }
    return levels;
}

static Tensor *value_of(const Tensor *tensor, PyObject *number) {
    if (Py_TYPE(tensor) != batching.type) {
        return NULL;
    }
    PyObject *level = SLOT(tensor, batching.level), *value = SLOT(tensor, batching.value);
    const int is_of_it = level != NULL && value != NULL && PyLong_AsLong(level) == PyLong_AsLong(number);
    return is_of_it ? as_tensor(value) : NULL;
}

/* Builds a call's key, and its arguments as a rule sees them (borrowed; the values of batched ones). Returns how many
 * are batched; -1 if the call has no key. */
static int make_batched_key(const Operator *self, PyObject *const *args, int64_t word, PyObject *number, Key *key,
                            PyObject **inputs) {
    int batched = 0;
    begin_key(key);
    int is_known = add_word(key, (uint64_t)word);
    for (Py_ssize_t k = 0; is_known && k < self->arity; k++) {
        inputs[k] = args[k];
        const Tensor *tensor = self->tensors >> k & 1 ? as_tensor(args[k]) : NULL;
        if (tensor == NULL) {
            is_known = (k != self->generator || args[k] == Py_None) && add_value(key, args[k]);
            continue;
        }
        is_known = add_identity(key, tensor->spec) && add_word(key, (uint64_t)tensor->keys);
        if (is_known && tensor->keys & KEY_BATCHED) {
            const Tensor *value = value_of(tensor, number);
            is_known = value != NULL && is_simple(value->keys) && add_identity(key, value->spec)
                       && add_word(key, (uint64_t)value->keys);
            inputs[k] = (PyObject *)value;
            batched++;
        }
        Py_ssize_t first = 0; /* a repeated tensor is encoded by its first position: x * x differs from x * y */
        while (inputs[first] != inputs[k]) {
            first++;
        }
        is_known = is_known && add_word(key, (uint64_t)first);
    }
    return is_known ? batched : -1;
}

static int set_variable(PyObject *variable, PyObject *value) {
    PyObject *token = value == NULL ? NULL : PyContextVar_Set(variable, value);
    Py_XDECREF(token);
    return token == NULL ? -1 : 0;
}

static PyObject *run_steps(PyObject *steps, PyObject *const *inputs) {
    PyObject *results[MOST_STEPS] = {NULL}, *result = NULL;
    const Py_ssize_t count = PyTuple_GET_SIZE(steps);
    Py_ssize_t made = 0;
    for (; made < count; made++) {
        PyObject *step = PyTuple_GET_ITEM(steps, made), *all[MOST_ARGUMENTS];
        PyObject *constants = PyTuple_GET_ITEM(step, 1), *places = PyTuple_GET_ITEM(step, 2);
        const Py_ssize_t given = PyTuple_GET_SIZE(places);
        for (Py_ssize_t k = 0; k < given; k++) {
            const long place = PyLong_AsLong(PyTuple_GET_ITEM(places, k));
            all[k] = place < 0          ? PyTuple_GET_ITEM(constants, k)
                     : place < OF_STEPS ? inputs[place]
                                        : results[place - OF_STEPS];
        }
        results[made] = PyObject_Vectorcall(PyTuple_GET_ITEM(step, 0), all, (size_t)given, NULL);
        if (results[made] == NULL) {
            break;
        }
    }
    if (made == count) {
        result = new_reference(results[count - 1]);
    }
    for (Py_ssize_t k = 0; k < made; k++) {
        Py_DECREF(results[k]);
    }
    return result;
}

/* Like code inside ``below(1)``, which is always exited. */
static PyObject *run_below(PyObject *steps, PyObject *const *inputs, PyObject *levels, int64_t word) {
    const int64_t hidden = (KEY_AUTOGRAD | KEY_AD_INPLACE_OR_VIEW | KEY_FORWARD_AD) * ((int64_t)1 << KEY_EXCLUDED_SHIFT);
    PyObject *before = read_variable(facts.mode_word);
    PyObject *inside = PyLong_FromLongLong(word & ~(KEY_BATCHED | KEY_FORWARD_AD | hidden));
    PyObject *result = NULL;
    if (before != NULL && inside != NULL && set_variable(batching.levels, batching.no_levels) == 0) {
        if (set_variable(facts.mode_word, inside) == 0) {
            result = run_steps(steps, inputs);
        }
        PyObject *type, *error, *traceback;
        PyErr_Fetch(&type, &error, &traceback);
        if (set_variable(facts.mode_word, before) < 0 || set_variable(batching.levels, levels) < 0) {
            Py_CLEAR(result);
            Py_XDECREF(type);
            Py_XDECREF(error);
            Py_XDECREF(traceback);
        } else {
            PyErr_Restore(type, error, traceback);
        }
    }
    Py_XDECREF(before);
    Py_XDECREF(inside);
    return result;
}

/* rule_runs[name] += 1 */
static int count_run(PyObject *name) {
    PyObject *count = PyObject_GetItem(batching.rule_runs, name), *one = PyLong_FromLong(1);
    PyObject *more = count == NULL || one == NULL ? NULL : PyNumber_Add(count, one);
    const int status = more == NULL ? -1 : PyObject_SetItem(batching.rule_runs, name, more);
    Py_XDECREF(count);
    Py_XDECREF(one);
    Py_XDECREF(more);
    return status;
}

static long runs_of(PyObject *name) {
    PyObject *count = PyObject_GetItem(batching.rule_runs, name);
    const long runs = count == NULL ? -1 : PyLong_AsLong(count);
    Py_XDECREF(count);
    return runs;
}

/* batching.py's wrap; takes the reference of the value. */
static Tensor *wrap(PyObject *value, PyObject *number, PyObject *spec) {
    Tensor *made = value == NULL ? NULL : (Tensor *)PyObject_CallNoArgs((PyObject *)batching.type);
    if (made == NULL) {
        Py_XDECREF(value);
        return NULL;
    }
    fill(&SLOT(made, batching.value), value);
    fill(&SLOT(made, batching.level), new_reference(number));
    fill(&made->spec, new_reference(spec));
    fill(&made->storage, new_reference(batching.nowhere));
    made->offset = ((Tensor *)value)->offset;
    made->keys = KEY_TENSOR_KEYS | KEY_BATCHED;
    track(made);
    return made;
}

/* Repeats the calls of a rule. NULL without an exception: run in Python. */
static PyObject *repeat(Operator *self, PyObject *program, PyObject *const *args, PyObject *const *inputs,
                        PyObject *levels, int64_t keys, int64_t word) {
    PlanObject *plan = (PlanObject *)PyTuple_GET_ITEM(program, 0);
    const int is_view = plan->plan.kind == KIND_VIEW, is_marked = is_view && !(keys & NO_VIEWS);
    if (is_marked && !may_show((Tensor *)args[0], keys)) {
        return NULL;
    }
    PyObject *number = PyTuple_GET_ITEM(PyTuple_GET_ITEM(levels, 0), 0);
    PyObject *value = run_below(PyTuple_GET_ITEM(program, 1), inputs, levels, word);
    if (value == NULL || count_run(self->name) < 0) {
        Py_XDECREF(value);
        return NULL;
    }
    Tensor *output = wrap(value, number, PyTuple_GET_ITEM(plan->plan.specs, 0));
    int status = output == NULL ? -1 : is_marked ? mark_view(&plan->plan, (Tensor *)args[0], keys, output) : 0;
    if (status == 0 && is_view && !is_marked) {
        Version *version = version_counter((Tensor *)args[0]);
        status = version == NULL ? -1 : 0;
        fill(&output->version, (PyObject *)version);
        Py_XINCREF(version);
    }
    if (status == 0 && records(keys) && self->is_recorded && plan->plan.recorded != 0) {
        PyObject *tensors[MOST_ARGUMENTS];
        Py_ssize_t count = 0;
        for (Py_ssize_t k = 0; k < self->arity; k++) {
            if (self->tensors >> k & 1) {
                tensors[count++] = args[k];
            }
        }
        status = record(self, plan, args, tensors, count, &output);
    }
    if (status < 0) {
        Py_CLEAR(output);
    }
    return (PyObject *)output;
}

/* What learning.py returns for an observed call: None, True, or (PreparedPlan, steps). */
static PyObject *program_of(Operator *self, PyObject *const *args, PyObject *const *inputs, PyObject *result,
                            PyObject *steps) {
    PyObject *arguments = tuple_of(args, self->arity), *values = tuple_of(inputs, self->arity);
    PyObject *found = arguments == NULL || values == NULL
                          ? NULL
                          : PyObject_CallFunctionObjArgs(batching.learn, self, arguments, values, result, steps, NULL);
    Py_XDECREF(arguments);
    Py_XDECREF(values);
    if (found != NULL && PyTuple_Check(found)) {
        PyObject *plan = plan_from(PyTuple_GET_ITEM(found, 0));
        PyObject *program = plan == NULL ? NULL : PyTuple_Pack(2, plan, PyTuple_GET_ITEM(found, 1));
        Py_XDECREF(plan);
        Py_DECREF(found);
        return program;
    }
    return found;
}

/* Runs in Python, and stores the calls of the rule under the key. */
static PyObject *learn(Operator *self, const Key *key, PyObject *const *args, PyObject *const *inputs, int batched) {
    Noted mine = {0};
    mine.steps = PyList_New(0);
    const long runs = runs_of(self->name);
    if (mine.steps == NULL || runs < 0) {
        Py_XDECREF(mine.steps);
        return NULL;
    }
    const long long warned = warnings_given;
    noted = &mine;
    PyObject *result = call_readable(self, args, self->arity);
    noted = NULL;
    if (result != NULL && warned == warnings_given) {
        const long runs_after = runs_of(self->name);
        const int is_whole = batched == 0 || (mine.count == PyList_GET_SIZE(mine.steps) && runs_after == runs + 1);
        PyObject *program = runs_after < 0 ? NULL
                            : is_whole     ? program_of(self, args, inputs, result, mine.steps)
                                           : new_reference(Py_None);
        PyObject *held = held_by(args, self->arity), *values = held_by(inputs, self->arity);
        if (held != NULL && (values == NULL || PyList_Append(held, values) < 0)) {
            Py_CLEAR(held);
        }
        Py_XDECREF(values);
        if (program == NULL || keep_row(&self->batched, key, held, program) < 0) {
            Py_CLEAR(result);
        }
        Py_XDECREF(program);
    }
    Py_XDECREF(mine.operator);
    Py_XDECREF(mine.arguments);
    Py_XDECREF(mine.result);
    Py_DECREF(mine.steps);
    return result;
}

PyObject *call_batched(Operator *self, PyObject *const *args, int64_t keys, int64_t word, int *is_plain) {
    *is_plain = 0;
    /* the alias of a saved output is neither recorded nor marked as a view */
    const int64_t hidden = word & NO_AUTOGRAD ? NO_VIEWS : 0;
    if (batching.type == NULL || word < 0 || !is_simple(keys & ~(KEY_BATCHED | hidden)) || self->tensors == 0
        || self->lists != 0 || self->is_written || self->arity > MOST_ARGUMENTS
        || (records(keys) && self->refuses_recording)) {
        return NULL;
    }
    PyObject *levels = one_level();
    if (levels == NULL) {
        return NULL;
    }
    Key key;
    PyObject *inputs[MOST_ARGUMENTS], *result = NULL;
    PyObject *number = PyTuple_GET_ITEM(PyTuple_GET_ITEM(levels, 0), 0);
    const int batched = make_batched_key(self, args, word, number, &key, inputs);
    Row *row = batched < 0 ? NULL : find_row(&self->batched, &key);
    if (row != NULL && row->found == Py_True) {
        *is_plain = 1;
    } else if (row != NULL && row->found != Py_None) {
        PyObject *program = new_reference(row->found);
        for (Py_ssize_t k = 0; k < self->arity; k++) {
            Py_INCREF(inputs[k]);
        }
        result = repeat(self, program, args, inputs, levels, keys, word);
        for (Py_ssize_t k = 0; k < self->arity; k++) {
            Py_DECREF(inputs[k]);
        }
        Py_DECREF(program);
    } else if (batched >= 0 && row == NULL) {
        result = learn(self, &key, args, inputs, batched);
    }
    Py_DECREF(levels);
    return result;
}
