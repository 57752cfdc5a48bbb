/* An emulation of NCCL, with the functions, arguments and errors that gnomon uses, on top of the emulated driver. Its
 * ranks are processes of this machine, each with emulated devices of its own; they exchange bytes through shared memory.
 * It is a separate shared library.
 *
 * It is stricter than NVIDIA's: ranks that call different collectives, or with different counts, types or operations, get
 * an error, where NVIDIA's would wait or mix bytes. And it is simpler: a call waits until its work is done, while
 * NVIDIA's only puts it into the stream. */
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <map>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "emulation.h" /* what follows is not visible from outside */

#include "c/half.h"

namespace {

/* ncclResult_t */
enum { SUCCESS = 0, UNHANDLED_CUDA_ERROR = 1, SYSTEM_ERROR = 2, INVALID_ARGUMENT = 4, INVALID_USAGE = 5 };
/* ncclDataType_t */
enum { INT8, UINT8, INT32, UINT32, INT64, UINT64, FLOAT16, FLOAT32, FLOAT64, BFLOAT16, TYPES };
/* ncclRedOp_t */
enum { SUM, PRODUCT, MAXIMUM, MINIMUM, AVERAGE, OPERATIONS };
enum Kind { ALL_REDUCE, BROADCAST, REDUCE, ALL_GATHER, REDUCE_SCATTER, SEND, RECEIVE };

constexpr int MOST_RANKS = 8;
constexpr size_t ROOM = 1 << 16; /* bytes that a rank shows at a time */
constexpr int PATIENCE = 120;    /* seconds until a rank counts as gone */
constexpr int SIZES[TYPES] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};

/* What a rank is about to do; the others must do the same. */
struct Call {
    int64_t kind, count, type, operation, root;
};

struct Mailbox {
    std::atomic<int> is_full;
    int64_t total, type, bytes;
    char content[ROOM];
};

struct Shared {
    std::atomic<int> present, arrived, round;
    Call calls[MOST_RANKS];
    char rooms[MOST_RANKS][ROOM];
    Mailbox boxes[MOST_RANKS][MOST_RANKS]; /* by sender, then receiver */
};

struct Communicator {
    Shared *shared;
    int rank, ranks;
};

struct Operation {
    Kind kind;
    uintptr_t from, to;
    int64_t count, type, operation, root;
    Communicator *communicator;
    void *stream;
    int64_t done; /* bytes of a message */
};

/* The driver's functions that it calls. */
struct Driver {
    int (*current)(void **context);
    int (*wait)(void *stream);
    int (*to_host)(void *host, uintptr_t from, size_t bytes, void *stream);
    int (*to_device)(uintptr_t to, const void *host, size_t bytes, void *stream);
} driver_functions;

thread_local int depth;
thread_local std::vector<Operation> waiting;
thread_local std::string problem;

int failure(int status, const std::string &text) {
    problem = text;
    return status;
}

/* Until ``is_done()``; false if nobody comes. */
template <class Condition> bool wait_until(Condition is_done) {
    const time_t begin = time(nullptr);
    for (long k = 0; !is_done(); k++) {
        if (k > 1000) usleep(50);
        else sched_yield();
        if (time(nullptr) - begin > PATIENCE) return false;
    }
    return true;
}

bool barrier(Communicator &group) {
    Shared &shared = *group.shared;
    const int round = shared.round.load();
    if (shared.arrived.fetch_add(1) + 1 == group.ranks) {
        shared.arrived.store(0);
        shared.round.fetch_add(1);
        return true;
    }
    return wait_until([&] { return shared.round.load() != round; });
}

int read(const Operation &work, char *host, uintptr_t at, size_t bytes) {
    if (bytes == 0) return SUCCESS;
    const int status = driver_functions.to_host(host, at, bytes, work.stream);
    if (status || driver_functions.wait(work.stream)) return failure(UNHANDLED_CUDA_ERROR, "memory can not be read");
    return SUCCESS;
}

int write(const Operation &work, uintptr_t at, const char *host, size_t bytes) {
    if (bytes == 0) return SUCCESS;
    const int status = driver_functions.to_device(at, host, bytes, work.stream);
    if (status || driver_functions.wait(work.stream)) return failure(UNHANDLED_CUDA_ERROR, "memory can not be written");
    return SUCCESS;
}

template <class T> T combined(T left, T right, int64_t operation) {
    switch (operation) {
    case PRODUCT: return T(left * right);
    case MAXIMUM: return left != left || left > right ? left : right;
    case MINIMUM: return left != left || left < right ? left : right;
    default: return T(left + right);
    }
}

template <class T> T divided(T sum, int ranks) {
    return T(sum / T(ranks));
}

template <class Stored, class T, T (*load)(Stored), Stored (*store)(T)>
void combine(char *total, const char *next, size_t count, int64_t operation, int ranks) {
    for (size_t k = 0; k < count; k++) {
        Stored left, right;
        memcpy(&left, total + k * sizeof left, sizeof left);
        T value = load(left);
        if (next) {
            memcpy(&right, next + k * sizeof right, sizeof right);
            value = combined(value, load(right), operation);
        } else {
            value = divided(value, ranks);
        }
        left = store(value);
        memcpy(total + k * sizeof left, &left, sizeof left);
    }
}

template <class T> T same(T value) {
    return value;
}

using Combine = void (*)(char *total, const char *next, size_t count, int64_t operation, int ranks);
template <class T> constexpr Combine plain = combine<T, T, same<T>, same<T>>;
constexpr Combine half = combine<uint16_t, float, gn_from_float16, gn_to_float16>;
constexpr Combine brain = combine<uint16_t, float, gn_from_bfloat16, gn_to_bfloat16>;
const Combine COMBINES[TYPES] = {plain<int8_t>,   plain<uint8_t>,  plain<int32_t>, plain<uint32_t>, plain<int64_t>,
                                 plain<uint64_t>, half,            plain<float>,   plain<double>,   brain};

/* The combination of what all ranks show, in their order. */
void combine_rooms(const Operation &work, char *out, size_t count) {
    Communicator &group = *work.communicator;
    memcpy(out, group.shared->rooms[0], count * size_t(SIZES[work.type]));
    for (int rank = 1; rank < group.ranks; rank++) {
        COMBINES[work.type](out, group.shared->rooms[rank], count, work.operation, group.ranks);
    }
    if (work.operation == AVERAGE) COMBINES[work.type](out, nullptr, count, work.operation, group.ranks);
}

/* One piece of ``count`` elements, which every rank reads at ``from``, unless that is 0; where ``to`` is not 0, the result
 * is written there. */
int piece(const Operation &work, uintptr_t from, uintptr_t to, size_t count, bool combines, int shown, char *host) {
    Communicator &group = *work.communicator;
    const size_t bytes = count * size_t(SIZES[work.type]);
    if (from) {
        if (const int status = read(work, group.shared->rooms[group.rank], from, bytes)) return status;
    }
    if (!barrier(group)) return failure(SYSTEM_ERROR, "another rank did not come");
    if (to) {
        if (combines) combine_rooms(work, host, count);
        else memcpy(host, group.shared->rooms[shown], bytes);
    }
    if (!barrier(group)) return failure(SYSTEM_ERROR, "another rank did not come");
    return to ? write(work, to, host, bytes) : SUCCESS;
}

int run_collective(const Operation &work) {
    Communicator &group = *work.communicator;
    Shared &shared = *group.shared;
    shared.calls[group.rank] = {work.kind, work.count, work.type, work.operation, work.root};
    if (!barrier(group)) return failure(SYSTEM_ERROR, "another rank did not come");
    bool agree = true;
    for (int rank = 1; rank < group.ranks; rank++) {
        agree = agree && !memcmp(&shared.calls[0], &shared.calls[rank], sizeof(Call));
    }
    if (!barrier(group)) return failure(SYSTEM_ERROR, "another rank did not come");
    if (!agree) return failure(INVALID_USAGE, "ranks call different collectives, or with other arguments");
    const uintptr_t size = uintptr_t(SIZES[work.type]);
    const int64_t most = int64_t(ROOM / size);
    std::vector<char> host(ROOM);
    const bool is_root = group.rank == work.root;
    for (int64_t first = 0; first < work.count; first += most) {
        const size_t count = size_t(work.count - first < most ? work.count - first : most);
        const uintptr_t offset = uintptr_t(first) * size, part = uintptr_t(work.count) * size;
        int status = SUCCESS;
        switch (work.kind) {
        case ALL_REDUCE:
            status = piece(work, work.from + offset, work.to + offset, count, true, 0, host.data());
            break;
        case REDUCE:
            status = piece(work, work.from + offset, is_root ? work.to + offset : 0, count, true, 0, host.data());
            break;
        case BROADCAST:
            status = piece(work, is_root ? work.from + offset : 0, work.to + offset, count, false, int(work.root),
                           host.data());
            break;
        case ALL_GATHER:
            /* what each rank shows is copied in turn: each shows it again for every turn */
            for (int rank = 0; rank < group.ranks && !status; rank++) {
                status = piece(work, work.from + offset, work.to + uintptr_t(rank) * part + offset, count, false, rank,
                               host.data());
            }
            break;
        default: /* REDUCE_SCATTER */
            for (int rank = 0; rank < group.ranks && !status; rank++) {
                status = piece(work, work.from + uintptr_t(rank) * part + offset,
                               rank == group.rank ? work.to + offset : 0, count, true, 0, host.data());
            }
        }
        if (status) return status;
    }
    return SUCCESS;
}

/* The next piece of a message, if the other side is ready. */
int step_message(Operation &work, bool *moved) {
    Communicator &group = *work.communicator;
    const bool sends = work.kind == SEND;
    Mailbox &box = sends ? group.shared->boxes[group.rank][work.root] : group.shared->boxes[work.root][group.rank];
    const int64_t total = work.count * SIZES[work.type];
    if (box.is_full.load() == (sends ? 1 : 0)) return SUCCESS;
    *moved = true;
    if (sends) {
        box.total = total;
        box.type = work.type;
        box.bytes = total - work.done < int64_t(ROOM) ? total - work.done : int64_t(ROOM);
        const int status = read(work, box.content, work.from + uintptr_t(work.done), size_t(box.bytes));
        work.done += box.bytes;
        box.is_full.store(1);
        return status;
    }
    if (box.total != total || box.type != work.type) {
        return failure(INVALID_USAGE, "a message has another size or type than its receiver expects");
    }
    const int status = write(work, work.to + uintptr_t(work.done), box.content, size_t(box.bytes));
    work.done += box.bytes;
    box.is_full.store(0);
    return status;
}

int run_messages(std::vector<Operation> &messages) {
    std::vector<bool> begun(messages.size());
    const auto is_done = [&](size_t k) {
        return begun[k] && messages[k].done >= messages[k].count * SIZES[messages[k].type];
    };
    int status = SUCCESS;
    const bool came = wait_until([&] {
        bool all = true;
        for (size_t k = 0; k < messages.size() && !status; k++) {
            if (is_done(k)) continue;
            bool moved = false;
            status = step_message(messages[k], &moved);
            begun[k] = begun[k] || moved;
            all = all && is_done(k);
        }
        return all || status;
    });
    return came ? status : failure(SYSTEM_ERROR, "the other side of a message did not come");
}

int run_all() {
    std::vector<Operation> works, messages;
    works.swap(waiting);
    for (const Operation &work : works) { /* what was put into the streams before comes first */
        if (driver_functions.wait(work.stream)) return failure(UNHANDLED_CUDA_ERROR, "a stream can not be waited for");
    }
    for (const Operation &work : works) {
        if (work.kind == SEND || work.kind == RECEIVE) {
            messages.push_back(work);
        } else if (const int status = run_collective(work)) {
            return status;
        }
    }
    return run_messages(messages);
}

int begin(Kind kind, uintptr_t from, uintptr_t to, size_t count, int type, int operation, int root, void *handle,
          void *stream) {
    Communicator *const group = static_cast<Communicator *>(handle);
    if (!group || !driver_functions.wait) return failure(INVALID_ARGUMENT, "there is no communicator");
    if (type < 0 || type >= TYPES) return failure(INVALID_ARGUMENT, "there is no such type");
    if (operation < 0 || operation >= OPERATIONS) return failure(INVALID_ARGUMENT, "there is no such operation");
    if (root < 0 || root >= group->ranks) return failure(INVALID_ARGUMENT, "there is no such rank");
    if ((kind == SEND || kind == RECEIVE) && root == group->rank) {
        return failure(INVALID_USAGE, "a rank sends to itself");
    }
    waiting.push_back({kind, from, to, int64_t(count), type, operation, root, group, stream, 0});
    return depth ? SUCCESS : run_all();
}

}  // namespace

#define GN_EXPORT extern "C" __attribute__((visibility("default")))

struct ncclUniqueId {
    char internal[128];
};

/* Sets the emulated driver (an open library). Returns whether that has all required functions. */
GN_EXPORT int gn_emulation_attach(const char *path) {
    void *const library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (!library) return 0;
    driver_functions.current = reinterpret_cast<decltype(driver_functions.current)>(dlsym(library, "cuCtxGetCurrent"));
    driver_functions.wait = reinterpret_cast<decltype(driver_functions.wait)>(dlsym(library, "cuStreamSynchronize"));
    driver_functions.to_host =
        reinterpret_cast<decltype(driver_functions.to_host)>(dlsym(library, "cuMemcpyDtoHAsync_v2"));
    driver_functions.to_device =
        reinterpret_cast<decltype(driver_functions.to_device)>(dlsym(library, "cuMemcpyHtoDAsync_v2"));
    dlclose(library);
    return driver_functions.current && driver_functions.wait && driver_functions.to_host && driver_functions.to_device;
}

GN_EXPORT const char *ncclGetErrorString(int status) {
    switch (status) {
    case SUCCESS: return "no error";
    case UNHANDLED_CUDA_ERROR: return "unhandled cuda error";
    case SYSTEM_ERROR: return "unhandled system error";
    case INVALID_ARGUMENT: return "invalid argument";
    case INVALID_USAGE: return "invalid usage";
    default: return "unknown result code";
    }
}

GN_EXPORT const char *ncclGetLastError(void *) {
    return problem.c_str();
}

GN_EXPORT int ncclGetVersion(int *version) {
    *version = 22000;
    return SUCCESS;
}

GN_EXPORT int ncclGetUniqueId(ncclUniqueId *id) {
    memset(id, 0, sizeof *id);
    unsigned char bytes[16];
    FILE *const source = fopen("/dev/urandom", "rb");
    const size_t count = source ? fread(bytes, 1, sizeof bytes, source) : 0;
    if (source) fclose(source);
    if (count != sizeof bytes) return failure(SYSTEM_ERROR, "there are no random numbers");
    strcpy(id->internal, "/dev/shm/gnomon-nccl-");
    for (size_t k = 0; k < sizeof bytes; k++) snprintf(id->internal + strlen(id->internal), 3, "%02x", bytes[k]);
    return SUCCESS;
}

GN_EXPORT int ncclCommInitRank(void **made, int ranks, ncclUniqueId id, int rank) {
    void *context = nullptr;
    if (!made || ranks < 1 || ranks > MOST_RANKS || rank < 0 || rank >= ranks) {
        return failure(INVALID_ARGUMENT, "the rank or their number");
    }
    if (!driver_functions.current || driver_functions.current(&context) || !context) {
        return failure(UNHANDLED_CUDA_ERROR, "no device is current");
    }
    const int file = open(id.internal, O_CREAT | O_RDWR, 0600);
    if (file < 0 || ftruncate(file, sizeof(Shared))) return failure(SYSTEM_ERROR, "no shared memory");
    void *const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) return failure(SYSTEM_ERROR, "no shared memory");
    Shared *const shared = static_cast<Shared *>(memory); /* its bytes are 0, as of a new object */
    shared->present.fetch_add(1);
    const bool came = wait_until([&] { return shared->present.load() >= ranks; });
    if (rank == 0) unlink(id.internal); /* all have it */
    if (!came) {
        munmap(memory, sizeof(Shared));
        return failure(SYSTEM_ERROR, "another rank did not come");
    }
    *made = new Communicator{shared, rank, ranks};
    return SUCCESS;
}

GN_EXPORT int ncclCommDestroy(void *handle) {
    Communicator *const group = static_cast<Communicator *>(handle);
    if (!group) return failure(INVALID_ARGUMENT, "there is no communicator");
    munmap(group->shared, sizeof(Shared));
    delete group;
    return SUCCESS;
}

GN_EXPORT int ncclGroupStart() {
    depth++;
    return SUCCESS;
}

GN_EXPORT int ncclGroupEnd() {
    if (depth == 0) return failure(INVALID_USAGE, "no group was begun");
    return --depth ? SUCCESS : run_all();
}

GN_EXPORT int ncclAllReduce(uintptr_t from, uintptr_t to, size_t count, int type, int operation, void *group,
                            void *stream) {
    return begin(ALL_REDUCE, from, to, count, type, operation, 0, group, stream);
}

GN_EXPORT int ncclBroadcast(uintptr_t from, uintptr_t to, size_t count, int type, int root, void *group, void *stream) {
    return begin(BROADCAST, from, to, count, type, SUM, root, group, stream);
}

GN_EXPORT int ncclReduce(uintptr_t from, uintptr_t to, size_t count, int type, int operation, int root, void *group,
                         void *stream) {
    return begin(REDUCE, from, to, count, type, operation, root, group, stream);
}

GN_EXPORT int ncclAllGather(uintptr_t from, uintptr_t to, size_t count, int type, void *group, void *stream) {
    return begin(ALL_GATHER, from, to, count, type, SUM, 0, group, stream);
}

GN_EXPORT int ncclReduceScatter(uintptr_t from, uintptr_t to, size_t count, int type, int operation, void *group,
                                void *stream) {
    return begin(REDUCE_SCATTER, from, to, count, type, operation, 0, group, stream);
}

GN_EXPORT int ncclSend(uintptr_t from, size_t count, int type, int peer, void *group, void *stream) {
    return begin(SEND, from, 0, count, type, SUM, peer, group, stream);
}

GN_EXPORT int ncclRecv(uintptr_t to, size_t count, int type, int peer, void *group, void *stream) {
    return begin(RECEIVE, 0, to, count, type, SUM, peer, group, stream);
}
