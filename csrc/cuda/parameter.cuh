/* Weights, biases and statistics: vectors of any floating point dtype. For half precision operands they may have a
 * wider dtype than the other operands. */
#pragma once

#include "number.cuh"

struct gn_parameter {
    char *at;
    int64_t dtype;

    inline double exactly(int64_t place) const {
        switch (dtype) {
        case GN_FLOAT64:
            return ((const double *)at)[place];
        case GN_FLOAT32:
            return (double)((const float *)at)[place];
        case GN_FLOAT16:
            return (double)gn_from_float16(((const uint16_t *)at)[place]);
        default:
            return (double)gn_from_bfloat16(((const uint16_t *)at)[place]);
        }
    }
    /* The same, or 0 if there is no parameter. */
    inline double exactly_or_0(int64_t place) const {
        return at == nullptr ? 0 : exactly(place);
    }
    /* As gn_compute, for a parameter whose dtype is known to be that of gn_storage or float32: faster than of_any in
     * inner loops. */
    inline gn_compute get(int64_t place) const {
        return dtype == GN_CUDA_CODE ? gn_load(((const gn_storage *)at)[place])
                                     : (gn_compute)((const float *)at)[place];
    }
    /* An element of any dtype, as gn_compute. */
    inline gn_compute of_any(int64_t place) const {
        return dtype == GN_CUDA_CODE ? gn_load(((const gn_storage *)at)[place]) : (gn_compute)exactly(place);
    }
    inline void set(int64_t place, double value) const {
        switch (dtype) {
        case GN_FLOAT64:
            ((double *)at)[place] = value;
            break;
        case GN_FLOAT32:
            ((float *)at)[place] = (float)value;
            break;
        case GN_FLOAT16:
            ((uint16_t *)at)[place] = gn_to_float16((float)value);
            break;
        default:
            ((uint16_t *)at)[place] = gn_to_bfloat16((float)value);
        }
    }
};
