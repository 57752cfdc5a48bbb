/* The entry points for calls from Python: addresses as doubles, allocation of the output, the GIL. */
#include "element.h"
#include "kernel.h"
#include "limited.h"
#include "workspace.h"

/* Give up the GIL and take it again; in the file that includes Python.h (cffi_build/gnomon_c_build.py). */
void *gn_release_gil(void);
void gn_acquire_gil(void *state);

/* Up to so many pointers of a call's tensors are on the stack; longer lists are allocated. */
#define STACK_POINTERS 64

/* Runs the kernel, without the GIL if that pays off. Returns the kernel's status. */
static int32_t run(const gn_call *call, void *const *data) {
    if (call->work > GN_GIL_WORK) {
        void *state = gn_release_gil();
        const int32_t status = call->kernel(call, data);
        gn_acquire_gil(state);
        return status;
    }
    return call->kernel(call, data);
}

/* Allocates data[0], which the caller in Python then owns, and runs. Returns its address, 0 or -status. */
static double allocate_and_run(const gn_call *call, void **data) {
    data[0] = gn_take(call->output_nbytes);
    if (GN_UNLIKELY(data[0] == NULL)) {
        return 0;
    }
    const int32_t status = run(call, data);
    if (GN_UNLIKELY(status != GN_OK)) {
        gn_give(data[0]);
        return -status;
    }
    return gn_address(data[0]);
}

double gn_call0(double call) {
    void *data[] = {NULL};
    return allocate_and_run(gn_pointer(call), data);
}

double gn_call1(double call, double a) {
    void *data[] = {NULL, gn_pointer(a)};
    return allocate_and_run(gn_pointer(call), data);
}

double gn_call2(double call, double a, double b) {
    void *data[] = {NULL, gn_pointer(a), gn_pointer(b)};
    return allocate_and_run(gn_pointer(call), data);
}

double gn_call3(double call, double a, double b, double c) {
    void *data[] = {NULL, gn_pointer(a), gn_pointer(b), gn_pointer(c)};
    return allocate_and_run(gn_pointer(call), data);
}

/* A number as an element of `dtype`, by C's conversion; integers wrap. */
static element convert_number(double number, int32_t dtype) {
    element made;
    memset(&made, 0, sizeof made);
    const int fits = number >= -0x1p63 && number < 0x1p63;
    const int64_t integer = fits ? (int64_t)number : INT64_MIN;
    switch (dtype) {
    case GN_BOOL: made.uint8 = number != 0; break;
    case GN_UINT8: made.uint8 = (uint8_t)integer; break;
    case GN_INT8: made.int8 = (int8_t)integer; break;
    case GN_INT16: made.int16 = (int16_t)integer; break;
    case GN_INT32: made.int32 = (int32_t)integer; break;
    case GN_INT64: made.int64 = integer; break;
    case GN_FLOAT16: made.half = gn_to_float16((float)number); break;
    case GN_BFLOAT16: made.half = gn_to_bfloat16((float)number); break;
    case GN_FLOAT8_E4M3FN:
    case GN_FLOAT8_E5M2: made.uint8 = gn_to_float8((float)number, dtype); break;
    case GN_COMPLEX32: made.half = gn_to_float16((float)number); break;
    case GN_FLOAT32:
    case GN_COMPLEX64: made.float32[0] = (float)number; break;
    default: made.float64[0] = number; break;
    }
    return made;
}

double gn_call1_number(double call, double a, double number) {
    const gn_call *prepared = gn_pointer(call);
    element last = convert_number(number, prepared->tensors[2].dtype);
    void *data[] = {NULL, gn_pointer(a), &last};
    return allocate_and_run(prepared, data);
}

double gn_call2_number(double call, double a, double b, double number) {
    const gn_call *prepared = gn_pointer(call);
    element last = convert_number(number, prepared->tensors[3].dtype);
    void *data[] = {NULL, gn_pointer(a), gn_pointer(b), &last};
    return allocate_and_run(prepared, data);
}

int32_t gn_run(double call, const double *data) {
    const gn_call *prepared = gn_pointer(call);
    void *few[STACK_POINTERS];
    void **pointers = few;
    few[0] = NULL;
    if (prepared->tensor_count > STACK_POINTERS) {
        pointers = gn_take_items(prepared->tensor_count, sizeof *pointers);
        if (pointers == NULL) {
            return GN_OUT_OF_MEMORY;
        }
    }
    for (int32_t k = 0; k < prepared->tensor_count; k++) {
        pointers[k] = gn_pointer(data[k]);
    }
    const int32_t status = run(prepared, pointers);
    if (pointers != few) {
        gn_give(pointers);
    }
    return status;
}

int32_t gn_run1(double call, double out) {
    void *data[] = {gn_pointer(out)};
    return run(gn_pointer(call), data);
}

int32_t gn_run2(double call, double out, double a) {
    void *data[] = {gn_pointer(out), gn_pointer(a)};
    return run(gn_pointer(call), data);
}

int32_t gn_run3(double call, double out, double a, double b) {
    void *data[] = {gn_pointer(out), gn_pointer(a), gn_pointer(b)};
    return run(gn_pointer(call), data);
}

int32_t gn_run2_number(double call, double out, double a, double number) {
    const gn_call *prepared = gn_pointer(call);
    element last = convert_number(number, prepared->tensors[2].dtype);
    void *data[] = {gn_pointer(out), gn_pointer(a), &last};
    return run(prepared, data);
}

/* A number as a kernel takes it. Of the numbers that are no int64, bool accepts any (all but 0 are true), and int64
 * accepts 2^63, which wraps around. */
static gn_scalar as_scalar(double number) {
    const int fits = number >= -0x1p63 && number < 0x1p63;
    return (gn_scalar){.real = number, .imag = 0, .integer = fits ? (int64_t)number : INT64_MIN};
}

double gn_call0_scalar(double call, double number) {
    const gn_scalar scalar = as_scalar(number);
    gn_call changed = *(const gn_call *)gn_pointer(call);
    changed.scalars = &scalar;
    void *data[] = {NULL};
    return allocate_and_run(&changed, data);
}

int32_t gn_run1_scalar(double call, double out, double number) {
    const gn_scalar scalar = as_scalar(number);
    gn_call changed = *(const gn_call *)gn_pointer(call);
    changed.scalars = &scalar;
    void *data[] = {gn_pointer(out)};
    return run(&changed, data);
}

/* Integers of a call with a stream: the stream's three, and those of the distribution. */
#define STREAM_INTEGERS 8

/* A copy of `call` with this stream; its integers are written to `integers`.  GN_OK, or GN_NOT_IMPLEMENTED for a
 * call that has none. */
static int32_t with_stream(gn_call *changed, double call, int64_t *integers, int64_t seed, int64_t counter) {
    *changed = *(const gn_call *)gn_pointer(call);
    const int32_t count = changed->integer_count;
    if (count < 3 || count > STREAM_INTEGERS) {
        return GN_NOT_IMPLEMENTED;
    }
    memcpy(integers, changed->integers, (size_t)count * sizeof *integers);
    integers[count - 3] = seed;
    integers[count - 2] = counter;
    integers[count - 1] = 0;
    changed->integers = integers;
    return GN_OK;
}

double gn_call0_stream(double call, int64_t seed, int64_t counter) {
    int64_t integers[STREAM_INTEGERS];
    gn_call changed;
    const int32_t status = with_stream(&changed, call, integers, seed, counter);
    void *data[] = {NULL};
    return status == GN_OK ? allocate_and_run(&changed, data) : -status;
}

int32_t gn_run1_stream(double call, double out, int64_t seed, int64_t counter) {
    int64_t integers[STREAM_INTEGERS];
    gn_call changed;
    const int32_t status = with_stream(&changed, call, integers, seed, counter);
    void *data[] = {gn_pointer(out)};
    return status == GN_OK ? run(&changed, data) : status;
}

double gn_read_real(double address, int32_t dtype) {
    const void *place = gn_pointer(address);
    switch (dtype) {
    case GN_FLOAT16: return gn_from_float16(*(const uint16_t *)place);
    case GN_BFLOAT16: return gn_from_bfloat16(*(const uint16_t *)place);
    case GN_FLOAT32: return *(const float *)place;
    default: return *(const double *)place;
    }
}

int64_t gn_read_integer(double address, int32_t dtype) {
    const void *place = gn_pointer(address);
    switch (dtype) {
    case GN_BOOL: return *(const uint8_t *)place != 0;
    case GN_UINT8: return *(const uint8_t *)place;
    case GN_INT8: return *(const int8_t *)place;
    case GN_INT16: return *(const int16_t *)place;
    case GN_INT32: return *(const int32_t *)place;
    default: return *(const int64_t *)place;
    }
}
