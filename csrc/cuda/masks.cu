/* Elements selected by a mask, copied by size regardless of dtype. */
#include "marks.cuh"

static inline bool gn_is_chosen(const gn_view &mask, int64_t i) {
    return *(const uint8_t *)(mask.at + gn_offset_of(mask, (uint64_t)i)) != 0;
}

__global__ void count_chosen(gn_view mask, int64_t *counts) {
    gn_count_marks(gn_count(mask), counts, [&](int64_t i) { return gn_is_chosen(mask, i); });
}

/* Sets *fault unless *found is in [least, most]. */
__global__ void expect_count(const int64_t *found, int64_t least, int64_t most, int32_t *fault) {
    if (*found < least || *found > most) {
        *fault = 1;
    }
}

/* Copies between the selected elements of `full` and those of `row`, in order. PUTS: to `full`, else from it. */
template <class T, int PUTS>
__global__ void move_chosen(gn_view full, gn_view mask, gn_view row, const int64_t *before) {
    gn_walk_marks(
        gn_count(mask), before, [&](int64_t i) { return gn_is_chosen(mask, i); },
        [&](int64_t i, int64_t rank) {
            T *const here = (T *)(full.at + gn_offset_of(full, (uint64_t)i));
            T *const there = (T *)(row.at + gn_offset_of(row, (uint64_t)rank));
            if (PUTS) {
                *here = *there;
            } else {
                *there = *here;
            }
        });
}
