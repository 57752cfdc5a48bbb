/* The engine's common case (autograd/engine.py, _run): nothing is recorded, there are no observers, and only leaves
 * accumulate. The steps and their order are the same, except that a leaf's gradients are added as they arrive, so that
 * leaves do not run, unless some have hooks.
 */
#include "speedups.h"

static PyObject *name_apply, *name_release_variables, *name_next_edges, *name_metadata_specs, *name_sequence_nr;

typedef struct Entry {
    PyObject *node, *edges, *specs; /* references */
    PyObject **buffer;              /* a gradient or NULL for each of the node's outputs */
    Py_ssize_t outputs;
    Py_ssize_t left; /* incoming edges that are still outstanding */
    unsigned long long order, arrival; /* the node's number; the place among those that became ready */
    int is_leaf, is_own;
} Entry;

typedef struct Graph {
    Entry *entries;
    Py_ssize_t count, room;
    Py_ssize_t *table; /* by node: its entry, or -1; open addressing, a power of two */
    Py_ssize_t table_size;
    Py_ssize_t *stack; /* stack of the counting pass; then the heap of ready nodes */
    Py_ssize_t length;
    unsigned long long arrivals;
    PyObject *evaluate; /* GraphTask.evaluate, which runs the hooks of leaves; NULL if there are none */
} Graph;

/* The table slot of the node's number, existing or to be filled. */
static size_t place_of(const Graph *graph, PyObject *node) {
    const size_t mask = (size_t)(graph->table_size - 1);
    size_t place = (size_t)((uint64_t)(uintptr_t)node * 0x9e3779b97f4a7c15u >> 24);
    while (graph->table[place & mask] >= 0 && graph->entries[graph->table[place & mask]].node != node) {
        place++;
    }
    return place & mask;
}

static int grow(Graph *graph) {
    const Py_ssize_t room = graph->room ? 2 * graph->room : 64;
    Entry *entries = PyMem_Realloc(graph->entries, (size_t)room * sizeof *entries);
    if (entries != NULL) {
        graph->entries = entries;
    }
    Py_ssize_t *stack = PyMem_Realloc(graph->stack, (size_t)room * sizeof *stack);
    if (stack != NULL) {
        graph->stack = stack;
    }
    Py_ssize_t *table = PyMem_Malloc((size_t)(4 * room) * sizeof *table);
    if (entries == NULL || stack == NULL || table == NULL) {
        PyMem_Free(table);
        PyErr_NoMemory();
        return -1;
    }
    PyMem_Free(graph->table);
    graph->room = room;
    graph->table = table;
    graph->table_size = 4 * room;
    for (Py_ssize_t k = 0; k < graph->table_size; k++) {
        table[k] = -1;
    }
    for (Py_ssize_t k = 0; k < graph->count; k++) {
        table[place_of(graph, entries[k].node)] = k;
    }
    return 0;
}

/* A node's attribute, from a slot or from its class; a new reference. */
static PyObject *attribute(PyObject *node, Py_ssize_t offset, PyObject *name) {
    PyObject *found = SLOT(node, offset);
    return found != NULL ? new_reference(found) : PyObject_GetAttr(node, name);
}

/* The entry number of an edge's node, created if missing; -1 with an exception. */
static Py_ssize_t entry_of(Graph *graph, PyObject *edge, int *is_new) {
    PyObject *node = PyTuple_Check(edge) && PyTuple_GET_SIZE(edge) == 2 ? PyTuple_GET_ITEM(edge, 0) : NULL;
    if (node == NULL || !PyType_IsSubtype(Py_TYPE(node), (PyTypeObject *)facts.node)) {
        PyErr_Format(PyExc_TypeError, "backward: expected an edge of a Node and a number, got %R", edge);
        return -1;
    }
    const Py_ssize_t present = graph->count == 0 ? -1 : graph->table[place_of(graph, node)];
    *is_new = present < 0;
    if (present >= 0) {
        return present;
    }
    if (graph->count == graph->room && grow(graph) < 0) {
        return -1;
    }
    Entry made = {0};
    made.is_leaf = (PyObject *)Py_TYPE(node) == facts.accumulate_grad;
    made.specs = attribute(node, facts.metadata_specs, name_metadata_specs);
    made.outputs = made.specs == NULL ? -1 : PyObject_Size(made.specs);
    PyObject *edges = made.is_leaf ? PyTuple_New(0) : attribute(node, facts.next_edges, name_next_edges);
    made.edges = edges == NULL ? NULL : PySequence_Tuple(edges);
    Py_XDECREF(edges);
    if (made.specs != NULL && !PyTuple_Check(made.specs)) {
        PyObject *specs = PySequence_Tuple(made.specs);
        Py_DECREF(made.specs);
        made.specs = specs;
    }
    if (made.is_leaf) {
        made.order = ULLONG_MAX; /* LAST_SEQUENCE_NUMBER */
    } else {
        PyObject *number = attribute(node, facts.sequence_nr, name_sequence_nr);
        made.order = number == NULL ? 0 : PyLong_AsUnsignedLongLong(number);
        Py_XDECREF(number);
    }
    made.buffer = PyMem_Calloc((size_t)(made.outputs > 0 ? made.outputs : 1), sizeof *made.buffer);
    if (PyErr_Occurred() || made.buffer == NULL || made.edges == NULL || made.specs == NULL) {
        Py_XDECREF(made.specs);
        Py_XDECREF(made.edges);
        PyMem_Free(made.buffer);
        if (!PyErr_Occurred()) {
            PyErr_NoMemory();
        }
        return -1;
    }
    made.node = new_reference(node);
    graph->entries[graph->count] = made;
    graph->table[place_of(graph, node)] = graph->count;
    return graph->count++;
}

static void release(Graph *graph) {
    for (Py_ssize_t k = 0; k < graph->count; k++) {
        Entry *each = &graph->entries[k];
        for (Py_ssize_t n = 0; n < each->outputs; n++) {
            Py_XDECREF(each->buffer[n]);
        }
        PyMem_Free(each->buffer);
        Py_XDECREF(each->node);
        Py_XDECREF(each->edges);
        Py_XDECREF(each->specs);
    }
    PyMem_Free(graph->entries);
    PyMem_Free(graph->table);
    PyMem_Free(graph->stack);
}

/* Counts the incoming edges of every reachable node. */
static int count_dependencies(Graph *graph) {
    graph->length = 0;
    for (Py_ssize_t k = 0; k < graph->count; k++) {
        graph->stack[graph->length++] = k;
    }
    while (graph->length > 0) {
        PyObject *edges = graph->entries[graph->stack[--graph->length]].edges;
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(edges); k++) {
            PyObject *edge = PyTuple_GET_ITEM(edges, k);
            if (edge == Py_None) {
                continue;
            }
            int is_new = 0;
            const Py_ssize_t target = entry_of(graph, edge, &is_new);
            if (target < 0) {
                return -1;
            }
            graph->entries[target].left++;
            if (is_new) {
                graph->stack[graph->length++] = target;
            }
        }
    }
    return 0;
}

/* ---- the ready queue: a heap, the node that was recorded last on top; of leaves, the one that came first -------- */

static int comes_before(const Graph *graph, Py_ssize_t a, Py_ssize_t b) {
    const Entry *one = &graph->entries[a], *other = &graph->entries[b];
    return one->order > other->order || (one->order == other->order && one->arrival < other->arrival);
}

/* Does a node run when it is ready?  A leaf only has hooks to call. */
static int runs(const Graph *graph, const Entry *entry) {
    return !entry->is_leaf || graph->evaluate != NULL;
}

static void push(Graph *graph, Py_ssize_t entry) {
    Py_ssize_t place = graph->length++;
    graph->entries[entry].arrival = graph->arrivals++;
    while (place > 0 && comes_before(graph, entry, graph->stack[(place - 1) / 2])) {
        graph->stack[place] = graph->stack[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    graph->stack[place] = entry;
}

static Py_ssize_t pop(Graph *graph) {
    const Py_ssize_t top = graph->stack[0], last = graph->stack[--graph->length];
    Py_ssize_t place = 0;
    for (;;) {
        Py_ssize_t child = 2 * place + 1;
        if (child >= graph->length) {
            break;
        }
        if (child + 1 < graph->length && comes_before(graph, graph->stack[child + 1], graph->stack[child])) {
            child++;
        }
        if (!comes_before(graph, graph->stack[child], last)) {
            break;
        }
        graph->stack[place] = graph->stack[child];
        place = child;
    }
    graph->stack[place] = last;
    return top;
}

/* ---- running a node -------------------------------------------------------------------------------------------- */

#define MOST_SAVED 24

/* A tensor's version; -1 for an inference tensor, which has none. */
static int64_t version_of(const Tensor *tensor) {
    if (tensor->version == facts.inference_version) {
        return -1;
    }
    return tensor->version == NULL ? 0 : ((Version *)tensor->version)->value;
}

/* What a Node saved, unpacked (saved_variable.py, unpack); borrowed.  NULL if Python must do it: a tensor that was
 * modified in place (an error), an output that needs its history, a value packed by a hook. */
static PyObject *unpacked(PyObject *value) {
    if (is_tensor(value)) {
        return version_of((Tensor *)value) == 0 ? value : NULL;
    }
    if ((PyObject *)Py_TYPE(value) == facts.saved_variable) {
        PyObject *tensor = SLOT(value, facts.saved_tensor);
        const int is_plain = SLOT(value, facts.unpack_hook) == Py_None && is_tensor(tensor)
                             && version_of((Tensor *)tensor) == PyLong_AsLongLong(SLOT(value, facts.saved_version));
        const int has_history = is_plain && PyLong_AsLong(SLOT(value, facts.output_nr)) >= 0;
        return is_plain && !(has_history && read_mode_word() & KEY_GRAD_MODE_BIT) ? tensor : NULL;
    }
    return (PyObject *)Py_TYPE(value) == facts.saved_list ? NULL : value;
}

/* The saved values of a Node, unpacked, as new references. Returns how many, or -1 if Python must unpack them (or raise
 * an error). */
static Py_ssize_t unpack(PyObject *saved, PyObject **values) {
    if (saved == NULL || !PyList_Check(saved) || PyList_Size(saved) > MOST_SAVED) {
        return -1;
    }
    const Py_ssize_t count = PyList_Size(saved);
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *known = unpacked(PyList_GetItem(saved, k));
        Py_XINCREF(known);
        if (known == NULL) {
            forget_error();
            while (k > 0) {
                Py_DECREF(values[--k]);
            }
            return -1;
        }
        values[k] = known;
    }
    return count;
}

/* All incoming gradients, with None for missing ones; a new list. */
static PyObject *all_gradients(const Entry *entry, Py_ssize_t least) {
    const Py_ssize_t length = least > entry->outputs ? least : entry->outputs;
    PyObject *gradients = PyList_New(length);
    for (Py_ssize_t k = 0; gradients != NULL && k < length; k++) {
        PyObject *each = k < entry->outputs ? entry->buffer[k] : NULL;
        PyList_SetItem(gradients, k, new_reference(each == NULL ? Py_None : each));
    }
    return gradients;
}

/* Stores a formula's result (steals the reference) for its inputs. 0, or -1 with an exception. */
static int distribute(PyObject *results, PyObject *result, PyObject *targets) {
    if (!PyTuple_Check(targets)) {
        return PyTuple_SetItem(results, PyLong_AsSsize_t(targets), result);
    }
    if (result == Py_None) {
        Py_DECREF(result);
        return 0;
    }
    PyObject *parts = PySequence_Tuple(result);
    Py_DECREF(result);
    if (parts == NULL) {
        return -1;
    }
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(targets) && k < PyTuple_GET_SIZE(parts); k++) {
        PyObject *target = PyTuple_GET_ITEM(targets, k);
        if (target != Py_None) {
            PyTuple_SetItem(results, PyLong_AsSsize_t(target), new_reference(PyTuple_GET_ITEM(parts, k)));
        }
    }
    Py_DECREF(parts);
    return 0;
}

enum { GRAD = -1, GRADS = -2, MASK = -3 }; /* a formula's arguments that were not saved (variable_type.py) */

/* RecordedNode.apply: calls each formula with its parameters. */
static PyObject *call_formulas(Entry *entry, PyObject *calls, Py_ssize_t places, PyObject **values) {
    PyObject *results = PyTuple_New(PyTuple_GET_SIZE(entry->edges));
    for (Py_ssize_t k = 0; results != NULL && k < PyTuple_GET_SIZE(entry->edges); k++) {
        PyTuple_SetItem(results, k, new_reference(Py_None));
    }
    for (Py_ssize_t k = 0; results != NULL && k < PyTuple_GET_SIZE(calls); k++) {
        PyObject *call = PyTuple_GET_ITEM(calls, k), *sources = PyTuple_GET_ITEM(call, 1);
        const Py_ssize_t given = PyTuple_GET_SIZE(sources);
        PyObject *arguments[MOST_SAVED + 3], *gradients = NULL;
        for (Py_ssize_t n = 0; n < given; n++) {
            const Py_ssize_t source = PyLong_AsSsize_t(PyTuple_GET_ITEM(sources, n));
            switch (source) {
            case GRAD: arguments[n] = entry->buffer[0] == NULL ? Py_None : entry->buffer[0]; break;
            case MASK: arguments[n] = PyTuple_GET_ITEM(call, 3); break;
            case GRADS:
                gradients = all_gradients(entry, places);
                arguments[n] = gradients == NULL ? Py_None : gradients;
                break;
            default: arguments[n] = values[source]; break;
            }
        }
        PyObject *formula = PyTuple_GET_ITEM(call, 0);
        PyObject *result = PyErr_Occurred() ? NULL : PyObject_Vectorcall(formula, arguments, (size_t)given, NULL);
        Py_XDECREF(gradients);
        if (result == NULL || distribute(results, result, PyTuple_GET_ITEM(call, 2)) < 0) {
            Py_CLEAR(results);
        }
    }
    return results;
}

/* The facts of a Node class: (formulas, takes_all_gradients, output_count, keeps_tensors) of its DerivativePlan
 * (variable_type.py), or None if it has only ``apply``; borrowed, NULL with an exception. */
static PyObject *recipe_of(PyObject *node) {
    static PyObject *recipes;
    PyObject *type = (PyObject *)Py_TYPE(node);
    if (recipes == NULL && (recipes = PyDict_New()) == NULL) {
        return NULL;
    }
    PyObject *found = PyDict_GetItemWithError(recipes, type);
    if (found != NULL || PyErr_Occurred() != NULL) {
        return found;
    }
    PyObject *made = PyObject_CallOneArg(facts.formulas, type);
    const int status = made == NULL ? -1 : PyDict_SetItem(recipes, type, made);
    Py_XDECREF(made);
    return status < 0 ? NULL : PyDict_GetItemWithError(recipes, type);
}

/* The gradients that a node returns, in a tuple; NULL with an exception. */
static PyObject *apply(Entry *entry, PyObject *recipe) {
    PyObject *values[MOST_SAVED];
    int is_reached = entry->outputs > 0 && entry->buffer[0] != NULL;
    for (Py_ssize_t k = 1; k < entry->outputs && recipe != Py_None && PyTuple_GET_ITEM(recipe, 1) == Py_True; k++) {
        is_reached |= entry->buffer[k] != NULL;
    }
    if (recipe != Py_None && is_reached) {
        const Py_ssize_t count = unpack(SLOT(entry->node, facts.saved), values);
        if (count >= 0) {
            PyObject *results = call_formulas(entry, PyTuple_GET_ITEM(recipe, 0),
                                              PyLong_AsSsize_t(PyTuple_GET_ITEM(recipe, 2)), values);
            for (Py_ssize_t k = 0; k < count; k++) {
                Py_DECREF(values[k]);
            }
            return results;
        }
    }
    PyObject *gradients = all_gradients(entry, 0);
    PyObject *returned =
        gradients == NULL ? NULL : PyObject_CallMethodObjArgs(entry->node, name_apply, gradients, NULL);
    Py_XDECREF(gradients);
    PyObject *results = returned == NULL ? NULL : PySequence_Tuple(returned);
    Py_XDECREF(returned);
    return results;
}

/* Was the gradient newly created by its formula, for a single input, without aliases? */
static int is_fresh(PyObject *gradient, const Entry *entry, PyObject *results) {
    if (((Tensor *)gradient)->version != NULL && ((Tensor *)gradient)->base == NULL) {
        return 0;
    }
    for (Py_ssize_t k = 0; k < entry->outputs; k++) {
        if (entry->buffer[k] == gradient) {
            return 0;
        }
    }
    int times = 0;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(results); k++) {
        times += PyTuple_GET_ITEM(results, k) == gradient;
    }
    return times <= 1; /* none: it was summed to the input's sizes */
}

/* Adds a gradient (steals the reference) to a node's buffer. 0, or -1 with an exception. */
static int put(Graph *graph, Py_ssize_t target, Py_ssize_t input_nr, PyObject *gradient, const Entry *from,
               PyObject *results) {
    Entry *to = &graph->entries[target];
    PyObject *wanted = PyTuple_GetItem(to->specs, input_nr);
    if (wanted == NULL) {
        Py_DECREF(gradient);
        return -1;
    }
    if (!is_tensor(gradient) || ((Tensor *)gradient)->spec != wanted) {
        PyObject *valid =
            PyObject_CallFunctionObjArgs(facts.validate, gradient, wanted, from->node, results, NULL);
        Py_DECREF(gradient);
        gradient = valid;
        if (gradient == NULL) {
            return -1;
        }
    }
    PyObject *present = to->buffer[input_nr];
    if (present == NULL) {
        to->is_own = to->is_leaf && is_fresh(gradient, from, results);
        to->buffer[input_nr] = gradient;
        return 0;
    }
    /* out of place: the one in the buffer may be shared */
    const int is_plain = is_tensor(present) && (((Tensor *)present)->keys & KEY_TENSOR_KEYS) == KEY_TENSOR_KEYS;
    PyObject *sum = is_plain ? PyNumber_Add(present, gradient)
                             : PyObject_CallFunctionObjArgs(facts.sum_of, present, gradient, NULL);
    Py_DECREF(gradient);
    if (sum == NULL) {
        return -1;
    }
    to = &graph->entries[target];
    to->buffer[input_nr] = sum;
    to->is_own = 1;
    Py_DECREF(present);
    return 0;
}

/* Calls the hooks of a leaf, whose gradient they may replace.  0, or -1 with an exception. */
static int run_leaf(Graph *graph, Py_ssize_t place) {
    PyObject *gradients = all_gradients(&graph->entries[place], 0);
    PyObject *evaluated = gradients == NULL ? NULL
                                            : PyObject_CallFunctionObjArgs(graph->evaluate, graph->entries[place].node,
                                                                           gradients, NULL);
    Py_XDECREF(gradients);
    PyObject *after = evaluated == NULL ? NULL : PySequence_GetItem(evaluated, 0);
    PyObject *gradient = after == NULL ? NULL : PySequence_GetItem(after, 0);
    Py_XDECREF(after);
    Py_XDECREF(evaluated);
    if (gradient == NULL) {
        return -1;
    }
    if (gradient == Py_None) {
        Py_CLEAR(gradient);
    }
    PyObject *before = graph->entries[place].buffer[0];
    graph->entries[place].buffer[0] = gradient;
    Py_XDECREF(before);
    return 0;
}

/* Run the node on top of the queue.  0, or -1 with an exception. */
static int step(Graph *graph, int keeps_graph) {
    const Py_ssize_t place = pop(graph);
    Entry *entry = &graph->entries[place];
    if (entry->is_leaf) {
        return run_leaf(graph, place);
    }
    PyObject *recipe = recipe_of(entry->node);
    PyObject *results = recipe == NULL ? NULL : apply(entry, recipe);
    if (results == NULL) {
        return -1;
    }
    if (!keeps_graph && recipe != Py_None) {
        if (PyTuple_GET_ITEM(recipe, 3) == Py_True) {
            fill(&SLOT(entry->node, facts.saved), new_reference(Py_None));
        }
    } else if (!keeps_graph) {
        PyObject *done = PyObject_CallMethodObjArgs(entry->node, name_release_variables, NULL);
        if (done == NULL) {
            Py_DECREF(results);
            return -1;
        }
        Py_DECREF(done);
    }
    int status = 0;
    const Py_ssize_t given = PyTuple_GET_SIZE(results);
    for (Py_ssize_t k = 0; status == 0 && k < PyTuple_GET_SIZE(entry->edges) && k < given; k++) {
        PyObject *edge = PyTuple_GET_ITEM(entry->edges, k), *gradient = PyTuple_GET_ITEM(results, k);
        if (edge == Py_None) {
            continue;
        }
        int is_new = 0;
        const Py_ssize_t target = entry_of(graph, edge, &is_new);
        if (target < 0 || is_new) {
            if (target >= 0) {
                PyErr_SetString(PyExc_RuntimeError, "the graph was changed while it ran backward");
            }
            status = -1;
            break;
        }
        if (gradient != Py_None) {
            status = put(graph, target, PyLong_AsSsize_t(PyTuple_GET_ITEM(edge, 1)), new_reference(gradient), entry,
                         results);
        }
        if (--graph->entries[target].left == 0 && runs(graph, &graph->entries[target])) {
            push(graph, target);
        }
    }
    Py_DECREF(results);
    for (Py_ssize_t n = 0; n < entry->outputs; n++) {
        Py_CLEAR(entry->buffer[n]);
    }
    return status;
}

/* run_graph(edges, gradients, keeps_graph, evaluate or None) -> [(leaf, gradient, is it unshared)] */
PyObject *run_graph(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *edges, *seeds, *evaluate;
    int keeps_graph;
    if (!PyArg_ParseTuple(args, "O!O!pO", &PyTuple_Type, &edges, &PyTuple_Type, &seeds, &keeps_graph, &evaluate)) {
        return NULL;
    }
    if (name_apply == NULL) {
        name_apply = PyUnicode_InternFromString("apply");
        name_release_variables = PyUnicode_InternFromString("release_variables");
        name_next_edges = PyUnicode_InternFromString("next_edges");
        name_metadata_specs = PyUnicode_InternFromString("metadata_specs");
        name_sequence_nr = PyUnicode_InternFromString("sequence_nr");
    }
    Graph graph = {.evaluate = evaluate == Py_None ? NULL : evaluate};
    PyObject *leaves = NULL;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(edges); k++) {
        PyObject *edge = PyTuple_GET_ITEM(edges, k), *seed = PyTuple_GET_ITEM(seeds, k);
        int is_new = 0;
        const Py_ssize_t root = entry_of(&graph, edge, &is_new);
        if (root < 0
            || put(&graph, root, PyLong_AsSsize_t(PyTuple_GET_ITEM(edge, 1)), new_reference(seed),
                   &graph.entries[root], seeds)
                   < 0) {
            goto done;
        }
        graph.entries[root].is_own = 0;
    }
    const Py_ssize_t roots = graph.count;
    if (roots == 0 || count_dependencies(&graph) < 0) {
        goto done;
    }
    graph.length = 0;
    for (Py_ssize_t k = 0; k < roots; k++) {
        if (graph.entries[k].left == 0 && runs(&graph, &graph.entries[k])) {
            push(&graph, k);
        }
    }
    while (graph.length > 0) {
        if (step(&graph, keeps_graph) < 0) {
            goto done;
        }
    }
    leaves = PyList_New(0);
    for (Py_ssize_t k = 0; leaves != NULL && k < graph.count; k++) {
        Entry *each = &graph.entries[k];
        if (each->is_leaf && each->buffer[0] != NULL) {
            PyObject *leaf = Py_BuildValue("OOO", each->node, each->buffer[0], each->is_own ? Py_True : Py_False);
            Py_CLEAR(each->buffer[0]);
            if (leaf == NULL || PyList_Append(leaves, leaf) < 0) {
                Py_CLEAR(leaves);
            }
            Py_XDECREF(leaf);
        }
    }
done:
    release(&graph);
    if (leaves == NULL && !PyErr_Occurred()) {
        leaves = PyList_New(0);
    }
    return leaves;
}
