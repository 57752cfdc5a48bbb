/* What is left of a division of floats, without a branch: right where the quotient is not gn_far_quotient, which a caller
 * hands to gn_fmod and gn_remainder (scalar.h). */
#ifndef GN_SCALAR_REST_H
#define GN_SCALAR_REST_H

#include "scalar.h"

/* Is the quotient so large that an integer does not hold it, or none?  In double, that of two floats does not round up to
 * an integer, and its product with the divisor is exact; so is the difference of numbers so near to each other. */
GN_INLINE int gn_far_quotient_float32(float a, float b) {
    return !(fabs((double)a / (double)b) < 0x1p28);
}
GN_INLINE int gn_far_quotient_float64(double a, double b) {
    return !(fabs(a / b) < 0x1p52);
}

/* C's fmod.  A divisor may be infinite, and its product with no quotient is not needed then. */
GN_INLINE float gn_near_fmod_float32(float a, float b) {
    const double whole = trunc((double)a / (double)b);
    return whole == 0 ? a : copysignf((float)((double)a - whole * (double)b), a);
}
/* Here the quotient may round up to an integer, and the rest is then below 0 once. */
GN_INLINE double gn_near_fmod_float64(double a, double b) {
    const double whole = trunc(a / b);
    const double rest = fma(-whole, b, a); /* exact, with or without an instruction for it */
    return whole == 0 ? a : copysign((rest != 0) & ((rest < 0) != (a < 0)) ? fabs(b) - fabs(rest) : rest, a);
}

/* Python's %: what C's leaves has the divisor's sign. */
GN_INLINE float gn_near_remainder_float32(float a, float b) {
    const float rest = gn_near_fmod_float32(a, b);
    return rest + ((rest != 0) & ((b < 0) != (rest < 0)) ? b : -0.0f); /* -0.0 leaves all as it is */
}
GN_INLINE double gn_near_remainder_float64(double a, double b) {
    const double rest = gn_near_fmod_float64(a, b);
    return rest + ((rest != 0) & ((b < 0) != (rest < 0)) ? b : -0.0);
}

#define gn_far_quotient(a, b) GN_FLOATING(gn_far_quotient_float32, gn_far_quotient_float64, a)(a, b)
#define gn_near_fmod(a, b) GN_FLOATING(gn_near_fmod_float32, gn_near_fmod_float64, a)(a, b)
#define gn_near_remainder(a, b) GN_FLOATING(gn_near_remainder_float32, gn_near_remainder_float64, a)(a, b)

#endif
