/* Undefines the names of fourier_stages.h. */
#undef WIDE
#undef POINT
#undef POINT_SIZE
#undef ROOT
#undef PLUS
#undef MINUS
#undef PLUS_TURNED
#undef MINUS_TURNED
#undef SCALED
#undef ADDED
#undef GET
#undef PUT
