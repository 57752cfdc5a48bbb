/* The error function's family, without branches or calls; see scalar_exp.h. */
#ifndef GN_SCALAR_ERF_H
#define GN_SCALAR_ERF_H

#include "scalar_exp.h"

/* (1 + 2 x) e^(x^2) erfc x is smooth in t = (x - k) / (x + k) from 0 to infinity: Shepherd and Laframboise,
 * "Chebyshev Approximation of (1 + 2x) exp(x^2) erfc x in 0 <= x < inf" (1981). */
GN_INLINE double gn_erfc_wide(double size) {
    const double x = 12.0 < size ? 12.0 : size;
    const double t = (x - 3) / (x + 3);
    const double square = t * t;
    double even = 3.19840345869913e-05;
    even = GN_FMA(even, square, -0.0001292775483348175);
    even = GN_FMA(even, square, 0.0018963693074696714);
    even = GN_FMA(even, square, -0.023771577902388808);
    even = GN_FMA(even, square, -0.1192736005816118);
    even = GN_FMA(even, square, -0.04756229579927064);
    even = GN_FMA(even, square, 1.2530080582783187);
    double odd = 0.0001233935789336919;
    odd = GN_FMA(odd, square, -0.0007888520402040142);
    odd = GN_FMA(odd, square, 0.0025337655657722475);
    odd = GN_FMA(odd, square, 0.06830724618125437);
    odd = GN_FMA(odd, square, 0.12964521375649007);
    odd = GN_FMA(odd, square, -0.1356211072041609);
    const double p = even + odd * t;
    return p / (1 + 2 * x) * gn_exp2_wide(x * x * -GN_LOG2_E);
}
/* erf x / x for |x| <= 1, over x^2 = z. */
GN_INLINE double gn_erf_wide(double z) {
    const double square = z * z;
    double even = -1.3945550598965594e-05;
    even = GN_FMA(even, square, -0.0008543217380056577);
    even = GN_FMA(even, square, -0.0268661419200671);
    even = GN_FMA(even, square, -0.37612638897316447);
    double odd = 1.0674756056021674e-06;
    odd = GN_FMA(odd, square, 0.00011962866982787736);
    odd = GN_FMA(odd, square, 0.0052238135234775485);
    odd = GN_FMA(odd, square, 0.11283791436800303);
    const double p = even + odd * z;
    return p * z + 1.1283791670955126;
}
/* erf x / x - 1 for |x| <= 1, over x^2 = z, in single precision. */
GN_INLINE float gn_erf_near_float32(float z) {
    const float square = z * z;
    float even = 0.00011268253729213029f;
    even = GN_FMA(even, square, 0.005221053492277861f);
    even = GN_FMA(even, square, 0.11283782869577408f);
    even = GN_FMA(even, square, 0.12837916612625122f);
    float odd = -9.673590284364764e-06f;
    odd = GN_FMA(odd, square, -0.0008484396385028958f);
    odd = GN_FMA(odd, square, -0.026865437626838684f);
    odd = GN_FMA(odd, square, -0.37612637877464294f);
    return even + odd * z;
}
/* erfc x from 1 to 4, over t = (x - 5/2) / (3/2): near enough for 1 - erfc x, not for itself.  Even and odd powers
 * apart wait half as long. */
GN_INLINE float gn_erfc_far_float32(float t) {
    const float square = t * t;
    float even = -0.00025985707179643214f;
    even = GN_FMA(even, square, 0.002039517741650343f);
    even = GN_FMA(even, square, -0.004676661919802427f);
    even = GN_FMA(even, square, -0.006630969699472189f);
    even = GN_FMA(even, square, 0.03186589479446411f);
    even = GN_FMA(even, square, 0.04365193471312523f);
    even = GN_FMA(even, square, 0.012252799235284328f);
    even = GN_FMA(even, square, 0.0004069523711223155f);
    float odd = -9.703089745016769e-05f;
    odd = GN_FMA(odd, square, -0.001536217168904841f);
    odd = GN_FMA(odd, square, 0.010403472930192947f);
    odd = GN_FMA(odd, square, -0.009574278257787228f);
    odd = GN_FMA(odd, square, -0.04639105126261711f);
    odd = GN_FMA(odd, square, -0.02818722277879715f);
    odd = GN_FMA(odd, square, -0.003267277032136917f);
    return even + odd * t;
}
GN_INLINE float gn_erf_float32(float x) {
    const float size = fabsf(x);
    const float capped = 4.0f < size ? 4.0f : size;
    const float near = size + size * gn_erf_near_float32(size * size);
    const float far = 1.0f - gn_erfc_far_float32((capped - 2.5f) * 0.6666667f);
    return copysignf(size < 1.0f ? near : far, x);
}
GN_INLINE float gn_erfc_float32(float x) {
    const double size = fabs((double)x);
    const double far = gn_erfc_wide(size);
    const double near = 1 - x * gn_erf_wide((double)x * x);
    return (float)(size < 0.5 ? near : x < 0 ? 2 - far : far);
}

/* erfc of a number that is not negative. */
GN_INLINE double gn_erfc_positive(double size) {
    const double x = 28.0 < size ? 28.0 : size;
    const double t = (x - 4) / (x + 4);
    const double square = t * t;
    double even = 2.045137856301889e-09;
    even = GN_FMA(even, square, -1.643908141054708e-08);
    even = GN_FMA(even, square, 1.1307070043109038e-07);
    even = GN_FMA(even, square, -8.276178271089592e-07);
    even = GN_FMA(even, square, 5.710713940881957e-06);
    even = GN_FMA(even, square, -2.4399493156379057e-05);
    even = GN_FMA(even, square, -0.0001992566440958945);
    even = GN_FMA(even, square, 0.005031969972161146);
    even = GN_FMA(even, square, 0.037167515537905774);
    even = GN_FMA(even, square, 0.09373283499833099);
    even = GN_FMA(even, square, 0.06809705425469312);
    even = GN_FMA(even, square, -0.13962111684056253);
    double odd = 2.7179907318184005e-10;
    odd = GN_FMA(odd, square, 1.6929884636351096e-09);
    odd = GN_FMA(odd, square, -1.901521262404912e-08);
    odd = GN_FMA(odd, square, 7.685848504439157e-08);
    odd = GN_FMA(odd, square, 2.918028677919672e-07);
    odd = GN_FMA(odd, square, -1.122098602621493e-05);
    odd = GN_FMA(odd, square, 0.00015062133997178172);
    odd = GN_FMA(odd, square, -0.000757773220713924);
    odd = GN_FMA(odd, square, -0.016197734066252238);
    odd = GN_FMA(odd, square, -0.0663303658116058);
    odd = GN_FMA(odd, square, -0.10103906603632705);
    odd = GN_FMA(odd, square, 0.015379652102620073);
    const double p = even + odd * t;
    const double product = p * t;
    const double sum = 1.2329951186255526 + product;
    const double under = 1 + 2 * x;
    const double excess = under - 1;
    /* what rounding left out of both, as a part of the quotient; 1 / under is about 0.83 ratio */
    const double ratio = sum / under;
    const double lost = ((1.2329951186255526 - sum) + product)
                        - ratio * ((1 - (under - excess)) + (2 * x - excess));
    const double quotient_rest = lost * ratio * 0.83;
    /* x^2 in two parts, the first exact */
    const double upper = gn_from_bits64(gn_bits64(x) & 0xffffffff00000000u);
    const double rest = (x - upper) * (x + upper);
    const double power = gn_exp_sum(-upper * upper, -rest);
    return power * ratio + power * quotient_rest;
}
/* erf x / x - 1 for |x| <= 1, over x^2 = z. */
GN_INLINE double gn_erf_near(double z) {
    const double square = z * z;
    double even = -1.1397644910845516e-09;
    even = GN_FMA(even, square, -1.6351388546596082e-07);
    even = GN_FMA(even, square, -1.4925602566696636e-05);
    even = GN_FMA(even, square, -0.0008548326990776344);
    even = GN_FMA(even, square, -0.02686617064509922);
    even = GN_FMA(even, square, -0.37612638903183754);
    double odd = 5.996920694935631e-11;
    odd = GN_FMA(odd, square, 1.4666572536727225e-08);
    odd = GN_FMA(odd, square, 1.646110912667436e-06);
    odd = GN_FMA(odd, square, 0.00012055331441815205);
    odd = GN_FMA(odd, square, 0.005223977625010584);
    odd = GN_FMA(odd, square, 0.11283791670955017);
    const double p = even + odd * z;
    return p * z + 0.12837916709551257;
}
GN_INLINE double gn_erf_float64(double x) {
    const double size = fabs(x);
    const double near = size + size * gn_erf_near(size * size);
    return copysign(size < 0.85 ? near : 1 - gn_erfc_positive(size), x);
}
GN_INLINE double gn_erfc_float64(double x) {
    const double size = fabs(x);
    const double far = gn_erfc_positive(size);
    const double near = x + x * gn_erf_near(x * x);
    const double result = x < 0 ? 2 - far : far;
    return size < 0.25 ? 1 - near : size < 0.5 ? 0.5 - (near - 0.5) : result;
}

/* The normal distribution function of x, less 1/2.  In float32 it is x p(z) / q(z) with z = x^2 - 4, minimax to 2^-27,
 * and -1/2 or 1/2 from 5.3 on.  About 4 the powers of z stay small where the result is near 1/2 and its last place
 * counts. */
GN_INLINE float gn_normal_centred_float32(float x) {
    const float z = GN_FMA(x, x, -4.0f);
    float p = 2.5995407e-08f;
    p = GN_FMA(p, z, 7.4689033e-06f);
    p = GN_FMA(p, z, 0.00029148225f);
    p = GN_FMA(p, z, 0.007860562f);
    p = GN_FMA(p, z, 0.08688803f);
    p = GN_FMA(p, z, 0.67460114f);
    float q = 1.3420931e-06f;
    q = GN_FMA(q, z, 0.00010496768f);
    q = GN_FMA(q, z, 0.0034771643f);
    q = GN_FMA(q, z, 0.06332458f);
    q = GN_FMA(q, z, 0.637544f);
    q = GN_FMA(q, z, 2.8270354f);
    const float result = x * p / q;
    const float high = x > 5.3f ? 0.5f : result;
    return x < -5.3f ? -0.5f : high;
}
/* The normal distribution function of x, and x times it. */
GN_INLINE float gn_normal_float32(float x) {
    return 0.5f + gn_normal_centred_float32(x);
}
GN_INLINE float gn_normal_product_float32(float x) {
    const float result = GN_FMA(x, gn_normal_centred_float32(x), 0.5f * x);
    return x < -5.3f ? x * 0.0f : result;
}
GN_INLINE double gn_normal_float64(double x) {
    return 0.5 * gn_erfc_float64(x * -0.70710678118654752440);
}
GN_INLINE double gn_normal_product_float64(double x) {
    return x * gn_normal_float64(x);
}

/* The normal distribution's quantile in three ranges: Wichura, "Algorithm AS 241" (1988). */
GN_INLINE double gn_quantile_middle(double r) {
    double p = 2.5090809287301226727e+3;
    p = GN_FMA(p, r, 3.3430575583588128105e+4);
    p = GN_FMA(p, r, 6.7265770927008700853e+4);
    p = GN_FMA(p, r, 4.5921953931549871457e+4);
    p = GN_FMA(p, r, 1.3731693765509461125e+4);
    p = GN_FMA(p, r, 1.9715909503065514427e+3);
    p = GN_FMA(p, r, 1.3314166789178437745e+2);
    p = GN_FMA(p, r, 3.3871328727963666080e+0);
    double q = 5.2264952788528545610e+3;
    q = GN_FMA(q, r, 2.8729085735721942674e+4);
    q = GN_FMA(q, r, 3.9307895800092710610e+4);
    q = GN_FMA(q, r, 2.1213794301586595867e+4);
    q = GN_FMA(q, r, 5.3941960214247511077e+3);
    q = GN_FMA(q, r, 6.8718700749205790830e+2);
    q = GN_FMA(q, r, 4.2313330701600911252e+1);
    q = GN_FMA(q, r, 1);
    return p / q;
}
GN_INLINE double gn_quantile_near(double r) {
    double p = 7.74545014278341407640e-4;
    p = GN_FMA(p, r, 2.27238449892691845833e-2);
    p = GN_FMA(p, r, 2.41780725177450611770e-1);
    p = GN_FMA(p, r, 1.27045825245236838258e+0);
    p = GN_FMA(p, r, 3.64784832476320460504e+0);
    p = GN_FMA(p, r, 5.76949722146069140550e+0);
    p = GN_FMA(p, r, 4.63033784615654529590e+0);
    p = GN_FMA(p, r, 1.42343711074968357734e+0);
    double q = 1.05075007164441684324e-9;
    q = GN_FMA(q, r, 5.47593808499534494600e-4);
    q = GN_FMA(q, r, 1.51986665636164571966e-2);
    q = GN_FMA(q, r, 1.48103976427480074590e-1);
    q = GN_FMA(q, r, 6.89767334985100004550e-1);
    q = GN_FMA(q, r, 1.67638483018380384940e+0);
    q = GN_FMA(q, r, 2.05319162663775882187e+0);
    q = GN_FMA(q, r, 1);
    return p / q;
}
GN_INLINE double gn_quantile_far(double r) {
    double p = 2.01033439929228813265e-7;
    p = GN_FMA(p, r, 2.71155556874348757815e-5);
    p = GN_FMA(p, r, 1.24266094738807843860e-3);
    p = GN_FMA(p, r, 2.65321895265761230930e-2);
    p = GN_FMA(p, r, 2.96560571828504891230e-1);
    p = GN_FMA(p, r, 1.78482653991729133580e+0);
    p = GN_FMA(p, r, 5.46378491116411436990e+0);
    p = GN_FMA(p, r, 6.65790464350110377720e+0);
    double q = 2.04426310338993978564e-15;
    q = GN_FMA(q, r, 1.42151175831644588870e-7);
    q = GN_FMA(q, r, 1.84631831751005468180e-5);
    q = GN_FMA(q, r, 7.86869131145613259100e-4);
    q = GN_FMA(q, r, 1.48753612908506148525e-2);
    q = GN_FMA(q, r, 1.36929880922735805310e-1);
    q = GN_FMA(q, r, 5.99832206555887937690e-1);
    q = GN_FMA(q, r, 1);
    return p / q;
}
GN_INLINE double gn_erfinv_rough(double x) {
    const double size = fabs(x);
    const double half = 0.5 * size;
    const double root = sqrt(-gn_log_float64(0.5 - half));
    const double middle = half * gn_quantile_middle(0.180625 - half * half);
    const double tail = root <= 5 ? gn_quantile_near(root - 1.6) : gn_quantile_far(root - 5);
    const double result = (size <= 0.85 ? middle : tail) * 0.70710678118654752440;
    const double limit = size == 1 ? (double)INFINITY : (double)NAN;
    return size < 1 ? result : limit;
}
GN_INLINE float gn_erfinv_float32(float x) {
    return copysignf((float)gn_erfinv_rough(x), x);
}
/* A step of Newton's makes up for the rounding of the above; near 1 it compares erfc, as 1 - |x| is exact there. */
GN_INLINE double gn_erfinv_float64(double x) {
    const double size = fabs(x);
    const double y = gn_erfinv_rough(x);
    const double error = size < 0.5 ? gn_erf_float64(y) - size : (1 - size) - gn_erfc_float64(y);
    const double result = y - error * (gn_exp_float64(y * y) * 0.88622692545275801365);
    return copysign(size < 1 ? result : y, x);
}

#endif
