/* Sums over each channel of (images, channels, size), and what is computed from them: batch normalization, its
 * gradients, and the gradients of the weights of layer and group normalization.
 *
 * All operands are in row-major order. A channel may be split into parts; their sums, in double, are stored separately
 * and added up in a fixed order. Intermediate statistics are in double. */
#include "number.cuh"
#include "parameter.cuh"
#include "team.cuh"

#define CHANNEL_THREADS 256

/* The index of an element's mean and rstd is image * of_image + channel / of_channel. */
struct gn_channels {
    int64_t images, channels, size;
    int64_t parts, length;
    int64_t of_image, of_channel;
    const gn_storage *in;
    gn_storage *out;
    gn_parameter gradient; /* its dtype may differ from the input's */
    gn_parameter weight, bias, mean, rstd;
    gn_parameter for_weight, for_bias;
    double *partials;  /* (parts, 2, channels) */
    double *sums;      /* (4, channels): see the kernels */
};

static inline int64_t statistic_of(const gn_channels &work, int64_t image, int64_t channel) {
    return image * work.of_image + channel / work.of_channel;
}

/* Writes two sums for each part of each channel to `partials`. IS_GRADIENT: the sums of g and of g (x - mean) rstd.
 * Else those of x - shift and of (x - shift)^2, where shift is the channel's element of `sums`. A block has COLUMNS
 * adjacent channels. */
template <int IS_GRADIENT, int COLUMNS>
__global__ void __launch_bounds__(CHANNEL_THREADS, 1) channel_sums(gn_channels work) {
    constexpr int slices = CHANNEL_THREADS / COLUMNS;
    __shared__ double shared[2][CHANNEL_THREADS];
    const int column = (int)threadIdx.x % COLUMNS;
    const int slice = (int)threadIdx.x / COLUMNS;
    const int64_t strips = (work.channels + COLUMNS - 1) / COLUMNS;
    for (int64_t unit = blockIdx.x; unit < strips * work.parts; unit += gridDim.x) {
        const int64_t channel = unit % strips * COLUMNS + column;
        const int64_t part = unit / strips;
        const bool is_there = channel < work.channels;
        const int64_t end = is_there ? gn_min((part + 1) * work.length, work.images * work.size) : 0;
        const double shift = is_there && !IS_GRADIENT ? work.sums[channel] : 0;
        double first = 0, second = 0;
        for (int64_t number = part * work.length + slice; number < end; number += slices) {
            const int64_t image = work.size == 1 ? number : number / work.size;
            const int64_t place = (image * work.channels + channel) * work.size + (number - image * work.size);
            const double x = (double)gn_load(work.in[place]);
            if (IS_GRADIENT) {
                const int64_t statistic = statistic_of(work, image, channel);
                const double g = work.gradient.exactly(place);
                first += g;
                second += g * ((x - work.mean.exactly_or_0(statistic)) * work.rstd.exactly(statistic));
            } else {
                first += x - shift;
                second += (x - shift) * (x - shift);
            }
        }
        shared[0][threadIdx.x] = first;
        shared[1][threadIdx.x] = second;
        __syncthreads();
        for (int half = slices / 2; half > 0; half /= 2) {
            if (slice < half) {
                shared[0][threadIdx.x] += shared[0][threadIdx.x + half * COLUMNS];
                shared[1][threadIdx.x] += shared[1][threadIdx.x + half * COLUMNS];
            }
            __syncthreads();
        }
        if (slice == 0 && is_there) {
            work.partials[2 * part * work.channels + channel] = shared[0][threadIdx.x];
            work.partials[(2 * part + 1) * work.channels + channel] = shared[1][threadIdx.x];
        }
        __syncthreads(); /* the sums have been read */
    }
}

/* Writes a first estimate of each channel's mean to sums[0]: its first element, or 0 if that is not finite. */
template <int UNUSED> __global__ void __launch_bounds__(CHANNEL_THREADS, 1) channel_shifts(gn_channels work) {
    for (int64_t channel = gn_thread(); channel < work.channels; channel += gn_threads()) {
        const double first = (double)gn_load(work.in[channel * work.size]);
        work.sums[channel] = first - first == 0 ? first : 0;
    }
}

/* Combines the parts: sums[0] becomes the mean. With IS_LAST also: sums[1] becomes 1 / sqrt(variance + eps); both are
 * written to `mean` and `rstd`; and the running statistics (`for_weight` and `for_bias`), if present, are updated. */
template <int IS_LAST>
__global__ void __launch_bounds__(CHANNEL_THREADS, 1) channel_moments(gn_channels work, double eps, double momentum) {
    const double count = (double)(work.images * work.size);
    for (int64_t channel = gn_thread(); channel < work.channels; channel += gn_threads()) {
        double first = 0, second = 0;
        for (int64_t part = 0; part < work.parts; part++) {
            first += work.partials[2 * part * work.channels + channel];
            second += work.partials[(2 * part + 1) * work.channels + channel];
        }
        const double share = first / count;
        const double mean = work.sums[channel] + share;
        work.sums[channel] = mean;
        if (IS_LAST) {
            double variance = (second - first * share) / count;
            variance = variance < 0 ? 0 : variance;
            const double rstd = variance == 0 && eps == 0 ? 0 : 1 / gn_sqrt(variance + eps); /* as in PyTorch */
            work.sums[work.channels + channel] = rstd;
            work.mean.set(channel, mean);
            work.rstd.set(channel, rstd);
            if (work.for_weight.at != nullptr) {
                const double old_mean = work.for_weight.exactly(channel);
                const double old_variance = work.for_bias.exactly(channel);
                work.for_weight.set(channel, old_mean * (1 - momentum) + mean * momentum);
                work.for_bias.set(channel, old_variance * (1 - momentum) + variance * count / (count - 1) * momentum);
            }
        }
    }
}

/* Converts `weight` to float32. */
template <int UNUSED> __global__ void __launch_bounds__(CHANNEL_THREADS, 1) channel_widen(gn_channels work) {
    for (int64_t channel = gn_thread(); channel < work.channels; channel += gn_threads()) {
        ((float *)work.out)[channel] = (float)work.weight.exactly(channel);
    }
}

/* Computes sums[0] and [1] from given statistics: the mean, and the variance, or with IS_ROOT 1 / sqrt(variance +
 * eps). */
template <int IS_ROOT>
__global__ void __launch_bounds__(CHANNEL_THREADS, 1) channel_given(gn_channels work, double eps) {
    for (int64_t channel = gn_thread(); channel < work.channels; channel += gn_threads()) {
        const double second = work.rstd.exactly(channel);
        work.sums[channel] = work.mean.exactly(channel);
        work.sums[work.channels + channel] = IS_ROOT ? second : 1 / gn_sqrt(second + eps);
    }
}

/* Combines the parts into the gradients of weight and bias. sums[2] and [3] become weight / count times the two sums,
 * as the gradient of the input needs them. */
template <int UNUSED> __global__ void __launch_bounds__(CHANNEL_THREADS, 1) channel_gradients(gn_channels work) {
    const double count = (double)(work.images * work.size);
    for (int64_t channel = gn_thread(); channel < work.channels; channel += gn_threads()) {
        double first = 0, second = 0;
        for (int64_t part = 0; part < work.parts; part++) {
            first += work.partials[2 * part * work.channels + channel];
            second += work.partials[(2 * part + 1) * work.channels + channel];
        }
        if (work.for_weight.at != nullptr) {
            work.for_weight.set(channel, second);
        }
        if (work.for_bias.at != nullptr) {
            work.for_bias.set(channel, first);
        }
        if (work.sums != nullptr) {
            const double weight = work.weight.at == nullptr ? 1 : work.weight.exactly(channel);
            work.sums[2 * work.channels + channel] = weight * first / count;
            work.sums[3 * work.channels + channel] = weight * second / count;
        }
    }
}

/* From the mean and rstd in sums[0] and [1] computes (x - mean) rstd w + b. With IS_GRADIENT 1: the gradient of x, rstd
 * (g w - sums[2] - x^ sums[3]). With IS_GRADIENT 2: the same if mean and rstd do not depend on x, rstd g w. */
template <int IS_GRADIENT> __global__ void __launch_bounds__(CHANNEL_THREADS, 1) channel_elements(gn_channels work) {
    const int64_t channels = work.channels;
    const int64_t count = work.images * channels * work.size;
    for (int64_t number = gn_thread(); number < count; number += gn_threads()) {
        const int64_t channel = count <= INT32_MAX ? (int32_t)number / (int32_t)work.size % (int32_t)channels
                                                   : number / work.size % channels;
        const double mean = work.sums[channel];
        const gn_compute rstd = (gn_compute)work.sums[channels + channel];
        const gn_compute weight = work.weight.at == nullptr ? 1 : work.weight.get(channel);
        const gn_compute high = (gn_compute)mean;
        const gn_compute low = mean - mean == 0 ? (gn_compute)(mean - (double)high) : 0;
        gn_compute found;
        if (IS_GRADIENT == 2) { /* does not multiply by the input, which may be infinite */
            found = rstd * (work.gradient.of_any(number) * weight);
        } else {
            const gn_compute hat = ((gn_load(work.in[number]) - high) - low) * rstd;
            if (IS_GRADIENT == 1) {
                const gn_compute scaled = work.gradient.of_any(number) * weight;
                const gn_compute mean_sum = (gn_compute)work.sums[2 * channels + channel];
                const gn_compute mean_product = (gn_compute)work.sums[3 * channels + channel];
                found = rstd * ((scaled - mean_sum) - hat * mean_product);
            } else {
                found = hat * weight;
                if (work.bias.at != nullptr) {
                    found += work.bias.get(channel);
                }
            }
        }
        work.out[number] = gn_store(found);
    }
}
