/* Calls of LAPACK for matrices of one dtype. */

#if CODE == GN_FLOAT32 || CODE == GN_FLOAT64 || IS_COMPLEX

#if IS_COMPLEX
#define CONJUGATE(x) ((COMPUTE)conj(x))
#define REAL_OF(x) ((MAGNITUDE)creal(x))
#define PARTS 2
#else
#define CONJUGATE(x) (x)
#define REAL_OF(x) (x)
#define PARTS 1
#endif

/* Whether adjacent numbers are all finite, by their exponents: such a loop vectorizes. */
static int NAME(all_finite)(const COMPUTE *at, int64_t count) {
    const MAGNITUDE *numbers = (const MAGNITUDE *)at;
    int32_t found = 0;
    for (int64_t i = 0; i < PARTS * count; i++) {
#if CODE == GN_FLOAT32 || CODE == GN_COMPLEX64
        uint32_t bits;
        memcpy(&bits, numbers + i, sizeof bits);
        found |= (bits & 0x7f800000u) == 0x7f800000u;
#else
        uint64_t bits;
        memcpy(&bits, numbers + i, sizeof bits);
        found |= (bits & 0x7ff0000000000000u) == 0x7ff0000000000000u;
#endif
    }
    return !found;
}

int NAME(gn_lapack_read)(const char *from, int64_t row, int64_t column, int64_t rows, int64_t columns, int conjugated,
                         COMPUTE *to) {
    for (int64_t j = 0; j < columns && row == (int64_t)sizeof(STORAGE); j++) {
        memcpy(to + j * rows, from + j * column, (size_t)rows * sizeof(STORAGE));
    }
    const int by_rows = row != (int64_t)sizeof(STORAGE) && column == (int64_t)sizeof(STORAGE);
    if (by_rows) {
        gn_transpose(sizeof(STORAGE), columns, rows, from, row, (char *)to, rows * (int64_t)sizeof(STORAGE));
    }
    for (int64_t first = 0; first < rows && row != (int64_t)sizeof(STORAGE) && !by_rows; first += TILE) {
        const int64_t last = gn_min(first + TILE, rows);
        for (int64_t j = 0; j < columns; j++) {
            for (int64_t i = first; i < last; i++) {
                to[j * rows + i] = *(const STORAGE *)(from + i * row + j * column);
            }
        }
    }
    for (int64_t i = 0; i < rows * columns && IS_COMPLEX && conjugated; i++) {
        to[i] = CONJUGATE(to[i]);
    }
    return NAME(all_finite)(to, rows * columns);
}

void NAME(gn_lapack_write)(char *to, int64_t row, int64_t column, int64_t rows, int64_t columns, int conjugated,
                           const COMPUTE *from) {
    for (int64_t j = 0; j < columns && row == (int64_t)sizeof(STORAGE) && !conjugated; j++) {
        memcpy(to + j * column, from + j * rows, (size_t)rows * sizeof(STORAGE));
    }
    if (row == (int64_t)sizeof(STORAGE) && !conjugated) {
        return;
    }
    const int64_t tile = row == (int64_t)sizeof(STORAGE) ? rows : TILE;
    for (int64_t first = 0; first < rows; first += tile) {
        const int64_t last = gn_min(first + tile, rows);
        for (int64_t j = 0; j < columns; j++) {
            for (int64_t i = first; i < last; i++) {
                const COMPUTE x = from[j * rows + i];
                *(STORAGE *)(to + i * row + j * column) = conjugated ? CONJUGATE(x) : x;
            }
        }
    }
}

/* The size that a routine has returned as the first number of its workspace; float32 may have rounded it. */
static int32_t NAME(size_of)(COMPUTE answer) {
    return (int32_t)((double)REAL_OF(answer) * (1 + 0x1p-22)) + 1;
}

int32_t NAME(gn_lapack_triangulate)(COMPUTE *a, int64_t rows, int64_t columns, COMPUTE *taus) {
    geqrf *const call = (geqrf *)find_routine(GN_GEQRF, CODE);
    const int32_t m = (int32_t)rows, n = (int32_t)columns;
    int32_t info = 0, size = -1;
    COMPUTE answer = 0;
    call(&m, &n, a, &m, taus, &answer, &size, &info);
    size = NAME(size_of)(answer);
    COMPUTE *work = gn_take_items(size, sizeof(COMPUTE));
    if (work == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    call(&m, &n, a, &m, taus, work, &size, &info);
    gn_give(work);
    return GN_OK;
}

int32_t NAME(gn_lapack_multiply)(COMPUTE *a, int64_t rows, int64_t columns, int64_t count, const COMPUTE *taus) {
    orgqr *const call = (orgqr *)find_routine(GN_ORGQR, CODE);
    const int32_t m = (int32_t)rows, n = (int32_t)columns, k = (int32_t)count;
    int32_t info = 0, size = -1;
    COMPUTE answer = 0;
    call(&m, &n, &k, a, &m, taus, &answer, &size, &info);
    size = NAME(size_of)(answer);
    COMPUTE *work = gn_take_items(size, sizeof(COMPUTE));
    if (work == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    call(&m, &n, &k, a, &m, taus, work, &size, &info);
    gn_give(work);
    return GN_OK;
}

/* Memory for a routine's numbers, its real numbers if it is a complex one, and its integers. */
typedef struct NAME(workspace) {
    COMPUTE *work;
    MAGNITUDE *rwork;
    int32_t *iwork;
} NAME(workspace);

static int32_t NAME(take_workspace)(NAME(workspace) *made, int64_t numbers, int64_t reals, int64_t integers) {
    const int64_t nbytes =
        gn_checked(numbers, sizeof(COMPUTE)) + gn_checked(reals, sizeof(MAGNITUDE)) + gn_checked(integers, 4);
    made->work = gn_take(nbytes);
    if (made->work == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    made->rwork = (MAGNITUDE *)(made->work + numbers);
    made->iwork = (int32_t *)(made->rwork + reals);
    return GN_OK;
}

#if IS_COMPLEX
int32_t NAME(gn_lapack_eigh)(COMPUTE *a, int64_t count, int lower, int with_vectors, MAGNITUDE *values) {
    heevd *const call = (heevd *)find_routine(GN_EIGH, CODE);
    const char job = with_vectors ? 'V' : 'N', uplo = lower ? 'L' : 'U';
    const int32_t n = (int32_t)count;
    int32_t info = 0, size = -1, reals = -1, integers = -1, answer_integers = 0;
    COMPUTE answer = 0;
    MAGNITUDE answer_reals = 0;
    NAME(workspace) memory;
    call(&job, &uplo, &n, a, &n, values, &answer, &size, &answer_reals, &reals, &answer_integers, &integers, &info, 1,
         1);
    size = NAME(size_of)(answer);
    reals = NAME(size_of)((COMPUTE)answer_reals);
    integers = answer_integers;
    if (NAME(take_workspace)(&memory, size, reals, integers) != GN_OK) {
        return GN_OUT_OF_MEMORY;
    }
    call(&job, &uplo, &n, a, &n, values, memory.work, &size, memory.rwork, &reals, memory.iwork, &integers, &info, 1,
         1);
    gn_give(memory.work);
    return info == 0 ? GN_OK : GN_NOT_IMPLEMENTED;
}
#else
int32_t NAME(gn_lapack_tridiagonal)(COMPUTE *values, COMPUTE *beside, int64_t count, COMPUTE *vectors, int64_t step) {
    stedc *const call = (stedc *)find_routine(GN_EIGH, CODE);
    const int32_t n = (int32_t)count, ldz = (int32_t)step, size = 1 + (4 + n) * n, integers = 3 + 5 * n;
    int32_t info = 0;
    NAME(workspace) memory;
    if (NAME(take_workspace)(&memory, size, 0, integers) != GN_OK) {
        return GN_OUT_OF_MEMORY;
    }
    call("I", &n, values, beside, vectors, &ldz, memory.work, &size, memory.iwork, &integers, &info, 1);
    gn_give(memory.work);
    return info == 0 ? GN_OK : GN_NOT_IMPLEMENTED;
}
#endif

int32_t NAME(gn_lapack_svd)(COMPUTE *a, int64_t rows, int64_t columns, char job, MAGNITUDE *values, COMPUTE *u,
                            COMPUTE *vh) {
    const int32_t m = (int32_t)rows, n = (int32_t)columns, few = m < n ? m : n;
    const int32_t rows_of_vh = job == 'S' ? few : n;
    int32_t info = 0, size = -1, answer_integers = 0;
    COMPUTE answer = 0;
    NAME(workspace) memory;
#if IS_COMPLEX
    complex_gesdd *const call = (complex_gesdd *)find_routine(GN_GESDD, CODE);
    MAGNITUDE answer_reals = 0;
    const int64_t less = few, more = gn_max(rows, columns);
    const int64_t reals =
        job == 'N' ? 7 * less : gn_max(5 * less * less + 5 * less, 2 * more * less + 2 * less * less + less);
    call(&job, &m, &n, a, &m, values, u, &m, vh, &rows_of_vh, &answer, &size, &answer_reals, &answer_integers, &info,
         1);
#else
    real_gesdd *const call = (real_gesdd *)find_routine(GN_GESDD, CODE);
    const int64_t reals = 0;
    call(&job, &m, &n, a, &m, values, u, &m, vh, &rows_of_vh, &answer, &size, &answer_integers, &info, 1);
#endif
    size = NAME(size_of)(answer);
    if (NAME(take_workspace)(&memory, size, reals, 8 * (int64_t)few) != GN_OK) {
        return GN_OUT_OF_MEMORY;
    }
#if IS_COMPLEX
    call(&job, &m, &n, a, &m, values, u, &m, vh, &rows_of_vh, memory.work, &size, memory.rwork, memory.iwork, &info, 1);
#else
    call(&job, &m, &n, a, &m, values, u, &m, vh, &rows_of_vh, memory.work, &size, memory.iwork, &info, 1);
#endif
    gn_give(memory.work);
    return info == 0 ? GN_OK : GN_NOT_IMPLEMENTED;
}

int32_t NAME(gn_lapack_eig)(COMPUTE *a, int64_t count, COMPUTE *values, COMPUTE *vectors) {
    const int32_t n = (int32_t)count;
    const char job = vectors != NULL ? 'V' : 'N';
    int32_t info = 0, size = -1;
    COMPUTE answer = 0, none = 0;
    NAME(workspace) memory;
#if IS_COMPLEX
    complex_geev *const call = (complex_geev *)find_routine(GN_GEEV, CODE);
    MAGNITUDE answer_reals = 0;
    const int64_t reals = 2 * count;
    call("N", &job, &n, a, &n, values, &none, &n, vectors, &n, &answer, &size, &answer_reals, &info, 1, 1);
#else
    real_geev *const call = (real_geev *)find_routine(GN_GEEV, CODE);
    const int64_t reals = 0;
    call("N", &job, &n, a, &n, values, values + count, &none, &n, vectors, &n, &answer, &size, &info, 1, 1);
#endif
    size = NAME(size_of)(answer);
    if (NAME(take_workspace)(&memory, size, reals, 0) != GN_OK) {
        return GN_OUT_OF_MEMORY;
    }
#if IS_COMPLEX
    call("N", &job, &n, a, &n, values, &none, &n, vectors, &n, memory.work, &size, memory.rwork, &info, 1, 1);
#else
    call("N", &job, &n, a, &n, values, values + count, &none, &n, vectors, &n, memory.work, &size, &info, 1, 1);
#endif
    gn_give(memory.work);
    return info == 0 ? GN_OK : GN_NOT_IMPLEMENTED;
}

#undef CONJUGATE
#undef REAL_OF
#undef PARTS

#endif
