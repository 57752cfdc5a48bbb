/* Calls of LAPACK: Fortran's, with pointers to all arguments, integers of 32 bits, and the lengths of strings last. */
#include "lapack.h"

#include "../library.h"
#include "transpose.h"
#include "workspace.h"

/* Sides up to which all sizes of workspaces are below 2^31. */
#define MOST_WITH_WORKSPACE 16384
/* Rows and columns that are transposed together, so that their lines stay in a cache. */
#define TILE 16

/* The least rows and columns for which LAPACK is faster than the kernel of our own, as measured with OpenBLAS. */
static const int32_t least[GN_LAPACK_ROUTINES] = {
    [GN_GEQRF] = 256, [GN_ORGQR] = 256, [GN_EIGH] = 192, [GN_GESDD] = 256, [GN_GEEV] = 128,
};

#define TYPES 4 /* float32, float64, complex64, complex128 */

typedef void any_routine(void);

static any_routine *routines[GN_LAPACK_ROUTINES * TYPES];

void gn_set_lapack(const double *addresses, int64_t count) {
    for (int64_t i = 0; i < GN_LAPACK_ROUTINES * TYPES; i++) {
        routines[i] = i < count ? (any_routine *)(uintptr_t)addresses[i] : NULL;
    }
}

static any_routine *find_routine(int routine, int32_t dtype) {
    const int type = dtype == GN_FLOAT32 ? 0 : dtype == GN_FLOAT64 ? 1 : dtype == GN_COMPLEX64 ? 2 : 3;
    return routines[routine * TYPES + type];
}

int gn_lapack_fits(int routine, int32_t dtype, int64_t rows, int64_t columns) {
    const int64_t most = routine < GN_EIGH ? INT32_MAX / 256 : MOST_WITH_WORKSPACE;
    return gn_min(rows, columns) >= least[routine] && gn_max(rows, columns) <= most
           && find_routine(routine, dtype) != NULL;
}

typedef void geqrf(const int32_t *m, const int32_t *n, void *a, const int32_t *lda, void *tau, void *work,
                   const int32_t *lwork, int32_t *info);
typedef void orgqr(const int32_t *m, const int32_t *n, const int32_t *k, void *a, const int32_t *lda, const void *tau,
                   void *work, const int32_t *lwork, int32_t *info);
typedef void stedc(const char *compz, const int32_t *n, void *d, void *e, void *z, const int32_t *ldz, void *work,
                   const int32_t *lwork, int32_t *iwork, const int32_t *liwork, int32_t *info, size_t);
typedef void heevd(const char *jobz, const char *uplo, const int32_t *n, void *a, const int32_t *lda, void *w,
                   void *work, const int32_t *lwork, void *rwork, const int32_t *lrwork, int32_t *iwork,
                   const int32_t *liwork, int32_t *info, size_t, size_t);
typedef void real_gesdd(const char *jobz, const int32_t *m, const int32_t *n, void *a, const int32_t *lda, void *s,
                        void *u, const int32_t *ldu, void *vt, const int32_t *ldvt, void *work, const int32_t *lwork,
                        int32_t *iwork, int32_t *info, size_t);
typedef void complex_gesdd(const char *jobz, const int32_t *m, const int32_t *n, void *a, const int32_t *lda, void *s,
                           void *u, const int32_t *ldu, void *vt, const int32_t *ldvt, void *work,
                           const int32_t *lwork, void *rwork, int32_t *iwork, int32_t *info, size_t);
typedef void real_geev(const char *jobvl, const char *jobvr, const int32_t *n, void *a, const int32_t *lda, void *wr,
                       void *wi, void *vl, const int32_t *ldvl, void *vr, const int32_t *ldvr, void *work,
                       const int32_t *lwork, int32_t *info, size_t, size_t);
typedef void complex_geev(const char *jobvl, const char *jobvr, const int32_t *n, void *a, const int32_t *lda, void *w,
                          void *vl, const int32_t *ldvl, void *vr, const int32_t *ldvr, void *work,
                          const int32_t *lwork, void *rwork, int32_t *info, size_t, size_t);

#define GN_TEMPLATE "lapack_dtype.h"
#include "each_dtype.h"
