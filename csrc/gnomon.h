/* The whole ABI between gnomon and its C library.
 *
 * The compiler reads this file, and cffi reads it as it stands: no directives but constants, no
 * includes.  Everything here is plain data and plain functions.  The library keeps no state but its
 * memory allocator, its thread pool and the addresses of a BLAS.
 *
 * Addresses travel from Python as `double`: user-space addresses are below 2^53, so they are exact
 * (the allocator asserts it), and CPython converts a float argument about four times as fast as an
 * integer of that size.
 *
 * The caller holds the GIL.  A call whose `work` exceeds GN_GIL_WORK releases it for its duration.
 */

/* The version of this interface, and of library.h's.  Whoever opens a library of another version leaves it alone.
 *
 * A new version is made by whatever lets a caller that was built before read or do something else: a constant with
 * another value, a struct or a function with another form, one that is gone, and the same form with another meaning
 * (units, ownership, who may call it when).  What is only added, or is faster, makes none: a caller does not know
 * of it. */
#define GN_ABI_VERSION 1

/* dtype codes: the order of gnomon.values.dtype */
#define GN_BOOL 0
#define GN_UINT8 1
#define GN_INT8 2
#define GN_INT16 3
#define GN_INT32 4
#define GN_INT64 5
#define GN_FLOAT16 6
#define GN_BFLOAT16 7
#define GN_FLOAT32 8
#define GN_FLOAT64 9
#define GN_COMPLEX64 10
#define GN_COMPLEX128 11
#define GN_DTYPE_COUNT 12
#define GN_NO_DTYPE -1

/* The most dimensions that a tensor may have; the shared layer checks it. */
#define GN_MAX_DIMS 64
/* The most tensors that a call with prepared operands may have (gn_call0 to gn_call3). */
#define GN_MAX_OPERANDS 4

/* Elementary steps from which a call releases the GIL. */
#define GN_GIL_WORK 16384
/* Elementary steps below which a second thread costs more than it saves. */
#define GN_GRAIN 32768

/* What a kernel returns. */
#define GN_OK 0
/* The values of an argument are at fault (an index out of range).  The caller runs the reference
 * kernel on the same memory, and that one raises with the full text. */
#define GN_BAD_VALUE 1
#define GN_OUT_OF_MEMORY 2
/* The kernel does not serve these arguments (its outputs are undefined then); the caller uses its fallback. */
#define GN_NOT_IMPLEMENTED 3

/* How a kernel wants its tensors.
 * GN_ITERATED: one shape for all (TensorIterator): broadcast, reordered and coalesced; dimension 0 moves
 *   fastest; strides of broadcast dimensions are 0.  All tensors share one `sizes` array.
 *   In a reduction, an output's stride is 0 in exactly the reduced dimensions, and its memory is
 *   not initialised; the iteration shape then has at least one element.
 * GN_DIRECT: each tensor has its own sizes, dimension 0 outermost, as the user sees it. */
#define GN_ITERATED 0
#define GN_DIRECT 1

/* Where the elements of one tensor lie.  The data pointer comes apart from it, and points at the
 * first element (the storage offset is already in it). */
typedef struct gn_tensor {
    int32_t dtype;          /* GN_NO_DTYPE: an optional tensor that was not given; its pointer is NULL */
    int32_t ndim;
    const int64_t *sizes;   /* elements */
    const int64_t *strides; /* bytes */
} gn_tensor;

/* A Python number in the forms a kernel may want.  For a float, `integer` is it truncated where it fits. */
typedef struct gn_scalar {
    double real;
    double imag;
    int64_t integer;
} gn_scalar;

typedef struct gn_call gn_call;

/* Runs one call.  data[i] belongs to call->tensors[i].  Inputs are never written.  May be entered by
 * several threads at once with the same call.  Returns GN_OK or one of the faults above. */
typedef int32_t gn_kernel(const gn_call *call, void *const *data);

/* One prepared call: everything but the data pointers.  Immutable once made. */
struct gn_call {
    gn_kernel *kernel;
    int64_t work;             /* elementary steps; decides about the GIL and about threads */
    int64_t output_nbytes;    /* what gn_call0 to gn_call3 allocate for tensors[0] */
    int32_t tensor_count;     /* outputs first, then inputs, each in the schema's order; a list of
                                 tensors stands there element by element; the inputs that
                                 an operator writes to beside are the last of its outputs */
    int32_t output_count;
    int32_t integer_count;
    int32_t scalar_count;
    const gn_tensor *tensors;
    const int64_t *integers;  /* the int, bool and int[] arguments in the schema's order; an int[] is
                                 its length, then its elements; an absent int? is GN_NO_INTEGER;
                                 a str is the code of its first character, an absent str? 0; behind
                                 all others stand the codes of the last characters of each str, and
                                 behind these, of a GN_DIRECT call, the length of each list of tensors */
    const gn_scalar *scalars; /* the Scalar and float arguments in the schema's order; an absent
                                 Scalar? is NaN in `real` and GN_NO_INTEGER in `integer` */
};
/* Not -2^63: C has no literal of that value, and would read its digits as unsigned. */
#define GN_NO_INTEGER -0x7fffffffffffffff

/* One row of the library's table: an operator, and its kernel for each dtype of tensors[key_tensor]
 * (NULL where there is none: the row claims nothing there). */
typedef struct gn_row {
    const char *name;   /* PyTorch's name with overload: "add.Tensor", "mm" */
    int32_t family;     /* GN_ITERATED or GN_DIRECT */
    int32_t key_tensor;
    gn_kernel *kernels[12];
    const char *file;   /* where the row stands, for people: the table's path, and its line there */
    int32_t line;
} gn_row;

/* The table.  Rows live as long as the process. */
const gn_row *gn_rows(void);
int32_t gn_row_count(void);

/* Allocate tensors[0] and run: one call from Python for `a + b`.  Return the address of the output, or
 * 0 when memory is exhausted, or -status when the kernel returned one (the output is freed then). */
double gn_call0(double call);
double gn_call1(double call, double a);
double gn_call2(double call, double a, double b);
double gn_call3(double call, double a, double b, double c);
/* The same with a number in the place of the last input, converted to that tensor's dtype. */
double gn_call1_number(double call, double a, double number);
double gn_call2_number(double call, double a, double b, double number);
/* Run with every address given, outputs included: in-place, out=, several outputs, many inputs. */
int32_t gn_run(double call, const double *data);
/* The same for up to three tensors, without an array. */
int32_t gn_run1(double call, double out);
int32_t gn_run2(double call, double out, double a);
int32_t gn_run3(double call, double out, double a, double b);
/* The same with a number in the place of the last input. */
int32_t gn_run2_number(double call, double out, double a, double number);
/* Without inputs, and with another number than scalars[0]: `integer` is made of it as gn_scalar says (1 for
 * what does not fit). */
double gn_call0_scalar(double call, double number);
int32_t gn_run1_scalar(double call, double out, double number);
/* Without inputs, and with another stream of random numbers than the last three integers say: a seed, and how
 * many blocks of it were used. */
double gn_call0_stream(double call, int64_t seed, int64_t counter);
int32_t gn_run1_stream(double call, double out, int64_t seed, int64_t counter);

/* One element as a number: of a float dtype, and of an integer or bool dtype. */
double gn_read_real(double address, int32_t dtype);
int64_t gn_read_integer(double address, int32_t dtype);

/* Memory: 64-byte aligned, kept in free lists by size class for the next request.  gn_allocate returns 0
 * when the system has none left, even after the free lists were given back.  nbytes may be 0. */
double gn_allocate(double nbytes);
void gn_free(double address);
/* Gives the free lists back to the system. */
void gn_empty_cache(void);
/* Bytes handed out, bytes held in free lists, the most ever handed out (since gn_reset_peak). */
void gn_memory_stats(int64_t *allocated, int64_t *cached, int64_t *peak);
void gn_reset_peak(void);
/* The most bytes handed out and held together; 0: as many as the system has.  A request that would pass it gives
 * the free lists back first, and has no memory if that does not help. */
void gn_set_memory_limit(double nbytes);

/* Instruction sets, each with all that the one before has.  Other architectures have the baseline only. */
#define GN_ISA_BASELINE 0
#define GN_ISA_AVX2 1
#define GN_ISA_AVX512 2
/* The widest that this processor runs, and the one that this library was compiled for. */
int32_t gn_processor_isa(void);
int32_t gn_compiled_isa(void);

/* Threads used by a call with enough work; at least 1.  In a child of fork they are 1 until they are set. */
void gn_set_num_threads(int32_t count);
int32_t gn_get_num_threads(void);

/* The addresses of cblas_sgemm, cblas_dgemm, cblas_cgemm, cblas_zgemm (0: use the kernel of our own).
 * The BLAS must be set to one thread: the rows are split over our own threads. */
void gn_set_blas(double sgemm, double dgemm, double cgemm, double zgemm);
