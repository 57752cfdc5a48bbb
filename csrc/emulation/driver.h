/* Interfaces between the parts of the emulated driver.
 *
 * machine.cpp runs a kernel; memory.cpp has the devices' memory and the host's pinned memory; streams.cpp has the
 * queues, events and graphs; modules.cpp loads and launches kernels; checks.cpp checks accesses; driver.cpp has
 * devices, contexts and errors.  Names and signatures of what is exported are those of NVIDIA's driver API.
 *
 * Every thread inside the driver holds one global lock, also while a kernel runs. */
#ifndef GN_EMULATION_DRIVER_H
#define GN_EMULATION_DRIVER_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "machine.h"

#define GN_EXPORT extern "C" __attribute__((visibility("default")))

/* CUresult: those that this driver returns. */
enum Result {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    INVALID_DEVICE = 101,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    NO_BINARY_FOR_GPU = 209,
    INVALID_HANDLE = 400,
    ILLEGAL_STATE = 401,
    NOT_FOUND = 500,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    LAUNCH_OUT_OF_RESOURCES = 701,
    MISALIGNED_ADDRESS = 716,
    LAUNCH_FAILED = 719,
    NOT_SUPPORTED = 801,
    CAPTURE_UNSUPPORTED = 900,
    CAPTURE_INVALIDATED = 901,
    CAPTURE_MERGE = 902,
    CAPTURE_UNMATCHED = 903,
    CAPTURE_UNJOINED = 904,
    CAPTURE_ISOLATION = 905,
    CAPTURE_IMPLICIT = 906,
    CAPTURED_EVENT = 907,
};

using Address = unsigned long long; /* CUdeviceptr */

namespace driver {

struct Context;
struct Stream;
struct Event;

/* ---- memory ------------------------------------------------------------------------------------------- */

struct Block {
    uintptr_t begin;
    size_t bytes;
};

/* A device's range of addresses, from which blocks are allocated, with guard bands between them. */
struct Memory {
    uintptr_t begin = 0;
    size_t reserved = 0; /* addresses, not memory */
    size_t limit = 0;    /* bytes that may be allocated */
    size_t used = 0;
    uint16_t *valid = nullptr; /* for each GRANULE of the range: how many of its bytes belong to a block */
    std::map<uintptr_t, Block> blocks;
    std::map<uintptr_t, size_t> gaps; /* what is free: address -> bytes */

    bool contains(uintptr_t address) const { return address - begin < reserved; }
    /* The block that contains `bytes` bytes at `address`, or null. */
    const Block *find(uintptr_t address, size_t bytes) const;
    /* The block whose bytes or guard bands contain `address`, or the last one before it, or null. */
    const Block *near(uintptr_t address) const;
};

/* A description of a damaged guard band, or empty. */
std::string damage_of(const Block &block);
std::string damage_of(const Memory &memory);
void release_all(Memory &memory);
void give_back_range(Memory &memory);
/* The device that has a block with all of these bytes, or null. */
Context *owner_of(uintptr_t address, size_t bytes);
bool is_pinned(const void *host, size_t bytes);

/* ---- contexts ----------------------------------------------------------------------------------------- */

struct Module;

struct Context {
    int ordinal = 0;
    int retained = 0;
    Memory memory;
    Result error = SUCCESS; /* sticky */
    std::unique_ptr<Stream> legacy;
    std::map<Stream *, std::unique_ptr<Stream>> streams; /* except the legacy one */
    std::vector<std::string> unchecked; /* kernels that ran since all guard bands were checked */
};

extern std::mutex lock;
/* gn_emulation_problem(): the description of the last sticky error. */
extern std::string problem;
extern struct Counts {
    uint64_t launches, kernels, copies, memsets, synchronizations, switches, allocations, graph_launches;
} counts;

/* The devices, after cuInit. */
std::vector<std::unique_ptr<Context>> &contexts();
/* The calling thread's context if it is retained and has no error; else null and the reason. */
Context *current(Result *why);
/* Makes `result` the context's sticky error. */
void poison(Context &context, Result result, const std::string &text);

/* ---- kernels ------------------------------------------------------------------------------------------ */

struct Function {
    std::string name;
    const gn_emulated_kernel *kernel;
    Module *module;
    uint32_t dynamic_shared_limit = 48 * 1024;
};

struct Module {
    void *library = nullptr;
    int file = -1;
    std::string path;
    uintptr_t statics_begin = 0, statics_end = 0; /* writable: __shared__ and __device__ variables */
    uintptr_t image_begin = 0, image_end = 0;
    Context *context = nullptr;
    std::map<std::string, std::unique_ptr<Function>> functions;
};

struct Launch {
    Function *function;
    dim3 grid, block;
    uint32_t shared_bytes;
    std::vector<uint8_t> parameters;
    std::vector<uint32_t> places; /* of each parameter in `parameters` */
};

/* Runs all blocks of a launch. Returns an error, with a text. */
Result run_kernel(const Memory &memory, const Launch &launch, std::string *text);

/* For checks.cpp: the running thread, and counters of operations that order accesses. */
uint32_t current_thread();
extern uint32_t warp_epoch[32]; /* operations of each warp; they order accesses before and after */
extern uint32_t block_epoch;    /* barriers and blocks */
/* Aborts the kernel in any state; the stacks of its threads are abandoned. */
[[noreturn]] void fail(Result result, const std::string &text);

constexpr size_t DYNAMIC_SLACK = 4096; /* bytes after dynamic shared memory that must not be accessed */
void begin_checks(const Module &module, size_t dynamic_bytes);
/* A thread is about to do something other than a write. */
void settle_writes();
void check_access(const Memory &memory, const Module &module, const gn_emulated_machine &machine,
                  uintptr_t address, uint32_t bytes, int kind);

/* ---- streams ------------------------------------------------------------------------------------------ */

/* A position in a stream's queue: everything queued before `sequence`. */
struct Mark {
    Stream *stream = nullptr;
    uint64_t sequence = 0;
};

enum class Kind { COPY, MEMSET, LAUNCH, RECORD, WAIT, GRAPH };

struct Graph;

struct Operation {
    explicit Operation(Kind kind) : kind(kind) {}
    Kind kind;
    uint64_t sequence = 0;
    /* COPY and MEMSET */
    uintptr_t to = 0, from = 0;
    size_t bytes = 0;
    uint8_t byte = 0;
    std::vector<uint8_t> staged; /* data of a copy from pageable memory, read when it was queued */
    std::shared_ptr<const Launch> launch;
    std::shared_ptr<Event> event;
    Mark mark;
    std::shared_ptr<const Graph> graph;
};

struct Graph {
    std::vector<Operation> operations; /* in the order in which the host queued them, which is valid */
};

struct Capture {
    std::shared_ptr<Graph> graph = std::make_shared<Graph>();
    Stream *origin = nullptr;
    int mode = 0;
    bool invalid = false;
    /* Of each stream that takes part: how many operations it has, and how many of each other are known to be
     * done before its next.  Who takes part must be known to the origin in the end. */
    std::map<Stream *, std::map<Stream *, size_t>> known;
};

struct Stream {
    Context *context = nullptr;
    bool blocking = true; /* synchronizes with the legacy stream */
    std::deque<Operation> queue;
    std::shared_ptr<Capture> capture;
};

struct Event {
    Context *context = nullptr;
    bool timed = true;
    bool recorded = false;
    Mark mark;        /* of the last record */
    bool done = true; /* is it reached? */
    double milliseconds = 0;
    std::shared_ptr<Capture> capture; /* recorded while its stream was captured */
    std::map<Stream *, size_t> known; /* the dependencies known there */
};

/* Appends an operation to a stream's queue, or to the graph that it captures. */
Result enqueue(Stream &stream, Operation operation);
/* Runs the stream's queue up to that sequence number. */
void drain(Stream &stream, uint64_t upto);
/* All work of a device. */
void drain_all(Context &context);
/* The stream of a handle, for a context; null if it is none. */
Stream *stream_of(Context &context, void *handle);
/* Is a stream capturing in a mode that forbids calls that may wait? If so, invalidates the capture. */
bool forbidden_by_capture();
/* Checks all guard bands of a device; sets a sticky error if one is damaged. */
void check_memory(Context &context);
void forget_streams(Context &context);

constexpr uint64_t EVERYTHING = ~uint64_t(0);

}  // namespace driver

#endif
