/* The QR factorization by panels, of one dtype. */

#if CODE == GN_FLOAT32 || CODE == GN_FLOAT64
#include "matrix_dtype.h"
#include "reflect_column_dtype.h"

/* A panel: its columns of A from row `first` on, their vectors v with ones and zeros written out, the triangle t, and
 * memory for a column and for products. */
typedef struct NAME(panel) {
    COMPUTE *a;
    int64_t step, rows;
    COMPUTE *v; /* rows of PANEL elements */
    COMPUTE t[PANEL * PANEL];
    COMPUTE *taus;
    COMPUTE *column;
    COMPUTE *shares, *others; /* PANEL rows as long as those of A */
} NAME(panel);

/* sums += x[i] times the row i of a, of LEAF elements, for all rows. */
static void NAME(sum_rows)(const COMPUTE *a, int64_t step, int64_t rows, const COMPUTE *x, COMPUTE *sums) {
    enum { VECTORS = LEAF / WIDE, CHAINS = 4 };
    NAME(wide) chains[CHAINS][VECTORS];
    memset(chains, 0, sizeof chains);
    int64_t i = 0;
    for (; i + CHAINS <= rows; i += CHAINS) {
        GN_UNROLL
        for (int chain = 0; chain < CHAINS; chain++) {
            GN_UNROLL
            for (int vector = 0; vector < VECTORS; vector++) {
                const COMPUTE *at = a + (i + chain) * step + vector * WIDE;
                chains[chain][vector] =
                    NAME(more)(chains[chain][vector], x[i + chain], *(const NAME(loose_wide) *)at);
            }
        }
    }
    for (; i < rows; i++) {
        for (int vector = 0; vector < VECTORS; vector++) {
            chains[0][vector] = NAME(more)(chains[0][vector], x[i],
                                           *(const NAME(loose_wide) *)(a + i * step + vector * WIDE));
        }
    }
    for (int vector = 0; vector < VECTORS; vector++) {
        *(NAME(loose_wide) *)(sums + vector * WIDE) += chains[0][vector] + chains[1][vector]
                                                       + (chains[2][vector] + chains[3][vector]);
    }
}

/* Factors LEAF columns of the panel, or the last ones, from `first` on, and makes their part of v and t. */
static void NAME(factor_leaf)(NAME(panel) *panel, int64_t first, int64_t last) {
    COMPUTE *x = panel->column;
    int is_read = 0; /* whether the last step has read this column */
    for (int64_t k = first; k < last; k++) {
        const int64_t count = panel->rows - k;
        COMPUTE *corner = panel->a + k * panel->step;
        for (int64_t i = 0; i < count && !is_read; i++) {
            x[i] = corner[i * panel->step + k];
        }
        is_read = 0;
        const COMPUTE tau = NAME(reflect_column)(x, count);
        const COMPUTE beta = x[0];
        COMPUTE shares[LEAF] = {0};
        panel->taus[k] = tau;
        if (tau != 0) {
            x[0] = 1;
            if (last - first == LEAF) {
                NAME(sum_rows)(corner + first, panel->step, count, x, shares);
            } else {
                for (int64_t i = 0; i < count; i++) {
                    NAME(subtract)(shares, corner + i * panel->step + first, -x[i], last - first);
                }
            }
        } else {
            memset(x, 0, (size_t)count * sizeof(COMPUTE));
        }
        COMPUTE *t = panel->t + k;
        for (int64_t i = first; i < k; i++) { /* -tau T (V^T v) */
            COMPUTE sum = 0;
            for (int64_t j = i; j < k; j++) {
                sum += panel->t[i * PANEL + j] * shares[j - first];
            }
            t[i * PANEL] = -tau * sum;
        }
        t[k * PANEL] = tau;
        for (int64_t j = first; j < last; j++) { /* the columns before k are vectors already */
            shares[j - first] = j <= k ? 0 : tau * shares[j - first];
        }
        if (last - first == LEAF && tau != 0) {
            const int64_t next = gn_min(k + 1, last - 1);
            for (int64_t i = 0; i < count; i++) {
                COMPUTE *row = corner + i * panel->step;
                GN_UNROLL
                for (int vector = 0; vector < LEAF; vector += (int)WIDE) {
                    NAME(subtract_wide)(row + first + vector, x[i], *(const NAME(loose_wide) *)(shares + vector));
                }
                row[k] = x[i];
                x[i > 0 ? i - 1 : 0] = row[next];
            }
            is_read = 1;
        }
        for (int64_t i = 0; i < count && tau != 0 && !is_read; i++) {
            COMPUTE *row = corner + i * panel->step;
            NAME(subtract)(row + first, shares, x[i], last - first);
            row[k] = x[i];
        }
        corner[k] = beta;
    }
    for (int64_t i = 0; i < panel->rows; i++) {
        for (int64_t j = first; j < last; j++) {
            panel->v[i * PANEL + j] = i > j ? panel->a[i * panel->step + j] : i == j;
        }
    }
}

/* Reflections that are applied to columns, which threads share in units of a fixed size. */
typedef struct NAME(applied) {
    const NAME(panel) *panel;
    int64_t first, last, width, unit;
    COMPUTE *x;
    gn_status status;
} NAME(applied);

static void NAME(apply_units)(int64_t begin, int64_t end, void *context) {
    NAME(applied) *work = context;
    const NAME(panel) *panel = work->panel;
    const int64_t depth = work->last - work->first, rows = panel->rows - work->first, step = panel->step;
    const COMPUTE *v = panel->v + work->first * PANEL + work->first, *t = panel->t + work->first * (PANEL + 1);
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t place = unit * work->unit, width = gn_min(work->unit, work->width - place);
        COMPUTE *x = work->x + place, *shares = panel->shares + place, *others = panel->others + place;
        int32_t status = NAME(gn_gemm)(depth, width, rows, 1, v, 1, PANEL, x, step, 1, 0, shares, step);
        if (status == GN_OK) {
            status = NAME(gn_gemm)(depth, width, depth, 1, t, 1, PANEL, shares, step, 1, 0, others, step);
        }
        if (status == GN_OK) {
            status = NAME(gn_gemm)(rows, width, depth, -1, v, PANEL, 1, others, step, 1, 1, x, step);
        }
        gn_report(&work->status, status);
    }
}

/* Applies the reflections of the columns from `first` to `last` to `width` columns at x, of the rows from `first`. */
static int32_t NAME(apply)(const NAME(panel) *panel, int64_t first, int64_t last, COMPUTE *x, int64_t width) {
    const int64_t steps = gn_checked(gn_checked(panel->rows - first, last - first), width);
    NAME(applied) work = {panel, first, last, width, steps < LEAST_SHARED ? width : SHARED_COLUMNS, x, GN_OK};
    gn_parallel_for(0, (width + work.unit - 1) / work.unit, 1, NAME(apply_units), &work);
    return work.status;
}

static int32_t NAME(factor_panel)(NAME(panel) *panel, int64_t first, int64_t last) {
    if (last - first <= LEAF) {
        NAME(factor_leaf)(panel, first, last);
        return GN_OK;
    }
    const int64_t half = first + ((last - first) / 2 + LEAF - 1) / LEAF * LEAF;
    const int64_t left = half - first, right = last - half;
    int32_t status = NAME(factor_panel)(panel, first, half);
    if (status == GN_OK) {
        status = NAME(apply)(panel, first, half, panel->a + first * panel->step + half, right);
    }
    if (status == GN_OK) {
        status = NAME(factor_panel)(panel, half, last);
    }
    /* the corner of t is -T (V^T V) T, of the left and the right half */
    COMPUTE product[PANEL * PANEL], corner[PANEL * PANEL];
    if (status == GN_OK) {
        status = NAME(gn_gemm)(left, right, panel->rows - half, 1, panel->v + half * PANEL + first, 1, PANEL,
                               panel->v + half * PANEL + half, PANEL, 1, 0, product, PANEL);
    }
    if (status == GN_OK) {
        status = NAME(gn_gemm)(left, right, left, -1, panel->t + first * (PANEL + 1), PANEL, 1, product, PANEL, 1, 0,
                               corner, PANEL);
    }
    if (status == GN_OK) {
        status = NAME(gn_gemm)(left, right, right, 1, corner, PANEL, 1, panel->t + half * (PANEL + 1), PANEL, 1, 0,
                               panel->t + first * PANEL + half, PANEL);
    }
    return status;
}

int32_t NAME(gn_triangulate_panels)(COMPUTE *a, int64_t step, int64_t rows, int64_t columns, COMPUTE *taus) {
    const int64_t count = gn_min(rows, columns);
    const int64_t numbers = gn_checked(rows, PANEL + 1);
    const int64_t products = gn_checked(step, 2 * PANEL);
    COMPUTE *memory = numbers > INT64_MAX - products ? NULL : gn_take_items(numbers + products, sizeof(COMPUTE));
    NAME(panel) *panel = gn_take(sizeof(NAME(panel)));
    int32_t status = memory == NULL || panel == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t first = 0; first < count && status == GN_OK; first += PANEL) {
        const int64_t width = gn_min(PANEL, count - first);
        memset(panel->t, 0, sizeof panel->t);
        panel->a = a + first * (step + 1);
        panel->step = step;
        panel->rows = rows - first;
        panel->v = memory;
        panel->column = memory + rows * PANEL;
        panel->shares = panel->column + rows;
        panel->others = panel->shares + PANEL * step;
        panel->taus = taus + first;
        status = NAME(factor_panel)(panel, 0, width);
        if (status == GN_OK && first + width < columns) {
            status = NAME(apply)(panel, 0, width, panel->a + width, columns - first - width);
        }
    }
    gn_give(memory);
    gn_give(panel);
    return status;
}

#include "matrix_end.h"

#endif
