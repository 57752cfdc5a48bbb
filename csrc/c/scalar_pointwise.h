/* Functions that only pointwise.def uses: a change here does not compile all other kernels again. */
#ifndef GN_SCALAR_POINTWISE_H
#define GN_SCALAR_POINTWISE_H

#include "scalar.h"
#include "scalar_incomplete.h"
#include "scalar_special.h"

/* The greatest common divisor of absolute values, by Euclid's algorithm. The least integer of a dtype, which is its own
 * absolute value, may give a result below 0. */
GN_INLINE int64_t gn_gcd(int64_t a, int64_t b) {
    while (a != 0) {
        const int64_t rest = gn_fmod_int64(b, a);
        b = a;
        a = rest;
    }
    return b;
}

/* sin (pi x) / (pi x); 1 at 0.  In double, as sin (pi x) is small next to pi x where x is near an integer. */
GN_INLINE double gn_sinc_float64(double x) {
    const double product = x * GN_PI;
    return x == 0 ? 1 : sin(product) / product;
}
GN_INLINE float gn_sinc_float32(float x) {
    return (float)gn_sinc_float64((double)x);
}
static inline gn_complex128 gn_sinc_complex128(gn_complex128 x) {
    const gn_complex128 product = gn_times(x, GN_PI);
    return x == 0 ? 1 : gn_divide_complex128(csin(product), product);
}
static inline gn_complex64 gn_sinc_complex64(gn_complex64 x) {
    return (gn_complex64)gn_sinc_complex128(x);
}
#define gn_sinc(x) GN_FRACTIONAL(gn_sinc_float32, gn_sinc_float64, gn_sinc_complex64, gn_sinc_complex128, x)(x)

#define gn_igamma(a, x) GN_FLOAT(gn_igamma, a)(a, x)
#define gn_igammac(a, x) GN_FLOAT(gn_igammac, a)(a, x)
#define gn_standard_gamma_grad(a, x) GN_FLOAT(gn_standard_gamma_grad, a)(a, x)
#define gn_dirichlet_grad(x, alpha, total) GN_FLOAT(gn_dirichlet_grad, x)(x, alpha, total)

#endif
