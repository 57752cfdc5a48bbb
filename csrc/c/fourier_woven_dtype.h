/* Fourier transforms of lines as matrices whose rows are vectors of pairs: the columns are transformed, a row at a time,
 * multiplied by roots, and squares of pairs are transposed in registers, which makes the transforms of rows the same.
 *
 * Source: Bailey, "FFTs in external or hierarchical memory", 1990 (the four steps). */
#if IS_PRECISE

#define SPLIT NAME(gn_split)

#if defined(COUNT) && (GN_GEMM_BYTES > 16 || CODE == GN_FLOAT32)
#define WOVEN_PLAN NAME(gn_woven)
#define BLOCKS_PLAN WOVEN_PLAN
/* Pairs of a vector. */
#define WIDTH (SIDE / 2)

#include "fourier_stages.h"
#include "fourier_blocks.h"

int NAME(gn_can_weave)(int64_t length) {
    const int64_t rows = length / WIDTH;
    return WIDTH > 1 && length % WIDTH == 0 && rows >= WIDTH && rows > 1 && length >= FEWEST_POINTS
           && length <= MOST_POINTS && gn_is_smooth(rows);
}

/* Each of some roots as a vector, or two numbers of one. */
static void NAME(spread)(SPLIT roots, int64_t count, int64_t times, COMPUTE sign, SPLIT to) {
    for (int64_t k = 0; k < count; k++) {
        const COMPUTE real = roots.real[k], imag = roots.imag[k] * sign;
        for (int64_t i = 0; i < times; i += 2) {
            to.real[k * times + i] = to.real[k * times + i + 1] = real;
            to.imag[k * times + i] = -imag;
            to.imag[k * times + i + 1] = imag;
        }
    }
}

int32_t NAME(gn_begin_woven)(WOVEN_PLAN *plan, int64_t length, int64_t half_of, int is_back, COMPUTE scale) {
    memset(plan, 0, sizeof *plan);
    const int64_t rows = length / WIDTH;
    plan->length = length;
    plan->rows = rows;
    plan->half_of = half_of;
    plan->is_back = is_back;
    plan->factor_count = gn_factorize(rows, plan->factors);
    const int64_t fitting = TOGETHER_BYTES / (2 * length * (int64_t)sizeof(COMPUTE));
    plan->together = fitting < 1 ? 1 : gn_min(fitting, 16);
    plan->room = SIDE + 4 * length * plan->together;
    const int64_t half = half_of / 4 + 1;
    const int64_t all = length > half ? length : half;
    COMPUTE *numbers = gn_take_items(2 * (rows + all) + 2 * rows * SIDE + 4 * length + 4 * half, sizeof(COMPUTE));
    plan->inner.real = numbers;
    plan->after = gn_take_items(rows, sizeof(int32_t));
    if (numbers == NULL || plan->after == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    const COMPUTE sign = is_back ? -1 : 1;
    plan->inner.imag = numbers + rows * SIDE;
    plan->between = (SPLIT){numbers + 2 * rows * SIDE, numbers + 2 * rows * SIDE + 2 * length};
    plan->halves = (SPLIT){plan->between.imag + 2 * length, plan->between.imag + 2 * length + 2 * half};
    plan->roots = (SPLIT){plan->halves.imag + 2 * half, plan->halves.imag + 2 * half + rows};
    const SPLIT known = {plan->roots.imag + rows, plan->roots.imag + rows + all};
    NAME(gn_write_circle)(rows, rows, 1, plan->roots);
    NAME(spread)(plan->roots, rows, SIDE, sign, plan->inner);
    NAME(gn_write_circle)(length, length, scale, known);
    for (int64_t row = 0; row < rows; row++) {
        for (int64_t column = 0; column < WIDTH; column++) {
            const int64_t at = 2 * (row * WIDTH + column);
            const COMPUTE real = known.real[row * column], imag = known.imag[row * column] * sign;
            plan->between.real[at] = plan->between.real[at + 1] = real;
            plan->between.imag[at] = -imag;
            plan->between.imag[at + 1] = imag;
        }
    }
    if (half_of > 0) {
        NAME(gn_write_circle)(half_of, half, is_back ? 1 : (COMPUTE)0.5, known);
        NAME(spread)(known, half, 2, sign, plan->halves);
    }
    NAME(begin_blocks)(plan, rows, rows / plan->factors[0], plan->after);
    return GN_OK;
}

void NAME(gn_end_woven)(WOVEN_PLAN *plan) {
    gn_give(plan->inner.real);
    gn_give(plan->after);
}

/* Transposes a square of pairs, as turn_square does one of numbers. */
GN_INLINE void NAME(turn_pairs)(WIDE *square) {
    GN_UNROLL
    for (size_t turn = 1; turn < COUNT / 2; turn *= 2) {
        WIDE mixed[COUNT / 2];
        GN_UNROLL
        for (size_t i = 0; i < COUNT / 4; i++) {
            mixed[2 * i] = CHOSEN(square[i], square[i + COUNT / 4], PAIRS_LOWER);
            mixed[2 * i + 1] = CHOSEN(square[i], square[i + COUNT / 4], PAIRS_UPPER);
        }
        GN_UNROLL
        for (size_t i = 0; i < COUNT / 2; i++) {
            square[i] = mixed[i];
        }
    }
}

/* The last steps, of transformed columns. */
static void NAME(transform_rows)(const WOVEN_PLAN *plan, NAME(stage) *given, const COMPUTE *columns, COMPUTE *to) {
    NAME(stage) now = *given;
    const NAME(stage) *stage = &now;
    now.apart = SIDE;
    now.width = 2 * plan->rows;
    for (int64_t next = 0; next < plan->rows; next += WIDTH) {
        const int64_t row = gn_min(next, plan->rows - WIDTH); /* the last ones may be transformed again */
        WIDE square[COUNT / 2];
        GN_UNROLL
        for (size_t i = 0; i < COUNT / 2; i++) {
            const int64_t at = (row + (int64_t)i) * SIDE;
            square[i] = NAME(times)(*(const WIDE *)(columns + plan->after[row + (int64_t)i] * SIDE),
                                    *(const WIDE *)(plan->between.real + at), *(const WIDE *)(plan->between.imag + at));
        }
        NAME(turn_pairs)(square);
        now.from = (const COMPUTE *)square;
        now.to = to + 2 * row;
        switch (WIDTH) {
        case 2: NAME(stage_2)(stage, 0, FIRST_BESIDE); break;
        case 4: NAME(stage_4)(stage, 0, FIRST_BESIDE); break;
        default: NAME(stage_8)(stage, 0, FIRST_BESIDE); break;
        }
    }
}

GN_INLINE WIDE NAME(wide_at)(const COMPUTE *from, int64_t pair) {
    return *(const WIDE *)(from + 2 * pair);
}
GN_INLINE WIDE NAME(reversed)(WIDE a) {
    return CHOSEN(a, a, REVERSED);
}
/* Pairs first, first - 1, ... */
GN_INLINE WIDE NAME(back_from)(const COMPUTE *from, int64_t first) {
    return NAME(reversed)(NAME(wide_at)(from, first - WIDTH + 1));
}
GN_INLINE void NAME(set_back_from)(COMPUTE *to, int64_t first, WIDE a) {
    *(WIDE *)(to + 2 * (first - WIDTH + 1)) = NAME(reversed)(a);
}
GN_INLINE WIDE NAME(alternating)(COMPUTE first) {
    WIDE signs = {0};
    for (size_t i = 0; i < COUNT; i++) {
        signs[i] = i % 2 == 0 ? first : -first;
    }
    return signs;
}

/* As gn_unfold_beside does, from points to half the line. */
static void NAME(unfold_woven)(const WOVEN_PLAN *plan, const COMPUTE *points, COMPUTE *to) {
    const int64_t length = plan->length, last = length / 2 - WIDTH + 1;
    const WIDE signs = NAME(alternating)(1), half = NAME(filled)((COMPUTE)0.5);
    for (int64_t next = 1; next <= length / 2; next += WIDTH) {
        const int64_t k = gn_min(next, last);
        const WIDE a = NAME(wide_at)(points, k), b = NAME(back_from)(points, length - k) * signs;
        const WIDE sum = a + b;
        const WIDE turned = NAME(times)(NAME(swapped)(a - b) * signs, NAME(wide_at)(plan->halves.real, k),
                                        NAME(wide_at)(plan->halves.imag, k));
        *(WIDE *)(to + 2 * k) = NAME(multiply_add)(sum, half, turned);
        NAME(set_back_from)(to, length - k, NAME(multiply_add)(sum, half, -turned) * signs);
    }
    const COMPUTE even = points[0], odd = points[1];
    to[0] = even + odd;
    to[2 * length] = even - odd;
    to[1] = to[2 * length + 1] = 0;
}

/* As gn_fold_beside does, but for exchanged parts. */
static void NAME(fold_woven)(const WOVEN_PLAN *plan, const COMPUTE *from, COMPUTE *points) {
    const int64_t length = plan->length, last = length / 2 - WIDTH + 1;
    const WIDE signs = NAME(alternating)(1);
    for (int64_t next = 1; next <= length / 2; next += WIDTH) {
        const int64_t k = gn_min(next, last);
        const WIDE a = NAME(wide_at)(from, k), b = NAME(back_from)(from, length - k) * signs;
        const WIDE sum = a + b;
        const WIDE turned = NAME(times)(a - b, NAME(wide_at)(plan->halves.real, k), NAME(wide_at)(plan->halves.imag, k));
        const WIDE beside = NAME(swapped)(turned) * -signs;
        *(WIDE *)(points + 2 * k) = sum + beside;
        NAME(set_back_from)(points, length - k, (sum - beside) * signs);
    }
    const COMPUTE first = from[0], end = from[2 * length];
    points[0] = first + end;
    points[1] = first - end;
}

/* Writes the conjugates of the inner elements of half a line, backward from the end of the whole line. */
static void NAME(write_conjugates)(const WOVEN_PLAN *plan, COMPUTE *line) {
    const WIDE signs = NAME(alternating)(1);
    for (int64_t next = 1; next < plan->length; next += WIDTH) {
        const int64_t k = gn_min(next, plan->length - WIDTH);
        NAME(set_back_from)(line, plan->half_of - k, NAME(wide_at)(line, k) * signs);
    }
}

/* Asks for the cache lines of so many numbers, which need not exist. */
GN_INLINE void NAME(ask_for)(const COMPUTE *numbers, int64_t count, const int is_written) {
    for (int64_t i = 0; i < count; i += 64 / (int64_t)sizeof(COMPUTE)) {
        if (is_written) {
            __builtin_prefetch(numbers + i, 1, 2);
        } else {
            __builtin_prefetch(numbers + i, 0, 2);
        }
    }
}

void NAME(gn_transform_woven)(const WOVEN_PLAN *plan, const COMPUTE *from, int64_t from_step, COMPUTE *to,
                              int64_t to_step, int64_t lines, int is_whole, COMPUTE *memory) {
    const int has_half_input = plan->half_of > 0 && plan->is_back, has_half_output = plan->half_of > 0 && !plan->is_back;
    const int64_t each = 2 * plan->length;
    COMPUTE *columns = memory + SIDE, *points = columns + plan->together * each;
    const COMPUTE *given = from;
    const int64_t given_step = from_step;
    NAME(stage) stage;
    stage.turn = NAME(alternating)(plan->is_back ? -1 : 1);
    stage.table = plan->inner;
    if (has_half_input) {
        for (int64_t line = 0; line < lines; line++) {
            NAME(fold_woven)(plan, from + line * from_step, points + line * each);
        }
        from = points;
        from_step = each;
    }
    int64_t blocks = lines;
    for (int32_t i = 0; i < plan->factor_count; i++) {
        const int64_t step = i == 0 ? from_step : plan->lengths[i] * SIDE;
        NAME(run_blocks)(&stage, plan, i, i == 0 ? from : columns, step, columns, blocks, plan->lengths[i + 1]);
        blocks *= plan->factors[i];
    }
    WIDE sum = *(const WIDE *)memory;
    for (int64_t line = 0; line < lines; line++) {
        COMPUTE *result = has_half_output ? points : to + line * to_step;
        NAME(ask_for)(given + (lines + line) * given_step, each, 0); /* of the next lines: many are not in a cache */
        NAME(ask_for)(to + (line + 1) * to_step, each + 2 * has_half_output, 1);
        NAME(transform_rows)(plan, &stage, columns + line * each, result);
        WIDE sums[2] = {sum, {0}};
        for (int64_t k = 0; k < plan->length; k += 2 * WIDTH) {
            sums[0] += NAME(wide_at)(result, k) * 0;
            sums[1] += NAME(wide_at)(result, gn_min(k + WIDTH, plan->length - WIDTH)) * 0;
        }
        sum = sums[0] + sums[1];
        if (has_half_output) {
            COMPUTE *half = to + line * to_step;
            NAME(unfold_woven)(plan, points, half);
            if (is_whole) {
                NAME(write_conjugates)(plan, half);
            }
            sum[0] += half[0] * 0 + half[each] * 0;
        }
    }
    *(WIDE *)memory = sum;
}

void NAME(gn_begin_lines)(COMPUTE *memory) {
    *(WIDE *)memory = NAME(filled)(0);
}

int NAME(gn_are_finite)(const COMPUTE *memory) {
    int is_finite = 1;
    for (int64_t k = 0; k < SIDE; k++) {
        is_finite &= memory[k] == 0;
    }
    return is_finite;
}

#undef WOVEN_PLAN
#undef BLOCKS_PLAN
#undef WIDTH
#include "fourier_stages_end.h"
#else
int NAME(gn_can_weave)(int64_t length) {
    return 0;
}
int32_t NAME(gn_begin_woven)(NAME(gn_woven) *plan, int64_t length, int64_t half_of, int is_back, COMPUTE scale) {
    return GN_OK;
}
void NAME(gn_end_woven)(NAME(gn_woven) *plan) {
}
void NAME(gn_transform_woven)(const NAME(gn_woven) *plan, const COMPUTE *from, int64_t from_step, COMPUTE *to,
                              int64_t to_step, int64_t lines, int is_whole, COMPUTE *memory) {
}
void NAME(gn_begin_lines)(COMPUTE *memory) {
}
int NAME(gn_are_finite)(const COMPUTE *memory) {
    return 1;
}
#endif

#undef SPLIT
#endif
