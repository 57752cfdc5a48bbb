/* Fourier transforms of lines of prime lengths p, for one dtype: with a generator g of the numbers from 1 to p - 1, whose
 * powers modulo p are all of them, element g^-q of the result is x[0] plus the cyclic convolution, at q, of x[g^m] and
 * exp(-2 pi i g^-m / p), by transforms of p - 1 points.
 *
 * Source: Rader, "Discrete Fourier transforms when the number of data samples is prime", 1968. */
#if IS_PRECISE

#define SPLIT NAME(gn_split)
#define PRIME_PLAN NAME(gn_prime)

#include "fourier_stages.h"

int32_t NAME(gn_begin_prime)(PRIME_PLAN *plan, int64_t length) {
    memset(plan, 0, sizeof *plan);
    const int64_t count = length - 1, generator = generator_of(length);
    if (NAME(gn_begin_beside)(&plan->inner, count, 0, 0) != GN_OK) {
        return GN_OUT_OF_MEMORY;
    }
    const int64_t half = plan->inner.room; /* two of these: a transform does not end where the next one begins */
    COMPUTE *memory = gn_take_items(half, sizeof(COMPUTE));
    plan->numbers = gn_take_items(2 * count + 2 * length, sizeof(COMPUTE));
    plan->places = gn_take_items(2 * length, sizeof(int32_t));
    if (memory == NULL || plan->numbers == NULL || plan->places == NULL) {
        gn_give(memory);
        return GN_OUT_OF_MEMORY;
    }
    plan->filter = (SPLIT){plan->numbers, plan->numbers + count};
    const SPLIT circle = {plan->filter.imag + count, plan->filter.imag + count + length};
    NAME(gn_write_circle)(length, length, 1 / (COMPUTE)count, circle);
    int32_t *before = plan->places, *after = plan->places + length;
    before[0] = after[0] = plan->inner.before[count]; /* a point that the transform leaves alone */
    int64_t power = 1;
    memset(memory, 0, (size_t)half * sizeof(COMPUTE));
    for (int64_t k = 0; k < count; k++) { /* from here on g^-k is at the place of g^(count - k) */
        before[power] = plan->inner.before[k];
        const int64_t mirrored = k > 0 ? count - k : 0;
        after[power] = plan->inner.after[mirrored];
        const int64_t place = plan->inner.before[mirrored] * POINT_SIZE;
        *(WIDE *)(memory + place) = NAME(filled)(circle.real[power]);
        *(WIDE *)(memory + place + SIDE) = NAME(filled)(circle.imag[power]);
        power = power * generator % length;
    }
    NAME(gn_transform_beside)(&plan->inner, memory);
    for (int64_t k = 0; k < count; k++) {
        plan->filter.real[k] = memory[plan->inner.after[k] * POINT_SIZE];
        plan->filter.imag[k] = memory[plan->inner.after[k] * POINT_SIZE + SIDE];
    }
    gn_give(memory);
    plan->lines = plan->inner;
    plan->lines.length = length;
    plan->lines.before = before;
    plan->lines.after = after;
    plan->lines.room = 2 * half;
    return GN_OK;
}

void NAME(gn_end_prime)(PRIME_PLAN *plan) {
    NAME(gn_end_beside)(&plan->inner);
    gn_give(plan->numbers);
    gn_give(plan->places);
}

COMPUTE *NAME(gn_transform_prime)(const PRIME_PLAN *plan, COMPUTE *points) {
    const NAME(gn_beside) *inner = &plan->inner;
    const int64_t count = inner->length, zeroth = plan->places[0] * POINT_SIZE;
    COMPUTE *to = points + inner->room;
    NAME(gn_transform_beside)(inner, points);
    const WIDE real = *(const WIDE *)(points + zeroth), imag = *(const WIDE *)(points + zeroth + SIDE);
    for (int64_t k = 0; k < count; k++) { /* times the filter, with parts exchanged for the transform back */
        const COMPUTE *from = points + inner->after[k] * POINT_SIZE;
        const POINT x = {*(const WIDE *)from, *(const WIDE *)(from + SIDE)};
        const POINT product = NAME(times_root)(x, (ROOT){plan->filter.real[k], plan->filter.imag[k]});
        COMPUTE *place = to + inner->before[k] * POINT_SIZE;
        *(WIDE *)place = product.imag;
        *(WIDE *)(place + SIDE) = product.real;
    }
    /* the sum of all results has x[0] as often as there are some; `before` and `after` begin with 0 */
    *(WIDE *)(to + zeroth) = *(const WIDE *)(points + SIDE) + imag;
    *(WIDE *)(to + zeroth + SIDE) = *(const WIDE *)points + real;
    *(WIDE *)to += imag;
    *(WIDE *)(to + SIDE) += real;
    NAME(gn_transform_beside)(inner, to);
    return to;
}

#undef SPLIT
#undef PRIME_PLAN
#include "fourier_stages_end.h"
#endif
