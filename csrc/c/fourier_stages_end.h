/* Undefines the names of fourier_stages.h. */
#undef WIDE
#undef POINT
#undef POINT_SIZE
#undef ROOT
#undef PLUS
#undef MINUS
#undef TURNED
#undef SCALED
#undef ADDED
#undef GET
#undef PUT
