/* The extension gnomon._hot_path: the type of shortcuts, and what they are told about the house. */
#include "house.h"

struct house house;

static int traverse(PyObject *object, visitproc visit, void *arg) {
    Shortcut *self = (Shortcut *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->python);
    Py_VISIT(self->rest);
    Py_VISIT(self->plans);
    Py_VISIT(self->recorder);
    Py_VISIT(self->records);
    Py_VISIT(self->operator);
    Py_VISIT(self->function);
    Py_VISIT(self->attributes);
    return 0;
}

static int clear(PyObject *object) {
    Shortcut *self = (Shortcut *)object;
    Py_CLEAR(self->python);
    Py_CLEAR(self->rest);
    Py_CLEAR(self->plans);
    Py_CLEAR(self->recorder);
    Py_CLEAR(self->records);
    Py_CLEAR(self->operator);
    Py_CLEAR(self->function);
    Py_CLEAR(self->attributes);
    return 0;
}

static void deallocate(PyObject *object) {
    Shortcut *self = (Shortcut *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    if (self->weak_references != NULL) {
        PyObject_ClearWeakRefs(object);
    }
    clear(object);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

/* As a function in a class: bound to what it is looked up at. */
static PyObject *bind(PyObject *function, PyObject *object, PyObject *type) {
    (void)type;
    if (object == NULL || object == Py_None) {
        return new_reference(function);
    }
    return PyObject_CallFunctionObjArgs(house.method_type, function, object, NULL);
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
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Shortcut, call), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(Shortcut, attributes), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Shortcut, weak_references), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_call, (void *)PyVectorcall_Call}, {Py_tp_traverse, (void *)traverse},   {Py_tp_clear, (void *)clear},
    {Py_tp_dealloc, (void *)deallocate},     {Py_tp_descr_get, (void *)bind},      {Py_tp_members, members},
    {Py_tp_methods, methods},                {Py_tp_repr, (void *)represent},      {0, NULL},
};

static PyType_Spec type_spec = {
    "gnomon._hot_path.Shortcut",
    sizeof(Shortcut),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
    slots,
};

static PyTypeObject *shortcut_type;

static const struct {
    const char *name;
    vectorcallfunc call;
} kinds[] = {
    {"unary", call_unary},       {"binary", call_binary},       {"general", call_general},
    {"several", call_several},   {"written", call_written},     {"composite", call_composite},
    {"function", call_function}, {"operator", call_operator},   {"view", call_view},
    {"item", call_item},         {"delete", call_delete},       {"launch", call_launch},
    {"setitem", call_setitem},   {"pieces", call_pieces},       {"piece", call_piece},
    {"out", call_out},           {"tensor", call_tensor},       {"tolist", call_tolist},
    {"enter", call_enter},       {"exit", call_exit},           {"leave_device", call_leave_device},
    {"give_back", call_give_back},
};

static PyObject *or_none(PyObject *facts, const char *name) {
    PyObject *found = PyDict_GetItemString(facts, name);
    return new_reference(found == NULL ? Py_None : found);
}

static long number_or_zero(PyObject *facts, const char *name) {
    PyObject *found = PyDict_GetItemString(facts, name);
    return found == NULL ? 0 : PyLong_AsLong(found);
}

/* shortcut(kind, facts): what the struct Shortcut says, by name. */
static PyObject *make_shortcut(PyObject *module, PyObject *args) {
    (void)module;
    const char *kind;
    PyObject *facts;
    if (!PyArg_ParseTuple(args, "sO!", &kind, &PyDict_Type, &facts)) {
        return NULL;
    }
    vectorcallfunc call = NULL;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (strcmp(kinds[k].name, kind) == 0) {
            call = kinds[k].call;
        }
    }
    if (call == NULL || house.tensor == NULL) {
        PyErr_Format(PyExc_ValueError, "no shortcut of kind %s", kind);
        return NULL;
    }
    Shortcut *self = (Shortcut *)PyType_GenericAlloc(shortcut_type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->call = call;
    self->python = or_none(facts, "python");
    self->rest = or_none(facts, "rest");
    self->plans = or_none(facts, "plans");
    self->recorder = or_none(facts, "recorder");
    self->operator= or_none(facts, "operator");
    self->function = or_none(facts, "function");
    self->records = NULL; /* made with the first record */
    self->arity = number_or_zero(facts, "arity");
    self->tensors = (unsigned)number_or_zero(facts, "tensors");
    self->lists = (unsigned)number_or_zero(facts, "lists");
    self->optionals = (unsigned)number_or_zero(facts, "optionals");
    self->numbers = (unsigned)number_or_zero(facts, "numbers");
    self->numbers_fit = (int)number_or_zero(facts, "numbers_fit");
    self->kind = (int)number_or_zero(facts, "kind");
    self->refuses_recording = (int)number_or_zero(facts, "refuses_recording");
    self->is_inplace = (int)number_or_zero(facts, "is_inplace");
    self->number = (int)number_or_zero(facts, "number");
    self->device = (int)number_or_zero(facts, "device");
    self->input = (int)number_or_zero(facts, "input");
    if (PyErr_Occurred()) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

/* ---- what the classes look like -------------------------------------------------------------------------------- */

/* Where instances of ``type`` keep the slot ``name``: what is put there is looked for.  -1 with an exception. */
static Py_ssize_t slot_offset(PyObject *type, const char *name) {
    Py_ssize_t found = -1;
    PyObject *size = PyObject_GetAttrString(type, "__basicsize__");
    PyObject *instance = PyType_GenericAlloc((PyTypeObject *)type, 0);
    PyObject *mark = PyList_New(0);
    if (size != NULL && instance != NULL && mark != NULL && PyObject_SetAttrString(instance, name, mark) == 0) {
        const Py_ssize_t end = PyLong_AsSsize_t(size) - (Py_ssize_t)sizeof(PyObject *);
        for (Py_ssize_t offset = (Py_ssize_t)sizeof(PyObject); offset <= end;
             offset += (Py_ssize_t)sizeof(PyObject *)) {
            if (SLOT(instance, offset) == mark) {
                found = offset;
            }
        }
        if (found < 0) {
            PyErr_Format(PyExc_RuntimeError, "%R does not keep %s in a slot", type, name);
        }
    }
    if (instance != NULL) {
        PyErr_Clear();
        if (found >= 0) {
            PyObject_SetAttrString(instance, name, NULL);
        } else {
            PyErr_Format(PyExc_RuntimeError, "%R does not keep %s in a slot", type, name);
        }
    }
    Py_XDECREF(mark);
    Py_XDECREF(instance);
    Py_XDECREF(size);
    return found;
}

static PyObject *given(PyObject *facts, const char *name) {
    PyObject *found = PyDict_GetItemString(facts, name);
    if (found == NULL) {
        PyErr_Format(PyExc_KeyError, "configure: %s", name);
        return NULL;
    }
    return new_reference(found);
}

/* configure(facts): the classes, functions and numbers that shortcuts work with, in a dictionary by name. */
static PyObject *configure(PyObject *module, PyObject *facts) {
    (void)module;
    const struct {
        const char *type, *slot;
        Py_ssize_t *offset;
    } wanted[] = {
        {"Tensor", "_address", &house.address},
        {"Tensor", "_autograd_meta", &house.autograd_meta},
        {"Tensor", "_gradient_edge", &house.gradient_edge},
        {"Tensor", "_keys", &house.keys},
        {"Tensor", "_spec", &house.spec},
        {"Tensor", "_storage", &house.storage},
        {"Tensor", "_storage_offset", &house.storage_offset},
        {"Tensor", "_version_counter", &house.version},
        {"Tensor", "_view_of", &house.view_of},
        {"VersionCounter", "value", &house.value},
        {"VersionCounter", "views", &house.views},
        {"AutogradMeta", "accumulator_edge", &house.accumulator_edge},
        {"RecordedNode", "metadata_specs", &house.metadata_specs},
        {"RecordedNode", "next_edges", &house.next_edges},
        {"RecordedNode", "sequence_nr", &house.sequence_nr},
        {"RecordedNode", "saved", &house.saved},
        {"Spec", "sizes", &house.sizes},
        {"Spec", "free", &house.free},
        {"SavedVariable", "tensor", &house.saved_tensor},
        {"SavedVariable", "version", &house.saved_version},
        {"SavedVariable", "output_nr", &house.output_nr},
        {"SavedVariable", "unpack_hook", &house.unpack_hook},
        {"SavedVariable", "edge", &house.saved_edge},
        {"SavedVariable", "is_variable", &house.is_variable},
        {"ViewPlan", "spec", &house.plan_spec},
        {"ViewPlan", "offset", &house.plan_offset},
        {"ViewPlan", "nbytes", &house.plan_nbytes},
        {"ViewPlan", "node_class", &house.plan_node_class},
        {"ViewPlan", "saved", &house.plan_saved},
        {"ViewPlan", "metadata", &house.plan_metadata},
        {"ViewPlan", "has_internal_overlap", &house.plan_overlap},
        {"OpOverload", "arity", &house.arity},
        {"OpOverload", "fast", &house.fast},
    };
    const struct {
        const char *name;
        long *number;
    } numbers[] = {
        {"PLAIN_CALL", &house.plain},     {"RECORDED_CALL", &house.recorded},
        {"TENSOR_KEYS", &house.tensor_keys}, {"VARIABLE_KEYS", &house.variable_keys},
        {"AUTOGRAD", &house.autograd},    {"GRAD_MODE_BIT", &house.grad_mode},
        {"NO_GRAD_CALL", &house.no_grad}, {"NO_GRAD_CALL_ON_VARIABLES", &house.no_grad_on_variables},
    };
    const struct {
        const char *name;
        PyObject **object;
    } objects[] = {
        {"TENSOR_KEYS", &house.tensor_keys_object},
        {"VARIABLE_KEYS", &house.variable_keys_object},
        {"mode_word", &house.mode_word},
        {"MODE_WORD", &house.mode_variable},
        {"RecordedNode", &house.recorded_node},
        {"nothing_to_end", &house.nothing_to_end},
        {"listeners", &house.listeners},
        {"gradient_edge", &house.gradient_edge_of},
        {"save", &house.save},
        {"next_sequence_number", &house.next_sequence_number},
        {"untyped_storage", &house.untyped_storage},
        {"NO_GRAD_MODE", &house.no_grad_mode},
        {"MULTI_OUTPUT_NODE", &house.multi_output},
        {"default_device", &house.default_device},
        {"default_generator", &house.default_generator},
        {"NAMED", &house.named},
        {"raise_named", &house.raise_named},
        {"hide_base", &house.hide_base},
        {"OpOverload", &house.op_overload},
        {"Node", &house.node},
        {"AccumulateGrad", &house.accumulate_grad},
        {"ReferenceType", &house.weak_reference},
        {"validate", &house.validate},
        {"SavedVariable", &house.saved_variable},
        {"SavedList", &house.saved_list},
        {"INFERENCE_VERSION", &house.inference_version},
        {"MethodType", &house.method_type},
        {"Tensor", (PyObject **)&house.tensor},
        {"VersionCounter", (PyObject **)&house.version_counter},
    };
    const struct {
        const char *name;
        PyObject **object;
    } names[] = {
        {"slice", &house.word_slice},
        {"start", &house.start},
        {"stop", &house.stop},
        {"step", &house.step},
        {"dtype", &house.dtype},
        {"category", &house.category},
        {"borrows_outputs", &house.borrows_outputs},
        {"calls_in_c", &house.calls_in_c},
        {"_seed", &house.seed},
        {"_counter", &house.counter},
        {"apply", &house.name_apply},
        {"release_variables", &house.name_release_variables},
        {"next_edges", &house.name_next_edges},
        {"metadata_specs", &house.name_metadata_specs},
        {"sequence_nr", &house.name_sequence_nr},
        {"get", &house.name_get},
        {"set", &house.name_set},
        {"_inside", &house.name_inside},
        {"_given", &house.name_given},
        {"_before", &house.name_before},
        {"_mask", &house.name_mask},
        {"_ended", &house.name_ended},
        {"_free", &house.name_free},
        {"address", &house.name_address},
    };
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        PyObject *type = given(facts, wanted[k].type);
        if (type == NULL) {
            return NULL;
        }
        *wanted[k].offset = slot_offset(type, wanted[k].slot);
        Py_DECREF(type);
        if (*wanted[k].offset < 0) {
            return NULL;
        }
    }
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        PyObject *number = given(facts, numbers[k].name);
        if (number == NULL) {
            return NULL;
        }
        *numbers[k].number = PyLong_AsLong(number);
        Py_DECREF(number);
    }
    PyObject *unrecorded = given(facts, "UNRECORDED");
    if (unrecorded == NULL) {
        return NULL;
    }
    house.unrecorded_count = 0;
    for (Py_ssize_t k = 0; k < PyTuple_Size(unrecorded) && house.unrecorded_count < 16; k++) {
        house.unrecorded[house.unrecorded_count++] = PyLong_AsLong(PyTuple_GetItem(unrecorded, k));
    }
    Py_DECREF(unrecorded);
    house.zero = PyLong_FromLong(0);
    house.one = PyLong_FromLong(1);
    house.zero_address = PyFloat_FromDouble(0);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        *names[k].object = PyUnicode_InternFromString(names[k].name);
    }
    for (size_t k = 0; k < sizeof objects / sizeof *objects; k++) {
        *objects[k].object = given(facts, objects[k].name);
        if (*objects[k].object == NULL) {
            return NULL;
        }
    }
    return PyErr_Occurred() ? NULL : new_reference(Py_None);
}

static PyMethodDef functions[] = {
    {"configure", configure, METH_O, NULL},
    {"shortcut", make_shortcut, METH_VARARGS, NULL},
    {"run_graph", run_graph, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "gnomon._hot_path", NULL, -1, functions, NULL, NULL,
                                        NULL, NULL};

PyMODINIT_FUNC PyInit__hot_path(void) {
    shortcut_type = (PyTypeObject *)PyType_FromSpec(&type_spec);
    return shortcut_type == NULL ? NULL : PyModule_Create(&definition);
}
