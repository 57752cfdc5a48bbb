/* Convolution for one dtype, GN_CUDA_CODE. Products are summed in COMPUTE, in an order that depends only on the sizes
 * and the device, and rounded once. */
#if CODE == GN_CUDA_CODE && IS_NUMERIC

/* Writes a result, with the bias of its channel added. */
static inline void write_result(const gn_convolution &work, int64_t group, int64_t row, int64_t other, COMPUTE sum,
                                const STORAGE *bias, STORAGE *out) {
    if (bias != nullptr) {
        sum = (COMPUTE)(sum + LOAD(bias[(group * work.rows + row) * work.bias_step]));
    }
    out[group * work.out_group + row * work.out_row + other] = STORE(sum);
}

/* A block for a tile of 16 * SIDE rows and columns, for one part of k. A thread has SIDE * SIDE sums, in groups of four
 * adjacent ones. The next slice of k is loaded to registers while the current one, in shared memory, is multiplied.
 *
 * With small tiles at least two blocks share a multiprocessor. A third would limit the registers so that sums are
 * spilled; for elements of 16 bytes, a second one would.
 *
 * IS_ALONG_K: adjacent threads read the source at adjacent indices of k, else of n. */
template <int SIDE, int IS_ALONG_K, int IS_DIVIDED>
__global__ void __launch_bounds__(CONVOLVE_THREADS, SIDE == 4 && sizeof(COMPUTE) <= 8 ? 2 : 1)
    convolve_tiles(gn_convolution work, const STORAGE *a, const STORAGE *source, const STORAGE *bias, STORAGE *out,
                   COMPUTE *partial) {
    constexpr int WIDTH = 16 * SIDE;
    constexpr int PITCH = WIDTH + 4; /* avoids bank conflicts of adjacent writes */
    constexpr int LOADS = WIDTH * CONVOLVE_DEPTH / CONVOLVE_THREADS;
    constexpr int COLUMNS = IS_ALONG_K ? LOADS : 1;
    typedef gn_lanes<COMPUTE, 4> four;
    __shared__ four left_fours[CONVOLVE_DEPTH * PITCH / 4];
    __shared__ four right_fours[CONVOLVE_DEPTH * PITCH / 4];
    COMPUTE *const left = (COMPUTE *)left_fours;
    COMPUTE *const right = (COMPUTE *)right_fours;
    __shared__ gn_meeting depths[2][CONVOLVE_DEPTH]; /* for this slice of k and the next */
    const int thread = (int)threadIdx.x;
    const int64_t row_tiles = (work.rows + WIDTH - 1) / WIDTH;
    const int64_t column_tiles = (work.n.count + WIDTH - 1) / WIDTH;
    const int64_t tasks = work.groups * work.parts * row_tiles * column_tiles;
    for (int64_t task = blockIdx.x; task < tasks; task += gridDim.x) {
        int64_t rest = task;
        const int64_t first_row = gn_split(&rest, row_tiles) * WIDTH;
        const int64_t first_column = gn_split(&rest, column_tiles) * WIDTH;
        const int64_t part = gn_split(&rest, work.parts);
        const int64_t group = rest;
        const STORAGE *a_here = a + group * work.a_group;
        const STORAGE *source_here = source + group * work.source_group;
        const int64_t begin = part * work.length;
        const int64_t end = gn_min(begin + work.length, work.k.count);

        gn_meeting columns[COLUMNS];
#pragma unroll
        for (int i = 0; i < COLUMNS; i++) {
            const int column = IS_ALONG_K ? thread / CONVOLVE_DEPTH + i * (CONVOLVE_THREADS / CONVOLVE_DEPTH)
                                          : thread % WIDTH;
            const int64_t n = first_column + column;
            columns[i] = meeting_of<IS_DIVIDED>(work, work.n, n < work.n.count ? n : 0);
        }
        COMPUTE sums[SIDE][SIDE];
#pragma unroll
        for (int i = 0; i < SIDE; i++) {
#pragma unroll
            for (int j = 0; j < SIDE; j++) {
                sums[i][j] = 0;
            }
        }
        COMPUTE next_left[LOADS], next_right[LOADS];
        const auto fetch = [&](int64_t first, const gn_meeting *depth_of) {
#pragma unroll
            for (int i = 0; i < LOADS; i++) {
                const int at = thread + i * CONVOLVE_THREADS;
                const int depth = at % CONVOLVE_DEPTH;
                const int64_t row = first_row + at / CONVOLVE_DEPTH;
                const bool is_inside = row < work.rows && first + depth < end;
                next_left[i] =
                    is_inside ? (COMPUTE)LOAD(a_here[row * work.a_row + depth_of[depth].other]) : (COMPUTE)0;
            }
#pragma unroll
            for (int i = 0; i < LOADS; i++) {
                const int depth = IS_ALONG_K ? thread % CONVOLVE_DEPTH
                                             : thread / WIDTH + i * (CONVOLVE_THREADS / WIDTH);
                STORAGE found = 0;
                if (first + depth < end) {
                    found = met<IS_DIVIDED, STORAGE>(work, source_here, columns[IS_ALONG_K ? i : 0], depth_of[depth],
                                                     0);
                }
                next_right[i] = LOAD(found);
            }
        };
        const auto find_depths = [&](int64_t first, gn_meeting *depth_of) {
            if (thread < CONVOLVE_DEPTH && first + thread < end) {
                depth_of[thread] = meeting_of<IS_DIVIDED>(work, work.k, first + thread);
            }
        };
        find_depths(begin, depths[0]);
        __syncthreads();
        fetch(begin, depths[0]);
        int turn = 0;
        for (int64_t first = begin; first < end; first += CONVOLVE_DEPTH) {
#pragma unroll
            for (int i = 0; i < LOADS; i++) {
                const int at = thread + i * CONVOLVE_THREADS;
                left[at % CONVOLVE_DEPTH * PITCH + at / CONVOLVE_DEPTH] = next_left[i];
                if (IS_ALONG_K) {
                    right[at % CONVOLVE_DEPTH * PITCH + at / CONVOLVE_DEPTH] = next_right[i];
                } else {
                    right[at / WIDTH * PITCH + at % WIDTH] = next_right[i];
                }
            }
            turn ^= 1;
            find_depths(first + CONVOLVE_DEPTH, depths[turn]);
            __syncthreads();
            fetch(first + CONVOLVE_DEPTH, depths[turn]);
#pragma unroll
            for (int depth = 0; depth < CONVOLVE_DEPTH; depth++) {
                four from_left[SIDE / 4], from_right[SIDE / 4];
#pragma unroll
                for (int i = 0; i < SIDE / 4; i++) {
                    from_left[i] = *(const four *)&left[depth * PITCH + thread / 16 * 4 + i * 64];
                    from_right[i] = *(const four *)&right[depth * PITCH + thread % 16 * 4 + i * 64];
                }
#pragma unroll
                for (int i = 0; i < SIDE; i++) {
#pragma unroll
                    for (int j = 0; j < SIDE; j++) {
                        sums[i][j] =
                            (COMPUTE)(sums[i][j] + from_left[i / 4].each[i % 4] * from_right[j / 4].each[j % 4]);
                    }
                }
            }
            __syncthreads(); /* the slice has been read */
        }
#pragma unroll
        for (int j = 0; j < SIDE; j++) {
            const int64_t n = first_column + thread % 16 * 4 + j / 4 * 64 + j % 4;
            if (n >= work.n.count) {
                continue;
            }
            const int64_t other = meeting_of<IS_DIVIDED>(work, work.n, n).other;
#pragma unroll
            for (int i = 0; i < SIDE; i++) {
                const int64_t row = first_row + thread / 16 * 4 + i / 4 * 64 + i % 4;
                if (row >= work.rows) {
                    continue;
                }
                if (partial != nullptr) {
                    partial[((part * work.groups + group) * work.rows + row) * work.n.count + n] = sums[i][j];
                } else {
                    write_result(work, group, row, other, sums[i][j], bias, out);
                }
            }
        }
    }
}

/* Adds up the sums of the parts, in order: one thread per result. */
__global__ void convolve_parts(gn_convolution work, const STORAGE *bias, STORAGE *out, const COMPUTE *partial) {
    const int64_t count = work.groups * work.rows * work.n.count;
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        COMPUTE sum = 0;
        for (int64_t part = 0; part < work.parts; part++) {
            sum = (COMPUTE)(sum + partial[part * count + i]);
        }
        int64_t rest = i;
        const int64_t n = gn_split(&rest, work.n.count);
        const int64_t row = gn_split(&rest, work.rows);
        write_result(work, rest, row, meeting_of<1>(work, work.n, n).other, sum, bias, out);
    }
}

/* One thread per result: for groups of few rows, where most of a tile would be empty. */
template <int IS_DIVIDED>
__global__ void convolve_threads(gn_convolution work, const STORAGE *a, const STORAGE *source, const STORAGE *bias,
                                 STORAGE *out) {
    const int64_t count = work.groups * work.rows * work.n.count;
    const int64_t inner = work.k.sizes[0] * work.k.sizes[1] * work.k.sizes[2];
    const int64_t outer = inner == 0 ? 0 : work.k.count / inner;
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        int64_t rest = i;
        const int64_t n = gn_split(&rest, work.n.count);
        const int64_t row = gn_split(&rest, work.rows);
        const gn_meeting column = meeting_of<IS_DIVIDED>(work, work.n, n);
        const STORAGE *a_here = a + rest * work.a_group + row * work.a_row;
        const STORAGE *source_here = source + rest * work.source_group;
        COMPUTE sum = 0;
        /* Iterates over k with nested loops, which need no divisions. */
        for (int64_t c = 0; c < outer; c++) {
            for (int64_t z = 0; z < work.k.sizes[0]; z++) {
                for (int64_t y = 0; y < work.k.sizes[1]; y++) {
                    for (int64_t x = 0; x < work.k.sizes[2]; x++) {
                        const int64_t at[SPATIAL] = {z, y, x};
                        gn_meeting depth = {c * work.k.source, c * work.k.outer, {0, 0, 0}};
                        for (int dim = 0; dim < SPATIAL; dim++) {
                            depth.at[dim] = (int32_t)at[dim] * work.k.multiply[dim] + work.k.start[dim];
                            depth.other += at[dim] * work.k.inner[dim];
                            depth.source += IS_DIVIDED ? 0 : depth.at[dim] * work.source_strides[dim];
                        }
                        const STORAGE found = met<IS_DIVIDED, STORAGE>(work, source_here, column, depth, 0);
                        sum = (COMPUTE)(sum + LOAD(a_here[depth.other]) * LOAD(found));
                    }
                }
            }
        }
        write_result(work, rest, row, column.other, sum, bias, out);
    }
}

/* One block per result: for few results with many products, such as the gradient of a depthwise convolution's
 * weights. */
__global__ void convolve_blocks(gn_convolution work, const STORAGE *a, const STORAGE *source, STORAGE *out) {
    __shared__ COMPUTE shared[CONVOLVE_THREADS];
    const int thread = (int)threadIdx.x;
    const int64_t count = work.groups * work.rows * work.n.count;
    for (int64_t i = blockIdx.x; i < count; i += gridDim.x) {
        int64_t rest = i;
        const int64_t n = gn_split(&rest, work.n.count);
        const int64_t row = gn_split(&rest, work.rows);
        const gn_meeting column = meeting_of<0>(work, work.n, n);
        const STORAGE *a_here = a + rest * work.a_group + row * work.a_row;
        const STORAGE *source_here = source + rest * work.source_group;
        COMPUTE sum = 0;
        for (int64_t k = thread; k < work.k.count; k += CONVOLVE_THREADS) {
            const gn_meeting depth = meeting_of<0>(work, work.k, k);
            const STORAGE found = met<0, STORAGE>(work, source_here, column, depth, 0);
            sum = (COMPUTE)(sum + LOAD(a_here[depth.other]) * LOAD(found));
        }
        shared[thread] = sum;
        __syncthreads();
        for (int half = CONVOLVE_THREADS / 2; half > 0; half /= 2) {
            if (thread < half) {
                shared[thread] = (COMPUTE)(shared[thread] + shared[thread + half]);
            }
            __syncthreads();
        }
        if (thread == 0) {
            write_result(work, rest, row, column.other, shared[0], nullptr, out);
        }
        __syncthreads(); /* the sum has been read */
    }
}

/* The gradient of the bias: the sum of each channel, one block per channel. `gradient` views the first channel; the
 * next one is `step` bytes further. */
__global__ void sum_channels(gn_view gradient, int64_t step, STORAGE *out) {
#if IS_FLOATING
    typedef double total;
#elif IS_COMPLEX
    typedef gn_complex128 total;
#else
    typedef COMPUTE total;
#endif
    __shared__ total shared[CONVOLVE_THREADS];
    const int thread = (int)threadIdx.x;
    const int64_t channel = blockIdx.x;
    const int64_t count = gn_count(gradient);
    total sum = 0;
    for (int64_t i = thread; i < count; i += CONVOLVE_THREADS) {
        sum = (total)(sum + LOAD(*(const STORAGE *)(gn_place(gradient, i) + channel * step)));
    }
    shared[thread] = sum;
    __syncthreads();
    for (int half = CONVOLVE_THREADS / 2; half > 0; half /= 2) {
        if (thread < half) {
            shared[thread] = (total)(shared[thread] + shared[thread + half]);
        }
        __syncthreads();
    }
    if (thread == 0) {
        out[channel] = STORE((COMPUTE)shared[0]);
    }
}

#if IS_COMPLEX
/* Copies the conjugates, contiguously: the gradients multiply with these. */
__global__ void conjugate(gn_view from, STORAGE *out) {
    const int64_t count = gn_count(from);
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        out[i] = gn_conjugate(*(const STORAGE *)gn_place(from, i));
    }
}
#endif

#endif
