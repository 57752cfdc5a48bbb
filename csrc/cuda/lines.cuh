/* Lines: the elements along one dimension.  A long line is cut in parts of equal length but the last; which thread or block
 * does what depends on the sizes alone. */
#pragma once

#include "places.cuh"

#define LINE_THREADS 256

/* How many lines there are, of `length` elements each, and the parts of each. */
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

/* Task `number` of lines that lie side by side: neighbours have neighbouring lines. */
static inline gn_part gn_part_beside(const gn_line_parts &work, int64_t number) {
    return gn_part_of(work, number % work.lines, number / work.lines);
}
/* Task `number` of lines that lie one after the other. */
static inline gn_part gn_part_along(const gn_line_parts &work, int64_t number) {
    return gn_part_of(work, number / work.parts, number % work.parts);
}
