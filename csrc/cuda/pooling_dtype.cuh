/* Pooling for one dtype, GN_CUDA_CODE. */
#if CODE == GN_CUDA_CODE && IS_REAL

/* Averages are summed in double, where large floats do not overflow before the division. */
#if IS_FLOATING
#define SUM double
#define QUOTIENT(a, b) ((a) / (b))
#else
#define SUM int64_t
#define QUOTIENT(a, b) gn_div_trunc(a, b)
#endif

/* The largest element of each window and its index: the first of equal ones, or the last NaN if there is one. */
__global__ void max_pool(gn_pooling work, const STORAGE *from, STORAGE *out, int64_t *places) {
    const int64_t count = work.batch * work.channels * work.out[0] * work.out[1] * work.out[2];
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        const gn_spot spot = spot_of(work, work.out, i);
        const STORAGE *plane = from + plane_of(work.in_strides, spot);
        gn_window windows[SPATIAL];
        for (int dim = 0; dim < SPATIAL; dim++) {
            windows[dim] = window_of(work, dim, spot.at[dim]);
        }
        COMPUTE largest = LOWEST;
        int64_t place = (windows[0].start * work.in[1] + windows[1].start) * work.in[2] + windows[2].start;
        for (int64_t z = windows[0].start; z < windows[0].end; z += work.dilation[0]) {
            for (int64_t y = windows[1].start; y < windows[1].end; y += work.dilation[1]) {
                const STORAGE *line = plane + z * work.in_strides[2] + y * work.in_strides[3];
                for (int64_t x = windows[2].start; x < windows[2].end; x += work.dilation[2]) {
                    const COMPUTE element = LOAD(line[x * work.in_strides[4]]);
                    if (element > largest || gn_isnan(element)) {
                        largest = element;
                        place = (z * work.in[1] + y) * work.in[2] + x;
                    }
                }
            }
        }
        out[offset_of(work.out_strides, spot)] = STORE(largest);
        places[offset_of(work.place_strides, spot)] = place;
    }
}

/* The divisor of a window's sum; 0 if the window is empty. */
static inline SUM divisor_of(const gn_pooling &work, const gn_spot &spot) {
    if (work.divisor != 0) {
        return (SUM)work.divisor;
    }
    int64_t length = 1;
    for (int dim = 0; dim < SPATIAL; dim++) {
        length *= window_of(work, dim, spot.at[dim]).length;
    }
    return (SUM)length;
}

__global__ void average_pool(gn_pooling work, const STORAGE *from, STORAGE *out) {
    const int64_t count = work.batch * work.channels * work.out[0] * work.out[1] * work.out[2];
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        const gn_spot spot = spot_of(work, work.out, i);
        const STORAGE *plane = from + plane_of(work.in_strides, spot);
        gn_window windows[SPATIAL];
        for (int dim = 0; dim < SPATIAL; dim++) {
            windows[dim] = window_of(work, dim, spot.at[dim]);
        }
        SUM sum = 0;
        for (int64_t z = windows[0].start; z < windows[0].end; z++) {
            for (int64_t y = windows[1].start; y < windows[1].end; y++) {
                const STORAGE *line = plane + z * work.in_strides[2] + y * work.in_strides[3];
                for (int64_t x = windows[2].start; x < windows[2].end; x++) {
                    sum += (SUM)LOAD(line[x * work.in_strides[4]]);
                }
            }
        }
        const SUM divisor = divisor_of(work, spot);
        out[offset_of(work.out_strides, spot)] = divisor == 0 ? STORE(0) : STORE((COMPUTE)QUOTIENT(sum, divisor));
    }
}

/* Calls `visit` with each window that may contain a position, in order. */
template <class VISIT>
static inline void visit_windows(const gn_pooling &work, const gn_spot &spot, const VISIT &visit) {
    gn_window windows[SPATIAL];
    for (int dim = 0; dim < SPATIAL; dim++) {
        windows[dim] = windows_at(work, dim, spot.at[dim]);
    }
    gn_spot window = spot;
    for (window.at[0] = windows[0].start; window.at[0] < windows[0].end; window.at[0]++) {
        for (window.at[1] = windows[1].start; window.at[1] < windows[1].end; window.at[1]++) {
            for (window.at[2] = windows[2].start; window.at[2] < windows[2].end; window.at[2]++) {
                visit(window);
            }
        }
    }
}

/* Each element gets the gradients of the windows that selected it. All windows are searched if *astray, else only those
 * that may contain the element. */
__global__ void max_pool_backward(gn_pooling work, const STORAGE *gradient, const int64_t *places, STORAGE *out,
                                  const int32_t *astray) {
    const int64_t count = work.batch * work.channels * work.in[0] * work.in[1] * work.in[2];
    const bool is_anywhere = *astray != 0;
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        const gn_spot spot = spot_of(work, work.in, i);
        const int64_t place = (spot.at[0] * work.in[1] + spot.at[1]) * work.in[2] + spot.at[2];
        SUM sum = 0;
        const auto visit = [&](const gn_spot &window) {
            if (places[offset_of(work.place_strides, window)] == place) {
                sum += (SUM)LOAD(gradient[offset_of(work.out_strides, window)]);
            }
        };
        if (is_anywhere) {
            gn_spot window = spot;
            for (window.at[0] = 0; window.at[0] < work.out[0]; window.at[0]++) {
                for (window.at[1] = 0; window.at[1] < work.out[1]; window.at[1]++) {
                    for (window.at[2] = 0; window.at[2] < work.out[2]; window.at[2]++) {
                        visit(window);
                    }
                }
            }
        } else {
            visit_windows(work, spot, visit);
        }
        out[offset_of(work.in_strides, spot)] = STORE((COMPUTE)sum);
    }
}

/* Each element gets the gradients of its windows, each divided by the window's divisor. */
__global__ void average_pool_backward(gn_pooling work, const STORAGE *gradient, STORAGE *out) {
    const int64_t count = work.batch * work.channels * work.in[0] * work.in[1] * work.in[2];
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        const gn_spot spot = spot_of(work, work.in, i);
        SUM sum = 0;
        visit_windows(work, spot, [&](const gn_spot &window) {
            const SUM divisor = divisor_of(work, window);
            if (divisor != 0) {
                sum += QUOTIENT((SUM)LOAD(gradient[offset_of(work.out_strides, window)]), divisor);
            }
        });
        out[offset_of(work.in_strides, spot)] = STORE((COMPUTE)sum);
    }
}

#undef SUM
#undef QUOTIENT
#endif
