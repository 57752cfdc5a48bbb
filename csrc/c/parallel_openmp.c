/* gn_parallel_for by OpenMP, if the compiler supports it: a parallel region per job, with as many threads as parts. All
 * threads wait for the last one at its end. */
#include "parallel.h"

#if GN_HAS_THREADS
#ifdef _OPENMP
#include <omp.h>

int32_t gn_openmp_default_threads(void) {
    return omp_get_max_threads();
}

void gn_run_openmp(const gn_job *of) {
#pragma omp parallel num_threads((int)of->parts)
    {
        /* there may be fewer threads than were asked for: OMP_THREAD_LIMIT, or a parallel region of the program's own */
        const int64_t threads = omp_get_num_threads();
        for (int64_t part = omp_get_thread_num(); part < of->parts; part += threads) {
            gn_do_part(of, part);
        }
    }
}
#else
int32_t gn_openmp_default_threads(void) {
    return 0;
}

void gn_run_openmp(const gn_job *of) { /* never called: gn_set_parallel does not choose it */
    for (int64_t part = 0; part < of->parts; part++) {
        gn_do_part(of, part);
    }
}
#endif
#endif
