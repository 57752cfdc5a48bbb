/* One reflection of a column of numbers of one dtype, for factorizations by panels. */

static double NAME(sum_of_squares)(const COMPUTE *x, int64_t count, double scale) {
    double sums[8] = {0};
    double sum = 0;
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        for (int lane = 0; lane < 8; lane++) {
            const double number = (double)x[i + lane] * scale;
            sums[lane] += number * number;
        }
    }
    for (; i < count; i++) {
        const double number = (double)x[i] * scale;
        sum += number * number;
    }
    for (int lane = 0; lane < 8; lane++) {
        sum += sums[lane];
    }
    return sum;
}

/* The reflection that makes a column a multiple of the first unit vector: its first number becomes that multiple, the
 * others those of the vector after 1. Returns the factor, 0 if there is nothing to do. */
static COMPUTE NAME(reflect_column)(COMPUTE *x, int64_t count) {
    double scale = 1;
    double below = NAME(sum_of_squares)(x + 1, count - 1, scale);
    const double first = (double)x[0];
    if (CODE == GN_FLOAT64 && !(below > 1e-250 && below < 1e250 && first * first < 1e250)) {
        double largest = 0; /* squares are to stay in range */
        for (int64_t i = 0; i < count; i++) {
            largest = fmax(largest, fabs((double)x[i]));
        }
        int exponent;
        frexp(largest, &exponent);
        scale = ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
        below = NAME(sum_of_squares)(x + 1, count - 1, scale);
    }
    if (below == 0) {
        return 0;
    }
    const double scaled = -copysign(sqrt(first * scale * first * scale + below), first), beta = scaled / scale;
    if (fabs(beta) < (CODE == GN_FLOAT64 ? DBL_MIN / DBL_EPSILON : FLT_MIN / FLT_EPSILON)) { /* of few digits, as a COMPUTE */
        const double difference = first * scale - scaled;
        for (int64_t i = 1; i < count; i++) {
            x[i] = (COMPUTE)((double)x[i] * scale / difference);
        }
    } else {
        const COMPUTE difference = (COMPUTE)(first - beta);
        for (int64_t i = 1; i < count; i++) {
            x[i] = x[i] / difference;
        }
    }
    x[0] = (COMPUTE)beta;
    return (COMPUTE)((scaled - first * scale) / scaled);
}
