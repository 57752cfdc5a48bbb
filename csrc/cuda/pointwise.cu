/* Pointwise kernels, for the operations of pointwise_dtype.cuh. */
#include "kernel.cuh"

#include "../c/scalar_pointwise.h"

#define GN_TEMPLATE "../cuda/pointwise_dtype.cuh"
#include "../c/each_dtype.h"

/* For dense operands, LANES elements at a time. An input whose bit is set in `single` has one element, which is used
 * for all. *fault becomes 1 if an element is invalid. */
template <class OPERATION, int LANES>
__global__ void pointwise_dense(int64_t count, gn_places places, int32_t single, gn_numbers numbers, int32_t *fault) {
    typedef typename OPERATION::input input;
    typedef typename OPERATION::result result;
    constexpr int inputs = OPERATION::inputs;
    int faults = 0;
    const int64_t whole = count / LANES;
    for (int64_t number = gn_thread(); number < whole; number += gn_threads()) {
        gn_lanes<input, LANES> given[inputs + 1]; /* not of length 0 */
        for (int k = 0; k < inputs; k++) {
            if (single >> k & 1) {
                for (int lane = 0; lane < LANES; lane++) {
                    given[k].each[lane] = *(const input *)places.at[k + 1];
                }
            } else {
                given[k] = ((const gn_lanes<input, LANES> *)places.at[k + 1])[number];
            }
        }
        gn_lanes<result, LANES> found;
        for (int lane = 0; lane < LANES; lane++) {
            input element[inputs + 1];
            for (int k = 0; k < inputs; k++) {
                element[k] = given[k].each[lane];
            }
            found.each[lane] = OPERATION::of(&numbers, element, &faults);
        }
        ((gn_lanes<result, LANES> *)places.at[0])[number] = found;
    }
    for (int64_t number = whole * LANES + gn_thread(); number < count; number += gn_threads()) {
        input element[inputs + 1];
        for (int k = 0; k < inputs; k++) {
            element[k] = ((const input *)places.at[k + 1])[single >> k & 1 ? 0 : number];
        }
        ((result *)places.at[0])[number] = OPERATION::of(&numbers, element, &faults);
    }
    if (faults) {
        *fault = 1;
    }
}

/* For operands of any strides. */
template <class OPERATION, class INDEX, int DIMS>
__global__ void pointwise_strided(int64_t count, gn_places places, gn_shape<DIMS> shape, gn_numbers numbers,
                                  int32_t *fault) {
    typedef typename OPERATION::input input;
    constexpr int inputs = OPERATION::inputs;
    int faults = 0;
    for (int64_t number = gn_thread(); number < count; number += gn_threads()) {
        gn_places here = places;
        gn_move<INDEX>(&here, shape, (INDEX)number, inputs + 1);
        input element[inputs + 1];
        for (int k = 0; k < inputs; k++) {
            element[k] = *(const input *)here.at[k + 1];
        }
        *(typename OPERATION::result *)here.at[0] = OPERATION::of(&numbers, element, &faults);
    }
    if (faults) {
        *fault = 1;
    }
}

/* An element of `a` if the condition is true, else of `b`. `places` are those of the output, the condition, a and b. T
 * is an unsigned integer of the elements' size, or gn_uint128. */
template <class T>
__global__ void where_dense(int64_t count, gn_places places, int32_t single) {
    for (int64_t number = gn_thread(); number < count; number += gn_threads()) {
        const int chosen = ((const uint8_t *)places.at[1])[single & 1 ? 0 : number] ? 2 : 3;
        ((T *)places.at[0])[number] = ((const T *)places.at[chosen])[single >> (chosen - 1) & 1 ? 0 : number];
    }
}

template <class T, class INDEX, int DIMS>
__global__ void where_strided(int64_t count, gn_places places, gn_shape<DIMS> shape) {
    for (int64_t number = gn_thread(); number < count; number += gn_threads()) {
        gn_places here = places;
        gn_move<INDEX>(&here, shape, (INDEX)number, 4);
        *(T *)here.at[0] = *(const T *)here.at[*(const uint8_t *)here.at[1] ? 2 : 3];
    }
}
