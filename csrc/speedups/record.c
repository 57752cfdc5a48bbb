/* The Node of a call, which turns it round (autograd/variable_type.py). */
#include "speedups.h"

/* How to record a call whose inputs require grad as ``mask`` says: two bits an argument, whether it does, and whether
 * it is no tensor. */
typedef struct Recipe {
    struct Recipe *next;
    int64_t mask;
    PyTypeObject *node_class;
    PyObject *constants; /* all that is saved, where that is nothing of the call's own; or NULL */
    Py_ssize_t count;
    struct {
        int kind, position; /* SAVED_ ... */
    } saved[];
} Recipe;

long long sequence_number;

/* next_sequence_number(): Nodes are numbered as they are recorded, in both tiers. */
PyObject *next_sequence_number(PyObject *module, PyObject *nothing) {
    (void)module;
    (void)nothing;
    return PyLong_FromLongLong(sequence_number++);
}

void free_recipes(PlanObject *plan) {
    Recipe *each = plan->recipes;
    plan->recipes = NULL;
    while (each != NULL) {
        Recipe *next = each->next;
        Py_DECREF(each->node_class);
        Py_XDECREF(each->constants);
        PyMem_Free(each);
        each = next;
    }
}

PyObject *edge_of(Tensor *tensor) {
    if (tensor->base == NULL) {
        if (tensor->edge != NULL) {
            return new_reference(tensor->edge);
        }
        if (tensor->meta != NULL) {
            PyObject *edge = SLOT(tensor->meta, facts.accumulator_edge);
            if (edge != NULL && edge != Py_None) {
                PyObject *specs = SLOT(PyTuple_GET_ITEM(edge, 0), facts.metadata_specs);
                if (specs != NULL && PyTuple_Check(specs) && PyTuple_GET_ITEM(specs, 0) == tensor->spec) {
                    return new_reference(edge);
                }
            }
        }
    }
    return PyObject_CallOneArg(facts.gradient_edge, (PyObject *)tensor);
}

static PyObject *keep(int kind, int position, PyObject *const *args, Tensor *const *outputs) {
    if (kind == SAVED_OUTPUT) {
        Tensor *output = outputs[position];
        if (output->edge == NULL) {
            return PyObject_CallOneArg(facts.save, (PyObject *)output);
        }
        return PyWeakref_NewRef((PyObject *)output, NULL); /* what a Node needs of its own outputs, it borrows */
    }
    PyObject *value = args[position];
    Tensor *tensor = as_tensor(value);
    if (tensor == NULL) {
        if (kind == SAVED_SIZES) {
            PyErr_SetString(PyExc_TypeError, "a formula asks for the sizes of what is no tensor");
            return NULL;
        }
        return new_reference(value);
    }
    if (kind == SAVED_SIZES) {
        return new_reference(SLOT(tensor->spec, facts.sizes));
    }
    if (kind == SAVED_SPEC) {
        return new_reference(tensor->spec);
    }
    /* what was written to, or shares its memory, is saved with its version */
    return tensor->version != NULL ? PyObject_CallOneArg(facts.save, value) : new_reference(value);
}

/* Ask learning.py: (the Node's class, ((kind, position), ...)). */
static Recipe *make_recipe(Operator *self, int64_t mask, PyObject *const *args) {
    PyObject *number = PyLong_FromLongLong(mask);
    PyObject *found = number == NULL ? NULL : PyObject_CallOneArg(self->recorder, number);
    Py_XDECREF(number);
    PyObject *node_class, *sources;
    if (found == NULL || !PyArg_ParseTuple(found, "O!O!", &PyType_Type, &node_class, &PyTuple_Type, &sources)) {
        Py_XDECREF(found);
        return NULL;
    }
    const Py_ssize_t count = PyTuple_GET_SIZE(sources);
    Recipe *made = PyMem_Calloc(1, sizeof *made + (size_t)count * sizeof *made->saved);
    int is_constant = 1;
    for (Py_ssize_t k = 0; made != NULL && k < count; k++) {
        int kind = 0, position = 0;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(sources, k), "ii", &kind, &position)) {
            PyMem_Free(made);
            Py_DECREF(found);
            return NULL;
        }
        made->saved[k].kind = kind;
        made->saved[k].position = position;
        /* a number that stands for a tensor, or is told anew, is another at each call */
        is_constant = is_constant && kind == SAVED_VALUE && !(self->tensors >> position & 1) && position != self->number;
    }
    if (made == NULL) {
        PyErr_NoMemory();
        Py_DECREF(found);
        return NULL;
    }
    made->mask = mask;
    made->count = count;
    made->node_class = (PyTypeObject *)new_reference(node_class);
    Py_DECREF(found);
    if (is_constant) {
        made->constants = PyList_New(count);
        for (Py_ssize_t k = 0; made->constants != NULL && k < count; k++) {
            PyList_SET_ITEM(made->constants, k, new_reference(args[made->saved[k].position]));
        }
    }
    return made;
}

int record(Operator *self, PlanObject *plan, PyObject *const *args, Tensor *const *outputs) {
    int64_t mask = 0;
    Py_ssize_t edge_count = 0;
    for (Py_ssize_t k = 0; k < self->arity; k++) {
        if (self->tensors >> k & 1) {
            edge_count++;
            const Tensor *tensor = as_tensor(args[k]);
            mask |= tensor == NULL ? 2LL << 2 * k : tensor->keys & KEY_AUTOGRAD ? 1LL << 2 * k : 0;
        }
    }
    Recipe *recipe = plan->recipes;
    while (recipe != NULL && recipe->mask != mask) {
        recipe = recipe->next;
    }
    if (recipe == NULL) {
        recipe = make_recipe(self, mask, args);
        if (recipe == NULL) {
            return -1;
        }
        recipe->next = plan->recipes;
        plan->recipes = recipe;
    }
    int status = -1;
    PyObject *node = PyType_GenericAlloc(recipe->node_class, 0);
    PyObject *edges = PyTuple_New(edge_count);
    PyObject *number = PyLong_FromLongLong(sequence_number);
    PyObject *saved = NULL;
    if (node == NULL || edges == NULL || number == NULL) {
        goto done;
    }
    sequence_number++;
    for (Py_ssize_t k = 0, filled = 0; k < self->arity; k++) {
        if (self->tensors >> k & 1) {
            PyObject *next = mask >> 2 * k & 1 ? edge_of((Tensor *)args[k]) : new_reference(Py_None);
            if (next == NULL) {
                goto done;
            }
            PyTuple_SET_ITEM(edges, filled++, next);
        }
    }
    for (int k = 0; plan->plan.recorded >> k; k++) {
        if (plan->plan.recorded >> k & 1) {
            PyObject *edge = PyTuple_New(2), *position = PyLong_FromLong(k);
            if (edge == NULL || position == NULL) {
                Py_XDECREF(edge);
                Py_XDECREF(position);
                goto done;
            }
            PyTuple_SET_ITEM(edge, 0, new_reference(node));
            PyTuple_SET_ITEM(edge, 1, position);
            track(outputs[k]);
            fill(&outputs[k]->edge, edge);
            outputs[k]->keys = KEY_VARIABLE;
        }
    }
    if (recipe->constants != NULL) {
        saved = new_reference(recipe->constants);
    } else {
        saved = PyList_New(recipe->count);
        for (Py_ssize_t k = 0; saved != NULL && k < recipe->count; k++) {
            PyObject *each = keep(recipe->saved[k].kind, recipe->saved[k].position, args, outputs);
            if (each == NULL) {
                Py_CLEAR(saved);
            } else {
                PyList_SET_ITEM(saved, k, each);
            }
        }
    }
    if (saved == NULL) {
        goto done;
    }
    fill(&SLOT(node, facts.next_edges), new_reference(edges));
    fill(&SLOT(node, facts.sequence_nr), new_reference(number));
    fill(&SLOT(node, facts.metadata_specs), new_reference(plan->plan.metadata));
    fill(&SLOT(node, facts.saved), new_reference(saved));
    status = 0;
done:
    Py_XDECREF(node);
    Py_XDECREF(edges);
    Py_XDECREF(number);
    Py_XDECREF(saved);
    return status;
}
