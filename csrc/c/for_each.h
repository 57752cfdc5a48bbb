/* Iteration over the operands of a TensorIterator: rows of dimension 0, split over threads. */
#ifndef GN_FOR_EACH_H
#define GN_FOR_EACH_H

#include "kernel.h"

/* One row: `count` elements, count >= 1; data[k] is operand k's first element and strides[k] its step in bytes.
 * Returns GN_OK or a fault; the rest of the iteration may still run after one. */
typedef int32_t gn_loop(int64_t count, char *const *data, const int64_t *strides, const gn_call *call);

/* Elements that a loop gathers at a time if its operands are not dense: three buffers of eight-byte elements stay in
 * the L1 cache. */
#define GN_ROW_BUFFER 256

/* Runs `loop` over all rows of an iterated call; any fault that it returned, or GN_OK.
 * At most GN_MAX_OPERANDS tensors.  Allocates nothing. */
int32_t gn_for_each(const gn_call *call, void *const *data, gn_loop *loop);

/* The same for a loop over floats where tensors may be float16 or bfloat16: those operands go through a
 * buffer of floats, and outputs are rounded once on their way back. */
int32_t gn_for_each_float(const gn_call *call, void *const *data, gn_loop *loop);

/* One row of that, for a loop over halves that are not dense. */
int32_t gn_row_through_float(int64_t count, char *const *data, const int64_t *strides, const gn_call *call,
                             gn_loop *loop);

/* Are results of `result` bytes dense, and the first `operands` inputs, of this dtype, dense or single elements? */
int gn_are_halves(const gn_call *call, const int64_t *strides, int64_t result, int32_t operands, int32_t dtype);

/* One such row, by `row`, which takes whole blocks (half_vectors.h): the remainder is padded to a block. */
int32_t gn_row_of_blocks(int64_t count, char *const *data, const int64_t *strides, const gn_call *call, gn_loop *row);

/* The iteration of a GN_DIRECT kernel: over `count` tensors that all have the sizes of the first, outermost dimension
 * first, outputs before inputs. The loop gets `call`, with these tensors in it. */
int32_t gn_for_each_direct(const gn_call *call, int32_t output_count, int32_t count, const gn_tensor *tensors,
                       void *const *data, gn_loop *loop);

#endif
