/* Keys of one dtype (see order.h); sort_dtype.h and select_dtype.h include this file. */

#if CODE == GN_INT64 || CODE == GN_FLOAT64
#define KEY uint64_t
#define KEY_BITS 64
#define ELEMENT gn_wide
#define ORDER(name) name##_wide
#define PLACE_OF(element) ((element).place)
#define KEY_OF(element) ((element).key)
#else
#define KEY uint32_t
#define KEY_BITS ((int32_t)(8 * sizeof(STORAGE)))
#define ELEMENT gn_packed
#define ORDER(name) name##_packed
#define PLACE_OF(element) ((int64_t)((element) & UINT32_MAX))
#define KEY_OF(element) ((uint32_t)((element) >> 32))
#endif
#define KEY_MASK ((KEY)(UINT64_MAX >> (64 - KEY_BITS)))
#define KEY_SIGN ((KEY)((KEY)1 << (KEY_BITS - 1)))

/* The key for ascending order; its complement in KEY_MASK is that for descending. */
static inline KEY NAME(key_of)(STORAGE stored) {
#if CODE == GN_BOOL || CODE == GN_UINT8
    return LOAD(stored);
#elif IS_FLOATING
#if CODE == GN_FLOAT32
    const KEY bits = gn_bits(stored);
#elif CODE == GN_FLOAT64
    KEY bits;
    memcpy(&bits, &stored, sizeof bits);
#else
    const KEY bits = stored;
#endif
#if CODE == GN_FLOAT16
    const KEY infinity = 0x7c00;
#elif CODE == GN_BFLOAT16
    const KEY infinity = 0x7f80;
#elif CODE == GN_FLOAT32
    const KEY infinity = 0x7f800000;
#else
    const KEY infinity = 0x7ff0000000000000;
#endif
    const KEY magnitude = bits & (KEY)~KEY_SIGN;
    const KEY negative = (KEY)(0 - (bits >> (KEY_BITS - 1)));
    const KEY ordered = (bits ^ (negative | KEY_SIGN)) & KEY_MASK;
    const KEY nonzero = magnitude == 0 ? KEY_SIGN : ordered;
    return magnitude > infinity ? KEY_MASK : nonzero;
#else
    return ((KEY)stored & KEY_MASK) ^ KEY_SIGN;
#endif
}

static inline ELEMENT NAME(make_element)(KEY key, int64_t place) {
#if CODE == GN_INT64 || CODE == GN_FLOAT64
    const ELEMENT element = {key, place};
    return element;
#else
    return (uint64_t)key << 32 | (uint64_t)place;
#endif
}
