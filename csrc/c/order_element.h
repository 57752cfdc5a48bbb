/* Sorting and selecting elements of one type; order.c defines ELEMENT, LESS and DIGIT. */

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

/* Bytes that are the same in all keys are left out. */
static void ORDER(radix_sort)(ELEMENT *elements, ELEMENT *scratch, int64_t count, int32_t bits) {
    int64_t counts[MOST_DIGITS][256];
    const int32_t digits = (bits + 7) / 8;
    memset(counts, 0, sizeof counts);
    for (int64_t i = 0; i < count; i++) {
        for (int32_t digit = 0; digit < digits; digit++) {
            counts[digit][DIGIT(elements[i], 8 * digit)]++;
        }
    }
    ELEMENT *from = elements;
    ELEMENT *to = scratch;
    for (int32_t digit = 0; digit < digits; digit++) {
        const int32_t shift = 8 * digit;
        int64_t *places = counts[digit];
        if (places[DIGIT(elements[0], shift)] == count) {
            continue;
        }
        int64_t place = 0;
        for (int value = 0; value < 256; value++) {
            const int64_t here = places[value];
            places[value] = place;
            place += here;
        }
        for (int64_t i = 0; i < count; i++) {
            to[places[DIGIT(from[i], shift)]++] = from[i];
        }
        ELEMENT *other = from;
        from = to;
        to = other;
    }
    if (from != elements) {
        memcpy(elements, from, (size_t)count * sizeof(ELEMENT));
    }
}

static void ORDER(sort_alone)(ELEMENT *elements, ELEMENT *scratch, int64_t count, int32_t bits) {
    if (count < RADIX_FROM) {
        ORDER(merge_sort)(elements, scratch, count);
    } else {
        ORDER(radix_sort)(elements, scratch, count, bits);
    }
}

typedef struct ORDER(job) {
    ELEMENT *from;
    ELEMENT *to;
    int64_t count;
    int64_t width; /* of a sorted part */
    int32_t bits;
} ORDER(job);

static void ORDER(sort_parts)(int64_t begin, int64_t end, void *context) {
    const ORDER(job) *job = context;
    for (int64_t part = begin; part < end; part++) {
        const int64_t first = part * job->width;
        ORDER(sort_alone)(job->from + first, job->to + first, gn_min(job->width, job->count - first), job->bits);
    }
}

/* How many of the first `rank` elements of the merged rows come from `a`. */
static int64_t ORDER(share_of)(const ELEMENT *a, int64_t a_count, const ELEMENT *b, int64_t b_count, int64_t rank) {
    int64_t low = gn_max(0, rank - b_count);
    int64_t high = gn_min(rank, a_count);
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (LESS(a[middle], b[rank - middle - 1])) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Pieces [begin, end) of what the merges of neighbouring parts write. */
static void ORDER(merge_parts)(int64_t begin, int64_t end, void *context) {
    const ORDER(job) *job = context;
    for (int64_t piece = begin; piece < end; piece++) {
        int64_t first = piece * MERGE_PIECE;
        const int64_t last = gn_min(first + MERGE_PIECE, job->count);
        while (first < last) {
            const int64_t pair = first / (2 * job->width) * (2 * job->width);
            const int64_t middle = gn_min(pair + job->width, job->count);
            const int64_t stop = gn_min(pair + 2 * job->width, job->count);
            const int64_t until = gn_min(last, stop);
            const ELEMENT *a = job->from + pair;
            const ELEMENT *b = job->from + middle;
            const int64_t a_from = ORDER(share_of)(a, middle - pair, b, stop - middle, first - pair);
            const int64_t a_until = ORDER(share_of)(a, middle - pair, b, stop - middle, until - pair);
            const int64_t b_from = first - pair - a_from;
            ORDER(merge)(a + a_from, a_until - a_from, b + b_from, until - pair - a_until - b_from, job->to + first);
            first = until;
        }
    }
}

void ORDER(gn_sort)(ELEMENT *elements, ELEMENT *scratch, int64_t count, int32_t bits) {
    int64_t parts = 1;
    while (parts < MOST_PARTS && 2 * parts <= gn_parallel_parts(count, PARALLEL_FROM / 2)) {
        parts *= 2;
    }
    if (parts == 1) {
        ORDER(sort_alone)(elements, scratch, count, bits);
        return;
    }
    ORDER(job) job = {elements, scratch, count, (count + parts - 1) / parts, bits};
    gn_parallel(parts, 1, ORDER(sort_parts), &job);
    for (; job.width < count; job.width *= 2) {
        gn_parallel((count + MERGE_PIECE - 1) / MERGE_PIECE, 1, ORDER(merge_parts), &job);
        ELEMENT *other = job.from;
        job.from = job.to;
        job.to = other;
    }
    if (job.from != elements) {
        memcpy(elements, job.from, (size_t)count * sizeof(ELEMENT));
    }
}

static ELEMENT ORDER(middle_of)(ELEMENT a, ELEMENT b, ELEMENT c) {
    if (LESS(a, b)) {
        return LESS(b, c) ? b : LESS(a, c) ? c : a;
    }
    return LESS(a, c) ? a : LESS(b, c) ? c : b;
}

/* Hoare's selection.  The pivot is the middle of nine elements spread over the range, so that rows in order, or in
 * reverse, are halved; how far they are spread changes, so that no row is bad for all rounds. */
void ORDER(gn_select)(ELEMENT *elements, int64_t count, int64_t rank) {
    int64_t first = 0;
    int64_t last = count - 1;
    for (int64_t round = 0; last - first >= 32; round++) {
        const int64_t step = gn_max(1, (last - first) / (8 + (round > 4 ? round * 7 % 11 : 0)));
        ELEMENT *at = elements + first;
        const ELEMENT pivot = ORDER(middle_of)(ORDER(middle_of)(at[0], at[step], at[2 * step]),
                                               ORDER(middle_of)(at[3 * step], at[4 * step], at[5 * step]),
                                               ORDER(middle_of)(at[6 * step], at[7 * step], at[8 * step]));
        int64_t i = first;
        int64_t j = last;
        while (i <= j) {
            while (LESS(elements[i], pivot)) {
                i++;
            }
            while (LESS(pivot, elements[j])) {
                j--;
            }
            if (i <= j) {
                const ELEMENT moved = elements[i];
                elements[i++] = elements[j];
                elements[j--] = moved;
            }
        }
        if (rank <= j) {
            last = j;
        } else if (rank >= i) {
            first = i;
        } else {
            return;
        }
    }
    ORDER(insert)(elements + first, last - first + 1);
}
