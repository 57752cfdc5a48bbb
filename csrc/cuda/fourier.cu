/* Fourier transforms along one dimension, in double for all dtypes. A line is the elements along that dimension.
 *
 * If all prime factors of the length are small, it uses Stockham's algorithm: each stage computes transforms of
 * `factor` elements and writes them where the next stage reads. Other lengths are computed as convolutions with a chirp
 * (Bluestein, "A linear filtering approach to the computation of discrete Fourier transform", 1970), whose length is a
 * power of two.
 *
 * Short lines run all stages in shared memory, several lines per block; for long ones each stage is a kernel. */
#include "places.cuh"

#define FOURIER_THREADS 256
#define LARGEST_PRIME 31
#define SHORT 1024 /* elements of the lines of one block */
#define MOST_FACTORS 64

struct alignas(16) gn_point {
    double real, imag;
};

static inline gn_point add(gn_point a, gn_point b) {
    return gn_point{a.real + b.real, a.imag + b.imag};
}
static inline gn_point subtract(gn_point a, gn_point b) {
    return gn_point{a.real - b.real, a.imag - b.imag};
}
static inline gn_point multiply(gn_point a, gn_point b) {
    return gn_point{a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
}
static inline gn_point scale(gn_point a, double factor) {
    return gn_point{a.real * factor, a.imag * factor};
}
static inline gn_point conjugate(gn_point a) {
    return gn_point{a.real, -a.imag};
}
/* a multiplied by i * sign. */
static inline gn_point turn(gn_point a, double sign) {
    return gn_point{-sign * a.imag, sign * a.real};
}

/* How lines of one length are transformed. `inner` is the length that is factored: the line's own, or for Bluestein's
 * algorithm that of the convolution, with its chirp and filter. In buffers, lines follow each other, or with `beside`
 * they are interleaved. */
struct gn_fourier {
    int64_t length, inner, lines;
    int32_t beside, factor_count;
    int32_t factors[MOST_FACTORS];
    const gn_point *roots, *chirp, *filter;
};

/* The input and output lines; the views have all other dimensions. The first `count` elements of each result are
 * written. `hermitian`: the input has the first half of a line, and the other half is its conjugate. */
struct gn_pass {
    gn_view in, out;
    int64_t in_step, out_step, count;
    int32_t hermitian;
    double divisor;
};

/* exp(2 pi i k / count), or with `forward` its conjugate. Exact at multiples of a quarter turn. */
static inline gn_point root_of_unity(int64_t k, int64_t count, int forward) {
    const int64_t quarter = 4 * k / count;
    const int64_t rest = 4 * k % count;
    const double angle = 1.57079632679489661923 * (double)rest / (double)count;
    gn_point root = {rest == 0 ? 1 : cos(angle), rest == 0 ? 0 : sin(angle)};
    for (int64_t i = 0; i < quarter; i++) {
        root = turn(root, 1);
    }
    root.imag = forward ? -root.imag : root.imag;
    return root;
}

__global__ void make_roots(gn_point *roots, int64_t count, int32_t forward) {
    for (int64_t k = gn_thread(); k < count; k += gn_threads()) {
        roots[k] = root_of_unity(k, count, forward);
    }
}

/* exp(-pi i k^2 / length) for Bluestein's algorithm (conjugated if not `forward`), and the filter: its conjugates, at
 * both ends of `inner` elements. */
__global__ void make_chirp(gn_point *chirp, gn_point *filter, int64_t length, int64_t inner, int32_t forward) {
    for (int64_t i = gn_thread(); i < inner; i += gn_threads()) {
        const int64_t k = i < length ? i : inner - i;
        filter[i] = gn_point{0, 0};
        if (k < length) {
            const uint64_t square = (uint64_t)k * (uint64_t)k % (2 * (uint64_t)length);
            const gn_point root = root_of_unity((int64_t)square, 2 * length, forward);
            filter[i] = conjugate(root);
            if (i < length) {
                chirp[i] = root;
            }
        }
    }
}

/* Reads element k of a line as input of the first stage. */
static inline gn_point load_point(const gn_fourier &plan, const gn_pass &work, int64_t line, int64_t k) {
    if (k >= plan.length) {
        return gn_point{0, 0};
    }
    const bool is_mirrored = work.hermitian && k > plan.length / 2;
    const int64_t place = is_mirrored ? plan.length - k : k;
    const char *at = work.in.at + gn_offset_of(work.in, (uint64_t)line) + place * work.in_step;
    gn_point point;
    switch (work.in.dtype) {
    case GN_FLOAT32: point = gn_point{*(const float *)at, 0}; break;
    case GN_FLOAT64: point = gn_point{*(const double *)at, 0}; break;
    case GN_COMPLEX64: point = gn_point{((const float *)at)[0], ((const float *)at)[1]}; break;
    default: point = gn_point{((const double *)at)[0], ((const double *)at)[1]}; break;
    }
    if (work.hermitian && (k == 0 || 2 * k == plan.length)) {
        point.imag = 0;
    }
    point.imag = is_mirrored ? -point.imag : point.imag;
    return plan.chirp == NULL ? point : multiply(point, plan.chirp[k]);
}

/* Writes element k of a transformed line to the result. */
static inline void store_point(const gn_fourier &plan, const gn_pass &work, int64_t line, int64_t k, gn_point point) {
    if (k >= work.count) {
        return;
    }
    if (plan.chirp != NULL) { /* inverse transform: conjugate of the forward transform of the conjugate */
        point = multiply(scale(conjugate(point), 1 / (double)plan.inner), plan.chirp[k]);
    }
    if (work.divisor != 1) {
        point = gn_point{point.real / work.divisor, point.imag / work.divisor};
    }
    char *at = work.out.at + gn_offset_of(work.out, (uint64_t)line) + k * work.out_step;
    switch (work.out.dtype) {
    case GN_FLOAT32: *(float *)at = (float)point.real; break;
    case GN_FLOAT64: *(double *)at = point.real; break;
    case GN_COMPLEX64:
        ((float *)at)[0] = (float)point.real;
        ((float *)at)[1] = (float)point.imag;
        break;
    default:
        ((double *)at)[0] = point.real;
        ((double *)at)[1] = point.imag;
        break;
    }
}

/* Element k of the transformed chirp product times the filter, conjugated as input of the inverse transform. */
static inline gn_point filtered(const gn_fourier &plan, gn_point point, int64_t k) {
    return conjugate(multiply(point, plan.filter[k]));
}

/* Butterfly (p, q) of a stage: on `factor` elements with a distance of `groups`, `step` interleaved transforms; `width`
 * is the number of adjacent elements over all lines. */
static inline void butterfly(const gn_fourier &plan, const gn_point *from, gn_point *to, int32_t factor, int64_t groups,
                             int64_t step, int64_t width, int64_t p, int64_t q) {
    const gn_point *in = from + p * width + q;
    gn_point *out = to + factor * p * width + q;
    const int64_t apart = width * groups;
    const gn_point *roots = plan.roots;
    if (factor == 2) {
        const gn_point x = in[0];
        const gn_point y = in[apart];
        out[0] = add(x, y);
        out[width] = multiply(subtract(x, y), roots[p * step]);
    } else if (factor == 3) {
        const gn_point a = in[0];
        const gn_point b = in[apart];
        const gn_point c = in[2 * apart];
        const gn_point sum = add(b, c);
        const gn_point middle = add(a, scale(sum, -0.5));
        const gn_point side = turn(scale(subtract(b, c), roots[plan.inner / 3].imag), 1);
        out[0] = add(a, sum);
        out[width] = multiply(add(middle, side), roots[p * step]);
        out[2 * width] = multiply(subtract(middle, side), roots[2 * p * step]);
    } else if (factor == 4) {
        const gn_point even = add(in[0], in[2 * apart]);
        const gn_point odd = add(in[apart], in[3 * apart]);
        const gn_point left = subtract(in[0], in[2 * apart]);
        const gn_point right = turn(subtract(in[apart], in[3 * apart]), roots[plan.inner / 4].imag);
        out[0] = add(even, odd);
        out[width] = multiply(add(left, right), roots[p * step]);
        out[2 * width] = multiply(subtract(even, odd), roots[2 * p * step]);
        out[3 * width] = multiply(subtract(left, right), roots[3 * p * step]);
    } else { /* any other prime: by the definition */
        gn_point elements[LARGEST_PRIME];
        for (int32_t k = 0; k < factor; k++) {
            elements[k] = in[k * apart];
        }
        for (int32_t j = 0; j < factor; j++) {
            gn_point sum = elements[0];
            int32_t power = 0;
            for (int32_t k = 1; k < factor; k++) {
                power += j;
                power = power >= factor ? power - factor : power;
                sum = add(sum, multiply(elements[k], roots[plan.inner / factor * power]));
            }
            out[j * width] = multiply(sum, roots[p * j * step]);
        }
    }
}

/* Runs all stages of `lines` contiguous lines in shared memory; returns the buffer that has the result. */
static inline gn_point *transform(const gn_fourier &plan, gn_point *from, gn_point *to, int64_t lines) {
    int64_t groups = plan.inner;
    int64_t step = 1;
    __syncthreads();
    for (int32_t stage = 0; stage < plan.factor_count; stage++) {
        const int32_t factor = plan.factors[stage];
        const int64_t each = plan.inner / factor;
        groups /= factor;
        for (int64_t i = threadIdx.x; i < lines * each; i += FOURIER_THREADS) {
            int64_t line = i;
            int64_t p = gn_split(&line, each);
            const int64_t q = gn_split(&p, step);
            const int64_t start = line * plan.inner;
            butterfly(plan, from + start, to + start, factor, groups, step, step, p, q);
        }
        step *= factor;
        gn_point *const other = from;
        from = to;
        to = other;
        __syncthreads();
    }
    return from;
}

/* Short lines, `together` of them per block. */
__global__ void transform_short(gn_fourier plan, gn_pass work, int32_t together) {
    __shared__ gn_point first[SHORT];
    __shared__ gn_point second[SHORT];
    const int64_t blocks = (plan.lines + together - 1) / together;
    for (int64_t block = blockIdx.x; block < blocks; block += gridDim.x) {
        const int64_t begin = block * together;
        const int64_t lines = gn_min(together, plan.lines - begin);
        const int64_t elements = lines * plan.inner;
        for (int64_t i = threadIdx.x; i < elements; i += FOURIER_THREADS) {
            const int64_t line = plan.beside ? i % lines : i / plan.inner;
            const int64_t k = plan.beside ? i / lines : i % plan.inner;
            first[line * plan.inner + k] = load_point(plan, work, begin + line, k);
        }
        gn_point *made = transform(plan, first, second, lines);
        if (plan.chirp != NULL) {
            for (int64_t i = threadIdx.x; i < elements; i += FOURIER_THREADS) {
                made[i] = filtered(plan, made[i], i % plan.inner);
            }
            made = transform(plan, made, made == first ? second : first, lines);
        }
        for (int64_t i = threadIdx.x; i < elements; i += FOURIER_THREADS) {
            const int64_t line = plan.beside ? i % lines : i / plan.inner;
            const int64_t k = plan.beside ? i / lines : i % plan.inner;
            store_point(plan, work, begin + line, k, made[line * plan.inner + k]);
        }
        __syncthreads();
    }
}

/* The line of index i of a buffer, and the element of the line. */
static inline int64_t line_at(const gn_fourier &plan, int64_t i, int64_t *k) {
    if (plan.beside) {
        *k = i;
        return gn_split(k, plan.lines);
    }
    *k = gn_split(&i, plan.inner);
    return i;
}

__global__ void load_lines(gn_fourier plan, gn_pass work, gn_point *buffer) {
    for (int64_t i = gn_thread(); i < plan.lines * plan.inner; i += gn_threads()) {
        int64_t k;
        const int64_t line = line_at(plan, i, &k);
        buffer[i] = load_point(plan, work, line, k);
    }
}

__global__ void filter_lines(gn_fourier plan, gn_point *buffer) {
    for (int64_t i = gn_thread(); i < plan.lines * plan.inner; i += gn_threads()) {
        int64_t k;
        line_at(plan, i, &k);
        buffer[i] = filtered(plan, buffer[i], k);
    }
}

__global__ void store_lines(gn_fourier plan, gn_pass work, const gn_point *buffer) {
    for (int64_t i = gn_thread(); i < plan.lines * plan.inner; i += gn_threads()) {
        int64_t k;
        const int64_t line = line_at(plan, i, &k);
        store_point(plan, work, line, k, buffer[i]);
    }
}

/* One stage for all lines, one thread per butterfly. */
__global__ void run_stage(gn_fourier plan, const gn_point *from, gn_point *to, int32_t factor, int64_t groups, int64_t step) {
    const int64_t width = plan.beside ? step * plan.lines : step;
    const int64_t each = groups * width; /* butterflies of lines that are interleaved */
    for (int64_t i = gn_thread(); i < plan.lines * (plan.inner / factor); i += gn_threads()) {
        int64_t line = i;
        int64_t p = gn_split(&line, each);
        const int64_t q = gn_split(&p, width);
        const int64_t start = line * plan.inner;
        butterfly(plan, from + start, to + start, factor, groups, step, width, p, q);
    }
}
