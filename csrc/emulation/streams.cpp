/* Streams, events and graphs.
 *
 * Work is put into the queue of its stream and runs only when it is waited for, as late as a correct device may run it:
 * a program that forgets to wait reads the old data. */
#include <chrono>
#include <cstring>

#include "driver.h"

namespace driver {
namespace {

/* The most operations in one queue; as with the real driver, further calls wait for the oldest. */
constexpr size_t QUEUE = 1024;

uint64_t last_sequence;
std::map<void *, std::shared_ptr<Event>> events;
std::map<void *, std::shared_ptr<Graph>> graphs;
std::map<void *, std::shared_ptr<const Graph>> executables;
std::set<Capture *> captures; /* that are not finished */

double now() {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::milli>(since).count();
}

void run_launch(Context &context, const Launch &launch) {
    const std::string &name = launch.function->name;
    std::string text;
    counts.kernels++;
    const Result result = run_kernel(context.memory, launch, &text);
    if (result != SUCCESS) {
        poison(context, result, name + ": " + text);
        return;
    }
    /* A damaged guard band right after a kernel is certainly its fault. */
    for (size_t at = 0; at + 8 <= launch.parameters.size(); at += 8) {
        uintptr_t address;
        memcpy(&address, launch.parameters.data() + at, sizeof address);
        if (!context.memory.contains(address)) continue;
        const Block *const block = context.memory.near(address);
        const std::string damage = block ? damage_of(*block) : "";
        if (!damage.empty()) {
            poison(context, ILLEGAL_ADDRESS, name + ": " + damage);
            return;
        }
    }
    if (context.unchecked.size() < 8) context.unchecked.push_back(name);
}

void run(Context &context, const Operation &operation) {
    switch (operation.kind) {
    case Kind::COPY: {
        const void *from = operation.staged.data();
        if (operation.staged.empty()) from = reinterpret_cast<const void *>(operation.from);
        memmove(reinterpret_cast<void *>(operation.to), from, operation.bytes);
        counts.copies++;
        break;
    }
    case Kind::MEMSET:
        memset(reinterpret_cast<void *>(operation.to), operation.byte, operation.bytes);
        counts.memsets++;
        break;
    case Kind::LAUNCH:
        run_launch(context, *operation.launch);
        break;
    case Kind::RECORD:
        /* An event that was recorded again is complete when the new record is reached. */
        if (operation.event->mark.sequence == operation.sequence) {
            operation.event->done = true;
            operation.event->milliseconds = now();
        }
        break;
    case Kind::WAIT:
        /* The other stream may have been destroyed; then its work is done. */
        for (auto &other : contexts()) {
            Stream *const stream = operation.mark.stream;
            if (stream == other->legacy.get() || other->streams.count(stream)) {
                drain(*stream, operation.mark.sequence);
            }
        }
        break;
    case Kind::GRAPH:
        counts.graph_launches++;
        for (const Operation &each : operation.graph->operations) {
            if (context.error != SUCCESS) break;
            run(context, each);
        }
        break;
    }
}

bool is_legacy(const Stream &stream) {
    return stream.context->legacy.get() == &stream;
}

void invalidate(Stream &stream) {
    if (stream.capture) stream.capture->invalid = true;
}

/* A call that would wait for the stream; refused while it is captured. */
Result wait_for(Stream &stream) {
    if (stream.capture) {
        invalidate(stream);
        return CAPTURE_UNSUPPORTED;
    }
    counts.synchronizations++;
    drain(stream, EVERYTHING);
    check_memory(*stream.context);
    return stream.context->error;
}

std::shared_ptr<Event> event_of(void *handle) {
    auto found = events.find(handle);
    return found == events.end() ? nullptr : found->second;
}

void join_capture(Stream &stream, const Event &event) {
    stream.capture = event.capture;
    auto &known = stream.capture->known[&stream];
    known[&stream] = 1; /* every stream that joined must itself be joined to the origin at the end */
}

}  // namespace

void drain(Stream &stream, uint64_t upto) {
    Context &context = *stream.context;
    while (!stream.queue.empty() && stream.queue.front().sequence <= upto) {
        if (context.error != SUCCESS) {
            stream.queue.clear();
            return;
        }
        const Operation operation = std::move(stream.queue.front());
        stream.queue.pop_front();
        if (is_legacy(stream)) {
            for (auto &[handle, other] : context.streams) {
                if (other->blocking) drain(*other, operation.sequence);
            }
        } else if (stream.blocking && !context.legacy->queue.empty()) {
            drain(*context.legacy, operation.sequence);
        }
        if (context.error == SUCCESS) run(context, operation);
    }
}

void drain_all(Context &context) {
    if (context.legacy) drain(*context.legacy, EVERYTHING);
    for (auto &[handle, stream] : context.streams) drain(*stream, EVERYTHING);
}

Result enqueue(Stream &stream, Operation operation) {
    Context &context = *stream.context;
    if (context.error != SUCCESS) return context.error;
    if (is_legacy(stream)) {
        for (auto &[handle, other] : context.streams) {
            if (other->capture && other->blocking) {
                invalidate(*other);
                return CAPTURE_IMPLICIT;
            }
        }
    }
    operation.sequence = ++last_sequence;
    if (stream.capture) {
        if (stream.capture->invalid) return CAPTURE_INVALIDATED;
        stream.capture->graph->operations.push_back(std::move(operation));
        stream.capture->known[&stream][&stream]++;
        return SUCCESS;
    }
    stream.queue.push_back(std::move(operation));
    if (stream.queue.size() > QUEUE) drain(stream, stream.queue.front().sequence);
    return SUCCESS;
}

Stream *stream_of(Context &context, void *handle) {
    const uintptr_t legacy_handle = 1; /* CU_STREAM_LEGACY */
    if (!handle || reinterpret_cast<uintptr_t>(handle) == legacy_handle) return context.legacy.get();
    Stream *const stream = static_cast<Stream *>(handle);
    if (context.streams.count(stream)) return stream;
    for (auto &other : contexts()) {
        if (other->streams.count(stream)) return stream;
    }
    return nullptr;
}

bool forbidden_by_capture() {
    constexpr int RELAXED = 2; /* CU_STREAM_CAPTURE_MODE_RELAXED */
    bool forbidden = false;
    for (Capture *capture : captures) {
        if (capture->mode == RELAXED) continue;
        capture->invalid = true;
        forbidden = true;
    }
    return forbidden;
}

void check_memory(Context &context) {
    /* Copies are checked against blocks: only kernels can do damage. */
    if (context.error != SUCCESS || context.unchecked.empty()) return;
    const std::string damage = damage_of(context.memory);
    if (!damage.empty()) {
        std::string names;
        for (const std::string &name : context.unchecked) names += (names.empty() ? "" : ", ") + name;
        poison(context, ILLEGAL_ADDRESS, "one of the last kernels (" + names + "): " + damage);
    }
    context.unchecked.clear();
}

void forget_streams(Context &context) {
    for (auto event = events.begin(); event != events.end();) {
        event = event->second->context == &context ? events.erase(event) : std::next(event);
    }
    for (auto &[handle, stream] : context.streams) {
        if (stream->capture) captures.erase(stream->capture.get());
    }
    context.streams.clear();
    context.legacy.reset();
}

}  // namespace driver

using namespace driver;

/* ---- streams ------------------------------------------------------------------------------------------ */

GN_EXPORT int cuStreamCreate(void **handle, unsigned int flags) {
    std::lock_guard guard(lock);
    Result why;
    Context *const context = current(&why);
    if (!context) return why;
    if (!handle || flags > 1) return INVALID_VALUE;
    auto stream = std::make_unique<Stream>();
    stream->context = context;
    stream->blocking = flags == 0; /* CU_STREAM_NON_BLOCKING is 1 */
    *handle = stream.get();
    context->streams[stream.get()] = std::move(stream);
    return SUCCESS;
}

/* Waits for the stream's work; the real driver does not. */
GN_EXPORT int cuStreamDestroy_v2(void *handle) {
    std::lock_guard guard(lock);
    Result why;
    Context *const context = current(&why);
    if (!context) return why;
    Stream *const stream = handle ? stream_of(*context, handle) : nullptr;
    if (!stream || is_legacy(*stream)) return INVALID_HANDLE;
    if (stream->capture) {
        invalidate(*stream);
        captures.erase(stream->capture.get());
    }
    drain(*stream, EVERYTHING);
    Context &owner = *stream->context;
    owner.streams.erase(stream);
    return owner.error;
}

GN_EXPORT int cuStreamSynchronize(void *handle) {
    std::lock_guard guard(lock);
    Result why;
    Context *const context = current(&why);
    if (!context) return why;
    Stream *const stream = stream_of(*context, handle);
    if (!stream) return INVALID_HANDLE;
    if (is_legacy(*stream)) {
        if (forbidden_by_capture()) return CAPTURE_IMPLICIT;
        for (auto &[other_handle, other] : stream->context->streams) {
            if (other->blocking) drain(*other, EVERYTHING);
        }
    }
    return wait_for(*stream);
}

/* Returns whether work is left, and runs one operation: polling eventually completes it. */
GN_EXPORT int cuStreamQuery(void *handle) {
    std::lock_guard guard(lock);
    Result why;
    Context *const context = current(&why);
    if (!context) return why;
    Stream *const stream = stream_of(*context, handle);
    if (!stream) return INVALID_HANDLE;
    if (stream->capture) {
        invalidate(*stream);
        return CAPTURE_UNSUPPORTED;
    }
    if (stream->queue.empty()) return stream->context->error;
    drain(*stream, stream->queue.front().sequence);
    return stream->context->error != SUCCESS ? stream->context->error : NOT_READY;
}

GN_EXPORT int cuStreamWaitEvent(void *handle, void *event_handle, unsigned int flags) {
    std::lock_guard guard(lock);
    Result why;
    Context *const context = current(&why);
    if (!context) return why;
    Stream *const stream = stream_of(*context, handle);
    const std::shared_ptr<Event> event = event_of(event_handle);
    if (!stream || !event) return INVALID_HANDLE;
    if (flags > 1) return INVALID_VALUE;
    if (event->capture) {
        if (!captures.count(event->capture.get())) return INVALID_VALUE;
        if (is_legacy(*stream)) return CAPTURE_IMPLICIT;
        if (stream->capture && stream->capture != event->capture) return CAPTURE_MERGE;
        if (!stream->capture) join_capture(*stream, *event);
        auto &known = stream->capture->known[stream];
        for (const auto &[other, number] : event->known) {
            if (known[other] < number) known[other] = number;
        }
        return SUCCESS;
    }
    if (stream->capture) {
        invalidate(*stream);
        return CAPTURE_ISOLATION;
    }
    if (!event->recorded || event->done) return stream->context->error;
    Operation operation(Kind::WAIT);
    operation.mark = event->mark;
    return enqueue(*stream, std::move(operation));
}

/* ---- events ------------------------------------------------------------------------------------------- */

GN_EXPORT int cuEventCreate(void **handle, unsigned int flags) {
    std::lock_guard guard(lock);
    Result why;
    Context *const context = current(&why);
    if (!context) return why;
    if (!handle || flags > 7) return INVALID_VALUE;
    auto event = std::make_shared<Event>();
    event->context = context;
    event->timed = !(flags & 2); /* CU_EVENT_DISABLE_TIMING */
    *handle = event.get();
    events[event.get()] = event;
    return SUCCESS;
}

GN_EXPORT int cuEventDestroy_v2(void *handle) {
    std::lock_guard guard(lock);
    Result why;
    if (!current(&why)) return why;
    return events.erase(handle) ? SUCCESS : INVALID_HANDLE;
}

GN_EXPORT int cuEventRecord(void *handle, void *stream_handle) {
    std::lock_guard guard(lock);
    Result why;
    Context *const context = current(&why);
    if (!context) return why;
    const std::shared_ptr<Event> event = event_of(handle);
    Stream *const stream = stream_of(*context, stream_handle);
    if (!event || !stream || event->context != stream->context) return INVALID_HANDLE;
    if (stream->capture) {
        if (stream->capture->invalid) return CAPTURE_INVALIDATED;
        event->capture = stream->capture;
        event->known = stream->capture->known[stream];
        return SUCCESS;
    }
    event->capture.reset();
    event->recorded = true;
    event->done = false;
    event->mark = {stream, last_sequence + 1};
    Operation operation(Kind::RECORD);
    operation.event = event;
    return enqueue(*stream, std::move(operation));
}

GN_EXPORT int cuEventQuery(void *handle) {
    std::lock_guard guard(lock);
    Result why;
    Context *const context = current(&why);
    if (!context) return why;
    const std::shared_ptr<Event> event = event_of(handle);
    if (!event) return INVALID_HANDLE;
    if (event->capture) return CAPTURED_EVENT;
    if (event->done) return event->context->error;
    Stream &stream = *event->mark.stream;
    if (!stream.queue.empty()) drain(stream, stream.queue.front().sequence);
    return event->context->error != SUCCESS ? event->context->error : NOT_READY;
}

GN_EXPORT int cuEventSynchronize(void *handle) {
    std::lock_guard guard(lock);
    Result why;
    Context *const context = current(&why);
    if (!context) return why;
    const std::shared_ptr<Event> event = event_of(handle);
    if (!event) return INVALID_HANDLE;
    if (event->capture) return CAPTURED_EVENT;
    counts.synchronizations++;
    if (!event->done) drain(*event->mark.stream, event->mark.sequence);
    check_memory(*event->context);
    return event->context->error;
}

GN_EXPORT int cuEventElapsedTime(float *milliseconds, void *from, void *to) {
    std::lock_guard guard(lock);
    Result why;
    if (!current(&why)) return why;
    const std::shared_ptr<Event> first = event_of(from);
    const std::shared_ptr<Event> last = event_of(to);
    if (!milliseconds) return INVALID_VALUE;
    if (!first || !last || !first->timed || !last->timed || !first->recorded || !last->recorded) {
        return INVALID_HANDLE;
    }
    if (first->capture || last->capture) return CAPTURED_EVENT;
    if (!first->done || !last->done) return NOT_READY;
    *milliseconds = float(last->milliseconds - first->milliseconds);
    return SUCCESS;
}

/* ---- copies ------------------------------------------------------------------------------------------- */

namespace {

Result copy(Stream *stream, uintptr_t to, uintptr_t from, size_t bytes) {
    if (!stream) return INVALID_HANDLE;
    if (bytes == 0) return stream->context->error;
    Operation operation(Kind::COPY);
    operation.to = to;
    operation.from = from;
    operation.bytes = bytes;
    return enqueue(*stream, std::move(operation));
}

}  // namespace

/* Pageable memory is read at once, pinned memory when the copy runs. */
GN_EXPORT int cuMemcpyHtoDAsync_v2(Address to, const void *host, size_t bytes, void *handle) {
    std::lock_guard guard(lock);
    Result why;
    Context *const context = current(&why);
    if (!context) return why;
    Stream *const stream = stream_of(*context, handle);
    if (!stream) return INVALID_HANDLE;
    if (bytes == 0) return SUCCESS;
    if (!host || !owner_of(to, bytes) || owner_of(reinterpret_cast<uintptr_t>(host), 1)) return INVALID_VALUE;
    if (stream->capture || is_pinned(host, bytes)) {
        return copy(stream, to, reinterpret_cast<uintptr_t>(host), bytes);
    }
    Operation operation(Kind::COPY);
    operation.to = to;
    operation.bytes = bytes;
    const uint8_t *const first = static_cast<const uint8_t *>(host);
    operation.staged.assign(first, first + bytes);
    return enqueue(*stream, std::move(operation));
}

/* To pageable memory it returns when the copy is complete; to pinned memory at once. */
GN_EXPORT int cuMemcpyDtoHAsync_v2(void *host, Address from, size_t bytes, void *handle) {
    std::lock_guard guard(lock);
    Result why;
    Context *const context = current(&why);
    if (!context) return why;
    Stream *const stream = stream_of(*context, handle);
    if (!stream) return INVALID_HANDLE;
    if (bytes == 0) return SUCCESS;
    if (!host || !owner_of(from, bytes)) return INVALID_VALUE;
    if (owner_of(reinterpret_cast<uintptr_t>(host), 1)) return INVALID_VALUE;
    const Result result = copy(stream, reinterpret_cast<uintptr_t>(host), from, bytes);
    if (result != SUCCESS || stream->capture || is_pinned(host, bytes)) return result;
    return wait_for(*stream);
}

GN_EXPORT int cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, void *handle) {
    std::lock_guard guard(lock);
    Result why;
    Context *const context = current(&why);
    if (!context) return why;
    if (bytes && (!owner_of(to, bytes) || !owner_of(from, bytes))) return INVALID_VALUE;
    return copy(stream_of(*context, handle), to, from, bytes);
}

GN_EXPORT int cuMemcpyPeerAsync(Address to, void *to_context, Address from, void *from_context, size_t bytes,
                                void *handle) {
    std::lock_guard guard(lock);
    Result why;
    Context *const context = current(&why);
    if (!context) return why;
    bool known_to = false;
    bool known_from = false;
    for (auto &each : contexts()) {
        known_to |= each.get() == to_context;
        known_from |= each.get() == from_context;
    }
    if (!known_to || !known_from) return INVALID_CONTEXT;
    if (bytes && (owner_of(to, bytes) != to_context || owner_of(from, bytes) != from_context)) {
        return INVALID_VALUE;
    }
    return copy(stream_of(*context, handle), to, from, bytes);
}

GN_EXPORT int cuMemsetD8Async(Address to, unsigned char byte, size_t bytes, void *handle) {
    std::lock_guard guard(lock);
    Result why;
    Context *const context = current(&why);
    if (!context) return why;
    Stream *const stream = stream_of(*context, handle);
    if (!stream) return INVALID_HANDLE;
    if (bytes == 0) return SUCCESS;
    if (!owner_of(to, bytes)) return INVALID_VALUE;
    Operation operation(Kind::MEMSET);
    operation.to = to;
    operation.bytes = bytes;
    operation.byte = byte;
    return enqueue(*stream, std::move(operation));
}

/* ---- graphs ------------------------------------------------------------------------------------------- */

GN_EXPORT int cuStreamBeginCapture_v2(void *handle, int mode) {
    std::lock_guard guard(lock);
    Result why;
    Context *const context = current(&why);
    if (!context) return why;
    Stream *const stream = stream_of(*context, handle);
    if (!stream) return INVALID_HANDLE;
    if (mode < 0 || mode > 2) return INVALID_VALUE;
    if (is_legacy(*stream)) return CAPTURE_UNSUPPORTED;
    if (stream->capture) return ILLEGAL_STATE;
    stream->capture = std::make_shared<Capture>();
    stream->capture->origin = stream;
    stream->capture->mode = mode;
    stream->capture->known[stream][stream] = 0;
    captures.insert(stream->capture.get());
    return SUCCESS;
}

GN_EXPORT int cuStreamEndCapture(void *handle, void **graph) {
    std::lock_guard guard(lock);
    Result why;
    Context *const context = current(&why);
    if (!context) return why;
    Stream *const stream = stream_of(*context, handle);
    if (!stream) return INVALID_HANDLE;
    if (!graph) return INVALID_VALUE;
    *graph = nullptr;
    const std::shared_ptr<Capture> capture = stream->capture;
    if (!capture) return ILLEGAL_STATE;
    if (capture->origin != stream) {
        capture->invalid = true;
        return CAPTURE_UNMATCHED;
    }
    captures.erase(capture.get());
    for (auto &each : contexts()) {
        for (auto &[other_handle, other] : each->streams) {
            if (other->capture == capture) other->capture.reset();
        }
    }
    if (capture->invalid) return CAPTURE_INVALIDATED;
    for (const auto &[other, known] : capture->known) {
        if (capture->known[stream][other] < known.at(other)) return CAPTURE_UNJOINED;
    }
    graphs[capture->graph.get()] = capture->graph;
    *graph = capture->graph.get();
    return SUCCESS;
}

GN_EXPORT int cuStreamIsCapturing(void *handle, int *status) {
    std::lock_guard guard(lock);
    Result why;
    Context *const context = current(&why);
    if (!context) return why;
    Stream *const stream = stream_of(*context, handle);
    if (!stream) return INVALID_HANDLE;
    if (!status) return INVALID_VALUE;
    *status = stream->capture ? (stream->capture->invalid ? 2 : 1) : 0;
    return SUCCESS;
}

GN_EXPORT int cuGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long flags) {
    std::lock_guard guard(lock);
    Result why;
    if (!current(&why)) return why;
    const auto found = graphs.find(graph);
    if (!executable || found == graphs.end() || flags > 15) return INVALID_VALUE;
    const auto copied = std::make_shared<const Graph>(*found->second);
    *executable = const_cast<Graph *>(copied.get());
    executables[*executable] = copied;
    return SUCCESS;
}

GN_EXPORT int cuGraphLaunch(void *executable, void *handle) {
    std::lock_guard guard(lock);
    Result why;
    Context *const context = current(&why);
    if (!context) return why;
    Stream *const stream = stream_of(*context, handle);
    const auto found = executables.find(executable);
    if (!stream) return INVALID_HANDLE;
    if (found == executables.end()) return INVALID_VALUE;
    if (stream->capture) return NOT_SUPPORTED; /* a graph within a graph */
    Operation operation(Kind::GRAPH);
    operation.graph = found->second;
    return enqueue(*stream, std::move(operation));
}

GN_EXPORT int cuGraphDestroy(void *graph) {
    std::lock_guard guard(lock);
    Result why;
    if (!current(&why)) return why;
    return graphs.erase(graph) ? SUCCESS : INVALID_VALUE;
}

GN_EXPORT int cuGraphExecDestroy(void *executable) {
    std::lock_guard guard(lock);
    Result why;
    if (!current(&why)) return why;
    return executables.erase(executable) ? SUCCESS : INVALID_VALUE;
}
