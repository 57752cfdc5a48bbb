/* The extension gnomon_speedups._speedups, and the objects of gnomon that are registered with it. */
#include "speedups.h"

struct facts facts;

Py_ssize_t slot_offset(PyObject *type, const char *name) {
    PyObject *found = PyObject_GetAttrString(type, name);
    Py_ssize_t offset = -1;
    if (found != NULL && Py_TYPE(found) == &PyMemberDescr_Type) {
        offset = ((PyMemberDescrObject *)found)->d_member->offset;
    } else if (found != NULL) {
        PyErr_Format(PyExc_RuntimeError, "%R does not keep %s in a slot", type, name);
    }
    Py_XDECREF(found);
    return offset;
}

static PyObject *given(PyObject *told, const char *name) {
    PyObject *found = PyDict_GetItemString(told, name);
    if (found == NULL) {
        PyErr_Format(PyExc_KeyError, "know: %s", name);
        return NULL;
    }
    return new_reference(found);
}

/* know(facts): registers classes, functions and objects by name, as far as they exist yet; others are not needed before
 * they are registered. */
static PyObject *know(PyObject *module, PyObject *told) {
    (void)module;
    const struct {
        const char *type, *slot;
        Py_ssize_t *offset;
    } slots[] = {
        {"AutogradMeta", "accumulator_edge", &facts.accumulator_edge},
        {"Node", "metadata_specs", &facts.metadata_specs},
        {"Node", "next_edges", &facts.next_edges},
        {"Node", "sequence_nr", &facts.sequence_nr},
        {"RecordedNode", "saved", &facts.saved},
        {"Spec", "sizes", &facts.sizes},
        {"Spec", "strides", &facts.strides},
        {"Spec", "dtype", &facts.dtype},
        {"Spec", "numel", &facts.numel},
        {"Spec", "is_contiguous", &facts.is_contiguous},
        {"Spec", "device", &facts.device},
        {"dtype", "category", &facts.category},
        {"dtype", "itemsize", &facts.itemsize},
        {"SavedVariable", "tensor", &facts.saved_tensor},
        {"SavedVariable", "version", &facts.saved_version},
        {"SavedVariable", "output_nr", &facts.output_nr},
        {"SavedVariable", "unpack_hook", &facts.unpack_hook},
        {"SavedVariable", "edge", &facts.saved_edge},
        {"SavedVariable", "is_variable", &facts.is_variable},
        {"SavedList", "items", &facts.saved_items},
    };
    const struct {
        const char *name;
        PyObject **object;
    } objects[] = {
        {"mode_word", &facts.mode_word},
        {"scoped_devices", &facts.scoped_devices},
        {"values", &facts.values},
        {"learn", &facts.learn},
        {"learn_view", &facts.learn_view},
        {"prepare", &facts.prepare},
        {"formulas", &facts.formulas},
        {"gradient_edge", &facts.gradient_edge},
        {"save", &facts.save},
        {"untyped_storage", &facts.untyped_storage},
        {"adopt", &facts.adopt},
        {"share", &facts.share},
        {"give_back", &facts.give_back},
        {"default_generator", &facts.default_generator},
        {"nonzero_static", &facts.nonzero_static},
        {"select", &facts.select},
        {"_index", &facts.index},
        {"bool", &facts.bool_dtype},
        {"named", &facts.named},
        {"raise_named", &facts.raise_named},
        {"hide_base", &facts.hide_base},
        {"RecordedNode", &facts.recorded_node},
        {"Node", &facts.node},
        {"AccumulateGrad", &facts.accumulate_grad},
        {"SavedVariable", &facts.saved_variable},
        {"SavedList", &facts.saved_list},
        {"validate", &facts.validate},
        {"sum_of", &facts.sum_of},
        {"inference_version", &facts.inference_version},
        {"Spec", (PyObject **)&facts.spec},
        {"AutogradMeta", (PyObject **)&facts.autograd_meta},
        {"nothing_to_end", &facts.nothing_to_end},
        {"start", &facts.start},
        {"end", &facts.end},
        {"function_scope", &facts.function_scope},
        {"kernel_scope", &facts.kernel_scope},
        {"readable_everywhere", &facts.readable_everywhere},
    };
    if (!PyDict_Check(told)) {
        return PyErr_Format(PyExc_TypeError, "know: expected a dict, got %R", told);
    }
    for (size_t k = 0; k < sizeof slots / sizeof *slots; k++) {
        PyObject *type = given(told, slots[k].type);
        if (type == NULL) {
            return NULL;
        }
        *slots[k].offset = slot_offset(type, slots[k].slot);
        Py_DECREF(type);
        if (*slots[k].offset < 0) {
            return NULL;
        }
    }
    const struct {
        const char *name;
        int *number;
    } numbers[] = {{"no_grad_mode", &facts.no_grad_mode}, {"multi_output", &facts.multi_output}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        PyObject *number = given(told, numbers[k].name);
        if (number == NULL) {
            return NULL;
        }
        *numbers[k].number = (int)PyLong_AsLong(number);
        Py_DECREF(number);
    }
    for (size_t k = 0; k < sizeof objects / sizeof *objects; k++) {
        *objects[k].object = given(told, objects[k].name);
        if (*objects[k].object == NULL) {
            return NULL;
        }
    }
    Py_RETURN_NONE;
}

/* tensor_type(Tensor), version_type(VersionCounter), operator_type(OpOverload): create the C classes that replace these
 * Python classes. */
static PyObject *tensor_type(PyObject *module, PyObject *python) {
    (void)module;
    if (is_memory_ready() < 0 || (facts.tensor = make_tensor_type(python)) == NULL) {
        return NULL;
    }
    return new_reference((PyObject *)facts.tensor);
}

static PyObject *version_type(PyObject *module, PyObject *python) {
    (void)module;
    return (facts.version = make_version_type(python)) == NULL ? NULL : new_reference((PyObject *)facts.version);
}

static PyObject *operator_type(PyObject *module, PyObject *python) {
    (void)module;
    return (facts.operator= make_operator_type(python)) == NULL ? NULL : new_reference((PyObject *)facts.operator);
}

/* claim(): is this the first copy of gnomon in this process? Registered objects are global: another copy, in another
 * interpreter or after a re-import, runs without speedups. */
static PyObject *claim(PyObject *module, PyObject *nothing) {
    (void)module;
    (void)nothing;
    static int is_claimed;
    const int is_first = !is_claimed;
    is_claimed = 1;
    return PyBool_FromLong(is_first);
}

static PyMethodDef functions[] = {
    {"claim", claim, METH_NOARGS, NULL},
    {"know", know, METH_O, NULL},
    {"tensor_type", tensor_type, METH_O, NULL},
    {"version_type", version_type, METH_O, NULL},
    {"operator_type", operator_type, METH_O, NULL},
    {"function", make_function, METH_VARARGS, NULL},
    {"use_number_protocol", use_number_protocol, METH_O, NULL},
    {"share_number_protocol", share_number_protocol, METH_O, NULL},
    {"next_sequence_number", next_sequence_number, METH_NOARGS, NULL},
    {"after_launch", (PyCFunction)(void (*)(void))after_launch, METH_FASTCALL, NULL},
    {"forget_plans", forget_plans, METH_NOARGS, NULL},
    {"run_graph", run_graph, METH_VARARGS, NULL},
    {"know_batching", know_batching, METH_VARARGS, NULL},
    {"replace_memory", replace_memory, METH_VARARGS, NULL},
    {"own_memory", own_memory, METH_VARARGS, NULL},
    {"own_memories", own_memories, METH_VARARGS, NULL},
    {"owns_memory", owns_memory, METH_O, NULL},
    {"has_address", has_address, METH_O, NULL},
    {"bare_tensor", (PyCFunction)(void (*)(void))bare_tensor, METH_FASTCALL, NULL},
    {"is_alias_of", (PyCFunction)(void (*)(void))is_alias_of, METH_FASTCALL, NULL},
    {"keys_of", (PyCFunction)(void (*)(void))keys_of, METH_FASTCALL, NULL},
    {"specs_of_list", specs_of_list, METH_O, NULL},
    {"bump_versions", bump_versions, METH_O, NULL},
    {"any_inference", any_inference, METH_O, NULL},
    {"addresses", (PyCFunction)(void (*)(void))addresses, METH_FASTCALL, NULL},
    {"dlpack_capsule", dlpack_capsule, METH_VARARGS, NULL},
    {"dlpack_opened", dlpack_opened, METH_O, NULL},
    {"dlpack_taken", dlpack_taken, METH_VARARGS, NULL},
    {"foreign_bytes", foreign_bytes, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "gnomon_speedups._speedups", NULL, -1, functions, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__speedups(void) {
    if (facts.plan != NULL) {
        PyErr_SetString(PyExc_ImportError, "gnomon_speedups._speedups is already loaded");
        return NULL;
    }
    PyObject *module = PyModule_Create(&definition);
    if (module != NULL && (make_plan_type(module) < 0 || make_function_types() < 0)) {
        Py_CLEAR(module);
    }
    return module;
}
