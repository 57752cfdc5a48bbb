/* _embedding_bag and its gradients: sums, means or maxima of a table's rows, a bag of rows at a time. */
#include "flat.h"
#include "threads.h"
#include "workspace.h"

#define MODE_SUM 0
#define MODE_MEAN 1
#define MODE_MAX 2
#define COLUMNS 32 /* of a row that are summed together, in registers */

/* A vector of integers, int32 or int64. */
typedef struct vector {
    const char *data;
    int64_t count, step;
    int32_t dtype;
} vector;

static vector vector_of(const gn_tensor *tensor, const void *data) {
    const vector made = {data, tensor->sizes[0], tensor->strides[0], tensor->dtype};
    return made;
}

static int64_t entry(const vector *from, int64_t i) {
    return gn_index_at(from->data + i * from->step, from->dtype);
}

/* Element `place` in the order of memory of a contiguous output of int32 or int64. */
static void set_entry(const gn_tensor *tensor, void *data, int64_t place, int64_t value) {
    char *at = (char *)data + gn_offset(tensor, place, -1);
    if (tensor->dtype == GN_INT32) {
        *(int32_t *)at = (int32_t)value;
    } else {
        *(int64_t *)at = value;
    }
}

/* The bag of a position in the indices: the bag with the last offset that is not after it. */
static int64_t bag_of(const vector *offsets, int64_t bags, int64_t position) {
    int64_t low = 0;
    int64_t high = offsets->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (position < entry(offsets, middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return gn_min(low, bags) - 1;
}

/* Are the offsets sorted, and none negative? The reference handles others. */
static int in_order(const vector *offsets) {
    int64_t last = 0;
    int sorted = 1;
    for (int64_t i = 0; i < offsets->count; i++) {
        const int64_t offset = entry(offsets, i);
        sorted = sorted && last <= offset;
        last = offset;
    }
    return sorted;
}

/* The bags of all positions [0, count), for sorted offsets. */
static void find_bags(const vector *offsets, int64_t bags, int64_t count, int64_t *where) {
    int64_t passed = 0; /* offsets that are not after the position */
    for (int64_t i = 0; i < count; i++) {
        while (passed < offsets->count && entry(offsets, passed) <= i) {
            passed++;
        }
        where[i] = gn_min(passed, bags) - 1;
    }
}

/* Numbers 0 to count - 1 in lists: list i holds order[start[i]] to order[start[i + 1] - 1], in order. */
typedef struct lists {
    int64_t *start; /* of `lists` + 1 lists; one allocation with `order` */
    int64_t *order;
} lists;

/* Sorts the numbers by `keys`; those with a key below 0 or too large are in no list. */
static int32_t make_lists(lists *made, const int64_t *keys, int64_t count, int64_t keyed) {
    made->start = gn_take_items(keyed + 2 + count, sizeof(int64_t));
    if (made->start == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    made->order = made->start + keyed + 2;
    memset(made->start, 0, (size_t)(keyed + 2) * sizeof(int64_t));
    /* counted at index + 2, so that filling the lists leaves the starts at index + 1, where they belong */
    int64_t *const counts = made->start + 1;
    for (int64_t i = 0; i < count; i++) {
        if (keys[i] >= 0 && keys[i] < keyed) {
            counts[keys[i] + 1]++;
        }
    }
    for (int64_t i = 0; i < keyed; i++) {
        counts[i + 1] += counts[i];
    }
    for (int64_t i = 0; i < count; i++) {
        if (keys[i] >= 0 && keys[i] < keyed) {
            made->order[counts[keys[i]]++] = i;
        }
    }
    return GN_OK;
}

typedef struct bags {
    const gn_call *call;
    void *const *data;
    lists of;          /* the positions of each bag, or the uses of each row */
    const int64_t *rows; /* of each position */
    const int64_t *where; /* the bag of each position */
    const vector *indices, *offsets;
    int64_t count, width, mode;
    int scaled;        /* gradients are scaled, by how often the row is used */
    void *sums;
    gn_status status;
} bags;

#define GN_TEMPLATE "embedding_bag_dtype.h"
#include "each_dtype.h"
