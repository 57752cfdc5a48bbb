/* The backward Node of a call (autograd/variable_type.py). */
#include "speedups.h"

#define MOST_RECIPES 64 /* of one plan: which tensors of a list require grad may differ between calls */

enum { WITHOUT_GRADIENT, WITH_GRADIENT, NO_TENSOR }; /* kinds of inputs */

/* How to record a call whose inputs match ``pattern``, one letter each. All calls of a plan have the same number of
 * inputs: the lengths of lists are part of the key. */
typedef struct Recipe {
    struct Recipe *next;
    unsigned char *pattern;
    PyTypeObject *node_class;
    PyObject *constants; /* all saved values, if they are the same for each call; or NULL */
    Py_ssize_t count;
    struct {
        int kind, position; /* SAVED_ ... */
    } saved[];
} Recipe;

long long sequence_number;

/* next_sequence_number(): Nodes are numbered in the order of recording, in both tiers. */
PyObject *next_sequence_number(PyObject *module, PyObject *nothing) {
    (void)module;
    (void)nothing;
    return PyLong_FromLongLong(sequence_number++);
}

static void free_recipe(Recipe *recipe) {
    if (recipe != NULL) {
        Py_XDECREF(recipe->node_class);
        Py_XDECREF(recipe->constants);
        PyMem_Free(recipe->pattern);
        PyMem_Free(recipe);
    }
}

void free_recipes(PlanObject *plan) {
    Recipe *each = plan->recipes;
    plan->recipes = NULL;
    while (each != NULL) {
        Recipe *next = each->next;
        free_recipe(each);
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

/* The value that a Node saves for a tensor (saved_variable.py, save): the tensor itself if it was never modified. */
static PyObject *keep_tensor(PyObject *tensor) {
    const PyObject *version = ((Tensor *)tensor)->version;
    const int is_new = version == NULL || (version != facts.inference_version && ((Version *)version)->value == 0);
    return is_new ? new_reference(tensor) : PyObject_CallOneArg(facts.save, tensor);
}

static inline int is_list(PyObject *value) {
    return PyList_CheckExact(value) || PyTuple_CheckExact(value);
}

/* The value that a Node saves for a list of tensors, some perhaps None: their specs, or a SavedList. */
static PyObject *keep_list(int kind, PyObject *list) {
    PyObject *items = PySequence_List(list); /* references to the elements, as the caller may change the list */
    int has_tensor = 0;
    for (Py_ssize_t k = 0; items != NULL && k < PyList_GET_SIZE(items); k++) {
        PyObject *each = PyList_GET_ITEM(items, k);
        if (as_tensor(each) == NULL) {
            continue;
        }
        has_tensor = 1;
        PyObject *kept = kind == SAVED_SPEC ? new_reference(((Tensor *)each)->spec) : keep_tensor(each);
        if (kept == NULL) {
            Py_CLEAR(items);
        } else {
            PyList_SetItem(items, k, kept);
        }
    }
    if (items == NULL || kind == SAVED_SPEC) {
        return items;
    }
    if (!has_tensor) {
        Py_DECREF(items);
        return new_reference(list);
    }
    PyObject *saved = PyType_GenericAlloc((PyTypeObject *)facts.saved_list, 0);
    if (saved != NULL) {
        fill(&SLOT(saved, facts.saved_items), new_reference(items));
    }
    Py_DECREF(items);
    return saved;
}

/* saved_variable.py's SavedVariable(output, is_output=True) of a new output. */
static PyObject *save_output(Tensor *output) {
    if (output->keys & KEY_BATCHED) { /* an alias wraps an alias */
        return PyObject_CallFunctionObjArgs(facts.saved_variable, (PyObject *)output, Py_True, NULL);
    }
    Tensor *alias = alias_tensor(output, output->spec, 0, 0);
    PyObject *made = alias == NULL ? NULL : PyType_GenericAlloc((PyTypeObject *)facts.saved_variable, 0);
    if (made == NULL) {
        Py_XDECREF(alias);
        return NULL;
    }
    SLOT(made, facts.saved_tensor) = (PyObject *)alias;
    SLOT(made, facts.saved_version) = PyLong_FromLong(0);
    SLOT(made, facts.output_nr) = new_reference(PyTuple_GET_ITEM(output->edge, 1));
    SLOT(made, facts.unpack_hook) = new_reference(Py_None);
    SLOT(made, facts.saved_edge) = new_reference(Py_None);
    SLOT(made, facts.is_variable) = new_reference(Py_True);
    return made;
}

static PyObject *keep(const Operator *self, int kind, int position, PyObject *const *args, Tensor *const *outputs) {
    if (kind == SAVED_OUTPUT) {
        Tensor *output = outputs[position];
        if (output->edge == NULL) {
            return PyObject_CallOneArg(facts.save, (PyObject *)output);
        }
        return save_output(output);
    }
    PyObject *value = args[position];
    Tensor *tensor = as_tensor(value);
    if (tensor == NULL) {
        if (kind == SAVED_SIZES) {
            PyErr_SetString(PyExc_TypeError, "a formula uses the sizes of an argument that is not a tensor");
            return NULL;
        }
        return self->lists >> position & 1 && is_list(value) ? keep_list(kind, value) : new_reference(value);
    }
    if (kind == SAVED_SIZES) {
        return new_reference(SLOT(tensor->spec, facts.sizes));
    }
    return kind == SAVED_SPEC ? new_reference(tensor->spec) : keep_tensor(value);
}

/* Is the saved value the same for each call of the plan? Specs are, since they are part of the key; a wrapped number,
 * or one passed in each call, is not. */
static int is_constant(const Operator *self, int kind, int position, PyObject *const *args) {
    if (kind == SAVED_OUTPUT || position == self->number) {
        return 0;
    }
    if (!(self->tensors >> position & 1)) {
        return 1;
    }
    return kind != SAVED_VALUE && (as_tensor(args[position]) != NULL || is_list(args[position]));
}

/* Gets the recipe from learning.py: (the Node's class, ((kind, position), ...)). */
static Recipe *make_recipe(Operator *self, const unsigned char *pattern, Py_ssize_t inputs, PyObject *const *args) {
    PyObject *arguments = PyTuple_New(self->arity);
    for (Py_ssize_t k = 0; arguments != NULL && k < self->arity; k++) {
        PyTuple_SET_ITEM(arguments, k, new_reference(args[k]));
    }
    PyObject *found = arguments == NULL ? NULL : PyObject_CallOneArg(self->recorder, arguments);
    Py_XDECREF(arguments);
    PyObject *node_class, *sources;
    if (found == NULL || !PyArg_ParseTuple(found, "O!O!", &PyType_Type, &node_class, &PyTuple_Type, &sources)) {
        Py_XDECREF(found);
        return NULL;
    }
    const Py_ssize_t count = PyTuple_GET_SIZE(sources);
    Recipe *made = PyMem_Calloc(1, sizeof *made + (size_t)count * sizeof *made->saved);
    if (made == NULL || (made->pattern = PyMem_Malloc((size_t)inputs + 1)) == NULL) {
        PyErr_NoMemory();
        goto failed;
    }
    memcpy(made->pattern, pattern, (size_t)inputs);
    made->count = count;
    made->node_class = (PyTypeObject *)new_reference(node_class);
    int all_constant = 1;
    for (Py_ssize_t k = 0; k < count; k++) {
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(sources, k), "ii", &made->saved[k].kind, &made->saved[k].position)) {
            goto failed;
        }
        all_constant = all_constant && is_constant(self, made->saved[k].kind, made->saved[k].position, args);
    }
    if (all_constant) {
        PyObject *constants = PyList_New(count);
        for (Py_ssize_t k = 0; constants != NULL && k < count; k++) {
            PyObject *each = keep(self, made->saved[k].kind, made->saved[k].position, args, NULL);
            if (each == NULL) {
                Py_CLEAR(constants);
            } else {
                PyList_SET_ITEM(constants, k, each);
            }
        }
        if ((made->constants = constants) == NULL) {
            goto failed;
        }
    }
    Py_DECREF(found);
    return made;
failed:
    free_recipe(made);
    Py_DECREF(found);
    return NULL;
}

int record(Operator *self, PlanObject *plan, PyObject *const *args, PyObject *const *inputs, Py_ssize_t edge_count,
           Tensor *const *outputs) {
    unsigned char pattern[MOST_TENSORS];
    for (Py_ssize_t k = 0; k < edge_count; k++) {
        const Tensor *tensor = as_tensor(inputs[k]);
        pattern[k] = tensor == NULL ? NO_TENSOR : tensor->keys & KEY_AUTOGRAD ? WITH_GRADIENT : WITHOUT_GRADIENT;
    }
    Recipe *recipe = plan->recipes, *rare = NULL;
    int known = 0;
    while (recipe != NULL && memcmp(recipe->pattern, pattern, (size_t)edge_count) != 0) {
        recipe = recipe->next;
        known++;
    }
    if (recipe == NULL) {
        recipe = make_recipe(self, pattern, edge_count, args);
        if (recipe == NULL) {
            return -1;
        }
        if (known < MOST_RECIPES) {
            recipe->next = plan->recipes;
            plan->recipes = recipe;
        } else {
            rare = recipe;
        }
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
    for (Py_ssize_t k = 0; k < edge_count; k++) {
        PyObject *next = pattern[k] == WITH_GRADIENT ? edge_of((Tensor *)inputs[k]) : new_reference(Py_None);
        if (next == NULL) {
            goto done;
        }
        PyTuple_SET_ITEM(edges, k, next);
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
            outputs[k]->keys |= KEY_AUTOGRAD;
        }
    }
    if (recipe->constants != NULL) {
        saved = new_reference(recipe->constants);
    } else {
        saved = PyList_New(recipe->count);
        for (Py_ssize_t k = 0; saved != NULL && k < recipe->count; k++) {
            PyObject *each = keep(self, recipe->saved[k].kind, recipe->saved[k].position, args, outputs);
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
    free_recipe(rare);
    return status;
}
