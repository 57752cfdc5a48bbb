/* softmax and log_softmax along one dimension, and their gradients. A row is the elements along that dimension.
 *
 * softmax_rows holds a row in the registers of a team, so that it is read once. softmax_columns is for rows that are
 * interleaved in memory, and for rows too long for registers; it reads them twice. Exponentials are summed in
 * double. */
#include "held.cuh"

/* A tensor whose elements along a row are `step` bytes apart; `rows` views its other dimensions. */
struct gn_lines {
    gn_view rows;
    int64_t step;
};

#define LEAST ((gn_compute)-INFINITY)
/* One team per row, of at most THREADS * HELD elements. A row with NaN, or whose maximum is infinite, becomes NaN by
 * the arithmetic, without special cases. */
template <int IS_LOG, int THREADS, int HELD>
__global__ void __launch_bounds__(THREADS > 256 ? THREADS : 256, 1)
    softmax_rows(gn_lines out, gn_lines in, int64_t length, int64_t is_dense) {
    __shared__ gn_compute shared_largest[GN_WARP];
    __shared__ double shared_sum[GN_WARP];
    for (gn_turns<THREADS> turn(gn_count(in.rows)); turn.any(); turn.next()) {
        const int64_t row = turn.is_there ? turn.row : 0;
        gn_held<THREADS, HELD> x;
        x.read(gn_place(in.rows, row), length, in.step, is_dense, LEAST);
        gn_compute largest = LEAST;
#pragma unroll
        for (int i = 0; i < HELD; i++) {
            largest = gn_greater::of(largest, x.each[i]);
        }
        largest = gn_team_fold<gn_greater, THREADS>(largest, shared_largest);
        gn_compute sum = 0;
#pragma unroll
        for (int i = 0; i < HELD; i++) {
            const gn_compute distance = x.each[i] - largest;
            const gn_compute power = gn_exp_negative(distance);
            sum += power;
            x.each[i] = IS_LOG ? distance : power;
        }
        const double total = gn_team_fold<gn_add, THREADS>((double)sum, shared_sum);
        const gn_compute last = (gn_compute)(IS_LOG ? gn_log(total) : total);
#pragma unroll
        for (int i = 0; i < HELD; i++) {
            x.each[i] = IS_LOG ? x.each[i] - last : x.each[i] / last;
        }
        if (turn.is_there) {
            x.write(gn_place(out.rows, row), length, out.step, is_dense);
        }
    }
}

/* y (g - sum(g y)), or for log_softmax g - exp(y) sum(g), for rows of at most THREADS * HELD elements. */
template <int IS_LOG, int THREADS, int HELD>
__global__ void __launch_bounds__(THREADS > 256 ? THREADS : 256, 1)
    softmax_gradient_rows(gn_lines out, gn_lines gradient, gn_lines output, int64_t length, int64_t is_dense) {
    __shared__ double shared[GN_WARP];
    for (gn_turns<THREADS> turn(gn_count(output.rows)); turn.any(); turn.next()) {
        const int64_t row = turn.is_there ? turn.row : 0;
        gn_held<THREADS, HELD> g, y;
        g.read(gn_place(gradient.rows, row), length, gradient.step, is_dense, 0);
        y.read(gn_place(output.rows, row), length, output.step, is_dense, 0);
        gn_compute sum = 0;
#pragma unroll
        for (int i = 0; i < HELD; i++) {
            sum += IS_LOG ? g.each[i] : g.each[i] * y.each[i];
        }
        const gn_compute total = (gn_compute)gn_team_fold<gn_add, THREADS>((double)sum, shared);
#pragma unroll
        for (int i = 0; i < HELD; i++) {
            g.each[i] = IS_LOG ? g.each[i] - gn_exp(y.each[i]) * total : y.each[i] * (g.each[i] - total);
        }
        if (turn.is_there) {
            g.write(gn_place(out.rows, row), length, out.step, is_dense);
        }
    }
}

/* Folds the values of the threads that share a row of softmax_columns: those of all slices, COLUMNS threads apart. */
template <class FOLD, int COLUMNS, int SLICES, class T> static inline T fold_slices(T value, T *shared) {
    if constexpr (COLUMNS == 1) {
        return gn_team_fold<FOLD, SLICES>(value, shared);
    } else {
        const int column = (int)threadIdx.x % COLUMNS;
        __syncthreads(); /* the result of an earlier call has been read */
        shared[threadIdx.x] = value;
        __syncthreads();
        value = shared[column];
        for (int slice = 1; slice < SLICES; slice++) {
            value = FOLD::of(value, shared[slice * COLUMNS + column]);
        }
        return value;
    }
}

/* One block for COLUMNS adjacent rows; its SLICES divide the elements of each. When a larger element appears, the sum
 * so far is rescaled. */
template <int IS_LOG, int COLUMNS, int SLICES>
__global__ void __launch_bounds__(COLUMNS *SLICES, 1) softmax_columns(gn_lines out, gn_lines in, int64_t length) {
    constexpr int threads = COLUMNS * SLICES;
    __shared__ gn_compute shared_largest[threads];
    __shared__ double shared_sum[threads];
    const int slice = (int)threadIdx.x / COLUMNS;
    const int64_t rows = gn_count(in.rows);
    for (int64_t first = (int64_t)blockIdx.x * COLUMNS; first < rows; first += (int64_t)gridDim.x * COLUMNS) {
        const int64_t row = first + threadIdx.x % COLUMNS;
        const bool is_there = row < rows;
        char *from = gn_place(in.rows, is_there ? row : 0);
        gn_compute largest = LEAST;
        double sum = 0;
        for (int64_t place = slice; place < length && is_there; place += SLICES) {
            const gn_compute x = gn_load(element_of(from, place, in.step));
            if (x > largest) {
                sum *= (double)gn_exp_negative(largest - x);
                largest = x;
            }
            if (x != LEAST) {
                sum += (double)gn_exp_negative(x - largest);
            }
        }
        const gn_compute of_row = fold_slices<gn_greater, COLUMNS, SLICES>(largest, shared_largest);
        sum = sum == 0 ? 0 : sum * (double)gn_exp_negative(largest - of_row);
        sum = fold_slices<gn_add, COLUMNS, SLICES>(sum, shared_sum);
        const gn_compute last = (gn_compute)(IS_LOG ? gn_log(sum) : sum);
        char *to = gn_place(out.rows, is_there ? row : 0);
        for (int64_t place = slice; place < length && is_there; place += SLICES) {
            const gn_compute distance = gn_load(element_of(from, place, in.step)) - of_row;
            element_of(to, place, out.step) = gn_store(IS_LOG ? distance - last : gn_exp_negative(distance) / last);
        }
    }
}

template <int IS_LOG, int COLUMNS, int SLICES>
__global__ void __launch_bounds__(COLUMNS *SLICES, 1)
    softmax_gradient_columns(gn_lines out, gn_lines gradient, gn_lines output, int64_t length) {
    __shared__ double shared[COLUMNS * SLICES];
    const int slice = (int)threadIdx.x / COLUMNS;
    const int64_t rows = gn_count(output.rows);
    for (int64_t first = (int64_t)blockIdx.x * COLUMNS; first < rows; first += (int64_t)gridDim.x * COLUMNS) {
        const int64_t row = first + threadIdx.x % COLUMNS;
        const bool is_there = row < rows;
        char *g_at = gn_place(gradient.rows, is_there ? row : 0);
        char *y_at = gn_place(output.rows, is_there ? row : 0);
        double sum = 0;
        for (int64_t place = slice; place < length && is_there; place += SLICES) {
            const gn_compute g = gn_load(element_of(g_at, place, gradient.step));
            sum += (double)(IS_LOG ? g : g * gn_load(element_of(y_at, place, output.step)));
        }
        const gn_compute total = (gn_compute)fold_slices<gn_add, COLUMNS, SLICES>(sum, shared);
        char *to = gn_place(out.rows, is_there ? row : 0);
        for (int64_t place = slice; place < length && is_there; place += SLICES) {
            const gn_compute g = gn_load(element_of(g_at, place, gradient.step));
            const gn_compute y = gn_load(element_of(y_at, place, output.step));
            element_of(to, place, out.step) = gn_store(IS_LOG ? g - gn_exp(y) * total : y * (g - total));
        }
    }
}
