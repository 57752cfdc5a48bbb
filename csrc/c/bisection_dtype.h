/* Bisection in one dtype. */

#if IS_REAL

/* The position in a row of the first element that sorts after each of some numbers; nothing sorts after NaN. The
 * numbers take their steps in turn and without branches, so that a step need not wait for another's memory. */
static inline void NAME(bisect_few)(const bisection *work, int64_t first, int64_t count, int right, int64_t *found) {
    const STORAGE *row[TOGETHER];
    COMPUTE number[TOGETHER];
    int64_t high[TOGETHER];
    for (int64_t k = 0; k < count; k++) {
        row[k] = (const STORAGE *)work->rows + (first + k) / work->width * work->length;
        number[k] = LOAD(((const STORAGE *)work->numbers)[first + k]);
        found[k] = 0;
        high[k] = work->length;
    }
    /* A step leaves a half of what is between found[k] and high[k], rounded up or down: that is something for all
     * numbers but before the last step, in which some are at their position already. */
    for (int64_t least = work->length; least > 0; least = (least - 1) / 2) {
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

/* Numbers [begin, end). */
static void NAME(bisect)(int64_t begin, int64_t end, void *context) {
    const bisection *work = context;
    int64_t found[TOGETHER];
    for (int64_t first = begin; first < end; first += TOGETHER) {
        const int64_t count = gn_min(TOGETHER, end - first);
        if (count < TOGETHER) {
            NAME(bisect_few)(work, first, count, work->right, found);
        } else if (work->right) {
            NAME(bisect_few)(work, first, TOGETHER, 1, found);
        } else {
            NAME(bisect_few)(work, first, TOGETHER, 0, found);
        }
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
