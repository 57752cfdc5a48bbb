/* LU factors of small matrices beside each other (after Golub and Van Loan, "Matrix Computations", 3.4, by columns). */
#include "lu_beside.h"

#include "fourier_vectors.h"

void gn_begin_beside_order(gn_beside_order *order, int64_t itemsize, int64_t rows, int64_t columns, int64_t row,
                           int64_t column) {
    const int is_by_columns = row == itemsize && column != itemsize;
    const int64_t pitch = rows | 1;
    order->lines = is_by_columns ? columns : rows;
    order->length = is_by_columns ? rows : columns;
    order->step = is_by_columns ? column : row;
    order->unit = is_by_columns ? row : column;
    for (int64_t line = 0; line < order->lines; line++) {
        for (int64_t k = 0; k < order->length; k++) {
            order->places[line * order->length + k] = (int32_t)(is_by_columns ? line * pitch + k : k * pitch + line);
        }
    }
    if (order->step == order->length * order->unit) { /* one line, so that fewer of its elements are after vectors */
        order->length *= order->lines;
        order->lines = 1;
    }
}

#define GN_TEMPLATE "lu_beside_dtype.h"
#include "each_dtype.h"
