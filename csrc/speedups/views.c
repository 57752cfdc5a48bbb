/* Views: the result depends only on the base's spec and non-tensor arguments (autograd/views.py). */
#include "speedups.h"

/* The source of a view: a tensor, its base, and the creation_meta of its views. */
typedef struct Source {
    Tensor *tensor;
    PyObject *base; /* NULL: autograd does not track the view */
    int creation;
    int is_recorded;
} Source;

int may_show(const Tensor *tensor, int64_t keys) {
    return !(keys & (int64_t)KEY_AUTOGRAD << KEY_EXCLUDED_SHIFT)
           && (tensor->keys & KEY_TENSOR_KEYS) == KEY_TENSOR_KEYS;
}

/* Reads the source for a call with these keys; ``creation`` is the creation_meta of its views if they are, or could be,
 * recorded. 1; 0: run in Python; -1 with an exception. References are borrowed from the tensor. */
static int look_at(Tensor *tensor, int64_t keys, int creation, Source *source) {
    if (!may_show(tensor, keys)) {
        return 0;
    }
    source->is_recorded = records(keys);
    source->tensor = tensor;
    source->base = (PyObject *)tensor;
    source->creation = keys & KEY_GRAD_MODE_BIT ? creation : facts.no_grad_mode;
    if (tensor->base != NULL) {
        source->base = tensor->base;
        source->creation = source->creation ? source->creation : tensor->creation;
    }
    return version_counter(tensor) == NULL ? -1 : 1;
}

/* Marks a new tensor as a view of the source. */
static void mark(const Source *source, Tensor *output) {
    const Tensor *tensor = source->tensor;
    fill(&output->version, new_reference(tensor->version));
    if (source->base == NULL) {
        return;
    }
    output->base = new_reference(source->base);
    output->base_version = ((Version *)tensor->version)->value;
    output->creation = source->creation;
    if (source->is_recorded) {
        return;
    }
    if (!(((Tensor *)source->base)->keys & KEY_AUTOGRAD)) {
        add_view((Version *)tensor->version, output);
    } else if (has_gradients(output->spec)) {
        output->keys |= KEY_AUTOGRAD;
    }
}

/* A view of the source, without a Node; NULL with an exception. */
static Tensor *show(const Source *source, PyObject *spec, int64_t offset, double nbytes) {
    Tensor *output = alias_tensor(source->tensor, spec, offset, nbytes);
    if (output != NULL) {
        mark(source, output);
    }
    return output;
}

int mark_view(const PlanFields *plan, Tensor *tensor, int64_t keys, Tensor *output) {
    Source source;
    const int status = look_at(tensor, keys, 0, &source);
    if (status > 0) {
        if (!plan->is_tracked) {
            source.base = NULL;
        }
        mark(&source, output);
    }
    return status < 0 ? -1 : 0;
}

/* Records a view that a composite created in one step: the Node's class and saved values are in the plan. */
static int record_step(const PlanFields *plan, Tensor *source, Tensor *output) {
    PyObject *edge = edge_of(source);
    if (edge == NULL) {
        return -1;
    }
    PyObject *node = PyType_GenericAlloc((PyTypeObject *)plan->node_class, 0);
    PyObject *edges = PyTuple_New(1), *own = PyTuple_New(2), *number = PyLong_FromLongLong(sequence_number);
    PyObject *position = PyLong_FromLong(0);
    if (node == NULL || edges == NULL || own == NULL || number == NULL || position == NULL) {
        Py_XDECREF(node);
        Py_XDECREF(edges);
        Py_XDECREF(own);
        Py_XDECREF(number);
        Py_XDECREF(position);
        Py_DECREF(edge);
        return -1;
    }
    sequence_number++;
    PyTuple_SET_ITEM(edges, 0, edge);
    fill(&SLOT(node, facts.next_edges), edges);
    fill(&SLOT(node, facts.sequence_nr), number);
    fill(&SLOT(node, facts.metadata_specs), new_reference(plan->metadata));
    fill(&SLOT(node, facts.saved), new_reference(plan->saved));
    PyTuple_SET_ITEM(own, 0, node);
    PyTuple_SET_ITEM(own, 1, position);
    fill(&output->edge, own);
    output->keys = KEY_VARIABLE;
    return 0;
}

/* A view for a call in which ADInplaceOrView and Autograd are excluded, so that nothing is to know that it is one. */
static PyObject *run_alias(const PlanFields *plan, Tensor *tensor, int64_t keys) {
    if (!(keys & (int64_t)KEY_AUTOGRAD << KEY_EXCLUDED_SHIFT)) {
        return NULL;
    }
    PyObject *spec = PyTuple_GET_ITEM(plan->specs, 0);
    return (PyObject *)alias_tensor(tensor, spec, plan->offsets[0], plan->offset_nbytes[0]);
}

PyObject *run_view(Operator *self, PlanObject *object, PyObject *const *args, int64_t keys) {
    const PlanFields *plan = &object->plan;
    Source source;
    if (keys & (int64_t)KEY_AD_INPLACE_OR_VIEW << KEY_EXCLUDED_SHIFT) {
        return run_alias(plan, (Tensor *)args[0], keys);
    }
    const int is_step = self == NULL || self->composite != NULL;
    if (records(keys) && is_step && plan->node_class == Py_None) {
        return NULL;
    }
    if (look_at((Tensor *)args[0], keys, 0, &source) <= 0) {
        return NULL;
    }
    if (!plan->is_tracked) {
        source.base = NULL;
    }
    Tensor *output = show(&source, PyTuple_GET_ITEM(plan->specs, 0), plan->offsets[0], plan->offset_nbytes[0]);
    int status = output == NULL ? -1 : 0;
    if (status == 0 && source.is_recorded && plan->is_tracked) {
        status = is_step                ? record_step(plan, source.tensor, output)
                 : self->is_recorded    ? record(self, object, args, args, 1, &output)
                                        : 0;
    }
    if (status < 0) {
        Py_CLEAR(output);
    }
    return (PyObject *)output;
}

PyObject *run_row(PlanObject *object, Tensor *tensor, int64_t row, int64_t keys) {
    const PlanFields *plan = &object->plan;
    Source source;
    if (look_at(tensor, keys, 0, &source) <= 0) {
        return NULL;
    }
    const int64_t stride = PyLong_AsLongLong(PyTuple_GET_ITEM(SLOT(tensor->spec, facts.strides), 0));
    const int64_t itemsize = PyLong_AsLongLong(SLOT(SLOT(tensor->spec, facts.dtype), facts.itemsize));
    if (PyErr_Occurred() != NULL) {
        return NULL;
    }
    const int64_t offset = row * stride;
    return (PyObject *)show(&source, PyTuple_GET_ITEM(plan->specs, 0), offset, (double)offset * (double)itemsize);
}

#define MOST_VIEWS 62 /* the recorded ones are bits of a number */

PyObject *run_views(Operator *self, PlanObject *object, PyObject *const *args, int64_t keys) {
    const PlanFields *plan = &object->plan;
    const Py_ssize_t count = plan->offsets_count;
    Source source;
    if (records(keys) && count > MOST_VIEWS) {
        return NULL;
    }
    if (look_at((Tensor *)args[0], keys, facts.multi_output, &source) <= 0) {
        return NULL;
    }
    Tensor *outputs[MOST_VIEWS];
    PyObject *result = PyTuple_New(count);
    for (Py_ssize_t k = 0; result != NULL && k < count; k++) {
        Tensor *output = show(&source, PyTuple_GET_ITEM(plan->specs, k), plan->offsets[k], plan->offset_nbytes[k]);
        if (output == NULL) {
            Py_CLEAR(result);
        } else {
            PyTuple_SET_ITEM(result, k, (PyObject *)output);
        }
        if (k < MOST_VIEWS) {
            outputs[k] = output;
        }
    }
    if (result != NULL && count > 0 && source.is_recorded && self->is_recorded
        && record(self, object, args, args, 1, outputs) < 0) {
        Py_CLEAR(result);
    }
    return result;
}
