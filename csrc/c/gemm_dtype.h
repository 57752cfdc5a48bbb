/* The blocked product for one dtype. */

#if IS_PRECISE

#define LANES LANES_OF(CODE)
#define WIDTH (2 * LANES)
#define LEFT_STEP ((int64_t)(GN_GEMM_LEFT_STEP / sizeof(COMPUTE)))
#define LEVEL ((int64_t)(GN_GEMM_DEPTH / sizeof(COMPUTE)))
#define PANEL ((int64_t)(GN_GEMM_COLUMNS / sizeof(COMPUTE)))

typedef COMPUTE NAME(vector) __attribute__((vector_size(GN_GEMM_BYTES)));
/* The same where it is not aligned, and among other elements. */
typedef COMPUTE NAME(loose) __attribute__((vector_size(GN_GEMM_BYTES), aligned(sizeof(COMPUTE)), may_alias));

/* sum + a b, rounded once if the processor can. Written lane by lane: vector types have no such operator. */
GN_INLINE NAME(vector) NAME(add_product)(COMPUTE a, NAME(vector) b, NAME(vector) sum) {
#if defined(__FMA__) || defined(__AVX512F__) || defined(__aarch64__)
    for (int lane = 0; lane < LANES; lane++) {
        sum[lane] = (COMPUTE)_Generic(a, float : __builtin_fmaf, default : __builtin_fma)(a, b[lane], sum[lane]);
    }
    return sum;
#else
    return sum + a * b;
#endif
}

/* A block of c: `rows` by `vectors`, both constants where this is inlined. A second base pointer serves four rows of
 * the left factor: processors can address base + step, but not base + five steps. */
GN_INLINE void NAME(make_block)(const int rows, const int vectors, int64_t depth, const COMPUTE *a, int64_t a_row,
                                int64_t a_step, const COMPUTE *b, int64_t b_step, COMPUTE alpha, COMPUTE beta,
                                const COMPUTE *from, int64_t from_row, COMPUTE *c, int64_t c_row) {
    NAME(vector) sums[GN_GEMM_ROWS][2];
    const COMPUTE *a4 = a + 4 * a_row;
    const COMPUTE *a8 = a + 8 * a_row;
    const COMPUTE *a12 = a + 12 * a_row;
    const int64_t row2 = 2 * a_row;
    const int64_t row3 = 3 * a_row;
    OPAQUE(a4);
    OPAQUE(a8);
    OPAQUE(a12);
    GN_UNROLL
    for (int i = 0; i < rows; i++) {
        sums[i][0] = sums[i][1] = (NAME(vector)){0};
        __builtin_prefetch(c + i * c_row);
        __builtin_prefetch(c + i * c_row + (vectors - 1) * LANES);
    }
    for (int64_t p = 0; p < depth; p++) {
        const NAME(vector) left = *(const NAME(loose) *)b;
        const NAME(vector) right = *(const NAME(loose) *)(b + (vectors > 1 ? LANES : 0));
        __builtin_prefetch(b + PREFETCH_AHEAD * b_step);
        if (vectors > 1 && GN_GEMM_BYTES == 64) {
            __builtin_prefetch(b + PREFETCH_AHEAD * b_step + LANES);
        }
        GN_UNROLL
        for (int i = 0; i < rows; i++) {
            const COMPUTE *base = i < 4 ? a : i < 8 ? a4 : i < 12 ? a8 : a12;
            const int among = i % 4;
            const COMPUTE factor = base[among == 0 ? 0 : among == 1 ? a_row : among == 2 ? row2 : row3];
            sums[i][0] = NAME(add_product)(factor, left, sums[i][0]);
            if (vectors > 1) {
                sums[i][1] = NAME(add_product)(factor, right, sums[i][1]);
            }
        }
        b += b_step;
        a += a_step;
        a4 += a_step;
        a8 += a_step;
        a12 += a_step;
    }
    GN_UNROLL
    for (int i = 0; i < rows; i++) {
        GN_UNROLL
        for (int v = 0; v < vectors; v++) {
            NAME(vector) result = alpha * sums[i][v];
            if (from != NULL) {
                result = NAME(add_product)(beta, *(const NAME(loose) *)(from + i * from_row + v * LANES), result);
            }
            *(NAME(loose) *)(c + i * c_row + v * LANES) = result;
        }
    }
}

typedef void NAME(block)(int64_t depth, const COMPUTE *a, int64_t a_row, int64_t a_step, const COMPUTE *b,
                         int64_t b_step, COMPUTE alpha, COMPUTE beta, const COMPUTE *from, int64_t from_row,
                         COMPUTE *c, int64_t c_row);

#define BLOCK(rows, vectors)                                                                                          \
    static void NAME(block_##rows##_##vectors)(int64_t depth, const COMPUTE *a, int64_t a_row, int64_t a_step,        \
                                               const COMPUTE *b, int64_t b_step, COMPUTE alpha, COMPUTE beta,         \
                                               const COMPUTE *from, int64_t from_row, COMPUTE *c, int64_t c_row) {    \
        NAME(make_block)(rows, vectors, depth, a, a_row, a_step, b, b_step, alpha, beta, from, from_row, c, c_row);   \
    }
#define BLOCKS(rows) BLOCK(rows, 1) BLOCK(rows, 2)
GN_GEMM_EACH_ROWS(BLOCKS)
#undef BLOCKS
#undef BLOCK

#define BLOCKS(rows) {NAME(block_##rows##_1), NAME(block_##rows##_2)},
static NAME(block) *const NAME(blocks)[GN_GEMM_ROWS][2] = {GN_GEMM_EACH_ROWS(BLOCKS)};
#undef BLOCKS

/* The lanes of two vectors interleaved, from lane `first` on. */
GN_INLINE NAME(vector) NAME(interleave)(NAME(vector) a, NAME(vector) b, const int first) {
#define BOTH(lane) a[first + (lane)], b[first + (lane)]
#if LANES_OF(CODE) == 16
    return (NAME(vector)){BOTH(0), BOTH(1), BOTH(2), BOTH(3), BOTH(4), BOTH(5), BOTH(6), BOTH(7)};
#elif LANES_OF(CODE) == 8
    return (NAME(vector)){BOTH(0), BOTH(1), BOTH(2), BOTH(3)};
#elif LANES_OF(CODE) == 4
    return (NAME(vector)){BOTH(0), BOTH(1)};
#else
    return (NAME(vector)){BOTH(0)};
#endif
#undef BOTH
}

/* One stage of transpose_block: the halves of a block, interleaved. */
GN_INLINE void NAME(interleave_halves)(const NAME(vector) *from, NAME(vector) *to) {
    GN_UNROLL
    for (int row = 0; row < LANES / 2; row++) {
        to[2 * row] = NAME(interleave)(from[row], from[row + LANES / 2], 0);
        to[2 * row + 1] = NAME(interleave)(from[row], from[row + LANES / 2], LANES / 2);
    }
}

/* to[column][row] = from[row][column] for a block of LANES by LANES: after as many stages as its sides have bits, its
 * rows are columns. */
GN_INLINE void NAME(transpose_block)(const COMPUTE *from, int64_t from_row, COMPUTE *to, int64_t to_row) {
    NAME(vector) rows[LANES];
    NAME(vector) next[LANES];
    GN_UNROLL
    for (int row = 0; row < LANES; row++) {
        rows[row] = *(const NAME(loose) *)(from + row * from_row);
    }
    NAME(interleave_halves)(rows, next);
#if LANES_OF(CODE) >= 4
    NAME(interleave_halves)(next, rows);
#endif
#if LANES_OF(CODE) >= 8
    NAME(interleave_halves)(rows, next);
#endif
#if LANES_OF(CODE) >= 16
    NAME(interleave_halves)(next, rows);
#endif
    GN_UNROLL
    for (int row = 0; row < LANES; row++) {
        *(NAME(loose) *)(to + row * to_row) = LANES_OF(CODE) == 4 || LANES_OF(CODE) == 16 ? rows[row] : next[row];
    }
}

/* to[p][column] of one sliver: `count` columns of a right factor, followed by zeros. */
void NAME(gn_pack_sliver)(COMPUTE *to, const COMPUTE *from, int64_t column, int64_t step, int64_t count,
                          int64_t depth) {
    int64_t whole_columns = 0;
    if (step == 1) {
        const int64_t whole = depth / LANES * LANES;
        for (; whole_columns + LANES <= count; whole_columns += LANES) {
            const COMPUTE *rows = from + whole_columns * column;
            COMPUTE *sliver = to + whole_columns;
            for (int64_t p = 0; p < whole; p += LANES) {
                NAME(transpose_block)(rows + p, column, sliver + p * WIDTH, WIDTH);
            }
            for (int64_t p = whole; p < depth; p++) {
                for (int64_t j = 0; j < LANES; j++) {
                    sliver[p * WIDTH + j] = rows[j * column + p];
                }
            }
        }
    }
    if (whole_columns == WIDTH) {
        return;
    }
    for (int64_t p = 0; p < depth; p++) {
        for (int64_t j = whole_columns; j < count; j++) {
            to[p * WIDTH + j] = from[j * column + p * step];
        }
        for (int64_t j = count; j < WIDTH; j++) {
            to[p * WIDTH + j] = 0;
        }
    }
}

/* Columns [first, first + count) of a right factor in memory: see gn_pack_right. */
static void NAME(pack_columns)(const gn_factor *right, COMPUTE *to, int64_t first, int64_t count, int64_t level,
                               int64_t depth) {
    const COMPUTE *from = (const COMPUTE *)right->data + first * right->outer + level * right->inner;
    int64_t whole = 0;
    if (right->outer == 1) { /* row by row over all slivers, to read memory in order */
        whole = count / WIDTH * WIDTH;
        for (int64_t p = 0; p < depth; p++) {
            const COMPUTE *row = from + p * right->inner;
            COMPUTE *place = to + p * WIDTH;
            for (int64_t j = 0; j < whole; j += WIDTH) {
                *(NAME(loose) *)(place + j * depth) = *(const NAME(loose) *)(row + j);
                *(NAME(loose) *)(place + j * depth + LANES) = *(const NAME(loose) *)(row + j + LANES);
            }
        }
    }
    for (int64_t j = whole; j < count; j += WIDTH) {
        NAME(gn_pack_sliver)(to + j * depth, from + j * right->outer, right->outer, right->inner,
                             gn_min(WIDTH, count - j), depth);
    }
}

/* Rows of a left factor in memory, for make_block: row by row, or, if rows are adjacent, column by column. */
static void NAME(pack_rows)(COMPUTE *to, const COMPUTE *from, int64_t row, int64_t step, int64_t count,
                            int64_t depth) {
    if (row == 1) {
        /* a fixed number of elements; the extra ones are those of the next step of k, or lie before it */
        const int64_t whole = step >= GN_GEMM_ROWS ? depth - 1 : 0;
        for (int64_t p = 0; p < whole; p++) {
            memcpy(to + p * GN_GEMM_ROWS, from + p * step, GN_GEMM_ROWS * sizeof(COMPUTE));
        }
        for (int64_t p = whole; p < depth; p++) {
            for (int64_t i = 0; i < count; i++) {
                to[p * GN_GEMM_ROWS + i] = from[p * step + i];
            }
        }
        return;
    }
    if (step == 1) {
        for (int64_t i = 0; i < count; i++) {
            memcpy(to + i * LEFT_STEP, from + i * row, (size_t)depth * sizeof(COMPUTE));
        }
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        for (int64_t p = 0; p < depth; p++) {
            to[i * LEFT_STEP + p] = from[i * row + p * step];
        }
    }
}

/* Prefetches the next rows of a left factor. */
static void NAME(ask_for_rows)(const COMPUTE *from, int64_t row, int64_t count, int64_t depth) {
    for (int64_t i = 0; i < count; i++) {
        for (int64_t p = 0; p < depth; p += (int64_t)(LINE / sizeof(COMPUTE))) {
            __builtin_prefetch(from + i * row + p);
        }
    }
}

/* A block whose columns do not fill vectors: computed as a full one in a buffer. */
static void NAME(make_edge)(int64_t rows, int64_t columns, int64_t depth, const COMPUTE *a, int64_t a_row,
                            int64_t a_step, const COMPUTE *b, int64_t b_step, COMPUTE alpha, COMPUTE beta,
                            const COMPUTE *from, int64_t from_row, COMPUTE *c, int64_t c_row) {
    COMPUTE whole[GN_GEMM_ROWS * WIDTH] = {0};
    for (int64_t i = 0; from != NULL && i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            whole[i * WIDTH + j] = from[i * from_row + j];
        }
    }
    NAME(blocks)[rows - 1][columns > LANES](depth, a, a_row, a_step, b, b_step, alpha, beta,
                                            from == NULL ? NULL : whole, WIDTH, whole, WIDTH);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            c[i * c_row + j] = whole[i * WIDTH + j];
        }
    }
}

int32_t NAME(gn_gemm_blocked)(int64_t m, int64_t n, int64_t k, COMPUTE alpha, const gn_factor *left,
                              const gn_factor *right, COMPUTE beta, const COMPUTE *from, int64_t from_row,
                              int64_t from_column, COMPUTE *c, int64_t c_row) {
    /* blocks of equal rows, and levels of equal depth, in the smallest possible number */
    const int64_t row_blocks = (m + GN_GEMM_ROWS - 1) / GN_GEMM_ROWS;
    const int64_t levels = gn_max(1, (k + LEVEL - 1) / LEVEL);
    const int64_t level_depth = levels == 1 ? k : (k + levels - 1) / levels;
    const int64_t panels = (n + PANEL - 1) / PANEL;
    const int64_t panel_width = ((panels == 1 ? n : (n + panels - 1) / panels) + WIDTH - 1) / WIDTH * WIDTH;
    const int64_t block_rows = m / row_blocks;
    const int64_t longer_blocks = m - block_rows * row_blocks;
    const int left_packed = left->pack_left != NULL || n > LEFT_DIRECT_COLUMNS;
    const int right_packed = right->pack_right != NULL || right->outer != 1 || m > RIGHT_DIRECT_ROWS;
    const int64_t left_size = left_packed ? GN_GEMM_ROWS * LEFT_STEP : 0;
    /* of a factor that is read in place, columns that do not fill vectors are still packed */
    const int64_t right_width = right_packed ? panel_width : n % LANES == 0 ? 0 : WIDTH;
    const int64_t size = left_size + right_width * level_depth + (right_width == 0 ? 0 : WIDTH);
    COMPUTE *left_panel = size == 0 ? NULL : gn_take_items(size, sizeof(COMPUTE));
    if (left_panel == NULL && size != 0) {
        return GN_OUT_OF_MEMORY;
    }
    COMPUTE *right_panel = size == 0 ? NULL : left_panel + left_size;
    for (int64_t column = 0; column < n; column += panel_width) {
        const int64_t columns = gn_min(panel_width, n - column);
        const int64_t packed_from = right_packed ? 0 : columns / LANES * LANES;
        for (int64_t level = 0; level < levels; level++) {
            const int64_t start = level * level_depth;
            const int64_t depth = gn_min(level_depth, k - start);
            const COMPUTE *added = level == 0 ? from : c;
            const int64_t added_row = level == 0 ? from_row : c_row;
            const int64_t added_column = level == 0 ? from_column : 1;
            const COMPUTE factor = level == 0 ? beta : 1;
            if (right->pack_right != NULL) {
                right->pack_right(right->data, right_panel, column, columns, start, depth);
            } else if (packed_from < columns) {
                NAME(pack_columns)(right, right_panel, column + packed_from, columns - packed_from, start, depth);
            }
            for (int64_t block = 0, row = 0; block < row_blocks; block++) {
                const int64_t rows = block_rows + (block < longer_blocks);
                const COMPUTE *a = left_panel;
                int64_t a_row = LEFT_STEP;
                int64_t a_step = 1;
                if (left->pack_left != NULL) {
                    left->pack_left(left->data, left_panel, row, rows, start, depth);
                } else {
                    const COMPUTE *lies = (const COMPUTE *)left->data + row * left->outer + start * left->inner;
                    if (left_packed) {
                        NAME(pack_rows)(left_panel, lies, left->outer, left->inner, rows, depth);
                        a_row = left->outer == 1 ? 1 : LEFT_STEP;
                        a_step = left->outer == 1 ? GN_GEMM_ROWS : 1;
                    } else {
                        a = lies;
                        a_row = left->outer;
                        a_step = left->inner;
                    }
                    if (left->inner == 1 && block + 1 < row_blocks) {
                        NAME(ask_for_rows)(lies + rows * left->outer, left->outer, rows, depth);
                    }
                }
                for (int64_t j = 0, width; j < columns; j += width) {
                    const int is_packed = j >= packed_from;
                    width = gn_min(WIDTH, (is_packed ? columns : packed_from) - j);
                    const COMPUTE *b = is_packed ? right_panel + (j - packed_from) * depth
                                                 : (const COMPUTE *)right->data + column + j + start * right->inner;
                    const int64_t b_step = is_packed ? WIDTH : right->inner;
                    const COMPUTE *add = added == NULL ? NULL : added + row * added_row + added_column * (column + j);
                    COMPUTE *to = c + row * c_row + column + j;
                    if (width == WIDTH || width == LANES) {
                        NAME(blocks)[rows - 1][width == WIDTH](depth, a, a_row, a_step, b, b_step, alpha, factor, add,
                                                               added_row, to, c_row);
                    } else {
                        NAME(make_edge)(rows, width, depth, a, a_row, a_step, b, b_step, alpha, factor, add,
                                        added_row, to, c_row);
                    }
                }
                row += rows;
            }
        }
    }
    gn_give(left_panel);
    return GN_OK;
}

#undef LANES
#undef WIDTH
#undef LEFT_STEP
#undef LEVEL
#undef PANEL

#endif
