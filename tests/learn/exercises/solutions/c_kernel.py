"""A model answer."""

from __future__ import annotations

SCHEMA = "exercises::scaled_add(Tensor x, Tensor y, float factor) -> Tensor"


def source() -> str:
    return r"""
static int64_t size(const gn_tensor *t, int64_t dim) { return dim < t->ndim ? t->sizes[dim] : 1; }
static int64_t stride(const gn_tensor *t, int64_t dim) { return dim < t->ndim ? t->strides[dim] : 0; }

/* The element at (i, j); a missing dimension has size 1. */
#define AT(type, t, i, j) (((type *)(t)->data)[(i) * stride(t, 0) + (j) * stride(t, 1)])
#define LOOP(type) \
    for (int64_t i = 0; i < size(x, 0); i++) \
        for (int64_t j = 0; j < size(x, 1); j++) \
            AT(type, result0, i, j) = (type)(AT(type, x, i, j) + factor * AT(type, y, i, j))

const char *scaled_add(const gn_tensor *x, const gn_tensor *y, double factor, gn_tensor *result0) {
    if (x->ndim != y->ndim || size(x, 0) != size(y, 0) || size(x, 1) != size(y, 1)) {
        return "expected tensors of the same sizes";
    }
    if (x->ndim > 2) {
        return "expected at most two dimensions";
    }
    if (x->dtype == GN_FLOAT32) {
        LOOP(float);
    } else if (x->dtype == GN_FLOAT64) {
        LOOP(double);
    } else {
        return "expected float32 or float64";
    }
    return 0;
}
"""
