/* Weighted sums for one dtype, GN_CUDA_CODE, in double precision and rounded once. */
#if CODE == GN_CUDA_CODE && IS_FRACTIONAL

#if IS_COMPLEX
typedef gn_complex128 gn_sum;
#else
typedef double gn_sum;
#endif

__global__ void sum_positions(gn_resampling work, const gn_word *table, const STORAGE *in, STORAGE *out) {
    for (int64_t i = gn_thread(); i < work.count; i += gn_threads()) {
        const gn_target target = target_of(work, i);
        int64_t begin[SPATIAL], end[SPATIAL];
        for (int dim = 0; dim < SPATIAL; dim++) {
            begin[dim] = table[work.starts[dim] + target.at[dim]].place;
            end[dim] = table[work.starts[dim] + target.at[dim] + 1].place;
        }
        gn_sum sum = 0;
        bool is_first = true; /* begins with the first term, which preserves the sign of zero */
        for (int64_t z = begin[0]; z < end[0]; z++) {
            const double of_z = table[work.weights[0] + z].weight;
            const int64_t from_z = target.from + table[work.places[0] + z].place * work.in_strides[2];
            for (int64_t y = begin[1]; y < end[1]; y++) {
                const double of_y = of_z * table[work.weights[1] + y].weight;
                const int64_t from_y = from_z + table[work.places[1] + y].place * work.in_strides[3];
                for (int64_t x = begin[2]; x < end[2]; x++) {
                    const double weight = of_y * table[work.weights[2] + x].weight;
                    const int64_t from = from_y + table[work.places[2] + x].place * work.in_strides[4];
                    const gn_sum term = (gn_sum)LOAD(in[from]) * weight;
                    sum = is_first ? term : sum + term;
                    is_first = false;
                }
            }
        }
        out[target.to] = STORE((COMPUTE)sum);
    }
}

#endif
