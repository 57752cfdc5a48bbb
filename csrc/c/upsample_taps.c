/* The weights of the modes of upsampling along one dimension.
 *
 * A position determines the neighbours, so positions are rounded as in PyTorch (UpSample.h, UpSampleKernel.cpp): to
 * float32 after each step, except for float64.  Keys, "Cubic Convolution Interpolation for Digital Image Processing"
 * (1981); Duchon, "Lanczos Filtering in One and Two Dimensions" (1979). */
#include "upsample.h"

#define PI 3.14159265358979323846

static double rounded(double x, int single) {
    return single ? (double)(float)x : x;
}

/* NaN becomes the lower bound. */
static double clamped(double x, double low, double high) {
    return x >= low ? (x > high ? high : x) : low;
}

/* The distance in the input of two neighbouring output positions. */
static double step_of(int64_t size, int64_t count, int align_corners, double scale, int single) {
    if (align_corners) {
        return count > 1 ? rounded((double)(size - 1) / (double)(count - 1), single) : 0;
    }
    return rounded(scale > 0 ? 1.0 / scale : (double)size / (double)count, single);
}

/* The position in the input of an output position. */
static double source_of(int64_t at, double step, int align_corners, int single) {
    if (align_corners) {
        return rounded(step * (double)at, single);
    }
    return rounded(rounded(step * ((double)at + 0.5), single) - 0.5, single);
}

static int32_t take_nearest(gn_taps *taps, int64_t size, int64_t count, double step, double shift, int single) {
    const int32_t status = gn_take_positions(taps, size, count);
    for (int64_t i = 0; status == GN_OK && i < count; i++) {
        taps->at[i] = (int64_t)clamped(floor(rounded(((double)i + shift) * step, single)), 0, (double)(size - 1));
    }
    return status;
}

static int32_t take_identity(gn_taps *taps, int64_t size) {
    const int32_t status = gn_take_positions(taps, size, size);
    for (int64_t i = 0; status == GN_OK && i < size; i++) {
        taps->at[i] = i;
    }
    taps->keeps = status == GN_OK;
    return status;
}

/* Linear without a change of size: the neighbour with weight 0 is included, as 0 times infinity is NaN. */
static int32_t take_both(gn_taps *taps, int64_t size) {
    const int32_t status = gn_take_taps(taps, size, size, 2 * size);
    for (int64_t i = 0; status == GN_OK && i < size; i++) {
        taps->start[i + 1] = 2 * i + 2;
        taps->at[2 * i] = taps->at[2 * i + 1] = i;
        taps->weight[2 * i] = 1;
        taps->weight[2 * i + 1] = 0;
    }
    return status;
}

static int32_t take_linear(gn_taps *taps, int64_t size, int64_t count, double step, int align_corners, int single) {
    const int32_t status = gn_take_taps(taps, size, count, 2 * count);
    for (int64_t i = 0; status == GN_OK && i < count; i++) {
        const double source = clamped(source_of(i, step, align_corners, single), 0, INFINITY);
        const int64_t left = (int64_t)clamped(source, 0, (double)(size - 1));
        const double share = clamped(rounded(source - (double)left, single), 0, 1);
        taps->start[i + 1] = 2 * i + 2;
        taps->at[2 * i] = left;
        taps->weight[2 * i] = rounded(1 - share, single);
        taps->at[2 * i + 1] = gn_min(left + 1, size - 1);
        taps->weight[2 * i + 1] = share;
    }
    return status;
}

static double cubic_near(double x, double a) {
    return ((a + 2) * x - (a + 3)) * x * x + 1;
}
static double cubic_far(double x, double a) {
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}

/* The weights of the four neighbours of a position `share` after the second of them; Keys' cubic with a = -0.75. */
static void cubic_weights(double share, double *weights) {
    const double a = -0.75;
    weights[0] = cubic_far(share + 1, a);
    weights[1] = cubic_near(share, a);
    weights[2] = cubic_near(1 - share, a);
    weights[3] = cubic_far(2 - share, a);
}

static int32_t take_cubic(gn_taps *taps, int64_t size, int64_t count, double step, int align_corners, int single) {
    const int32_t status = gn_take_taps(taps, size, count, 4 * count);
    for (int64_t i = 0; status == GN_OK && i < count; i++) {
        const double source = source_of(i, step, align_corners, single);
        const int64_t left = (int64_t)floor(clamped(source, -4, (double)(size - 1)));
        const double share = clamped(rounded(source - (double)left, single), 0, 1);
        taps->start[i + 1] = 4 * i + 4;
        cubic_weights(share, taps->weight + 4 * i);
        for (int64_t k = 0; k < 4; k++) {
            taps->at[4 * i + k] = gn_min(gn_max(left + k - 1, 0), size - 1);
        }
    }
    return status;
}

/* The filters of antialiasing, at x. */
static double filter_at(gn_mode mode, double x, int single) {
    const double size = fabs(x);
    if (mode == GN_LINEAR_AA) {
        return size < 1 ? rounded(1 - size, single) : 0;
    }
    if (mode == GN_CUBIC_AA) {
        if (size < 1) {
            return rounded((1.5 * size - 2.5) * size * size + 1, single);
        }
        return size < 2 ? rounded(((-0.5 * size + 2.5) * size - 4) * size + 2, single) : 0;
    }
    if (x == 0) {
        return 1;
    }
    const double angle = PI * x;
    return size < 3 ? rounded(3 * sin(angle) * sin(angle / 3) / (angle * angle), single) : 0;
}

/* Source: _compute_indices_min_size_weights_aa, with its roundings. */
static int32_t take_antialiased(gn_taps *taps, gn_mode mode, int64_t size, int64_t count, double step, int single) {
    const double radius = mode == GN_LINEAR_AA ? 1 : mode == GN_CUBIC_AA ? 2 : 3;
    const double support = step >= 1 ? rounded(radius * step, single) : radius;
    const double inverse = step >= 1 ? rounded(1 / step, single) : 1;
    const int64_t most = (int64_t)clamped(2 * ceil(support) + 1, 0, (double)size);
    const int32_t status = gn_take_taps(taps, size, count, count * most);
    for (int64_t i = 0; status == GN_OK && i < count; i++) {
        const double center = rounded(step * ((double)i + 0.5), single);
        /* clamped before the conversion, which truncates, so that it is defined */
        const double limit = (double)size + 1;
        const int64_t first = (int64_t)clamped(rounded(center - support, single) + 0.5, 0, limit);
        const int64_t past = gn_min((int64_t)clamped(rounded(center + support, single) + 0.5, 0, limit), size);
        const int64_t length = gn_min(gn_max(past - first, 0), most);
        int64_t *at = taps->at + taps->start[i];
        double *weight = taps->weight + taps->start[i];
        double total = 0;
        for (int64_t k = 0; k < length; k++) {
            const double distance = rounded((double)(first + k) - center, single) + 0.5;
            at[k] = first + k;
            weight[k] = filter_at(mode, rounded(distance * inverse, single), single);
            total = rounded(total + weight[k], single);
        }
        for (int64_t k = 0; k < length && total != 0; k++) {
            weight[k] = rounded(weight[k] / total, single);
        }
        taps->start[i + 1] = taps->start[i] + length;
    }
    return status;
}

int32_t gn_upsample_taps(gn_taps *taps, gn_mode mode, int64_t size, int64_t count, int align_corners, double scale,
                         int single) {
    if (count == size && (mode == GN_NEAREST || mode == GN_LINEAR)) {
        return mode == GN_NEAREST ? take_identity(taps, size) : take_both(taps, size);
    }
    const double step = step_of(size, count, align_corners, scale, single);
    switch (mode) {
    case GN_NEAREST:
        return take_nearest(taps, size, count, step, 0, single);
    case GN_NEAREST_EXACT:
        return take_nearest(taps, size, count, step, 0.5, single);
    case GN_LINEAR:
        return take_linear(taps, size, count, step, align_corners, single);
    case GN_CUBIC:
        return take_cubic(taps, size, count, step, align_corners, single);
    default:
        return take_antialiased(taps, mode, size, count, step, single);
    }
}
