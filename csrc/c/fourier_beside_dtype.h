/* Fourier transforms of lines beside each other, for one dtype. */
#if IS_PRECISE

#define SPLIT NAME(gn_split)
#define BESIDE_PLAN NAME(gn_beside)
#define BLOCKS_PLAN BESIDE_PLAN

#include "fourier_stages.h"
#include "fourier_blocks.h"

int32_t NAME(gn_begin_beside)(BESIDE_PLAN *plan, int64_t length, int64_t half_of, int is_back) {
    memset(plan, 0, sizeof *plan);
    plan->length = length;
    plan->half_of = half_of;
    plan->lines = SIDE;
    plan->factor_count = gn_factorize(length, plan->factors);
    const int64_t first = plan->factor_count > 0 ? plan->factors[0] : 1;
    const int64_t bytes = POINT_SIZE * (int64_t)sizeof(COMPUTE);
    plan->block = length / first;
    plan->block += plan->block * bytes % 2048 == 0; /* else all points of a stage would be in the same set of the cache */
    const int64_t last = first * plan->block; /* where the element after the last one of half a line is */
    plan->room = (last + 1) * POINT_SIZE;
    const int64_t half = half_of / 4 + 1;
    COMPUTE *numbers = gn_take_items(gn_checked(2, length + half), sizeof(COMPUTE));
    int32_t *places = gn_take_items(gn_checked(2, length + 1), sizeof(int32_t));
    plan->roots.real = numbers;
    plan->before = places;
    if (numbers == NULL || places == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    plan->roots.imag = numbers + length;
    plan->halves = (SPLIT){numbers + 2 * length, numbers + 2 * length + half};
    NAME(gn_write_circle)(length, length, 1, plan->roots);
    if (half_of > 0) {
        NAME(gn_write_circle)(half_of, half, is_back ? 1 : (COMPUTE)0.5, plan->halves);
    }
    plan->after = places + length + 1;
    plan->before[length] = plan->after[length] = (int32_t)last;
    int64_t to = 0;
    for (int64_t k = 0; k < first; k++) {
        for (int64_t i = 0; i < length / first; i++) {
            plan->before[to++] = (int32_t)(k * plan->block + i);
        }
    }
    NAME(begin_blocks)(plan, length, plan->block, plan->after);
    return GN_OK;
}

void NAME(gn_end_beside)(BESIDE_PLAN *plan) {
    gn_give(plan->roots.real);
    gn_give(plan->before);
}

/* The stages from `level` on of a block: one part after the other where they do not fit the cache. */
static void NAME(run_levels)(const BESIDE_PLAN *plan, int32_t level, COMPUTE *points) {
    NAME(stage) stage;
    stage.table = plan->roots;
    const int64_t bytes = plan->lengths[level] * POINT_SIZE * (int64_t)sizeof(COMPUTE);
    const int64_t apart = level == 0 ? plan->block : plan->lengths[level + 1];
    if (bytes > FAST_BYTES || apart != plan->lengths[level + 1]) {
        NAME(run_blocks)(&stage, plan, level, points, 0, points, 1, apart);
        for (int32_t k = 0; k < plan->factors[level] && level + 1 < plan->factor_count; k++) {
            NAME(run_levels)(plan, level + 1, points + k * apart * POINT_SIZE);
        }
        return;
    }
    int64_t blocks = 1;
    for (int32_t i = level; i < plan->factor_count; i++) {
        NAME(run_blocks)(&stage, plan, i, points, plan->lengths[i] * POINT_SIZE, points, blocks, plan->lengths[i + 1]);
        blocks *= plan->factors[i];
    }
}

void NAME(gn_transform_beside)(const BESIDE_PLAN *plan, COMPUTE *points) {
    if (plan->factor_count > 0) {
        NAME(run_levels)(plan, 0, points);
    }
}

GN_INLINE POINT NAME(point_at)(const COMPUTE *points, int64_t place) {
    return (POINT){*(const WIDE *)(points + place * POINT_SIZE), *(const WIDE *)(points + place * POINT_SIZE + SIDE)};
}
GN_INLINE void NAME(set_point)(COMPUTE *points, int64_t place, WIDE first, WIDE second) {
    *(WIDE *)(points + place * POINT_SIZE) = first;
    *(WIDE *)(points + place * POINT_SIZE + SIDE) = second;
}

/* With a = Z[k] and b the conjugate of Z[length - k], of the transform Z of points whose real and imaginary parts
 * alternate in a real line, the transform of the line is (a + b) / 2 - i root[k] (a - b) / 2 at k, and the conjugate of
 * (a + b) / 2 + i root[k] (a - b) / 2 at length - k. The roots are halved. */
void NAME(gn_unfold_beside)(const BESIDE_PLAN *plan, COMPUTE *points) {
    const POINT first = NAME(point_at)(points, 0);
    const WIDE none = {0}, half = NAME(filled)((COMPUTE)0.5);
    NAME(set_point)(points, 0, first.real + first.imag, none);
    NAME(set_point)(points, plan->after[plan->length], first.real - first.imag, none);
    for (int64_t k = 1; k <= plan->length / 2; k++) {
        const int32_t at = plan->after[k], mirrored = plan->after[plan->length - k];
        const POINT a = NAME(point_at)(points, at), b = NAME(point_at)(points, mirrored);
        const POINT turned = NAME(times_root)((POINT){a.imag + b.imag, b.real - a.real},
                                              (ROOT){plan->halves.real[k], plan->halves.imag[k]});
        const WIDE real = a.real + b.real, imag = a.imag - b.imag;
        NAME(set_point)(points, at, NAME(multiply_add)(real, half, turned.real),
                        NAME(multiply_add)(imag, half, turned.imag));
        NAME(set_point)(points, mirrored, NAME(multiply_add)(real, half, -turned.real),
                        NAME(multiply_add)(imag, -half, turned.imag));
    }
}

/* Back: with b the conjugate of X[length - k], a + b + i (a - b) / root[k] at k. If the points are not half a line,
 * the conjugates are written instead; an element that is its own conjugate is real. */
void NAME(gn_fold_beside)(const BESIDE_PLAN *plan, COMPUTE *points) {
    const int64_t length = plan->length;
    const WIDE none = {0};
    const WIDE first = NAME(point_at)(points, plan->before[0]).real;
    if (plan->half_of == 0) {
        NAME(set_point)(points, plan->before[0], none, first);
        for (int64_t k = 1; k <= length / 2; k++) {
            const POINT a = NAME(point_at)(points, plan->before[k]);
            NAME(set_point)(points, plan->before[k], a.imag, a.real);
            NAME(set_point)(points, plan->before[length - k], -a.imag, a.real);
        }
        return;
    }
    const WIDE last = NAME(point_at)(points, plan->before[length]).real;
    NAME(set_point)(points, 0, first - last, first + last);
    for (int64_t k = 1; k <= length / 2; k++) {
        const int32_t at = plan->before[k], mirrored = plan->before[length - k];
        const POINT a = NAME(point_at)(points, at), b = NAME(point_at)(points, mirrored);
        const POINT turned = NAME(times_root)((POINT){a.real - b.real, a.imag + b.imag},
                                              (ROOT){plan->halves.real[k], -plan->halves.imag[k]});
        const WIDE real = a.real + b.real, imag = a.imag - b.imag;
        NAME(set_point)(points, at, imag + turned.real, real - turned.imag);
        NAME(set_point)(points, mirrored, turned.real - imag, real + turned.imag);
    }
}

#include "fourier_lines_dtype.h"

#undef SPLIT
#undef BESIDE_PLAN
#undef BLOCKS_PLAN
#include "fourier_stages_end.h"
#endif
