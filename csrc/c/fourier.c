/* Fourier transforms of one line.
 *
 * A length whose prime factors are small is taken apart by Stockham's algorithm: each stage transforms `factor`
 * elements at a time and writes them in the order that the next one reads.  Other lengths are convolutions with a
 * chirp (Bluestein, "A linear filtering approach to the computation of discrete Fourier transform", 1970), whose
 * length is a power of two. */
#include "fourier.h"
#include "workspace.h"

/* The largest prime factor that is transformed by its definition. */
#define LARGEST_PRIME 31
/* The longest lines of which several are transformed together: longer ones would leave the cache. */
#define LONGEST_TOGETHER 8192

static inline gn_point add(gn_point a, gn_point b) {
    return (gn_point){a.real + b.real, a.imag + b.imag};
}
static inline gn_point subtract(gn_point a, gn_point b) {
    return (gn_point){a.real - b.real, a.imag - b.imag};
}
/* A difference of products beside a sum of them would become one fused instruction where gcc 12 sees that the processor
 * has it, whatever is said about contraction; so both are sums. */
static inline gn_point multiply(gn_point a, gn_point b) {
    const double minus = -b.imag;
    return (gn_point){a.real * b.real + a.imag * minus, a.real * b.imag + a.imag * b.real};
}
static inline gn_point scale(gn_point a, double factor) {
    return (gn_point){a.real * factor, a.imag * factor};
}
/* a times i * sign. */
static inline gn_point turn(gn_point a, double sign) {
    return (gn_point){-sign * a.imag, sign * a.real};
}

/* exp(2 pi i k / count), or its conjugate forward; exact at the quarters. */
static gn_point root_of_unity(int64_t k, int64_t count, int forward) {
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

/* Factors of `length`, 4 first; 0 where one is too large. */
static int32_t factorize(int64_t length, int32_t *factors) {
    int32_t count = 0;
    while (length % 4 == 0) {
        factors[count++] = 4;
        length /= 4;
    }
    for (int32_t factor = 2; factor <= LARGEST_PRIME; factor++) {
        while (length % factor == 0) {
            factors[count++] = factor;
            length /= factor;
        }
    }
    return length == 1 ? count : 0;
}

static int32_t make_roots(gn_point **roots, int64_t count, int forward) {
    *roots = gn_take_items(count, sizeof(gn_point));
    if (*roots == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    for (int64_t k = 0; k < count; k++) {
        (*roots)[k] = root_of_unity(k, count, forward);
    }
    return GN_OK;
}

/* One stage: groups of `factor` elements, `count` groups apart; `step` transforms lie side by side, of each line:
 * `width` of them in all. */
static void stage_2(const gn_fourier *plan, const gn_point *restrict in, gn_point *restrict out, int64_t groups,
                    int64_t step, int64_t width) {
    for (int64_t p = 0; p < groups; p++) {
        const gn_point root = plan->roots[p * step];
        const gn_point *a = in + p * width;
        gn_point *to = out + 2 * p * width;
        for (int64_t q = 0; q < width; q++) {
            const gn_point x = a[q];
            const gn_point y = a[q + width * groups];
            to[q] = add(x, y);
            to[q + width] = multiply(subtract(x, y), root);
        }
    }
}

static void stage_4(const gn_fourier *plan, const gn_point *restrict in, gn_point *restrict out, int64_t groups,
                    int64_t step, int64_t width) {
    const double sign = plan->roots[plan->inner / 4].imag; /* of the root that is i or -i */
    for (int64_t p = 0; p < groups; p++) {
        const gn_point first = plan->roots[p * step];
        const gn_point second = plan->roots[2 * p * step];
        const gn_point third = plan->roots[3 * p * step];
        const gn_point *from = in + p * width;
        gn_point *to = out + 4 * p * width;
        for (int64_t q = 0; q < width; q++) {
            const gn_point a = from[q];
            const gn_point b = from[q + width * groups];
            const gn_point c = from[q + 2 * width * groups];
            const gn_point d = from[q + 3 * width * groups];
            const gn_point even = add(a, c);
            const gn_point odd = add(b, d);
            const gn_point left = subtract(a, c);
            const gn_point right = turn(subtract(b, d), sign);
            to[q] = add(even, odd);
            to[q + width] = multiply(add(left, right), first);
            to[q + 2 * width] = multiply(subtract(even, odd), second);
            to[q + 3 * width] = multiply(subtract(left, right), third);
        }
    }
}

static void stage_3(const gn_fourier *plan, const gn_point *restrict in, gn_point *restrict out, int64_t groups,
                    int64_t step, int64_t width) {
    const gn_point third = plan->roots[plan->inner / 3];
    for (int64_t p = 0; p < groups; p++) {
        const gn_point first = plan->roots[p * step];
        const gn_point second = plan->roots[2 * p * step];
        const gn_point *from = in + p * width;
        gn_point *to = out + 3 * p * width;
        for (int64_t q = 0; q < width; q++) {
            const gn_point a = from[q];
            const gn_point b = from[q + width * groups];
            const gn_point c = from[q + 2 * width * groups];
            const gn_point sum = add(b, c);
            const gn_point middle = add(a, scale(sum, -0.5));
            const gn_point side = turn(scale(subtract(b, c), third.imag), 1);
            to[q] = add(a, sum);
            to[q + width] = multiply(add(middle, side), first);
            to[q + 2 * width] = multiply(subtract(middle, side), second);
        }
    }
}

/* By the definition. */
static void stage_any(const gn_fourier *plan, const gn_point *restrict in, gn_point *restrict out, int64_t groups,
                      int64_t step, int64_t width, int32_t factor) {
    gn_point elements[LARGEST_PRIME];
    gn_point roots[LARGEST_PRIME];
    for (int32_t k = 0; k < factor; k++) {
        roots[k] = plan->roots[plan->inner / factor * k];
    }
    for (int64_t p = 0; p < groups; p++) {
        for (int64_t q = 0; q < width; q++) {
            for (int32_t k = 0; k < factor; k++) {
                elements[k] = in[q + width * (p + groups * k)];
            }
            for (int32_t j = 0; j < factor; j++) {
                gn_point sum = elements[0];
                int32_t power = 0;
                for (int32_t k = 1; k < factor; k++) {
                    power += j;
                    power = power >= factor ? power - factor : power;
                    sum = add(sum, multiply(elements[k], roots[power]));
                }
                out[q + width * (factor * p + j)] = multiply(sum, plan->roots[p * j * step]);
            }
        }
    }
}

/* The transforms of `lines` times `inner` elements, those of the same place side by side; `scratch` is as long. */
static void transform_factors(const gn_fourier *plan, gn_point *line, gn_point *scratch, int64_t lines) {
    gn_point *from = line;
    gn_point *to = scratch;
    int64_t groups = plan->inner;
    int64_t step = 1;
    for (int32_t i = 0; i < plan->factor_count; i++) {
        const int32_t factor = plan->factors[i];
        groups /= factor;
        switch (factor) {
        case 2: stage_2(plan, from, to, groups, step, step * lines); break;
        case 3: stage_3(plan, from, to, groups, step, step * lines); break;
        case 4: stage_4(plan, from, to, groups, step, step * lines); break;
        default: stage_any(plan, from, to, groups, step, step * lines, factor); break;
        }
        step *= factor;
        gn_point *other = from;
        from = to;
        to = other;
    }
    if (from != line) {
        memcpy(line, from, (size_t)(plan->inner * lines) * sizeof(gn_point));
    }
}

int32_t gn_begin_fourier(gn_fourier *plan, int64_t length, int forward) {
    memset(plan, 0, sizeof *plan);
    plan->length = length;
    plan->inner = length;
    plan->factor_count = factorize(length, plan->factors);
    if (length == 1 || plan->factor_count > 0) {
        return make_roots(&plan->roots, length, forward);
    }
    plan->inner = 1;
    while (plan->inner < 2 * length - 1) {
        plan->inner *= 2;
    }
    plan->factor_count = factorize(plan->inner, plan->factors);
    plan->chirp = gn_take_items(length, sizeof(gn_point));
    plan->filter = gn_take_items(gn_checked(2, plan->inner), sizeof(gn_point));
    if (plan->chirp == NULL || plan->filter == NULL || make_roots(&plan->roots, plan->inner, 1) != GN_OK) {
        return GN_OUT_OF_MEMORY;
    }
    /* exp(-pi i k^2 / length): k^2 is taken modulo 2 length, one difference after the other. */
    int64_t square = 0;
    memset(plan->filter, 0, (size_t)plan->inner * sizeof(gn_point));
    for (int64_t k = 0; k < length; k++) {
        plan->chirp[k] = root_of_unity(square, 2 * length, forward);
        const gn_point conjugate = {plan->chirp[k].real, -plan->chirp[k].imag};
        plan->filter[k] = conjugate;
        if (k > 0) {
            plan->filter[plan->inner - k] = conjugate;
        }
        square = (square + 2 * k + 1) % (2 * length);
    }
    transform_factors(plan, plan->filter, plan->filter + plan->inner, 1);
    return GN_OK;
}

void gn_end_fourier(gn_fourier *plan) {
    gn_give(plan->roots);
    gn_give(plan->chirp);
    gn_give(plan->filter);
}

int64_t gn_fourier_lines(const gn_fourier *plan) {
    return plan->chirp == NULL && plan->inner <= LONGEST_TOGETHER ? GN_FOURIER_LINES : 1;
}

void gn_transform(const gn_fourier *plan, gn_point *line, gn_point *scratch, int64_t lines) {
    if (plan->chirp == NULL) {
        transform_factors(plan, line, scratch, lines);
        return;
    }
    gn_point *padded = scratch;
    for (int64_t k = 0; k < plan->length; k++) {
        padded[k] = multiply(line[k], plan->chirp[k]);
    }
    memset(padded + plan->length, 0, (size_t)(plan->inner - plan->length) * sizeof(gn_point));
    transform_factors(plan, padded, scratch + plan->inner, 1);
    /* Back by the transform forward of the conjugate. */
    for (int64_t k = 0; k < plan->inner; k++) {
        const gn_point product = multiply(padded[k], plan->filter[k]);
        padded[k] = (gn_point){product.real, -product.imag};
    }
    transform_factors(plan, padded, scratch + plan->inner, 1);
    const double share = 1 / (double)plan->inner;
    for (int64_t k = 0; k < plan->length; k++) {
        const gn_point back = {padded[k].real * share, -padded[k].imag * share};
        line[k] = multiply(back, plan->chirp[k]);
    }
}
