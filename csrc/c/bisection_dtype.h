/* Bisection in one dtype. */

#if IS_REAL

/* The position in a row, between `least` and `most`, of the first element that sorts after each of some numbers; nothing
 * sorts after NaN. The numbers take their steps in turn and without branches, so that a step need not wait for
 * another's memory. */
static inline void NAME(bisect_few)(const bisection *work, int64_t first, int64_t count, int right, int64_t least,
                                    int64_t most, int64_t *found) {
    const STORAGE *row[TOGETHER];
    COMPUTE number[TOGETHER];
    int64_t high[TOGETHER];
    int64_t line = first / work->width, before = first - line * work->width; /* numbers of the same row */
    for (int64_t k = 0; k < count; k++, before++) {
        if (before == work->width) {
            line++;
            before = 0;
        }
        row[k] = (const STORAGE *)work->rows + line * work->length;
        number[k] = LOAD(((const STORAGE *)work->numbers)[first + k]);
        found[k] = least;
        high[k] = most;
    }
    /* A step leaves a half of what is between found[k] and high[k], rounded up or down: that is something for all
     * numbers but before the last step, in which some are at their position already. */
    for (int64_t rest = most - least; rest > 0; rest = (rest - 1) / 2) {
        for (int64_t k = 0; k < count; k++) {
            const int64_t middle = (int64_t)((uint64_t)(found[k] + high[k]) / 2);
            const COMPUTE x = LOAD(row[k][middle]);
            const int64_t is_after = -(int64_t)(right ? x > number[k] : x >= number[k]); /* of all bits */
            found[k] += (middle + 1 - found[k]) & ~is_after;
            high[k] += (middle - high[k]) & is_after;
        }
    }
    for (int64_t k = 0; k < count; k++) {
        if (found[k] < high[k]) { /* one element */
            const COMPUTE x = LOAD(row[k][found[k]]);
            found[k] += right ? !(x > number[k]) : !(x >= number[k]);
        }
    }
}

/* Where numbers [first, first + TOGETHER) are in a row, if they are sorted and follow number first - 1, which is at
 * *least: then at most at *most, about as far on as twice `before`. */
static inline void NAME(narrow)(const bisection *work, int64_t first, int64_t before, int64_t *least, int64_t *most) {
    const STORAGE *numbers = (const STORAGE *)work->numbers + first;
    const int64_t line = (first - 1) / work->width, last = TOGETHER - 1;
    int is_sorted = (first + last) / work->width == line;
    for (int64_t k = 0; k < TOGETHER; k++) {
        is_sorted &= LOAD(numbers[k - 1]) <= LOAD(numbers[k]);
    }
    if (!is_sorted) {
        *least = 0;
        return;
    }
    const STORAGE *row = (const STORAGE *)work->rows + line * work->length;
    for (int64_t reach = 2 * before + 2 * TOGETHER; reach < work->length - *least; reach *= 2) {
        if (LOAD(row[*least + reach]) > LOAD(numbers[last])) {
            *most = *least + reach;
            return;
        }
    }
}

/* Numbers [begin, end). */
static void NAME(bisect)(int64_t begin, int64_t end, void *context) {
    const bisection *work = context;
    int64_t found[TOGETHER], before = 0;
    for (int64_t first = begin; first < end; first += TOGETHER) {
        const int64_t count = gn_min(TOGETHER, end - first);
        int64_t least = 0, most = work->length;
        if (IS_INTEGRAL && first != begin && count == TOGETHER) { /* a row of others may end with NaN */
            least = found[TOGETHER - 1];
            NAME(narrow)(work, first, before, &least, &most);
        }
        if (count < TOGETHER) {
            NAME(bisect_few)(work, first, count, work->right, least, most, found);
        } else if (work->right) {
            NAME(bisect_few)(work, first, TOGETHER, 1, least, most, found);
        } else {
            NAME(bisect_few)(work, first, TOGETHER, 0, least, most, found);
        }
        before = found[count - 1] - least;
        for (int64_t k = 0; k < count; k++) {
            char *to = work->to + gn_offset(work->out, first + k, -1);
            if (work->out->dtype == GN_INT32) {
                *(int32_t *)to = (int32_t)found[k];
            } else {
                *(int64_t *)to = found[k];
            }
        }
    }
}

#endif
