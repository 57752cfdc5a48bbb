/* An emulation of cuBLAS, with the functions, arguments and errors that gnomon uses, on top of the emulated driver: its
 * kernel is launched through the driver's functions, into the given stream. It is a separate shared library, which is
 * also the image of its kernel.
 *
 * It is stricter than NVIDIA's: a product needs a workspace, which must be in device memory, and which a change of the
 * stream removes. */
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <string>

#include "emulation.h" /* what follows is not visible from outside */

#include "c/half.h"

namespace {

/* cublasStatus_t */
enum { SUCCESS = 0, NOT_INITIALIZED = 1, INVALID_VALUE = 7, EXECUTION_FAILED = 13, NOT_SUPPORTED = 15 };
/* cudaDataType_t, cublasComputeType_t, cublasMath_t, cublasOperation_t */
enum { REAL_32 = 0, REAL_64 = 1, REAL_16 = 2, COMPLEX_32 = 4, COMPLEX_64 = 5, REAL_16_BRAIN = 14 };
enum { COMPUTE_32 = 68, COMPUTE_64 = 70 };
enum { TENSOR_32_MATH = 3, PRECISE_SUMS = 16 };
enum { AS_IT_IS = 0, TRANSPOSED = 1 };
constexpr int USUAL_ALGORITHM = -1;

/* Element (i, j) of a factor that is not transposed is at i + j * leading. */
struct Factor {
    const char *at;
    int64_t leading, stride;
    int transposed;
};

struct Work {
    int64_t m, n, k, batches;
    std::complex<double> alpha, beta;
    Factor a, b;
    char *out;
    int64_t out_leading, out_stride;
    unsigned char *workspace;
    uint64_t workspace_bytes;
    int rounded; /* are factors rounded to 10 bits, as by tensor cores? */
};

struct Float16 {
    uint16_t bits;
    float get() const { return gn_from_float16(bits); }
    void set(float value) { bits = gn_to_float16(value); }
};
struct Bfloat16 {
    uint16_t bits;
    float get() const { return gn_from_bfloat16(bits); }
    void set(float value) { bits = gn_to_bfloat16(value); }
};
/* A factor of a product as the type that it is computed in. */
template <class Sum> struct Number {
    static Sum of(std::complex<double> number) { return Sum(number.real()); }
};
template <class Part> struct Number<std::complex<Part>> {
    static std::complex<Part> of(std::complex<double> number) { return std::complex<Part>(number); }
};

template <class T> struct Plain {
    T value;
    T get() const { return value; }
    void set(T given) { value = given; }
};

/* The nearest number with a mantissa of 10 bits. */
float to_tensor_32(float value) {
    uint32_t bits = gn_bits(value);
    if ((bits & 0x7f800000) != 0x7f800000) bits = (bits + 0x0fff + (bits >> 13 & 1)) & ~uint32_t(0x1fff);
    return gn_from_bits(bits);
}

template <class Storage, class Sum> Sum element(const Factor &factor, int64_t batch, int64_t row, int64_t column,
                                                int rounded) {
    const int64_t place = factor.transposed ? column + row * factor.leading : row + column * factor.leading;
    const Sum found = Sum(reinterpret_cast<const Storage *>(factor.at)[batch * factor.stride + place].get());
    if constexpr (std::is_same_v<Sum, float>) {
        return rounded ? to_tensor_32(found) : found;
    }
    return found;
}

/* A thread for each element of the output. */
template <class Storage, class Sum> __global__ void multiply(Work work) {
    const int64_t threads = int64_t(gridDim.x) * blockDim.x;
    const int64_t first = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (first == 0) {
        work.workspace[0] = 1;
        work.workspace[work.workspace_bytes - 1] = 1;
    }
    for (int64_t i = first; i < work.batches * work.m * work.n; i += threads) {
        const int64_t row = i % work.m, column = i / work.m % work.n, batch = i / work.m / work.n;
        Sum sum = 0;
        for (int64_t p = 0; p < work.k; p++) {
            sum += element<Storage, Sum>(work.a, batch, row, p, work.rounded)
                   * element<Storage, Sum>(work.b, batch, p, column, work.rounded);
        }
        Storage &out = reinterpret_cast<Storage *>(work.out)[batch * work.out_stride + row + column * work.out_leading];
        const Sum scaled = Number<Sum>::of(work.alpha) * sum;
        out.set(work.beta == 0.0 ? scaled : Number<Sum>::of(work.beta) * Sum(out.get()) + scaled);
    }
}

/* The driver's functions that it calls. */
struct Driver {
    int (*current)(void **context);
    int (*load)(void **module, const void *image);
    int (*function)(void **function, void *module, const char *name);
    int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                  unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **parameters,
                  void **extra);
} driver_functions;

struct Handle {
    void *context, *module, *stream;
    void *workspace;
    size_t workspace_bytes;
    int math;
};

std::map<void *, Handle> handles;
std::map<std::string, long long> calls;

Handle *handle_of(void *handle) {
    const auto found = handles.find(handle);
    return found == handles.end() ? nullptr : &found->second;
}

/* The bytes of a file; empty if it cannot be read. */
std::string content_of(const char *path) {
    std::string content;
    FILE *const file = fopen(path, "rb");
    char part[4096];
    for (size_t count = 1; file && count;) {
        count = fread(part, 1, sizeof part, file);
        content.append(part, count);
    }
    if (file) fclose(file);
    return content;
}

/* A factor as the caller gave it. */
std::complex<double> number_at(const void *place, bool is_double, bool is_complex) {
    const auto part = [=](int index) {
        return is_double ? static_cast<const double *>(place)[index] : double(static_cast<const float *>(place)[index]);
    };
    return {part(0), is_complex ? part(1) : 0};
}

const char *kernel_of(int type) {
    switch (type) {
    case REAL_32: return "multiply_float32";
    case REAL_64: return "multiply_float64";
    case REAL_16: return "multiply_float16";
    case REAL_16_BRAIN: return "multiply_bfloat16";
    case COMPLEX_32: return "multiply_complex64";
    case COMPLEX_64: return "multiply_complex128";
    default: return nullptr;
    }
}

}  // namespace

GN_EMULATED_KERNEL(multiply_float32, multiply<Plain<float>, float>)
GN_EMULATED_KERNEL(multiply_float64, multiply<Plain<double>, double>)
GN_EMULATED_KERNEL(multiply_float16, multiply<Float16, float>)
GN_EMULATED_KERNEL(multiply_bfloat16, multiply<Bfloat16, float>)
GN_EMULATED_KERNEL(multiply_complex64, multiply<Plain<std::complex<float>>, std::complex<float>>)
GN_EMULATED_KERNEL(multiply_complex128, multiply<Plain<std::complex<double>>, std::complex<double>>)

#define GN_EXPORT extern "C" __attribute__((visibility("default")))

/* Sets the emulated driver (an open library) that runs its kernels. Returns whether that has all required functions. */
GN_EXPORT int gn_emulation_attach(const char *path) {
    void *const library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (!library) return 0;
    driver_functions.current = reinterpret_cast<int (*)(void **)>(dlsym(library, "cuCtxGetCurrent"));
    driver_functions.load = reinterpret_cast<int (*)(void **, const void *)>(dlsym(library, "cuModuleLoadData"));
    driver_functions.function =
        reinterpret_cast<int (*)(void **, void *, const char *)>(dlsym(library, "cuModuleGetFunction"));
    driver_functions.launch = reinterpret_cast<decltype(driver_functions.launch)>(dlsym(library, "cuLaunchKernel"));
    dlclose(library);
    return driver_functions.current && driver_functions.load && driver_functions.function && driver_functions.launch;
}

/* How many products were requested with these transpositions, such as "NT"; for tests. */
GN_EXPORT long long gn_emulation_products(const char *operations) {
    return calls[operations];
}

GN_EXPORT const char *cublasGetStatusString(int status) {
    switch (status) {
    case SUCCESS: return "success";
    case NOT_INITIALIZED: return "the library was not initialized";
    case INVALID_VALUE: return "an unsupported value or parameter was passed to the function";
    case EXECUTION_FAILED: return "the function failed to launch on the GPU";
    case NOT_SUPPORTED: return "the functionality requested is not supported";
    default: return "unknown";
    }
}

GN_EXPORT int cublasCreate_v2(void **made) {
    Handle handle = {};
    if (!made) return INVALID_VALUE;
    if (!driver_functions.current || driver_functions.current(&handle.context) || !handle.context) {
        return NOT_INITIALIZED;
    }
    Dl_info here;
    if (!dladdr(reinterpret_cast<void *>(&cublasCreate_v2), &here)) return NOT_INITIALIZED;
    const std::string image = content_of(here.dli_fname);
    if (image.empty() || driver_functions.load(&handle.module, image.data())) return NOT_INITIALIZED;
    *made = malloc(1);
    handles[*made] = handle;
    return SUCCESS;
}

GN_EXPORT int cublasSetStream_v2(void *handle, void *stream) {
    Handle *const found = handle_of(handle);
    if (!found) return NOT_INITIALIZED;
    found->stream = stream;
    found->workspace = nullptr;
    return SUCCESS;
}

GN_EXPORT int cublasSetWorkspace_v2(void *handle, void *workspace, size_t bytes) {
    Handle *const found = handle_of(handle);
    if (!found) return NOT_INITIALIZED;
    if (reinterpret_cast<uintptr_t>(workspace) % 256) return INVALID_VALUE;
    found->workspace = workspace;
    found->workspace_bytes = bytes;
    return SUCCESS;
}

GN_EXPORT int cublasSetMathMode(void *handle, int mode) {
    Handle *const found = handle_of(handle);
    if (!found) return NOT_INITIALIZED;
    if (mode & ~(TENSOR_32_MATH | PRECISE_SUMS)) return INVALID_VALUE;
    found->math = mode;
    return SUCCESS;
}

GN_EXPORT int cublasGemmStridedBatchedEx(void *handle, int transposed_a, int transposed_b, int m, int n, int k,
                                         const void *alpha, const void *a, int a_type, int a_leading,
                                         long long a_stride, const void *b, int b_type, int b_leading,
                                         long long b_stride, const void *beta, void *c, int c_type, int c_leading,
                                         long long c_stride, int batches, int compute, int algorithm) {
    Handle *const found = handle_of(handle);
    if (!found) return NOT_INITIALIZED;
    if (m < 0 || n < 0 || k < 0 || batches < 0 || !alpha || !beta) return INVALID_VALUE;
    if ((transposed_a | transposed_b) & ~TRANSPOSED) return INVALID_VALUE;
    const auto least = [](int rows) { return rows > 1 ? rows : 1; };
    if (a_leading < least(transposed_a ? k : m) || b_leading < least(transposed_b ? n : k) || c_leading < least(m)) {
        return INVALID_VALUE;
    }
    const char *const kernel = kernel_of(a_type);
    if (!kernel || b_type != a_type || c_type != a_type || algorithm != USUAL_ALGORITHM) return NOT_SUPPORTED;
    const bool is_double = a_type == REAL_64 || a_type == COMPLEX_64;
    const bool is_complex = a_type == COMPLEX_32 || a_type == COMPLEX_64;
    if (compute != (is_double ? COMPUTE_64 : COMPUTE_32)) return NOT_SUPPORTED;
    void *context = nullptr, *function = nullptr;
    if (driver_functions.current(&context) || context != found->context) return EXECUTION_FAILED;
    if (!found->workspace || !found->workspace_bytes) return EXECUTION_FAILED;
    Work work = {
        m,
        n,
        k,
        batches,
        number_at(alpha, is_double, is_complex),
        number_at(beta, is_double, is_complex),
        {static_cast<const char *>(a), a_leading, a_stride, transposed_a},
        {static_cast<const char *>(b), b_leading, b_stride, transposed_b},
        static_cast<char *>(c),
        c_leading,
        c_stride,
        static_cast<unsigned char *>(found->workspace),
        found->workspace_bytes,
        a_type == REAL_32 && (found->math & TENSOR_32_MATH) == TENSOR_32_MATH,
    };
    calls[std::string(transposed_a ? "T" : "N") + (transposed_b ? "T" : "N")]++;
    void *parameters[] = {&work};
    if (driver_functions.function(&function, found->module, kernel)
        || driver_functions.launch(function, 4, 1, 1, 64, 1, 1, 0, found->stream, parameters, nullptr)) {
        return EXECUTION_FAILED;
    }
    return SUCCESS;
}

GN_EXPORT int cublasGemmEx(void *handle, int transposed_a, int transposed_b, int m, int n, int k, const void *alpha,
                           const void *a, int a_type, int a_leading, const void *b, int b_type, int b_leading,
                           const void *beta, void *c, int c_type, int c_leading, int compute, int algorithm) {
    return cublasGemmStridedBatchedEx(handle, transposed_a, transposed_b, m, n, k, alpha, a, a_type, a_leading, 0, b,
                                      b_type, b_leading, 0, beta, c, c_type, c_leading, 0, 1, compute, algorithm);
}
