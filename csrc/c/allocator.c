/* Memory: size classes, four to a power of two, each with a list of free blocks.
 *
 * A block is a header of 64 bytes and then the memory.  Freed blocks are kept for the next request of their
 * class: the first touch of fresh pages costs about ten times what reading and writing them does.
 *
 * A limit may be set on the sum of allocated and cached bytes. Where a request would exceed it, cached blocks are first
 * returned to the system, as they are when the system has no memory left.
 *
 * Under AddressSanitizer each request gets a separate block of exactly its size, which is never reused, so that
 * accesses past its end or after it is freed are detected. */
#define _DEFAULT_SOURCE /* madvise, sysconf */

#include "fork.h"
#include "kernel.h"
#include "workspace.h"

#include <stdatomic.h>

#if defined(_WIN32)
#include <malloc.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

#define ALIGNMENT 64
#define HEADER 64
#define HUGE_PAGE (2 << 20)
/* Blocks of at least this many bytes use huge pages; for smaller ones, rounding up would waste much. */
#define HUGE_FROM (4 << 20)
/* Requests above 2^47 bytes, the size of the user's address space on most 64-bit systems, are not even tried. */
#define LARGEST_BITS 47
#define CLASS_COUNT ((LARGEST_BITS - 6) * 4 + 1)
/* The most bytes in free lists; a quarter of the machine's memory where that is less. */
#define CACHE_LIMIT ((int64_t)4 << 30)

#if defined(__SANITIZE_ADDRESS__)
#define GN_EXACT 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GN_EXACT 1
#endif
#endif
#ifndef GN_EXACT
#define GN_EXACT 0
#endif

typedef struct block {
    int64_t class;
    int64_t size; /* bytes without the header */
    struct block *next; /* in its free list */
} block;

static block *free_lists[CLASS_COUNT];
static int64_t allocated_bytes;
static int64_t cached_bytes;
static int64_t peak_bytes;
static int64_t cache_limit; /* 0: not determined yet */
static int64_t total_limit; /* limit of allocated and cached bytes together; 0: none */
static atomic_flag lock = ATOMIC_FLAG_INIT;

/* Held for about ten instructions, so spinning beats a mutex. */
static void acquire_lock(void) {
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {
    }
}

static void release_lock(void) {
    atomic_flag_clear_explicit(&lock, memory_order_release);
}

void gn_lock_memory(void) {
    acquire_lock();
}

void gn_unlock_memory(void) {
    release_lock();
}

/* The class of a request: the least whose size is not below nbytes, 0 <= nbytes <= 2^LARGEST_BITS.
 * Class 0 has 64 bytes; class 4 e + s + 1 has (5 + s) 2^(e + 4). */
static int64_t class_of(uint64_t nbytes) {
    if (nbytes <= 64) {
        return 0;
    }
    const uint64_t last = nbytes - 1;
    int64_t exponent = 6;
    while (last >> (exponent + 1) != 0) {
        exponent++;
    }
    return (exponent - 6) * 4 + (int64_t)((last >> (exponent - 2)) & 3) + 1;
}

/* Bytes of a block of this class, without the header. */
static int64_t class_size(int64_t class) {
    if (class == 0) {
        return 64;
    }
    return ((class - 1) % 4 + 5) << ((class - 1) / 4 + 4);
}

/* A block of `size` bytes from the system, or NULL. */
static block *system_allocate(int64_t class, int64_t size) {
    const int64_t alignment = size >= HUGE_FROM && !GN_EXACT ? HUGE_PAGE : ALIGNMENT;
    const int64_t nbytes = GN_EXACT ? size + HEADER : (size + HEADER + alignment - 1) / alignment * alignment;
#if GN_EXACT
    void *exact = NULL;
    block *fresh = posix_memalign(&exact, (size_t)alignment, (size_t)nbytes) == 0 ? exact : NULL;
#elif defined(_WIN32)
    block *fresh = _aligned_malloc((size_t)nbytes, (size_t)alignment);
#else
    block *fresh = aligned_alloc((size_t)alignment, (size_t)nbytes);
#endif
    if (fresh == NULL) {
        return NULL;
    }
    if ((uint64_t)(uintptr_t)fresh + (uint64_t)nbytes >= (uint64_t)1 << 53) {
        abort(); /* the address would not be exact in a double */
    }
#ifdef MADV_HUGEPAGE
    if (size >= HUGE_FROM) {
        madvise(fresh, (size_t)nbytes, MADV_HUGEPAGE); /* only advice: failure is ignored */
    }
#endif
    fresh->class = class;
    fresh->size = size;
    return fresh;
}

static void system_free(block *old) {
#if defined(_WIN32)
    _aligned_free(old);
#else
    free(old);
#endif
}

/* The most bytes to cache in free lists on this machine. */
static int64_t settle_cache_limit(void) {
    int64_t limit = CACHE_LIMIT;
#ifdef _SC_PHYS_PAGES
    const int64_t pages = sysconf(_SC_PHYS_PAGES);
    const int64_t page_size = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page_size > 0) {
        limit = gn_min(limit, pages * page_size / 4);
    }
#endif
    return limit;
}

/* Whether `size` new bytes would exceed the limit; the lock is held. */
static int passes_limit(int64_t size) {
    return total_limit > 0 && allocated_bytes + cached_bytes + size > total_limit;
}

/* Counts `size` new bytes as allocated unless they would exceed the limit; returns whether it did. */
static int count_fresh(int64_t size) {
    acquire_lock();
    if (passes_limit(size) && cached_bytes > 0) {
        release_lock();
        gn_empty_cache();
        acquire_lock();
    }
    const int fits = !passes_limit(size);
    allocated_bytes += fits ? size : 0;
    release_lock();
    return fits;
}

/* Updates the peak of the allocated bytes. */
static void count_peak(void) {
    peak_bytes = gn_max(peak_bytes, allocated_bytes);
}

void *gn_take(int64_t nbytes) {
    if (nbytes < 0 || nbytes > (int64_t)1 << LARGEST_BITS) {
        return NULL;
    }
    const int64_t class = class_of((uint64_t)nbytes);
    const int64_t size = GN_EXACT ? nbytes : class_size(class);
    acquire_lock();
    block *taken = free_lists[class];
    if (taken != NULL) {
        free_lists[class] = taken->next;
        cached_bytes -= size;
        allocated_bytes += size;
        count_peak();
        release_lock();
        return (char *)taken + HEADER;
    }
    release_lock();
    if (!count_fresh(size)) {
        return NULL;
    }
    taken = system_allocate(class, size);
    if (taken == NULL) {
        gn_empty_cache();
        taken = system_allocate(class, size);
    }
    acquire_lock();
    if (taken == NULL) {
        allocated_bytes -= size;
    } else {
        count_peak();
    }
    release_lock();
    return taken == NULL ? NULL : (char *)taken + HEADER;
}

void *gn_take_items(int64_t count, size_t size) {
    return gn_take(gn_checked(count, (int64_t)size));
}

void gn_give(void *memory) {
    if (memory == NULL) {
        return;
    }
    block *given = (block *)((char *)memory - HEADER);
    const int64_t size = given->size;
    acquire_lock();
    if (cache_limit == 0) {
        cache_limit = settle_cache_limit();
    }
    allocated_bytes -= size;
    const int keep = !GN_EXACT && cached_bytes + size <= cache_limit;
    if (keep) {
        given->next = free_lists[given->class];
        free_lists[given->class] = given;
        cached_bytes += size;
    }
    release_lock();
    if (!keep) {
        system_free(given);
    }
}

double gn_allocate(double nbytes) {
    if (!(nbytes >= 0 && nbytes <= 0x1p47)) {
        return 0;
    }
    return gn_address(gn_take((int64_t)nbytes));
}

void gn_free(double address) {
    gn_give(gn_pointer(address));
}

void gn_empty_cache(void) {
    for (int64_t class = 0; class < CLASS_COUNT; class++) {
        acquire_lock();
        block *list = free_lists[class];
        free_lists[class] = NULL;
        for (block *each = list; each != NULL; each = each->next) {
            cached_bytes -= each->size;
        }
        release_lock();
        while (list != NULL) {
            block *next = list->next;
            system_free(list);
            list = next;
        }
    }
}

void gn_memory_stats(int64_t *allocated, int64_t *cached, int64_t *peak) {
    acquire_lock();
    *allocated = allocated_bytes;
    *cached = cached_bytes;
    *peak = peak_bytes;
    release_lock();
}

void gn_reset_peak(void) {
    acquire_lock();
    peak_bytes = allocated_bytes;
    release_lock();
}

void gn_set_memory_limit(double nbytes) {
    acquire_lock();
    total_limit = nbytes > 0 && nbytes < 0x1p62 ? (int64_t)nbytes : 0;
    release_lock();
}
