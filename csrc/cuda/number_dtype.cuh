/* The definitions of number.cuh for one dtype, GN_CUDA_CODE. */
#if CODE == GN_CUDA_CODE

typedef STORAGE gn_storage;
typedef COMPUTE gn_compute;
#if CODE == GN_INT64
typedef uint64_t gn_total;
#elif IS_INTEGRAL
typedef uint32_t gn_total;
#else
typedef COMPUTE gn_total;
#endif

static inline gn_compute gn_load(gn_storage stored) {
    return LOAD(stored);
}
static inline gn_storage gn_store(gn_compute value) {
    return STORE(value);
}
static inline gn_compute gn_number(const gn_numbers *call, int index) {
    return NUMBER(index);
}

#endif
