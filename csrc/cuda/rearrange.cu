/* Elements copied to other positions, by size regardless of dtype. */
#include "kernel.cuh"

template <class T> __global__ void copy_elements(gn_view out, gn_view from) {
    const int64_t count = gn_count(out);
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        *(T *)gn_place(out, i) = *(const T *)gn_place(from, i);
    }
}

/* The elements on and below a diagonal, or with IS_UPPER on and above it; zeros elsewhere. */
template <class T, int IS_UPPER> __global__ void copy_triangle(gn_view out, gn_view from, int64_t diagonal) {
    const int64_t count = gn_count(out);
    const int64_t rows = out.sizes[out.ndim - 2];
    const int64_t columns = out.sizes[out.ndim - 1];
    /* Clamped, so that a diagonal far outside the matrix cannot overflow. */
    const int64_t chosen = gn_max(-rows, gn_min(diagonal, columns));
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        const int64_t row = i / columns % rows;
        const int64_t distance = i % columns - row;
        const bool is_kept = IS_UPPER ? distance >= chosen : distance <= chosen;
        *(T *)gn_place(out, i) = is_kept ? *(const T *)gn_place(from, i) : T();
    }
}
