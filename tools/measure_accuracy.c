/* The worst error of each elementary function of csrc/c/scalar.h, in units in the last place of the exact result.
 *
 *   measure_accuracy function dtype stride
 *
 * prints the largest error, the input that gives it, and the result.  Of pow, the exponent is 1.75; of atan2, the
 * other part is -0.75.  The error of gelu is in units of the last place of its input, as it is not computed from the
 * small results' own logarithm.  float32: of every stride-th float of all 2^32, against
 * the C library's double; float64: of 2^32 / stride numbers, a half with random bits, the others spread over the
 * range where the function has its shape, against its long double. */
#include <float.h>
#include <stdio.h>

#include "csrc/c/scalar_pointwise.h"

#define BLOCK 4096

typedef struct function {
    const char *name;
    void (*single)(const float *in, float *out);
    void (*precise)(const double *in, double *out);
    double (*exact)(double x);
    long double (*exact_long)(long double x);
    double range; /* half the width of the range where the function has its shape */
} function;

static double sigmoid(double x) {
    return 1 / (1 + exp(-x));
}
static long double sigmoidl(long double x) {
    return 1 / (1 + expl(-x));
}
static double silu(double x) {
    return x / (1 + exp(-x));
}
static long double silul(long double x) {
    return x / (1 + expl(-x));
}
static double gelu(double x) {
    return 0.5 * x * erfc(x * -0.70710678118654752440);
}
static long double gelul(long double x) {
    return 0.5L * x * erfcl(x * -0.70710678118654752440084436210485L);
}
static double rsqrt(double x) {
    return 1 / sqrt(x);
}
static long double rsqrtl(long double x) {
    return 1 / sqrtl(x);
}
/* Newton's steps from our own result, which say by themselves how far it was off. */
static long double erfinvl(long double x) {
    const long double size = fabsl(x);
    if (!(size < 1)) {
        return size == 1 ? copysignl(INFINITY, x) : NAN;
    }
    long double y = gn_erfinv_float64((double)size);
    for (int step = 0; step < 3; step++) {
        const long double error = size < 0.5L ? erfl(y) - size : (1 - size) - erfcl(y);
        y -= error / (1.1283791670955125738961589L * expl(-y * y));
    }
    return copysignl(y, x);
}
static double erfinv(double x) {
    return (double)erfinvl(x);
}
static long double digammal(long double x) {
    long double below = 0;
    if (x != x || x == INFINITY) {
        return x;
    }
    if (x == 0) {
        return copysignl(INFINITY, -x);
    }
    if (x < 0) {
        const long double pi = 3.14159265358979323846264338327950288L;
        return x == floorl(x) ? (long double)NAN : digammal(1 - x) - pi / tanl(pi * (x - rintl(x)));
    }
    while (x < 40) {
        below -= 1 / x;
        x += 1;
    }
    const long double z = 1 / (x * x);
    const long double series = z * (1 / 12.0L - z * (1 / 120.0L - z * (1 / 252.0L - z * (1 / 240.0L - z / 132))));
    return below + logl(x) - 0.5L / x - series;
}
static double digamma(double x) {
    return (double)digammal(x);
}
static float real_silu_float32(float x) {
    return gn_silu_float32(x);
}
static float plain_gelu_float32(float x) {
    return gn_gelu_float32(x, 0);
}
static double plain_gelu_float64(double x) {
    return gn_gelu_float64(x, 0);
}
static float root_float32(float x) {
    return 1 / sqrtf(x);
}
static double root_float64(double x) {
    return 1 / sqrt(x);
}
/* Two operands, the second fixed. */
static float power_float32(float x) {
    return gn_pow_float32(x, 1.75f);
}
static double power_float64(double x) {
    return gn_pow_float64(x, 1.75);
}
static double power(double x) {
    return pow(x, 1.75);
}
static long double powerl(long double x) {
    return powl(x, 1.75L);
}
static float turn_float32(float x) {
    return gn_atan2_float32(x, -0.75f);
}
static double turn_float64(double x) {
    return gn_atan2_float64(x, -0.75);
}
static double turn(double x) {
    return atan2(x, -0.75);
}
static long double turnl(long double x) {
    return atan2l(x, -0.75L);
}
static float whole_erfinv_float32(float x) {
    return gn_far_erfinv(x) ? gn_erfinv(x) : gn_near_erfinv(x);
}
static double whole_erfinv_float64(double x) {
    return gn_far_erfinv(x) ? gn_erfinv(x) : gn_near_erfinv(x);
}
static double whole_lgamma_float64(double x) {
    return gn_far_log_gamma(x) ? lgamma(x) : gn_log_gamma(x);
}
static float whole_sin_float32(float x) {
    return gn_far(x) ? gn_far_sin(x) : gn_sin(x);
}
static float whole_cos_float32(float x) {
    return gn_far(x) ? gn_far_cos(x) : gn_cos(x);
}
static float whole_tan_float32(float x) {
    return gn_far(x) ? gn_far_tan(x) : gn_tan(x);
}
static double whole_sin_float64(double x) {
    return gn_far(x) ? gn_far_sin(x) : gn_sin(x);
}
static double whole_cos_float64(double x) {
    return gn_far(x) ? gn_far_cos(x) : gn_cos(x);
}
static double whole_tan_float64(double x) {
    return gn_far(x) ? gn_far_tan(x) : gn_tan(x);
}

#define ALL_FUNCTIONS(EACH)                                    \
    EACH(exp, gn_exp, exp, 710)                                \
    EACH(exp2, gn_vector_exp2, exp2, 1030)                     \
    EACH(expm1, gn_expm1, expm1, 2)                            \
    EACH(log, gn_log, log, 4)                                  \
    EACH(log2, gn_log2, log2, 4)                               \
    EACH(log10, gn_log10, log10, 4)                            \
    EACH(log1p, gn_vector_log1p, log1p, 2)                     \
    EACH(rsqrt, root, rsqrt, 4)                                \
    EACH(sin, whole_sin, sin, 100)                             \
    EACH(cos, whole_cos, cos, 100)                             \
    EACH(tan, whole_tan, tan, 100)                             \
    EACH(asin, gn_asin, asin, 1)                               \
    EACH(acos, gn_acos, acos, 1)                               \
    EACH(atan, gn_atan, atan, 4)                               \
    EACH(sinh, gn_sinh, sinh, 4)                               \
    EACH(cosh, gn_cosh, cosh, 4)                               \
    EACH(tanh, gn_tanh, tanh, 4)                               \
    EACH(asinh, gn_asinh, asinh, 4)                            \
    EACH(acosh, gn_acosh, acosh, 4)                            \
    EACH(atanh, gn_atanh, atanh, 1)                            \
    EACH(pow, power, power, 10)                                \
    EACH(atan2, turn, turn, 4)                                 \
    EACH(sigmoid, gn_sigmoid, sigmoid, 40)                     \
    EACH(silu, real_silu, silu, 40)                            \
    EACH(gelu, plain_gelu, gelu, 8)                            \
    EACH(erf, gn_vector_erf, erf, 6)                           \
    EACH(erfc, gn_vector_erfc, erfc, 27)                       \
    EACH(erfinv, whole_erfinv, erfinv, 1)                      \
    EACH(lgamma, whole_lgamma, lgamma, 20)                     \
    EACH(digamma, gn_vector_digamma, digamma, 20)

#define real_silu_float64 gn_silu_float64
#define gn_vector_log1p_float64 gn_log1p_float64
#define gn_vector_exp2_float32 gn_exp2_float32
#define gn_vector_erf_float32 gn_erf_float32
#define whole_lgamma_float32 gn_log_gamma_float32

#define BLOCKS(name, ours, exact, range)                                          \
    static void single_##name(const float *in, float *out) {                      \
        for (int i = 0; i < BLOCK; i++) {                                         \
            out[i] = ours##_float32(in[i]);                                       \
        }                                                                         \
    }                                                                             \
    static void precise_##name(const double *in, double *out) {                   \
        for (int i = 0; i < BLOCK; i++) {                                         \
            out[i] = ours##_float64(in[i]);                                       \
        }                                                                         \
    }
ALL_FUNCTIONS(BLOCKS)

#define ENTRY(name, ours, exact, range) {#name, single_##name, precise_##name, exact, exact##l, range},
static const function functions[] = {ALL_FUNCTIONS(ENTRY)};

/* The distance from `result` to `exact` in units of the last of `digits` binary digits of `scale`, which is `exact`
 * where nothing else is wanted. */
static long double error_of(long double result, long double exact, long double scale, int digits, int least) {
    if (result != result || exact != exact) {
        return (result != result) == (exact != exact) ? 0 : INFINITY;
    }
    int exponent;
    frexpl(scale, &exponent);
    const int place = scale == 0 || exponent - digits < least ? least : exponent - digits;
    const int top = digits == 24 ? 128 : 1024;
    /* What rounds to infinity is as far from it as from the number that would follow the largest. */
    const long double limit = ldexpl(1, top);
    const long double shown = isinf(result) ? copysignl(limit, result) : result;
    const long double wanted = fabsl(exact) >= limit ? copysignl(limit, exact) : exact;
    if (isinf(scale) || shown == wanted) {
        return shown == wanted ? 0 : INFINITY;
    }
    return fabsl(ldexpl(shown - wanted, -(exponent > top ? top - digits : place)));
}

static uint64_t random_bits(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

int main(int count, char **words) {
    if (count != 4) {
        for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++) {
            puts(functions[k].name);
        }
        return count == 1 ? 0 : 2;
    }
    const function *of = NULL;
    for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++) {
        of = strcmp(functions[k].name, words[1]) == 0 ? &functions[k] : of;
    }
    const int is_single = strcmp(words[2], "float32") == 0;
    const int of_input = strcmp(words[1], "gelu") == 0;
    const uint64_t stride = strtoull(words[3], NULL, 10);
    if (of == NULL || stride == 0) {
        return 2;
    }
    static float in32[BLOCK], out32[BLOCK];
    static double in64[BLOCK], out64[BLOCK];
    uint64_t state = 88172645463325252u;
    long double worst = 0;
    double worst_input = 0, worst_result = 0;
    for (uint64_t next = 0; next < (uint64_t)1 << 32;) {
        for (int i = 0; i < BLOCK; i++, next += stride) {
            const uint64_t bits = random_bits(&state);
            in32[i] = gn_from_bits((uint32_t)next);
            const double part = (double)(bits >> 11) * 0x1p-52 - 1;
            in64[i] = i % 2 != 0 ? gn_from_bits64(bits) : part * of->range;
        }
        if (is_single) {
            of->single(in32, out32);
        } else {
            of->precise(in64, out64);
        }
        for (int i = 0; i < BLOCK; i++) {
            const double input = is_single ? (double)in32[i] : in64[i];
            const double result = is_single ? (double)out32[i] : out64[i];
            const long double exact = is_single ? (long double)of->exact(input) : of->exact_long(input);
            const long double scale = of_input ? (long double)input : exact;
            const long double error = error_of(result, exact, scale, is_single ? 24 : 53, is_single ? -149 : -1074);
            if (error > worst) {
                worst = error;
                worst_input = input;
                worst_result = result;
            }
        }
    }
    printf("%s %s %.3Lf %a %.17g %.17g\n", of->name, words[2], worst, worst_input, worst_input, worst_result);
    return 0;
}
