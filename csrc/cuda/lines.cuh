/* Lines: the elements along one dimension. A long line is split into parts of equal length, except the last. The
 * assignment of work to threads and blocks depends only on the sizes. */
#pragma once

#include "places.cuh"

#define LINE_THREADS 256

/* The number of lines, the length of each, and the number of parts of each. */
struct gn_line_parts {
    int64_t lines;
    int64_t length;
    int64_t parts;
};

/* Elements [begin, end) of a line. */
struct gn_part {
    int64_t line;
    int64_t part;
    int64_t begin;
    int64_t end;
};
static inline gn_part gn_part_of(const gn_line_parts &work, int64_t line, int64_t part) {
    const int64_t each = (work.length + work.parts - 1) / work.parts;
    return gn_part{line, part, gn_min(part * each, work.length), gn_min((part + 1) * each, work.length)};
}

/* Task `number` for lines that are adjacent in memory: adjacent tasks have adjacent lines, so that reads are
 * coalesced. */
static inline gn_part gn_part_beside(const gn_line_parts &work, int64_t number) {
    return gn_part_of(work, number % work.lines, number / work.lines);
}
/* Task `number` for lines that follow each other in memory. */
static inline gn_part gn_part_along(const gn_line_parts &work, int64_t number) {
    return gn_part_of(work, number / work.parts, number % work.parts);
}
