/* A list of prepared calls, run as one: the pointwise operators that a list operator applies to each tensor. */
#include "element.h"
#include "kernel.h"
#include "threads.h"
#include "workspace.h"

#include "../library.h"

/* Give up the GIL and take it again; in the file that includes Python.h (cffi_build/gnomon_c_build.py). */
void *gn_release_gil(void);
void gn_acquire_gil(void *state);

/* One of the calls, with the memory of its tensors. */
typedef struct item {
    const gn_call *call;
    void *data[GN_MAX_OPERANDS];
    const gn_scalar *numbers;
    element number;
    int64_t start; /* the work of all items before */
} item;

typedef struct list {
    item *items;
    int64_t count;
    gn_status status;
} list;

/* The memory that a tensor reaches. */
typedef struct span {
    uintptr_t begin;
    uintptr_t end;
    int64_t owner; /* the number of its item */
    int is_read;
} span;

static element as_element(const gn_scalar *number, int32_t dtype) {
    element made;
    memset(&made, 0, sizeof made);
    switch (dtype) {
    case GN_BOOL: made.uint8 = number->real != 0 || number->imag != 0; break;
    case GN_UINT8: made.uint8 = (uint8_t)number->integer; break;
    case GN_INT8: made.int8 = (int8_t)number->integer; break;
    case GN_INT16: made.int16 = (int16_t)number->integer; break;
    case GN_INT32: made.int32 = (int32_t)number->integer; break;
    case GN_INT64: made.int64 = number->integer; break;
    case GN_FLOAT16: made.half = gn_to_float16((float)number->real); break;
    case GN_BFLOAT16: made.half = gn_to_bfloat16((float)number->real); break;
    case GN_FLOAT32:
    case GN_COMPLEX64:
        made.float32[0] = (float)number->real;
        made.float32[1] = (float)number->imag;
        break;
    default:
        made.float64[0] = number->real;
        made.float64[1] = number->imag;
        break;
    }
    return made;
}

static span span_of(const gn_call *call, int32_t tensor, const void *data, int64_t owner) {
    const gn_tensor *described = &call->tensors[tensor];
    uintptr_t begin = (uintptr_t)data;
    uintptr_t end = begin + (uintptr_t)gn_itemsize(described->dtype);
    for (int32_t dim = 0; dim < described->ndim; dim++) {
        const int64_t reach = (described->sizes[dim] - 1) * described->strides[dim];
        if (reach < 0) {
            begin -= (uintptr_t)-reach;
        } else {
            end += (uintptr_t)reach;
        }
    }
    return (span){begin, end, owner, tensor >= call->output_count};
}

static int lie_alike(const gn_tensor *one, const gn_tensor *other) {
    int alike = one->dtype == other->dtype;
    for (int32_t dim = 0; dim < one->ndim; dim++) {
        alike = alike && one->strides[dim] == other->strides[dim];
    }
    return alike;
}

/* Whether an input shares memory with the output without being the same elements. */
static int overlaps_itself(const item *each) {
    const gn_call *call = each->call;
    const span output = span_of(call, 0, each->data[0], 0);
    for (int32_t k = call->output_count; k < call->tensor_count; k++) {
        const span input = span_of(call, k, each->data[k], 0);
        const int is_same = each->data[k] == each->data[0] && lie_alike(&call->tensors[0], &call->tensors[k]);
        if (!is_same && input.begin < output.end && output.begin < input.end) {
            return 1;
        }
    }
    return 0;
}

/* By address; what is written before what is read. */
static int by_begin(const void *one, const void *other) {
    const span *a = one;
    const span *b = other;
    if (a->begin != b->begin) {
        return a->begin < b->begin ? -1 : 1;
    }
    return a->is_read - b->is_read;
}

/* Whether the calls may run in any order: none writes what another one reads or writes.  Sorts `spans`. */
static int are_independent(span *spans, int64_t count) {
    qsort(spans, (size_t)count, sizeof *spans, by_begin);
    span written = {0, 0, -1, 0};
    span reached = {0, 0, -1, 0};
    for (int64_t i = 0; i < count; i++) {
        const span *each = &spans[i];
        const span *before = each->is_read ? &written : &reached;
        if (each->begin < before->end && each->owner != before->owner) {
            return 0;
        }
        if (each->end > reached.end) {
            reached = *each;
        }
        if (!each->is_read && each->end > written.end) {
            written = *each;
        }
    }
    return 1;
}

static int may_run_apart(const list *of) {
    const int64_t most = of->count * GN_MAX_OPERANDS;
    span *spans = gn_take_items(most, sizeof *spans);
    if (spans == NULL) {
        return 0;
    }
    int64_t count = 0;
    for (int64_t i = 0; i < of->count; i++) {
        const item *each = &of->items[i];
        for (int32_t k = 0; k < each->call->tensor_count; k++) {
            spans[count++] = span_of(each->call, k, each->data[k], i);
        }
    }
    const int apart = are_independent(spans, count);
    gn_give(spans);
    return apart;
}

static gn_call with_numbers(const item *each) {
    gn_call call = *each->call;
    if (each->numbers != NULL && call.scalar_count > 0) {
        call.scalars = each->numbers;
    }
    return call;
}

/* The elements [begin, end) of an iteration over one dimension. */
static int32_t run_range(const item *each, int64_t begin, int64_t end) {
    gn_call call = with_numbers(each);
    gn_tensor tensors[GN_MAX_OPERANDS];
    void *data[GN_MAX_OPERANDS];
    const int64_t size = end - begin;
    for (int32_t k = 0; k < call.tensor_count; k++) {
        tensors[k] = call.tensors[k];
        tensors[k].sizes = &size;
        data[k] = (char *)each->data[k] + begin * tensors[k].strides[0];
    }
    call.tensors = tensors;
    call.work = size;
    return call.kernel(&call, data);
}

static int is_divisible(const gn_call *call) {
    return call->tensors[0].ndim == 1 && call->tensors[0].strides[0] != 0;
}

/* The part [begin, end) of the work of all items.  An item that cannot be divided runs where its work begins. */
static void run_part(int64_t begin, int64_t end, void *context) {
    list *of = context;
    int64_t i = 0;
    for (int64_t count = of->count; count > 1;) { /* the last item that starts at `begin` or before */
        const int64_t half = count / 2;
        if (of->items[i + half].start <= begin) {
            i += half;
            count -= half;
        } else {
            count = half;
        }
    }
    for (; i < of->count && of->items[i].start < end; i++) {
        const item *each = &of->items[i];
        if (is_divisible(each->call)) {
            const int64_t last = gn_min(end - each->start, each->call->work);
            gn_report(&of->status, run_range(each, gn_max(begin - each->start, 0), last));
        } else if (each->start >= begin) {
            const gn_call call = with_numbers(each);
            gn_report(&of->status, call.kernel(&call, each->data));
        }
    }
}

static int32_t run_list(list *of, int64_t work) {
    if (gn_parallel_parts(work, GN_GRAIN) > 1 && may_run_apart(of)) {
        gn_parallel_for(0, work, GN_GRAIN, run_part, of);
        return of->status;
    }
    for (int64_t i = 0; i < of->count && of->status == GN_OK; i++) {
        const gn_call call = with_numbers(&of->items[i]);
        of->status = call.kernel(&call, of->items[i].data);
    }
    return of->status;
}

int32_t gn_run_list(int64_t count, const double *calls, const double *data, const gn_scalar *numbers,
                    int64_t number_step, int32_t number_tensor) {
    list of = {gn_take_items(count, sizeof(item)), 0, GN_OK};
    if (of.items == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    int64_t work = 0;
    int overlap = 0;
    for (int64_t i = 0; i < count; i++) {
        if (calls[i] == 0) { /* without elements */
            continue;
        }
        item *each = &of.items[of.count++];
        each->call = gn_pointer(calls[i]);
        each->numbers = numbers == NULL ? NULL : numbers + i * number_step;
        each->start = work;
        for (int32_t k = 0; k < each->call->tensor_count; k++) {
            each->data[k] = gn_pointer(data[k * count + i]);
        }
        if (number_tensor >= 0) {
            each->number = as_element(&each->numbers[each->call->scalar_count],
                                      each->call->tensors[number_tensor].dtype);
            each->data[number_tensor] = &each->number;
        }
        overlap = overlap || overlaps_itself(each);
        work += each->call->work;
    }
    int32_t status = GN_NOT_IMPLEMENTED;
    if (!overlap && work > GN_GIL_WORK) {
        void *state = gn_release_gil();
        status = run_list(&of, work);
        gn_acquire_gil(state);
    } else if (!overlap) {
        status = run_list(&of, work);
    }
    gn_give(of.items);
    return status;
}
