/* The C speedups of gnomon: tensors, operator calls, and the autograd engine.
 *
 * Each replaces code that is complete in Python in reference/gnomon, and repeats what that has done before: the first
 * call of a kind runs in Python and leaves a plan (backends/gnomon_speedups/plan.py), which later calls look up by a
 * key of their arguments, and repeat. No decisions are made here: without a plan, and in all unusual cases, Python runs
 * with the same arguments, before anything has been changed.
 *
 * Objects are read and written under the GIL.  A kernel may release it while it runs: a call holds references to all
 * objects that it needs afterwards.
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

#define KEY_VARIABLE (KEY_TENSOR_KEYS | KEY_AUTOGRAD) /* keys of a recorded result */
/* Keys and modes of a simple call: only the backend, and perhaps Autograd, handle it. */
#define KEY_SIMPLE \
    (KEY_TENSOR_KEYS | KEY_AUTOGRAD | KEY_GRAD_MODE_BIT | (int64_t)KEY_AUTOGRAD << KEY_EXCLUDED_SHIFT)
#define MOST_TENSORS 1024          /* in a call that has a plan */
#define EXACT_INTEGER (1LL << 53) /* integers are passed as doubles */

/* ---- gnomon's classes ------------------------------------------------------------------------------------------- */

typedef void give_back(double address);

/* Memory shared by several tensors, without a Storage yet. Each tensor holds one reference to it, and, once there is a
 * Storage, one to that, so that the Storage's reference count is as if each tensor referred to it. */
typedef struct Block {
    PyObject_HEAD
    PyObject *spec; /* of the first tensor on the memory */
    double address;
    give_back *free;
    PyObject *owner; /* of memory that another library allocated, a memoryview; NULL: the memory is the backend's */
    PyObject *storage;
} Block;

/* memory/tensor.py's Tensor.  NULL stands for None. */
typedef struct Tensor {
    PyObject_HEAD
    PyObject *spec;         /* NULL: never initialized */
    PyObject *storage;
    Block *block;           /* without a storage; neither: the tensor owns the memory at `address`, if not 0 */
    PyObject *edge;         /* (Node, output number) */
    PyObject *meta;         /* AutogradMeta */
    PyObject *version;      /* VersionCounter */
    PyObject *base;         /* its base, valid at `base_version`; see also `creation` */
    int64_t base_version;
    int creation;           /* CreationMeta */
    struct Tensor *previous, *next; /* in the list of views of `version`; see Version */
    int is_listed;
    struct Tensor *shown_before, *shown_after; /* in the list of tensors on a Storage or a Block */
    int is_shown;
    PyObject *attributes;   /* __dict__, created on first access */
    PyObject *weak_references;
    double address;         /* NaN: the Storage's memory was freed */
    give_back *free;        /* frees its memory; NULL: use the Python function that the backend registered */
    int64_t offset;         /* elements */
    int64_t keys;
} Tensor;

/* memory/tensor.py's VersionCounter. */
typedef struct Version {
    PyObject_HEAD
    int64_t value;
    struct Tensor *first; /* linked list of views that will require grad if their base does */
} Version;

typedef struct PlanObject {
    PyObject_HEAD
    PlanFields plan;
    struct Recipe *recipes; /* how to record it, by pattern of inputs that require grad; a list */
} PlanObject;

/* One kind of call: the key of its arguments, and its plan. */
typedef struct Row {
    uint64_t hash;
    Py_ssize_t count;
    PyObject *held;    /* a list of the objects whose addresses are in words */
    PyObject *found;   /* a PlanObject, a Call of function.c, or None: known to have no plan */
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
    int is_prepared;    /* are learning.py's facts about it loaded? */
    int is_readable;    /* does it always run in Python? */
    unsigned tensors, lists, optionals; /* which arguments are tensors, lists of them, and may be None, as bits */
    int number, device, generator;      /* positions of a number passed in each call, a device that may be the
                                           default one, and a generator; or -1 */
    int numbers_fit;    /* are numbers refused that overflow the dtype? */
    int is_written;     /* does it write to an argument? */
    int is_recorded;    /* is there anything for autograd to record? */
    int refuses_recording;
    PyObject *composite; /* the function of a composite, or NULL */
    int composite_refuses_recording;
    int only_allocates;  /* does it only allocate memory? */
    int calls_others;    /* is it in Python a function that calls operators? */
    int makes_view;      /* may the composite return a view of its first argument? */
    PyObject *recorder;  /* tells how a call is recorded (learning.py) */
    Table plans;
    Table batched;       /* outcomes of calls under one vmap (batched.c) */
} Operator;

/* A public function or a method, and its cached outcomes. */
typedef struct Function {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject *python;     /* the Python function */
    PyObject *extra;      /* data of its kind */
    PyObject *attributes; /* __dict__ */
    PyObject *weak_references;
    int64_t by_type;      /* argument positions whose numbers are keyed by type, as bits */
    int64_t by_value;     /* and positions where that is not allowed */
    int is_index;         /* is it x[index]? */
    int in_places;        /* is each tensor at its schema position? */
    int may_view;         /* may its result be learnt as a view of its first argument? */
    Table calls;
} Function;

/* Objects of gnomon, registered once. */
struct facts {
    PyTypeObject *tensor, *version, *block, *plan, *operator, *function, *call;
    PyTypeObject *spec, *autograd_meta;                              /* once registered */
    PyObject *mode_word, *scoped_devices; /* context variables */
    Py_ssize_t accumulator_edge;                                     /* AutogradMeta */
    Py_ssize_t metadata_specs, next_edges, sequence_nr, saved;       /* RecordedNode */
    Py_ssize_t sizes, strides, dtype, numel, device, is_contiguous; /* Spec */
    Py_ssize_t category, itemsize;                                   /* dtype */
    Py_ssize_t saved_tensor, saved_version, output_nr, unpack_hook, saved_edge, is_variable; /* SavedVariable */
    Py_ssize_t saved_items;                                          /* SavedList */
    PyObject *learn, *learn_view, *prepare, *formulas;               /* learning.py */
    PyObject *gradient_edge, *save, *untyped_storage, *adopt, *share, *give_back;
    int no_grad_mode, multi_output;                                  /* CreationMeta */
    PyObject *default_generator, *named, *raise_named, *hide_base;
    PyObject *recorded_node, *node, *accumulate_grad, *saved_variable, *saved_list, *validate, *sum_of;
    PyObject *inference_version;
    PyObject *start, *end, *function_scope, *kernel_scope;           /* dispatch/record_function.py */
    PyObject *nothing_to_end, *readable_everywhere; /* a list: while it is not empty, no call is simple */
    PyObject *nonzero_static, *select, *index, *bool_dtype;          /* operators that x[mask] calls */
    PyObject *values; /* a tuple of types whose instances are compared by identity: dtype, device, str ... */
};
extern struct facts facts;

#define SLOT(object, offset) (*(PyObject **)((char *)(object) + (offset)))

static inline PyObject *new_reference(PyObject *object) {
    Py_INCREF(object);
    return object;
}

/* Gets an attribute by a name that is interned at its first use: Python's attribute cache keeps strings alive. */
static inline PyObject *attribute_of(PyObject *object, PyObject **name, const char *text) {
    if (*name == NULL && (*name = PyUnicode_InternFromString(text)) == NULL) {
        return NULL;
    }
    return PyObject_GetAttr(object, *name);
}

/* Clears the exception. An interrupt is not lost: it is raised again as soon as Python runs. */
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

/* An initialized tensor; NULL for anything else. */
static inline Tensor *as_tensor(PyObject *object) {
    return is_tensor(object) && ((Tensor *)object)->spec != NULL ? (Tensor *)object : NULL;
}

/* Sets a field to a new reference; the old one is released. */
static inline void fill(PyObject **field, PyObject *value) {
    PyObject *before = *field;
    *field = value;
    Py_XDECREF(before);
}

/* The thread's mode word as it is stored, to be changed; -1 if it cannot be read. */
static inline int64_t stored_mode_word(void) {
    PyObject *word = NULL;
    if (PyContextVar_Get(facts.mode_word, NULL, &word) < 0 || word == NULL) {
        forget_error();
        return -1;
    }
    const int64_t bits = PyLong_AsLongLong(word);
    Py_DECREF(word);
    return bits;
}

/* The thread's mode word, to choose a path by: -1, which is never simple, if it cannot be read or all calls are to run
 * in the readable tier. */
static inline int64_t read_mode_word(void) {
    return PyList_GET_SIZE(facts.readable_everywhere) != 0 ? -1 : stored_mode_word();
}

/* Keys that kernels of other layouts exclude (run_below in sparse/registration.py): for operands that have none of them,
 * an operator that makes new tensors does the same with and without them; views are not marked (run_view). */
#define KEY_ABOVE                                                                                                      \
    ((int64_t)(KEY_AD_INPLACE_OR_VIEW | KEY_AUTOGRAD_MKLDNN | KEY_AUTOGRAD_SPARSE | KEY_AUTOGRAD_SPARSE_CSR              \
               | KEY_AUTOGRAD_QUANTIZED | KEY_FORWARD_AD | KEY_AUTOCAST)                                                \
     << KEY_EXCLUDED_SHIFT)

/* Is it a simple call: only for the backend, and perhaps Autograd? */
static inline int is_simple(int64_t keys) {
    return (keys & ~(int64_t)KEY_SIMPLE) == 0 && (keys & KEY_TENSOR_KEYS) == KEY_TENSOR_KEYS;
}

/* Do observers that allow speedups watch this thread (dispatch/record_function.py)? */
static inline int is_told(int64_t word) {
    return word >= 0 && (word & (KEY_OBSERVED_BIT | KEY_TRACED_BIT)) == KEY_OBSERVED_BIT;
}

/* Is a simple call recorded? */
static inline int records(int64_t keys) {
    const int64_t wanted = KEY_AUTOGRAD | KEY_GRAD_MODE_BIT;
    return (keys & (wanted | (int64_t)KEY_AUTOGRAD << KEY_EXCLUDED_SHIFT)) == wanted;
}

/* ---- memory.c ---------------------------------------------------------------------------------------------------- */

/* Does the tensor own memory that has no Storage and is not shared? */
static inline int is_owner(const Tensor *tensor) {
    return tensor->storage == NULL && tensor->block == NULL && tensor->address != 0;
}
/* The identity of the tensor's memory; NULL if the tensor owns it. */
static inline PyObject *home_of(const Tensor *tensor) {
    if (tensor->block != NULL) {
        return tensor->block->storage != NULL ? tensor->block->storage : (PyObject *)tensor->block;
    }
    return tensor->storage;
}
/* Frees memory that was owned by address. */
void give_memory_back(PyObject *spec, double address, give_back *free);
/* Registers the tensor for address updates of its memory, until it is unregistered. */
void begin_showing(Tensor *self);
void stop_showing(Tensor *self);
/* Bytes from the start of the memory to the tensor's first element; the tensor may have no spec yet. */
double begin_of(const Tensor *self, PyObject *spec);
/* The address of a Storage's memory, 0 if it has none, NaN if it was freed; -1 with an exception. */
double address_of(PyObject *storage);
/* The error of who reads or writes the values of a tensor whose memory was freed. */
void raise_freed(const Tensor *tensor);
/* The tensor's Storage, created on first access; borrowed; NULL with an exception or if it has none. */
PyObject *storage_of(Tensor *self);
/* Makes another tensor share a tensor's memory. 0, or -1 with an exception. */
int share_memory(Tensor *tensor, Tensor *with);
/* A Tensor on memory of another library, which ``owner``, a memoryview, keeps; NULL with an exception. */
Tensor *make_shared(PyObject *spec, double address, PyObject *owner);
/* Releases the tensor's Block, if it has one. */
void leave_block(Tensor *self);
int is_memory_ready(void);
/* replace_memory(Storage._replace_memory, storage, memory), which updates its tensors; own_memory(tensor, nbytes, index,
 * allocate, free, allocate_address): allocates a new tensor's memory, by the backend's machine code if any;
 * own_memories(specs, index, allocate, free, allocate_address): new tensors with memory; owns_memory(tensor): is_owner;
 * has_address(tensor), also if the memory was freed; is_alias_of(tensor, other), bare_tensor(cls=None): memory/tensor.py's. */
PyObject *replace_memory(PyObject *module, PyObject *args);
PyObject *own_memory(PyObject *module, PyObject *args);
PyObject *own_memories(PyObject *module, PyObject *args);
PyObject *owns_memory(PyObject *module, PyObject *tensor);
PyObject *has_address(PyObject *module, PyObject *tensor);
PyObject *bare_tensor(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *is_alias_of(PyObject *module, PyObject *const *args, Py_ssize_t count);

/* ---- tensor.c ---------------------------------------------------------------------------------------------------- */

/* A Tensor that owns the memory at `address`; NULL with an exception. */
Tensor *make_tensor(PyObject *spec, double address, give_back *free);
/* A Tensor with no field filled; NULL with an exception. */
Tensor *new_tensor(void);
/* Makes the garbage collector track the tensor: from now on it may be part of a cycle. */
void track(Tensor *self);
/* The tensor's version counter, created if missing; borrowed, NULL with an exception. */
Version *version_counter(Tensor *tensor);
/* An alias of a tensor as a leaf, with the same version counter, at this offset in elements and bytes (as in
 * memory/tensor.py); NULL with an exception. */
Tensor *alias_tensor(Tensor *tensor, PyObject *spec, int64_t offset, double nbytes);
/* Can tensors of this spec have gradients? */
int has_gradients(PyObject *spec);
void add_view(Version *counter, Tensor *view);
PyTypeObject *make_tensor_type(PyObject *python);
PyTypeObject *make_version_type(PyObject *python);
/* Copies to a C class all attributes of the Python class except its slots and ``but``. */
PyTypeObject *made_like(PyType_Spec *spec, PyObject *python, const char *but);

/* ---- lists.c ----------------------------------------------------------------------------------------------------- */

/* keys_of(positions, arguments), specs_of_list(tensors), bump_versions(tensors), any_inference(tensors),
 * addresses(columns, count): loops over lists of tensors. */
PyObject *keys_of(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *specs_of_list(PyObject *module, PyObject *tensors);
PyObject *bump_versions(PyObject *module, PyObject *tensors);
PyObject *any_inference(PyObject *module, PyObject *tensors);
PyObject *addresses(PyObject *module, PyObject *const *args, Py_ssize_t given);

/* ---- dlpack.c ---------------------------------------------------------------------------------------------------- */

/* interop/dlpack_layout.py's new_capsule, opened and taken; interop/host_memory.py's foreign_bytes. */
PyObject *dlpack_capsule(PyObject *module, PyObject *args);
PyObject *dlpack_opened(PyObject *module, PyObject *capsule);
PyObject *dlpack_taken(PyObject *module, PyObject *args);
PyObject *foreign_bytes(PyObject *module, PyObject *args);
/* A buffer of these bytes, which keeps ``owner`` alive; NULL with an exception. */
PyObject *bytes_at(void *address, Py_ssize_t nbytes, PyObject *owner);

/* ---- arrays.c ---------------------------------------------------------------------------------------------------- */

PyObject *call_from_numpy(PyObject *function, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_numpy(PyObject *function, PyObject *const *args, size_t count, PyObject *names);

/* ---- plan.c ------------------------------------------------------------------------------------------------------ */

int make_plan_type(PyObject *module);
PyObject *plan_from(PyObject *declared);

/* ---- keys.c ------------------------------------------------------------------------------------------------------ */

#define MOST_WORDS 3072
/* A call's key and tensors are on the C stack, which Python does not check for overflow: calls nested deeper than this
 * (by hooks, modes, subclasses) run in Python. */
#define MOST_NESTED 24
extern _Thread_local int nested;
/* The number of warnings on this thread. */
extern _Thread_local long long warnings_given;

/* The key of a call. */
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

/* The word of an object that is compared by identity: addresses are even. */
static inline int add_identity(Key *key, const void *object) {
    return add_word(key, (uint64_t)(uintptr_t)object);
}

/* Adds words for a non-tensor value, by value, not by identity. 0 if it has none. */
int add_value(Key *key, PyObject *value);
/* Adds words for a list of tensors, some of which may be None. */
int add_tensors(Key *key, PyObject *list);
/* Adds the word of the default device, or of a given one. */
int add_device(Key *key, PyObject *device);
/* The row of a key, or NULL; never an exception. */
Row *find_row(Table *table, const Key *key);
/* Stores `found` under the key; `held` is a list of the objects behind its addresses (steals the reference). 0 or
 * -1. */
int keep_row(Table *table, const Key *key, PyObject *held, PyObject *found);
void clear_table(Table *table);
PyObject *forget_plans(PyObject *module, PyObject *nothing);
/* A Python number that may be a wrapped number: of an exact type, and representable as a double. */
int as_number(PyObject *object, double *number);
/* Can the number overflow a dtype of its category? Infinities and NaN never do. */
int is_large(PyObject *object, double number);

/* ---- operator.c -------------------------------------------------------------------------------------------------- */

PyTypeObject *make_operator_type(PyObject *python);
/* An operator with all its arguments. */
PyObject *call_operator(Operator *self, PyObject *const *args, Py_ssize_t count);
/* Runs a plan on these arguments; NULL without an exception: run in Python. */
PyObject *run_plan(Operator *self, PlanObject *plan, PyObject *const *args);
/* If the plan is of a machine-code kernel that reads tensors and numbers and creates one tensor: runs it with these
 * inputs, an address each, or a number. NULL without an exception if it declines. */
int enters_directly(const PlanFields *plan);
PyObject *enter_directly(PlanObject *plan, const double *data);
/* Records that call, of an operator without lists.  0, or -1 with an exception. */
int record_directly(Operator *self, PlanObject *plan, PyObject *const *args, Tensor *output);
/* The entry for these arguments: a plan, or a composite's Call; NULL if there is none. Borrowed. */
PyObject *plan_of(Operator *self, PyObject *const *args);
/* A tuple of the arguments; NULL with an exception. */
PyObject *tuple_of(PyObject *const *args, Py_ssize_t count);
extern _Thread_local PyObject *launches; /* a list, while a call is being learnt */

/* The tensor arguments of a call, lists flattened, including None and numbers. */
typedef struct Operands {
    PyObject *objects[MOST_TENSORS];
    double addresses[MOST_TENSORS]; /* or the number */
    Py_ssize_t count;
    int64_t keys, common; /* union of all tensors' keys, and intersection */
} Operands;

/* Makes the key of a call of these arguments; 0 if there is none, perhaps with an exception. */
int make_operator_key(const Operator *self, PyObject *const *args, Key *key);
/* Runs a plan of any kind, whose conditions hold. */
PyObject *run_kind(Operator *self, PlanObject *plan, PyObject *const *args, const Operands *operands, int64_t keys);
/* A list of the objects whose addresses are in the key of these arguments; NULL with an exception. */
PyObject *held_by(PyObject *const *args, Py_ssize_t count);
PyObject *after_launch(PyObject *module, PyObject *const *args, Py_ssize_t count);

/* What a function's first call did: the operators that it called, and the result. */
typedef struct Noted {
    int count;
    Operator *operator;
    PyObject *arguments; /* a tuple */
    PyObject *result;
    PyObject *steps; /* a list of all of them, (operator, arguments, result), or NULL */
} Noted;
/* The notes of operator calls on this thread, or NULL. */
extern _Thread_local Noted *noted;
/* Notes a side effect that calling the operator again does not repeat: numbers were read, or a warning was given. */
static inline void note_more(void) {
    if (noted != NULL) {
        noted->count += 2;
    }
}

/* Runs in Python. */
PyObject *call_readable(Operator *self, PyObject *const *args, Py_ssize_t count);

/* ---- composite.c ------------------------------------------------------------------------------------------------- */

/* The call of a composite. NULL without an exception: run in Python. */
PyObject *run_composite(Operator *self, PyObject *const *args, const Operands *operands);

/* ---- batched.c --------------------------------------------------------------------------------------------------- */

/* A call with these keys, including Batched. NULL without an exception: run in Python, or, if `is_plain`, as if there
 * were no vmap. */
PyObject *call_batched(Operator *self, PyObject *const *args, int64_t keys, int64_t word, int *is_plain);
PyObject *know_batching(PyObject *module, PyObject *args);
/* The offset of the slot ``name`` in instances of ``type``; -1 with an exception. */
Py_ssize_t slot_offset(PyObject *type, const char *name);

/* ---- record.c ---------------------------------------------------------------------------------------------------- */

/* The gradient edge of a tensor that requires grad; NULL with an exception. */
PyObject *edge_of(Tensor *tensor);
/* Creates the Node of a call, and makes it the grad_fn of the outputs that the plan names. `inputs` are the tensor
 * arguments, or the values in their places, lists flattened. 0, or -1 with an exception. */
int record(Operator *self, PlanObject *plan, PyObject *const *args, PyObject *const *inputs, Py_ssize_t count,
           Tensor *const *outputs);
void free_recipes(PlanObject *plan);
extern long long sequence_number;
PyObject *next_sequence_number(PyObject *module, PyObject *nothing);

/* ---- views.c ----------------------------------------------------------------------------------------------------- */

PyObject *run_view(Operator *self, PlanObject *plan, PyObject *const *args, int64_t keys);
/* x[row], of which nothing is recorded, by the plan of x[0]: only its offset differs. NULL as run_view. */
PyObject *run_row(PlanObject *plan, Tensor *tensor, int64_t row, int64_t keys);
/* Can a view of the tensor be created here, by a call with these keys? */
int may_show(const Tensor *tensor, int64_t keys);
/* Marks the new tensor `output` as the plan's view of `tensor`, without a Node. 0, or -1 with an exception. */
int mark_view(const PlanFields *plan, Tensor *tensor, int64_t keys, Tensor *output);
PyObject *run_views(Operator *self, PlanObject *plan, PyObject *const *args, int64_t keys);

/* ---- the others -------------------------------------------------------------------------------------------------- */

int make_function_types(void);
PyObject *make_function(PyObject *module, PyObject *args);
/* The Call to store for a composite that called one operator; NULL if it did more, or with an exception. */
PyObject *learn_delegate(Operator *self, const Noted *found, PyObject *const *args, PyObject *result);
/* Runs that; NULL without an exception: run the composite. `keys` are the call's. */
PyObject *run_delegate(PyObject *call, PyObject *const *args, int64_t keys);
PyObject *use_number_protocol(PyObject *module, PyObject *functions);
PyObject *share_number_protocol(PyObject *module, PyObject *type);
PyObject *call_made(PyObject *call, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_data(PyObject *function, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_tolist(PyObject *function, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_warn(PyObject *function, PyObject *const *args, size_t count, PyObject *names);
/* The code of the dtype of a tensor whose numbers can be read in place; -1 otherwise. */
long code_of(Function *self, PyObject *object);
PyObject *call_item(PyObject *function, PyObject *const *args, size_t count, PyObject *names);
/* x[index] by the plan of x[0], or x[0:n] if it is a slice, so that not every row needs one; NULL without an exception:
 * call the function. */
PyObject *call_row(PyObject *function, PyObject *tensor, PyObject *index);
PyObject *call_mask(PyObject *function, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_setitem(PyObject *function, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_enter(PyObject *function, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_exit(PyObject *function, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_leave_device(PyObject *function, PyObject *const *args, size_t count, PyObject *names);
PyObject *call_give_back(PyObject *function, PyObject *const *args, size_t count, PyObject *names);
PyObject *run_graph(PyObject *module, PyObject *args);

/* Calls the Python function, with the same arguments. */
static inline PyObject *readable(Function *self, PyObject *const *args, size_t count, PyObject *names) {
    return PyObject_Vectorcall(self->python, args, count & ~PY_VECTORCALL_ARGUMENTS_OFFSET, names);
}

#endif
