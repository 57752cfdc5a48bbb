/* Tensors filled with random numbers of one dtype. */

#define RUN_IN_PARTS(kernel)                                                                                            \
    int32_t NAME(kernel_##kernel)(const gn_call *call, void *const *data) {                                             \
        random_job job = random_job_of(call, data);                                                                     \
        gn_parallel_for(0, gn_numel(job.out), RANDOM_GRAIN, NAME(kernel##_part), &job);                                 \
        return GN_OK;                                                                                                   \
    }

/* A kernel that gives each element `value`, computed from its block's `words`. */
#define FILL(kernel, value)                                                                                             \
    static void NAME(kernel##_part)(int64_t begin, int64_t end, void *context) {                                        \
        const random_job *job = context;                                                                                \
        philox_table table;                                                                                             \
        STORAGE made[PHILOX_BLOCKS];                                                                                    \
        for (int64_t first = begin; first < end; first += PHILOX_BLOCKS) {                                              \
            const int64_t count = end - first < PHILOX_BLOCKS ? end - first : PHILOX_BLOCKS;                            \
            philox_blocks(&job->stream, (uint64_t)first, count, table);                                                 \
            STORAGE *to = job->is_contiguous ? (STORAGE *)job->data + first : made;                                     \
            for (int64_t j = 0; j < count; j++) {                                                                       \
                const uint32_t words[4] = {table[0][j], table[1][j], table[2][j], table[3][j]};                         \
                to[j] = value;                                                                                          \
            }                                                                                                           \
            for (int64_t j = 0; !job->is_contiguous && j < count; j++) {                                                \
                *(STORAGE *)(job->data + gn_offset(job->out, first + j, -1)) = made[j];                                 \
            }                                                                                                           \
        }                                                                                                               \
    }                                                                                                                   \
    RUN_IN_PARTS(kernel)

/* A kernel that gives each element `value`, computed from a `normal` number: two of each block. */
#define FILL_PAIRS(kernel, value)                                                                                       \
    static void NAME(kernel##_part)(int64_t begin, int64_t end, void *context) {                                        \
        const random_job *job = context;                                                                                \
        philox_table table;                                                                                             \
        STORAGE made[2 * PHILOX_BLOCKS];                                                                                \
        for (int64_t first = begin - begin % 2; first < end; first += 2 * PHILOX_BLOCKS) {                              \
            const int64_t count = gn_min(end - first, 2 * PHILOX_BLOCKS);                                               \
            const int64_t blocks = (count + 1) / 2;                                                                     \
            philox_blocks(&job->stream, (uint64_t)first / 2, blocks, table);                                            \
            for (int64_t j = 0; j < blocks; j++) {                                                                      \
                const uint32_t words[4] = {table[0][j], table[1][j], table[2][j], table[3][j]};                         \
                const double length = NAME(normal_length)(words);                                                       \
                const double angle = NAME(normal_angle)(words);                                                         \
                double normal = job->a + job->b * (length * OF_DOUBLE(cos)(angle));                                     \
                made[2 * j] = value;                                                                                    \
                normal = job->a + job->b * (length * OF_DOUBLE(sin)(angle));                                            \
                made[2 * j + 1] = value;                                                                                \
            }                                                                                                           \
            const int64_t from = first < begin; /* this pair's first is another part's */                          \
            if (job->is_contiguous) {                                                                                   \
                memcpy((STORAGE *)job->data + first + from, made + from, (size_t)(count - from) * sizeof *made);        \
                continue;                                                                                               \
            }                                                                                                           \
            for (int64_t j = from; j < count; j++) {                                                                    \
                *(STORAGE *)(job->data + gn_offset(job->out, first + j, -1)) = made[j];                                 \
            }                                                                                                           \
        }                                                                                                               \
    }                                                                                                                   \
    RUN_IN_PARTS(kernel)

#if IS_COMPLEX
#if CODE == GN_COMPLEX64
#define MADE(re, im) gn_complex_of_float32((float)(re), (float)(im))
#define BITS 24
#else
#define MADE(re, im) gn_complex_of_float64(re, im)
#define BITS 53
#endif
#elif IS_HALF
#define MADE(x) STORE((float)(x))
#elif IS_FLOATING
#define MADE(x) ((STORAGE)(x))
#else
#define MADE(x) STORE(x)
#endif
#if IS_FLOATING
#if CODE == GN_FLOAT64
#define BITS 53
#elif CODE == GN_FLOAT32
#define BITS 24
#elif CODE == GN_FLOAT16
#define BITS 11
#else
#define BITS 8
#endif
#endif

#if IS_FRACTIONAL
#if BITS == 53
#define OF_DOUBLE(function) function
#else
#define OF_DOUBLE(function) gn_##function##_float64
#endif

/* The length and the angle of a pair of independent standard normal numbers.  Source: Box and Muller (1958). */
static inline double NAME(normal_length)(const uint32_t *words) {
    return sqrt(-2.0 * OF_DOUBLE(log)(1.0 - uniform53(words[0], words[1])));
}
static inline double NAME(normal_angle)(const uint32_t *words) {
    return 2.0 * PI * uniform53(words[2], words[3]);
}

/* A number in [0, 1) with as many random bits as the dtype's mantissa has. */
static inline double NAME(uniform)(uint32_t high, uint32_t low) {
#if BITS == 53
    return uniform53(high, low);
#else
    (void)low;
    return (double)(int32_t)(high & (((uint32_t)1 << BITS) - 1)) * (1.0 / ((uint32_t)1 << BITS));
#endif
}

#if IS_COMPLEX
static inline STORAGE NAME(uniform_number)(const random_job *job, const uint32_t *words) {
    return MADE(job->a + NAME(uniform)(words[0], words[1]) * (job->b - job->a),
                job->a + NAME(uniform)(words[2], words[3]) * (job->b - job->a));
}
static inline STORAGE NAME(normal_number)(const random_job *job, const uint32_t *words) {
    const double length = NAME(normal_length)(words);
    const double angle = NAME(normal_angle)(words);
    const double part = job->b / sqrt(2.0); /* so that the variances of the parts add up */
    return MADE(job->a + part * (length * OF_DOUBLE(cos)(angle)), part * (length * OF_DOUBLE(sin)(angle)));
}
#else
static inline STORAGE NAME(uniform_number)(const random_job *job, const uint32_t *words) {
    return MADE(job->a + NAME(uniform)(words[0], words[1]) * (job->b - job->a));
}
#endif

FILL(uniform, NAME(uniform_number)(job, words))
#if IS_COMPLEX
FILL(normal, NAME(normal_number)(job, words))
#else
FILL_PAIRS(normal, MADE(normal))
#endif
#endif

#if IS_FLOATING
FILL(exponential, MADE(-OF_DOUBLE(log1p)(-uniform53(words[0], words[1])) / job->a))
FILL(cauchy, MADE(job->a + job->b * OF_DOUBLE(tan)(PI * (uniform53(words[0], words[1]) - 0.5))))
FILL_PAIRS(log_normal, MADE(OF_DOUBLE(exp)(normal)))

static void NAME(poisson_part)(int64_t begin, int64_t end, void *context) {
    const random_job *job = context;
    for (int64_t i = begin; i < end; i++) {
        const STORAGE *from = (const STORAGE *)(job->rates + gn_offset(job->out + 1, i, -1));
        STORAGE *at = (STORAGE *)(job->data + gn_offset(job->out, i, -1));
        *at = MADE(poisson_number(&job->stream, (uint64_t)i, (double)LOAD(*from)));
    }
}

/* (out; rates).  GN_BAD_VALUE for a negative rate, or NaN. */
int32_t NAME(kernel_poisson)(const gn_call *call, void *const *data) {
    random_job job = random_job_of(call, data);
    const int64_t numel = gn_numel(job.out);
    job.rates = data[1];
    for (int64_t i = 0; i < numel; i++) {
        if (!(LOAD(*(const STORAGE *)(job.rates + gn_offset(job.out + 1, i, -1))) >= 0)) {
            return GN_BAD_VALUE;
        }
    }
    gn_parallel_for(0, numel, RANDOM_GRAIN, NAME(poisson_part), &job);
    return GN_OK;
}

#define PARAMETER(data, tensor, i) ((double)LOAD(*(const STORAGE *)((data) + gn_offset(tensor, i, -1))))

/* (out; concentrations).  At least the smallest normal number. */
static void NAME(standard_gamma_part)(int64_t begin, int64_t end, void *context) {
    const random_job *job = context;
    const double least = sizeof(STORAGE) == sizeof(double) ? 0x1p-1022 : 0x1p-126;
    for (int64_t i = begin; i < end; i++) {
        const double number =
            gamma_number(&job->stream, (uint64_t)i, PARAMETER(job->rates, job->out + 1, i));
        *(STORAGE *)(job->data + gn_offset(job->out, i, -1)) = MADE(number < least ? least : number);
    }
}

int32_t NAME(kernel_standard_gamma)(const gn_call *call, void *const *data) {
    random_job job = random_job_of(call, data);
    job.rates = data[1];
    gn_parallel_for(0, gn_numel(job.out), RANDOM_GRAIN, NAME(standard_gamma_part), &job);
    return GN_OK;
}

/* (out; counts, chances of success) */
static void NAME(binomial_part)(int64_t begin, int64_t end, void *context) {
    const random_job *job = context;
    for (int64_t i = begin; i < end; i++) {
        const double count = PARAMETER(job->rates, job->out + 1, i);
        const double prob = PARAMETER(job->others, job->out + 2, i);
        *(STORAGE *)(job->data + gn_offset(job->out, i, -1)) =
            MADE(binomial_number(&job->stream, (uint64_t)i, count, prob));
    }
}

int32_t NAME(kernel_binomial)(const gn_call *call, void *const *data) {
    random_job job = random_job_of(call, data);
    job.rates = data[1];
    job.others = data[2];
    gn_parallel_for(0, gn_numel(job.out), RANDOM_GRAIN, NAME(binomial_part), &job);
    return GN_OK;
}
#undef PARAMETER
#endif

#if IS_REAL
#if IS_FLOATING
#define MADE_TRIALS(x) MADE(x)
#else
#define MADE_TRIALS(x) STORE((COMPUTE)wrapped(x))
#endif
FILL(geometric, MADE_TRIALS(geometric_number(job->a, words)))
#undef MADE_TRIALS

/* Fisher and Yates' shuffle: each place in turn is exchanged with itself or a later one.  integers: how many. */
int32_t NAME(kernel_permutation)(const gn_call *call, void *const *data) {
    const random_job job = random_job_of(call, data);
    STORAGE *numbers = data[0];
    const int64_t count = gn_numel(job.out);
    for (int64_t i = 0; i < count; i++) {
        numbers[i] = STORE((COMPUTE)i);
    }
    for (int64_t first = 0; first < count - 1; first += 2 * PHILOX_BLOCKS) {
        const int64_t steps = gn_min(count - 1 - first, 2 * PHILOX_BLOCKS);
        int64_t others[2 * PHILOX_BLOCKS];
        find_exchanges(&job.stream, first, count, (steps + 1) / 2, others);
        for (int64_t i = 0; i < steps; i++) {
            const STORAGE moved = numbers[first + i];
            numbers[first + i] = numbers[others[i]];
            numbers[others[i]] = moved;
        }
    }
    return GN_OK;
}
#endif

#if IS_ORDERED
/* An integer from `from` on; for a range of 0, which means 2^64, all bits. */
static inline STORAGE NAME(integer)(const random_job *job, const uint32_t *words) {
    const uint64_t bits = words[0] | (uint64_t)words[1] << 32;
    return STORE((COMPUTE)(int64_t)((uint64_t)job->from + below(bits, job->range, job->shares)));
}

FILL(integers, NAME(integer)(job, words))
FILL(bernoulli, STORE((COMPUTE)(uniform53(words[0], words[1]) < job->a)))
#endif

#undef RUN_IN_PARTS
#undef FILL
#undef FILL_PAIRS
#undef MADE
#undef OF_DOUBLE
#undef BITS
