/* Compressed indices of sparse matrices.
 *
 * _csr_rows: the row of each element.
 *
 * _csr_merge: the place of each element if the rows of two matrices are merged, and where each merged row begins. */
#include "flat.h"
#include "threads.h"
#include "workspace.h"

GN_INLINE int64_t index_at(const void *from, int64_t place, const int is_wide) {
    return is_wide ? ((const int64_t *)from)[place] : ((const int32_t *)from)[place];
}

/* Do rows begin at 0, end at `count`, and not end before they begin? */
static int are_rows(const void *crow, int64_t rows, int64_t count, int is_wide) {
    if (index_at(crow, 0, is_wide) != 0 || index_at(crow, rows, is_wide) != count) {
        return 0;
    }
    int is_sorted = 1;
    for (int64_t row = 0; row < rows; row++) {
        is_sorted &= index_at(crow, row, is_wide) <= index_at(crow, row + 1, is_wide);
    }
    return is_sorted;
}

/* (out; crow_indices, col_indices).  GN_BAD_VALUE for rows that do not begin where the one before ends. */
int32_t kernel_csr_rows(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *crow = &call->tensors[1];
    const int is_wide = crow->dtype == GN_INT64;
    const int64_t rows = crow->sizes[0] - 1;
    const int64_t count = out->sizes[0];
    if (count != 0 && !gn_is_contiguous(out)) {
        return GN_NOT_IMPLEMENTED;
    }
    void *owned;
    const void *starts = gn_compact(crow, data[1], crow->dtype, &owned);
    int32_t status = starts == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    if (status == GN_OK && !are_rows(starts, rows, count, is_wide)) {
        status = GN_BAD_VALUE;
    }
    if (status == GN_OK) {
        int64_t *to = data[0];
        int64_t k = 0;
        for (int64_t row = 0; row < rows; row++) {
            const int64_t past = index_at(starts, row + 1, is_wide);
            for (; k < past; k++) {
                to[k] = row;
            }
        }
    }
    gn_give(owned);
    return status;
}

typedef struct merge {
    int64_t rows;
    const void *crow, *col, *other_crow, *other_col;
    int64_t *places, *other_places, *starts;
} merge;

/* Which element is next depends on numbers that no processor can predict, so the steps have no branches. */
GN_INLINE void merge_rows(const merge *of, const int is_wide) {
    int64_t place = 0;
    int64_t one = 0;
    int64_t two = 0;
    of->starts[0] = 0;
    for (int64_t row = 0; row < of->rows; row++) {
        const int64_t past = index_at(of->crow, row + 1, is_wide);
        const int64_t other_past = index_at(of->other_crow, row + 1, is_wide);
        while (one < past && two < other_past) {
            const int64_t column = index_at(of->col, one, is_wide);
            const int64_t other = index_at(of->other_col, two, is_wide);
            of->places[one] = place; /* overwritten if it is not taken */
            of->other_places[two] = place;
            one += column <= other;
            two += other <= column;
            place++;
        }
        for (; one < past; one++) {
            of->places[one] = place++;
        }
        for (; two < other_past; two++) {
            of->other_places[two] = place++;
        }
        of->starts[row + 1] = place;
    }
}

/* (places, other places, starts; crow, col, other crow, other col).  GN_BAD_VALUE for rows that do not begin where the
 * one before ends. */
int32_t kernel_csr_merge(const gn_call *call, void *const *data) {
    const gn_tensor *crow = &call->tensors[3];
    const int is_wide = crow->dtype == GN_INT64;
    merge of;
    memset(&of, 0, sizeof of);
    for (int i = 0; i < 3; i++) {
        const gn_tensor *out = &call->tensors[i];
        if (out->sizes[0] != 0 && !gn_is_contiguous(out)) {
            return GN_NOT_IMPLEMENTED;
        }
    }
    of.rows = crow->sizes[0] - 1;
    of.places = data[0];
    of.other_places = data[1];
    of.starts = data[2];
    const void **parts[4] = {&of.crow, &of.col, &of.other_crow, &of.other_col};
    void *owned[4] = {NULL, NULL, NULL, NULL};
    int32_t status = GN_OK;
    for (int i = 0; i < 4; i++) {
        const gn_tensor *part = &call->tensors[3 + i];
        *parts[i] = gn_compact(part, data[3 + i], part->dtype, &owned[i]);
        if (*parts[i] == NULL && part->sizes[0] != 0) {
            status = GN_OUT_OF_MEMORY;
        }
    }
    if (status == GN_OK && (!are_rows(of.crow, of.rows, call->tensors[4].sizes[0], is_wide)
                            || !are_rows(of.other_crow, of.rows, call->tensors[6].sizes[0], is_wide))) {
        status = GN_BAD_VALUE;
    }
    if (status == GN_OK) {
        if (is_wide) {
            merge_rows(&of, 1);
        } else {
            merge_rows(&of, 0);
        }
    }
    for (int i = 0; i < 4; i++) {
        gn_give(owned[i]);
    }
    return status;
}
