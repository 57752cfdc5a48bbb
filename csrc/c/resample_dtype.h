/* Weighted sums along one dimension, for one dtype. */

#if IS_FRACTIONAL && !IS_HALF

/* Rows of `inner` elements, as sums of rows. */
static void NAME(sum_rows)(const gn_taps *taps, int64_t i, int64_t low, int64_t inner, const COMPUTE *in,
                           COMPUTE *out) {
    const int64_t first = taps->start[i];
    const int64_t last = taps->start[i + 1];
    if (first == last) {
        for (int64_t j = 0; j < inner; j++) {
            out[j] = 0;
        }
        return;
    }
    const COMPUTE *row = in + (taps->at[first] - low) * inner;
    const MAGNITUDE weight = (MAGNITUDE)taps->weight[first];
    if (first + 1 == last) {
        for (int64_t j = 0; j < inner; j++) {
            out[j] = row[j] * weight;
        }
        return;
    }
    const COMPUTE *second = in + (taps->at[first + 1] - low) * inner;
    const MAGNITUDE second_weight = (MAGNITUDE)taps->weight[first + 1];
    for (int64_t j = 0; j < inner; j++) {
        out[j] = row[j] * weight + second[j] * second_weight;
    }
    for (int64_t k = first + 2; k < last; k++) {
        const COMPUTE *next = in + (taps->at[k] - low) * inner;
        const MAGNITUDE next_weight = (MAGNITUDE)taps->weight[k];
        for (int64_t j = 0; j < inner; j++) {
            out[j] += next[j] * next_weight;
        }
    }
}

void NAME(gn_stage)(const gn_taps *taps, int64_t outer, int64_t rows, int64_t low, int64_t inner, int64_t begin,
                    int64_t end, const void *in, void *out) {
    const COMPUTE *from = in;
    COMPUTE *to = out;
    for (int64_t o = 0; o < outer; o++) {
        if (inner == 1) {
            const int64_t *at = taps->at;
            const double *weights = taps->weight;
            for (int64_t i = begin; i < end; i++) {
                const int64_t first = taps->start[i];
                const int64_t last = taps->start[i + 1];
                /* not starting from 0, which would turn -0 into 0 */
                COMPUTE sum = first < last ? from[at[first] - low] * (MAGNITUDE)weights[first] : 0;
                for (int64_t k = first + 1; k < last; k++) {
                    sum += from[at[k] - low] * (MAGNITUDE)weights[k];
                }
                to[i - begin] = sum;
            }
        } else {
            for (int64_t i = begin; i < end; i++) {
                NAME(sum_rows)(taps, i, low, inner, from, to + (i - begin) * inner);
            }
        }
        from += rows * inner;
        to += (end - begin) * inner;
    }
}

#endif
