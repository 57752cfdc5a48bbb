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

typedef struct gn_int_product {
    int64_t m, n, k;
    gn_byte_factor left, right;
    int is_unsigned; /* the left factor */
    char *out;       /* int32 */
    int64_t out_row, out_column; /* bytes */
    /* Called, if not NULL, for rows [first, last) of the result when they are complete, by any thread. */
    void (*finish)(void *context, int64_t first, int64_t last);
    void *context;
    gn_status status;
} gn_int_product;

/* The product of an int8 or uint8 matrix and an int8 one; where the result lies is still to be said. */
gn_int_product gn_int_product_of(const gn_tensor *left, const void *left_data, const gn_tensor *right,
                                 const void *right_data);

/* Computes the product. GN_OK or GN_OUT_OF_MEMORY. */
int32_t gn_multiply_bytes(gn_int_product *work);

#endif
