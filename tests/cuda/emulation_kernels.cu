// Kernels for tests/cuda/test_emulation.py: right ones, and one for each fault that the emulation must see.
#include "emulation.h"

struct Mixed {
    signed char small;
    double large;
    short middle;
};

// ---- right ----------------------------------------------------------------------------------------------

template <class T> __global__ void fill(T *out, long long n, T value) {
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) out[i] = value;
}

template <class T> __global__ void add(const T *a, const T *b, T *out, long long n) {
    const long long step = gridDim.x * (long long)blockDim.x;
    const long long first = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    for (long long i = first; i < n; i += step) out[i] = a[i] + b[i];
}

__global__ void places(int *out) {
    const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int threads = blockDim.x * blockDim.y * blockDim.z;
    out[block * threads + thread] = 10000 * block + 100 * threadIdx.z + 10 * threadIdx.y + threadIdx.x;
}

__global__ void mixed(double *out, signed char first, Mixed second, float third) {
    out[0] = first;
    out[1] = second.small;
    out[2] = second.large;
    out[3] = second.middle;
    out[4] = third;
}

__global__ void copy16(const float4 *from, float4 *to) {
    to[threadIdx.x] = from[threadIdx.x];
}

template <class T> __device__ __forceinline__ T warp_sum(T value) {
    for (int lanes = 16; lanes; lanes >>= 1) value += __shfl_down_sync(0xffffffffu, value, lanes);
    return value;
}

template <class T> __global__ void block_sum(const T *in, T *out, int n) {
    __shared__ T parts[32];
    T value = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) value += in[(long long)blockIdx.x * n + i];
    value = warp_sum(value);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
        value = warp_sum(threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : T(0));
        if (threadIdx.x == 0) out[blockIdx.x] = value;
    }
}

template <int TILE> __global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    const int x = int(threadIdx.x);
    const int y = int(threadIdx.y);
    const int row = blockIdx.y * TILE + y;
    const int column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int at = 0; at < k; at += TILE) {
        left[y][x] = row < m && at + x < k ? a[row * k + at + x] : 0;
        right[y][x] = at + y < k && column < n ? b[(at + y) * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; i++) sum += left[y][i] * right[i][x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

__global__ void reverse(int *values) {
    GN_DYNAMIC_SHARED(int, kept);
    kept[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = kept[blockDim.x - 1 - threadIdx.x];
}

// Which of shuffles, votes and their kin give what: 8 numbers a thread.
__global__ void lanes(long long *out) {
    const int lane = threadIdx.x % 32;
    long long *const mine = out + 8 * threadIdx.x;
    mine[0] = __shfl_sync(0xffffffffu, 100 + lane, 5);
    mine[1] = __shfl_up_sync(0xffffffffu, 1e10 + lane, 3);
    mine[2] = __shfl_down_sync(0xffffffffu, (signed char)lane, 2, 8);
    mine[3] = __shfl_xor_sync(0xffffffffu, (short)lane, 1);
    mine[4] = __ballot_sync(0xffffffffu, lane % 3 == 0);
    mine[5] = __any_sync(0xffffffffu, lane == 7) * 10 + __any_sync(0xffffffffu, lane == 32);
    mine[6] = __all_sync(0xffffffffu, lane < 32) * 10 + __all_sync(0xffffffffu, lane != 7);
    // Halves of a warp on different ways, each with its own mask.
    if (lane < 16) {
        mine[7] = __shfl_sync(0x0000ffffu, lane, 1);
    } else {
        mine[7] = __popc(__ballot_sync(0xffff0000u, 1)) + lane;
    }
}

__global__ void atomics(const int *in, unsigned *counts, int *others, double *sum, int n) {
    __shared__ unsigned local[8];
    if (threadIdx.x < 8) local[threadIdx.x] = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&local[in[i] % 8], 1);
        atomicMax(&others[0], in[i]);
        atomicMin(&others[1], in[i]);
        atomicOr(&others[2], in[i]);
        atomicAdd(sum, 0.5);
        int old = others[3];
        int seen;
        do {
            seen = old;
            old = atomicCAS(&others[3], seen, seen + 2);
        } while (old != seen);
        if (i == 3) others[4] = atomicExch(&others[5], 9);
    }
    __syncthreads();
    if (threadIdx.x < 8) atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

// A warp may do without barriers of the block, and all may write one number to one place.
__global__ void warps_alone(int *out) {
    __shared__ int kept[64], flag;
    const int warp = threadIdx.x / 32 * 32;
    kept[threadIdx.x] = threadIdx.x;
    flag = 1;
    __syncwarp();
    const int got = kept[warp + (threadIdx.x + 1) % 32];
    __syncwarp();
    kept[threadIdx.x] = got * 2;
    __syncthreads();
    out[threadIdx.x] = kept[63 - threadIdx.x] + flag;
}

// ---- wrong ----------------------------------------------------------------------------------------------

__global__ void write_beyond(float *out, int n) {
    if (int(threadIdx.x) <= n) out[threadIdx.x] = 1;
}
__global__ void write_before(float *out, int n) {
    if (int(threadIdx.x) < n) out[int(threadIdx.x) - 1] = 1;
}
// By a pointer that is not a parameter: the fault comes out at the next synchronisation.
__global__ void write_beyond_another(float **table, int n) {
    table[0][n] = 1;
}
__global__ void read_beyond(const float *in, float *out, int n) {
    out[threadIdx.x] = in[threadIdx.x + n - 1];
}
__global__ void follow(int *nowhere) {
    nowhere[threadIdx.x] = 1;
}
__global__ void divide(int *out, int a, int b) {
    *out = a / b;
}
__global__ void give_up() {
    if (threadIdx.x == 3) __trap();
}
__global__ void some_reach(int *out) {
    if (threadIdx.x < 5) __syncthreads();
    out[threadIdx.x] = 1;
}
__global__ void early_return(int *out, int n) {
    if (int(threadIdx.x) >= n) return;
    __syncthreads();
    out[threadIdx.x] = 1;
}
__global__ void two_barriers(int *out) {
    if (threadIdx.x % 2) {
        __syncthreads();
    } else {
        out[threadIdx.x] = 1;
        __syncthreads();
    }
}
__global__ void barrier_and_warp(int *out) {
    if (threadIdx.x < 5) __syncthreads();
    else __syncwarp();
    out[threadIdx.x] = 1;
}
__global__ void not_in_mask(int *out) {
    out[threadIdx.x] = __shfl_sync(0x0000ffffu, int(threadIdx.x), 0);
}
__global__ void two_masks(int *out) {
    out[threadIdx.x] = __shfl_sync(threadIdx.x < 16 ? 0xffffffffu : 0xffff0001u, int(threadIdx.x), 0);
}
__global__ void no_barrier(int *out) {
    __shared__ int kept[64];
    kept[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = kept[63 - threadIdx.x];
}
// Harmless in the order in which threads run here: each reads what an earlier one wrote.
__global__ void no_barrier_in_luck(int *out) {
    __shared__ int kept[64];
    kept[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = threadIdx.x ? kept[threadIdx.x - 1] : 0;
}
__global__ void no_second_barrier(int *out) {
    __shared__ int kept[64];
    kept[threadIdx.x] = threadIdx.x;
    __syncthreads();
    const int got = kept[63 - threadIdx.x];
    kept[threadIdx.x] = got;
    __syncthreads();
    out[threadIdx.x] = kept[threadIdx.x];
}
__global__ void all_write(int *out) {
    __shared__ int one;
    one = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = one;
}
__global__ void warp_for_block(int *out) {
    GN_DYNAMIC_SHARED(int, kept);
    kept[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = kept[63 - threadIdx.x];
}
// One warp does not make its lanes' accesses ordered either.
__global__ void no_warp_barrier(int *out) {
    __shared__ int kept[64];
    kept[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = kept[threadIdx.x / 32 * 32 + 31 - threadIdx.x % 32];
}
__global__ void atomic_and_plain(int *out) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    atomicAdd(&count, 1);
    __syncthreads();
    out[threadIdx.x] = count;
}
__global__ void beyond_dynamic(int *out) {
    GN_DYNAMIC_SHARED(int, kept);
    kept[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = kept[threadIdx.x];
}
__global__ void misaligned(const char *in, float *out) {
    *out = *reinterpret_cast<const float *>(in + 2);
}

GN_EMULATED_KERNEL(fill_float, fill<float>)
GN_EMULATED_KERNEL(fill_long, fill<long long>)
GN_EMULATED_KERNEL(add_float, add<float>)
GN_EMULATED_KERNEL(places_, places)
GN_EMULATED_KERNEL(mixed_, mixed)
GN_EMULATED_KERNEL(copy16_, copy16)
GN_EMULATED_KERNEL(block_sum_float, block_sum<float>)
GN_EMULATED_KERNEL(block_sum_long, block_sum<long long>)
GN_EMULATED_KERNEL(matmul_16, matmul<16>)
GN_EMULATED_KERNEL(reverse_, reverse)
GN_EMULATED_KERNEL(lanes_, lanes)
GN_EMULATED_KERNEL(atomics_, atomics)
GN_EMULATED_KERNEL(warps_alone_, warps_alone)
GN_EMULATED_KERNEL(write_beyond_, write_beyond)
GN_EMULATED_KERNEL(write_before_, write_before)
GN_EMULATED_KERNEL(write_beyond_another_, write_beyond_another)
GN_EMULATED_KERNEL(read_beyond_, read_beyond)
GN_EMULATED_KERNEL(follow_, follow)
GN_EMULATED_KERNEL(divide_, divide)
GN_EMULATED_KERNEL(give_up_, give_up)
GN_EMULATED_KERNEL(some_reach_, some_reach)
GN_EMULATED_KERNEL(early_return_, early_return)
GN_EMULATED_KERNEL(two_barriers_, two_barriers)
GN_EMULATED_KERNEL(barrier_and_warp_, barrier_and_warp)
GN_EMULATED_KERNEL(not_in_mask_, not_in_mask)
GN_EMULATED_KERNEL(two_masks_, two_masks)
GN_EMULATED_KERNEL(no_barrier_, no_barrier)
GN_EMULATED_KERNEL(no_barrier_in_luck_, no_barrier_in_luck)
GN_EMULATED_KERNEL(no_second_barrier_, no_second_barrier)
GN_EMULATED_KERNEL(all_write_, all_write)
GN_EMULATED_KERNEL(warp_for_block_, warp_for_block)
GN_EMULATED_KERNEL(no_warp_barrier_, no_warp_barrier)
GN_EMULATED_KERNEL(atomic_and_plain_, atomic_and_plain)
GN_EMULATED_KERNEL(beyond_dynamic_, beyond_dynamic)
GN_EMULATED_KERNEL(misaligned_, misaligned)
