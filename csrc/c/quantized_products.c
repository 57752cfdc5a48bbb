/* _quantized_mm: a product of bytes, whose sums become bytes of another scale (requantization).
 *
 * A thread requantizes its part when its sums are complete. The steps and their order are those of the reference's
 * kernel, so that results are the same bit for bit. Sums wrap around. */
#include "int_products.h"
#include "workspace.h"

/* As many bytes have a sum of 16 bits. */
#define CHUNK 256

typedef struct requantization {
    const gn_int_product *product;
    uint8_t *out; /* contiguous */
    int subtracts_rows; /* whether any column has a zero point */
    float zero_point, least;
    /* For each column: what is multiplied by the sum of the row and subtracted from a sum; the bias in units of the
     * sums; the factor from sums to steps of the result. */
    int32_t *zero_points;
    float *biases, *factors;
} requantization;

/* The sum of a line, less the zero point of each of its elements. */
static int32_t sum_of_row(const gn_int_product *of, int64_t row) {
    const uint8_t *from = (const uint8_t *)of->left.data + row * of->left.outer;
    const int64_t step = of->left.inner, count = of->k;
    uint32_t sum = 0;
    for (int64_t start = 0; step == 1 && start < count; start += CHUNK) {
        const int64_t end = gn_min(start + CHUNK, count);
        uint16_t part = 0;
        for (int64_t i = start; i < end; i++) {
            part = (uint16_t)(part + from[i]);
        }
        sum += part;
    }
    for (int64_t i = 0; step != 1 && i < count; i++) {
        sum += from[i * step];
    }
    return (int32_t)(sum - (uint32_t)count * of->zero_point);
}

/* Columns of a row of sums as bytes. Comparisons with NaN are false: it becomes 0. */
static void requantize_row(const requantization *of, const int32_t *sums, int32_t row_sum, uint8_t *to, int64_t first,
                           int64_t last) {
    const float zero_point = of->zero_point, least = of->least;
    const int32_t *zero_points = of->zero_points;
    const float *biases = of->biases, *factors = of->factors;
    for (int64_t j = first; j < last; j++) {
        const uint32_t total = (uint32_t)sums[j] - (uint32_t)row_sum * (uint32_t)zero_points[j];
        const float step = rintf(((float)(int32_t)total + biases[j]) * factors[j]) + zero_point;
        const float limited = step < 255.0F ? step : 255.0F;
        const float found = limited > least ? limited : least;
        to[j] = (uint8_t)(int32_t)(step == step ? found : 0.0F);
    }
}

static void requantize_part(void *context, gn_part_of_product part) {
    const requantization *of = context;
    const gn_int_product *product = of->product;
    for (int64_t i = part.row; i < part.last_row; i++) {
        const int32_t row_sum = of->subtracts_rows ? sum_of_row(product, i) : 0;
        const int32_t *sums = (const int32_t *)(const void *)(product->out + i * product->out_row);
        requantize_row(of, sums, row_sum, of->out + i * product->n, part.column, part.last_column);
    }
}

/* Reads a vector with an element for each column, or one for all. */
#define EACH_COLUMN(TYPE, tensor, data, j)                                                                            \
    (*(const TYPE *)(const void *)((const char *)(data) + ((tensor)->sizes[0] == 1 ? 0 : (j) * (tensor)->strides[0])))

int32_t kernel_quantized_mm(const gn_call *call, void *const *data) {
    const gn_tensor *scales = &call->tensors[3], *zero_points = &call->tensors[4];
    const gn_tensor *bias = &call->tensors[5];
    gn_int_product product = gn_int_product_of(&call->tensors[1], data[1], &call->tensors[2], data[2]);
    const int64_t n = product.n;
    const int64_t sums = gn_checked(gn_checked(product.m, n), sizeof(int32_t));
    product.out = gn_take(sums);
    int32_t *columns = gn_take_items(gn_checked(3, n), sizeof *columns);
    if (product.out == NULL || columns == NULL) {
        gn_give(product.out);
        gn_give(columns);
        return GN_OUT_OF_MEMORY;
    }
    product.out_row = n * (int64_t)sizeof(int32_t);
    product.out_column = sizeof(int32_t);
    requantization of = {
        .product = &product,
        .out = data[0],
        .zero_point = (float)call->integers[1],
        .least = (float)call->integers[2],
        .zero_points = columns,
        .biases = (float *)(void *)(columns + n),
        .factors = (float *)(void *)(columns + 2 * n),
    };
    const float input_scale = (float)call->scalars[0].real, scale = (float)call->scalars[1].real;
    for (int64_t j = 0; j < n; j++) {
        const float unit = EACH_COLUMN(float, scales, data[3], j) * input_scale;
        of.zero_points[j] = (int32_t)EACH_COLUMN(int64_t, zero_points, data[4], j);
        of.subtracts_rows |= of.zero_points[j] != 0;
        of.biases[j] = bias->dtype == GN_NO_DTYPE ? 0.0F : EACH_COLUMN(float, bias, data[5], j) / unit;
        of.factors[j] = unit / scale;
    }
    product.zero_point = (uint8_t)call->integers[0];
    product.finish = requantize_part;
    product.context = &of;
    const int32_t status = gn_multiply_bytes(&product);
    gn_give(product.out);
    gn_give(columns);
    return status;
}
