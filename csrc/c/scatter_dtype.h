/* Scattering that computes, for one dtype. */

/* The value of all elements, in the dtype. */
static STORAGE NAME(number_of)(const gn_call *call) {
#if CODE == GN_BOOL
    /* 0.5 and NaN are true; as integers they would not be */
    return call->scalars[0].real != 0 || call->scalars[0].imag != 0;
#else
    return STORE(NUMBER(0));
#endif
}

/* (out; self, index); integers: dim; scalars: value. */
int32_t NAME(kernel_scatter_value)(const gn_call *call, void *const *data) {
    STORAGE number = NAME(number_of)(call);
    return scatter_moved(call, data, NULL, &number);
}

/* Elements with the same target are combined in higher precision, and rounded once. */
#if IS_FLOATING
#define PRECISE double
#elif IS_COMPLEX
#define PRECISE gn_complex128
#else
#define PRECISE int64_t
#endif

typedef struct NAME(cell) {
    PRECISE total;
    int64_t count; /* of elements combined here; includes the element of self if it counts */
} NAME(cell);

#define CELL NAME(cell)
/* Folds an element into a cell. */
#define FOLD(expression)                                     \
    {                                                        \
        const PRECISE a = to->total;                         \
        const PRECISE b = (PRECISE)LOAD(*from);              \
        to->total = to->count == 0 ? b : (PRECISE)(expression); \
        to->count++;                                         \
    }

static uint64_t NAME(fold_sum)(const block *part, const gn_call *call) {
    (void)call;
    EACH(CELL, const STORAGE, FOLD(a + b))
}
static uint64_t NAME(fold_product)(const block *part, const gn_call *call) {
    (void)call;
    EACH(CELL, const STORAGE, FOLD(GN_TIMES(a, b)))
}
#if IS_ORDERED
static uint64_t NAME(fold_most)(const block *part, const gn_call *call) {
    (void)call;
    EACH(CELL, const STORAGE, FOLD((a > b) | (a != a) ? a : b))
}
static uint64_t NAME(fold_least)(const block *part, const gn_call *call) {
    (void)call;
    EACH(CELL, const STORAGE, FOLD((a < b) | (a != a) ? a : b))
}
#endif
#undef FOLD

/* Writes the combined elements of lines [begin, end) of the output that had any. */
static void NAME(write_cells)(int64_t begin, int64_t end, void *context) {
    const combined *work = context;
    const int32_t last = work->out->ndim - 1;
    const int64_t length = gn_length(work->out, last);
    const int64_t step = gn_step(work->out, last);
    for (int64_t line = begin; line < end; line++) {
        char *to = work->out_data + gn_offset(work->out, line, last);
        const CELL *cells = (const CELL *)work->cells + line * length;
        for (int64_t i = 0; i < length; i++) {
            if (cells[i].count <= work->with_self) {
                continue;
            }
            PRECISE result = cells[i].total;
            if (work->how == MEAN_OF) {
#if IS_INTEGRAL
                STORAGE count = (STORAGE)cells[i].count; /* both wrap around, as PyTorch's do */
                result = gn_div_floor_int64((STORAGE)result, count == 0 ? 1 : count);
#else
                result = result / (double)cells[i].count;
#endif
            }
#if CODE == GN_BOOL
            *(STORAGE *)(to + i * step) = result != 0;
#else
            *(STORAGE *)(to + i * step) = STORE((COMPUTE)result);
#endif
        }
    }
}

/* Combines the elements of `other` with the same target in the output; with_self: and the previous element. */
static int32_t NAME(combine)(const gn_call *call, void *const *data, const gn_tensor *other, void *other_data,
                             enum combination how, int with_self) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *index = &call->tensors[2];
    const int64_t numel = gn_numel(out);
    if (data[0] != data[1] && gn_numel(index) == 0) {
        gn_copy(out, data[0], &call->tensors[1], data[1]);
    }
    if (gn_numel(index) == 0) {
        return GN_OK;
    }
    CELL *cells = gn_take_items(numel, sizeof(CELL));
    if (cells == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    /* Converts the elements of self to cells in place, from the last to the first. */
    STORAGE *elements = (STORAGE *)((char *)cells + numel * (int64_t)(sizeof(CELL) - sizeof(STORAGE)));
    int64_t strides[GN_MAX_DIMS];
    int64_t stride = sizeof(STORAGE);
    for (int32_t dim = out->ndim - 1; dim >= 0; dim--) {
        strides[dim] = stride;
        stride *= out->sizes[dim];
    }
    const gn_tensor compact = {CODE, out->ndim, out->sizes, strides};
    gn_copy(&compact, elements, &call->tensors[1], data[1]);
    for (int64_t i = 0; i < numel; i++) {
        const CELL cell = {(PRECISE)LOAD(elements[i]), with_self};
        memcpy(&cells[i], &cell, sizeof cell);
    }
    for (int32_t dim = 0; dim < out->ndim; dim++) {
        strides[dim] = strides[dim] / (int64_t)sizeof(STORAGE) * (int64_t)sizeof(CELL);
    }
    gathering work = {call, index, &compact, other, (char *)cells, data[2], other_data, 0, 0, 0, NULL, 0};
    work.dim = gn_wrap_dim(call->integers[0], gn_max(out->ndim, index->ndim));
    work.act = how == PRODUCT_OF ? NAME(fold_product) : NAME(fold_sum);
#if IS_ORDERED
    work.act = how == MOST_OF ? NAME(fold_most) : how == LEAST_OF ? NAME(fold_least) : work.act;
#endif
    const int32_t status = run_gathering(&work);
    if (status == GN_OK) {
        if (data[0] != data[1]) {
            gn_copy(out, data[0], &call->tensors[1], data[1]);
        }
        combined result = {out, data[0], cells, how, with_self};
        const int64_t length = gn_length(out, out->ndim - 1);
        gn_parallel_for(0, numel / length, gn_grain(length), NAME(write_cells), &result);
    }
    gn_give(cells);
    return status;
}

/* Sums that a wider type would not improve are computed in place. */
#if CODE == GN_BOOL || IS_HALF
#define SUM_IN_PLACE 0
#else
#define SUM_IN_PLACE 1
static uint64_t NAME(add_elements)(const block *part, const gn_call *call) {
    (void)call;
    EACH(STORAGE, const STORAGE, *to = (STORAGE)(*to + *from))
}
#endif

static int32_t NAME(scatter_sum)(const gn_call *call, void *const *data, const gn_tensor *other, void *other_data) {
#if SUM_IN_PLACE
    return scatter(call, data, other, other_data, NAME(add_elements));
#else
    return NAME(combine)(call, data, other, other_data, TOTAL_OF, 1);
#endif
}

/* (out; self, index, src); integers: dim. */
int32_t NAME(kernel_scatter_add)(const gn_call *call, void *const *data) {
    return NAME(scatter_sum)(call, data, &call->tensors[3], data[3]);
}

/* The same; integers: dim, then add or multiply. */
int32_t NAME(kernel_scatter_combine)(const gn_call *call, void *const *data) {
    if (call->integers[1] == 'a') {
        return NAME(scatter_sum)(call, data, &call->tensors[3], data[3]);
    }
    return NAME(combine)(call, data, &call->tensors[3], data[3], PRODUCT_OF, 1);
}

/* (out; self, index); integers: dim, then add or multiply; scalars: value. */
int32_t NAME(kernel_scatter_combine_value)(const gn_call *call, void *const *data) {
    STORAGE number = NAME(number_of)(call);
    if (call->integers[1] == 'a') {
        return NAME(scatter_sum)(call, data, NULL, &number);
    }
    return NAME(combine)(call, data, NULL, &number, PRODUCT_OF, 1);
}

/* (out; self, index, src); integers: dim, then sum, prod, mean, amax or amin, include_self, followed by the last
 * character of the reduction's name. */
int32_t NAME(kernel_scatter_reduce)(const gn_call *call, void *const *data) {
    enum combination how = TOTAL_OF;
    switch (call->integers[1]) {
    case 's': how = TOTAL_OF; break;
    case 'p': how = PRODUCT_OF; break;
    case 'm': how = MEAN_OF; break;
    default: how = call->integers[3] == 'x' ? MOST_OF : LEAST_OF; break;
    }
    return NAME(combine)(call, data, &call->tensors[3], data[3], how, call->integers[2] != 0);
}

/* (out; self, index, source); integers as above.  The index of a slice is that of all of its elements: a view of the
 * vector with the sizes of the source. */
int32_t NAME(kernel_index_reduce)(const gn_call *call, void *const *data) {
    const gn_tensor *index = &call->tensors[2];
    const gn_tensor *source = &call->tensors[3];
    int64_t strides[GN_MAX_DIMS] = {0};
    if (source->ndim > 0) {
        strides[gn_wrap_dim(call->integers[0], source->ndim)] = index->ndim > 0 ? index->strides[0] : 0;
    }
    const gn_tensor everywhere = {index->dtype, source->ndim, source->sizes, strides};
    const gn_tensor tensors[4] = {call->tensors[0], call->tensors[1], everywhere, *source};
    gn_call scatter = *call;
    scatter.tensors = tensors;
    return NAME(kernel_scatter_reduce)(&scatter, data);
}

#undef SUM_IN_PLACE
#undef PRECISE
#undef CELL
