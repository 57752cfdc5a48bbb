/* The table of all rows. */
#include "kernel.h"
#include "../library.h"

/* First pass: declarations.  Those of dtypes that a row does not support are harmless. */
#define DECLARE(id)                                                                                              \
    gn_kernel kernel_##id##_bool, kernel_##id##_uint8, kernel_##id##_int8, kernel_##id##_int16,                  \
        kernel_##id##_int32, kernel_##id##_int64, kernel_##id##_float16, kernel_##id##_bfloat16,                 \
        kernel_##id##_float32, kernel_##id##_float64, kernel_##id##_complex64, kernel_##id##_complex128;
#define UNARY(name, id, ...) DECLARE(id)
#define UNARY_NUMBER(name, id, ...) DECLARE(id)
#define UNARY_CHOICE(name, id, ...) DECLARE(id)
#define UNARY_WITH(name, id, ...) DECLARE(id)
#define UNARY_ORDER(name, id, ...) DECLARE(id)
#define UNARY_FAR(name, id, ...) DECLARE(id)
#define UNARY_MAGNITUDE(name, id, ...) DECLARE(id)
#define PREDICATE(name, id, ...) DECLARE(id)
#define BITS(kind, name, id, ...) DECLARE(id)
#define BINARY(name, id, ...) DECLARE(id)
#define BINARY_NUMBER(name, id, ...) DECLARE(id)
#define BINARY_CHOICE(name, id, ...) DECLARE(id)
#define BINARY_WITH(name, id, ...) DECLARE(id)
#define BINARY_BLOCK(name, id, ...) DECLARE(id)
#define BINARY_COMPLEX(name, id, ...) DECLARE(id)
#define COMPARISON(name, id, ...) DECLARE(id)
#define CHECKED(name, id, ...) DECLARE(id)
#define DIVISION(name, id, ...) DECLARE(id)
#define DIVISION_FAR(name, id, ...) DECLARE(id)
#define TERNARY(name, id, ...) DECLARE(id)
#define TERNARY_NUMBER(name, id, ...) DECLARE(id)
#define FOLD(name, id, ...) DECLARE(id)
#define SUM(name, id, ...) DECLARE(id)
#define SPREAD(name, id, ...) DECLARE(id)
#define NORM(name, id, ...) DECLARE(id)
#define POWERS(name, id, ...) DECLARE(id)
#define ROW(name, family, key_tensor, dtypes, id) DECLARE(id)
#define SAME(name, family, key_tensor, id) gn_kernel kernel_##id;
#include "../pointwise.def"
#include "../reduce.def"
#include "../rows.def"

#undef UNARY
#undef UNARY_NUMBER
#undef UNARY_CHOICE
#undef UNARY_WITH
#undef UNARY_ORDER
#undef UNARY_FAR
#undef UNARY_MAGNITUDE
#undef PREDICATE
#undef BITS
#undef BINARY
#undef BINARY_NUMBER
#undef BINARY_CHOICE
#undef BINARY_WITH
#undef BINARY_BLOCK
#undef BINARY_COMPLEX
#undef COMPARISON
#undef CHECKED
#undef DIVISION
#undef DIVISION_FAR
#undef TERNARY
#undef TERNARY_NUMBER
#undef FOLD
#undef SUM
#undef SPREAD
#undef NORM
#undef POWERS
#undef ROW
#undef SAME

/* Second pass: the rows, each with its source location.  An iterated operator's kernel is chosen by its first input. */
#define ITERATED(name, id, dtypes) {name, GN_ITERATED, 1, KERNELS_##dtypes(kernel_##id), __FILE__, __LINE__},
#define UNARY(name, id, dtypes, ...) ITERATED(name, id, dtypes)
#define UNARY_NUMBER(name, id, dtypes, ...) ITERATED(name, id, dtypes)
#define UNARY_CHOICE(name, id, dtypes, ...) ITERATED(name, id, dtypes)
#define UNARY_WITH(name, id, dtypes, ...) ITERATED(name, id, dtypes)
#define UNARY_ORDER(name, id, dtypes, ...) ITERATED(name, id, dtypes)
#define UNARY_FAR(name, id, dtypes, ...) ITERATED(name, id, dtypes)
#define UNARY_MAGNITUDE(name, id, dtypes, ...) ITERATED(name, id, dtypes)
#define PREDICATE(name, id, dtypes, ...) ITERATED(name, id, dtypes)
#define BITS(kind, name, id, dtypes, ...) ITERATED(name, id, dtypes)
#define BINARY(name, id, dtypes, ...) ITERATED(name, id, dtypes)
#define BINARY_NUMBER(name, id, dtypes, ...) ITERATED(name, id, dtypes)
#define BINARY_CHOICE(name, id, dtypes, ...) ITERATED(name, id, dtypes)
#define BINARY_WITH(name, id, dtypes, ...) ITERATED(name, id, dtypes)
#define BINARY_BLOCK(name, id, dtypes, ...) ITERATED(name, id, dtypes)
#define BINARY_COMPLEX(name, id, dtypes, ...) ITERATED(name, id, dtypes)
#define COMPARISON(name, id, dtypes, ...) ITERATED(name, id, dtypes)
#define CHECKED(name, id, dtypes, ...) ITERATED(name, id, dtypes)
#define DIVISION(name, id, dtypes, ...) ITERATED(name, id, dtypes)
#define DIVISION_FAR(name, id, dtypes, ...) ITERATED(name, id, dtypes)
#define TERNARY(name, id, dtypes, ...) ITERATED(name, id, dtypes)
#define TERNARY_NUMBER(name, id, dtypes, ...) ITERATED(name, id, dtypes)
#define FOLD(name, id, dtypes, ...) ITERATED(name, id, dtypes)
#define SUM(name, id, dtypes, ...) ITERATED(name, id, dtypes)
#define SPREAD(name, id, dtypes, ...) ITERATED(name, id, dtypes)
#define NORM(name, id, dtypes) ITERATED(name, id, dtypes)
#define POWERS(name, id, dtypes) ITERATED(name, id, dtypes)
#define ROW(name, family, key_tensor, dtypes, id) {name, family, key_tensor, KERNELS_##dtypes(kernel_##id), __FILE__, __LINE__},
/* Of linear algebra.  Here, and not in kernel.h, which every CUDA kernel includes. */
#define KERNELS_FULL(id) {NULL, GN_NO_INTEGER_KERNELS, NULL, NULL, id##_float32, id##_float64, GN_COMPLEX_KERNELS(id)}
#define SAME(name, family, key_tensor, id) {name, family, key_tensor, KERNELS_SAME(kernel_##id), __FILE__, __LINE__},

static const gn_row rows[] = {
#include "../pointwise.def"
#include "../reduce.def"
#include "../rows.def"
};

int32_t gn_abi_version(void) {
    return GN_ABI_VERSION;
}

const gn_row *gn_rows(void) {
    return rows;
}

int32_t gn_row_count(void) {
    return (int32_t)(sizeof rows / sizeof rows[0]);
}
