/* Sorting and selecting elements of one type; order.c defines ELEMENT, LESS and OVER. */

static void ORDER(insert)(ELEMENT *elements, int64_t count) {
    for (int64_t i = 1; i < count; i++) {
        const ELEMENT moved = elements[i];
        int64_t place = i;
        while (place > 0 && LESS(moved, elements[place - 1])) {
            elements[place] = elements[place - 1];
            place--;
        }
        elements[place] = moved;
    }
}

/* Merges two sorted rows. */
static void ORDER(merge)(const ELEMENT *a, int64_t a_count, const ELEMENT *b, int64_t b_count, ELEMENT *out) {
    const ELEMENT *a_end = a + a_count;
    const ELEMENT *b_end = b + b_count;
    while (a < a_end && b < b_end) {
        const int second = LESS(*b, *a);
        *out++ = second ? *b : *a;
        a += !second;
        b += second;
    }
    memcpy(out, a, (size_t)(a_end - a) * sizeof(ELEMENT));
    memcpy(out + (a_end - a), b, (size_t)(b_end - b) * sizeof(ELEMENT));
}

static void ORDER(merge_sort)(ELEMENT *elements, ELEMENT *scratch, int64_t count) {
    for (int64_t begin = 0; begin < count; begin += RUN) {
        ORDER(insert)(elements + begin, gn_min(RUN, count - begin));
    }
    ELEMENT *from = elements;
    ELEMENT *to = scratch;
    for (int64_t width = RUN; width < count; width *= 2) {
        for (int64_t begin = 0; begin < count; begin += 2 * width) {
            const int64_t middle = gn_min(begin + width, count);
            const int64_t end = gn_min(begin + 2 * width, count);
            ORDER(merge)(from + begin, middle - begin, from + middle, end - middle, to + begin);
        }
        ELEMENT *other = from;
        from = to;
        to = other;
    }
    if (from != elements) {
        memcpy(elements, from, (size_t)count * sizeof(ELEMENT));
    }
}

/* Moves elements to the positions given by a digit, and counts the values of the next digit if there is one. */
static void ORDER(place_digits)(const ELEMENT *from, ELEMENT *to, int64_t count, uint64_t low, int32_t shift,
                                int32_t width, uint32_t *places, uint32_t *next) {
    const uint32_t last = ((uint32_t)1 << width) - 1;
    uint32_t place = 0;
    for (uint32_t value = 0; value <= last; value++) {
        const uint32_t here = places[value];
        places[value] = place;
        place += here;
    }
    if (next == NULL) {
        for (int64_t i = 0; i < count; i++) {
            to[places[(uint32_t)(OVER(from[i], low) >> shift) & last]++] = from[i];
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            const uint64_t over = OVER(from[i], low) >> shift;
            next[(uint32_t)(over >> width) & last]++;
            to[places[(uint32_t)over & last]++] = from[i];
        }
    }
}

/* Sorts by digits, the least significant first, elements whose keys are `low` and more by less than 2^bits.  The result
 * is in `to`, or in `from` if it is to stay there; both are used. Digits that are equal in all keys are skipped. */
static void ORDER(radix_sort)(ELEMENT *from, ELEMENT *to, int64_t count, uint64_t low, int32_t bits, int stays) {
    uint32_t tables[2][BINS];
    uint32_t *places = tables[0]; /* of a digit's values */
    uint32_t *next = tables[1];   /* of the following digit's */
    const int32_t most = count < WIDE_FROM ? NARROW_DIGIT : WIDE_DIGIT;
    const int32_t digits = (bits + most - 1) / most;
    const int32_t width = (bits + digits - 1) / digits;
    const uint32_t last = ((uint32_t)1 << width) - 1;
    ELEMENT *const end = stays ? from : to;
    memset(places, 0, ((size_t)last + 1) * sizeof *places);
    for (int64_t i = 0; i < count; i++) {
        places[(uint32_t)OVER(from[i], low) & last]++;
    }
    for (int32_t shift = 0; shift < bits; shift += width) {
        const int is_same = places[(uint32_t)(OVER(from[0], low) >> shift) & last] == (uint32_t)count;
        const int is_last = shift + width >= bits;
        memset(next, 0, is_last ? 0 : ((size_t)last + 1) * sizeof *next);
        if (is_same) {
            for (int64_t i = 0; i < count && !is_last; i++) {
                next[(uint32_t)(OVER(from[i], low) >> (shift + width)) & last]++;
            }
        } else {
            ORDER(place_digits)(from, to, count, low, shift, width, places, is_last ? NULL : next);
            ELEMENT *other = from;
            from = to;
            to = other;
        }
        uint32_t *free = places;
        places = next;
        next = free;
    }
    if (from != end) {
        memcpy(end, from, (size_t)count * sizeof(ELEMENT));
    }
}

/* A line split into groups by the leading bits of its keys, the bins. A group is a range of bins. */
typedef struct ORDER(cut) {
    ELEMENT *from;
    ELEMENT *to;
    int64_t count;
    uint64_t low;
    int32_t shift;
    int stays;
    int64_t part; /* elements in a part, which a thread counts and moves */
    uint32_t *counts; /* (parts, BINS) */
    int32_t groups;
    uint8_t group_of[BINS];
    int32_t low_bin[MOST_GROUPS];
    int32_t high_bin[MOST_GROUPS];
    int64_t first[MOST_GROUPS + 1];
    uint32_t places[MOST_PARTS][MOST_GROUPS]; /* where the next element of the part goes */
} ORDER(cut);

static void ORDER(count_parts)(int64_t begin, int64_t end, void *context) {
    const ORDER(cut) *cut = context;
    for (int64_t part = begin; part < end; part++) {
        const int64_t stop = gn_min(cut->count, (part + 1) * cut->part);
        uint32_t *counts = cut->counts + part * BINS;
        memset(counts, 0, BINS * sizeof *counts);
        for (int64_t i = part * cut->part; i < stop; i++) {
            counts[OVER(cut->from[i], cut->low) >> cut->shift]++;
        }
    }
}

static void ORDER(move_parts)(int64_t begin, int64_t end, void *context) {
    ORDER(cut) *cut = context;
    ELEMENT *to = cut->to;
    for (int64_t part = begin; part < end; part++) {
        const int64_t stop = gn_min(cut->count, (part + 1) * cut->part);
        uint32_t *places = cut->places[part];
        for (int64_t i = part * cut->part; i < stop; i++) {
            const ELEMENT moved = cut->from[i];
            to[places[cut->group_of[OVER(moved, cut->low) >> cut->shift]]++] = moved;
        }
    }
}

/* Builds groups of at most `limit` elements, or of one bin, and finds where each part's elements start in them. */
static void ORDER(make_groups)(ORDER(cut) *cut, int64_t parts, int64_t limit) {
    int64_t held = 0;
    int64_t before = 0;
    int32_t group = 0;
    cut->first[0] = 0;
    memset(cut->places, 0, sizeof cut->places);
    for (int32_t bin = 0; bin < BINS; bin++) {
        int64_t here = 0;
        for (int64_t part = 0; part < parts; part++) {
            here += cut->counts[part * BINS + bin];
        }
        if (here == 0) {
            continue;
        }
        if (held > 0 && held + here > limit) {
            before += held;
            held = 0;
            cut->first[++group] = before;
        }
        if (held == 0) {
            cut->low_bin[group] = bin;
        }
        held += here;
        cut->high_bin[group] = bin;
        cut->group_of[bin] = (uint8_t)group;
        for (int64_t part = 0; part < parts; part++) {
            cut->places[part][group] += cut->counts[part * BINS + bin];
        }
    }
    cut->groups = group + 1;
    cut->first[cut->groups] = cut->count;
    for (int32_t each = 0; each < cut->groups; each++) {
        uint32_t place = (uint32_t)cut->first[each];
        for (int64_t part = 0; part < parts; part++) {
            const uint32_t share = cut->places[part][each];
            cut->places[part][each] = place;
            place += share;
        }
    }
}

static void ORDER(sort_between)(ELEMENT *from, ELEMENT *to, int64_t count, uint64_t low, int32_t bits, int stays);

static void ORDER(sort_groups)(int64_t begin, int64_t end, void *context) {
    const ORDER(cut) *cut = context;
    for (int64_t group = begin; group < end; group++) {
        const int64_t first = cut->first[group];
        const int32_t bin = cut->low_bin[group];
        int32_t bits = cut->shift;
        while ((cut->high_bin[group] - bin) >> (bits - cut->shift) != 0) {
            bits++;
        }
        ORDER(sort_between)(cut->to + first, cut->from + first, cut->first[group + 1] - first,
                            cut->low + ((uint64_t)bin << cut->shift), bits, !cut->stays);
    }
}

/* Sorts a line that is longer than the cache, in groups that fit it. */
static void ORDER(sort_by_groups)(ELEMENT *from, ELEMENT *to, int64_t count, uint64_t low, int32_t bits, int stays) {
    ORDER(cut) cut;
    const int64_t parts = gn_min(MOST_PARTS, gn_parallel_parts(count, GROUP_BYTES / 2));
    cut.from = from;
    cut.to = to;
    cut.count = count;
    cut.low = low;
    cut.shift = bits - WIDE_DIGIT;
    cut.stays = stays;
    cut.part = (count + parts - 1) / parts;
    cut.counts = (uint32_t *)to; /* before elements are moved there */
    gn_parallel_for(0, parts, 1, ORDER(count_parts), &cut);
    ORDER(make_groups)(&cut, parts, gn_max(GROUP_BYTES / (int64_t)sizeof(ELEMENT), count / (MOST_GROUPS / 2 - 1) + 1));
    gn_parallel_for(0, parts, 1, ORDER(move_parts), &cut);
    gn_parallel_for(0, cut.groups, 1, ORDER(sort_groups), &cut);
}

/* Sorts elements as radix_sort does, with the algorithm that suits their number. */
static void ORDER(sort_between)(ELEMENT *from, ELEMENT *to, int64_t count, uint64_t low, int32_t bits, int stays) {
    if (count > 0 && bits > WIDE_DIGIT && count > GROUP_BYTES / (int64_t)sizeof(ELEMENT)) {
        ORDER(sort_by_groups)(from, to, count, low, bits, stays);
    } else if (count >= RADIX_FROM && bits > 0) {
        ORDER(radix_sort)(from, to, count, low, bits, stays);
    } else {
        if (bits > 0) {
            ORDER(merge_sort)(from, to, count);
        }
        if (!stays) {
            memcpy(to, from, (size_t)count * sizeof(ELEMENT));
        }
    }
}

void ORDER(gn_sort)(ELEMENT *elements, ELEMENT *scratch, int64_t count, int32_t bits) {
    ORDER(sort_between)(elements, scratch, count, 0, bits, 1);
}

static ELEMENT ORDER(middle_of)(ELEMENT a, ELEMENT b, ELEMENT c) {
    if (LESS(a, b)) {
        return LESS(b, c) ? b : LESS(a, c) ? c : a;
    }
    return LESS(a, c) ? a : LESS(b, c) ? c : b;
}

/* Moves the elements that are less than the pivot, or `or_equal` to it, before the others; returns how many there are.
 * No branch depends on an element. */
static inline int64_t ORDER(partition)(ELEMENT *elements, int64_t count, ELEMENT pivot, const int or_equal) {
    int64_t less = 0;
    for (int64_t i = 0; i < count; i++) {
        const ELEMENT element = elements[i];
        elements[i] = elements[less];
        elements[less] = element;
        less += or_equal ? !LESS(pivot, element) : LESS(element, pivot);
    }
    return less;
}

/* Selection by partitions.  The pivot is the median of nine elements spread over the range, so that sorted or reversed
 * rows are halved; the spread varies, so that no row is bad for all rounds. */
void ORDER(gn_select)(ELEMENT *elements, int64_t count, int64_t rank) {
    for (int64_t round = 0; count > 32; round++) {
        const int64_t step = gn_max(1, (count - 1) / (8 + (round > 4 ? round * 7 % 11 : 0)));
        const ELEMENT *at = elements;
        const ELEMENT pivot = ORDER(middle_of)(ORDER(middle_of)(at[0], at[step], at[2 * step]),
                                               ORDER(middle_of)(at[3 * step], at[4 * step], at[5 * step]),
                                               ORDER(middle_of)(at[6 * step], at[7 * step], at[8 * step]));
        int64_t less = ORDER(partition)(elements, count, pivot, 0);
        if (rank < less) {
            count = less;
            continue;
        }
        if (less == 0) { /* the pivot is the least */
            less = ORDER(partition)(elements, count, pivot, 1);
            if (rank < less) {
                return;
            }
        }
        elements += less;
        count -= less;
        rank -= less;
    }
    ORDER(insert)(elements, count);
}
