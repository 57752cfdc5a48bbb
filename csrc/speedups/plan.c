/* Plans in C: plan_layout.h, which is generated from the declaration in Python. */
#include "speedups.h"

/* Reads a tuple of numbers into an array of doubles. Returns how many; -1 with an exception. */
static Py_ssize_t read_numbers(PyObject *tuple, double **numbers) {
    const Py_ssize_t count = PyTuple_Check(tuple) ? PyTuple_GET_SIZE(tuple) : -1;
    *numbers = count < 0 ? NULL : PyMem_Malloc((size_t)(count ? count : 1) * sizeof **numbers);
    if (*numbers == NULL) {
        count < 0 ? (void)PyErr_Format(PyExc_TypeError, "Plan: expected a tuple, got %R", tuple) : (void)PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        (*numbers)[k] = PyFloat_AsDouble(PyTuple_GET_ITEM(tuple, k));
    }
    return PyErr_Occurred() ? -1 : count;
}

static Py_ssize_t read_integers(PyObject *tuple, int64_t **integers) {
    const Py_ssize_t count = PyTuple_Check(tuple) ? PyTuple_GET_SIZE(tuple) : -1;
    *integers = count < 0 ? NULL : PyMem_Malloc((size_t)(count ? count : 1) * sizeof **integers);
    if (*integers == NULL) {
        count < 0 ? (void)PyErr_Format(PyExc_TypeError, "Plan: expected a tuple, got %R", tuple) : (void)PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        (*integers)[k] = PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, k));
    }
    return PyErr_Occurred() ? -1 : count;
}

static int traverse(PyObject *object, visitproc visit, void *arg) {
    PlanFields *plan = &((PlanObject *)object)->plan;
    Py_VISIT(Py_TYPE(object));
#define VISIT_OBJECT(name) Py_VISIT(plan->name);
#define VISIT_INTEGER(name)
#define VISIT_NUMBER(name)
#define VISIT_INTEGERS(name)
#define VISIT_NUMBERS(name)
#define VISIT(name, form) VISIT_##form(name)
    PLAN_FIELDS(VISIT)
    return 0;
}

static int clear(PyObject *object) {
    PlanFields *plan = &((PlanObject *)object)->plan;
#define CLEAR_OBJECT(name) Py_CLEAR(plan->name);
#define CLEAR_INTEGER(name)
#define CLEAR_NUMBER(name)
#define CLEAR_INTEGERS(name)
#define CLEAR_NUMBERS(name)
#define CLEAR(name, form) CLEAR_##form(name)
    PLAN_FIELDS(CLEAR)
    free_recipes((PlanObject *)object);
    return 0;
}

static void deallocate(PyObject *object) {
    PlanFields *plan = &((PlanObject *)object)->plan;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    clear(object);
#define FREE_OBJECT(name)
#define FREE_INTEGER(name)
#define FREE_NUMBER(name)
#define FREE_INTEGERS(name) PyMem_Free(plan->name);
#define FREE_NUMBERS(name) PyMem_Free(plan->name);
#define FREE(name, form) FREE_##form(name)
    PLAN_FIELDS(FREE)
    type->tp_free(object);
    Py_DECREF(type);
}

/* plan_from(plan): the C form of a Plan in Python. None for None. */
PyObject *plan_from(PyObject *declared) {
    if (declared == Py_None) {
        return new_reference(Py_None);
    }
    PlanObject *made = (PlanObject *)PyType_GenericAlloc(facts.plan, 0);
    if (made == NULL) {
        return NULL;
    }
    PlanFields *plan = &made->plan;
    int status = 0;
#define READ_OBJECT(name) plan->name = new_reference(value);
#define READ_INTEGER(name) plan->name = PyLong_AsLongLong(value);
#define READ_NUMBER(name) plan->name = PyFloat_AsDouble(value);
#define READ_INTEGERS(name) plan->name##_count = read_integers(value, &plan->name);
#define READ_NUMBERS(name) plan->name##_count = read_numbers(value, &plan->name);
#define READ(name, form)                                                                    \
    {                                                                                       \
        PyObject *value = status < 0 ? NULL : PyObject_GetAttrString(declared, #name);      \
        if (value != NULL) {                                                                \
            READ_##form(name)                                                               \
            Py_DECREF(value);                                                               \
        }                                                                                   \
        status = PyErr_Occurred() != NULL ? -1 : status;                                    \
    }
    PLAN_FIELDS(READ)
    if (status < 0) {
        Py_DECREF(made);
        return NULL;
    }
    return (PyObject *)made;
}

static PyType_Slot slots[] = {
    {Py_tp_dealloc, (void *)deallocate}, {Py_tp_traverse, (void *)traverse}, {Py_tp_clear, (void *)clear}, {0, NULL},
};

static PyType_Spec spec = {
    "gnomon_speedups.PreparedPlan", sizeof(PlanObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots,
};

/* Adds the class, and the compiled fields, ((name, form), ...), to the module. */
int make_plan_type(PyObject *module) {
    facts.plan = (PyTypeObject *)PyType_FromSpec(&spec);
    PyObject *names = PyList_New(0);
    int status = facts.plan == NULL || names == NULL ? -1 : 0;
#define TELL(name, form)                                                     \
    if (status == 0) {                                                       \
        PyObject *pair = Py_BuildValue("(ss)", #name, #form);                \
        status = pair == NULL ? -1 : PyList_Append(names, pair);             \
        Py_XDECREF(pair);                                                    \
    }
    PLAN_FIELDS(TELL)
    if (status == 0) {
        status = PyModule_AddObject(module, "plan_fields", names);
    }
    return status;
}
