/* The stages of a transform in place, block after block: each leaves as many blocks, one after the other, as its factor.
 * The plan, BLOCKS_PLAN, has the factors, and for each stage the number and the length of its blocks. */

/* Writes those, and to `after` where element k is after the transform, if the blocks after the first stage are `block`
 * apart: the first factor's digit of an element's number is the last of that, and the first of its place. */
static void NAME(begin_blocks)(BLOCKS_PLAN *plan, int64_t length, int64_t block, int32_t *after) {
    int64_t known = 1, apart = block;
    after[0] = 0;
    for (int32_t level = 0; level < plan->factor_count; level++) {
        for (int64_t k = known; k < known * plan->factors[level]; k++) {
            after[k] = after[k - known] + (int32_t)apart;
        }
        plan->lengths[level] = length / known;
        plan->known[level] = known;
        known *= plan->factors[level];
        apart = level + 1 < plan->factor_count ? length / known / plan->factors[level + 1] : 1;
    }
    plan->lengths[plan->factor_count] = 1;
}

#define RUN_BLOCKS(STAGE, FACTOR, ...)                                                                                 \
    static void NAME(STAGE##_of_blocks_##FACTOR)(NAME(stage) *given, int64_t blocks, int64_t from_step,                \
                                                 int64_t to_step, int64_t reach, int64_t power, int32_t factor) {      \
        NAME(stage) now = *given;                                                                                      \
        const NAME(stage) *stage = &now;                                                                               \
        (void)factor;                                                                                                  \
        for (int64_t block = 0; block < blocks; block++) {                                                             \
            now.power = 0;                                                                                             \
            NAME(STAGE)(stage, 0, __VA_ARGS__ FIRST_BESIDE);                                                           \
            for (int64_t j = 1; j < reach; j++) {                                                                      \
                now.power += power;                                                                                    \
                NAME(STAGE)(stage, j * POINT_SIZE, __VA_ARGS__ BESIDE);                                                \
            }                                                                                                          \
            now.from += from_step;                                                                                     \
            now.to += to_step;                                                                                         \
        }                                                                                                              \
    }
RUN_BLOCKS(stage_2, 2, )
RUN_BLOCKS(stage_3, 3, )
RUN_BLOCKS(stage_4, 4, )
RUN_BLOCKS(stage_5, 5, )
RUN_BLOCKS(stage_8, 8, )
RUN_BLOCKS(stage_odd, 7, 7, )
RUN_BLOCKS(stage_odd, any, factor, )
#undef RUN_BLOCKS

/* Stage `level` of some blocks, whose points are `apart`; they are read at distances of `step` numbers. */
static void NAME(run_blocks)(NAME(stage) *stage, const BLOCKS_PLAN *plan, int32_t level, const COMPUTE *from,
                             int64_t step, COMPUTE *to, int64_t blocks, int64_t apart) {
    const int32_t factor = plan->factors[level];
    const int64_t reach = plan->lengths[level + 1], power = plan->known[level];
    const int64_t next = plan->lengths[level] * POINT_SIZE;
    stage->from = from;
    stage->to = to;
    stage->apart = stage->width = apart * POINT_SIZE;
    for (int32_t k = 0; k < factor && (factor == 7 || factor > 8); k++) {
        const int64_t at = plan->lengths[0] / factor * k;
        stage->unit[k] = (ROOT){plan->roots.real[at], plan->roots.imag[at]};
    }
    switch (factor) {
    case 2: NAME(stage_2_of_blocks_2)(stage, blocks, step, next, reach, power, factor); break;
    case 3: NAME(stage_3_of_blocks_3)(stage, blocks, step, next, reach, power, factor); break;
    case 4: NAME(stage_4_of_blocks_4)(stage, blocks, step, next, reach, power, factor); break;
    case 5: NAME(stage_5_of_blocks_5)(stage, blocks, step, next, reach, power, factor); break;
    case 7: NAME(stage_odd_of_blocks_7)(stage, blocks, step, next, reach, power, factor); break;
    case 8: NAME(stage_8_of_blocks_8)(stage, blocks, step, next, reach, power, factor); break;
    default: NAME(stage_odd_of_blocks_any)(stage, blocks, step, next, reach, power, factor); break;
    }
}
