/* Rows normalized by their mean and variance, or by their root mean square: layer, group and RMS normalization, and the
 * gradients of their inputs.
 *
 * All operands are in row-major order. Sums are in double. A row that fits in the registers of a team is read once, and
 * its variance is computed from differences from the mean. Longer rows are read again for each pass. */
#include "held.cuh"
#include "parameter.cuh"

/* Rows of `length` elements. The weight of element i of row r has the index r % cycle * share + i / each. */
struct gn_norm {
    int64_t rows, length;
    int64_t cycle, share, each;
    double eps;
    const gn_storage *in, *gradient;
    gn_storage *out;
    gn_parameter weight, bias, mean, rstd; /* null if absent */
};

/* The index of an element's weight, where `first` is that of the row's first element. A row in registers (HELD > 0) has
 * at most 2^31 elements. */
template <int HELD> static inline int64_t weight_of(const gn_norm &work, int64_t first, int64_t place) {
    if (work.each == 1) {
        return first + place;
    }
    return first + (HELD > 0 ? (int32_t)place / (int32_t)work.each : place / work.each);
}

/* A mean as the sum of two gn_compute numbers, which keeps the precision of double. */
struct gn_split_mean {
    gn_compute high, low;
    inline explicit gn_split_mean(double mean) : high((gn_compute)mean), low(0) {
        if (mean - mean == 0) {
            low = (gn_compute)(mean - (double)high);
        }
    }
    inline gn_compute from(gn_compute x) const {
        return (x - high) - low;
    }
};

/* One team per row, of at most THREADS * HELD elements, or of any length if HELD is 0. IS_ROOT: no mean is
 * subtracted. */
template <int IS_ROOT, int THREADS, int HELD>
__global__ void __launch_bounds__(THREADS > 256 ? THREADS : 256, 1) norm_rows(gn_norm work, int64_t is_dense) {
    __shared__ double shared[GN_WARP];
    const int64_t length = work.length;
    const int64_t step = sizeof(gn_storage);
    for (gn_turns<THREADS> turn(work.rows); turn.any(); turn.next()) {
        const int64_t row = turn.is_there ? turn.row : 0;
        char *from = (char *)(work.in + row * length);
        const int64_t first = row % work.cycle * work.share;
        gn_held<THREADS, HELD> x;
        x.read(from, length, step, is_dense, 0);
        double sum = 0;
        x.each_of(from, length, [&](int64_t place, gn_compute &value) { sum += (double)value; });
        const double mean =
            IS_ROOT || length == 0 ? 0 : gn_team_fold<gn_add, THREADS>(sum, shared) / (double)length;
        double squares = 0;
        x.each_of(from, length, [&](int64_t place, gn_compute &value) {
            const double difference = (double)value - mean;
            squares += difference * difference;
        });
        const double variance = gn_team_fold<gn_add, THREADS>(squares, shared) / (double)length;
        const double rstd = 1 / gn_sqrt(variance + work.eps);
        const gn_split_mean middle(mean);
        const gn_compute scale = (gn_compute)rstd;
        gn_storage *to = work.out + row * length;
        x.each_of(from, length, [&](int64_t place, gn_compute &value) {
            const int64_t number = weight_of<HELD>(work, first, place);
            value = middle.from(value) * scale;
            if (work.weight.at != nullptr) {
                value *= work.weight.get(number);
            }
            if (work.bias.at != nullptr) {
                value += work.bias.get(number);
            }
            if (HELD == 0) {
                to[place] = gn_store(value);
            }
        });
        if (turn.is_there) {
            x.write((char *)to, length, step, is_dense);
            if (gn_member<THREADS>() == 0) {
                if (!IS_ROOT) {
                    work.mean.set(row, mean);
                }
                work.rstd.set(row, rstd);
            }
        }
    }
}

/* The gradient of the input: rstd (g w - mean(g w) - x^ mean(g w x^)), with x^ = (x - mean) rstd. */
template <int IS_ROOT, int THREADS, int HELD>
__global__ void __launch_bounds__(THREADS > 256 ? THREADS : 256, 1) norm_gradient_rows(gn_norm work, int64_t is_dense) {
    __shared__ double shared[GN_WARP];
    const int64_t length = work.length;
    const int64_t step = sizeof(gn_storage);
    for (gn_turns<THREADS> turn(work.rows); turn.any(); turn.next()) {
        const int64_t row = turn.is_there ? turn.row : 0;
        char *from = (char *)(work.in + row * length);
        char *gradient_from = (char *)(work.gradient + row * length);
        const gn_compute mean = IS_ROOT ? 0 : work.mean.get(row);
        const gn_compute rstd = work.rstd.get(row);
        const int64_t first = row % work.cycle * work.share;
        gn_held<THREADS, HELD> x, g;
        x.read(from, length, step, is_dense, 0);
        g.read(gradient_from, length, step, is_dense, 0);
        const auto scaled = [&](int64_t place, gn_compute gradient) {
            return work.weight.at == nullptr ? gradient
                                             : gradient * work.weight.get(weight_of<HELD>(work, first, place));
        };
        double sum = 0, product = 0;
        x.each_of(g, from, gradient_from, length, [&](int64_t place, gn_compute &value, gn_compute &gradient) {
            const gn_compute of_row = scaled(place, gradient);
            const gn_compute hat = (value - mean) * rstd;
            sum += (double)of_row;
            product += (double)of_row * (double)hat;
            value = hat;
            gradient = of_row;
        });
        const gn_compute mean_sum =
            IS_ROOT ? 0 : (gn_compute)(gn_team_fold<gn_add, THREADS>(sum, shared) / (double)length);
        const gn_compute mean_product = (gn_compute)(gn_team_fold<gn_add, THREADS>(product, shared) / (double)length);
        gn_storage *to = work.out + row * length;
        x.each_of(g, from, gradient_from, length, [&](int64_t place, gn_compute &value, gn_compute &gradient) {
            const gn_compute of_row = HELD == 0 ? scaled(place, gradient) : gradient;
            const gn_compute hat = HELD == 0 ? (value - mean) * rstd : value;
            value = rstd * ((of_row - mean_sum) - hat * mean_product);
            if (HELD == 0) {
                to[place] = gn_store(value);
            }
        });
        if (turn.is_there) {
            x.write((char *)to, length, step, is_dense);
        }
    }
}
