/* What the library says of itself, and how it is set: the rest of the ABI, beside gnomon.h.  The kernels of GPUs read
 * gnomon.h, too, and are compiled anew when it changes; nothing here is theirs.
 *
 * The compiler reads this file, and cffi reads it as it stands: no directives but constants, no includes. */

/* GN_ABI_VERSION of gnomon.h, when this library was compiled. */
int32_t gn_abi_version(void);

/* What runs the threads of gn_set_num_threads: nothing, where the library was built without any; a pool of the library's
 * own; OpenMP, where the compiler has it, though not in a child of fork.  No result depends on it. */
#define GN_PARALLEL_NONE 0
#define GN_PARALLEL_NATIVE 1
#define GN_PARALLEL_OPENMP 2
int32_t gn_has_parallel(int32_t which);
/* Chooses one that there is; otherwise changes nothing.  Returns which one runs from now on.  Native runs unless told. */
int32_t gn_set_parallel(int32_t which);
int32_t gn_get_parallel(void);
/* The addresses of LAPACK's Fortran routines, with integers of 32 bits (0: use the kernel of our own): for each of geqrf,
 * orgqr, stedc (heevd for complex numbers), gesdd and geev those for float32, float64, complex64 and complex128. */
void gn_set_lapack(const double *addresses, int64_t count);
/* For tests: parts are cut as if no kernel asked for larger ones than of so many steps.  0: as they ask. */
void gn_set_most_grain(int64_t most);

/* Run a list of calls of at most GN_MAX_OPERANDS tensors as one, as if in order.  Tensor k of call i is
 * data[k * count + i]; a call of 0 is left out.  With numbers, those of call i start at numbers[i * number_step]: they
 * replace its scalars, and the one behind these, if number_tensor is not -1, is the element of that tensor.
 * GN_NOT_IMPLEMENTED, before anything is written, if an input shares memory with its call's output without being the
 * same elements. */
int32_t gn_run_list(int64_t count, const double *calls, const double *data, const gn_scalar *numbers,
                    int64_t number_step, int32_t number_tensor);

/* Kernels of the dtypes whose codes follow GN_COMPLEX128: uint16, uint32, uint64, float8_e4m3fn, float8_e5m2,
 * complex32.
 * GN_LIMITED_COPY is copy_ where one dtype at least is one of these; the others are fill_.Scalar, eq.Tensor and
 * ne.Tensor of floats of 8 bits. */
#define GN_LIMITED_COPY 0
#define GN_LIMITED_FILL 1
#define GN_LIMITED_EQUAL 2
#define GN_LIMITED_DIFFERENT 3
gn_kernel *gn_limited_kernel(int32_t which);
