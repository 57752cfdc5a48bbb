/* The polynomials of linalg_matrix_exp, which C and CUDA share: Taylor's of the least sufficient degree, after scaling;
 * then squaring as often (Moler and Van Loan, "Nineteen dubious ways to compute the exponential of a matrix", 2003,
 * method 3; Paterson and Stockmeyer, "On the number of nonscalar multiplications necessary to evaluate polynomials",
 * 1973). */
#ifndef GN_MATRIX_EXP_H
#define GN_MATRIX_EXP_H

#include <stdint.h>

/* The degrees, the power of the matrix in which the polynomial's parts are, and the largest norms for which the error,
 * taken as one of the matrix, is below the unit roundoff of float32 and of float64 (Higham, "The scaling and squaring
 * method for the matrix exponential revisited", 2005, computed for these polynomials). */
#define DEGREES 6
static const int32_t degrees[DEGREES] = {2, 4, 6, 9, 12, 16};
static const int32_t part_sizes[DEGREES] = {2, 2, 3, 3, 4, 4};
static const double norms_float32[DEGREES] = {5.978858893805233e-4, 5.116619363445086e-2, 0.24952893228466974,
                                              0.779511337435803,    1.4616615072090335,   2.4782808775219713};
static const double norms_float64[DEGREES] = {2.5809568029717673e-8, 3.3971688399769617e-4, 9.065656407595102e-3,
                                              8.957760203223342e-2,  0.299615891381158,     0.7802874256626574};
/* The most powers of a matrix that a polynomial needs. */
#define POWERS 4

static inline double reciprocal_factorial(int32_t k) {
    double product = 1;
    for (int32_t i = 2; i <= k; i++) {
        product *= i;
    }
    return 1 / product;
}

#endif
