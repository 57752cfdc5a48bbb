/* The processor's instruction sets. The library is compiled once per instruction set; the baseline build tells which of
 * the others may be loaded. */
#include "kernel.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <cpuid.h>

/* Whether it converts vectors of float16 (F16C), which not all compilers can test. */
static int converts_halves(void) {
    unsigned int a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) != 0;
}

int32_t gn_processor_isa(void) {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2") || !converts_halves()) {
        return GN_ISA_BASELINE;
    }
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl")) {
        return GN_ISA_AVX2;
    }
    return GN_ISA_AVX512;
}
#else
int32_t gn_processor_isa(void) {
    return GN_ISA_BASELINE;
}
#endif

int32_t gn_compiled_isa(void) {
#if defined(__AVX512VL__)
    return GN_ISA_AVX512;
#elif defined(__AVX2__)
    return GN_ISA_AVX2;
#else
    return GN_ISA_BASELINE;
#endif
}
