/* One element by its rank, or the first of a line: kthvalue, median, nanmedian and topk.
 *
 * In a long line, two elements of a sample are chosen between which the wanted one most likely is; only the elements
 * between them are examined further (Floyd and Rivest, Expected time bounds for selection, 1975).  If it is not there,
 * and for short keys, the leading bits of all keys are counted, which gives the bin (of 2048) of the wanted rank; then
 * only the elements of that bin are examined further. */
#include "order.h"
#include "threads.h"
#include "workspace.h"

/* Bins, by the leading bits of the keys. */
#define BIN_BITS 11
#define BINS (1 << BIN_BITS)
/* Elements from which a sample is taken, or bins are counted. */
#define BINS_FROM 1024
/* Keys of so many bits are counted at once, without a sample. */
#define SHORT_KEY_BITS 16
/* A sample has about count^(2/3) elements, which makes choosing among them and among those between as much work. */
#define SMALLEST_SAMPLE 64
#define LARGEST_SAMPLE 16384
/* Half the distance of the two elements of the sample, in standard deviations of the rank in it. */
#define DEVIATIONS 2.5
/* Elements that one task of a long line counts. */
#define PIECE 65536
/* The largest k for which one pass over the line keeps the best elements in a list. */
#define LONGEST_LIST 64
/* Elements that are tested together for whether any enters that list. */
#define BLOCK 64

/* Groups of DEPTH elements, LANES of them side by side, whose best elements bound what can enter it; and the number of
 * elements that they sample. */
#define LANES 32
#define DEPTH 64
#define BOUND_FROM 4096

/* What is selected from each line. */
enum wanted { KTH, MEDIAN, NANMEDIAN, BEST };

typedef struct selection {
    const gn_call *call;
    void *const *data;
    int32_t in_at;      /* the tensor searched; values are tensors[0] */
    int32_t indices_at; /* -1: none are wanted */
    enum wanted wanted;
    int64_t dim;
    int64_t skipped;    /* the dimension of size 1 in the outputs, which keep it; -1: they do not */
    int64_t length;
    int64_t k;          /* of kthvalue and topk */
    int descending;
    gn_status status;
} selection;

/* Bit i is flag i, of BLOCK flags that are 1 or 0: the product moves the flags of eight bytes to its highest byte. */
static inline uint64_t bits_of(const uint8_t *flags) {
    uint64_t bits = 0;
    for (int32_t i = 0; i < BLOCK; i += 8) {
        uint64_t eight = 0;
        for (int32_t byte = 0; byte < 8; byte++) {
            eight |= (uint64_t)flags[i + byte] << (8 * byte);
        }
        bits |= (eight * UINT64_C(0x0102040810204080) >> 56) << i;
    }
    return bits;
}

static void add_counts(gn_shared_count *total, const int64_t *part, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        if (part[i] != 0) {
            gn_add_to(&total[i], part[i]);
        }
    }
}

#define GN_TEMPLATE "select_dtype.h"
#include "each_dtype.h"
