/* CUDA's functions for device code: barriers, warps, atomics, bits, arithmetic.  Part of emulation.h. */
#ifndef GN_EMULATION_BUILTINS_H
#define GN_EMULATION_BUILTINS_H

/* CUDA's vector types: accesses of 16 bytes require their alignment. */
#define GN_VECTOR2(T, name, alignment)                                                               \
    struct alignas(alignment) name { T x, y; };                                                      \
    inline name make_##name(T x, T y) { return {x, y}; }
#define GN_VECTOR4(T, name, alignment)                                                               \
    struct alignas(alignment) name { T x, y, z, w; };                                                \
    inline name make_##name(T x, T y, T z, T w) { return {x, y, z, w}; }
GN_VECTOR2(signed char, char2, 2)
GN_VECTOR2(unsigned char, uchar2, 2)
GN_VECTOR2(short, short2, 4)
GN_VECTOR2(unsigned short, ushort2, 4)
GN_VECTOR2(int, int2, 8)
GN_VECTOR2(unsigned int, uint2, 8)
GN_VECTOR2(float, float2, 8)
GN_VECTOR2(long long, longlong2, 16)
GN_VECTOR2(unsigned long long, ulonglong2, 16)
GN_VECTOR2(double, double2, 16)
GN_VECTOR4(signed char, char4, 4)
GN_VECTOR4(unsigned char, uchar4, 4)
GN_VECTOR4(short, short4, 8)
GN_VECTOR4(unsigned short, ushort4, 8)
GN_VECTOR4(int, int4, 16)
GN_VECTOR4(unsigned int, uint4, 16)
GN_VECTOR4(float, float4, 16)
#undef GN_VECTOR2
#undef GN_VECTOR4

/* ---- barriers ----------------------------------------------------------------------------------------- */

/* The caller's line is a default argument: threads that wait at different barriers are a fault. */
inline void __syncthreads(int line = __builtin_LINE()) {
    gn_emulation::block_barrier(line);
}

inline void __syncwarp(unsigned int mask = 0xffffffffu, int line = __builtin_LINE()) {
    gn_emulation::warp_operation(GN_WARP_MEET, mask, 0, 0, line);
}

/* One thread runs at a time, in program order, so all writes are visible. */
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}

/* ---- warps -------------------------------------------------------------------------------------------- */

template <class T>
inline T __shfl_sync(unsigned int mask, T value, int source, int width = 32, int line = __builtin_LINE()) {
    const uint32_t lane = gn_emulation::lane();
    const uint32_t last = uint32_t(width) - 1;
    return gn_emulation::shuffle(mask, value, (lane & ~last) | (uint32_t(source) & last), line);
}

template <class T>
inline T __shfl_down_sync(unsigned int mask, T value, unsigned int delta, int width = 32,
                          int line = __builtin_LINE()) {
    const uint32_t lane = gn_emulation::lane();
    const bool inside = (lane & (uint32_t(width) - 1)) + delta < uint32_t(width);
    return gn_emulation::shuffle(mask, value, inside ? lane + delta : lane, line);
}

template <class T>
inline T __shfl_up_sync(unsigned int mask, T value, unsigned int delta, int width = 32,
                        int line = __builtin_LINE()) {
    const uint32_t lane = gn_emulation::lane();
    const bool inside = (lane & (uint32_t(width) - 1)) >= delta;
    return gn_emulation::shuffle(mask, value, inside ? lane - delta : lane, line);
}

template <class T>
inline T __shfl_xor_sync(unsigned int mask, T value, int lanes, int width = 32, int line = __builtin_LINE()) {
    const uint32_t lane = gn_emulation::lane();
    const uint32_t source = lane ^ uint32_t(lanes);
    /* A lane may read from segments before its own, but not from later ones. */
    const bool inside = source < (lane & ~(uint32_t(width) - 1)) + uint32_t(width);
    return gn_emulation::shuffle(mask, value, inside ? source : lane, line);
}

inline unsigned int __ballot_sync(unsigned int mask, int predicate, int line = __builtin_LINE()) {
    return unsigned(gn_emulation::warp_operation(GN_WARP_BALLOT, mask, predicate != 0, 0, line));
}

inline int __any_sync(unsigned int mask, int predicate, int line = __builtin_LINE()) {
    return __ballot_sync(mask, predicate, line) != 0;
}

inline int __all_sync(unsigned int mask, int predicate, int line = __builtin_LINE()) {
    return __ballot_sync(mask, !predicate, line) == 0;
}

/* ---- atomics: one thread runs at a time --------------------------------------------------------------- */

namespace gn_emulation {

/* Reports an atomic access to the checks; it races only with accesses that are not atomic. */
template <class T> inline void atomic_access(T *place) {
    (void)place;
#if defined(__SANITIZE_THREAD__)
    machine->access(reinterpret_cast<uintptr_t>(place), sizeof(T), GN_ACCESS_ATOMIC);
#endif
}

template <class T> struct Same {
    using type = T;
};
template <class T> using same = typename Same<T>::type;

}  // namespace gn_emulation

#define GN_ATOMIC(name, result)                                                                      \
    template <class T> GN_UNCHECKED inline T name(T *place, gn_emulation::same<T> value) {           \
        gn_emulation::atomic_access(place);                                                          \
        const T old = *place;                                                                        \
        *place = T(result);                                                                          \
        return old;                                                                                  \
    }
GN_ATOMIC(atomicAdd, old + value)
GN_ATOMIC(atomicSub, old - value)
GN_ATOMIC(atomicMax, old < value ? value : old)
GN_ATOMIC(atomicMin, value < old ? value : old)
GN_ATOMIC(atomicAnd, old & value)
GN_ATOMIC(atomicOr, old | value)
GN_ATOMIC(atomicXor, old ^ value)
GN_ATOMIC(atomicExch, value)
GN_ATOMIC(atomicInc, old >= value ? T(0) : T(old + 1))
GN_ATOMIC(atomicDec, old == T(0) || old > value ? value : T(old - 1))
#undef GN_ATOMIC

/* Compares bits, as the device does: a NaN equals itself. */
template <class T>
GN_UNCHECKED inline T atomicCAS(T *place, gn_emulation::same<T> compare, gn_emulation::same<T> value) {
    gn_emulation::atomic_access(place);
    const T old = *place;
    if (memcmp(&old, &compare, sizeof old) == 0) *place = value;
    return old;
}

template <class T> inline T __ldg(const T *place) {
    return *place;
}
template <class T> inline T __ldcs(const T *place) {
    return *place;
}
template <class T> inline void __stcs(T *place, gn_emulation::same<T> value) {
    *place = value;
}

/* ---- bits --------------------------------------------------------------------------------------------- */

inline int __popc(unsigned int value) { return __builtin_popcount(value); }
inline int __popcll(unsigned long long value) { return __builtin_popcountll(value); }
inline int __ffs(int value) { return __builtin_ffs(value); }
inline int __ffsll(long long value) { return __builtin_ffsll(value); }
inline int __clz(int value) { return value == 0 ? 32 : __builtin_clz(unsigned(value)); }
inline int __clzll(long long value) { return value == 0 ? 64 : __builtin_clzll((unsigned long long)value); }

inline unsigned int __brev(unsigned int value) {
    unsigned int reversed = 0;
    for (int bit = 0; bit < 32; bit++) reversed |= (value >> bit & 1u) << (31 - bit);
    return reversed;
}

inline unsigned int __umulhi(unsigned int a, unsigned int b) { return unsigned((uint64_t(a) * b) >> 32); }
inline int __mulhi(int a, int b) { return int((int64_t(a) * b) >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((static_cast<unsigned __int128>(a) * b) >> 64);
}
inline long long __mul64hi(long long a, long long b) {
    return (long long)((static_cast<__int128>(a) * b) >> 64);
}

#define GN_SAME_BITS(name, From, To)                                                                 \
    inline To name(From value) { return __builtin_bit_cast(To, value); }
GN_SAME_BITS(__int_as_float, int, float)
GN_SAME_BITS(__float_as_int, float, int)
GN_SAME_BITS(__uint_as_float, unsigned int, float)
GN_SAME_BITS(__float_as_uint, float, unsigned int)
GN_SAME_BITS(__longlong_as_double, long long, double)
GN_SAME_BITS(__double_as_longlong, double, long long)
#undef GN_SAME_BITS

/* ---- arithmetic that the host's library lacks --------------------------------------------------------- */

#define GN_BOTH(T)                                                                                   \
    inline T min(T a, T b) { return b < a ? b : a; }                                                 \
    inline T max(T a, T b) { return a < b ? b : a; }
GN_BOTH(int)
GN_BOTH(unsigned int)
GN_BOTH(long)
GN_BOTH(unsigned long)
GN_BOTH(long long)
GN_BOTH(unsigned long long)
#undef GN_BOTH
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }

inline float rsqrtf(float value) { return 1.0f / sqrtf(value); }
inline double rsqrt(double value) { return 1.0 / sqrt(value); }
inline float __expf(float value) { return expf(value); }
inline float __logf(float value) { return logf(value); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fsqrt_rn(float value) { return sqrtf(value); }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsqrt_rn(double value) { return sqrt(value); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

/* Aborts the kernel, as by an assertion. */
inline void __trap() {
    gn_emulation::machine->fail(719, "the kernel called __trap()");
}

#endif
