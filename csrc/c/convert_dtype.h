/* Conversions to one dtype, of all others; who includes this undefines them.  Integers wrap; a float is truncated in a register of 64 bits for int64, of 32
 * for the others, whose least value stands for what does not fit; a complex number gives its
 * real part; float64 to a half type rounds to float first, as PyTorch does. */
#if CODE == GN_BOOL
#define FROM_INTEGER(x) ((uint8_t)((x) != 0))
#define FROM_FLOAT32(x) ((uint8_t)((x) != 0))
#define FROM_FLOAT64(x) ((uint8_t)((x) != 0))
#define FROM_COMPLEX64(x) ((uint8_t)((x) != 0))
#define FROM_COMPLEX128(x) ((uint8_t)((x) != 0))
#elif IS_INTEGRAL
#define FROM_INTEGER(x) ((STORAGE)(x))
#define FROM_FLOAT32(x) ((STORAGE)gn_register(gn_truncate_float32(x), sizeof(STORAGE)))
#define FROM_FLOAT64(x) ((STORAGE)gn_register(gn_truncate_float64(x), sizeof(STORAGE)))
#define FROM_COMPLEX64(x) FROM_FLOAT32(crealf(x))
#define FROM_COMPLEX128(x) FROM_FLOAT64(creal(x))
#elif IS_FLOATING
#define FROM_INTEGER(x) STORE((COMPUTE)(x))
#define FROM_FLOAT32(x) STORE((COMPUTE)(x))
#define FROM_FLOAT64(x) STORE((COMPUTE)(x))
#define FROM_COMPLEX64(x) FROM_FLOAT32(crealf(x))
#define FROM_COMPLEX128(x) FROM_FLOAT64(creal(x))
#else
#define FROM_INTEGER(x) ((STORAGE)(MAGNITUDE)(x))
#define FROM_FLOAT32(x) ((STORAGE)(MAGNITUDE)(x))
#define FROM_FLOAT64(x) ((STORAGE)(MAGNITUDE)(x))
#define FROM_COMPLEX64(x) ((STORAGE)(x))
#define FROM_COMPLEX128(x) ((STORAGE)(x))
#endif
