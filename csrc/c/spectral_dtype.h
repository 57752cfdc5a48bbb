/* Passes of Fourier transforms along one dimension, for numbers that are transformed in one dtype. */
#if IS_PRECISE

#define SPLIT NAME(gn_split)
#define FOURIER NAME(gn_fourier)
#define PASS NAME(pass)

/* One dimension: from lines of `in` to lines of `out`. */
typedef struct PASS {
    const gn_tensor *in;
    const gn_tensor *out;
    const char *from;
    char *to;
    int64_t dim, length;
    int64_t points; /* points transformed per line: `length`, or half of that */
    int is_back;
    int has_real_input, has_half_input, has_real_output; /* the half whose conjugates form the other half */
    int is_half;   /* pairs of real numbers are the parts of half as many points */
    int is_beside; /* lines are transformed side by side */
    int is_woven;  /* or one by one, as vectors of pairs */
    int is_prime;  /* or side by side, of a prime length */
    int is_checked;
    COMPUTE scale, largest;
    int64_t together; /* lines */
    FOURIER plan;
    NAME(gn_beside) beside;
    NAME(gn_woven) woven;
    NAME(gn_prime) prime;
    SPLIT halves;        /* roots of the whole line, if half as many points are transformed */
    SPLIT chirp, filter; /* for Bluestein's algorithm, whose plan has a length without large prime factors */
    gn_status status;
} PASS;

#define VIEW gn_lines

/* Copies the elements of a line to separate real and imaginary parts, or back. */
#define EACH_ELEMENT(TYPE, statement)                                                         \
    for (int64_t i = 0; i < count; i++) {                                                     \
        TYPE *first = (TYPE *)(view->places[0] + i * view->step);                             \
        TYPE *second = (TYPE *)((char *)first + view->second);                                \
        statement                                                                             \
    }
#define LOAD_PARTS(TYPE)                                                                      \
    if (view->parts == 1) {                                                                   \
        EACH_ELEMENT(TYPE, {                                                                  \
            (void)second;                                                                     \
            to.real[i] = (COMPUTE)*first;                                                     \
            to.imag[i] = 0;                                                                   \
        })                                                                                    \
    } else {                                                                                  \
        EACH_ELEMENT(TYPE, {                                                                  \
            to.real[i] = (COMPUTE)*first;                                                     \
            to.imag[i] = (COMPUTE)*second;                                                    \
        })                                                                                    \
    }
#define STORE_PARTS(TYPE)                                                                     \
    if (view->parts == 1) {                                                                   \
        EACH_ELEMENT(TYPE, {                                                                  \
            (void)second;                                                                     \
            *first = (TYPE)(from.real[i] * scale);                                            \
        })                                                                                    \
    } else {                                                                                  \
        EACH_ELEMENT(TYPE, {                                                                  \
            *first = (TYPE)(from.real[i] * scale);                                            \
            *second = (TYPE)(from.imag[i] * scale);                                           \
        })                                                                                    \
    }

static void NAME(load_line)(const VIEW *view, int64_t count, SPLIT to) {
    if (view->dtype == GN_FLOAT32 || view->dtype == GN_COMPLEX64) {
        LOAD_PARTS(float)
    } else {
        LOAD_PARTS(double)
    }
}

/* The same for contiguous pairs of one line; with `is_back` in reverse order. */
static void NAME(store_pairs)(SPLIT from, int64_t count, COMPUTE scale, int is_back, COMPUTE *to) {
    if (is_back) {
        GN_INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            to[2 * i] = from.real[count - 1 - i] * scale;
            to[2 * i + 1] = from.imag[count - 1 - i] * scale;
        }
        return;
    }
    GN_INDEPENDENT
    for (int64_t i = 0; i < count; i++) {
        to[2 * i] = from.real[i] * scale;
        to[2 * i + 1] = from.imag[i] * scale;
    }
}

static void NAME(store_line)(SPLIT from, int64_t count, COMPUTE scale, const VIEW *view) {
    const int64_t pair = 2 * (int64_t)sizeof(COMPUTE);
    const int is_pairs = view->dtype == (CODE == GN_FLOAT32 ? GN_COMPLEX64 : GN_COMPLEX128);
    if (is_pairs && (view->step == pair || view->step == -pair)) {
        const int is_back = view->step < 0;
        NAME(store_pairs)(from, count, scale, is_back, (COMPUTE *)(view->places[0] - is_back * (count - 1) * pair));
        return;
    }
    if (view->dtype == GN_FLOAT32 || view->dtype == GN_COMPLEX64) {
        STORE_PARTS(float)
    } else {
        STORE_PARTS(double)
    }
}

/* Lines along this dimension follow each other at one distance; -1 if there is none. */
static int64_t NAME(inner_dim)(const PASS *work) {
    const int64_t last = work->in->ndim - 1;
    return last == work->dim ? last - 1 : last;
}

/* Lines [first, first + lines) of a tensor, and the first one again where there are places for more; of real numbers,
 * each or every other one is a part of an element. */
static void NAME(view_lines)(const PASS *work, const gn_tensor *tensor, const char *data, int64_t first, int64_t lines,
                             VIEW *view) {
    view->count = lines;
    view->dtype = tensor->dtype;
    view->step = gn_step(tensor, work->dim);
    view->parts = tensor->dtype >= GN_COMPLEX64 ? 2 : 1;
    view->second = gn_itemsize(tensor->dtype) / 2;
    if (work->is_half && tensor->dtype < GN_COMPLEX64) {
        view->parts = 2;
        view->second = view->step;
        view->step *= 2;
    }
    const int64_t inner = NAME(inner_dim)(work);
    const int64_t size = inner >= 0 ? tensor->sizes[inner] : 1;
    const int64_t across = inner >= 0 ? tensor->strides[inner] : 0;
    int64_t left = size - (first < size ? first : first % size);
    char *place = (char *)data + gn_offset(tensor, first, work->dim);
    for (int64_t k = 0; k < lines; k++, left--) {
        if (left == 0) {
            place = (char *)data + gn_offset(tensor, first + k, work->dim);
            left = size;
        }
        view->places[k] = place;
        place += across;
    }
    for (int64_t k = lines; k < work->together; k++) {
        view->places[k] = view->places[0];
    }
}

/* The memory of a line that is stored as pairs of COMPUTE, or NULL. */
static COMPUTE *NAME(pairs_of)(const PASS *work, const VIEW *view) {
    const int64_t part = view->dtype == GN_FLOAT32 || view->dtype == GN_COMPLEX64 ? 4 : 8;
    const int is_dense = view->parts == 2 && view->second == part && view->step == 2 * part && part == (int64_t)sizeof(COMPUTE);
    return is_dense && work->chirp.real == NULL ? (COMPUTE *)view->places[0] : NULL;
}

/* Whether a number is larger than `largest`, or not finite. */
static int NAME(has_large)(const COMPUTE *numbers, int64_t count, COMPUTE largest) {
#if CODE == GN_FLOAT32
    uint32_t most = 0;
    for (int64_t i = 0; i < count; i++) {
        const uint32_t bits = gn_bits(numbers[i]) & 0x7fffffff;
        most = most > bits ? most : bits;
    }
    return most > gn_bits(largest);
#else
    return 0;
#endif
}

/* With a = Z[k] and b the conjugate of Z[points - k], of the transform Z of points whose real and imaginary parts
 * alternate in a real line, the transform of the line is (a + b) / 2 - i root[k] (a - b) / 2 at k, and the conjugate of
 * (a + b) / 2 + i root[k] (a - b) / 2 at points - k. */
GN_INLINE void NAME(unfold_one)(SPLIT line, int64_t at, int64_t mirrored, COMPUTE root_real, COMPUTE root_imag) {
    const COMPUTE half = (COMPUTE)0.5;
    const COMPUTE sum_real = (line.real[at] + line.real[mirrored]) * half;
    const COMPUTE sum_imag = (line.imag[at] - line.imag[mirrored]) * half;
    const COMPUTE real = (line.imag[at] + line.imag[mirrored]) * half; /* of -i (a - b) / 2 */
    const COMPUTE imag = (line.real[mirrored] - line.real[at]) * half;
    const COMPUTE minus = -root_imag;
    const COMPUTE turned_real = real * root_real + imag * minus;
    const COMPUTE turned_imag = real * root_imag + imag * root_real;
    const COMPUTE down = sum_imag - turned_imag;
    line.real[at] = sum_real + turned_real;
    line.imag[at] = sum_imag + turned_imag;
    line.real[mirrored] = sum_real - turned_real;
    line.imag[mirrored] = -down;
}

/* Back: with b the conjugate of X[points - k], a + b + i (a - b) / root[k] at k. */
GN_INLINE void NAME(fold_one)(SPLIT line, int64_t at, int64_t mirrored, COMPUTE root_real, COMPUTE root_imag) {
    const COMPUTE sum_real = line.real[at] + line.real[mirrored];
    const COMPUTE sum_imag = line.imag[at] - line.imag[mirrored];
    const COMPUTE real = line.real[at] - line.real[mirrored];
    const COMPUTE imag = line.imag[at] + line.imag[mirrored];
    const COMPUTE minus = -root_imag;
    const COMPUTE turned_real = real * root_real + imag * root_imag;
    const COMPUTE turned_imag = real * minus + imag * root_real;
    line.real[at] = sum_real - turned_imag;
    line.imag[at] = sum_imag + turned_real;
    line.real[mirrored] = sum_real + turned_imag;
    line.imag[mirrored] = turned_real - sum_imag;
}

static void NAME(unfold)(const PASS *work, SPLIT line) {
    const int64_t points = work->points;
    const COMPUTE even = line.real[0], odd = line.imag[0];
    line.real[0] = even + odd;
    line.real[points] = even - odd;
    line.imag[0] = line.imag[points] = 0;
    GN_INDEPENDENT
    for (int64_t k = 1; k <= points / 2; k++) {
        NAME(unfold_one)(line, k, points - k, work->halves.real[k], work->halves.imag[k]);
    }
}

static void NAME(fold)(const PASS *work, SPLIT line) {
    const int64_t points = work->points;
    const COMPUTE first = line.real[0], last = line.real[points];
    line.real[0] = first + last;
    line.imag[0] = first - last;
    GN_INDEPENDENT
    for (int64_t k = 1; k <= points / 2; k++) {
        NAME(fold_one)(line, k, points - k, work->halves.real[k], work->halves.imag[k]);
    }
}

/* Fills the other half of a line with conjugates. An element that is its own conjugate is real. */
static void NAME(mirror)(const PASS *work, SPLIT line) {
    const int64_t length = work->length;
    line.imag[0] = 0;
    if (length % 2 == 0) {
        line.imag[length / 2] = 0;
    }
    for (int64_t k = length / 2 + 1; k < length; k++) {
        line.real[k] = line.real[length - k];
        line.imag[k] = -line.imag[length - k];
    }
}

/* Stores the conjugates of the inner elements of half a line, backward from the end of the whole line. */
static void NAME(store_mirrored)(const PASS *work, SPLIT line, const VIEW *out) {
    const int64_t count = work->points - 1;
    const SPLIT inner = {line.real + 1, line.imag + 1};
    VIEW mirrored = *out;
    mirrored.step = -out->step;
    mirrored.places[0] = out->places[0] + (work->length - 1) * out->step;
    for (int64_t i = 0; i < count; i++) {
        inner.imag[i] = -inner.imag[i];
    }
    NAME(store_line)(inner, count, work->scale, &mirrored);
}

/* a[i] b[i] to a[i]. */
static void NAME(multiply)(SPLIT a, SPLIT b, int64_t count) {
    GN_INDEPENDENT
    for (int64_t i = 0; i < count; i++) {
        const COMPUTE minus = -b.imag[i];
        const COMPUTE real = a.real[i] * b.real[i] + a.imag[i] * minus;
        a.imag[i] = a.real[i] * b.imag[i] + a.imag[i] * b.real[i];
        a.real[i] = real;
    }
}

/* A line of a length with a large prime factor, as a convolution with a chirp (Bluestein, "A linear filtering approach to
 * the computation of discrete Fourier transform", 1970). */
static int32_t NAME(transform_by_chirp)(const PASS *work, SPLIT *line, SPLIT *spare) {
    const int64_t inner = work->plan.length;
    const size_t rest = (size_t)(inner - work->length) * sizeof(COMPUTE);
    NAME(multiply)(*line, work->chirp, work->length);
    memset(line->real + work->length, 0, rest);
    memset(line->imag + work->length, 0, rest);
    int32_t status = NAME(gn_transform)(&work->plan, NULL, line, spare, NULL, 0, 1);
    if (status != GN_OK) {
        return status;
    }
    NAME(multiply)(*line, work->filter, inner);
    SPLIT back = {line->imag, line->real}, other = {spare->imag, spare->real};
    status = NAME(gn_transform)(&work->plan, NULL, &back, &other, NULL, 0, 1);
    *line = (SPLIT){back.imag, back.real};
    *spare = (SPLIT){other.imag, other.real};
    NAME(multiply)(*line, work->chirp, work->length);
    return status;
}

/* Exchanges the parts, for an inverse transform. */
GN_INLINE SPLIT NAME(in_direction)(const PASS *work, SPLIT line) {
    return work->is_back ? (SPLIT){line.imag, line.real} : line;
}

/* A line, in memory for `line` and `spare`. */
static int32_t NAME(transform_line)(const PASS *work, int64_t index, SPLIT line, SPLIT spare) {
    VIEW in, out;
    NAME(view_lines)(work, work->in, work->from, index, 1, &in);
    NAME(view_lines)(work, work->out, work->to, index, 1, &out);
    const int64_t count = work->has_half_input ? work->length / 2 + 1 : work->points;
    const COMPUTE *from = work->has_half_input ? NULL : NAME(pairs_of)(work, &in);
    COMPUTE *to = work->has_real_input ? NULL : NAME(pairs_of)(work, &out);
    if (work->is_checked && from != NULL && NAME(has_large)(from, 2 * count, work->largest)) {
        return TOO_LARGE;
    }
    if (from == NULL) {
        NAME(load_line)(&in, count, line);
        if (work->is_checked && (NAME(has_large)(line.real, count, work->largest)
                                 || NAME(has_large)(line.imag, count, work->largest))) {
            return TOO_LARGE;
        }
        if (work->has_half_input) {
            (work->is_half ? NAME(fold) : NAME(mirror))(work, line);
        }
    }
    line = NAME(in_direction)(work, line);
    spare = NAME(in_direction)(work, spare);
    const int32_t status = work->chirp.real != NULL
                               ? NAME(transform_by_chirp)(work, &line, &spare)
                               : NAME(gn_transform)(&work->plan, from, &line, &spare, to, work->is_back, work->scale);
    line = NAME(in_direction)(work, line);
    if (status != GN_OK || to != NULL) {
        return status;
    }
    const int64_t wanted = gn_length(work->out, work->dim);
    if (work->is_half && work->has_real_input) {
        NAME(unfold)(work, line);
        NAME(store_line)(line, work->points + 1, work->scale, &out);
        if (wanted == work->length) {
            NAME(store_mirrored)(work, line, &out);
        }
        return GN_OK;
    }
    NAME(store_line)(line, work->is_half && work->has_real_output ? work->points : wanted, work->scale, &out);
    return GN_OK;
}

/* Some lines beside each other. */
static int32_t NAME(transform_beside)(const PASS *work, int64_t first, int64_t lines, COMPUTE *points) {
    const NAME(gn_beside) *plan = work->is_prime ? &work->prime.lines : &work->beside;
    VIEW in, out;
    NAME(view_lines)(work, work->in, work->from, first, lines, &in);
    NAME(view_lines)(work, work->out, work->to, first, lines, &out);
    const int64_t count = work->has_half_input ? work->length / 2 + 1 : work->points;
    const int is_exchanged = work->is_back && !work->has_half_input;
    NAME(gn_load_beside)(plan, &in, count, is_exchanged, points);
    if (work->has_half_input) {
        NAME(gn_fold_beside)(plan, points);
    }
    if (work->is_prime) {
        points = NAME(gn_transform_prime)(&work->prime, points);
    } else {
        NAME(gn_transform_beside)(plan, points);
    }
    if (work->is_half && work->has_real_input) {
        NAME(gn_unfold_beside)(plan, points);
    }
    const int64_t wanted = work->has_real_output ? work->points : gn_length(work->out, work->dim);
    const int is_swapped = work->is_back != work->is_prime;
    const int is_finite = NAME(gn_store_beside)(plan, points, wanted, is_swapped, work->scale, &out);
    return is_finite || CODE != GN_FLOAT32 ? GN_OK : TOO_LARGE;
}

/* Lines [begin, end), whose pairs are adjacent: as many together as follow each other at one distance. */
static int32_t NAME(transform_woven)(const PASS *work, int64_t begin, int64_t end, COMPUTE *memory) {
    const gn_tensor *in = work->in, *out = work->out;
    const int is_whole = work->has_real_input && gn_length(out, work->dim) == work->length;
    const int64_t inner = NAME(inner_dim)(work);
    const int64_t size = inner >= 0 ? in->sizes[inner] : 1;
    const int64_t in_step = inner >= 0 ? in->strides[inner] / (int64_t)sizeof(COMPUTE) : 0;
    const int64_t out_step = inner >= 0 ? out->strides[inner] / (int64_t)sizeof(COMPUTE) : 0;
    NAME(gn_begin_lines)(memory);
    for (int64_t line = begin; line < end;) {
        const int64_t count = gn_min(gn_min(work->woven.together, end - line), size - line % size);
        const char *from = (const char *)work->from + gn_offset(in, line, work->dim);
        char *to = (char *)work->to + gn_offset(out, line, work->dim);
        NAME(gn_transform_woven)(&work->woven, (const COMPUTE *)from, in_step, (COMPUTE *)to, out_step, count, is_whole,
                                 memory);
        line += count;
    }
    return NAME(gn_are_finite)(memory) || CODE != GN_FLOAT32 ? GN_OK : TOO_LARGE;
}

static void NAME(transform_lines)(int64_t begin, int64_t end, void *context) {
    PASS *work = context;
    const int64_t together = work->together;
    const int64_t all = gn_numel(work->out) / gn_length(work->out, work->dim);
    const int64_t room = work->is_woven    ? work->woven.room
                         : work->is_prime  ? work->prime.lines.room
                         : work->is_beside ? work->beside.room
                                           : gn_checked(4, NAME(gn_fourier_room)(&work->plan));
    const int64_t each = room / 4;
    COMPUTE *memory = gn_take_items(room, sizeof(COMPUTE));
    int32_t status = memory == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    if (work->is_woven && status == GN_OK) {
        status = NAME(transform_woven)(work, begin, end, memory);
    }
    for (int64_t block = begin; block < end && status == GN_OK && !work->is_woven; block++) {
        if (work->is_beside || work->is_prime) {
            status = NAME(transform_beside)(work, block * together, gn_min(together, all - block * together), memory);
        } else {
            status = NAME(transform_line)(work, block, (SPLIT){memory, memory + each},
                                          (SPLIT){memory + 2 * each, memory + 3 * each});
        }
    }
    gn_give(memory);
    gn_report(&work->status, status);
}

/* Memory for `count` numbers with separate parts. */
static int32_t NAME(take_split)(SPLIT *split, int64_t count) {
    split->real = gn_take_items(gn_checked(2, count), sizeof(COMPUTE));
    split->imag = split->real == NULL ? NULL : split->real + count;
    return split->real == NULL ? GN_OUT_OF_MEMORY : GN_OK;
}

/* The chirp exp(-pi i k^2 / length), and the transform of its convolution kernel. */
static int32_t NAME(begin_chirp)(PASS *work) {
    const int64_t length = work->length;
    int64_t inner = 1;
    while (inner < 2 * length - 1) {
        inner *= 2;
    }
    if (NAME(gn_begin_fourier)(&work->plan, inner) != GN_OK || NAME(take_split)(&work->chirp, length) != GN_OK) {
        return GN_OUT_OF_MEMORY;
    }
    const int64_t room = NAME(gn_fourier_room)(&work->plan);
    SPLIT spare;
    if (NAME(take_split)(&work->filter, 2 * room) != GN_OK) {
        return GN_OUT_OF_MEMORY;
    }
    SPLIT filter = {work->filter.real, work->filter.real + room};
    spare = (SPLIT){filter.imag + room, filter.imag + 2 * room};
    memset(filter.real, 0, (size_t)(2 * room) * sizeof(COMPUTE));
    SPLIT circle;
    if (NAME(take_split)(&circle, gn_checked(2, length)) != GN_OK) {
        return GN_OUT_OF_MEMORY;
    }
    NAME(gn_write_circle)(2 * length, 2 * length, 1, circle);
    const COMPUTE share = 1 / (COMPUTE)inner;
    int64_t square = 0; /* of k, modulo 2 length, updated by differences */
    for (int64_t k = 0; k < length; k++) {
        const COMPUTE real = circle.real[square], imag = circle.imag[square];
        work->chirp.real[k] = real;
        work->chirp.imag[k] = imag;
        const int64_t mirrored = k > 0 ? inner - k : 0;
        filter.real[k] = filter.real[mirrored] = real * share;
        filter.imag[k] = filter.imag[mirrored] = -imag * share;
        square = (square + 2 * k + 1) % (2 * length);
    }
    gn_give(circle.real);
    const int32_t status = NAME(gn_transform)(&work->plan, NULL, &filter, &spare, NULL, 0, 1);
    if (filter.real != work->filter.real) { /* the first one owns the memory */
        memcpy(spare.real, filter.real, (size_t)(2 * room) * sizeof(COMPUTE));
        filter = spare;
    }
    work->filter = filter;
    return status;
}

/* Whether a tensor's numbers, or the parts of them, are of the dtype in which they are transformed. */
static int NAME(has_parts)(const gn_tensor *tensor) {
    return tensor->dtype == CODE || tensor->dtype == (CODE == GN_FLOAT32 ? GN_COMPLEX64 : GN_COMPLEX128);
}

/* Prepares the transforms of a pass. */
static int32_t NAME(begin_pass)(PASS *work) {
    work->points = work->length;
    work->together = 1;
    const int64_t all = gn_numel(work->out) / gn_length(work->out, work->dim);
    if (!gn_is_smooth(work->length)) {
        work->is_prime = all >= GN_FEWEST_PRIME && gn_is_prime_beside(work->length);
        if (!work->is_prime) {
            return NAME(begin_chirp)(work);
        }
        const int32_t status = NAME(gn_begin_prime)(&work->prime, work->length);
        work->together = work->prime.lines.lines;
        return status;
    }
    work->is_half = work->length % 2 == 0 && (work->has_half_input || work->has_real_input);
    work->points = work->is_half ? work->length / 2 : work->length;
    const int is_dense_in = gn_step(work->in, work->dim) == gn_itemsize(work->in->dtype);
    const int is_dense_out = gn_step(work->out, work->dim) == gn_itemsize(work->out->dtype);
    const int is_dense = is_dense_in || is_dense_out;
    const int is_of_pairs = work->is_half || !(work->has_real_input || work->has_real_output);
    work->is_woven = is_dense_in && is_dense_out && is_of_pairs && NAME(has_parts)(work->in) && NAME(has_parts)(work->out)
                     && NAME(gn_can_weave)(work->points);
    work->is_beside = work->points <= GN_SHORT_LINE || (!is_dense && all > 4 && work->points <= GN_CROSSED_LINE);
    const int64_t half_of = work->is_half ? work->length : 0;
    if (work->is_woven) {
        return NAME(gn_begin_woven)(&work->woven, work->points, half_of, work->is_back, work->scale);
    }
    if (work->is_beside) {
        const int32_t status = NAME(gn_begin_beside)(&work->beside, work->points, half_of, work->has_half_input);
        work->together = work->beside.lines;
        return status;
    }
    if (work->is_half) {
        const int64_t count = work->points / 2 + 1;
        if (NAME(take_split)(&work->halves, count) != GN_OK) {
            return GN_OUT_OF_MEMORY;
        }
        NAME(gn_write_circle)(work->length, count, 1, work->halves);
    }
    return NAME(gn_begin_fourier)(&work->plan, work->points);
}

static void NAME(end_pass)(PASS *work) {
    NAME(gn_end_beside)(&work->beside);
    NAME(gn_end_woven)(&work->woven);
    NAME(gn_end_prime)(&work->prime);
    NAME(gn_end_fourier)(&work->plan);
    gn_give(work->halves.real);
    gn_give(work->chirp.real);
    gn_give(work->filter.real);
}

/* Transforms along dims[which] from one buffer to another. */
static int32_t NAME(run_pass)(const transform *work, int64_t which, const gn_tensor *in, const void *from,
                              const gn_tensor *out, void *to) {
    const int64_t normalization = work->call->integers[work->dim_count + 1];
    const int is_last = which == work->dim_count - 1;
    PASS now;
    memset(&now, 0, sizeof now);
    now.in = in;
    now.out = out;
    now.from = from;
    now.to = to;
    now.dim = work->dims[which];
    now.length = length_of(work, which);
    now.is_back = !work->forward;
    now.has_real_input = in->dtype < GN_COMPLEX64;
    now.has_real_output = out->dtype < GN_COMPLEX64;
    now.has_half_input = now.has_real_output;
    now.is_checked = CODE == GN_FLOAT32 && which == 0;
    now.largest = (COMPUTE)(0x1p125 / (double)work->count);
    now.scale = 1;
    if (is_last && normalization != 0) {
        now.scale = (COMPUTE)(normalization == 1 ? 1 / sqrt((double)work->count) : 1 / (double)work->count);
    }
    now.status = NAME(begin_pass)(&now);
    if (now.status == GN_OK) {
        const int64_t together = now.together;
        const int64_t all = gn_numel(out) / gn_length(out, now.dim);
        gn_parallel_for(0, (all + together - 1) / together, gn_grain(8 * together * now.length),
                        NAME(transform_lines), &now);
    }
    NAME(end_pass)(&now);
    return now.status;
}

/* A part of the input, the buffer and the output. */
typedef struct NAME(part) {
    const transform *work;
    int64_t sizes[3][GN_MAX_DIMS];
    const char *from;
    char *to;
    int64_t dim, each; /* how many along a dimension are transformed together */
    gn_status status;
} NAME(part);

/* Passes in the order of work->dims. */
static int32_t NAME(run_passes_of)(const NAME(part) *part) {
    const transform *work = part->work;
    gn_tensor out = work->call->tensors[0], self = work->call->tensors[1];
    self.sizes = part->sizes[0];
    out.sizes = part->sizes[2];
    int64_t strides[GN_MAX_DIMS];
    int64_t stride = 2 * sizeof(COMPUTE);
    for (int32_t dim = self.ndim - 1; dim >= 0; dim--) { /* row-major */
        strides[dim] = stride;
        stride *= part->sizes[1][dim];
    }
    const gn_tensor between = {sizeof(COMPUTE) == 4 ? GN_COMPLEX64 : GN_COMPLEX128, self.ndim, part->sizes[1], strides};
    void *buffer = NULL;
    if (work->dim_count > 1) {
        buffer = gn_take(stride);
        if (buffer == NULL) {
            return GN_OUT_OF_MEMORY;
        }
    }
    int32_t status = GN_OK;
    for (int64_t i = 0; i < work->dim_count && status == GN_OK; i++) {
        const int is_first = i == 0;
        const int is_last = i == work->dim_count - 1;
        status = NAME(run_pass)(work, i, is_first ? &self : &between, is_first ? part->from : buffer,
                                is_last ? &out : &between, is_last ? part->to : buffer);
    }
    gn_give(buffer);
    return status;
}

static int32_t NAME(run_part)(const NAME(part) *part);

static void NAME(run_slices)(int64_t begin, int64_t end, void *context) {
    NAME(part) *whole = context;
    const gn_call *call = whole->work->call;
    const int64_t dim = whole->dim;
    for (int64_t i = begin; i < end; i++) {
        const int64_t first = i * whole->each;
        const int64_t count = gn_min(whole->each, whole->sizes[1][dim] - first);
        NAME(part) slice = *whole;
        for (int k = 0; k < 3; k++) {
            slice.sizes[k][dim] = count;
        }
        slice.from += first * call->tensors[1].strides[dim];
        slice.to += first * call->tensors[0].strides[dim];
        gn_report(&whole->status, NAME(run_part)(&slice));
    }
}

/* Splits the outermost dimension, if it is not transformed, so that all passes of a slice find it in the cache. */
static int32_t NAME(run_part)(const NAME(part) *part) {
    const transform *work = part->work;
    const int32_t ndim = work->call->tensors[1].ndim;
    int64_t bytes = 2 * sizeof(COMPUTE), outer = 0;
    int is_transformed = 0;
    for (int32_t dim = ndim - 1; dim >= 0; dim--) {
        bytes = gn_checked(bytes, part->sizes[1][dim]);
        outer = part->sizes[1][dim] > 1 ? dim : outer;
    }
    for (int64_t i = 0; i < work->dim_count; i++) {
        is_transformed |= work->dims[i] == outer;
    }
    if (work->dim_count < 2 || bytes <= SLICE_BYTES || is_transformed) {
        return NAME(run_passes_of)(part);
    }
    NAME(part) slices = *part;
    const int64_t size = part->sizes[1][outer];
    slices.dim = outer;
    slices.each = gn_max(1, SLICE_BYTES / (bytes / size));
    slices.status = GN_OK;
    gn_parallel_for(0, (size + slices.each - 1) / slices.each, 1, NAME(run_slices), &slices);
    return slices.status;
}

static int32_t NAME(run_passes)(const transform *work) {
    const gn_tensor *out = &work->call->tensors[0], *self = &work->call->tensors[1];
    NAME(part) part = {.work = work, .from = work->data[1], .to = work->data[0], .status = GN_OK};
    const size_t bytes = (size_t)self->ndim * sizeof(int64_t);
    memcpy(part.sizes[0], self->sizes, bytes);
    memcpy(part.sizes[1], work->between_sizes, bytes);
    memcpy(part.sizes[2], out->sizes, bytes);
    return NAME(run_part)(&part);
}

#undef SPLIT
#undef FOURIER
#undef PASS
#undef VIEW
#undef EACH_ELEMENT
#undef LOAD_PARTS
#undef STORE_PARTS
#endif
