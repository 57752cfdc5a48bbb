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
 * found out by looking (module.c, slot_offset).
 */
#ifndef GN_HOT_PATH_H
#define GN_HOT_PATH_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030a0000
#endif
#include <Python.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <structmember.h>

/* Python 3.12 declares these for the limited API; 3.11 has them all the same, and 3.10 all but the first. */
#if Py_LIMITED_API < 0x030c0000
#if PY_VERSION_HEX < 0x030b0000
static inline PyObject *PyObject_Vectorcall(PyObject *callable, PyObject *const *args, size_t count, PyObject *names) {
    const Py_ssize_t given = (Py_ssize_t)(count & ~((size_t)1 << (8 * sizeof(size_t) - 1)));
    PyObject *arguments = PyTuple_New(given), *keywords = names == NULL ? NULL : PyDict_New(), *result = NULL;
    if (arguments != NULL && (names == NULL || keywords != NULL)) {
        for (Py_ssize_t k = 0; k < given; k++) {
            Py_INCREF(args[k]);
            PyTuple_SetItem(arguments, k, args[k]);
        }
        int status = 0;
        for (Py_ssize_t k = 0; names != NULL && status == 0 && k < PyTuple_Size(names); k++) {
            status = PyDict_SetItem(keywords, PyTuple_GetItem(names, k), args[given + k]);
        }
        result = status == 0 ? PyObject_Call(callable, arguments, keywords) : NULL;
    }
    Py_XDECREF(arguments);
    Py_XDECREF(keywords);
    return result;
}
#else
PyAPI_FUNC(PyObject *) PyObject_Vectorcall(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
#endif
PyAPI_FUNC(PyObject *) PyVectorcall_Call(PyObject *callable, PyObject *args, PyObject *keywords);
typedef PyObject *(*vectorcallfunc)(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
#define Py_TPFLAGS_HAVE_VECTORCALL (1UL << 11)
#endif
#ifndef Py_TPFLAGS_METHOD_DESCRIPTOR
#define Py_TPFLAGS_METHOD_DESCRIPTOR (1UL << 17)
#endif
#define OFFSET_BIT ((size_t)1 << (8 * sizeof(size_t) - 1)) /* PY_VECTORCALL_ARGUMENTS_OFFSET */

/* What ``configure`` was told, once, when gnomon was imported. */
struct house {
    PyTypeObject *tensor, *version_counter;
    /* where instances keep their slots, in bytes */
    Py_ssize_t address, autograd_meta, gradient_edge, keys, spec, storage, storage_offset, version, view_of;
    Py_ssize_t value, views;                                   /* VersionCounter */
    Py_ssize_t accumulator_edge;                               /* AutogradMeta */
    Py_ssize_t metadata_specs, next_edges, sequence_nr, saved; /* RecordedNode */
    Py_ssize_t sizes, free;                                    /* Spec */
    Py_ssize_t saved_tensor, saved_version, output_nr, unpack_hook, saved_edge, is_variable; /* SavedVariable */
    Py_ssize_t plan_spec, plan_offset, plan_nbytes, plan_node_class, plan_saved, plan_metadata, plan_overlap; /* ViewPlan */
    Py_ssize_t arity, fast;                                    /* OpOverload */
    long plain, recorded, tensor_keys, variable_keys, autograd, grad_mode, no_grad, no_grad_on_variables;
    long unrecorded[16];
    int unrecorded_count;
    PyObject *tensor_keys_object, *variable_keys_object, *zero, *one, *zero_address;
    PyObject *word_slice, *start, *stop, *step, *borrows_outputs, *dtype, *category; /* names */
    PyObject *mode_word, *mode_variable, *recorded_node, *nothing_to_end;
    PyObject *name_get, *name_set, *name_inside, *name_given, *name_before, *name_mask, *name_ended;
    PyObject *name_free, *name_address, *listeners, *gradient_edge_of, *save, *next_sequence_number, *untyped_storage;
    PyObject *no_grad_mode, *multi_output; /* of CreationMeta */
    PyObject *default_device, *default_generator, *seed, *counter; /* the latter two are names */
    PyObject *named, *raise_named, *hide_base, *method_type;
    PyObject *op_overload, *node, *accumulate_grad, *weak_reference, *saved_variable, *saved_list, *validate,
        *inference_version; /* of the engine */
    PyObject *calls_in_c, *name_apply, *name_release_variables, *name_next_edges, *name_metadata_specs,
        *name_sequence_nr;
};
extern struct house house;

typedef struct Shortcut {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject *python;     /* Python's version, for all that is not plain */
    PyObject *rest;       /* for other numbers of arguments, and keywords */
    PyObject *plans;      /* a dictionary */
    PyObject *recorder;   /* function of (mask, arguments) -> (Node class, codes, constants), or None: not recorded */
    PyObject *records;    /* what it returned, by mask */
    PyObject *operator;   /* the OpOverload, for what is said of it in errors */
    PyObject *function;   /* the composition */
    PyObject *attributes; /* __dict__ */
    PyObject *weak_references;
    Py_ssize_t arity;
    unsigned tensors;   /* which arguments are tensors, as bits */
    unsigned lists;     /* which of them are lists */
    unsigned optionals; /* which of them may be None */
    unsigned numbers;   /* which arguments may be a zero with a sign */
    int numbers_fit;    /* whether numbers that a dtype does not hold are refused */
    int kind;           /* of a view's key */
    int refuses_recording;
    int is_inplace;
    int number, device, input; /* where a launch has them among its arguments, or -1 */
} Shortcut;

#define SLOT(object, offset) (*(PyObject **)((char *)(object) + (offset)))
/* Python's version of a shortcut, inside one: nothing was done so far. */
#define PYTHON elsewhere(self->python, args, count, NULL)

static inline PyObject *new_reference(PyObject *object) {
    Py_INCREF(object);
    return object;
}

/* There is no exception any more.  An interrupt is not forgotten: it comes again, as soon as Python runs. */
static inline void forget_error(void) {
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
        PyErr_SetInterrupt();
    }
    PyErr_Clear();
}

/* Fill a slot with a new reference; what was there is let go. */
static inline void fill(PyObject *object, Py_ssize_t offset, PyObject *value) {
    PyObject *before = SLOT(object, offset);
    SLOT(object, offset) = value;
    Py_XDECREF(before);
}

static inline PyObject *elsewhere(PyObject *function, PyObject *const *args, size_t count, PyObject *names) {
    return PyObject_Vectorcall(function, args, count & ~OFFSET_BIT, names);
}

static inline int is_tensor(PyObject *object) {
    return Py_TYPE(object) == house.tensor || PyType_IsSubtype(Py_TYPE(object), house.tensor);
}

/* The spec of a tensor; NULL for anything else, and for what was never filled. */
static inline PyObject *spec_of(PyObject *object) {
    return is_tensor(object) ? SLOT(object, house.spec) : NULL;
}

static inline long keys_of(PyObject *tensor) {
    return PyLong_AsLong(SLOT(tensor, house.keys));
}

static inline double address_of(PyObject *tensor) {
    return PyFloat_AsDouble(SLOT(tensor, house.address));
}

/* The thread's mode word. */
static inline long read_mode_word(void) {
    PyObject *word = PyObject_CallNoArgs(house.mode_word);
    if (word == NULL) {
        forget_error();
        return -1; /* which is nothing simple */
    }
    const long bits = PyLong_AsLong(word);
    Py_DECREF(word);
    return bits;
}

/* -0.0 is equal to 0.0, and not the same: no key may have it. */
static inline int is_negative_zero(PyObject *number) {
    return PyFloat_CheckExact(number) && PyFloat_AsDouble(number) == 0 && signbit(PyFloat_AsDouble(number));
}

/* Does nothing but the backend, and perhaps autograd's record, have a say? */
static inline int is_simple(long keys) {
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

static inline int is_watched(void) {
    return PyList_Size(house.listeners) != 0;
}

/* The look-up, or NULL where there is no plan; never an exception. */
static inline PyObject *find(PyObject *plans, PyObject *key) {
    PyObject *found = PyDict_GetItemWithError(plans, key);
    if (found == NULL) {
        forget_error();
    }
    return found;
}

/* A Tensor that owns the memory at ``address``; NULL with an exception. */
PyObject *make_tensor(PyObject *spec, double address);
/* The tensor's version counter, made if there was none; borrowed, NULL with an exception. */
PyObject *version_counter(PyObject *tensor);
/* Where the gradient of a tensor that requires grad goes; NULL with an exception. */
PyObject *edge_of(PyObject *tensor);
/* Make the Node of a call, and those of its outputs that ``recorded`` says (as bits) its outputs.  0, or -1 with an
 * exception. */
int record(Shortcut *self, PyObject *const *args, PyObject *const *outputs, Py_ssize_t output_count, long long recorded,
           PyObject *metadata);

/* The function whose address stands in a plan of this length, or NULL where the backend has not said it. */
void *function_in(PyObject *plan, Py_ssize_t position, Py_ssize_t length);
/* A Python number that may stand for a tensor: an exact one that a double can hold. */
int as_number(PyObject *object, double *number);
/* The tensor was written to in place.  0, or -1 with an exception. */
int count_write(PyObject *tensor);
/* Does an operand share the memory that an in-place operator writes to, without being its first argument? */
int may_overlap(Shortcut *self, PyObject *const *args);

/* An OpOverload with all its arguments. */
PyObject *call_overload(PyObject *overload, PyObject *const *args, size_t given);

PyObject *run_graph(PyObject *module, PyObject *args);
PyObject *call_unary(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_binary(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_general(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_out(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_several(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_written(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_composite(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_launch(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_function(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_operator(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_view(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_setitem(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_pieces(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_piece(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_tensor(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_tolist(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_item(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_delete(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_give_back(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_enter(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_exit(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_leave_device(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);

#endif
