/* Bisection in one dtype. */

#if IS_REAL

/* Numbers [begin, end): the position of the first element that sorts after each; nothing sorts after NaN. */
static void NAME(bisect)(int64_t begin, int64_t end, void *context) {
    const bisection *work = context;
    const STORAGE *numbers = (const STORAGE *)work->numbers;
    for (int64_t i = begin; i < end; i++) {
        const STORAGE *row = (const STORAGE *)work->rows + i / work->width * work->length;
        const COMPUTE number = LOAD(numbers[i]);
        int64_t low = 0;
        int64_t high = work->length;
        while (low < high) {
            const int64_t middle = (low + high) / 2;
            const COMPUTE x = LOAD(row[middle]);
            if (work->right ? x > number : x >= number) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        char *to = work->to + gn_offset(work->out, i, -1);
        if (work->out->dtype == GN_INT32) {
            *(int32_t *)to = (int32_t)low;
        } else {
            *(int64_t *)to = low;
        }
    }
}

#endif
