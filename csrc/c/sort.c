/* sort.stable, and mode, which sorts. */
#include "order.h"
#include "threads.h"
#include "workspace.h"

/* Elements that are scanned together for those whose keys tie. */
#define BLOCK 64

typedef struct sorting {
    const gn_call *call;
    void *const *data;
    int64_t dim;
    int64_t length;
    int descending;
    gn_status status;
} sorting;

/* Runs `task` over the lines of tensors[2] along `dim`: one after the other if they are few and long, since each then
 * uses all threads. */
static int32_t sort_lines(const gn_call *call, void *const *data, int64_t dim, int descending, gn_task *task) {
    const gn_tensor *self = &call->tensors[2];
    const int64_t numel = gn_numel(self);
    sorting work = {call, data, gn_wrap_dim(dim, self->ndim), 0, descending, GN_OK};
    work.length = gn_length(self, work.dim);
    if (numel == 0) {
        return GN_OK;
    }
    if (work.length > GN_LONGEST_LINE) {
        return GN_NOT_IMPLEMENTED;
    }
    const int64_t lines = numel / work.length;
    if (lines < gn_get_num_threads()) {
        task(0, lines, &work);
    } else {
        gn_parallel_for(0, lines, gn_grain(8 / work.length), task, &work);
    }
    return work.status;
}

#define GN_TEMPLATE "sort_dtype.h"
#include "each_dtype.h"
