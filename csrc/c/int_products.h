/* Products of bytes with sums in int32 (int_products.c). */
#ifndef GN_INT_PRODUCTS_H
#define GN_INT_PRODUCTS_H

#include "kernel.h"
#include "threads.h"

/* Element (i, p) of the left factor or (p, j) of the right one: data[i * outer + p * inner]. */
typedef struct gn_byte_factor {
    const int8_t *data; /* or uint8_t */
    int64_t outer, inner;
} gn_byte_factor;

/* Rows [row, last_row) and columns [column, last_column) of a result. */
typedef struct gn_part_of_product {
    int64_t row, last_row, column, last_column;
} gn_part_of_product;

typedef struct gn_int_product {
    int64_t m, n, k;
    gn_byte_factor left, right;
    int is_unsigned;    /* the left factor */
    uint8_t zero_point; /* is subtracted from each element of a left factor that is unsigned */
    char *out;          /* int32 */
    int64_t out_row, out_column; /* bytes */
    /* Called, if not NULL, by any thread for parts of the result that are complete. */
    void (*finish)(void *context, gn_part_of_product part);
    void *context;
    int by_columns; /* whether a thread has columns of the result, or rows */
    gn_status status;
} gn_int_product;

/* The product of an int8 or uint8 matrix and an int8 one; where the result lies is still to be said. */
gn_int_product gn_int_product_of(const gn_tensor *left, const void *left_data, const gn_tensor *right,
                                 const void *right_data);

/* Computes the product. GN_OK or GN_OUT_OF_MEMORY. */
int32_t gn_multiply_bytes(gn_int_product *work);

#endif
