/* The C speedups of gnomon: the tensor's body, the operator's call, the engine's run.
 *
 * Each stands for something that reference/gnomon says in Python, whole, and does the same where that has been done
 * before: a call that was made once the readable way has left a plan (backends/gnomon_speedups/plan.py), which is found
 * here by what the call's arguments are, and repeated.  Nothing is decided here: what has no plan, and whatever is not
 * plain, goes the readable way with the same arguments, before anything was done.
 *
 * Objects are read and written under the GIL.  A kernel may give it up while it runs: what a call needs after that is
 * held by references.
 */
#ifndef GN_SPEEDUPS_H
#define GN_SPEEDUPS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <structmember.h>

#include "plan_layout.h"

#define KEY_VARIABLE (KEY_TENSOR_KEYS | KEY_AUTOGRAD) /* what a recorded result carries */
/* All that a call may have about it which nothing but the backend, and perhaps autograd's record, has a say in. */
#define KEY_SIMPLE \
    (KEY_TENSOR_KEYS | KEY_AUTOGRAD | KEY_GRAD_MODE_BIT | (int64_t)KEY_AUTOGRAD << KEY_EXCLUDED_SHIFT)
#define MOST_TENSORS 1024          /* of a call that has a plan */
#define EXACT_INTEGER (1LL << 53) /* integers travel as doubles */

/* ---- what gnomon's classes are ---------------------------------------------------------------------------------- */

typedef void give_back(double address);

/* Memory that several tensors show, and that nobody has asked a Storage of.  Each of them has one reference; once there
 * is a Storage, one of that, too, so that its references are as many as if each tensor had it. */
typedef struct Block {
    PyObject_HEAD
    PyObject *spec; /* of the tensor that had the memory first */
    double address;
    give_back *free;
    PyObject *storage;
} Block;

/* memory/tensor.py's Tensor.  NULL stands for None. */
typedef struct Tensor {
    PyObject_HEAD
    PyObject *spec;         /* NULL: it was never filled */
    PyObject *storage;
    Block *block;           /* without a storage; neither: it owns the memory at `address`, if that is not 0 */
    PyObject *edge;         /* (Node, output number) */
    PyObject *meta;         /* AutogradMeta */
    PyObject *version;      /* VersionCounter */
    PyObject *base;         /* what it is a view of, right at `base_version`, and how it came to be: `creation` */
    int64_t base_version;
    int creation;           /* CreationMeta */
    struct Tensor *previous, *next; /* of the views that `version` keeps in mind; see Version */
    int is_listed;
    struct Tensor *shown_before, *shown_after; /* of all that show a Storage or a Block */
    int is_shown;
    PyObject *attributes;   /* __dict__, made when it is asked for */
    PyObject *weak_references;
    double address;
    give_back *free;        /* of the memory that it owns; NULL: what the backend registered, in Python */
    int64_t offset;         /* elements */
    int64_t keys;
} Tensor;

/* memory/tensor.py's VersionCounter. */
typedef struct Version {
    PyObject_HEAD
    int64_t value;
    struct Tensor *first; /* of the views that will require grad when their base does; a chain */
} Version;

typedef struct PlanObject {
    PyObject_HEAD
    PlanFields plan;
    struct Recipe *recipes; /* how to record it, by which inputs require grad; a list */
} PlanObject;

/* One kind of call: what its arguments are, and its plan. */
typedef struct Row {
    uint64_t hash;
    Py_ssize_t count;
    PyObject *held;    /* a list of the objects that the words are addresses of */
    PyObject *found;   /* a PlanObject, a Call of function.c, or None: it was looked at, and there is none */
    uint64_t words[];
} Row;

typedef struct Table {
    Row **rows; /* open addressing, a power of two */
    Py_ssize_t room, count;
    uint64_t epoch;
} Table;

/* dispatch/dispatcher.py's OpOverload. */
typedef struct Operator {
    PyObject_HEAD
    PyObject *table_of_keys, *kernels, *lengths, *name, *record, *schema, *tensor_positions; /* its slots */
    PyObject *attributes, *weak_references;
    vectorcallfunc call;
    Py_ssize_t arity;
    int is_prepared;    /* has learning.py been asked how it is called? */
    int is_readable;    /* is it always called the readable way? */
    unsigned tensors, lists, optionals; /* which arguments are tensors, lists of them, and may be None, as bits */
    int number, device, generator;      /* where a number stands that is told anew, a device that may be the default
                                           one, and a generator, or -1 */
    int numbers_fit;    /* are numbers refused that a dtype does not hold? */
    int is_written;     /* does it write to an argument? */
    int is_recorded;    /* is there anything that autograd would record? */
    int refuses_recording;
    PyObject *composite; /* the function that it is, or NULL */
    int composite_refuses_recording;
    int only_allocates;  /* does it make memory with nothing in it? */
    int calls_others;    /* is it, the readable way, a function that calls operators? */
    int makes_view;      /* may what the composition returns be a view of its first argument? */
    PyObject *recorder;  /* says how a call is recorded (learning.py) */
    Table plans;
    Table batched;       /* what calls under one vmap come to (batched.c) */
} Operator;

/* A public function or a method, and what is called in its place. */
typedef struct Function {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject *python;     /* the readable function */
    PyObject *extra;      /* what its kind works with */
    PyObject *attributes; /* __dict__ */
    PyObject *weak_references;
    int64_t by_type;      /* places where a number counts by its type alone, as bits */
    int64_t by_value;     /* and where it never may */
    int is_index;         /* is it x[index]? */
    int in_places;        /* does each tensor stand where the schema has it? */
    int may_view;         /* may its result be learnt as a view of its first argument? */
    Table calls;
} Function;

/* What the speedups were told of gnomon, once. */
struct facts {
    PyTypeObject *tensor, *version, *block, *plan, *operator, *function, *call;
    PyTypeObject *spec, *autograd_meta;                              /* once they are told */
    PyObject *mode_word, *scoped_devices; /* context variables */
    Py_ssize_t accumulator_edge;                                     /* AutogradMeta */
    Py_ssize_t metadata_specs, next_edges, sequence_nr, saved;       /* RecordedNode */
    Py_ssize_t sizes, strides, dtype, numel, device, is_contiguous; /* Spec */
    Py_ssize_t category, itemsize;                                   /* dtype */
    Py_ssize_t saved_tensor, saved_version, output_nr, unpack_hook, saved_edge, is_variable; /* SavedVariable */
    Py_ssize_t saved_items;                                          /* SavedList */
    PyObject *learn, *learn_view, *prepare, *formulas;               /* learning.py */
    PyObject *gradient_edge, *save, *untyped_storage, *adopt, *give_back;
    int no_grad_mode, multi_output;                                  /* CreationMeta */
    PyObject *default_generator, *named, *raise_named, *hide_base;
    PyObject *recorded_node, *node, *accumulate_grad, *saved_variable, *saved_list, *validate, *inference_version;
    PyObject *start, *end, *function_scope, *kernel_scope;           /* dispatch/record_function.py */
    PyObject *nothing_to_end, *readable_everywhere; /* a list: while there is anything in it, nothing is simple */
    PyObject *nonzero_static, *select, *index, *bool_dtype;          /* what x[mask] comes to */
    PyObject *values; /* a tuple of types whose instances are told apart by identity: dtype, device, str ... */
};
extern struct facts facts;

#define SLOT(object, offset) (*(PyObject **)((char *)(object) + (offset)))

static inline PyObject *new_reference(PyObject *object) {
    Py_INCREF(object);
    return object;
}

/* An attribute by a name that is interned at its first use: Python's cache keeps each string that it was asked for. */
static inline PyObject *attribute_of(PyObject *object, PyObject **name, const char *text) {
    if (*name == NULL && (*name = PyUnicode_InternFromString(text)) == NULL) {
        return NULL;
    }
    return PyObject_GetAttr(object, *name);
}

/* There is no exception any more.  An interrupt is not forgotten: it comes again, as soon as Python runs. */
static inline void forget_error(void) {
    if (PyErr_Occurred() != NULL) {
        if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
            PyErr_SetInterrupt();
        }
        PyErr_Clear();
    }
}

static inline int is_tensor(PyObject *object) {
    return Py_TYPE(object) == facts.tensor || PyType_IsSubtype(Py_TYPE(object), facts.tensor);
}

/* A tensor that there is something of; NULL for anything else. */
static inline Tensor *as_tensor(PyObject *object) {
    return is_tensor(object) && ((Tensor *)object)->spec != NULL ? (Tensor *)object : NULL;
}

/* Fill a field with a new reference; what was there is let go. */
static inline void fill(PyObject **field, PyObject *value) {
    PyObject *before = *field;
    *field = value;
    Py_XDECREF(before);
}

/* The thread's mode word; -1, which is nothing simple, where it can not be read. */
static inline int64_t read_mode_word(void) {
    PyObject *word = NULL;
    if (PyList_GET_SIZE(facts.readable_everywhere) != 0) {
        return -1;
    }
    if (PyContextVar_Get(facts.mode_word, NULL, &word) < 0 || word == NULL) {
        forget_error();
        return -1;
    }
    const int64_t bits = PyLong_AsLongLong(word);
    Py_DECREF(word);
    return bits;
}

/* Does nothing but the backend, and perhaps autograd's record, have a say? */
static inline int is_simple(int64_t keys) {
    return (keys & ~(int64_t)KEY_SIMPLE) == 0 && (keys & KEY_TENSOR_KEYS) == KEY_TENSOR_KEYS;
}

/* Is somebody told of calls on this thread, who leaves speedups on (dispatch/record_function.py)? */
static inline int is_told(int64_t word) {
    return word >= 0 && (word & (KEY_OBSERVED_BIT | KEY_TRACED_BIT)) == KEY_OBSERVED_BIT;
}

/* Is a simple call recorded? */
static inline int records(int64_t keys) {
    const int64_t wanted = KEY_AUTOGRAD | KEY_GRAD_MODE_BIT;
    return (keys & (wanted | (int64_t)KEY_AUTOGRAD << KEY_EXCLUDED_SHIFT)) == wanted;
}

/* ---- memory.c ---------------------------------------------------------------------------------------------------- */

/* Has the tensor memory of its own that nobody has asked a Storage of, and no other tensor shows? */
static inline int is_owner(const Tensor *tensor) {
    return tensor->storage == NULL && tensor->block == NULL && tensor->address != 0;
}
/* What the tensor's memory is told from others' by; NULL where it is the tensor's own. */
static inline PyObject *home_of(const Tensor *tensor) {
    if (tensor->block != NULL) {
        return tensor->block->storage != NULL ? tensor->block->storage : (PyObject *)tensor->block;
    }
    return tensor->storage;
}
/* Give back memory that was held by its address. */
void give_memory_back(PyObject *spec, double address, give_back *free);
/* The tensor is told where its memory is, when that moves, until it is shown no more. */
void begin_showing(Tensor *self);
void stop_showing(Tensor *self);
/* Bytes from the start of the memory to the tensor's first element; as far as is known: it may have no spec yet. */
double begin_of(const Tensor *self, PyObject *spec);
/* Where a Storage's memory starts, 0 where it has no address; -1 with an exception. */
double address_of(PyObject *storage);
/* The tensor's Storage, made if nobody has asked for it; borrowed, NULL with an exception or where it has none. */
PyObject *storage_of(Tensor *self);
/* Let another tensor show the memory of one.  0, or -1 with an exception. */
int share_memory(Tensor *tensor, Tensor *with);
/* Show a Block's memory no more, where it does. */
void leave_block(Tensor *self);
int is_memory_ready(void);
/* resize_storage(Storage.resize_, storage, size), whose tensors are told; own_memory(tensor, nbytes, index, allocate, free,
 * allocate_address): give a new tensor memory, by the backend's machine code where it has some; owns_memory(tensor):
 * is_owner; is_alias_of(tensor, other): memory/tensor.py's. */
PyObject *resize_storage(PyObject *module, PyObject *args);
PyObject *own_memory(PyObject *module, PyObject *args);
PyObject *owns_memory(PyObject *module, PyObject *tensor);
PyObject *is_alias_of(PyObject *module, PyObject *const *args, Py_ssize_t count);

/* ---- tensor.c ---------------------------------------------------------------------------------------------------- */

/* A Tensor that owns the memory at `address`; NULL with an exception. */
Tensor *make_tensor(PyObject *spec, double address, give_back *free);
/* A Tensor with no field filled; NULL with an exception. */
Tensor *new_tensor(void);
/* The garbage collector has to know the tensor from now on: it may be part of a cycle. */
void track(Tensor *self);
/* The tensor's version counter, made if there was none; borrowed, NULL with an exception. */
Version *version_counter(Tensor *tensor);
/* A leaf on the memory of a tensor, whose version counter it shares, so many elements and bytes behind its first (as
 * memory/tensor.py's); NULL with an exception. */
Tensor *alias_tensor(Tensor *tensor, PyObject *spec, int64_t offset, double nbytes);
/* Have tensors of this spec gradients? */
int has_gradients(PyObject *spec);
void add_view(Version *counter, Tensor *view);
PyTypeObject *make_tensor_type(PyObject *python);
PyTypeObject *make_version_type(PyObject *python);
/* A class in C with what the one in Python has beside its slots, ``but`` for that. */
PyTypeObject *made_like(PyType_Spec *spec, PyObject *python, const char *but);

/* ---- plan.c ------------------------------------------------------------------------------------------------------ */

int make_plan_type(PyObject *module);
PyObject *plan_from(PyObject *declared);

/* ---- keys.c ------------------------------------------------------------------------------------------------------ */

#define MOST_WORDS 3072
/* A call's key and its tensors are on the C stack, which Python doesn't guard: of calls in calls (of hooks, of modes,
 * of subclasses), those that are deeper go the readable way. */
#define MOST_NESTED 24
extern _Thread_local int nested;
/* So many calls of this thread warned of something. */
extern _Thread_local long long warnings_given;

/* What a call is found by. */
typedef struct Key {
    uint64_t hash;
    Py_ssize_t count;
    uint64_t words[MOST_WORDS];
} Key;

static inline void begin_key(Key *key) {
    key->count = 0;
    key->hash = 0x9e3779b97f4a7c15u;
}

static inline int add_word(Key *key, uint64_t word) {
    if (key->count == MOST_WORDS) {
        return 0;
    }
    key->words[key->count++] = word;
    key->hash = (key->hash ^ word) * 0xff51afd7ed558ccdu;
    key->hash ^= key->hash >> 32;
    return 1;
}

/* The word of an object that is told from others by identity: addresses are even. */
static inline int add_identity(Key *key, const void *object) {
    return add_word(key, (uint64_t)(uintptr_t)object);
}

/* Words for a value that is no tensor: by what it is worth, not by identity.  0 where it has none. */
int add_value(Key *key, PyObject *value);
/* Words for a list of tensors, some of which may be None. */
int add_tensors(Key *key, PyObject *list);
/* What stands for the default device, or for a device that is given. */
int add_device(Key *key, PyObject *device);
/* The row of a key, or NULL; never an exception. */
Row *find_row(Table *table, const Key *key);
/* Keep `found` under the key; `held` is a list of what its addresses are of, whose reference is taken.  0 or -1. */
int keep_row(Table *table, const Key *key, PyObject *held, PyObject *found);
void clear_table(Table *table);
PyObject *forget_plans(PyObject *module, PyObject *nothing);
/* A Python number that may stand for a tensor: an exact one that a double can hold. */
int as_number(PyObject *object, double *number);
/* Might a dtype of a number's kind not hold it?  Infinities, and NaN, all do. */
int is_large(PyObject *object, double number);

/* ---- operator.c -------------------------------------------------------------------------------------------------- */

PyTypeObject *make_operator_type(PyObject *python);
/* An operator with all its arguments. */
PyObject *call_operator(Operator *self, PyObject *const *args, Py_ssize_t count);
/* Run a plan on these arguments; NULL, without an exception, where that has to be the readable way. */
PyObject *run_plan(Operator *self, PlanObject *plan, PyObject *const *args);
/* Is the plan of a kernel in machine code which reads tensors and numbers, and makes one tensor?  Then what that does
 * with these inputs: an address each, or a number; NULL without an exception where it declines. */
int enters_directly(const PlanFields *plan);
PyObject *enter_directly(PlanObject *plan, const double *data);
/* Record that call, of an operator without lists.  0, or -1 with an exception. */
int record_directly(Operator *self, PlanObject *plan, PyObject *const *args, Tensor *output);
/* What is kept for these arguments: a plan, or a composition's Call; NULL where nothing is.  Borrowed. */
PyObject *plan_of(Operator *self, PyObject *const *args);
/* What the words of these arguments' key are addresses of, in a list; NULL with an exception. */
PyObject *held_by(PyObject *const *args, Py_ssize_t count);
PyObject *after_launch(PyObject *module, PyObject *const *args, Py_ssize_t count);

/* What a function's first call did: the operators that were called, and what the one returned. */
typedef struct Noted {
    int count;
    Operator *operator;
    PyObject *arguments; /* a tuple */
    PyObject *result;
    PyObject *steps; /* a list of all of them, (operator, arguments, result), or NULL */
} Noted;
/* Where calls of operators are noted on this thread, or NULL. */
extern _Thread_local Noted *noted;
/* Something was done that a call of the one operator does not do again: numbers were read, a warning was given. */
static inline void note_more(void) {
    if (noted != NULL) {
        noted->count += 2;
    }
}

/* The readable way. */
PyObject *call_readable(Operator *self, PyObject *const *args, Py_ssize_t count);

/* ---- batched.c --------------------------------------------------------------------------------------------------- */

/* A call with these keys, the key Batched among them.  NULL without an exception: the readable way, or, `is_plain`, as
 * if there were no vmap. */
PyObject *call_batched(Operator *self, PyObject *const *args, int64_t keys, int64_t word, int *is_plain);
PyObject *know_batching(PyObject *module, PyObject *args);
/* Where instances of ``type`` keep the slot ``name``; -1 with an exception. */
Py_ssize_t slot_offset(PyObject *type, const char *name);

/* ---- record.c ---------------------------------------------------------------------------------------------------- */

/* Where the gradient of a tensor that requires grad goes; NULL with an exception. */
PyObject *edge_of(Tensor *tensor);
/* Make the Node of a call, and those outputs that the plan says its outputs.  `inputs` are the tensors among the
 * arguments, and what stands in their places, those of lists one by one.  0, or -1 with an exception. */
int record(Operator *self, PlanObject *plan, PyObject *const *args, PyObject *const *inputs, Py_ssize_t count,
           Tensor *const *outputs);
void free_recipes(PlanObject *plan);
extern long long sequence_number;
PyObject *next_sequence_number(PyObject *module, PyObject *nothing);

/* ---- views.c ----------------------------------------------------------------------------------------------------- */

PyObject *run_view(Operator *self, PlanObject *plan, PyObject *const *args, int64_t keys);
/* May a view of the tensor be made here, by a call with these keys? */
int may_show(const Tensor *tensor, int64_t keys);
/* Say that `output`, which is new, is the view of `tensor` that the plan makes, but for its Node.  0, or -1 with an
 * exception. */
int mark_view(const PlanFields *plan, Tensor *tensor, int64_t keys, Tensor *output);
PyObject *run_views(Operator *self, PlanObject *plan, PyObject *const *args, int64_t keys);

/* ---- the others -------------------------------------------------------------------------------------------------- */

int make_function_types(void);
PyObject *make_function(PyObject *module, PyObject *args);
/* What is to be kept of a composition that called one operator, a Call; NULL where it did more, or with an exception. */
PyObject *learn_delegate(Operator *self, const Noted *found, PyObject *const *args, PyObject *result);
/* Run that; NULL without an exception where the composition has to be run.  `keys` are the call's. */
PyObject *run_delegate(PyObject *call, PyObject *const *args, int64_t keys);
PyObject *use_number_protocol(PyObject *module, PyObject *functions);
PyObject *share_number_protocol(PyObject *module, PyObject *type);
PyObject *call_made(PyObject *call, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_data(PyObject *function, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_tolist(PyObject *function, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_warn(PyObject *function, PyObject *const *args, size_t count, PyObject *names);
/* The code of the dtype of a tensor whose numbers can be read where they are; -1 where they can not. */
long code_of(Function *self, PyObject *object);
PyObject *call_item(PyObject *function, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_mask(PyObject *function, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_setitem(PyObject *function, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_enter(PyObject *function, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_exit(PyObject *function, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_leave_device(PyObject *function, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_give_back(PyObject *function, PyObject *const *args, size_t count, PyObject *names);
PyObject *run_graph(PyObject *module, PyObject *args);

/* The readable function, with the same arguments. */
static inline PyObject *readable(Function *self, PyObject *const *args, size_t count, PyObject *names) {
    return PyObject_Vectorcall(self->python, args, count & ~PY_VECTORCALL_ARGUMENTS_OFFSET, names);
}

#endif
