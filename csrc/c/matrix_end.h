/* Undefines the macros of matrix_dtype.h. */

#undef CONJUGATE
#undef REAL_OF
#undef IMAGINARY_OF
#undef WIDE
