/* Sine, cosine, tangent and their inverses, without branches or calls; see scalar_exp.h.
 *
 * The sine, cosine and tangent are right for numbers that are not gn_far: those the caller hands to the C
 * library, whose reduction goes on for ever. */
#ifndef GN_SCALAR_TRIG_H
#define GN_SCALAR_TRIG_H

#include "scalar_complex.h"
#include "scalar_exp.h"

#define GN_PI 3.14159265358979323846
#define GN_HALF_PI 1.57079632679489661923
#define GN_HALF_PI_LOW 6.123233995736766036e-17
/* pi in parts of 33 bits, whose products with integers below 2^20 are exact. */
#define GN_PI_1 0x1.921fb544p+1
#define GN_PI_2 0x1.0b4611a6p-33
#define GN_PI_3 0x1.3198a2e037073p-68
/* What is behind the first part, as one number. */
#define GN_PI_REST 0x1.0b4611a626331p-33

GN_INLINE int gn_far_float32(float x) {
    return fabsf(x) > 0x1p20f;
}
GN_INLINE int gn_far_float64(double x) {
    return fabs(x) > 0x1p20;
}

/* `x` with its sign turned where the last bit of `odd` is 1. */
GN_INLINE double gn_turn(double x, uint64_t odd) {
    return gn_from_bits64(gn_bits64(x) ^ (odd << 63));
}

/* x is m pi / 2 + r, for a `shifted` of m + GN_SHIFT_FLOAT.  The sine of r, or its cosine where `odd`; the last
 * bit but one of n turns the sign.  |r| is at most 0.87, as m comes of a quotient that was rounded; m may be as
 * large as x, and so the difference is a double.  All else is in float, of which a vector holds twice as many. */
GN_INLINE float gn_quarter_float32(float x, float shifted, uint32_t n, int odd) {
    const double whole = shifted - GN_SHIFT_FLOAT;
    const double rest = GN_FMA(whole, -(GN_PI_1 / 2), (double)x);
    const float r = (float)GN_FMA(whole, -(GN_PI_REST / 2), rest);
    const float z = r * r;
    float p = -1.94414110e-4f;
    p = GN_FMA(p, z, 8.33156605e-3f);
    p = GN_FMA(p, z, -1.66666443e-1f);
    float q = 2.43485079e-5f;
    q = GN_FMA(q, z, -1.38865055e-3f);
    q = GN_FMA(q, z, 4.16666274e-2f);
    const float sine = GN_FMA(r * z, p, r);
    const float cosine = GN_FMA(z * z, q, GN_FMA(z, -0.5f, 1.0f));
    return gn_from_bits(gn_bits(odd ? cosine : sine) ^ (n >> 1 << 31));
}

GN_INLINE float gn_sin_float32(float x) {
    const float shifted = GN_FMA(x, (float)(2 / GN_PI), GN_SHIFT_FLOAT);
    const uint32_t n = gn_bits(shifted);
    const float result = gn_quarter_float32(x, shifted, n, (n & 1) != 0);
    return x == 0 ? x : result; /* -0.0 stays */
}
GN_INLINE float gn_cos_float32(float x) {
    const float shifted = GN_FMA(x, (float)(2 / GN_PI), GN_SHIFT_FLOAT);
    const uint32_t n = gn_bits(shifted) + 1;
    return gn_quarter_float32(x, shifted, n, (n & 1) != 0);
}

GN_INLINE float gn_tan_float32(float x) {
    const double shifted = x * (2 / GN_PI) + GN_SHIFT;
    const double n = shifted - GN_SHIFT;
    const double r = (x - n * (GN_PI_1 / 2)) - n * (GN_PI_REST / 2);
    const double z = r * r;
    double p = 2.7188773185643577e-6;
    p = GN_FMA(p, z, -1.9839408190607316e-4);
    p = GN_FMA(p, z, 8.33332968337342e-3);
    p = GN_FMA(p, z, -1.6666666645291744e-1);
    const double sine = r * (p * z + 1);
    double q = -2.723498247876446e-7;
    q = GN_FMA(q, z, 2.4799866512312025e-5);
    q = GN_FMA(q, z, -1.3888885312261243e-3);
    q = GN_FMA(q, z, 4.16666666450933e-2);
    const double cosine = (q * z - 0.5) * z + 1;
    const int odd = (gn_bits64(shifted) & 1) != 0;
    return (float)((odd ? -cosine : sine) / (odd ? sine : cosine));
}

/* x - n pi / 2 as the sum of what this returns and *low. */
GN_INLINE double gn_reduce(double x, double n, double *low) {
    const double first = x - n * (GN_PI_1 / 2);
    const double second = n * (GN_PI_2 / 2);
    const double high = first - second;
    const double rest = ((first - high) - second) - n * (GN_PI_3 / 2);
    const double r = high + rest;
    *low = (high - r) + rest;
    return r;
}

/* sin (r + low) and cos (r + low) for |r| <= pi / 4. */
GN_INLINE double gn_sine(double r, double low) {
    const double z = r * r;
    double p = -7.580202703250396e-13;
    p = GN_FMA(p, z, 1.6058400253392609e-10);
    p = GN_FMA(p, z, -2.5052105208623697e-8);
    p = GN_FMA(p, z, 2.7557319215500947e-6);
    p = GN_FMA(p, z, -1.9841269841258056e-4);
    p = GN_FMA(p, z, 8.333333333333326e-3);
    p = GN_FMA(p, z, -1.6666666666666666e-1);
    return r + (r * z * p + low * (1 - 0.5 * z));
}
GN_INLINE double gn_cosine(double r, double low) {
    const double z = r * r;
    double p = 4.740910128425079e-14;
    p = GN_FMA(p, z, -1.1470360155889825e-11);
    p = GN_FMA(p, z, 2.087675500506207e-9);
    p = GN_FMA(p, z, -2.755731921847166e-7);
    p = GN_FMA(p, z, 2.4801587301579417e-5);
    p = GN_FMA(p, z, -1.3888888888888885e-3);
    p = GN_FMA(p, z, 4.1666666666666664e-2);
    /* 1 - z / 2 rounded, and what rounding left out */
    const double half = 0.5 * z;
    const double whole = 1 - half;
    return whole + (((1 - whole) - half) + (z * z * p - r * low));
}

/* x = n pi / 2 + r: the sine is that of r, or its cosine, by the last two bits of n. */
GN_INLINE double gn_sin_float64(double x) {
    const double shifted = x * (2 / GN_PI) + GN_SHIFT;
    double low;
    const double r = gn_reduce(x, shifted - GN_SHIFT, &low);
    const uint64_t n = gn_bits64(shifted);
    const double result = (n & 1) != 0 ? gn_cosine(r, low) : gn_sine(r, low);
    return x == 0 ? x : gn_turn(result, n >> 1);
}
GN_INLINE double gn_cos_float64(double x) {
    const double shifted = x * (2 / GN_PI) + GN_SHIFT;
    double low;
    const double r = gn_reduce(x, shifted - GN_SHIFT, &low);
    const uint64_t n = gn_bits64(shifted);
    const double result = (n & 1) != 0 ? gn_sine(r, low) : gn_cosine(r, low);
    return gn_turn(result, (n + 1) >> 1);
}
GN_INLINE double gn_tan_float64(double x) {
    const double shifted = x * (2 / GN_PI) + GN_SHIFT;
    double low;
    const double r = gn_reduce(x, shifted - GN_SHIFT, &low);
    const double sine = gn_sine(r, low);
    const double cosine = gn_cosine(r, low);
    const int odd = (gn_bits64(shifted) & 1) != 0;
    const double result = (odd ? -cosine : sine) / (odd ? sine : cosine);
    return x == 0 ? x : result;
}

/* asin x / x - 1, over x^2 = z <= 1/4. */
GN_INLINE double gn_arcsine_wide(double z) {
    double p = 3.280543891286082e-2;
    p = GN_FMA(p, z, 2.089647734198898e-3);
    p = GN_FMA(p, z, 2.059936441877143e-2);
    p = GN_FMA(p, z, 2.187621370494924e-2);
    p = GN_FMA(p, z, 3.042521215951054e-2);
    p = GN_FMA(p, z, 4.464079775509315e-2);
    p = GN_FMA(p, z, 7.500004676827325e-2);
    return p * z + 1.666666663111093e-1;
}
/* pi / 2 - asin x = 2 asin sqrt((1 - x) / 2) from x = 1/2 on. */
GN_INLINE float gn_asin_float32(float x) {
    const double size = fabs((double)x);
    const int near = size <= 0.5;
    const double z = near ? size * size : 0.5 - 0.5 * size;
    const double s = near ? size : sqrt(z);
    const double angle = s + s * z * gn_arcsine_wide(z);
    return copysignf((float)(near ? angle : GN_HALF_PI - 2 * angle), x);
}
GN_INLINE float gn_acos_float32(float x) {
    const double size = fabs((double)x);
    const int near = size <= 0.5;
    const double z = near ? size * size : 0.5 - 0.5 * size;
    const double s = near ? size : sqrt(z);
    const double angle = s + s * z * gn_arcsine_wide(z);
    const double positive = near ? GN_HALF_PI - angle : 2 * angle;
    return (float)(x < 0 ? GN_PI - positive : positive);
}

GN_INLINE double gn_arcsine(double z) {
    double p = 0.032463841392164544;
    p = GN_FMA(p, z, -0.02072054831382656);
    p = GN_FMA(p, z, 0.021498595572833717);
    p = GN_FMA(p, z, 0.0037979248558901602);
    p = GN_FMA(p, z, 0.010754278345207206);
    p = GN_FMA(p, z, 0.01140391363429041);
    p = GN_FMA(p, z, 0.013980155436745538);
    p = GN_FMA(p, z, 0.01735167300519727);
    p = GN_FMA(p, z, 0.022372211204919338);
    p = GN_FMA(p, z, 0.030381942860098585);
    p = GN_FMA(p, z, 0.04464285717091456);
    p = GN_FMA(p, z, 0.07499999999975503);
    return (p * z + 0.16666666666666738) * z;
}
/* sqrt z is s and *low. */
GN_INLINE double gn_root(double z, double *low) {
    const double s = sqrt(z);
    const double high = gn_from_bits64(gn_bits64(s) & 0xffffffff00000000u);
    const double rest = (z - high * high) / (s + high);
    *low = z == 0 ? 0 : rest;
    return high;
}
GN_INLINE double gn_asin_float64(double x) {
    const double size = fabs(x);
    const int near = size <= 0.5;
    const double z = near ? size * size : 0.5 - 0.5 * size;
    double low;
    const double high = gn_root(z, &low);
    const double p = gn_arcsine(z);
    const double beside = size + size * p;
    const double far = GN_HALF_PI - 2 * high;
    const double lost = (GN_HALF_PI - far) - 2 * high;
    const double above = far + ((lost + GN_HALF_PI_LOW) - 2 * (low + (high + low) * p));
    return copysign(near ? beside : above, x);
}
GN_INLINE double gn_acos_float64(double x) {
    const double size = fabs(x);
    const int near = size <= 0.5;
    const double z = near ? size * size : 0.5 - 0.5 * size;
    double low;
    const double high = gn_root(z, &low);
    const double p = gn_arcsine(z);
    const double whole = GN_HALF_PI - x;
    const double beside = whole + (((GN_HALF_PI - whole) - x) + (GN_HALF_PI_LOW - x * p));
    const double rest = low + (high + low) * p;
    const double above = 2 * (high + rest);
    const double pi = 2 * GN_HALF_PI - 2 * high;
    const double below = pi + (((2 * GN_HALF_PI - pi) - 2 * high) + (2 * GN_HALF_PI_LOW - 2 * rest));
    return near ? beside : x < 0 ? below : above;
}

/* atan t - t for |t| <= tan(pi / 8), to float32's precision, and to float64's. */
GN_INLINE double gn_arctangent_wide(double t) {
    const double z = t * t;
    double p = 0.0475188137418905;
    p = GN_FMA(p, z, -0.08480609704965549);
    p = GN_FMA(p, z, 0.11045599072604412);
    p = GN_FMA(p, z, -0.14282095798536087);
    p = GN_FMA(p, z, 0.1999990777558823);
    p = GN_FMA(p, z, -0.3333333255823654);
    return t * z * p;
}
GN_INLINE double gn_arctangent(double t) {
    const double z = t * t;
    double p = 0.015255186773218642;
    p = GN_FMA(p, z, -0.03353854257457211);
    p = GN_FMA(p, z, 0.04506554176170447);
    p = GN_FMA(p, z, -0.05219217457707573);
    p = GN_FMA(p, z, 0.05877162095272825);
    p = GN_FMA(p, z, -0.06666242854270277);
    p = GN_FMA(p, z, 0.07692284000721387);
    p = GN_FMA(p, z, -0.09090908208244815);
    p = GN_FMA(p, z, 0.11111111090274652);
    p = GN_FMA(p, z, -0.14285714285429266);
    p = GN_FMA(p, z, 0.19999999999998092);
    p = GN_FMA(p, z, -0.3333333333333333);
    return t * z * p;
}

/* The angle of the point (x, y), `is_wide` as gn_arctangent_wide has it.  The smaller part over the larger is t, or
 * is brought to t by an eighth of a turn; the angle is a multiple of that, and the angle of t. */
GN_INLINE double gn_angle_of(double y, double x, int is_wide) {
    const double up = fabs(y), right = fabs(x);
    const double smaller = up < right ? up : right;
    const double larger = up < right ? right : up;
    const int turned = (smaller > 0.41421356237309503 * larger) | ((smaller == larger) & (larger > 0));
    const double scale = larger > 1 ? 0.25 : 1.0; /* the sum of two large numbers is infinite */
    const double over = turned ? smaller * scale - larger * scale : smaller;
    const double under = turned ? smaller * scale + larger * scale : larger;
    const double ratio = over / under;
    const double t = smaller == larger ? 0 : ratio;
    const double part = is_wide ? gn_arctangent_wide(t) : gn_arctangent(t);
    const double first = turned ? 1.0 : 0.0;
    const double second = up > right ? 2 - first : first;
    const double eighths = 2 - copysign(2 - second, x); /* 4 - second where x is negative */
    const double sense = (up > right ? -1.0 : 1.0) * copysign(1.0, x);
    /* pi / 4 in two parts, whose product with 3 is exact */
    const double high = eighths * 0x1.921fb54442d18p-1 + sense * t;
    const double lost = (eighths * 0x1.921fb54442d18p-1 - high) + sense * t;
    const double angle = high + (lost + (sense * part + eighths * 0x1.1a62633145c07p-55));
    return (x != x) | (y != y) ? x + y : copysign(angle, y);
}
GN_INLINE float gn_atan2_float32(float y, float x) {
    return (float)gn_angle_of(y, x, 1);
}
GN_INLINE double gn_atan2_float64(double y, double x) {
    return gn_angle_of(y, x, 0);
}
/* The same of one number, whose size is brought below tan (pi / 8) by an eighth or a quarter of a turn. */
GN_INLINE float gn_atan_float32(float x) {
    const double size = fabs((double)x);
    const int is_middle = size > 0.41421356237309503;
    const int is_large = size > 2.414213562373095;
    const double over = is_large ? -1 : size - (is_middle ? 1.0 : 0.0);
    const double under = is_large ? size : (is_middle ? size : 0.0) + 1;
    const double t = over / under;
    const double base = is_large ? GN_HALF_PI : is_middle ? GN_HALF_PI / 2 : 0;
    return copysignf((float)(base + (t + gn_arctangent_wide(t))), x);
}
GN_INLINE double gn_atan_float64(double x) {
    const double size = fabs(x);
    const int is_middle = size > 0.41421356237309503;
    const int is_large = size > 2.414213562373095;
    const double over = is_large ? -1 : size - (is_middle ? 1.0 : 0.0);
    const double under = is_large ? size : (is_middle ? size : 0.0) + 1;
    const double t = over / under;
    const double base = is_large ? GN_HALF_PI : is_middle ? GN_HALF_PI / 2 : 0;
    const double base_low = is_large ? GN_HALF_PI_LOW : is_middle ? GN_HALF_PI_LOW / 2 : 0;
    const double sum = base + t;
    const double lost = (base - sum) + t;
    const double high = is_middle ? lost : 0;
    return copysign(sum + (high + (gn_arctangent(t) + base_low)), x);
}

GN_INLINE float gn_far_sin_float32(float x) {
    return (float)sin((double)x);
}
GN_INLINE float gn_far_cos_float32(float x) {
    return (float)cos((double)x);
}
GN_INLINE float gn_far_tan_float32(float x) {
    return (float)tan((double)x);
}

/* The squares of floats are exact in double, and finite. */
GN_INLINE float gn_hypot_float32(float a, float b) {
    const double root = sqrt((double)a * a + (double)b * b);
    return (fabsf(a) == INFINITY) | (fabsf(b) == INFINITY) ? INFINITY : (float)root;
}
GN_INLINE double gn_hypot_float64(double a, double b) {
    return hypot(a, b);
}

#if GN_HAS_COMPLEX
GN_INLINE gn_complex64 gn_polar_float32(float modulus, float phase) {
    return gn_complex_of_float32(modulus * gn_far_cos_float32(phase), modulus * gn_far_sin_float32(phase));
}
GN_INLINE gn_complex128 gn_polar_float64(double modulus, double phase) {
    return gn_complex_of_float64(modulus * cos(phase), modulus * sin(phase));
}
#endif

#endif
