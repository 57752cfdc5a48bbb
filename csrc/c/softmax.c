/* Along one dimension: _softmax, _log_softmax and their gradients.
 *
 * A line is the elements of one position of the other dimensions. */
#include "direct.h"
#include "scalar.h"
#include "threads.h"

/* Partial results of a line, so that its loop vectorises; as many as in reduce.c. */
#define LANES 32

typedef struct lines {
    const gn_call *call;
    void *const *data;
    int64_t dim;
    int64_t length;
    int32_t status;
} lines;

static void report_memory(lines *work) {
#ifdef _OPENMP
#pragma omp atomic write
#endif
    work->status = GN_OUT_OF_MEMORY;
}

/* Runs `task` over the lines of tensors[shape] along `dim`. */
static int32_t run_lines(const gn_call *call, void *const *data, int32_t shape, int64_t dim, gn_task *task) {
    const gn_tensor *tensor = &call->tensors[shape];
    const int64_t numel = gn_numel(tensor);
    lines work = {call, data, gn_wrap_dim(dim, tensor->ndim), 0, GN_OK};
    work.length = gn_length(tensor, work.dim);
    if (numel > 0) {
        gn_parallel(numel / work.length, gn_max(1, GN_GRAIN / work.length), task, &work);
    }
    return work.status;
}

#define GN_TEMPLATE "softmax_dtype.h"
#include "each_dtype.h"
