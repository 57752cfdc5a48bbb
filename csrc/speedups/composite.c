/* Composites in C (calls/composites.py): an operator that is a function of tensors made of other operators. A call comes
 * down to a plan, to the one operator that the function calls, or to the function itself. */
#include "speedups.h"

/* Re-raises the exception with the operator's name; returns NULL. */
static PyObject *raise_with_name(Operator *self) {
    if (PyErr_ExceptionMatches(facts.named)) {
        PyObject *type, *error, *traceback;
        PyErr_Fetch(&type, &error, &traceback);
        PyErr_NormalizeException(&type, &error, &traceback);
        if (traceback != NULL) {
            PyException_SetTraceback(error, traceback);
        }
        PyObject *nothing = PyObject_CallFunctionObjArgs(facts.raise_named, self, error, NULL);
        Py_XDECREF(nothing);
        Py_XDECREF(type);
        Py_XDECREF(error);
        Py_XDECREF(traceback);
    }
    return NULL;
}

/* Keeps the exception, or raises a TypeError if an argument does not have the schema's type; returns NULL. */
static PyObject *refuse_misfits(Operator *self, PyObject *const *args) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError) && !PyErr_ExceptionMatches(PyExc_TypeError)) {
        return NULL;
    }
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyObject *arguments = tuple_of(args, self->arity);
    PyObject *fitting =
        arguments == NULL ? NULL : PyObject_CallMethod((PyObject *)self, "refuse_misfits", "(O)", arguments);
    Py_XDECREF(arguments);
    if (fitting == NULL) {
        Py_XDECREF(type);
        Py_XDECREF(error);
        Py_XDECREF(traceback);
        return NULL;
    }
    Py_DECREF(fitting);
    PyErr_Restore(type, error, traceback);
    return NULL;
}

/* Which tensors of a composite require grad, and whether that matters: its function may depend on it. */
static int add_recorded(Key *key, const Operands *operands, int64_t keys) {
    uint64_t word = records(keys);
    for (Py_ssize_t k = 0; k < operands->count && k < 60; k++) {
        PyObject *each = operands->objects[k];
        if (is_tensor(each) && ((Tensor *)each)->keys & KEY_AUTOGRAD) {
            word |= 2ULL << k;
        }
    }
    return add_word(key, word);
}

/* A composite's result, not as a view if its base is not visible to others (calls/composites.py, hide_base); steals the
 * reference. */
static PyObject *hidden_base(const Operator *self, PyObject *const *args, PyObject *result) {
    if (Py_TYPE(result) == facts.tensor && ((Tensor *)result)->base != NULL) {
        PyObject *arguments = tuple_of(args, self->arity);
        PyObject *done =
            arguments == NULL ? NULL : PyObject_CallFunctionObjArgs(facts.hide_base, result, arguments, NULL);
        Py_XDECREF(arguments);
        if (done == NULL) {
            Py_CLEAR(result);
        }
        Py_XDECREF(done);
    }
    return result;
}

/* The arguments, as new references. While a call is observed, a repeated tensor is replaced by a different alias at
 * each position, so that an operator's argument identifies the position. 0, or -1 with an exception. */
static int set_apart(const Operator *self, PyObject *const *args, int is_watched, PyObject **apart) {
    for (Py_ssize_t k = 0; k < self->arity; k++) {
        int is_repeated = 0;
        for (Py_ssize_t n = 0; is_watched && n < k; n++) {
            is_repeated |= args[n] == args[k];
        }
        is_repeated = is_repeated && Py_TYPE(args[k]) == facts.tensor && !self->is_written && !self->makes_view;
        apart[k] = is_repeated ? (PyObject *)alias_tensor((Tensor *)args[k], ((Tensor *)args[k])->spec, 0, 0)
                               : new_reference(args[k]);
        if (apart[k] == NULL) {
            while (k-- > 0) {
                Py_DECREF(apart[k]);
            }
            return -1;
        }
    }
    return 0;
}

/* Runs a composite: by its plan, by the only operator that it calls, or by its function. A view of a base that only it
 * has seen is not a view for others (calls/composites.py, composed). */
static PyObject *run_function(Operator *self, PyObject *const *args, const Operands *operands, int64_t keys) {
    Key key;
    Row *row = NULL;
    const int has_key = launches == NULL && make_operator_key(self, args, &key) && add_recorded(&key, operands, keys);
    if (has_key) {
        row = find_row(&self->plans, &key);
        if (row != NULL && row->found != Py_None) {
            PyObject *result = NULL;
            if (Py_TYPE(row->found) != facts.plan) {
                result = run_delegate(row->found, args, keys);
            } else if (!records(keys) || (operands->common & KEY_TENSOR_KEYS) == KEY_TENSOR_KEYS) {
                PlanObject *plan = (PlanObject *)new_reference(row->found);
                result = run_kind(self, plan, args, operands, keys);
                Py_DECREF(plan);
            }
            if (result != NULL) {
                return result;
            }
            if (PyErr_Occurred() != NULL) { /* a Node could not be created: running the composite tells which */
                return raise_with_name(self);
            }
        }
    }
    const int is_learnt = has_key && row == NULL;
    PyObject *apart[MOST_ARGUMENTS];
    if (set_apart(self, args, is_learnt && !(keys & KEY_AUTOGRAD), apart) < 0) {
        return NULL;
    }
    Noted mine = {0};
    noted = is_learnt ? &mine : NULL;
    PyObject *result = PyObject_Vectorcall(self->composite, apart, (size_t)self->arity, NULL);
    noted = NULL;
    if (result == NULL) {
        raise_with_name(self);
        PyErr_Occurred() != NULL ? (void)refuse_misfits(self, args) : (void)0;
        goto done;
    }
    for (Py_ssize_t k = 0; k < self->arity; k++) {
        if (result == apart[k] && result != args[k]) {
            Py_SETREF(result, new_reference(args[k]));
        }
    }
    result = hidden_base(self, args, result);
    if (result != NULL && is_learnt) {
        PyObject *kept = NULL;
        if (self->makes_view && operands->count > 1 && mine.count != 1) {
            kept = NULL; /* narrow reads its start from a tensor */
        } else if (self->makes_view) {
            PyObject *declared = PyObject_CallFunctionObjArgs(facts.learn_view, self, args[0], result, NULL);
            kept = declared == NULL ? NULL : plan_from(declared);
            Py_XDECREF(declared);
        }
        if (PyErr_Occurred() == NULL && (kept == NULL || kept == Py_None)
            && !self->composite_refuses_recording
            && (!is_tensor(result) || ((Tensor *)result)->base == NULL)) {
            Py_XDECREF(kept);
            kept = learn_delegate(self, &mine, apart, result);
        }
        if (PyErr_Occurred() != NULL
            || keep_row(&self->plans, &key, held_by(args, self->arity), kept == NULL ? Py_None : kept) < 0) {
            Py_CLEAR(result);
        }
        Py_XDECREF(kept);
    }
done:
    for (Py_ssize_t k = 0; k < self->arity; k++) {
        Py_DECREF(apart[k]);
    }
    Py_XDECREF(mine.operator);
    Py_XDECREF(mine.arguments);
    Py_XDECREF(mine.result);
    return result;
}

/* Runs a composite's function if no key but Autograd is active; a view of a base that only it has seen is not a view
 * for others (calls/composites.py, composed). NULL without an exception: run in Python. */
PyObject *run_composite(Operator *self, PyObject *const *args, const Operands *operands) {
    const int64_t word = read_mode_word(), seen = is_told(word) ? KEY_OBSERVED_BIT : 0;
    const int64_t keys = (operands->keys | word) & ~seen;
    if (!seen && word >= 0 && keys & KEY_BATCHED && is_simple(keys & ~(int64_t)KEY_BATCHED) && !self->composite_refuses_recording) {
        PyObject *result = PyObject_Vectorcall(self->composite, args, (size_t)self->arity, NULL);
        if (result == NULL) {
            raise_with_name(self);
            PyErr_Occurred() != NULL ? (void)refuse_misfits(self, args) : (void)0;
        }
        return result == NULL ? NULL : hidden_base(self, args, result);
    }
    if (!is_simple(keys) || (records(keys) && self->composite_refuses_recording)) {
        return NULL;
    }
    return seen ? NULL : run_function(self, args, operands, keys); /* observers see its calls as well */
}
