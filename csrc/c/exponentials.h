/* Sums of exponentials, combined in double for every dtype; part of reduce.c. */

/* sum * e^largest is the sum of the exponentials; `largest` is the largest real part so far, whose exponential alone
 * may exceed the range of a double. */
typedef struct powers {
    double largest;
    double sum;
    double imaginary;
} powers;

static void begin_powers(void *accumulators, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        ((powers *)accumulators)[i] = (powers){-(double)INFINITY, 0, 0};
    }
}

/* The number subtracted before exponentiation: 0 if the largest is infinite. */
static inline double powers_shift(double largest) {
    return fabs(largest) == (double)INFINITY ? 0 : largest;
}

static void combine_powers(void *accumulator, const void *other, const gn_call *call) {
    powers *total = accumulator;
    const powers *part = other;
    (void)call;
    if (total->largest == -(double)INFINITY && total->sum == 0 && total->imaginary == 0) {
        *total = *part;
        return;
    }
    const double largest = part->largest > total->largest ? part->largest : total->largest;
    const double shift = powers_shift(largest);
    const double mine = total->largest == largest ? 1 : gn_exp_float64(total->largest - shift);
    const double its = part->largest == largest ? 1 : gn_exp_float64(part->largest - shift);
    total->largest = largest;
    total->sum = total->sum * mine + part->sum * its;
    total->imaginary = total->imaginary * mine + part->imaginary * its;
}
