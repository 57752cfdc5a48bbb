/* The reduction to tridiagonal matrices, of one dtype. */

#if CODE == GN_FLOAT32 || CODE == GN_FLOAT64
#include "matrix_dtype.h"
#include "reflect_column_dtype.h"

int NAME(gn_read_lines)(const char *from, int64_t row, int64_t column, int64_t count, COMPUTE *lines, int64_t step,
                        int *finite) {
    COMPUTE largest = 0;
    NAME(gather)(from, column, row, count, count, 0, lines, step);
    for (int64_t k = 0; k < count; k++) {
        COMPUTE *line = lines + k * step;
        if (!NAME(are_finite)(line + k, count - k)) {
            *finite = 0;
            return 0;
        }
        for (int64_t i = k; i < count; i++) {
            const COMPUTE size = line[i] < 0 ? -line[i] : line[i];
            largest = size > largest ? size : largest;
        }
        memset(line, 0, (size_t)k * sizeof(COMPUTE));
        memset(line + count, 0, (size_t)(step - count) * sizeof(COMPUTE));
    }
    *finite = 1;
    int exponent;
    frexp((double)largest, &exponent);
    if (abs(exponent) < (CODE == GN_FLOAT64 ? 250 : 30)) {
        return 0;
    }
    const double down = ldexp(1.0, -exponent / 2), down_rest = ldexp(1.0, -exponent - -exponent / 2);
    for (int64_t k = 0; k < count; k++) {
        COMPUTE *line = lines + k * step;
        for (int64_t i = k; i < count; i++) {
            line[i] = (COMPUTE)((double)line[i] * down * down_rest);
        }
    }
    return exponent;
}

void NAME(gn_write_lines)(char *to, int64_t row, int64_t column, int64_t count, const COMPUTE *lines, int64_t step) {
    NAME(scatter)(to, column, row, count, count, 0, lines, step);
}

/* The sums of the products of some lines with x, from `begin` to `end`, which are apart by whole vectors. */
GN_INLINE void NAME(sum_lines)(const COMPUTE *lines, int64_t step, int64_t begin, int64_t end, const COMPUTE *x,
                               COMPUTE *sums, const int count) {
    NAME(wide) parts[LINES];
    memset(parts, 0, sizeof parts);
    for (int64_t i = begin; i < end; i += WIDE) {
        const NAME(wide) known = *(const NAME(loose_wide) *)(x + i);
        GN_UNROLL
        for (int c = 0; c < count; c++) {
            parts[c] = NAME(more_products)(parts[c], known, *(const NAME(loose_wide) *)(lines + c * step + i));
        }
    }
    for (int c = 0; c < count; c++) {
        COMPUTE lanes[WIDE], sum = 0;
        memcpy(lanes, &parts[c], sizeof lanes);
        for (int lane = 0; lane < WIDE; lane++) {
            sum += lanes[lane];
        }
        sums[c] = sum;
    }
}

/* y += the products of some lines with factors. */
GN_INLINE void NAME(add_lines)(const COMPUTE *lines, int64_t step, int64_t begin, int64_t end, const COMPUTE *factors,
                               COMPUTE *y, const int count) {
    for (int64_t i = begin; i < end; i += WIDE) {
        NAME(wide) rest = *(const NAME(loose_wide) *)(y + i);
        GN_UNROLL
        for (int c = 0; c < count; c++) {
            rest = NAME(more)(rest, factors[c], *(const NAME(loose_wide) *)(lines + c * step + i));
        }
        *(NAME(loose_wide) *)(y + i) = rest;
    }
}

static void NAME(sum_all)(const COMPUTE *lines, int64_t step, int64_t count, int64_t begin, int64_t end,
                          const COMPUTE *x, COMPUTE *sums) {
    int64_t k = 0;
    for (; k + LINES <= count; k += LINES) {
        NAME(sum_lines)(lines + k * step, step, begin, end, x, sums + k, LINES);
    }
    for (; k < count; k++) {
        NAME(sum_lines)(lines + k * step, step, begin, end, x, sums + k, 1);
    }
}

static void NAME(add_all)(const COMPUTE *lines, int64_t step, int64_t count, int64_t begin, int64_t end,
                          const COMPUTE *factors, COMPUTE *y) {
    int64_t k = 0;
    for (; k + LINES <= count; k += LINES) {
        NAME(add_lines)(lines + k * step, step, begin, end, factors + k, y, LINES);
    }
    for (; k < count; k++) {
        NAME(add_lines)(lines + k * step, step, begin, end, factors + k, y, 1);
    }
}

/* Adds the products of lines of a triangle, and of the same numbers as columns, with v.  Numbers up to the diagonal are 0. */
GN_INLINE void NAME(multiply_lines)(const COMPUTE *lines, int64_t step, int64_t first, const COMPUTE *v, COMPUTE *y,
                                    const int count) {
    NAME(wide) parts[LINES];
    memset(parts, 0, sizeof parts);
    for (int64_t i = first / WIDE * WIDE; i < step; i += WIDE) {
        const NAME(wide) known = *(const NAME(loose_wide) *)(v + i);
        NAME(wide) rest = *(const NAME(loose_wide) *)(y + i);
        GN_UNROLL
        for (int c = 0; c < count; c++) {
            const NAME(wide) numbers = *(const NAME(loose_wide) *)(lines + c * step + i);
            rest = NAME(more)(rest, v[first + c], numbers);
            parts[c] = NAME(more_products)(parts[c], known, numbers);
        }
        *(NAME(loose_wide) *)(y + i) = rest;
    }
    for (int c = 0; c < count; c++) {
        COMPUTE lanes[WIDE], sum = 0;
        memcpy(lanes, &parts[c], sizeof lanes);
        for (int lane = 0; lane < WIDE; lane++) {
            sum += lanes[lane];
        }
        y[first + c] += sum;
    }
}

/* y = A v, of the rows and columns from `first`; v has zeros before, where y is left undefined. */
static void NAME(multiply_triangle)(const COMPUTE *lines, int64_t step, int64_t first, int64_t count,
                                    const COMPUTE *diagonal, const COMPUTE *v, COMPUTE *y) {
    memset(y, 0, (size_t)step * sizeof(COMPUTE));
    for (int64_t i = first; i < count; i++) {
        y[i] = diagonal[i] * v[i];
    }
    for (; first + LINES <= count; first += LINES) {
        NAME(multiply_lines)(lines + first * step, step, first, v, y, LINES);
    }
    for (; first < count; first++) {
        NAME(multiply_lines)(lines + first * step, step, first, v, y, 1);
    }
}

/* Reduces the columns from `first` to `last`: `left` becomes their vectors v and then w, of A - V W^T - W V^T, the rest of
 * the matrix, which is left as it was. */
static void NAME(reduce_panel)(COMPUTE *lines, int64_t step, int64_t count, int64_t first, int64_t last,
                               COMPUTE *diagonal, COMPUTE *beside, COMPUTE *taus, COMPUTE *left) {
    COMPUTE *vs = left, *ws = left + (last - first) * step;
    COMPUTE factors[2 * PANEL];
    for (int64_t k = first; k < last; k++) {
        const int64_t done = k - first, begin = k / WIDE * WIDE, size = count - k - 1;
        COMPUTE *line = lines + k * step, *v = vs + done * step, *w = ws + done * step;
        for (int64_t p = 0; p < done; p++) {
            factors[p] = -ws[p * step + k];
            factors[PANEL + p] = -vs[p * step + k];
        }
        NAME(add_all)(vs, step, done, begin, step, factors, line);
        NAME(add_all)(ws, step, done, begin, step, factors + PANEL, line);
        diagonal[k] += line[k];
        memset(line, 0, (size_t)(k + 1) * sizeof(COMPUTE));
        memset(v, 0, (size_t)step * sizeof(COMPUTE));
        memset(w, 0, (size_t)step * sizeof(COMPUTE));
        beside[k] = taus[k] = 0;
        if (size == 0) {
            return;
        }
        const COMPUTE tau = NAME(reflect_column)(line + k + 1, size);
        beside[k] = line[k + 1];
        line[k + 1] = 1;
        taus[k] = tau;
        if (tau == 0) {
            continue;
        }
        memcpy(v + k + 1, line + k + 1, (size_t)size * sizeof(COMPUTE));
        NAME(multiply_triangle)(lines, step, k + 1, count, diagonal, v, w);
        NAME(sum_all)(ws, step, done, begin, step, v, factors);
        NAME(sum_all)(vs, step, done, begin, step, v, factors + PANEL);
        for (int64_t p = 0; p < done; p++) {
            factors[p] = -factors[p];
            factors[PANEL + p] = -factors[PANEL + p];
        }
        NAME(add_all)(vs, step, done, begin, step, factors, w);
        NAME(add_all)(ws, step, done, begin, step, factors + PANEL, w);
        COMPUTE overlap;
        NAME(sum_all)(w, step, 1, begin, step, v, &overlap);
        const COMPUTE half = tau * tau * overlap / 2;
        for (int64_t i = k + 1; i < count; i++) {
            w[i] = tau * w[i] - half * v[i];
        }
        memset(w, 0, (size_t)(k + 1) * sizeof(COMPUTE));
    }
}

int32_t NAME(gn_tridiagonalize)(COMPUTE *lines, int64_t step, int64_t count, COMPUTE *diagonal, COMPUTE *beside,
                                COMPUTE *taus) {
    COMPUTE *left = gn_take_items(gn_checked(4 * PANEL, step), sizeof(COMPUTE));
    int32_t status = left == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t k = 0; k < count; k++) { /* lines have zeros in their place */
        diagonal[k] = lines[k * (step + 1)];
        lines[k * (step + 1)] = 0;
    }
    for (int64_t first = 0; first < count && status == GN_OK; first += PANEL) {
        const int64_t last = gn_min(first + PANEL, count), width = last - first;
        NAME(reduce_panel)(lines, step, count, first, last, diagonal, beside, taus, left);
        COMPUTE *right = left + 2 * width * step; /* w and then v */
        memcpy(right, left + width * step, (size_t)(width * step) * sizeof(COMPUTE));
        memcpy(right + width * step, left, (size_t)(width * step) * sizeof(COMPUTE));
        for (int64_t k = last; k < count && status == GN_OK; k += BLOCK) {
            const int64_t height = gn_min(BLOCK, count - k);
            COMPUTE *corner = lines + k * (step + 1);
            status = NAME(gn_gemm)(height, count - k, 2 * width, -1, left + k, 1, step, right + k, step, 1, 1, corner,
                                   step);
            for (int64_t i = 0; i < height; i++) {
                diagonal[k + i] += corner[i * (step + 1)];
                memset(corner + i * step, 0, (size_t)(i + 1) * sizeof(COMPUTE));
            }
        }
    }
    gn_give(left);
    return status;
}

int32_t NAME(gn_turn_back)(const COMPUTE *lines, int64_t step, int64_t count, const COMPUTE *taus, COMPUTE *x,
                           int64_t x_step) {
    COMPUTE *vs = gn_take_items(gn_checked(TOGETHER, step + 2 * count), sizeof(COMPUTE));
    COMPUTE *triangle = gn_take_items(2 * TOGETHER * TOGETHER, sizeof(COMPUTE));
    COMPUTE *products = triangle + TOGETHER * TOGETHER;
    COMPUTE *shares = vs + TOGETHER * step;
    COMPUTE *others = shares + TOGETHER * count;
    int32_t status = vs == NULL || triangle == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t first = (count - 1) / TOGETHER * TOGETHER; first >= 0 && status == GN_OK; first -= TOGETHER) {
        const int64_t width = gn_min(TOGETHER, count - 1 - first), size = count - first - 1;
        for (int64_t k = 0; k < width; k++) { /* from element first + 1 */
            memset(vs + k * step, 0, (size_t)k * sizeof(COMPUTE));
            memcpy(vs + k * step + k, lines + (first + k) * (step + 1) + 1, (size_t)(size - k) * sizeof(COMPUTE));
        }
        if (width <= 0) {
            continue;
        }
        status = NAME(gn_gemm)(width, width, size, 1, vs, step, 1, vs, 1, step, 0, products, TOGETHER);
        memset(triangle, 0, TOGETHER * TOGETHER * sizeof(COMPUTE));
        for (int64_t k = 0; k < width; k++) {
            const COMPUTE tau = taus[first + k];
            for (int64_t i = 0; i < k; i++) { /* -tau T (V^T v) */
                COMPUTE sum = 0;
                for (int64_t j = i; j < k; j++) {
                    sum += triangle[i * TOGETHER + j] * products[j * TOGETHER + k];
                }
                triangle[i * TOGETHER + k] = -tau * sum;
            }
            triangle[k * TOGETHER + k] = tau;
        }
        if (status == GN_OK) {
            status = NAME(gn_gemm)(count, width, size, 1, x + first + 1, x_step, 1, vs, 1, step, 0, shares, TOGETHER);
        }
        if (status == GN_OK) {
            status = NAME(gn_gemm)(count, width, width, 1, shares, TOGETHER, 1, triangle, 1, TOGETHER, 0, others,
                                   TOGETHER);
        }
        if (status == GN_OK) {
            status = NAME(gn_gemm)(count, size, width, -1, others, TOGETHER, 1, vs, step, 1, 1, x + first + 1, x_step);
        }
    }
    gn_give(triangle);
    gn_give(vs);
    return status;
}

#include "matrix_end.h"

#endif
