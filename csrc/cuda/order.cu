/* Sorts lines of entries (order.cuh), and computes prefix sums of counts.
 *
 * A short line is sorted in the shared memory of a block by a bitonic network, several lines together if they are very
 * short. To find a few first entries of a long line, those of each of its pieces are found first. Long lines are sorted
 * completely by a radix sort, least significant digit first. For each digit, the entries of each tile of each line are
 * counted; prefix sums of the counts, in the order line, digit, tile, give the position of each tile's entries of each
 * digit; and each tile moves its entries there, in order. */
#include "order.cuh"
#include "places.cuh"

#define ORDER_THREADS 256
#define WARPS (ORDER_THREADS / 32)
#define SHORT_LINE 2048
#define DIGITS 256
#define DIGIT_BITS 8
#define ROUNDS 16 /* entries of a tile that a thread moves */
#define TILE (ORDER_THREADS * ROUNDS)
#define EACH_COUNT 8 /* counts that a thread sums */
#define COUNTS (ORDER_THREADS * EACH_COUNT)

/* Makes entries that sort numbers and keep their indices. */
template <class ENTRY> __global__ void enter_numbers(const int64_t *numbers, int64_t count, ENTRY *entries) {
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        entries[i] = ENTRY::of((uint64_t)numbers[i], i);
    }
}

/* marks[i] = whether the entry of index i is the last one of its key. */
template <class ENTRY> __global__ void mark_last(const ENTRY *sorted, int64_t count, uint8_t *marks) {
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        marks[sorted[i].place()] = i + 1 == count || sorted[i + 1].key() != sorted[i].key();
    }
}

/* Bitonic sort of rows of `width` entries, a power of 2, in shared memory. */
template <class ENTRY> static inline void gn_sort_shared(ENTRY *shared, int32_t width) {
    for (int32_t size = 2; size <= width; size *= 2) { /* runs of this size are sorted, every other one in reverse */
        for (int32_t apart = size / 2; apart > 0; apart /= 2) {
            for (int32_t pair = threadIdx.x; pair < SHORT_LINE / 2; pair += ORDER_THREADS) {
                const int32_t low = pair / apart * 2 * apart + pair % apart;
                const int32_t high = low + apart;
                const bool is_reverse = (low % width & size) != 0; /* % width: a row ends in order */
                const ENTRY a = shared[low];
                const ENTRY b = shared[high];
                if (b.before(a) != is_reverse) {
                    shared[low] = b;
                    shared[high] = a;
                }
            }
            __syncthreads();
        }
    }
}

/* Lines of at most SHORT_LINE entries; `width` is the length rounded up to a power of 2. */
template <class ENTRY> __global__ void sort_short(ENTRY *entries, int64_t lines, int64_t length, int32_t width) {
    __shared__ ENTRY shared[SHORT_LINE];
    const int64_t together = SHORT_LINE / width;
    for (int64_t first = blockIdx.x * together; first < lines; first += gridDim.x * together) {
        for (int32_t slot = threadIdx.x; slot < SHORT_LINE; slot += ORDER_THREADS) {
            const int64_t line = first + slot / width;
            const int64_t place = slot % width;
            shared[slot] = line < lines && place < length ? entries[line * length + place] : ENTRY::last();
        }
        __syncthreads();
        gn_sort_shared(shared, width);
        for (int32_t slot = threadIdx.x; slot < SHORT_LINE; slot += ORDER_THREADS) {
            const int64_t line = first + slot / width;
            const int64_t place = slot % width;
            if (line < lines && place < length) {
                entries[line * length + place] = shared[slot];
            }
        }
        __syncthreads();
    }
}

/* Sorts each piece of SHORT_LINE entries of a line and writes its first `kept` ones to `to`, which therefore contains
 * the first `kept` entries of the line. */
template <class ENTRY>
__global__ void keep_first(const ENTRY *entries, ENTRY *to, int64_t lines, int64_t length, int64_t kept) {
    __shared__ ENTRY shared[SHORT_LINE];
    const int64_t pieces = (length + SHORT_LINE - 1) / SHORT_LINE;
    for (int64_t number = blockIdx.x; number < lines * pieces; number += gridDim.x) {
        const int64_t line = number / pieces;
        const int64_t first = (number - line * pieces) * SHORT_LINE;
        for (int32_t slot = threadIdx.x; slot < SHORT_LINE; slot += ORDER_THREADS) {
            shared[slot] = first + slot < length ? entries[line * length + first + slot] : ENTRY::last();
        }
        __syncthreads();
        gn_sort_shared(shared, SHORT_LINE);
        for (int64_t slot = threadIdx.x; slot < kept; slot += ORDER_THREADS) {
            to[number * kept + slot] = shared[slot];
        }
        __syncthreads();
    }
}

template <class ENTRY> static inline int32_t digit_of(const ENTRY &entry, int32_t shift) {
    return (int32_t)(entry.key() >> shift & (DIGITS - 1));
}

/* counts[line][digit][tile] */
template <class ENTRY>
__global__ void count_digits(const ENTRY *entries, int64_t lines, int64_t length, int64_t tiles, int32_t shift,
                             int64_t *counts) {
    __shared__ int32_t shared[DIGITS];
    for (int64_t number = blockIdx.x; number < lines * tiles; number += gridDim.x) {
        const int64_t line = number / tiles;
        const int64_t tile = number - line * tiles;
        const int64_t end = gn_min(length, (tile + 1) * TILE);
        shared[threadIdx.x] = 0;
        __syncthreads();
        for (int64_t i = tile * TILE + threadIdx.x; i < end; i += ORDER_THREADS) {
            atomicAdd(&shared[digit_of(entries[line * length + i], shift)], 1);
        }
        __syncthreads();
        counts[(line * DIGITS + threadIdx.x) * tiles + tile] = shared[threadIdx.x];
        __syncthreads();
    }
}

/* The lanes of a warp that have the same digit as this one, without lanes that have no entry. */
static inline uint32_t peers_of(int32_t digit, bool is_there) {
    uint32_t peers = __ballot_sync(0xffffffffu, is_there);
    for (int32_t bit = 0; bit < DIGIT_BITS; bit++) {
        const bool is_set = (digit >> bit & 1) != 0;
        const uint32_t those = __ballot_sync(0xffffffffu, is_set);
        peers &= is_set ? those : ~those;
    }
    return peers;
}

/* `begins`: the prefix sums of the counts. Each warp moves a part of the tile; an entry comes after those of earlier
 * warps, rounds and lanes, which keeps the sort stable. */
template <class ENTRY>
__global__ void move_digits(const ENTRY *from, ENTRY *to, int64_t lines, int64_t length, int64_t tiles, int32_t shift,
                            const int64_t *begins) {
    __shared__ int32_t next[WARPS][DIGITS];
    __shared__ int64_t begin[DIGITS];
    const int32_t warp = threadIdx.x / 32;
    const int32_t lane = threadIdx.x % 32;
    for (int64_t number = blockIdx.x; number < lines * tiles; number += gridDim.x) {
        const int64_t line = number / tiles;
        const int64_t tile = number - line * tiles;
        const ENTRY *const entries = from + line * length;
        const int64_t first = tile * TILE + warp * ROUNDS * 32 + lane;
        for (int32_t each = 0; each < WARPS; each++) {
            next[each][threadIdx.x] = 0;
        }
        begin[threadIdx.x] = begins[(line * DIGITS + threadIdx.x) * tiles + tile];
        __syncthreads();
        GN_ROLLED
        for (int32_t round = 0; round < ROUNDS; round++) {
            const int64_t i = first + round * 32;
            const bool is_there = i < length;
            const int32_t digit = is_there ? digit_of(entries[i], shift) : 0;
            const uint32_t peers = peers_of(digit, is_there);
            if (is_there && lane == __ffs((int)peers) - 1) {
                next[warp][digit] += __popc(peers);
            }
            __syncwarp();
        }
        __syncthreads();
        int32_t total = 0;
        for (int32_t each = 0; each < WARPS; each++) {
            const int32_t here = next[each][threadIdx.x];
            next[each][threadIdx.x] = total;
            total += here;
        }
        __syncthreads();
        GN_ROLLED
        for (int32_t round = 0; round < ROUNDS; round++) {
            const int64_t i = first + round * 32;
            const bool is_there = i < length;
            const ENTRY entry = is_there ? entries[i] : ENTRY::last();
            const int32_t digit = is_there ? digit_of(entry, shift) : 0;
            const uint32_t peers = peers_of(digit, is_there);
            if (is_there) {
                to[begin[digit] + next[warp][digit] + __popc(peers & ((1u << lane) - 1))] = entry;
            }
            __syncwarp();
            if (is_there && lane == __ffs((int)peers) - 1) {
                next[warp][digit] += __popc(peers);
            }
            __syncwarp();
        }
        __syncthreads();
    }
}

/* The sums of consecutive groups of COUNTS counts. */
__global__ void sum_counts(const int64_t *counts, int64_t count, int64_t *sums) {
    __shared__ int64_t shared[ORDER_THREADS];
    const int64_t parts = (count + COUNTS - 1) / COUNTS;
    for (int64_t part = blockIdx.x; part < parts; part += gridDim.x) {
        int64_t total = 0;
        for (int32_t k = 0; k < EACH_COUNT; k++) {
            const int64_t i = part * COUNTS + k * ORDER_THREADS + threadIdx.x;
            total += i < count ? counts[i] : 0;
        }
        shared[threadIdx.x] = total;
        __syncthreads();
        for (int32_t half = ORDER_THREADS / 2; half > 0; half /= 2) {
            if ((int32_t)threadIdx.x < half) {
                shared[threadIdx.x] += shared[threadIdx.x + half];
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            sums[part] = shared[0];
        }
        __syncthreads();
    }
}

/* Exclusive prefix sum of the counts. `before`: the prefix sums of the groups of COUNTS; null if there is one group. */
__global__ void add_counts(int64_t *counts, int64_t count, const int64_t *before) {
    __shared__ int64_t shared[COUNTS];
    __shared__ int64_t totals[ORDER_THREADS];
    const int64_t parts = (count + COUNTS - 1) / COUNTS;
    for (int64_t part = blockIdx.x; part < parts; part += gridDim.x) {
        for (int32_t k = 0; k < EACH_COUNT; k++) {
            const int32_t slot = k * ORDER_THREADS + threadIdx.x;
            const int64_t i = part * COUNTS + slot;
            shared[slot] = i < count ? counts[i] : 0;
        }
        __syncthreads();
        int64_t total = 0;
        for (int32_t k = 0; k < EACH_COUNT; k++) {
            const int64_t here = shared[threadIdx.x * EACH_COUNT + k];
            shared[threadIdx.x * EACH_COUNT + k] = total;
            total += here;
        }
        totals[threadIdx.x] = total;
        __syncthreads();
        for (int32_t apart = 1; apart < ORDER_THREADS; apart *= 2) {
            const int64_t earlier = (int32_t)threadIdx.x >= apart ? totals[threadIdx.x - apart] : 0;
            __syncthreads();
            totals[threadIdx.x] += earlier;
            __syncthreads();
        }
        const int64_t base = before == NULL ? 0 : before[part];
        for (int32_t k = 0; k < EACH_COUNT; k++) {
            const int32_t slot = k * ORDER_THREADS + threadIdx.x;
            const int64_t i = part * COUNTS + slot;
            const int32_t owner = slot / EACH_COUNT;
            if (i < count) {
                counts[i] = base + (owner > 0 ? totals[owner - 1] : 0) + shared[slot];
            }
        }
        __syncthreads();
    }
}

/* starts[key] = the index of the first sorted entry whose key is at least `key`. There is one element more than
 * keys. */
template <class ENTRY>
__global__ void find_starts(const ENTRY *sorted, int64_t count, int64_t keys, int64_t *starts) {
    for (int64_t key = gn_thread(); key <= keys; key += gn_threads()) {
        starts[key] = gn_lower_bound(sorted, 0, count, (uint64_t)key);
    }
}
