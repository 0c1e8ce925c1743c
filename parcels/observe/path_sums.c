/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From a critical path to its causes.
 *
 * The path is a chain of intervals; each began at the instant at which the one before it ended. So
 * their lengths add up to the time of the run, whatever causes they are given: the sum over all
 * parts is exact by construction, and only the division among causes is a rule.
 *
 * The rule. The resource with the most time on the path is the principal one; its services are
 * WORK. What comes before the first of them is FILL, what comes after the last DRAIN. A gap between
 * two of them is walked backwards, one way at a time. A way is what one parcel did since something
 * other than its own progress let it begin: the maximal run of intervals that began because their
 * parcel had come. The reason of the first interval of the way decides:
 *
 *     space became free          the way is a STALL of that memory, and so is all before it in the
 *                                gap: whoever gave the space back did it along those ways
 *     a server became free       the way keeps the cause that holds so far; the services before it
 *                                at that server, one after the other, are a QUEUE of it
 *     anything else              the way keeps the cause that holds so far, at first OVERHEAD, or
 *                                the stall that the later work itself waited for
 *
 * An interval that waited for a port inside a network is BLOCKED wherever it lies.
 *
 * Example. The bank P is the principal resource. When parcel C ends on P it starts A and B. Both
 * are moved in over the link L, A first, and B executes on P:
 *
 *     P: C executes    0 to 10   WORK
 *     L: A is moved   10 to 14   QUEUE of L, for which B waited
 *     L: B is moved   14 to 18   OVERHEAD: B's way to P, which began since L was free
 *     P: B executes   18 to 28   WORK
 *
 * 20 of work, 4 of queue and 4 of overhead are the 28 of the run.
 *
 * Cost: the chain is read three times, and the sums need a cell for each cause (of each resource,
 * memory and port), row and place, most of which stay 0.
 */
#include "parcels/observe/path_sums.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PLACES (HTMT_PATH_PAUSED + 1)

struct sums {
    const struct htmt__path_chain *chain;
    uint32_t principal;
    uint64_t length; /* intervals so far */
    struct sum {
        uint64_t count;
        htmt_time time;
    } * cell; /* by cause, row and place */
};

static struct htmt__path_interval interval(const struct sums *s, uint64_t index)
{
    return s->chain->at(s->chain->user, index);
}

/* Causes in a row: work, fill, the queues, the stalls, overhead, drain, the ports. */
static uint32_t cause_number(const struct sums *s, enum htmt_path_cause cause, uint32_t of)
{
    uint32_t stalls = HTMT_PATH_QUEUE + s->chain->resources, rest = stalls + s->chain->layers;
    return cause < HTMT_PATH_QUEUE      ? (uint32_t)cause
           : cause == HTMT_PATH_QUEUE   ? HTMT_PATH_QUEUE + of
           : cause == HTMT_PATH_STALL   ? stalls + of
           : cause == HTMT_PATH_BLOCKED ? rest + 2 + of
                                        : rest + (uint32_t)cause - HTMT_PATH_OVERHEAD;
}

static void name_cause(const struct sums *s, uint32_t number, struct htmt_path_part *part)
{
    uint32_t stalls = HTMT_PATH_QUEUE + s->chain->resources, rest = stalls + s->chain->layers;
    part->of = UINT32_MAX;
    if (number >= rest + 2) {
        part->cause = HTMT_PATH_BLOCKED;
        part->of = number - rest - 2;
        s->chain->name_port(s->chain->user, part);
    } else if (number >= rest) {
        part->cause = HTMT_PATH_OVERHEAD + (number - rest);
    } else if (number >= stalls) {
        part->cause = HTMT_PATH_STALL;
        part->of = number - stalls;
    } else if (number >= HTMT_PATH_QUEUE) {
        part->cause = HTMT_PATH_QUEUE;
        part->of = number - HTMT_PATH_QUEUE;
    } else {
        part->cause = (enum htmt_path_cause)number;
    }
}

/* The resource with the most time on the path; of equal ones the first. */
static int find_principal(struct sums *s)
{
    htmt_time *on = calloc((size_t)s->chain->resources + 1, sizeof *on);
    if (!on)
        return HTMT_ENOMEM;
    for (uint64_t at = s->chain->last; at != HTMT__PATH_BEGIN;) {
        struct htmt__path_interval i = interval(s, at);
        if (i.resource != UINT32_MAX)
            on[i.resource] += i.time;
        at = i.before;
    }
    for (uint32_t r = 0; r < s->chain->resources; r++)
        if (on[r] && (s->principal == UINT32_MAX || on[r] > on[s->principal]))
            s->principal = r;
    free(on);
    return 0;
}

/* All intervals from `at` back to, but without, `to` are due to that cause. Returns `to`. */
static uint64_t add_all(struct sums *s, uint64_t at, uint64_t to, uint32_t cause)
{
    while (at != to) {
        struct htmt__path_interval i = interval(s, at);
        uint32_t due =
            i.why == HTMT__PATH_BLOCKED ? cause_number(s, HTMT_PATH_BLOCKED, i.of) : cause;
        struct sum *sum = &s->cell[((size_t)due * s->chain->rows + i.row) * PLACES + i.place];
        sum->count++;
        sum->time += i.time;
        s->length++;
        at = i.before;
    }
    return to;
}

/* The gap between two services of the principal resource, from `at` back to the earlier one, `to`.
 * `work` is the later one. */
static void explain_gap(struct sums *s, uint64_t at, uint64_t to,
                        const struct htmt__path_interval *work)
{
    uint32_t cause = work->why == HTMT__PATH_SPACE ? cause_number(s, HTMT_PATH_STALL, work->of)
                                                   : cause_number(s, HTMT_PATH_OVERHEAD, 0);
    while (at != to) {
        struct htmt__path_interval first = interval(s, at); /* of the way that ends with `at` */
        while ((first.why == HTMT__PATH_CAME || first.why == HTMT__PATH_BLOCKED) &&
               first.before != to)
            first = interval(s, first.before);
        if (first.why == HTMT__PATH_SPACE)
            cause = cause_number(s, HTMT_PATH_STALL, first.of);
        at = add_all(s, at, first.before, cause);
        if (first.why != HTMT__PATH_LINE || first.of >= s->chain->resources)
            continue;
        /* The services in front of it in the line, back to the one that waited for nobody there. */
        uint64_t end = at;
        for (bool waited = true; waited && end != to;) {
            struct htmt__path_interval i = interval(s, end);
            waited = i.why == HTMT__PATH_LINE && i.of == first.of;
            end = i.before;
        }
        at = add_all(s, at, end, cause_number(s, HTMT_PATH_QUEUE, first.of));
    }
}

/* From the end of the run to its begin, from work to work. */
static void add_path(struct sums *s)
{
    struct htmt__path_interval work = {.resource = UINT32_MAX};
    bool worked = false;
    for (uint64_t at = s->chain->last; at != HTMT__PATH_BEGIN;) {
        uint64_t to = at; /* the last service of the principal resource up to `at` */
        struct htmt__path_interval found = {.resource = UINT32_MAX};
        for (; to != HTMT__PATH_BEGIN; to = found.before) {
            found = interval(s, to);
            if (s->principal != UINT32_MAX && found.resource == s->principal)
                break;
        }
        if (s->principal == UINT32_MAX)
            add_all(s, at, to, cause_number(s, HTMT_PATH_OVERHEAD, 0));
        else if (!worked)
            add_all(s, at, to, cause_number(s, HTMT_PATH_DRAIN, 0));
        else if (to == HTMT__PATH_BEGIN)
            add_all(s, at, to, HTMT_PATH_FILL);
        else
            explain_gap(s, at, to, &work);
        at = to;
        if (to == HTMT__PATH_BEGIN)
            break;
        work = found;
        worked = true;
        at = add_all(s, at, work.before, HTMT_PATH_WORK);
    }
}

/* Makes a part of each cell that has a count: by cause, within a cause the longest first. The sort
 * is stable, and there are a few dozen. */
static int collect(const struct sums *s, size_t cells, struct htmt_path *path)
{
    size_t used = 0;
    for (size_t i = 0; i < cells; i++)
        used += s->cell[i].count != 0;
    path->part = calloc(used + 1, sizeof *path->part);
    if (!path->part)
        return HTMT_ENOMEM;
    for (size_t i = 0; i < cells; i++) {
        struct htmt_path_part part;
        if (!s->cell[i].count)
            continue;
        memset(&part, 0, sizeof part);
        name_cause(s, (uint32_t)(i / PLACES / s->chain->rows), &part);
        part.place = (enum htmt_path_place)(i % PLACES);
        s->chain->name(s->chain->user, (uint32_t)(i / PLACES % s->chain->rows), &part);
        part.count = s->cell[i].count;
        part.time = s->cell[i].time;
        path->total += part.time;
        uint32_t to = path->count++;
        for (; to; to--) {
            const struct htmt_path_part *p = &path->part[to - 1];
            bool together =
                p->cause == part.cause && (part.cause == HTMT_PATH_BLOCKED || p->of == part.of);
            if (!together || p->time >= part.time)
                break;
            path->part[to] = *p;
        }
        path->part[to] = part;
    }
    return 0;
}

int htmt__path_sum(const struct htmt__path_chain *chain, struct htmt_path *path)
{
    struct sums s = {.chain = chain, .principal = UINT32_MAX};
    size_t causes = cause_number(&s, HTMT_PATH_BLOCKED, 0) + (size_t)chain->ports;
    size_t cells = causes * chain->rows * PLACES;
    *path = (struct htmt_path){.principal = UINT32_MAX};
    s.cell = calloc(cells + 1, sizeof *s.cell);
    int rc = s.cell ? find_principal(&s) : HTMT_ENOMEM;
    if (!rc) {
        add_path(&s);
        path->principal = s.principal;
        path->length = s.length;
        rc = collect(&s, cells, path);
    }
    free(s.cell);
    return rc;
}
