/* Devices, contexts and errors of the emulated driver, and functions for tests. */
#include "driver.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>

namespace driver {

std::mutex lock;
std::string problem;
Counts counts;

namespace {

constexpr int VERSION = 12090; /* of the API that is emulated */
constexpr int INT_MOST = 0x7fffffff;

bool initialized;
bool forked; /* a child cannot use what its parent opened, as with the real driver */
thread_local Context *current_context;
std::string told_problem;

/* A whole number from the environment, or `otherwise`. */
size_t setting(const char *name, size_t otherwise) {
    const char *const text = getenv(name);
    if (!text || !*text) return otherwise;
    char *end = nullptr;
    const unsigned long long value = strtoull(text, &end, 10);
    return *end == 0 ? size_t(value) : otherwise;
}

bool is_device(int device) {
    return device >= 0 && size_t(device) < contexts().size();
}

struct Name {
    int code;
    const char *name, *text;
};

constexpr Name NAMES[] = {
    {SUCCESS, "CUDA_SUCCESS", "no error"},
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for the device"},
    {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {ILLEGAL_STATE, "CUDA_ERROR_ILLEGAL_STATE", "the operation cannot be performed in the present state"},
    {NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested"},
    {MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "not permitted when stream is capturing"},
    {CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "an earlier error ended the capture"},
    {CAPTURE_MERGE, "CUDA_ERROR_STREAM_CAPTURE_MERGE", "it would merge two captures"},
    {CAPTURE_UNMATCHED, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "the capture was not begun in this stream"},
    {CAPTURE_UNJOINED, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "the capture has work that was not joined"},
    {CAPTURE_ISOLATION, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "a dependency from outside of the capture"},
    {CAPTURE_IMPLICIT, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "it would depend on the legacy stream"},
    {CAPTURED_EVENT, "CUDA_ERROR_CAPTURED_EVENT", "the event was last recorded in a capturing stream"},
};

const Name *name_of(int code) {
    for (const Name &each : NAMES) {
        if (each.code == code) return &each;
    }
    return nullptr;
}

void begin(Context &context) {
    context.legacy = std::make_unique<Stream>();
    context.legacy->context = &context;
    context.error = SUCCESS;
}

void end(Context &context) {
    forget_streams(context);
    release_all(context.memory);
    context.unchecked.clear();
}

}  // namespace

std::vector<std::unique_ptr<Context>> &contexts() {
    static std::vector<std::unique_ptr<Context>> all;
    return all;
}

Context *current(Result *why) {
    *why = NOT_INITIALIZED;
    if (!initialized || forked) return nullptr;
    *why = INVALID_CONTEXT;
    bool is_context = false;
    for (auto &each : contexts()) is_context |= each.get() == current_context;
    if (!is_context || !current_context->retained) return nullptr;
    *why = current_context->error;
    return *why == SUCCESS ? current_context : nullptr;
}

void poison(Context &context, Result result, const std::string &text) {
    if (context.error != SUCCESS) return;
    context.error = result;
    problem = text;
}

}  // namespace driver

using namespace driver;

GN_EXPORT int cuInit(unsigned int flags) {
    std::lock_guard guard(lock);
    if (flags) return INVALID_VALUE;
    if (forked) return NOT_INITIALIZED;
    if (initialized) return SUCCESS;
    const size_t devices = setting("GNOMON_CUDA_EMULATED_DEVICES", 1);
    if (devices == 0) return 100; /* CUDA_ERROR_NO_DEVICE */
    for (size_t i = 0; i < devices; i++) {
        auto context = std::make_unique<Context>();
        context->ordinal = int(i);
        context->memory.limit = setting("GNOMON_CUDA_EMULATED_MEMORY", size_t(2) << 30);
        contexts().push_back(std::move(context));
    }
    static bool watches_forks = false;
    if (!watches_forks) {
        pthread_atfork([] { lock.lock(); }, [] { lock.unlock(); }, [] {
            forked = initialized;
            lock.unlock();
        });
    }
    watches_forks = true;
    initialized = true;
    return SUCCESS;
}

GN_EXPORT int cuDriverGetVersion(int *version) {
    if (!version) return INVALID_VALUE;
    *version = VERSION;
    return SUCCESS;
}

GN_EXPORT int cuDeviceGetCount(int *count) {
    std::lock_guard guard(lock);
    if (!initialized || forked) return NOT_INITIALIZED;
    if (!count) return INVALID_VALUE;
    *count = int(contexts().size());
    return SUCCESS;
}

GN_EXPORT int cuDeviceGet(int *device, int ordinal) {
    std::lock_guard guard(lock);
    if (!initialized || forked) return NOT_INITIALIZED;
    if (!device) return INVALID_VALUE;
    if (!is_device(ordinal)) return INVALID_DEVICE;
    *device = ordinal;
    return SUCCESS;
}

GN_EXPORT int cuDeviceGetName(char *name, int bytes, int device) {
    std::lock_guard guard(lock);
    if (!initialized || forked) return NOT_INITIALIZED;
    if (!is_device(device)) return INVALID_DEVICE;
    if (!name || bytes <= 0) return INVALID_VALUE;
    snprintf(name, size_t(bytes), "gnomon's emulated GPU");
    return SUCCESS;
}

GN_EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device) {
    std::lock_guard guard(lock);
    if (!initialized || forked) return NOT_INITIALIZED;
    if (!is_device(device)) return INVALID_DEVICE;
    if (!bytes) return INVALID_VALUE;
    *bytes = contexts()[size_t(device)]->memory.limit;
    return SUCCESS;
}

/* The numbers are those of a small device of compute capability 9.0. */
GN_EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
    static const std::map<int, int> attributes = {
        {1, 1024},       /* threads of a block */
        {2, 1024},       /* block.x */
        {3, 1024},       /* block.y */
        {4, 64},         /* block.z */
        {5, INT_MOST},   /* grid.x */
        {6, 65535},      /* grid.y */
        {7, 65535},      /* grid.z */
        {8, 48 * 1024},  /* shared memory of a block */
        {9, 64 * 1024},  /* constant memory */
        {10, 32},        /* warp */
        {11, INT_MOST},  /* pitch of a copy */
        {12, 64 * 1024}, /* registers of a block */
        {13, 1000000},   /* clock, kHz */
        {14, 512},       /* alignment of textures */
        {15, 1},         /* copies concurrent with kernels */
        {16, 4},         /* multiprocessors */
        {17, 0},         /* limit of a kernel's time */
        {18, 0},         /* integrated */
        {19, 1},         /* maps host memory */
        {20, 0},         /* compute mode */
        {31, 1},         /* concurrent kernels */
        {32, 0},         /* error correction */
        {33, 0},         /* PCI bus */
        {34, 0},         /* PCI device */
        {36, 1000000},   /* clock of the memory, kHz */
        {37, 64},        /* width of the memory's bus */
        {38, 1 << 20},   /* second-level cache */
        {39, 2048},      /* threads of a multiprocessor */
        {40, 1},         /* copy engines */
        {41, 1},         /* unified addressing */
        {50, 0},         /* PCI domain */
        {75, 9},         /* compute capability, major */
        {76, 0},         /* and minor */
        {81, 228 * 1024}, /* shared memory of a multiprocessor */
        {82, 64 * 1024},  /* registers of a multiprocessor */
        {83, 0},          /* managed memory */
        {95, 0},          /* cooperative launches */
        {97, 227 * 1024}, /* shared memory of a block, opt-in limit */
        {106, 32},        /* blocks of a multiprocessor */
        {115, 0},         /* memory pools */
    };
    std::lock_guard guard(lock);
    if (!initialized || forked) return NOT_INITIALIZED;
    if (!is_device(device)) return INVALID_DEVICE;
    const auto found = attributes.find(attribute);
    if (!value || found == attributes.end()) return INVALID_VALUE;
    *value = found->second;
    return SUCCESS;
}

/* Peer copies work; kernels reach only their own device's memory. */
GN_EXPORT int cuDeviceCanAccessPeer(int *can, int device, int peer) {
    std::lock_guard guard(lock);
    if (!initialized || forked) return NOT_INITIALIZED;
    if (!is_device(device) || !is_device(peer)) return INVALID_DEVICE;
    if (!can) return INVALID_VALUE;
    *can = 0;
    return SUCCESS;
}

GN_EXPORT int cuDevicePrimaryCtxRetain(void **handle, int device) {
    std::lock_guard guard(lock);
    if (!initialized || forked) return NOT_INITIALIZED;
    if (!is_device(device)) return INVALID_DEVICE;
    if (!handle) return INVALID_VALUE;
    Context &context = *contexts()[size_t(device)];
    if (context.retained++ == 0) begin(context);
    *handle = &context;
    return SUCCESS;
}

GN_EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
    std::lock_guard guard(lock);
    if (!initialized || forked) return NOT_INITIALIZED;
    if (!is_device(device)) return INVALID_DEVICE;
    Context &context = *contexts()[size_t(device)];
    if (context.retained == 0) return INVALID_CONTEXT;
    if (context.retained == 1) drain_all(context);
    if (--context.retained == 0) end(context);
    return SUCCESS;
}

GN_EXPORT int cuCtxSetCurrent(void *handle) {
    std::lock_guard guard(lock);
    if (!initialized || forked) return NOT_INITIALIZED;
    bool is_context = handle == nullptr;
    for (auto &each : contexts()) is_context |= each.get() == handle;
    if (!is_context) return INVALID_CONTEXT;
    current_context = static_cast<Context *>(handle);
    return SUCCESS;
}

GN_EXPORT int cuCtxGetCurrent(void **handle) {
    std::lock_guard guard(lock);
    if (!initialized || forked) return NOT_INITIALIZED;
    if (!handle) return INVALID_VALUE;
    *handle = current_context;
    return SUCCESS;
}

GN_EXPORT int cuCtxSynchronize() {
    std::lock_guard guard(lock);
    Result why;
    Context *const context = current(&why);
    if (!context) return why;
    if (forbidden_by_capture()) return CAPTURE_UNSUPPORTED;
    counts.synchronizations++;
    drain_all(*context);
    check_memory(*context);
    return context->error;
}

GN_EXPORT int cuGetErrorName(int code, const char **name) {
    const Name *const found = name_of(code);
    if (!name || !found) return INVALID_VALUE;
    *name = found->name;
    return SUCCESS;
}

GN_EXPORT int cuGetErrorString(int code, const char **text) {
    const Name *const found = name_of(code);
    if (!text || !found) return INVALID_VALUE;
    *text = found->text;
    return SUCCESS;
}

/* ---- for tests ---------------------------------------------------------------------------------------- */

/* The description of the last sticky error or refused module; empty if there was none.  The text is valid until the
 * next call of this function. */
GN_EXPORT const char *gn_emulation_problem() {
    std::lock_guard guard(lock);
    told_problem = problem;
    return told_problem.c_str();
}

/* How often an event occurred since the library was opened; -1 for an unknown event. */
GN_EXPORT long long gn_emulation_count(const char *what) {
    std::lock_guard guard(lock);
    const std::map<std::string, uint64_t> all = {
        {"launches", counts.launches},
        {"kernels", counts.kernels},
        {"copies", counts.copies},
        {"memsets", counts.memsets},
        {"synchronizations", counts.synchronizations},
        {"switches", counts.switches},
        {"allocations", counts.allocations},
        {"graph_launches", counts.graph_launches},
    };
    const auto found = all.find(what);
    return found == all.end() ? -1 : (long long)found->second;
}

/* Forgets all contexts with their memory and errors, as if cuInit had not been called: its next call reads the
 * environment again.  Modules stay loaded. */
GN_EXPORT void gn_emulation_reset() {
    std::lock_guard guard(lock);
    for (auto &context : contexts()) {
        if (context->retained) end(*context);
        give_back_range(context->memory);
    }
    contexts().clear();
    initialized = false;
    problem.clear();
}
