/* What this machine can do, measured without any library: bytes copied a second, float32 multiply-adds a
   second, by all threads.  Prints the latter, a sum so that nothing is left out, and then for each size the
   bytes read and written, and how many of them a second. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST ((size_t)256 << 20) /* more than caches hold */
#define LANES 16
#define CHAINS 12 /* independent, so that a processor's multiply-adders are all at work */

typedef float vector __attribute__((vector_size(4 * LANES)));

/* Bytes read and written a second, copying so many bytes again and again. */
static double copy_rate(char *to, const char *from, size_t bytes) {
    size_t times = (MOST / 4) / bytes + 1;
    double best = 0;
    for (int round = 0; round < 7; round++) {
        double began = omp_get_wtime();
#pragma omp parallel
        {
            size_t each = bytes / (size_t)omp_get_num_threads(), start = each * (size_t)omp_get_thread_num();
            for (size_t time = 0; time < times; time++) {
                memcpy(to + start, from + start, each);
                __asm__ volatile("" ::: "memory"); /* so that no copy is left out */
            }
        }
        double rate = 2.0 * (double)bytes * (double)times / (omp_get_wtime() - began);
        best = rate > best ? rate : best;
    }
    return best;
}

static double fused_rate(double *sum) {
    enum { TIMES = 2000000 };
    double best = 0;
    for (int round = 0; round < 5; round++) {
        double began = omp_get_wtime(), total = 0;
#pragma omp parallel reduction(+ : total)
        {
            vector sums[CHAINS], factor, added;
            for (int lane = 0; lane < LANES; lane++) {
                factor[lane] = 0.999f;
                added[lane] = 0.001f + (float)round;
            }
            for (int chain = 0; chain < CHAINS; chain++) {
                sums[chain] = factor * (float)(chain + 1);
            }
            for (int time = 0; time < TIMES; time++) {
                for (int chain = 0; chain < CHAINS; chain++) {
                    sums[chain] = sums[chain] * factor + added;
                }
            }
            for (int chain = 0; chain < CHAINS; chain++) {
                for (int lane = 0; lane < LANES; lane++) {
                    total += sums[chain][lane];
                }
            }
        }
        double each = 2.0 * TIMES * CHAINS * LANES * omp_get_max_threads();
        double rate = each / (omp_get_wtime() - began);
        best = rate > best ? rate : best;
        *sum += total;
    }
    return best;
}

int main(void) {
    char *from = aligned_alloc(4096, MOST), *to = aligned_alloc(4096, MOST);
    double sum = 0, fused = fused_rate(&sum);
    if (from == NULL || to == NULL) {
        return 1;
    }
#pragma omp parallel for
    for (size_t page = 0; page < MOST / 4096; page++) { /* each thread's pages are near it */
        memset(from + page * 4096, 1, 4096);
        memset(to + page * 4096, 2, 4096);
    }
    printf("%.6g %g", fused, sum);
    for (size_t bytes = (size_t)1 << 13; bytes < 2 * MOST; bytes *= 4) {
        printf(" %zu %.6g", 2 * bytes, copy_rate(to, from, bytes));
    }
    printf("\n");
    free(from);
    free(to);
    return 0;
}
