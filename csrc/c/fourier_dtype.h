/* Fourier transforms of columns and of lines, for one dtype. */
#if IS_PRECISE

#define SPLIT NAME(gn_split)
#define COLUMNS NAME(gn_columns)
#define FOURIER NAME(gn_fourier)

#include "fourier_stages.h"

/* A stage for all columns of a group. */
#define RUN_STAGE(HOW)                                                                                                 \
    static void NAME(run_##HOW)(const NAME(stage) *stage, int32_t factor) {                                            \
        switch (factor) {                                                                                              \
        case 2: EACH_VECTOR NAME(stage_2)(stage, q, HOW); break;                                                       \
        case 3: EACH_VECTOR NAME(stage_3)(stage, q, HOW); break;                                                       \
        case 4: EACH_VECTOR NAME(stage_4)(stage, q, HOW); break;                                                       \
        case 5: EACH_VECTOR NAME(stage_5)(stage, q, HOW); break;                                                       \
        case 7: EACH_VECTOR NAME(stage_odd)(stage, q, 7, HOW); break;                                                  \
        case 8: EACH_VECTOR NAME(stage_8)(stage, q, HOW); break;                                                       \
        default: EACH_VECTOR NAME(stage_odd)(stage, q, factor, HOW); break;                                            \
        }                                                                                                              \
    }
#define EACH_VECTOR for (int64_t q = 0; q < stage->width; q += SIDE)
RUN_STAGE(PLAIN)
RUN_STAGE(ROOTS_ARE_ONE)
RUN_STAGE(LAST_TIMES_BETWEEN)
RUN_STAGE(FROM_PAIRS)
RUN_STAGE(FIRST_FROM_PAIRS)
RUN_STAGE(FROM_EXCHANGED)
RUN_STAGE(FIRST_FROM_EXCHANGED)
RUN_STAGE(LAST_TO_PAIRS)
RUN_STAGE(LAST_TO_EXCHANGED)
#undef RUN_STAGE
#undef EACH_VECTOR

/* Pairs that the first stage reads and the last one writes, if not `line`; and the factor of the last one. */
typedef struct NAME(ends) {
    const COMPUTE *from;
    COMPUTE *to;
    int exchanged;
    COMPUTE scale;
    SPLIT between;
} NAME(ends);

/* Stockham's algorithm: each stage transforms `factor` elements at a time, `groups` groups apart, and writes them in the
 * order that the next one reads; `step` transforms of each of `lines` columns lie side by side. */
static void NAME(transform_columns)(const COLUMNS *plan, SPLIT *line, SPLIT *spare, int64_t lines,
                                    const NAME(ends) *ends) {
    int64_t groups = plan->length;
    int64_t step = 1;
    NAME(stage) stage;
    stage.between = ends->between;
    stage.scale = ends->scale;
    for (int32_t i = 0; i < plan->factor_count; i++) {
        const int32_t factor = plan->factors[i];
        const int is_from_pairs = i == 0 && ends->from != NULL;
        const int is_to_pairs = i == plan->factor_count - 1 && ends->to != NULL;
        const int is_between = i == plan->factor_count - 1 && ends->between.real != NULL;
        groups /= factor;
        stage.width = step * lines;
        stage.apart = groups * stage.width;
        for (int32_t k = 0; k < factor && (factor == 7 || factor > 8); k++) {
            const int64_t at = plan->length / factor * k;
            stage.unit[k] = (ROOT){plan->roots.real[at], plan->roots.imag[at]};
        }
        for (int64_t p = 0; p < groups; p++) {
            for (int32_t k = 0; k < factor && p > 0; k++) {
                stage.roots[k] = (ROOT){plan->roots.real[p * k * step], plan->roots.imag[p * k * step]};
            }
            const int64_t begin = p * stage.width;
            stage.in = (SPLIT){line->real + begin, line->imag + begin};
            stage.out = (SPLIT){spare->real + factor * begin, spare->imag + factor * begin};
            stage.from = is_from_pairs ? ends->from + 2 * begin : NULL;
            stage.to = is_to_pairs ? ends->to : NULL;
            if (is_from_pairs && ends->exchanged) {
                (p == 0 ? NAME(run_FIRST_FROM_EXCHANGED) : NAME(run_FROM_EXCHANGED))(&stage, factor);
            } else if (is_from_pairs) {
                (p == 0 ? NAME(run_FIRST_FROM_PAIRS) : NAME(run_FROM_PAIRS))(&stage, factor);
            } else if (is_to_pairs) {
                (ends->exchanged ? NAME(run_LAST_TO_EXCHANGED) : NAME(run_LAST_TO_PAIRS))(&stage, factor);
            } else if (is_between) {
                NAME(run_LAST_TIMES_BETWEEN)(&stage, factor);
            } else {
                (p == 0 ? NAME(run_ROOTS_ARE_ONE) : NAME(run_PLAIN))(&stage, factor);
            }
        }
        step *= factor;
        const SPLIT other = *line;
        *line = *spare;
        *spare = other;
    }
}

/* The part [begin, end) of an eighth of the circle, whose angles grow or shrink with k: series in double, so that the
 * loop is vector code. */
static void NAME(write_eighth)(int64_t eighth, int64_t begin, int64_t end, int64_t length, double scale, SPLIT to) {
    const double first = (double)(eighth % 2 == 0 ? 8 * begin - eighth * length : (eighth + 1) * length - 8 * begin);
    const double step = eighth % 2 == 0 ? 8 : -8;
    const int is_across = eighth % 4 == 0 || eighth % 4 == 3;
    COMPUTE *near = (is_across ? to.real : to.imag) + begin, *far = (is_across ? to.imag : to.real) + begin;
    const double across = eighth >= 2 && eighth < 6 ? -scale : scale, up = eighth >= 4 ? scale : -scale;
    const double near_sign = is_across ? across : up, far_sign = is_across ? up : across;
    const int32_t count = (int32_t)(end - begin);
    GN_INDEPENDENT
    for (int32_t i = 0; i < count; i++) {
        const double x = 0.78539816339744830962 * (first + step * (double)i) / (double)length;
        const double y = x * x;
        double cosine = 1.0 / 20922789888000, sine = 1.0 / 355687428096000;
        cosine = GN_FMA(cosine, y, -1.0 / 87178291200);
        cosine = GN_FMA(cosine, y, 1.0 / 479001600);
        cosine = GN_FMA(cosine, y, -1.0 / 3628800);
        cosine = GN_FMA(cosine, y, 1.0 / 40320);
        cosine = GN_FMA(cosine, y, -1.0 / 720);
        cosine = GN_FMA(cosine, y, 1.0 / 24);
        const double rest = y * (0.5 - y * cosine); /* near the end of the sum, which is 1 - rest */
        sine = GN_FMA(sine, y, -1.0 / 1307674368000);
        sine = GN_FMA(sine, y, 1.0 / 6227020800);
        sine = GN_FMA(sine, y, -1.0 / 39916800);
        sine = GN_FMA(sine, y, 1.0 / 362880);
        sine = GN_FMA(sine, y, -1.0 / 5040);
        sine = GN_FMA(sine, y, 1.0 / 120);
        sine = GN_FMA(sine, y, -1.0 / 6);
        near[i] = (COMPUTE)((1 - rest) * near_sign);
        far[i] = (COMPUTE)(GN_FMA(x * y, sine, x) * far_sign);
    }
}

void NAME(gn_write_circle)(int64_t length, int64_t count, COMPUTE scale, SPLIT to) {
    for (int64_t eighth = 0; eighth < 8; eighth++) {
        const int64_t begin = (eighth * length + 7) / 8, end = gn_min(((eighth + 1) * length + 7) / 8, count);
        NAME(write_eighth)(eighth, begin, end, length, (double)scale, to);
    }
}

static int32_t NAME(begin_columns)(COLUMNS *plan, int64_t length) {
    plan->length = length;
    plan->factor_count = gn_factorize(length, plan->factors);
    plan->roots.real = gn_take_items(gn_checked(2, length), sizeof(COMPUTE));
    if (plan->roots.real == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    plan->roots.imag = plan->roots.real + length;
    NAME(gn_write_circle)(length, length, 1, plan->roots);
    return GN_OK;
}

/* Roots whose products are written together. */
#define TOGETHER 32

void NAME(gn_write_roots)(const gn_roots *roots, int64_t factor, int64_t count, SPLIT to) {
    double real[TOGETHER], imag[TOGETHER];
    int64_t power = 0;
    for (int64_t i = 0; i < gn_min(TOGETHER, count); i++) {
        const gn_point root = root_at(roots, power);
        real[i] = root.real;
        imag[i] = root.imag;
        power += factor;
        power = power >= roots->length ? power - roots->length : power; /* avoids a slower division */
    }
    for (int64_t begin = 0, at = 0; begin < count; begin += TOGETHER) {
        const gn_point root = root_at(roots, at);
        const double minus = -root.imag;
        const int64_t part = gn_min(TOGETHER, count - begin);
        GN_INDEPENDENT
        for (int64_t i = 0; i < part; i++) {
            to.real[begin + i] = (COMPUTE)(root.real * real[i] + minus * imag[i]);
            to.imag[begin + i] = (COMPUTE)(root.real * imag[i] + root.imag * real[i]);
        }
        at += power;
        at = at >= roots->length ? at - roots->length : at;
    }
}

int32_t NAME(gn_begin_fourier)(FOURIER *plan, int64_t length) {
    memset(plan, 0, sizeof *plan);
    plan->length = length;
    plan->rows = rows_of_matrix(length);
    plan->columns = length / plan->rows;
    if (NAME(begin_columns)(&plan->along, plan->columns) != GN_OK) {
        return GN_OUT_OF_MEMORY;
    }
    plan->row_step = (plan->columns + SIDE - 1) / SIDE * SIDE;
    plan->column_step = (plan->rows + SIDE - 1) / SIDE * SIDE;
    if (NAME(begin_columns)(&plan->down, plan->rows) != GN_OK || gn_begin_roots(&plan->roots, length) != GN_OK) {
        return GN_OUT_OF_MEMORY;
    }
    if (length <= GN_LONGEST_MATRIX) {
        const int64_t count = plan->column_step * plan->row_step;
        SPLIT *between = &plan->between;
        between->real = gn_take_items(gn_checked(2, count), sizeof(COMPUTE));
        if (between->real == NULL) {
            return GN_OUT_OF_MEMORY;
        }
        between->imag = between->real + count;
        memset(between->real, 0, (size_t)(2 * count) * sizeof(COMPUTE));
        for (int64_t row = 0; row < plan->rows; row++) {
            const int64_t begin = row * plan->row_step;
            NAME(gn_write_roots)(&plan->roots, row, plan->columns,
                                 (SPLIT){between->real + begin, between->imag + begin});
        }
    }
    return GN_OK;
}

void NAME(gn_end_fourier)(FOURIER *plan) {
    gn_give(plan->down.roots.real);
    gn_give(plan->along.roots.real);
    gn_give(plan->between.real);
    gn_end_roots(&plan->roots);
}

/* With padding, so that elements at the same index of each part do not share cache sets. */
int64_t NAME(gn_fourier_room)(const FOURIER *plan) {
    const int64_t rows = (plan->rows + SIDE - 1) / SIDE * SIDE;
    return rows * plan->row_step + 64;
}

/* to[column][row] = from[row][column], in steps of whole vectors. */
static void NAME(turn)(const COMPUTE *from, int64_t from_step, int64_t rows, int64_t columns, COMPUTE *to,
                       int64_t to_step) {
    for (int64_t row = 0; row < rows; row += SIDE) {
        for (int64_t column = 0; column < columns; column += SIDE) {
            WIDE square[GN_GEMM_BYTES / sizeof(COMPUTE)];
            GN_UNROLL
            for (int64_t i = 0; i < SIDE; i++) {
                square[i] = *(const WIDE *)(from + (row + i) * from_step + column);
            }
            NAME(turn_square)(square);
            GN_UNROLL
            for (int64_t i = 0; i < SIDE; i++) {
                *(WIDE *)(to + (column + i) * to_step + row) = square[i];
            }
        }
    }
}

/* Pairs to separate real and imaginary parts, and back. */
static void NAME(read_pairs)(const COMPUTE *from, int64_t count, int exchanged, SPLIT to) {
    COMPUTE *real = exchanged ? to.imag : to.real, *imag = exchanged ? to.real : to.imag;
    GN_INDEPENDENT
    for (int64_t i = 0; i < count; i++) {
        real[i] = from[2 * i];
        imag[i] = from[2 * i + 1];
    }
}
static void NAME(write_pairs)(SPLIT from, int64_t count, int exchanged, COMPUTE scale, COMPUTE *to) {
    const COMPUTE *real = exchanged ? from.imag : from.real, *imag = exchanged ? from.real : from.imag;
    GN_INDEPENDENT
    for (int64_t i = 0; i < count; i++) {
        to[2 * i] = real[i] * scale;
        to[2 * i + 1] = imag[i] * scale;
    }
}

/* Moves rows from where they are `from_step` apart to where they are `to_step`, from the end if that is farther. */
static void NAME(move_rows)(COMPUTE *data, int64_t rows, int64_t columns, int64_t from_step, int64_t to_step) {
    for (int64_t i = 1; i < rows && from_step != to_step; i++) {
        const int64_t row = from_step < to_step ? rows - i : i;
        memmove(data + row * to_step, data + row * from_step, (size_t)columns * sizeof(COMPUTE));
    }
}

/* A line that is a matrix in the cache. */
static void NAME(transform_matrix)(const FOURIER *plan, SPLIT *line, SPLIT *spare, const NAME(ends) *ends) {
    const int is_fused = plan->down.factor_count > 1 && plan->along.factor_count > 1;
    const int from_pairs = ends->from != NULL && is_fused && plan->columns == plan->row_step;
    const int to_pairs = ends->to != NULL && is_fused && plan->rows == plan->column_step;
    NAME(ends) first = {from_pairs ? ends->from : NULL, NULL, ends->exchanged, 1, plan->between};
    NAME(ends) last = {NULL, to_pairs ? ends->to : NULL, ends->exchanged, ends->scale, {NULL, NULL}};
    if (ends->from != NULL && !from_pairs) {
        NAME(read_pairs)(ends->from, plan->length, ends->exchanged, *line);
    }
    if (!from_pairs) {
        NAME(move_rows)(line->real, plan->rows, plan->columns, plan->columns, plan->row_step);
        NAME(move_rows)(line->imag, plan->rows, plan->columns, plan->columns, plan->row_step);
    }
    NAME(transform_columns)(&plan->down, line, spare, plan->row_step, &first);
    NAME(turn)(line->real, plan->row_step, plan->rows, plan->columns, spare->real, plan->column_step);
    NAME(turn)(line->imag, plan->row_step, plan->rows, plan->columns, spare->imag, plan->column_step);
    NAME(transform_columns)(&plan->along, spare, line, plan->column_step, &last);
    const SPLIT other = *line;
    *line = *spare;
    *spare = other;
    if (!to_pairs) {
        NAME(move_rows)(line->real, plan->columns, plan->rows, plan->column_step, plan->rows);
        NAME(move_rows)(line->imag, plan->columns, plan->rows, plan->column_step, plan->rows);
    }
    if (ends->to != NULL && !to_pairs) {
        NAME(write_pairs)(*line, plan->length, ends->exchanged, ends->scale, ends->to);
    }
}

/* A matrix that is too long for the cache: GN_FOURIER_LINES columns at a time. */
typedef struct NAME(long_line) {
    const FOURIER *plan;
    const NAME(ends) *ends;
    SPLIT line, turned;
    gn_status status;
} NAME(long_line);

/* Memory for `count` columns, their transforms, and roots. */
static COMPUTE *NAME(take_columns)(NAME(long_line) *work, int64_t length, SPLIT *now, SPLIT *spare, SPLIT *roots) {
    const int64_t step = (length + SIDE - 1) / SIDE * SIDE;
    COMPUTE *memory = gn_take_items(gn_checked(step, 4 * GN_FOURIER_LINES + 2), sizeof(COMPUTE));
    if (memory == NULL) {
        gn_report(&work->status, GN_OUT_OF_MEMORY);
        return NULL;
    }
    const int64_t each = step * GN_FOURIER_LINES;
    *now = (SPLIT){memory, memory + each};
    *spare = (SPLIT){memory + 2 * each, memory + 3 * each};
    *roots = (SPLIT){memory + 4 * each, memory + 4 * each + step};
    return memory;
}

static void NAME(transform_down)(int64_t begin, int64_t end, void *context) {
    NAME(long_line) *work = context;
    const FOURIER *plan = work->plan;
    const NAME(ends) none = {NULL, NULL, 0, 1, {NULL, NULL}};
    const int64_t step = (plan->rows + SIDE - 1) / SIDE * SIDE;
    SPLIT now, spare, roots;
    COMPUTE *memory = NAME(take_columns)(work, plan->rows, &now, &spare, &roots);
    for (int64_t block = begin; block < end && memory != NULL; block++) {
        const int64_t first = block * GN_FOURIER_LINES;
        const int64_t count = gn_min(GN_FOURIER_LINES, plan->columns - first);
        for (int64_t row = 0; row < plan->rows; row++) {
            const int64_t from = row * plan->columns + first, to = row * GN_FOURIER_LINES;
            const SPLIT target = {now.real + to, now.imag + to};
            if (work->ends->from != NULL) {
                NAME(read_pairs)(work->ends->from + 2 * from, count, work->ends->exchanged, target);
            } else {
                memcpy(target.real, work->line.real + from, (size_t)count * sizeof(COMPUTE));
                memcpy(target.imag, work->line.imag + from, (size_t)count * sizeof(COMPUTE));
            }
        }
        NAME(transform_columns)(&plan->down, &now, &spare, GN_FOURIER_LINES, &none);
        NAME(turn)(now.real, GN_FOURIER_LINES, plan->rows, GN_FOURIER_LINES, spare.real, step);
        NAME(turn)(now.imag, GN_FOURIER_LINES, plan->rows, GN_FOURIER_LINES, spare.imag, step);
        for (int64_t column = 0; column < count; column++) {
            NAME(gn_write_roots)(&plan->roots, first + column, plan->rows, roots);
            const SPLIT from = {spare.real + column * step, spare.imag + column * step};
            const int64_t to = (first + column) * plan->rows;
            GN_INDEPENDENT
            for (int64_t i = 0; i < plan->rows; i++) {
                const COMPUTE minus = -roots.imag[i];
                work->turned.real[to + i] = from.real[i] * roots.real[i] + from.imag[i] * minus;
                work->turned.imag[to + i] = from.real[i] * roots.imag[i] + from.imag[i] * roots.real[i];
            }
        }
    }
    gn_give(memory);
}

static void NAME(transform_along)(int64_t begin, int64_t end, void *context) {
    NAME(long_line) *work = context;
    const FOURIER *plan = work->plan;
    const NAME(ends) none = {NULL, NULL, 0, 1, {NULL, NULL}};
    SPLIT now, spare, roots;
    COMPUTE *memory = NAME(take_columns)(work, plan->columns, &now, &spare, &roots);
    for (int64_t block = begin; block < end && memory != NULL; block++) {
        const int64_t first = block * GN_FOURIER_LINES;
        const int64_t count = gn_min(GN_FOURIER_LINES, plan->rows - first);
        const size_t bytes = (size_t)count * sizeof(COMPUTE);
        for (int64_t row = 0; row < plan->columns; row++) {
            const int64_t from = row * plan->rows + first, to = row * GN_FOURIER_LINES;
            memcpy(now.real + to, work->turned.real + from, bytes);
            memcpy(now.imag + to, work->turned.imag + from, bytes);
        }
        NAME(transform_columns)(&plan->along, &now, &spare, GN_FOURIER_LINES, &none);
        for (int64_t row = 0; row < plan->columns; row++) {
            const int64_t to = row * plan->rows + first, from = row * GN_FOURIER_LINES;
            if (work->ends->to != NULL) {
                NAME(write_pairs)((SPLIT){now.real + from, now.imag + from}, count, work->ends->exchanged,
                                  work->ends->scale, work->ends->to + 2 * to);
            } else {
                memcpy(work->line.real + to, now.real + from, bytes);
                memcpy(work->line.imag + to, now.imag + from, bytes);
            }
        }
    }
    gn_give(memory);
}

int32_t NAME(gn_transform)(const FOURIER *plan, const COMPUTE *from, SPLIT *line, SPLIT *spare, COMPUTE *to,
                           int exchanged, COMPUTE scale) {
    const NAME(ends) ends = {from, to, exchanged, scale, {NULL, NULL}};
    if (plan->between.real != NULL) {
        NAME(transform_matrix)(plan, line, spare, &ends);
        return GN_OK;
    }
    NAME(long_line) work = {plan, &ends, *line, *spare, GN_OK};
    gn_parallel_for(0, (plan->columns + GN_FOURIER_LINES - 1) / GN_FOURIER_LINES, 1, NAME(transform_down), &work);
    if (work.status == GN_OK) {
        gn_parallel_for(0, (plan->rows + GN_FOURIER_LINES - 1) / GN_FOURIER_LINES, 1, NAME(transform_along), &work);
    }
    return work.status;
}

#undef SPLIT
#undef COLUMNS
#undef FOURIER
#undef TOGETHER
#include "fourier_stages_end.h"
#endif
