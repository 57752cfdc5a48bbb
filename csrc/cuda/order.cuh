/* Entries to be sorted: a key that orders like the element, and the element's index. No two entries are equal, so every
 * sorting algorithm is stable. A short key and the index are packed into 8 bytes. */
#pragma once

#include "kernel.cuh"

struct gn_packed {
    uint64_t bits;
    static inline gn_packed of(uint64_t key, int64_t place) {
        return gn_packed{key << 32 | (uint64_t)place};
    }
    static inline gn_packed last(void) { /* after all others */
        return gn_packed{~(uint64_t)0};
    }
    inline uint64_t key(void) const {
        return bits >> 32;
    }
    inline int64_t place(void) const {
        return (int64_t)(bits & 0xffffffffu);
    }
    inline bool before(const gn_packed &other) const {
        return bits < other.bits;
    }
};

struct alignas(16) gn_wide {
    uint64_t bits;
    int64_t at;
    static inline gn_wide of(uint64_t key, int64_t place) {
        return gn_wide{key, place};
    }
    static inline gn_wide last(void) {
        return gn_wide{~(uint64_t)0, INT64_MAX};
    }
    inline uint64_t key(void) const {
        return bits;
    }
    inline int64_t place(void) const {
        return at;
    }
    inline bool before(const gn_wide &other) const {
        return bits < other.bits || (bits == other.bits && at < other.at);
    }
};

/* The index of the first entry in [low, high) whose key is at least `key`, or `high`. */
template <class ENTRY>
static inline int64_t gn_lower_bound(const ENTRY *sorted, int64_t low, int64_t high, uint64_t key) {
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (sorted[middle].key() < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
