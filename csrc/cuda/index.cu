/* Elements selected by indices, copied by size regardless of dtype.
 *
 * A pick is what one index, or one tuple of indices, selects: rows of elements. Its number is its row-major position
 * among the indexed dimensions. `number_picks` computes the numbers of all picks and reports an index out of range; the
 * host checks that before any element is copied. */
#include "places.cuh"

/* How the indices of one tensor contribute to numbers: an index in [0, size), or with `wraps` in [-size, size), is
 * multiplied by `factor`. An index equal to `dropped` gives the number `limit`, which excludes the pick. */
struct gn_numbering {
    int64_t size;
    int64_t factor;
    int64_t dropped;
    int64_t limit;
    int32_t wraps;
    int32_t adds; /* to the existing numbers */
};

/* `beside` is added to the number of each index; its strides count numbers, not bytes. If `numbers` is null, the
 * indices are only checked. */
template <class NUMBER>
__global__ void number_picks(gn_view index, gn_view beside, gn_numbering rule, int64_t *numbers, int32_t *fault) {
    const int64_t count = gn_count(index);
    int faults = 0;
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        int64_t at[2] = {0, 0};
        gn_add_offsets<NUMBER>(at, (NUMBER)i, index, beside);
        const int64_t given = gn_index_in(index.at + at[0], index.dtype);
        const int64_t place = given < 0 && rule.wraps ? given + rule.size : given;
        faults |= place < 0 || place >= rule.size;
        if (numbers != NULL) {
            const int64_t number = given == rule.dropped ? rule.limit : at[1] + place * rule.factor;
            numbers[i] = rule.adds ? numbers[i] + number : number;
        }
    }
    if (faults) {
        *fault = 1;
    }
}

/* Of several picks with one number, the last wins. winners[number] becomes 1 plus that pick; 0 stands for none. */
template <class WINNER> __global__ void name_winners(const int64_t *numbers, int64_t picks, WINNER *winners) {
    for (int64_t pick = gn_thread(); pick < picks; pick += gn_threads()) {
        atomicMax(&winners[numbers[pick]], (WINNER)(pick + 1));
    }
}

/* Copies elements between `other`, which has those of all picks (`picks` picks, `inner` adjacent elements per pick in
 * the iteration), and the indexed tensor. `whole` has the sizes of `other` and its strides in the indexed tensor, 0
 * along the picks; `picked` gives the offset of a number in it. PUTS: copy to the indexed tensor, else from it.
 * `winners` is null if no two picks have the same number. With a WINNER of one byte, it tells for each pick whether it
 * wins. */
template <class T, class NUMBER, int PUTS, class WINNER>
__global__ void move_picked(gn_view other, gn_view whole, gn_view picked, const int64_t *numbers, const WINNER *winners,
                            int64_t picks, int64_t inner) {
    const int64_t count = gn_count(other);
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        const NUMBER pick = (NUMBER)i / (NUMBER)inner % (NUMBER)picks;
        const int64_t number = numbers[pick];
        int64_t at[2] = {0, 0};
        gn_add_offsets<NUMBER>(at, (NUMBER)i, other, whole);
        T *const there = (T *)(other.at + at[0]);
        T *const here = (T *)(whole.at + at[1] + gn_offset_of(picked, number));
        if (!PUTS) {
            *there = *here;
        } else if (winners == NULL || (sizeof(WINNER) == 1 ? winners[pick] != 0 : winners[number] == (WINNER)pick + 1)) {
            *here = *there;
        }
    }
}

/* out[i] = self[..., index[i], ...]. `self` has stride 0 along the indexed dimension, in which elements are `step`
 * bytes apart. */
template <class T, class NUMBER> __global__ void gather(gn_view out, gn_view index, gn_view self, int64_t step) {
    const int64_t count = gn_count(out);
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        int64_t at[3] = {0, 0, 0};
        gn_add_offsets<NUMBER>(at, (NUMBER)i, out, index, self);
        const int64_t place = gn_index_in(index.at + at[1], index.dtype);
        *(T *)(out.at + at[0]) = *(const T *)(self.at + at[2] + place * step);
    }
}

/* Copies elements from one tensor to another. */
template <class T, class NUMBER> __global__ void copy_places(gn_view out, gn_view from) {
    const int64_t count = gn_count(out);
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        int64_t at[2] = {0, 0};
        gn_add_offsets<NUMBER>(at, (NUMBER)i, out, from);
        *(T *)(out.at + at[0]) = *(const T *)(from.at + at[1]);
    }
}
