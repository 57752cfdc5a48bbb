/* The hot path in C: what fast_path.py, fast_operators.py and fast_views.py do for a call that was seen before.
 *
 * Those files say what a shortcut means, find the plans, and serve where this extension was not built or
 * GNOMON_HOT_PATH=python.  Here the same look-ups are made in the same dictionaries, the kernel is entered by its
 * address, and the slots of the new objects are filled where they lie.  Whatever is not plain goes to Python's
 * version of the shortcut, with the same arguments, before anything was done.
 *
 * Objects are read and written under the GIL.  A kernel may give it up while it runs: what a call needs after
 * that is held by references.
 *
 * Written for the limited API, so that one build serves all versions of Python.  Where a class keeps its slots is
 * found out by looking (slot_offset).
 */
#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030a0000
#endif
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

/* Python 3.12 declares these for the limited API; the versions before have them all the same. */
#if Py_LIMITED_API < 0x030c0000
PyAPI_FUNC(PyObject *) PyObject_Vectorcall(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
PyAPI_FUNC(PyObject *) PyVectorcall_Call(PyObject *callable, PyObject *args, PyObject *keywords);
typedef PyObject *(*vectorcallfunc)(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
#define Py_TPFLAGS_HAVE_VECTORCALL (1UL << 11)
#endif
#ifndef Py_TPFLAGS_METHOD_DESCRIPTOR
#define Py_TPFLAGS_METHOD_DESCRIPTOR (1UL << 17)
#endif
#define OFFSET_BIT ((size_t)1 << (8 * sizeof(size_t) - 1)) /* PY_VECTORCALL_ARGUMENTS_OFFSET */

/* The entry points of csrc/gnomon.h. */
typedef double call1(double call, double a);
typedef double call2(double call, double a, double b);
typedef double call3(double call, double a, double b, double c);

/* Where a plan has what (fast_operators.py). */
enum { PLAN_ENTRY, PLAN_CALL, PLAN_SPEC, PLAN_METADATA, PLAN_KEEP, PLAN_ADDRESS, PLAN_LENGTH };

/* What ``configure`` was told, once, when gnomon was imported. */
static struct {
    PyTypeObject *tensor, *version_counter;
    /* offsets of slots */
    Py_ssize_t address, autograd_meta, gradient_edge, keys, spec, storage, storage_offset, version, view_of;
    Py_ssize_t value, views;                                           /* VersionCounter */
    Py_ssize_t accumulator_edge;                                       /* AutogradMeta */
    Py_ssize_t metadata_specs, next_edges, sequence_nr, saved;         /* RecordedNode */
    Py_ssize_t sizes, free;                                            /* Spec */
    Py_ssize_t plan_spec, plan_offset, plan_nbytes, plan_node_class, plan_saved, plan_metadata; /* ViewPlan */
    Py_ssize_t arity, fast;                                            /* OpOverload */
    long plain, recorded, tensor_keys, variable_keys, autograd, grad_mode, no_grad, no_grad_on_variables;
    long unrecorded[16];
    int unrecorded_count;
    PyObject *tensor_keys_object, *variable_keys_object, *zero, *zero_address, *word_slice, *start, *stop, *step;
    PyObject *borrows_outputs, *dtype, *category;
    PyObject *mode_word, *listeners, *gradient_edge_of, *save, *next_sequence_number, *untyped_storage;
    PyObject *no_grad_mode; /* CreationMeta.NO_GRAD_MODE */
    PyObject *method_type;
} house;

#define SLOT(object, offset) (*(PyObject **)((char *)(object) + (offset)))

static PyObject *new_reference(PyObject *object) {
    Py_INCREF(object);
    return object;
}

static void fill(PyObject *object, Py_ssize_t offset, PyObject *value) { /* takes the reference */
    PyObject *before = SLOT(object, offset);
    SLOT(object, offset) = value;
    Py_XDECREF(before);
}

/* ---- shortcuts ----------------------------------------------------------------------------------------------- */

typedef struct Shortcut {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject *python;     /* Python's version, for all that is not plain */
    PyObject *rest;       /* for other numbers of arguments, and keywords */
    PyObject *plans;      /* a dictionary */
    PyObject *recorder;   /* function of (mask, arguments) -> (Node class, codes, constants), or None: not recorded */
    PyObject *records;    /* what it returned, by mask */
    PyObject *attributes; /* __dict__ */
    PyObject *weak_references;
    Py_ssize_t arity;
    unsigned tensors; /* which arguments are tensors, as bits */
    unsigned numbers; /* which may be a zero with a sign */
    int kind;         /* of a view's key */
    int refuses_recording;
} Shortcut;

static PyObject *elsewhere(PyObject *function, PyObject *const *args, size_t count, PyObject *names) {
    return PyObject_Vectorcall(function, args, count & ~OFFSET_BIT, names);
}

static int is_tensor(PyObject *object) {
    return Py_TYPE(object) == house.tensor || PyType_IsSubtype(Py_TYPE(object), house.tensor);
}

static long keys_of(PyObject *tensor) {
    return PyLong_AsLong(SLOT(tensor, house.keys));
}

/* The thread's mode word; -1 with an exception. */
static long read_mode_word(void) {
    PyObject *word = PyObject_CallNoArgs(house.mode_word);
    if (word == NULL) {
        return -1;
    }
    const long bits = PyLong_AsLong(word);
    Py_DECREF(word);
    return bits;
}

/* Does nothing but the backend, and perhaps autograd's record, have a say? */
static int is_simple(long keys) {
    if (keys == house.plain || keys == house.recorded) {
        return 1;
    }
    for (int k = 0; k < house.unrecorded_count; k++) {
        if (keys == house.unrecorded[k]) {
            return 1;
        }
    }
    return 0;
}

static int is_watched(void) {
    return PyList_Size(house.listeners) != 0;
}

/* A Tensor that owns the memory at ``address``. */
static PyObject *make_tensor(PyObject *spec, double address) {
    PyObject *made = PyType_GenericAlloc(house.tensor, 0);
    if (made == NULL) {
        return NULL;
    }
    PyObject *number = PyFloat_FromDouble(address);
    if (number == NULL) {
        Py_DECREF(made);
        return NULL;
    }
    SLOT(made, house.spec) = new_reference(spec);
    SLOT(made, house.address) = number;
    SLOT(made, house.storage) = new_reference(Py_None);
    SLOT(made, house.storage_offset) = new_reference(house.zero);
    SLOT(made, house.keys) = new_reference(house.tensor_keys_object);
    SLOT(made, house.gradient_edge) = new_reference(Py_None);
    SLOT(made, house.autograd_meta) = new_reference(Py_None);
    SLOT(made, house.version) = new_reference(Py_None);
    SLOT(made, house.view_of) = new_reference(Py_None);
    return made;
}

/* ---- recording ----------------------------------------------------------------------------------------------- */

/* Where the gradient of a tensor that requires grad goes; a new reference. */
static PyObject *edge_of(PyObject *tensor) {
    PyObject *edge = SLOT(tensor, house.gradient_edge);
    if (SLOT(tensor, house.view_of) == Py_None) {
        if (edge != Py_None) {
            return new_reference(edge);
        }
        PyObject *meta = SLOT(tensor, house.autograd_meta);
        if (meta != Py_None) {
            edge = SLOT(meta, house.accumulator_edge);
            if (edge != NULL && edge != Py_None) {
                PyObject *specs = SLOT(PyTuple_GetItem(edge, 0), house.metadata_specs);
                if (PyTuple_GetItem(specs, 0) == SLOT(tensor, house.spec)) {
                    return new_reference(edge);
                }
            }
        }
    }
    return PyObject_CallFunctionObjArgs(house.gradient_edge_of, tensor, NULL);
}

/* What codes say that a Node keeps: which argument's value, the output, an argument's sizes or spec, a constant. */
enum { KEEP_VALUE, KEEP_OUTPUT, KEEP_SIZES, KEEP_SPEC, KEEP_CONSTANT };

static PyObject *keep(long code, PyObject *const *args, PyObject *output, PyObject *constants) {
    const long position = code >> 3;
    if (((code & 7) == KEEP_SIZES || (code & 7) == KEEP_SPEC) && !is_tensor(args[position])) {
        PyErr_SetString(PyExc_TypeError, "a formula asks for the sizes of what is no tensor");
        return NULL;
    }
    switch (code & 7) {
    case KEEP_OUTPUT: return PyWeakref_NewRef(output, NULL);
    case KEEP_SIZES: return new_reference(SLOT(SLOT(args[position], house.spec), house.sizes));
    case KEEP_SPEC: return new_reference(SLOT(args[position], house.spec));
    case KEEP_CONSTANT: return new_reference(PyTuple_GetItem(constants, position));
    default: break;
    }
    PyObject *value = args[position];
    if (is_tensor(value) && SLOT(value, house.version) != Py_None) {
        return PyObject_CallFunctionObjArgs(house.save, value, NULL);
    }
    return new_reference(value);
}

/* Make the Node of a call, and ``output`` its output.  0, or -1 with an exception. */
static int record(Shortcut *self, PyObject *const *args, PyObject *output, PyObject *metadata) {
    long mask = 0;
    Py_ssize_t edge_count = 0;
    for (Py_ssize_t k = 0; k < self->arity; k++) {
        if (self->tensors >> k & 1) {
            edge_count++;
            if (!is_tensor(args[k])) {
                mask |= 2L << (2 * k);
            } else if (keys_of(args[k]) & house.autograd) {
                mask |= 1L << (2 * k);
            }
        }
    }
    PyObject *key = PyLong_FromLong(mask);
    if (key == NULL) {
        return -1;
    }
    PyObject *found = PyDict_GetItemWithError(self->records, key);
    if (found == NULL) {
        PyObject *arguments = PyTuple_New(self->arity);
        for (Py_ssize_t k = 0; arguments != NULL && k < self->arity; k++) {
            PyTuple_SetItem(arguments, k, new_reference(args[k]));
        }
        found = arguments == NULL ? NULL : PyObject_CallFunctionObjArgs(self->recorder, key, arguments, NULL);
        Py_XDECREF(arguments);
        if (found == NULL || PyDict_SetItem(self->records, key, found) < 0) {
            Py_XDECREF(found);
            Py_DECREF(key);
            return -1;
        }
        Py_DECREF(found); /* the dictionary has it */
    }
    Py_DECREF(key);
    Py_INCREF(found);
    PyObject *codes = PyTuple_GetItem(found, 1), *constants = PyTuple_GetItem(found, 2);
    const Py_ssize_t kept = PyTuple_Size(codes);
    PyObject *node = PyType_GenericAlloc((PyTypeObject *)PyTuple_GetItem(found, 0), 0);
    PyObject *edges = PyTuple_New(edge_count);
    PyObject *saved = PyList_New(kept);
    PyObject *number = PyObject_CallNoArgs(house.next_sequence_number);
    PyObject *edge = PyTuple_New(2);
    if (node == NULL || edges == NULL || saved == NULL || number == NULL || edge == NULL) {
        goto failed;
    }
    for (Py_ssize_t k = 0, filled = 0; k < self->arity; k++) {
        if (self->tensors >> k & 1) {
            PyObject *next = mask >> (2 * k) & 1 ? edge_of(args[k]) : new_reference(Py_None);
            if (next == NULL) {
                goto failed;
            }
            PyTuple_SetItem(edges, filled++, next);
        }
    }
    PyTuple_SetItem(edge, 0, new_reference(node));
    PyTuple_SetItem(edge, 1, new_reference(house.zero));
    fill(output, house.gradient_edge, edge);
    fill(output, house.keys, new_reference(house.variable_keys_object));
    edge = NULL;
    for (Py_ssize_t k = 0; k < kept; k++) {
        PyObject *each = keep(PyLong_AsLong(PyTuple_GetItem(codes, k)), args, output, constants);
        if (each == NULL) {
            goto failed;
        }
        PyList_SetItem(saved, k, each);
    }
    fill(node, house.next_edges, edges);
    fill(node, house.sequence_nr, number);
    fill(node, house.metadata_specs, new_reference(metadata));
    fill(node, house.saved, saved);
    Py_DECREF(node);
    Py_DECREF(found);
    return 0;
failed:
    Py_XDECREF(node);
    Py_XDECREF(edges);
    Py_XDECREF(saved);
    Py_XDECREF(number);
    Py_XDECREF(edge);
    Py_DECREF(found);
    return -1;
}

/* ---- operators ----------------------------------------------------------------------------------------------- */

/* The look-up, or NULL where there is no plan (or it is not for C); never an exception. */
static PyObject *find(PyObject *plans, PyObject *key) {
    PyObject *found = PyDict_GetItemWithError(plans, key);
    if (found == NULL) {
        PyErr_Clear();
    }
    return found;
}

static void *address_of(PyObject *plan) {
    if (!PyTuple_Check(plan) || PyTuple_Size(plan) != PLAN_LENGTH) {
        return NULL;
    }
    return (void *)(uintptr_t)PyFloat_AsDouble(PyTuple_GetItem(plan, PLAN_ADDRESS));
}

/* Run the kernel of ``plan`` and make the result; NULL and no exception where Python has to do it. */
static PyObject *run(Shortcut *self, PyObject *plan, void *entry, PyObject *const *args, const double *addresses,
                     int count, int is_recorded) {
    Py_INCREF(plan);
    const double call = PyFloat_AsDouble(PyTuple_GetItem(plan, PLAN_CALL));
    double address = 0;
    switch (count) {
    case 1: address = ((call1 *)entry)(call, addresses[0]); break;
    case 2: address = ((call2 *)entry)(call, addresses[0], addresses[1]); break;
    default: address = ((call3 *)entry)(call, addresses[0], addresses[1], addresses[2]); break;
    }
    PyObject *output = NULL;
    if (address > 0) { /* else out of memory, or a kernel that found a fault: the readable path says which */
        output = make_tensor(PyTuple_GetItem(plan, PLAN_SPEC), address);
        if (output != NULL && is_recorded && record(self, args, output, PyTuple_GetItem(plan, PLAN_METADATA)) < 0) {
            Py_DECREF(output);
            output = NULL;
        }
    }
    Py_DECREF(plan);
    return output;
}

/* ``run``, or Python's version where that has to do it. */
#define RUN_OR(fallback)                                                                                               \
    do {                                                                                                               \
        PyObject *output = run(self, plan, entry, args, addresses, operands,                                           \
                               keys == house.recorded && self->recorder != Py_None);                                   \
        if (output != NULL || PyErr_Occurred()) {                                                                      \
            return output;                                                                                             \
        }                                                                                                              \
        return fallback;                                                                                               \
    } while (0)

#define PYTHON elsewhere(self->python, args, count, NULL)

static PyObject *call_unary(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    if ((count & ~OFFSET_BIT) != 1 || names != NULL) {
        return elsewhere(self->rest, args, count, names);
    }
    PyObject *a = args[0], *spec;
    if (!is_tensor(a) || (spec = SLOT(a, house.spec)) == NULL) {
        return PYTHON;
    }
    PyObject *plan = find(self->plans, spec);
    void *entry = plan == NULL ? NULL : address_of(plan);
    if (entry == NULL) {
        return PYTHON;
    }
    const long word = read_mode_word();
    const long keys = keys_of(a) | word;
    if (!is_simple(keys) || is_watched()) {
        return PYTHON;
    }
    const double addresses[] = {PyFloat_AsDouble(SLOT(a, house.address))};
    const int operands = 1;
    RUN_OR(PYTHON);
}

static PyObject *call_binary(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    if ((count & ~OFFSET_BIT) != 2 || names != NULL) {
        return elsewhere(self->rest, args, count, names);
    }
    PyObject *a = args[0], *b = args[1], *spec, *key;
    if (!is_tensor(a) || (spec = SLOT(a, house.spec)) == NULL) {
        return PYTHON;
    }
    PyObject *row = find(self->plans, spec);
    if (row == NULL) {
        return PYTHON;
    }
    long keys = keys_of(a);
    double second;
    if (is_tensor(b)) {
        key = SLOT(b, house.spec);
        if (key == NULL) {
            return PYTHON;
        }
        keys |= keys_of(b);
        second = PyFloat_AsDouble(SLOT(b, house.address));
    } else if (PyFloat_CheckExact(b)) {
        key = (PyObject *)&PyFloat_Type;
        second = PyFloat_AsDouble(b);
    } else if (PyLong_CheckExact(b)) {
        int overflow = 0;
        const long long integer = PyLong_AsLongLongAndOverflow(b, &overflow);
        if (overflow || integer >= 1LL << 53 || integer <= -(1LL << 53)) {
            return PYTHON;
        }
        key = (PyObject *)&PyLong_Type;
        second = (double)integer;
    } else {
        return PYTHON;
    }
    PyObject *plan = find(row, key);
    void *entry = plan == NULL ? NULL : address_of(plan);
    if (entry == NULL) {
        return PYTHON;
    }
    keys |= read_mode_word();
    if (!is_simple(keys) || is_watched()) {
        return PYTHON;
    }
    const double addresses[] = {PyFloat_AsDouble(SLOT(a, house.address)), second};
    const int operands = 2;
    RUN_OR(PYTHON);
}

/* An operator of up to three tensors with whatever other arguments. */
static PyObject *call_general(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    if ((Py_ssize_t)(count & ~OFFSET_BIT) != self->arity || names != NULL) {
        return elsewhere(self->rest, args, count, names);
    }
    double addresses[3];
    int operands = 0;
    long keys = 0;
    Py_ssize_t parts = 0;
    for (Py_ssize_t k = 0; k < self->arity; k++) {
        if (self->tensors >> k & 1) {
            if (!is_tensor(args[k]) || SLOT(args[k], house.spec) == NULL) {
                return PYTHON;
            }
            keys |= keys_of(args[k]);
            addresses[operands++] = PyFloat_AsDouble(SLOT(args[k], house.address));
            parts++;
        } else {
            if (self->numbers >> k & 1 && PyFloat_CheckExact(args[k]) && PyFloat_AsDouble(args[k]) == 0) {
                return PYTHON; /* 0.0 and -0.0 are equal, and not the same */
            }
            parts += 2;
        }
    }
    PyObject *plan;
    if (parts == 1) { /* as Python's version: a key of one part is that part */
        plan = find(self->plans, SLOT(args[0], house.spec));
    } else {
        PyObject *key = PyTuple_New(parts);
        if (key == NULL) {
            return NULL;
        }
        for (Py_ssize_t k = 0, filled = 0; k < self->arity; k++) {
            if (self->tensors >> k & 1) {
                PyTuple_SetItem(key, filled++, new_reference(SLOT(args[k], house.spec)));
            } else {
                PyTuple_SetItem(key, filled++, new_reference(args[k]));
                PyTuple_SetItem(key, filled++, new_reference((PyObject *)Py_TYPE(args[k])));
            }
        }
        plan = find(self->plans, key);
        Py_DECREF(key);
    }
    void *entry = plan == NULL ? NULL : address_of(plan);
    if (entry == NULL) {
        return PYTHON;
    }
    keys |= read_mode_word();
    if (!is_simple(keys) || (keys == house.recorded && self->refuses_recording) || is_watched()) {
        return PYTHON;
    }
    RUN_OR(PYTHON);
}

/* OpOverload.__call__: straight to its shortcut. */
static PyObject *call_operator(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    const Py_ssize_t given = (Py_ssize_t)(count & ~OFFSET_BIT);
    if (given >= 1 && names == NULL) {
        PyObject *arity = SLOT(args[0], house.arity), *fast = SLOT(args[0], house.fast);
        if (arity != NULL && fast != NULL && fast != Py_None && PyLong_AsLong(arity) == given - 1) {
            Py_INCREF(fast);
            PyObject *result = PyObject_Vectorcall(fast, args + 1, (size_t)(given - 1), NULL);
            Py_DECREF(fast);
            return result;
        }
    }
    return elsewhere(self->python, args, count, names);
}

/* ---- views --------------------------------------------------------------------------------------------------- */

enum { KEY_INTEGERS, KEY_SIZES, KEY_INDEX };

static PyObject *tuple_of_integers(PyObject *const *items, Py_ssize_t count) {
    for (Py_ssize_t k = 0; k < count; k++) {
        if (!PyLong_CheckExact(items[k])) {
            return NULL; /* True and 1.0 are equal to 1, and no dimensions */
        }
    }
    PyObject *key = PyTuple_New(count);
    for (Py_ssize_t k = 0; key != NULL && k < count; k++) {
        PyTuple_SetItem(key, k, new_reference(items[k]));
    }
    return key;
}

static PyObject *slice_key(PyObject *index) {
    PyObject *key = PyTuple_New(4);
    if (key == NULL) {
        return NULL;
    }
    PyTuple_SetItem(key, 0, new_reference(house.word_slice));
    PyObject *const names[] = {house.start, house.stop, house.step};
    for (int k = 0; k < 3; k++) {
        PyObject *each = PyObject_GetAttr(index, names[k]);
        if (each == NULL || (each != Py_None && !PyLong_CheckExact(each))) {
            Py_XDECREF(each);
            Py_DECREF(key);
            return NULL;
        }
        PyTuple_SetItem(key, k + 1, each);
    }
    return key;
}

/* What fast_views.py's plans are found by; NULL for other arguments. */
static PyObject *view_key(int kind, PyObject *const *args, Py_ssize_t count) {
    if (kind == KEY_INTEGERS) {
        return tuple_of_integers(args, count);
    }
    if (kind == KEY_SIZES) {
        if (count == 1 && PyTuple_CheckExact(args[0])) {
            for (Py_ssize_t k = 0; k < PyTuple_Size(args[0]); k++) {
                if (!PyLong_CheckExact(PyTuple_GetItem(args[0], k))) {
                    return NULL;
                }
            }
            return new_reference(args[0]);
        }
        return tuple_of_integers(args, count);
    }
    if (count != 1) {
        return NULL;
    }
    PyObject *index = args[0];
    if (PyLong_CheckExact(index)) {
        return new_reference(index);
    }
    if (PySlice_Check(index)) {
        return slice_key(index);
    }
    if (!PyTuple_CheckExact(index)) {
        return NULL;
    }
    const Py_ssize_t length = PyTuple_Size(index);
    PyObject *key = PyTuple_New(length + 1);
    if (key == NULL) {
        return NULL;
    }
    PyTuple_SetItem(key, 0, new_reference(house.zero)); /* a tuple that no slice's key is equal to */
    for (Py_ssize_t k = 0; k < length; k++) {
        PyObject *each = PyTuple_GetItem(index, k), *part = NULL;
        if (PyLong_CheckExact(each) || each == Py_None || each == Py_Ellipsis) {
            part = new_reference(each);
        } else if (PySlice_Check(each)) {
            part = slice_key(each);
        }
        if (part == NULL) {
            Py_DECREF(key);
            return NULL;
        }
        PyTuple_SetItem(key, k + 1, part);
    }
    return key;
}

/* Keep ``view`` in mind at the counter (VersionCounter.add_view).  0, or -1 with an exception. */
static int add_view(PyObject *counter, PyObject *view) {
    PyObject *views = SLOT(counter, house.views);
    PyObject *reference = PyWeakref_NewRef(view, NULL);
    if (reference == NULL) {
        return -1;
    }
    int status = 0;
    if (views == NULL || views == Py_None) {
        views = PyList_New(1);
        if (views == NULL) {
            Py_DECREF(reference);
            return -1;
        }
        PyList_SetItem(views, 0, reference);
        fill(counter, house.views, views);
        return 0;
    }
    const Py_ssize_t length = PyList_Size(views) + 1;
    if (length >= 32 && !(length & (length - 1))) { /* those that were freed are forgotten: Python's business */
        PyObject *done = PyObject_CallMethod(counter, "add_view", "O", view);
        status = done == NULL ? -1 : 0;
        Py_XDECREF(done);
    } else {
        status = PyList_Append(views, reference);
    }
    Py_DECREF(reference);
    return status;
}

static PyObject *call_view(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    const Py_ssize_t given = (Py_ssize_t)(count & ~OFFSET_BIT);
    if (given < 1 || names != NULL) {
        return elsewhere(self->rest, args, count, names);
    }
    PyObject *a = args[0], *spec;
    if (!is_tensor(a) || (spec = SLOT(a, house.spec)) == NULL) {
        return PYTHON;
    }
    PyObject *row = find(self->plans, spec);
    if (row == NULL) {
        return PYTHON;
    }
    PyObject *key = view_key(self->kind, args + 1, given - 1);
    if (key == NULL) {
        PyErr_Clear();
        return PYTHON;
    }
    PyObject *plan = find(row, key);
    Py_DECREF(key);
    if (plan == NULL) {
        return PYTHON;
    }
    const long keys = keys_of(a) | read_mode_word();
    const int is_recorded = keys == house.recorded;
    const int is_unrecorded = keys == house.no_grad || keys == house.no_grad_on_variables;
    if ((!is_recorded && !is_unrecorded && keys != house.plain) || is_watched()) {
        return PYTHON;
    }
    PyObject *node_class = SLOT(plan, house.plan_node_class);
    PyObject *storage = SLOT(a, house.storage), *view_of = SLOT(a, house.view_of), *base = a;
    PyObject *creation = is_unrecorded ? house.no_grad_mode : house.zero;
    if (is_recorded && node_class == Py_None) {
        return PYTHON;
    }
    if (view_of != Py_None) {
        base = PyTuple_GetItem(view_of, 0);
        if (!is_unrecorded) {
            creation = PyTuple_GetItem(view_of, 2);
        }
    }
    if (storage == Py_None) {
        PyObject *made = PyObject_CallFunctionObjArgs(house.untyped_storage, a, NULL);
        if (made == NULL) {
            return NULL;
        }
        Py_DECREF(made); /* the tensor has it */
        storage = SLOT(a, house.storage);
    }
    PyObject *counter = SLOT(a, house.version);
    if (counter == Py_None) {
        counter = PyType_GenericAlloc(house.version_counter, 0);
        if (counter == NULL) {
            return NULL;
        }
        SLOT(counter, house.value) = new_reference(house.zero);
        SLOT(counter, house.views) = new_reference(Py_None);
        fill(a, house.version, counter);
    }
    Py_INCREF(plan);
    PyObject *view_spec = SLOT(plan, house.plan_spec);
    PyObject *output = PyType_GenericAlloc(house.tensor, 0);
    if (output == NULL) {
        Py_DECREF(plan);
        return NULL;
    }
    const double address = PyFloat_AsDouble(SLOT(a, house.address));
    SLOT(output, house.spec) = new_reference(view_spec);
    SLOT(output, house.storage) = new_reference(storage);
    SLOT(output, house.storage_offset) = PyNumber_Add(SLOT(a, house.storage_offset), SLOT(plan, house.plan_offset));
    SLOT(output, house.address) =
        address != 0 ? PyFloat_FromDouble(address + PyFloat_AsDouble(SLOT(plan, house.plan_nbytes)))
                     : new_reference(house.zero_address);
    SLOT(output, house.autograd_meta) = new_reference(Py_None);
    SLOT(output, house.version) = new_reference(counter);
    SLOT(output, house.gradient_edge) = new_reference(Py_None);
    SLOT(output, house.keys) = new_reference(house.tensor_keys_object);
    PyObject *origin = PyTuple_New(3);
    if (origin == NULL || SLOT(output, house.storage_offset) == NULL || SLOT(output, house.address) == NULL) {
        Py_XDECREF(origin);
        goto failed;
    }
    PyTuple_SetItem(origin, 0, new_reference(base));
    PyTuple_SetItem(origin, 1, new_reference(SLOT(counter, house.value)));
    PyTuple_SetItem(origin, 2, new_reference(creation));
    SLOT(output, house.view_of) = origin;
    if (!is_recorded) {
        if (keys_of(base) & house.autograd) {
            PyObject *dtype = PyObject_GetAttr(view_spec, house.dtype);
            PyObject *category = dtype == NULL ? NULL : PyObject_GetAttr(dtype, house.category);
            Py_XDECREF(dtype);
            if (category == NULL) {
                goto failed;
            }
            if (PyLong_AsLong(category) >= 2) {
                fill(output, house.keys, new_reference(house.variable_keys_object));
            }
            Py_DECREF(category);
        } else if (add_view(counter, output) < 0) {
            goto failed;
        }
        Py_DECREF(plan);
        return output;
    }
    PyObject *edge = edge_of(a);
    if (edge == NULL) {
        goto failed;
    }
    PyObject *node = PyType_GenericAlloc((PyTypeObject *)node_class, 0);
    PyObject *edges = PyTuple_New(1);
    PyObject *number = PyObject_CallNoArgs(house.next_sequence_number);
    PyObject *own = PyTuple_New(2);
    if (node == NULL || edges == NULL || number == NULL || own == NULL) {
        Py_XDECREF(node);
        Py_XDECREF(edges);
        Py_XDECREF(number);
        Py_XDECREF(own);
        Py_DECREF(edge);
        goto failed;
    }
    PyTuple_SetItem(edges, 0, edge);
    SLOT(node, house.next_edges) = edges;
    SLOT(node, house.sequence_nr) = number;
    SLOT(node, house.metadata_specs) = new_reference(SLOT(plan, house.plan_metadata));
    SLOT(node, house.saved) = new_reference(SLOT(plan, house.plan_saved));
    PyTuple_SetItem(own, 0, node);
    PyTuple_SetItem(own, 1, new_reference(house.zero));
    fill(output, house.gradient_edge, own);
    fill(output, house.keys, new_reference(house.variable_keys_object));
    Py_DECREF(plan);
    return output;
failed:
    Py_DECREF(output);
    Py_DECREF(plan);
    return NULL;
}

/* ---- item, and the end of a tensor ----------------------------------------------------------------------------- */

static PyObject *call_item(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    if ((count & ~OFFSET_BIT) != 1 || names != NULL) {
        return elsewhere(self->rest, args, count, names);
    }
    PyObject *a = args[0], *spec;
    if (!is_tensor(a) || (spec = SLOT(a, house.spec)) == NULL) {
        return PYTHON;
    }
    PyObject *plan = find(self->plans, spec);
    if (plan == NULL) {
        return PYTHON;
    }
    const long keys = (keys_of(a) | read_mode_word()) & ~(house.autograd | house.grad_mode);
    if (keys != house.tensor_keys || is_watched()) {
        return PYTHON;
    }
    PyObject *const arguments[] = {SLOT(a, house.address), PyTuple_GetItem(plan, 1)};
    return PyObject_Vectorcall(PyTuple_GetItem(plan, 0), arguments, 2, NULL);
}

/* Tensor.__del__: where no Node borrows it, all there is to do is to give its memory back. */
static PyObject *call_delete(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    (void)names;
    PyObject *a = args[0];
    PyObject *edge = SLOT(a, house.gradient_edge), *storage = SLOT(a, house.storage);
    if (edge == NULL || storage == NULL) { /* it was never filled */
        return PYTHON;
    }
    if (edge != Py_None) {
        PyObject *borrows = PyObject_GetAttr(PyTuple_GetItem(edge, 0), house.borrows_outputs);
        if (borrows == NULL) {
            PyErr_Clear();
            return PYTHON;
        }
        Py_DECREF(borrows);
        if (borrows != Py_False) {
            return PYTHON;
        }
    }
    if (storage != Py_None) {
        return new_reference(Py_None);
    }
    PyObject *free = SLOT(SLOT(a, house.spec), house.free);
    return free == NULL || free == Py_None ? PYTHON : PyObject_Vectorcall(free, &SLOT(a, house.address), 1, NULL);
}

/* ---- the type ------------------------------------------------------------------------------------------------ */

static int traverse(PyObject *object, visitproc visit, void *arg) {
    Shortcut *self = (Shortcut *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->python);
    Py_VISIT(self->rest);
    Py_VISIT(self->plans);
    Py_VISIT(self->recorder);
    Py_VISIT(self->records);
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
    {"unary", call_unary}, {"binary", call_binary}, {"general", call_general}, {"operator", call_operator},
    {"view", call_view},   {"item", call_item},     {"delete", call_delete},
};

/* shortcut(kind, python, rest, plans, recorder, arity, tensors, numbers, key kind, refuses recording) */
static PyObject *make_shortcut(PyObject *module, PyObject *args) {
    (void)module;
    const char *kind;
    PyObject *python, *rest, *plans, *recorder;
    Py_ssize_t arity;
    unsigned tensors, numbers;
    int key_kind, refuses;
    if (!PyArg_ParseTuple(args, "sOOOOnIIip", &kind, &python, &rest, &plans, &recorder, &arity, &tensors, &numbers,
                          &key_kind, &refuses)) {
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
    self->python = new_reference(python);
    self->rest = new_reference(rest);
    self->plans = new_reference(plans);
    self->recorder = new_reference(recorder);
    self->records = PyDict_New();
    self->arity = arity;
    self->tensors = tensors;
    self->numbers = numbers;
    self->kind = key_kind;
    self->refuses_recording = refuses;
    if (self->records == NULL) {
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
        {"ViewPlan", "spec", &house.plan_spec},
        {"ViewPlan", "offset", &house.plan_offset},
        {"ViewPlan", "nbytes", &house.plan_nbytes},
        {"ViewPlan", "node_class", &house.plan_node_class},
        {"ViewPlan", "saved", &house.plan_saved},
        {"ViewPlan", "metadata", &house.plan_metadata},
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
        {"listeners", &house.listeners},
        {"gradient_edge", &house.gradient_edge_of},
        {"save", &house.save},
        {"next_sequence_number", &house.next_sequence_number},
        {"untyped_storage", &house.untyped_storage},
        {"NO_GRAD_MODE", &house.no_grad_mode},
        {"MethodType", &house.method_type},
        {"Tensor", (PyObject **)&house.tensor},
        {"VersionCounter", (PyObject **)&house.version_counter},
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
    house.zero_address = PyFloat_FromDouble(0);
    house.word_slice = PyUnicode_InternFromString("slice");
    house.start = PyUnicode_InternFromString("start");
    house.stop = PyUnicode_InternFromString("stop");
    house.step = PyUnicode_InternFromString("step");
    house.dtype = PyUnicode_InternFromString("dtype");
    house.category = PyUnicode_InternFromString("category");
    house.borrows_outputs = PyUnicode_InternFromString("borrows_outputs");
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
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "gnomon._hot_path", NULL, -1, functions, NULL, NULL,
                                        NULL, NULL};

PyMODINIT_FUNC PyInit__hot_path(void) {
    shortcut_type = (PyTypeObject *)PyType_FromSpec(&type_spec);
    return shortcut_type == NULL ? NULL : PyModule_Create(&definition);
}
