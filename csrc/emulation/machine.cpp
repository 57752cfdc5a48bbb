/* Runs a kernel: one block after another, one thread of it after another, on fibers where they wait. */
#include <cstdio>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/mman.h>

#include "driver.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if defined(__x86_64__)
/* Saves the callee-saved registers and switches to another stack: 24 times as fast as ucontext. */
extern "C" void gn_emulation_switch(void **save, void *to);
__asm__(
    ".text\n.type gn_emulation_switch,@function\n.hidden gn_emulation_switch\n.globl gn_emulation_switch\n"
    "gn_emulation_switch:\n"
    "push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
    "mov %rsp,(%rdi); mov %rsi,%rsp\n"
    "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp; ret\n"
    ".size gn_emulation_switch, .-gn_emulation_switch\n");
struct Registers {
    void *stack_pointer;
};
static void prepare(Registers *registers, char *stack, size_t bytes, void (*entry)()) {
    void **top = reinterpret_cast<void **>(reinterpret_cast<uintptr_t>(stack + bytes) & ~uintptr_t(15));
    *--top = nullptr; /* the entry's return address: it never returns */
    *--top = reinterpret_cast<void *>(entry);
    for (int i = 0; i < 6; i++) *--top = nullptr;
    registers->stack_pointer = top;
}
static void exchange(Registers *from, Registers *to) {
    gn_emulation_switch(&from->stack_pointer, to->stack_pointer);
}
#else
#include <ucontext.h>
using Registers = ucontext_t;
static void prepare(Registers *registers, char *stack, size_t bytes, void (*entry)()) {
    getcontext(registers);
    registers->uc_stack.ss_sp = stack;
    registers->uc_stack.ss_size = bytes;
    registers->uc_link = nullptr;
    makecontext(registers, entry, 0);
}
static void exchange(Registers *from, Registers *to) {
    swapcontext(from, to);
}
#endif

namespace driver {

uint32_t warp_epoch[32];
uint32_t block_epoch;

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr size_t STACK = 512 * 1024; /* frames have red zones */
#else
constexpr size_t STACK = 128 * 1024;
#endif
constexpr uint32_t MOST_THREADS = 1024;
constexpr uint32_t WARPS = MOST_THREADS / 32;
constexpr uint8_t UNDEFINED_BYTE = 0xA5;

struct Fiber {
    Registers registers;
    char *stack;
    size_t bytes; /* tops of stacks differ modulo the page size, to avoid cache conflicts */
    void *fake_stack; /* AddressSanitizer's */
};

enum State : uint8_t { RUNS, WAITS_FOR_BLOCK, WAITS_FOR_WARP, MAY_GO_ON };

/* The state of a waiting thread: its fiber, and its operands in an operation of its warp. */
struct Thread {
    State state;
    uint8_t operation;
    uint32_t mask, source;
    int line;
    uint64_t value, result;
    Fiber *fiber;
};

gn_emulated_machine machine;
Thread threads[MOST_THREADS];
uint32_t warp_waiting[WARPS]; /* lanes waiting for an operation of their warp */
uint32_t arrived;             /* threads at the block's barrier */
uint32_t ready[MOST_THREADS]; /* a ring of runnable threads */
uint32_t ready_begin, ready_count;
uint64_t blocks_left;

const gn_emulated_kernel *kernel;
Fiber main_fiber; /* the caller of run_kernel */
Fiber *running;
std::vector<Fiber *> idle;
std::vector<Fiber *> busy_or_idle; /* all existing fibers */
struct alignas(128) Line {
    uint8_t bytes[128];
};
std::vector<Line> dynamic_shared;
const Module *kernel_module;
const Memory *device_memory;
pthread_t kernel_caller;

Result failure;
std::string failure_text;

void switch_to(Fiber *to) {
    Fiber *const from = running;
    counts.switches++;
    running = to;
    machine.stack_begin = reinterpret_cast<uintptr_t>(to->stack);
    machine.stack_bytes = to->bytes;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, STACK);
    exchange(&from->registers, &to->registers);
    __sanitizer_finish_switch_fiber(from->fake_stack, nullptr, nullptr);
#else
    exchange(&from->registers, &to->registers);
#endif
}

void push_ready(uint32_t thread) {
    threads[thread].state = MAY_GO_ON;
    ready[(ready_begin + ready_count++) % MOST_THREADS] = thread;
}

void begin_block() {
    machine.next = machine.suspended = machine.ended = 0;
    arrived = 0;
    ready_begin = ready_count = 0;
    block_epoch++;
}

/* Sets the index of the next block; false after the last. */
bool next_block() {
    if (--blocks_left == 0) return false;
    uint3 &at = machine.block_index;
    if (++at.x == machine.grid.x) {
        at.x = 0;
        if (++at.y == machine.grid.y) {
            at.y = 0;
            at.z++;
        }
    }
    begin_block();
    return true;
}

Fiber *unused_fiber();

/* A fiber with work: a runnable thread, or threads that have not begun; or null. */
Fiber *choose() {
    if (ready_count) {
        const uint32_t thread = ready[ready_begin];
        ready_begin = (ready_begin + 1) % MOST_THREADS;
        ready_count--;
        threads[thread].state = RUNS;
        machine.suspended--;
        machine.current = thread;
        return threads[thread].fiber;
    }
    return machine.next < machine.count ? unused_fiber() : nullptr;
}

/* A description of where the kernel is. */
std::string place() {
    char text[160];
    const uint3 &at = machine.block_index;
    const dim3 &size = machine.block;
    const uint32_t row = machine.current / size.x;
    snprintf(text, sizeof text, " (block %u,%u,%u thread %u,%u,%u)", at.x, at.y, at.z,
             machine.current % size.x, row % size.y, row / size.y);
    return text;
}

}  // namespace

void fail(Result result, const std::string &text) {
    failure = result;
    failure_text = text + place();
    switch_to(&main_fiber);
    abort();
}

uint32_t current_thread() {
    return machine.current;
}

namespace {

bool has_ended(uint32_t thread) {
    return thread < machine.next && threads[thread].state == RUNS && thread != machine.current;
}

std::string named(uint32_t thread) {
    return "thread " + std::to_string(thread);
}

/* Deadlock: describes which threads wait for what. */
[[noreturn]] void deadlock() {
    uint32_t at_block = 0;
    uint32_t at_warp = 0;
    std::string where;
    for (uint32_t i = 0; i < machine.count; i++) {
        const Thread &thread = threads[i];
        if (thread.state != WAITS_FOR_BLOCK && thread.state != WAITS_FOR_WARP) continue;
        uint32_t &first = thread.state == WAITS_FOR_BLOCK ? at_block : at_warp;
        if (first++ == 0) {
            where += (where.empty() ? "" : ", ") + named(i) + " at line " + std::to_string(thread.line);
        }
    }
    fail(LAUNCH_FAILED, "deadlock: " + std::to_string(at_block) +
                            " threads wait at a barrier of the block and " + std::to_string(at_warp) +
                            " in operations of their warps, of " + std::to_string(machine.count) + "; " +
                            where);
}

/* The current thread waits; others run until it can continue. */
void suspend(State state, uint32_t thread) {
    threads[thread].state = state;
    threads[thread].fiber = running;
    machine.suspended++;
    Fiber *const to = choose();
    if (!to) deadlock();
    switch_to(to);
}

void block_barrier(int line) {
    settle_writes();
    const uint32_t me = machine.current;
    if (machine.ended) {
        fail(LAUNCH_FAILED, "a barrier that not all threads reach: " + named(me) + " waits at line " +
                                std::to_string(line) + ", but " + std::to_string(machine.ended) +
                                " threads of its block have ended");
    }
    threads[me].line = line;
    if (++arrived < machine.count) {
        suspend(WAITS_FOR_BLOCK, me);
        return;
    }
    arrived = 0;
    block_epoch++;
    for (uint32_t i = 0; i < machine.count; i++) {
        if (i == me) continue;
        if (threads[i].line != line) {
            fail(LAUNCH_FAILED, "threads of one block wait at different barriers: " + named(i) + " at line " +
                                    std::to_string(threads[i].line) + ", " + named(me) + " at line " +
                                    std::to_string(line));
        }
        push_ready(i);
    }
}

/* Completes the operation of the lanes of a warp that wait with `mask`, if all have arrived. `me` has arrived, but does
 * not wait; MOST_THREADS if there is none. */
bool complete(uint32_t warp, uint32_t mask, uint32_t me) {
    const uint32_t base = warp * 32;
    const uint32_t lanes = machine.count - base < 32 ? machine.count - base : 32;
    const uint32_t existing = lanes == 32 ? ~0u : (1u << lanes) - 1;
    uint32_t here = warp_waiting[warp];
    if (me != MOST_THREADS) here |= 1u << (me - base);
    /* From the last lane on, which is the most likely to be missing. */
    for (uint32_t missing = mask & existing & ~here; missing;) {
        const uint32_t lane = 31 - uint32_t(__builtin_clz(missing));
        if (!has_ended(base + lane)) return false;
        missing &= ~(1u << lane);
    }
    const uint32_t group = mask & here;
    const Thread &first = threads[base + uint32_t(__builtin_ctz(group))];
    uint32_t ballot = 0;
    for (uint32_t left = group; left; left &= left - 1) {
        const uint32_t index = base + uint32_t(__builtin_ctz(left));
        const Thread &thread = threads[index];
        if (thread.mask != mask || thread.line != first.line || thread.operation != first.operation) {
            fail(LAUNCH_FAILED, "lanes of one warp meet in different operations: line " +
                                    std::to_string(first.line) + " and line " + std::to_string(thread.line) +
                                    (thread.mask != mask ? ", with different masks" : ""));
        }
        if (thread.value) ballot |= 1u << (index - base);
    }
    for (uint32_t left = group; left; left &= left - 1) {
        Thread &thread = threads[base + uint32_t(__builtin_ctz(left))];
        if (thread.operation == GN_WARP_SHUFFLE) {
            /* The value of a lane that does not participate is undefined. */
            if (thread.source < 32 && group >> thread.source & 1) {
                thread.result = threads[base + thread.source].value;
            } else {
                memset(&thread.result, UNDEFINED_BYTE, sizeof thread.result);
            }
        } else {
            thread.result = ballot;
        }
    }
    warp_waiting[warp] &= ~group;
    warp_epoch[warp]++;
    for (uint32_t left = group; left; left &= left - 1) {
        const uint32_t index = base + uint32_t(__builtin_ctz(left));
        if (index != me) push_ready(index);
    }
    return true;
}

void warp_operation(int operation, uint32_t mask, uint64_t *value, uint32_t source, int line) {
    settle_writes();
    const uint32_t me = machine.current;
    const uint32_t bit = 1u << (me % 32);
    Thread &thread = threads[me];
    thread.operation = uint8_t(operation);
    thread.mask = mask;
    thread.source = source;
    thread.line = line;
    thread.value = *value;
    if (!(mask & bit)) {
        fail(LAUNCH_FAILED, named(me) + " takes part in an operation of its warp at line " +
                                std::to_string(line) + ", but is not in its mask");
    }
    if (!complete(me / 32, mask, me)) {
        warp_waiting[me / 32] |= bit;
        suspend(WAITS_FOR_WARP, me);
    }
    *value = thread.result;
}

void thread_ended() {
    const uint32_t me = machine.current;
    if (arrived) {
        fail(LAUNCH_FAILED, "a barrier that not all threads reach: " + named(me) + " has ended, while " +
                                std::to_string(arrived) + " threads of its block wait at one");
    }
    const uint32_t warp = me / 32;
    if (!warp_waiting[warp]) return;
    /* No thread waits for it any more. */
    machine.current = MOST_THREADS;
    for (uint32_t left = warp_waiting[warp]; left; left &= left - 1) {
        const uint32_t lane = uint32_t(__builtin_ctz(left));
        if (warp_waiting[warp] >> lane & 1) complete(warp, threads[warp * 32 + lane].mask, MOST_THREADS);
    }
}

/* The main loop of a fiber: runs threads of a block that have not begun, then those of the next block. */
void live() {
#if defined(__SANITIZE_ADDRESS__)
    if (main_fiber.stack == nullptr) {
        size_t bytes;
        const void *bottom;
        __sanitizer_finish_switch_fiber(nullptr, &bottom, &bytes);
        main_fiber.stack = static_cast<char *>(const_cast<void *>(bottom));
    } else {
        __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
    }
#endif
    for (;;) {
        kernel->run(&machine);
        settle_writes();
        if (machine.suspended == 0 && next_block()) continue;
        Fiber *to = machine.suspended == 0 ? &main_fiber : choose();
        if (!to) deadlock();
        idle.push_back(running);
        switch_to(to);
    }
}

Fiber *unused_fiber() {
    if (!idle.empty()) {
        Fiber *const fiber = idle.back();
        idle.pop_back();
        return fiber;
    }
    const size_t page = 4096;
    void *const memory = mmap(nullptr, STACK + page, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        fprintf(stderr, "gnomon's emulated driver: no memory for the stack of a thread\n");
        abort();
    }
    mprotect(memory, page, PROT_NONE); /* a guard page against stack overflow */
    Fiber *const fiber = new Fiber{};
    fiber->stack = static_cast<char *>(memory) + page;
    fiber->bytes = STACK - busy_or_idle.size() % 61 * 192;
    prepare(&fiber->registers, fiber->stack, fiber->bytes, live);
    busy_or_idle.push_back(fiber);
    return fiber;
}

#if !defined(__SANITIZE_ADDRESS__)
struct sigaction earlier_actions[NSIG];

/* A kernel's access to an unmapped address, or a division by zero: the kernel fails, not the process. Signals outside
 * kernels go to the previous handlers. */
void on_signal(int signal, siginfo_t *, void *) {
    if (running && running != &main_fiber && pthread_equal(pthread_self(), kernel_caller)) {
        if (signal == SIGFPE) fail(LAUNCH_FAILED, "an integer is divided by zero");
        fail(ILLEGAL_ADDRESS, "an access to an address where no memory is");
    }
    sigaction(signal, &earlier_actions[signal], nullptr);
}

void watch_signals() {
    static bool watching = false;
    if (watching) return;
    watching = true;
    struct sigaction action = {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_NODEFER; /* the handler does not return, and the next signal must arrive */
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE}) sigaction(signal, &action, &earlier_actions[signal]);
}
#else
void watch_signals() {} /* the sanitizer's report has more details */
#endif

/* After a failure all fibers are recreated. */
void give_up_fibers() {
    idle.clear();
    for (Fiber *fiber : busy_or_idle) {
#if defined(__SANITIZE_ADDRESS__)
        __asan_unpoison_memory_region(fiber->stack, STACK);
#endif
        fiber->fake_stack = nullptr;
        prepare(&fiber->registers, fiber->stack, fiber->bytes, live);
        idle.push_back(fiber);
    }
    memset(threads, 0, sizeof threads);
    memset(warp_waiting, 0, sizeof warp_waiting);
}

}  // namespace

Result run_kernel(const Memory &memory, const Launch &launch, std::string *text) {
    kernel = launch.function->kernel;
    kernel_module = launch.function->module;
    device_memory = &memory;
    void *parameters[launch.places.size() + 1];
    for (size_t i = 0; i < launch.places.size(); i++) {
        parameters[i] = const_cast<uint8_t *>(launch.parameters.data()) + launch.places[i];
    }
    machine.grid = launch.grid;
    machine.block = launch.block;
    machine.block_index = {0, 0, 0};
    machine.count = launch.block.x * launch.block.y * launch.block.z;
    machine.parameters = parameters;
    machine.memory_begin = memory.begin;
    machine.memory_bytes = memory.reserved;
    machine.memory_valid = memory.valid;
    machine.thread_ended = thread_ended;
    machine.block_barrier = block_barrier;
    machine.warp_operation = warp_operation;
    machine.fail = [](int result, const char *why) { fail(Result(result), why); };
    machine.access = [](uintptr_t address, uint32_t bytes, int kind) {
        check_access(*device_memory, *kernel_module, machine, address, bytes, kind);
    };
    dynamic_shared.resize((launch.shared_bytes + DYNAMIC_SLACK) / sizeof dynamic_shared[0] + 1);
    memset(dynamic_shared.data(), UNDEFINED_BYTE, launch.shared_bytes);
    machine.dynamic_shared = dynamic_shared.data();
    machine.dynamic_shared_bytes = launch.shared_bytes;
    begin_checks(*kernel_module, launch.shared_bytes);
    blocks_left = uint64_t(launch.grid.x) * launch.grid.y * launch.grid.z;
    failure = SUCCESS;
    begin_block();
    kernel_caller = pthread_self();
    watch_signals();
    running = &main_fiber;
    switch_to(unused_fiber());
    if (failure != SUCCESS) {
        give_up_fibers();
        *text = failure_text;
    }
    return failure;
}

}  // namespace driver
