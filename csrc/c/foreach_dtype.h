/* Operators on lists, for one dtype. */

#if CODE == GN_BOOL
#define PLUS(a, b) ((a) | (b))
#else
#define PLUS(a, b) ((a) + (b))
#endif

static void NAME(add_number)(const gn_call *call, const gn_tensor *tensor, char *data) {
    const COMPUTE number = NUMBER(0);
    const int64_t count = gn_numel(tensor);
    if (gn_is_contiguous(tensor)) {
        STORAGE *elements = (STORAGE *)data;
        for (int64_t i = 0; i < count; i++) {
            elements[i] = STORE((COMPUTE)PLUS(LOAD(elements[i]), number));
        }
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        STORAGE *element = (STORAGE *)(data + gn_offset(tensor, i, -1));
        *element = STORE((COMPUTE)PLUS(LOAD(*element), number));
    }
}

#undef PLUS
