/* Public functions and methods, and Python's operators: from a call's arguments directly to the plan of the single
 * operator that it calls.
 *
 * What a function does with its arguments before it calls an operator (argument_parser.py: overload, defaults, one
 * number for a list) depends only on the arguments' specs and on non-tensor arguments. So the Python function is
 * observed once per such key; if it only called one operator, later calls go to that directly. A wrapped number is part
 * of the key by its type alone. */
#include "speedups.h"

#define IS_BATCHED 2           /* a key word that is neither an address nor the start of a value */
/* Is a call outside a vmap, inside with unbatched tensors only (or below autograd, in kernels of other layouts), or with
 * batched ones? */
enum { OUTSIDE, INSIDE, BATCHED };
#define MOST_DIRECT 3 /* inputs of a kernel that is called directly */
enum { CONSTANT = -1, PACKED = 64 }; /* a schema argument's source: an argument, a packed one, or a constant */

/* The cached outcome of a call of a function. */
typedef struct Call {
    PyObject_HEAD
    Operator *operator;
    PlanObject *plan;      /* the operator's, once known, if only the arguments decide it */
    PyObject *return_type; /* of the results, where they have names; or NULL */
    int pick;              /* index of the operator's result that is returned; -1: all */
    PyObject *arguments;   /* the operator's arguments, for constants */
    int places[MOST_ARGUMENTS];
    int is_direct;         /* does the plan read only arguments, and return its single result? */
    int is_plain;          /* is it the plan only if no argument requires grad? */
    int numbers_fit;       /* are numbers refused that overflow the dtype? */
    int inputs[MOST_DIRECT]; /* if so, the kernel's inputs: argument indices; CONSTANT: None */
} Call;

static int traverse_call(PyObject *object, visitproc visit, void *arg) {
    Call *self = (Call *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->operator);
    Py_VISIT(self->plan);
    Py_VISIT(self->return_type);
    Py_VISIT(self->arguments);
    return 0;
}

static int clear_call(PyObject *object) {
    Call *self = (Call *)object;
    Py_CLEAR(self->operator);
    Py_CLEAR(self->plan);
    Py_CLEAR(self->return_type);
    Py_CLEAR(self->arguments);
    return 0;
}

static void deallocate_call(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    clear_call(object);
    type->tp_free(object);
    Py_DECREF(type);
}

/* ---- keys ------------------------------------------------------------------------------------------------------ */

/* Builds a call's key, and the union of its tensors' dispatch keys. 0 if it has no key. */
static int make_key(const Function *self, PyObject *const *args, Py_ssize_t count, PyObject *names, Key *key,
                    int64_t *keys) {
    begin_key(key);
    *keys = KEY_TENSOR_KEYS;
    const Py_ssize_t named = names == NULL ? 0 : PyTuple_GET_SIZE(names);
    if (count + named > MOST_ARGUMENTS || !add_word(key, (uint64_t)(count << 1 | 1))) {
        return 0;
    }
    for (Py_ssize_t k = 0; k < named; k++) {
        add_identity(key, PyTuple_GET_ITEM(names, k));
    }
    for (Py_ssize_t k = 0; k < count + named; k++) {
        PyObject *each = args[k];
        double number;
        if (is_tensor(each)) {
            const Tensor *tensor = (Tensor *)each;
            if (tensor->spec == NULL) {
                return 0;
            }
            *keys |= tensor->keys;
            add_identity(key, tensor->spec);
            if (tensor->keys & KEY_BATCHED) { /* a batched index cannot be read */
                add_word(key, IS_BATCHED);
            }
        } else if (self->by_type >> k & 1 && as_number(each, &number)) {
            add_identity(key, Py_TYPE(each));
        } else if ((PyList_CheckExact(each) && PyList_GET_SIZE(each) > 0 && is_tensor(PyList_GET_ITEM(each, 0)))
                   || (PyTuple_CheckExact(each) && PyTuple_GET_SIZE(each) > 0 && is_tensor(PyTuple_GET_ITEM(each, 0)))) {
            if (!add_tensors(key, each)) {
                return 0;
            }
        } else if (!add_value(key, each)) {
            return 0;
        }
    }
    return key->count < MOST_WORDS;
}

/* ---- learning -------------------------------------------------------------------------------------------------- */

static PyObject *item_of(PyObject *list, Py_ssize_t k) {
    return PyTuple_Check(list) ? PyTuple_GET_ITEM(list, k) : PyList_GET_ITEM(list, k);
}

static Py_ssize_t length_of(PyObject *list) {
    return PyTuple_Check(list) ? PyTuple_GET_SIZE(list) : PyList_CheckExact(list) ? PyList_GET_SIZE(list) : -1;
}

static int has_tensors(PyObject *value) {
    for (Py_ssize_t k = 0; k < length_of(value); k++) {
        if (is_tensor(item_of(value, k))) {
            return 1;
        }
    }
    return 0;
}

/* Is any of these arguments a tensor, or a list that holds one? */
static int any_tensors(PyObject *const *args, Py_ssize_t count) {
    for (Py_ssize_t k = 0; k < count; k++) {
        if (is_tensor(args[k]) || has_tensors(args[k])) {
            return 1;
        }
    }
    return 0;
}

static int same_items(PyObject *mine, PyObject *other) {
    const Py_ssize_t length = length_of(mine);
    if (length < 0 || length != length_of(other)) {
        return 0;
    }
    for (Py_ssize_t k = 0; k < length; k++) {
        if (item_of(mine, k) != item_of(other, k)) {
            return 0;
        }
    }
    return 1;
}

/* The object's index in the arguments, ``preferred`` first; -1: not found. */
static int index_of(PyObject *object, PyObject *const *args, Py_ssize_t count, Py_ssize_t preferred) {
    if (preferred < count && args[preferred] == object) {
        return (int)preferred;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        if (args[k] == object) {
            return (int)k;
        }
    }
    return -1;
}

/* Does the object occur several times? Then its source is ambiguous. */
static int is_repeated(PyObject *object, PyObject *const *args, Py_ssize_t count) {
    int found = 0;
    for (Py_ssize_t k = 0; k < count; k++) {
        found += args[k] == object;
    }
    return found > 1;
}

enum { IS_LEARNT, IS_NOTHING, ASK_AGAIN, HAS_FAILED };

/* Maps the arguments of the function to those of the operator. */
static int match(Function *self, const Noted *found, PyObject *const *args, Py_ssize_t positional, Py_ssize_t count,
                 Call *call) {
    Operator *operator= found->operator;
    int64_t is_used = 0;
    if (operator->arity > MOST_ARGUMENTS) {
        return IS_NOTHING;
    }
    for (Py_ssize_t k = 0; k < operator->arity; k++) {
        PyObject *value = PyTuple_GET_ITEM(found->arguments, k);
        call->places[k] = CONSTANT;
        int place = -1;
        if (is_tensor(value)) {
            place = index_of(value, args, count, k);
            if (place < 0 || (self->in_places && place < positional && place != k)) {
                return IS_NOTHING;
            }
            if (!self->in_places && is_repeated(value, args, count)) {
                return ASK_AGAIN;
            }
            call->places[k] = place;
        } else if (has_tensors(value)) {
            for (Py_ssize_t n = 0; n < count; n++) {
                if (same_items(args[n], value)) {
                    if (place >= 0) {
                        return ASK_AGAIN;
                    }
                    place = (int)n;
                }
            }
            call->places[k] = place;
            if (place < 0) {
                place = length_of(value) == 1 ? index_of(item_of(value, 0), args, count, k) : -1;
                if (place < 0) {
                    return IS_NOTHING;
                }
                call->places[k] = PACKED + place;
            }
        } else if ((operator->tensors >> k & 1 || k == operator->number)
                   && (PyFloat_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value))) {
            place = index_of(value, args, count, k);
            if (place >= 0 && !(self->by_value >> place & 1) && (self->in_places || !is_repeated(value, args, count))) {
                if (!(self->by_type >> place & 1)) {
                    self->by_type |= 1LL << place;
                    return ASK_AGAIN;
                }
                call->places[k] = place;
            }
        }
        if (call->places[k] >= 0) {
            is_used |= 1LL << place;
        }
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        double number;
        if (is_used >> k & 1) {
            continue;
        }
        if (is_tensor(args[k]) || has_tensors(args[k])) {
            return IS_NOTHING; /* its values may have been read */
        }
        if (self->by_type >> k & 1 && as_number(args[k], &number)) { /* here its value matters */
            self->by_value |= 1LL << k;
            self->by_type &= ~(1LL << k);
            return ASK_AGAIN;
        }
    }
    return IS_LEARNT;
}

/* The entry to store for a first call, in ``kept``; returns as above. */
static int learn_call(Function *self, const Noted *found, PyObject *const *args, Py_ssize_t positional,
                      Py_ssize_t count, PyObject *result, PyObject **kept) {
    if (found->count != 1 || found->operator== NULL) {
        return IS_NOTHING;
    }
    PyObject *return_type = NULL;
    int pick = -1;
    for (Py_ssize_t k = 0; PyTuple_CheckExact(found->result) && k < PyTuple_GET_SIZE(found->result); k++) {
        if (PyTuple_GET_ITEM(found->result, k) == result) {
            pick = (int)k;
        }
    }
    if (result != found->result && pick < 0) {
        if (!PyTuple_CheckExact(found->result) || !PyTuple_Check(result) || !same_items(result, found->result)) {
            return IS_NOTHING;
        }
        return_type = (PyObject *)Py_TYPE(result);
    }
    Call *call = (Call *)PyType_GenericAlloc(facts.call, 0);
    if (call == NULL) {
        return HAS_FAILED;
    }
    const int status = match(self, found, args, positional, count, call);
    if (status != IS_LEARNT) {
        Py_DECREF(call);
        return status;
    }
    call->operator= (Operator *)new_reference((PyObject *)found->operator);
    call->numbers_fit = found->operator->numbers_fit;
    Py_XINCREF(return_type);
    call->return_type = return_type;
    call->pick = pick;
    call->arguments = PyTuple_New(found->operator->arity);
    for (Py_ssize_t k = 0; call->arguments != NULL && k < found->operator->arity; k++) {
        PyObject *each = call->places[k] == CONSTANT ? PyTuple_GET_ITEM(found->arguments, k) : Py_None;
        PyTuple_SET_ITEM(call->arguments, k, new_reference(each));
    }
    if (call->arguments == NULL) {
        Py_DECREF(call);
        return HAS_FAILED;
    }
    *kept = (PyObject *)call;
    return IS_LEARNT;
}

/* Are there lists of tensors among the arguments? The key does not contain whether those are batched. */
static int any_lists(PyObject *const *args, Py_ssize_t count) {
    for (Py_ssize_t k = 0; k < count; k++) {
        if (has_tensors(args[k])) {
            return 1;
        }
    }
    return 0;
}

static int names_requires_grad(PyObject *names) {
    for (Py_ssize_t k = 0; names != NULL && k < PyTuple_GET_SIZE(names); k++) {
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, k), "requires_grad") == 0) {
            return 1;
        }
    }
    return 0;
}

static PyObject *learn(Function *self, const Key *key, PyObject *const *args, Py_ssize_t positional, size_t given,
                       PyObject *names, int is_plain, int within) {
    const Py_ssize_t count = positional + (names == NULL ? 0 : PyTuple_GET_SIZE(names));
    Noted mine = {0}, *outer = noted;
    noted = &mine;
    PyObject *result = readable(self, args, given, names);
    noted = outer;
    if (result != NULL && (is_plain || within != OUTSIDE) && !names_requires_grad(names)) {
        PyObject *kept = NULL;
        int status = learn_call(self, &mine, args, positional, count, result, &kept);
        if (status == IS_NOTHING && self->may_view && is_plain && names == NULL && count > 0 && is_tensor(args[0])
            && !any_tensors(args + 1, count - 1)) { /* an index that is a tensor is read: its values may change */
            PyObject *declared = PyObject_CallFunctionObjArgs(facts.learn_view, Py_None, args[0], result, NULL);
            kept = declared == NULL ? NULL : plan_from(declared);
            Py_XDECREF(declared);
            status = kept == NULL ? HAS_FAILED : IS_LEARNT;
        }
        if (status == IS_LEARNT || (status == IS_NOTHING && within != INSIDE)) {
            PyObject *held = held_by(args, count);
            if (held != NULL && names != NULL && PyList_Append(held, names) < 0) {
                Py_CLEAR(held);
            }
            status = keep_row(&self->calls, key, held, status == IS_LEARNT ? kept : Py_None) < 0 ? HAS_FAILED : status;
        }
        Py_XDECREF(kept);
        if (status == HAS_FAILED) {
            Py_CLEAR(result);
        }
    }
    if (outer != NULL && mine.count > 0) { /* calls of the inner function count for the outer one */
        if (outer->count == 0 && mine.operator!= NULL) {
            outer->operator= (Operator *)new_reference((PyObject *)mine.operator);
            outer->arguments = new_reference(mine.arguments);
            outer->result = new_reference(mine.result);
        }
        outer->count += mine.count;
    }
    Py_XDECREF(mine.operator);
    Py_XDECREF(mine.arguments);
    Py_XDECREF(mine.result);
    return result;
}

PyObject *learn_delegate(Operator *self, const Noted *found, PyObject *const *args, PyObject *result) {
    if (found->operator!= NULL && found->operator->only_allocates) {
        return NULL; /* a function that allocates also writes */
    }
    Function as_function = {.by_type = self->tensors & ~self->lists};
    as_function.by_value = ~as_function.by_type;
    PyObject *kept = NULL;
    const int status = learn_call(&as_function, found, args, self->arity, self->arity, result, &kept);
    if (status != IS_LEARNT) {
        Py_CLEAR(kept);
    }
    return kept;
}

/* ---- calls ----------------------------------------------------------------------------------------------------- */

/* The selected result, or the results as a named tuple type; steals the reference. */
static PyObject *as_returned(const Call *call, PyObject *result) {
    PyObject *type = call->return_type;
    if (result != NULL && call->pick >= 0) {
        PyObject *picked = PyTuple_Check(result) ? new_reference(PyTuple_GET_ITEM(result, call->pick)) : NULL;
        Py_DECREF(result);
        return picked;
    }
    if (result == NULL || type == NULL) {
        return result;
    }
    PyObject *named = PyTuple_Check(result) ? PyObject_CallObject(type, result) : NULL;
    Py_DECREF(result);
    return named;
}

/* NULL without an exception: run in Python. */
static PyObject *run(Call *call, PyObject *const *args) {
    PyObject *all[MOST_ARGUMENTS], *packed[MOST_ARGUMENTS];
    Operator *operator= call->operator;
    Py_ssize_t packed_count = 0;
    for (Py_ssize_t k = 0; k < operator->arity; k++) {
        const int place = call->places[k];
        if (place == CONSTANT) {
            all[k] = PyTuple_GET_ITEM(call->arguments, k);
        } else if (place < PACKED) {
            all[k] = args[place];
        } else {
            all[k] = packed[packed_count] = PyTuple_Pack(1, args[place - PACKED]);
            if (packed[packed_count++] == NULL) {
                return NULL;
            }
        }
    }
    PyObject *result = NULL;
    if (noted == NULL && call->plan != NULL && !call->is_plain) {
        result = run_plan(operator, call->plan, all);
    }
    if (result == NULL && PyErr_Occurred() == NULL) {
        result = PyObject_Vectorcall((PyObject *)operator, all, (size_t)operator->arity, NULL);
    }
    for (Py_ssize_t k = 0; k < packed_count; k++) {
        Py_DECREF(packed[k]);
    }
    return as_returned(call, result);
}

/* A call that warns must warn again, so it gets no plan. */
PyObject *call_warn(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    note_more();
    warnings_given++;
    return readable((Function *)callable, args, count, names);
}

/* The arguments of the operator, none of them packed; borrowed. */
static void arrange(const Call *call, PyObject *const *args, PyObject **all) {
    for (Py_ssize_t k = 0; k < call->operator->arity; k++) {
        all[k] = call->places[k] == CONSTANT ? PyTuple_GET_ITEM(call->arguments, k) : args[call->places[k]];
    }
}

/* Notes the inputs of the plan's kernel if they are all arguments, which are part of the key. */
static void find_inputs(Call *call) {
    const Operator *operator= call->operator;
    const PlanFields *plan = &call->plan->plan;
    if (call->return_type != NULL || call->pick >= 0 || operator->lists) {
        return;
    }
    if (plan->kind == KIND_VIEW) {
        call->inputs[0] = call->places[0];
        call->is_direct = call->places[0] >= 0;
        return;
    }
    int is_direct = enters_directly(plan) && plan->order_count <= MOST_DIRECT;
    for (Py_ssize_t k = 0; is_direct && k < plan->order_count; k++) {
        Py_ssize_t position = -1; /* the operator's tensor with this index */
        for (int64_t left = plan->order[k]; left >= 0; left -= operator->tensors >> position & 1) {
            position++;
        }
        const int place = call->places[position];
        is_direct = place != CONSTANT || PyTuple_GET_ITEM(call->arguments, position) == Py_None;
        call->inputs[k] = place;
    }
    call->is_direct = is_direct;
}

/* The operator's plan for these arguments, if they alone decide it. */
static void find_plan(Call *call, PyObject *const *args) {
    Operator *operator= call->operator;
    if (operator->device >= 0 || operator->is_readable || !operator->is_prepared) {
        return;
    }
    PyObject *all[MOST_ARGUMENTS];
    for (Py_ssize_t k = 0; k < operator->arity; k++) {
        if (call->places[k] >= PACKED) {
            return;
        }
    }
    arrange(call, args, all);
    PyObject *found = plan_of(operator, all);
    if (found == NULL) {
        return;
    }
    if (Py_TYPE(found) == facts.plan) {
        call->is_plain = operator->composite != NULL;
        fill((PyObject **)&call->plan, new_reference(found));
        find_inputs(call);
        return;
    }
    Call *delegate = (Call *)found; /* the outcome of a composite */
    if (delegate->is_direct && call->return_type == NULL && call->pick < 0) {
        const PlanFields *plan = &delegate->plan->plan;
        for (Py_ssize_t k = 0; k < (plan->kind == KIND_VIEW ? 1 : plan->order_count); k++) {
            const int place = delegate->inputs[k];
            call->inputs[k] = place == CONSTANT ? CONSTANT : call->places[place];
            if (place != CONSTANT && call->inputs[k] == CONSTANT) {
                return;
            }
        }
        call->is_direct = call->is_plain = 1;
        call->numbers_fit |= delegate->numbers_fit;
        fill((PyObject **)&call->plan, new_reference((PyObject *)delegate->plan));
    }
}

/* Runs the plan on the function's arguments if no dispatch key but the backend's and perhaps Autograd is active;
 * ``keys`` as from make_key. The caller holds a reference to the call: a kernel may release the GIL, and another thread
 * replace the entry. NULL without an exception: run it otherwise. */
static PyObject *run_direct(Call *call, PyObject *const *args, int64_t keys) {
    keys |= read_mode_word();
    const int is_recorded = records(keys);
    const int is_left = call->is_plain ? (keys & KEY_AUTOGRAD) != 0 : is_recorded && call->operator->refuses_recording;
    if (!is_simple(keys) || is_left) {
        return NULL;
    }
    PyObject *all[MOST_ARGUMENTS];
    if (is_recorded) {
        arrange(call, args, all);
    }
    PlanObject *plan = call->plan;
    if (plan->plan.kind == KIND_VIEW) {
        return is_recorded ? run_view(call->operator, plan, all, keys)
                           : run_view(NULL, plan, args + call->inputs[0], keys);
    }
    double data[MOST_DIRECT];
    int is_known = 1;
    for (Py_ssize_t k = 0; is_known && k < plan->plan.order_count; k++) {
        PyObject *each = call->inputs[k] == CONSTANT ? Py_None : args[call->inputs[k]];
        if (is_tensor(each)) {
            data[k] = ((Tensor *)each)->address;
            is_known = !isnan(data[k]) /* freed: the error comes from Python */
                && (!is_recorded || (((Tensor *)each)->keys & KEY_TENSOR_KEYS) == KEY_TENSOR_KEYS);
        } else if (each == Py_None) {
            data[k] = 0;
        } else {
            is_known = as_number(each, &data[k]) && !(call->numbers_fit && is_large(each, data[k]));
        }
    }
    PyObject *result = is_known ? enter_directly(plan, data) : NULL;
    if (result != NULL && is_recorded && record_directly(call->operator, plan, all, (Tensor *)result) < 0) {
        Py_CLEAR(result);
    }
    return result;
}

PyObject *run_delegate(PyObject *object, PyObject *const *args, int64_t keys) {
    Call *call = (Call *)object;
    PyObject *all[MOST_ARGUMENTS], *result = NULL;
    if (call->plan == NULL) {
        find_plan(call, args);
    }
    int is_known = call->plan != NULL && !call->is_plain;
    for (Py_ssize_t k = 0; is_known && k < call->operator->arity; k++) {
        is_known = call->places[k] < PACKED;
    }
    Py_INCREF(call);
    if (call->is_direct) {
        result = run_direct(call, args, keys);
    }
    if (result == NULL && PyErr_Occurred() == NULL && is_known) {
        arrange(call, args, all);
        result = as_returned(call, run_plan(call->operator, call->plan, all));
    }
    Py_DECREF(call);
    return result;
}

static PyObject *call_known(PyObject *callable, PyObject *const *args, size_t given, PyObject *names) {
    Function *self = (Function *)callable;
    const Py_ssize_t count = PyVectorcall_NARGS(given);
    Key key;
    int64_t keys;
    if (facts.learn == NULL || !make_key(self, args, count, names, &key, &keys)) {
        forget_error();
        return readable(self, args, given, names);
    }
    Row *row = find_row(&self->calls, &key);
    if (row == NULL) {
        const int64_t word = read_mode_word();
        const int is_vmap = word >= 0 && (keys | word) & KEY_BATCHED && is_simple((keys | word) & ~(int64_t)KEY_BATCHED)
                            && !any_lists(args, count + (names == NULL ? 0 : PyTuple_GET_SIZE(names)));
        const int is_below = word >= 0 && !is_simple(keys | word) && is_simple((keys | word) & ~KEY_ABOVE);
        const int within = is_vmap && keys & KEY_BATCHED ? BATCHED : is_vmap || is_below ? INSIDE : OUTSIDE;
        return learn(self, &key, args, count, given, names, is_simple(keys | word), within);
    }
    if (Py_TYPE(row->found) == facts.call) {
        Call *call = (Call *)row->found;
        if (call->plan == NULL) {
            find_plan(call, args);
        }
        PyObject *result = NULL;
        Py_INCREF(call);
        if (call->is_direct && noted == NULL) {
            result = run_direct(call, args, keys);
        }
        if (result == NULL && PyErr_Occurred() == NULL) {
            result = run(call, args);
        }
        Py_DECREF(call);
        return result;
    }
    if (Py_TYPE(row->found) == facts.plan) {
        PlanObject *plan = (PlanObject *)row->found;
        keys |= read_mode_word();
        if (noted == NULL && is_simple(keys)) {
            Py_INCREF(plan);
            const int is_self = plan->plan.kind == KIND_SELF;
            PyObject *result = is_self ? new_reference(args[0]) : run_view(NULL, plan, args, keys);
            const int is_known = plan->plan.node_class != Py_None;
            Py_DECREF(plan);
            if (result != NULL || PyErr_Occurred() != NULL) {
                return result;
            }
            if (records(keys) && !is_known) { /* the Node was unknown: look it up again */
                return learn(self, &key, args, count, given, names, 1, OUTSIDE);
            }
        }
    }
    return readable(self, args, given, names);
}

/* The plan of x[0] or x[0:n], for arguments whose row this is; NULL if it is not only a view. */
static PlanObject *view_of(Row *row, PyObject *const *args) {
    PyObject *found = row->found;
    if (Py_TYPE(found) == facts.call) {
        Call *call = (Call *)found;
        if (call->plan == NULL) {
            find_plan(call, args);
        }
        found = call->is_direct ? (PyObject *)call->plan : NULL;
    }
    const int is_view = found != NULL && Py_TYPE(found) == facts.plan && ((PlanObject *)found)->plan.kind == KIND_VIEW;
    return is_view ? (PlanObject *)found : NULL;
}

/* The index that selects as many rows as `index` does, from the first one on, with the row where `index` begins in *row;
 * NULL if it is no int or slice of adjacent rows, or is out of range. */
static PyObject *from_first_row(PyObject *index, int64_t size, int64_t *row) {
    if (PyLong_CheckExact(index)) {
        int overflow = 0;
        *row = PyLong_AsLongLongAndOverflow(index, &overflow);
        if (overflow != 0 || *row < -size || *row >= size) {
            return NULL;
        }
        *row += *row < 0 ? size : 0;
        return PyLong_FromLong(0);
    }
    Py_ssize_t start, stop, step;
    if (!PySlice_Check(index) || PySlice_Unpack(index, &start, &stop, &step) != 0 || step != 1) {
        return NULL;
    }
    const Py_ssize_t length = PySlice_AdjustIndices((Py_ssize_t)size, &start, &stop, step);
    if (length == size) {
        return NULL;
    }
    *row = start;
    PyObject *first = PyLong_FromLong(0);
    PyObject *end = PyLong_FromSsize_t(length);
    PyObject *made = first == NULL || end == NULL ? NULL : PySlice_New(first, end, NULL);
    Py_XDECREF(first);
    Py_XDECREF(end);
    return made;
}

PyObject *call_row(PyObject *callable, PyObject *object, PyObject *index) {
    Function *self = (Function *)callable;
    Tensor *tensor = as_tensor(object);
    if (tensor == NULL || facts.learn == NULL || noted != NULL) {
        return NULL;
    }
    PyObject *sizes = SLOT(tensor->spec, facts.sizes);
    int64_t row = 0;
    const int64_t size = PyTuple_GET_SIZE(sizes) == 0 ? 0 : PyLong_AsLongLong(PyTuple_GET_ITEM(sizes, 0));
    PyObject *from_first = PyTuple_GET_SIZE(sizes) == 0 ? NULL : from_first_row(index, size, &row);
    if (from_first == NULL) {
        forget_error();
        return NULL;
    }
    PyObject *const args[] = {object, from_first};
    PyObject *found = NULL;
    for (int is_learned = 0; is_learned < 2; is_learned++) {
        Key key;
        int64_t keys;
        if (!make_key(self, args, 2, NULL, &key, &keys)) {
            forget_error();
            break;
        }
        keys |= read_mode_word();
        if (!is_simple(keys) || keys & KEY_AUTOGRAD) {
            break;
        }
        Row *known = find_row(&self->calls, &key);
        if (known != NULL) {
            PlanObject *plan = view_of(known, args);
            found = plan == NULL ? NULL : run_row(plan, tensor, row, keys);
            break;
        }
        PyObject *first = call_made(callable, args, 2, NULL);
        if (first == NULL) {
            break;
        }
        Py_DECREF(first);
    }
    Py_DECREF(from_first);
    return found;
}

PyObject *call_made(PyObject *callable, PyObject *const *args, size_t given, PyObject *names) {
    if (nested >= MOST_NESTED) {
        return readable((Function *)callable, args, given, names);
    }
    nested++;
    PyObject *result = call_known(callable, args, given, names);
    nested--;
    return result;
}

/* ---- the type -------------------------------------------------------------------------------------------------- */

static int traverse(PyObject *object, visitproc visit, void *arg) {
    Function *self = (Function *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->python);
    Py_VISIT(self->extra);
    Py_VISIT(self->attributes);
    for (Py_ssize_t k = 0; k < self->calls.room; k++) {
        if (self->calls.rows[k] != NULL) {
            Py_VISIT(self->calls.rows[k]->found);
        }
    }
    return 0;
}

static int clear(PyObject *object) {
    Function *self = (Function *)object;
    Py_CLEAR(self->python);
    Py_CLEAR(self->extra);
    Py_CLEAR(self->attributes);
    clear_table(&self->calls);
    return 0;
}

static void deallocate(PyObject *object) {
    Function *self = (Function *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    if (self->weak_references != NULL) {
        PyObject_ClearWeakRefs(object);
    }
    clear(object);
    type->tp_free(object);
    Py_DECREF(type);
}

/* Like a function in a class: binds to the instance. */
static PyObject *bind(PyObject *function, PyObject *object, PyObject *type) {
    (void)type;
    return object == NULL || object == Py_None ? new_reference(function) : PyMethod_New(function, object);
}

static PyObject *represent(PyObject *object) {
    PyObject *name = PyObject_GetAttrString(object, "__qualname__");
    if (name == NULL) {
        PyErr_Clear();
        return PyUnicode_FromString("<function>");
    }
    PyObject *text = PyUnicode_FromFormat("<function %U>", name);
    Py_DECREF(name);
    return text;
}

/* Pickled and copied by name, as functions are. */
static PyObject *reduce(PyObject *object, PyObject *nothing) {
    (void)nothing;
    return PyObject_GetAttrString(object, "__qualname__");
}

static PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};

static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Function, call), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(Function, attributes), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Function, weak_references), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_call, (void *)PyVectorcall_Call}, {Py_tp_traverse, (void *)traverse}, {Py_tp_clear, (void *)clear},
    {Py_tp_dealloc, (void *)deallocate},     {Py_tp_descr_get, (void *)bind},    {Py_tp_members, members},
    {Py_tp_methods, methods},                {Py_tp_repr, (void *)represent},    {0, NULL},
};

static PyType_Spec spec = {
    "gnomon_speedups.Function",
    sizeof(Function),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
    slots,
};

static PyType_Slot call_slots[] = {
    {Py_tp_dealloc, (void *)deallocate_call}, {Py_tp_traverse, (void *)traverse_call},
    {Py_tp_clear, (void *)clear_call},        {0, NULL},
};

static PyType_Spec call_spec = {
    "gnomon_speedups.Call", sizeof(Call), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, call_slots,
};

int make_function_types(void) {
    facts.function = (PyTypeObject *)PyType_FromSpec(&spec);
    facts.call = (PyTypeObject *)PyType_FromSpec(&call_spec);
    return facts.function == NULL || facts.call == NULL ? -1 : 0;
}

static const struct {
    const char *name;
    vectorcallfunc call;
} kinds[] = {
    {"call", call_made},   {"tensor", call_data},   {"tolist", call_tolist}, {"item", call_item},
    {"setitem", call_setitem}, {"enter", call_enter}, {"exit", call_exit},   {"leave_device", call_leave_device},
    {"give_back", call_give_back}, {"warn", call_warn}, {"mask", call_mask},
    {"from_numpy", call_from_numpy}, {"numpy", call_numpy},
};

/* function(kind, readable function, extra, in_places, may_view) */
PyObject *make_function(PyObject *module, PyObject *args) {
    (void)module;
    const char *kind;
    PyObject *python, *extra = Py_None;
    int in_places = 0, may_view = 0;
    if (!PyArg_ParseTuple(args, "sO|Opp", &kind, &python, &extra, &in_places, &may_view)) {
        return NULL;
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (strcmp(kinds[k].name, kind) == 0) {
            Function *self = (Function *)PyType_GenericAlloc(facts.function, 0);
            if (self != NULL) {
                self->call = kinds[k].call;
                self->python = new_reference(python);
                self->extra = new_reference(extra);
                self->in_places = in_places;
                self->may_view = may_view;
            }
            return (PyObject *)self;
        }
    }
    return PyErr_Format(PyExc_ValueError, "no function of kind %s", kind);
}
