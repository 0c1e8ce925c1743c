/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which bytes of a storage somebody touches: equal pieces at equal distances. They tell rows,
 * columns and tiles of one matrix apart.
 */
#ifndef HTMT_RUNTIME_HOST_EXTENT_H
#define HTMT_RUNTIME_HOST_EXTENT_H

#include <stdbool.h>
#include <stdint.h>

/* `count` pieces of `piece` bytes, the first at `at`, their starts `stride` apart (only of several;
 * not less than a piece). With `planes` above 1 so many of these, `plane` apart (not less than from
 * the first byte of one to its last). All zero: the whole storage. */
struct htmt__extent {
    uint64_t at, piece, count, stride;
    uint64_t planes, plane;
};

static inline bool htmt__extent_whole(const struct htmt__extent *x)
{
    return !x->count;
}

static inline struct htmt__extent htmt__extent_run(uint64_t at, uint64_t bytes)
{
    return (struct htmt__extent){.at = at, .piece = bytes, .count = 1};
}

/* From the first byte of a plane to its last. */
static inline uint64_t htmt__extent_rows(const struct htmt__extent *x)
{
    return (x->count - 1) * x->stride + x->piece;
}

static inline uint64_t htmt__extent_end(const struct htmt__extent *x)
{
    return x->at + (x->planes > 1 ? (x->planes - 1) * x->plane : 0) + htmt__extent_rows(x);
}

/* The run from the first byte of either to the last. */
static inline struct htmt__extent htmt__extent_hull(const struct htmt__extent *a,
                                                    const struct htmt__extent *b)
{
    if (htmt__extent_whole(a) || htmt__extent_whole(b))
        return (struct htmt__extent){0};
    uint64_t at = a->at < b->at ? a->at : b->at;
    uint64_t ends[] = {htmt__extent_end(a), htmt__extent_end(b)};
    return htmt__extent_run(at, (ends[0] > ends[1] ? ends[0] : ends[1]) - at);
}

/* Both together, if they are columns side by side, a's first or the same, of as many rows as the
 * longer has; else the hull. */
static inline struct htmt__extent htmt__extent_join(const struct htmt__extent *a,
                                                    const struct htmt__extent *b)
{
    struct htmt__extent both = *a;
    uint64_t apart = b->at - a->at;
    if (a->planes > 1 || b->planes > 1 || a->count < 2 || b->count < 2 || a->stride != b->stride ||
        b->at < a->at || apart > a->piece || apart + b->piece > a->stride)
        return htmt__extent_hull(a, b);
    both.piece = apart + b->piece > a->piece ? apart + b->piece : a->piece;
    both.count = a->count > b->count ? a->count : b->count;
    return both;
}

/* Pieces on the circle of that circumference, as far as the first of either tells. */
static inline bool htmt__extent_arcs_meet(const struct htmt__extent *a,
                                          const struct htmt__extent *b, uint64_t circle)
{
    uint64_t ahead = (b->at % circle + circle - a->at % circle) % circle;
    return ahead < a->piece || circle - ahead < b->piece;
}

/* How much of a circle an extent covers at most, from where it begins on: boxes of one array meet
 * neither in the plane nor in the row if they lie apart there. */
static inline uint64_t htmt__extent_arc(const struct htmt__extent *x, uint64_t circle)
{
    const bool planes = x->planes > 1;
    if (planes && x->plane % circle)
        return circle;
    if (x->count == 1 || x->stride % circle == 0)
        return x->piece;
    return htmt__extent_rows(x);
}

/* Of two extents of which one has planes at least: false if they lie apart on a circle. */
static inline bool htmt__extents_meet_in_planes(const struct htmt__extent *a,
                                                const struct htmt__extent *b)
{
    const uint64_t circles[] = {a->planes > 1 ? a->plane : 0, a->count > 1 ? a->stride : 0,
                                b->planes > 1 ? b->plane : 0, b->count > 1 ? b->stride : 0};
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t circle = circles[i];
        if (!circle)
            continue;
        const uint64_t ahead = (b->at % circle + circle - a->at % circle) % circle;
        if (ahead >= htmt__extent_arc(a, circle) && circle - ahead >= htmt__extent_arc(b, circle))
            return false;
    }
    return true;
}

/* false: they have no byte in common. true: they may have. */
static inline bool htmt__extents_meet(const struct htmt__extent *a, const struct htmt__extent *b)
{
    if (htmt__extent_whole(a) || htmt__extent_whole(b))
        return true;
    if (htmt__extent_end(a) <= b->at || htmt__extent_end(b) <= a->at)
        return false;
    if (a->planes > 1 || b->planes > 1)
        return htmt__extents_meet_in_planes(a, b);
    uint64_t circle = a->count > 1 ? a->stride : b->stride;
    if ((a->count == 1 && b->count == 1) || (b->count > 1 && b->stride != circle))
        return true;
    return htmt__extent_arcs_meet(a, b, circle);
}

#endif
