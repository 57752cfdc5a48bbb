/* What this machine can do, measured without any library: bytes copied a second, float32 multiply-adds a
   second, by all threads.  Prints the latter, a sum so that nothing is left out, and then for each size the
   bytes read and written, and how many of them a second. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#define MOST ((size_t)256 << 20) /* more than caches hold */
#define CHAINS 12 /* independent, so that a processor's multiply-adders are all at work */
#if defined(__AVX512F__) /* one register a chain: with more of them, the numbers would be kept in memory */
#define LANES 16
#elif defined(__AVX__)
#define LANES 8
#else
#define LANES 4
#endif

typedef float vector __attribute__((vector_size(4 * LANES)));

/* Copies, multiples of 64 bytes, past the caches: what is written need not be read before. */
static void stream(char *to, const char *from, size_t bytes) {
#ifdef __SSE2__
    for (size_t at = 0; at < bytes; at += 64) {
        for (size_t part = 0; part < 64; part += 16) {
            __m128i number = _mm_load_si128((const __m128i *)(from + at + part));
            _mm_stream_si128((__m128i *)(to + at + part), number);
        }
    }
    _mm_sfence();
#else
    memcpy(to, from, bytes);
#endif
}

static void copy(char *to, const char *from, size_t bytes) {
    memcpy(to, from, bytes);
}

/* Bytes read and written a second, copying so many bytes again and again. */
static double copy_rate(char *to, const char *from, size_t bytes, void (*by)(char *, const char *, size_t)) {
    size_t times = (MOST / 4) / bytes + 1;
    double best = 0;
    for (int round = 0; round < 7; round++) {
        double began = omp_get_wtime();
#pragma omp parallel
        {
            size_t each = bytes / (size_t)omp_get_num_threads() / 64 * 64, start = each * (size_t)omp_get_thread_num();
            for (size_t time = 0; time < times; time++) {
                by(to + start, from + start, each);
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
        double plain = copy_rate(to, from, bytes, copy), streamed = copy_rate(to, from, bytes, stream);
        printf(" %zu %.6g", 2 * bytes, plain > streamed ? plain : streamed);
    }
    printf("\n");
    free(from);
    free(to);
    return 0;
}
