/* The indices of nonzero elements. */
#include "element.cuh"
#include "marks.cuh"

/* Complex numbers have two `parts`. */
static inline bool gn_is_nonzero(const gn_view &self, int64_t i, int32_t parts) {
    const gn_element *at = (const gn_element *)(self.at + gn_offset_of(self, (uint64_t)i));
    return gn_load(at[0]) != 0 || (parts == 2 && gn_load(at[1]) != 0);
}

__global__ void count_nonzero(gn_view self, int32_t parts, int64_t *counts) {
    gn_count_marks(gn_count(self), counts, [&](int64_t i) { return gn_is_nonzero(self, i, parts); });
}

/* Writes the indices of nonzero elements to `out` (rows, dimensions), up to its number of rows. `shape` has the
 * original dimensions of self; those of `self` may be merged. */
__global__ void write_nonzero(gn_view out, gn_view self, gn_view shape, int32_t parts, const int64_t *before) {
    gn_walk_marks(
        gn_count(self), before, [&](int64_t i) { return gn_is_nonzero(self, i, parts); },
        [&](int64_t i, int64_t rank) {
            if (rank < out.sizes[0]) {
                char *const row = out.at + rank * out.strides[0];
                for (int32_t dim = shape.ndim - 1; dim >= 0; dim--) {
                    const int64_t above = i / shape.sizes[dim];
                    *(int64_t *)(row + dim * out.strides[1]) = i - above * shape.sizes[dim];
                    i = above;
                }
            }
        });
}

/* Fills the rows of `out` after the first *found ones. */
__global__ void fill_rows(gn_view out, const int64_t *found, int64_t value) {
    const int64_t count = gn_count(out);
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        if (i / out.sizes[1] >= *found) {
            *(int64_t *)gn_place(out, i) = value;
        }
    }
}
