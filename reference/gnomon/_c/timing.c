/* What a profiler is told of shortcuts (profiler.py): when they, their kernels and Nodes began and ended.
 *
 * While one is at work, every shortcut that stands for a call is entered through ``call_timed``.  One list of events
 * serves all threads: it is touched under the GIL, and by those threads alone whose observer it is for.
 */
#include "house.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <time.h>
#endif

typedef struct Event {
    PyObject *what; /* a Shortcut, or a Node's name */
    PyObject *spec; /* of what a kernel wrote, or NULL */
    int64_t start, end;
    unsigned long thread;
    int scope;
} Event;

static PyObject *owner; /* the observer that wants to know */
static Event *events;
static Py_ssize_t count, room;

static int64_t behind; /* what the profiler's clock shows when this one shows 0 */

static int64_t clock_here(void) {
#ifdef _WIN32
    LARGE_INTEGER ticks, rate;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&rate);
    return (int64_t)((double)ticks.QuadPart * (1e9 / (double)rate.QuadPart));
#else
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
#endif
}

static int64_t now(void) {
    return clock_here() + behind;
}

int64_t begin_timed(void) {
    PyObject *observer = PyObject_CallNoArgs(house.observer);
    if (observer == NULL) {
        forget_error();
        return 0;
    }
    Py_DECREF(observer);
    return observer == owner ? now() : 0;
}

void end_timed(int scope, PyObject *what, PyObject *spec, int64_t start) {
    const int64_t end = now();
    if (!house.is_timing) { /* the profiler was stopped meanwhile */
        return;
    }
    if (count == room) {
        const Py_ssize_t wanted = room ? 2 * room : 1024;
        Event *grown = PyMem_Realloc(events, (size_t)wanted * sizeof *grown);
        if (grown == NULL) {
            return; /* a call that is not told of, rather than one that fails */
        }
        events = grown;
        room = wanted;
    }
    Py_XINCREF(spec);
    events[count++] = (Event){new_reference(what), spec, start, end, PyThread_get_thread_ident(), scope};
}

PyObject *call_timed(PyObject *callable, PyObject *const *args, size_t given, PyObject *names) {
    Shortcut *self = (Shortcut *)callable;
    const int64_t start = house.is_timing ? begin_timed() : 0;
    if (start == 0) {
        return self->work(callable, args, given, names);
    }
    Py_INCREF(callable); /* the call may be its last user's */
    PyObject *result = self->work(callable, args, given, names);
    end_timed(TIMED_OPERATOR, callable, NULL, start);
    Py_DECREF(callable);
    return result;
}

/* Find ``behind`` from a function that gives the profiler's nanoseconds: of some looks at both clocks the quickest
 * counts, and where that sees no difference there is none.  0, or -1 with an exception. */
static int compare_clocks(PyObject *clock) {
    int64_t least = INT64_MAX;
    for (int k = 0; k < 8; k++) {
        const int64_t before = clock_here();
        PyObject *shown = PyObject_CallNoArgs(clock);
        const int64_t took = clock_here() - before;
        const int64_t theirs = shown == NULL ? -1 : PyLong_AsLongLong(shown);
        Py_XDECREF(shown);
        if (PyErr_Occurred()) {
            return -1;
        }
        if (took < least) {
            least = took;
            behind = theirs >= before && theirs <= before + took ? 0 : theirs - before - took / 2;
        }
    }
    return 0;
}

/* start_timing(observer, function that gives nanoseconds) -> is it for this one?  Not where somebody is at it. */
PyObject *start_timing(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *observer, *clock;
    if (!PyArg_ParseTuple(args, "OO", &observer, &clock)) {
        return NULL;
    }
    const int was_timing = house.is_timing;
    if (!was_timing) {
        if (compare_clocks(clock) < 0) {
            return NULL;
        }
        owner = new_reference(observer);
        house.is_timing = 1;
    }
    return PyBool_FromLong(!was_timing);
}

/* stop_timing() -> [(scope, what, spec or None, start, end, thread)], in the order in which they ended */
PyObject *stop_timing(PyObject *module, PyObject *nothing) {
    (void)module;
    (void)nothing;
    house.is_timing = 0;
    Py_CLEAR(owner);
    Event *taken = events;
    const Py_ssize_t length = count;
    events = NULL;
    count = room = 0;
    PyObject *list = PyList_New(length);
    for (Py_ssize_t k = 0; k < length; k++) {
        Event *each = &taken[k];
        PyObject *told = list == NULL ? NULL
                                      : Py_BuildValue("iOOLLk", each->scope, each->what,
                                                      each->spec == NULL ? Py_None : each->spec, (long long)each->start,
                                                      (long long)each->end, each->thread);
        if (told == NULL) {
            Py_CLEAR(list);
        } else {
            PyList_SetItem(list, k, told);
        }
        Py_DECREF(each->what);
        Py_XDECREF(each->spec);
    }
    PyMem_Free(taken);
    return list;
}
