/* Norms of vectors, accumulated in double for every dtype; part of reduce.c.
 *
 * The sum of powers is stored relative to a scale, so that no power leaves the range of a double. For the orders 1 and
 * 2 the scale is 1, without divisions, while the powers are safe. */

/* sum * scale^order is the sum of the powers.  For the orders 0, inf and -inf `sum` is the result itself. */
typedef struct scaled_sum {
    double scale; /* negative: no elements yet; 0: only zeros, infinities and NaN */
    double sum;
} scaled_sum;

/* Numbers whose squares, and sums of these, are in the range of a double, and whose small ones are negligible. */
#define LEAST_SAFE 1e-140
#define LARGEST_SAFE 1e140

static void begin_norm(void *accumulators, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        ((scaled_sum *)accumulators)[i] = (scaled_sum){-1, 0};
    }
}

/* `size` to the power of `order`. */
static inline double norm_power(double size, double order) {
    return order == 2 ? size * size : order == 1 ? size : pow(size, order);
}

/* Changes the sum of powers to a larger scale; zeros and infinities do not change. */
static void rescale(scaled_sum *total, double scale, double order) {
    if (scale > total->scale) {
        if (total->scale > 0 && total->sum != 0 && !isinf(total->sum)) {
            total->sum *= norm_power(total->scale / scale, order);
        }
        total->scale = scale;
    }
}

/* Folds `count` sizes, count <= 2 * CHUNK. */
static void fold_sizes(scaled_sum *total, const double *sizes, int64_t count, double order) {
    double lanes[8] = {0};
    int64_t i = 0;
    const int first = total->scale < 0;
    if (count == 0) {
        return;
    }
    if (isinf(order)) {
        double best = first ? sizes[0] : total->sum;
        for (; i < count; i++) {
            const int better = order > 0 ? sizes[i] > best : sizes[i] < best;
            best = better || sizes[i] != sizes[i] ? sizes[i] : best;
        }
        *total = (scaled_sum){1, best};
        return;
    }
    if (first) {
        *total = (scaled_sum){0, 0};
    }
    if (order == 0) {
        for (; i < count; i++) {
            lanes[0] += sizes[i] != 0;
        }
        *total = (scaled_sum){1, total->sum + lanes[0]};
        return;
    }
    for (; i + 8 <= count; i += 8) {
        for (int lane = 0; lane < 8; lane++) {
            const double size = sizes[i + lane];
            lanes[lane] = size > lanes[lane] && size <= DBL_MAX ? size : lanes[lane];
        }
    }
    for (; i < count; i++) {
        lanes[0] = sizes[i] > lanes[0] && sizes[i] <= DBL_MAX ? sizes[i] : lanes[0];
    }
    double largest = lanes[0];
    for (int lane = 1; lane < 8; lane++) {
        largest = lanes[lane] > largest ? lanes[lane] : largest;
    }
    const int simple = order == 1 || order == 2;
    rescale(total, simple && largest >= LEAST_SAFE && largest <= LARGEST_SAFE ? 1 : largest, order);
    const double scale = total->scale > 0 ? total->scale : 1;
    memset(lanes, 0, sizeof lanes);
    if (simple && scale == 1) {
        for (i = 0; i + 8 <= count; i += 8) {
            for (int lane = 0; lane < 8; lane++) {
                lanes[lane] += order == 2 ? sizes[i + lane] * sizes[i + lane] : sizes[i + lane];
            }
        }
    } else {
        for (i = 0; i + 8 <= count; i += 8) {
            for (int lane = 0; lane < 8; lane++) {
                lanes[lane] += norm_power(sizes[i + lane] / scale, order);
            }
        }
    }
    for (; i < count; i++) {
        lanes[0] += norm_power(sizes[i] / scale, order);
    }
    total->sum += ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

static void combine_norm(void *accumulator, const void *other, const gn_call *call) {
    scaled_sum *total = accumulator;
    scaled_sum part = *(const scaled_sum *)other;
    const double order = call->scalars[0].real;
    if (part.scale < 0) {
        return;
    }
    if (total->scale < 0) {
        *total = part;
        return;
    }
    if (isinf(order)) {
        const int better = order > 0 ? part.sum > total->sum : part.sum < total->sum;
        if (better || isnan(part.sum)) {
            *total = part;
        }
        return;
    }
    if (order != 0) {
        rescale(total, part.scale, order);
        rescale(&part, total->scale, order);
    }
    total->sum += part.sum;
}

/* The norm itself. */
static double finish_norm(const scaled_sum *total, double order) {
    const double scale = total->scale > 0 ? total->scale : 1;
    if (isinf(order) || order == 0) {
        return total->sum;
    }
    if (order == 1) {
        return scale * total->sum;
    }
    return scale * (order == 2 ? sqrt(total->sum) : pow(total->sum, 1 / order));
}
