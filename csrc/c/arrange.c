/* Rearranged elements: flip, tril and triu. */
#include "direct.h"
#include "threads.h"
#include "workspace.h"

/* (out; self); integers: dims. */
int32_t kernel_flip(const gn_call *call, void *const *data) {
    const gn_tensor *self = &call->tensors[1];
    int64_t strides[GN_MAX_DIMS];
    char *from = data[1];
    if (gn_numel(self) == 0) {
        return GN_OK;
    }
    for (int32_t dim = 0; dim < self->ndim; dim++) {
        strides[dim] = self->strides[dim];
    }
    for (int64_t i = 0; i < call->integers[0] && self->ndim > 0; i++) {
        const int64_t dim = gn_wrap_dim(call->integers[1 + i], self->ndim);
        from += (self->sizes[dim] - 1) * strides[dim];
        strides[dim] = -strides[dim];
    }
    const gn_tensor flipped = {self->dtype, self->ndim, self->sizes, strides};
    gn_copy(&call->tensors[0], data[0], &flipped, from);
    return GN_OK;
}

typedef struct triangle {
    const gn_tensor *out, *self;
    char *to;
    const char *from;
    int64_t diagonal;
    int upper;
} triangle;

/* Rows [begin, end) of all matrices: a part that is kept, and zeros on the other side. */
static void triangle_rows(int64_t begin, int64_t end, void *context) {
    const triangle *work = context;
    const gn_tensor *out = work->out;
    const gn_tensor *self = work->self;
    const int32_t last = out->ndim - 1;
    const int64_t rows = out->sizes[last - 1];
    const int64_t columns = out->sizes[last];
    const int64_t size = gn_itemsize(out->dtype);
    const int64_t diagonal = work->diagonal;
    for (int64_t row = begin; row < end; row++) {
        char *to = work->to + gn_offset(out, row, last);
        const char *from = work->from + gn_offset(self, row, last);
        /* The column of the diagonal's element, or the first one to the right of it. */
        const int64_t beyond = diagonal > columns ? columns : diagonal < -rows ? -rows : diagonal;
        int64_t border = row % rows + beyond + (work->upper ? 0 : 1);
        border = border < 0 ? 0 : gn_min(border, columns);
        const int64_t kept_from = work->upper ? border : 0;
        const int64_t kept_to = work->upper ? columns : border;
        if (out->strides[last] == size && self->strides[last] == size) {
            memset(to, 0, (size_t)(kept_from * size));
            if (to != from) {
                memmove(to + kept_from * size, from + kept_from * size, (size_t)((kept_to - kept_from) * size));
            }
            memset(to + kept_to * size, 0, (size_t)((columns - kept_to) * size));
            continue;
        }
        for (int64_t i = 0; i < columns; i++) {
            if (i >= kept_from && i < kept_to) {
                memcpy(to + i * out->strides[last], from + i * self->strides[last], (size_t)size);
            } else {
                memset(to + i * out->strides[last], 0, (size_t)size);
            }
        }
    }
}

/* The tensor with rows for columns; its sizes and strides are in `made`, which has room for those of both. */
static gn_tensor flip_matrices(const gn_tensor *tensor, int64_t *made) {
    const int32_t ndim = tensor->ndim;
    for (int32_t dim = 0; dim < ndim; dim++) {
        const int32_t from = dim < ndim - 2 ? dim : 2 * ndim - 3 - dim;
        made[dim] = tensor->sizes[from];
        made[GN_MAX_DIMS + dim] = tensor->strides[from];
    }
    const gn_tensor flipped = {tensor->dtype, ndim, made, made + GN_MAX_DIMS};
    return flipped;
}

static int32_t run_triangle(const gn_call *call, void *const *data, int upper) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *self = &call->tensors[1];
    const int64_t numel = gn_numel(out);
    if (numel == 0) {
        return GN_OK;
    }
    triangle work = {out, self, data[0], data[1], call->integers[0], upper};
    const int32_t last = out->ndim - 1;
    const int64_t size = gn_itemsize(out->dtype);
    int64_t room[4 * GN_MAX_DIMS];
    gn_tensor flipped[2];
    if (out->strides[last] != size && out->strides[last - 1] == size) { /* the other triangle of the transposes */
        const int64_t most = gn_max(out->sizes[last - 1], out->sizes[last]);
        flipped[0] = flip_matrices(out, room);
        flipped[1] = flip_matrices(self, room + 2 * GN_MAX_DIMS);
        work.out = flipped;
        work.self = flipped + 1;
        work.diagonal = work.diagonal > most ? -most : work.diagonal < -most ? most : -work.diagonal;
        work.upper = !upper;
    }
    if (data[0] != data[1] && work.out->strides[last] == size && work.self->strides[last] != size) {
        gn_copy(work.out, data[0], work.self, data[1]); /* by blocks; then zeros are written */
        work.self = work.out;
        work.from = work.to;
    }
    const int64_t columns = work.out->sizes[last];
    gn_parallel_for(0, numel / columns, gn_grain(columns), triangle_rows, &work);
    return GN_OK;
}

/* (out; self); integers: diagonal. */
int32_t kernel_tril(const gn_call *call, void *const *data) {
    return run_triangle(call, data, 0);
}

int32_t kernel_triu(const gn_call *call, void *const *data) {
    return run_triangle(call, data, 1);
}
