/* Rows held in the registers of a team, so that memory is read only once. */
#pragma once

#include "number.cuh"
#include "team.cuh"

#define VECTOR (16 / (int)sizeof(gn_storage))
typedef gn_lanes<gn_storage, VECTOR> gn_vector;

static inline gn_storage &element_of(char *at, int64_t place, int64_t step) {
    return *(gn_storage *)(at + place * step);
}

/* The HELD elements of a row that one thread holds: VECTOR adjacent ones, then VECTOR more at a distance of THREADS *
 * VECTOR, and so on. `is_dense`: vectors can be read and written with one access. */
template <int THREADS, int HELD> struct gn_held {
    gn_compute each[HELD];

    /* Calls `function(place, value)` for each element of the thread. */
    template <class FUNCTION> inline void each_of(char *, int64_t length, FUNCTION function) {
#pragma unroll
        for (int i = 0; i < HELD; i++) {
            if (place(i) < length) {
                function(place(i), each[i]);
            }
        }
    }
    /* The same, with the corresponding element of another row as a second value. */
    template <class FUNCTION>
    inline void each_of(gn_held &other, char *, char *, int64_t length, FUNCTION function) {
#pragma unroll
        for (int i = 0; i < HELD; i++) {
            if (place(i) < length) {
                function(place(i), each[i], other.each[i]);
            }
        }
    }

    static inline int64_t place(int number) {
        return ((int64_t)(number / VECTOR) * THREADS + gn_member<THREADS>()) * VECTOR + number % VECTOR;
    }

    /* Elements past the end of the row become `otherwise`. */
    inline void read(char *at, int64_t length, int64_t step, bool is_dense, gn_compute otherwise) {
#pragma unroll
        for (int first = 0; first < HELD; first += VECTOR) {
            if (is_dense && place(first) + VECTOR <= length) {
                const gn_vector vector = *(const gn_vector *)&element_of(at, place(first), sizeof(gn_storage));
#pragma unroll
                for (int i = 0; i < VECTOR; i++) {
                    each[first + i] = gn_load(vector.each[i]);
                }
            } else {
#pragma unroll
                for (int i = 0; i < VECTOR; i++) {
                    const int64_t here = place(first + i);
                    each[first + i] = here < length ? gn_load(element_of(at, here, step)) : otherwise;
                }
            }
        }
    }

    inline void write(char *at, int64_t length, int64_t step, bool is_dense) const {
#pragma unroll
        for (int first = 0; first < HELD; first += VECTOR) {
            if (is_dense && place(first) + VECTOR <= length) {
                gn_vector vector;
#pragma unroll
                for (int i = 0; i < VECTOR; i++) {
                    vector.each[i] = gn_store(each[first + i]);
                }
                *(gn_vector *)&element_of(at, place(first), sizeof(gn_storage)) = vector;
            } else {
#pragma unroll
                for (int i = 0; i < VECTOR; i++) {
                    if (place(first + i) < length) {
                        element_of(at, place(first + i), step) = gn_store(each[first + i]);
                    }
                }
            }
        }
    }
};

/* A row too long for registers: it is read again on each pass, and changes to the values are discarded. */
template <int THREADS> struct gn_held<THREADS, 0> {
    inline void read(char *, int64_t, int64_t, bool, gn_compute) {
    }
    inline void write(char *, int64_t, int64_t, bool) const {
    }
    template <class FUNCTION> inline void each_of(char *at, int64_t length, FUNCTION function) {
        for (int64_t place = gn_member<THREADS>(); place < length; place += THREADS) {
            gn_compute value = gn_load(((const gn_storage *)at)[place]);
            function(place, value);
        }
    }
    template <class FUNCTION>
    inline void each_of(gn_held &, char *at, char *other_at, int64_t length, FUNCTION function) {
        for (int64_t place = gn_member<THREADS>(); place < length; place += THREADS) {
            gn_compute value = gn_load(((const gn_storage *)at)[place]);
            gn_compute other = gn_load(((const gn_storage *)other_at)[place]);
            function(place, value, other);
        }
    }
};
