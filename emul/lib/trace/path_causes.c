/* SPDX-License-Identifier: BSD-3-Clause
 *
 * parcels/observe/path.c does the same with the nodes that it keeps during a run.
 */
#include "emul/lib/trace/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACES (HTMT_PATH_RECEIVED + 1)

/* Sums by cause (of each resource and layer), step and place. */
struct sums {
    const struct htmt_trace_info *info;
    const struct htmt__path_piece *piece; /* the last in time first */
    uint64_t pieces;
    uint32_t principal, causes;
    struct sum {
        uint64_t count;
        htmt_time time;
    } * sum;
};

/* UINT32_MAX: none. */
static uint32_t occupied_resource(const struct htmt_trace_info *info,
                                  const struct htmt__path_piece *piece)
{
    bool used = piece->spent == HTMT__PATH_IN_SERVICE && piece->place != HTMT_PATH_FLYING;
    return used ? info->step[piece->step].resource : UINT32_MAX;
}

/* Causes in a row: work, fill, queues, stalls, overhead, drain. */
static uint32_t cause_at(const struct sums *s, enum htmt_path_cause cause, uint32_t of)
{
    uint32_t stalls = HTMT_PATH_QUEUE + s->info->resources, rest = stalls + s->info->layers;
    return cause < HTMT_PATH_QUEUE    ? (uint32_t)cause
           : cause == HTMT_PATH_QUEUE ? HTMT_PATH_QUEUE + of
           : cause == HTMT_PATH_STALL ? stalls + of
                                      : rest + (uint32_t)cause - HTMT_PATH_OVERHEAD;
}

static void name_cause(const struct sums *s, uint32_t at, struct htmt_path_part *part)
{
    uint32_t stalls = HTMT_PATH_QUEUE + s->info->resources, rest = stalls + s->info->layers;
    part->of = UINT32_MAX;
    if (at >= rest) {
        part->cause = HTMT_PATH_OVERHEAD + (at - rest);
    } else if (at >= stalls) {
        part->cause = HTMT_PATH_STALL;
        part->of = at - stalls;
    } else if (at >= HTMT_PATH_QUEUE) {
        part->cause = HTMT_PATH_QUEUE;
        part->of = at - HTMT_PATH_QUEUE;
    } else {
        part->cause = (enum htmt_path_cause)at;
    }
}

/* Of equals the first. */
static int find_principal(struct sums *s)
{
    htmt_time *on = calloc(s->info->resources + 1, sizeof *on);
    if (!on)
        return HTMT_ENOMEM;
    for (uint64_t i = 0; i < s->pieces; i++) {
        uint32_t resource = occupied_resource(s->info, &s->piece[i]);
        if (resource != UINT32_MAX)
            on[resource] += s->piece[i].to - s->piece[i].from;
    }
    for (uint32_t r = 0; r < s->info->resources; r++)
        if (on[r] && (s->principal == UINT32_MAX || on[r] > on[s->principal]))
            s->principal = r;
    free(on);
    return 0;
}

/* ---- from the end to the beginning ----------------------------------------------------------- */

static void add_all(struct sums *s, uint64_t at, uint64_t to, uint32_t cause)
{
    size_t steps = (size_t)s->info->steps + 1;
    for (; at < to; at++) {
        const struct htmt__path_piece *p = &s->piece[at];
        size_t step = p->step == UINT32_MAX ? s->info->steps : p->step;
        size_t place = p->spent == HTMT__PATH_IN_SERVICE ? p->place : HTMT_PATH_FLYING;
        struct sum *sum = &s->sum[((size_t)cause * steps + step) * PLACES + place];
        sum->count++;
        sum->time += p->to - p->from;
    }
}

static bool is_work(const struct sums *s, uint64_t at)
{
    return s->principal != UINT32_MAX && occupied_resource(s->info, &s->piece[at]) == s->principal;
}

/* The work before `at`, or all pieces. */
static uint64_t last_work(const struct sums *s, uint64_t at)
{
    while (at < s->pieces && !is_work(s, at))
        at++;
    return at;
}

/* From `at` back those services of the resource that another one waited for. */
static uint64_t line_end(const struct sums *s, uint64_t at, uint64_t to, uint32_t resource)
{
    bool on = true;
    for (; at != to && on; at++)
        on = s->piece[at].why == HTMT__PATH_LINE && s->piece[at].of == resource;
    return at;
}

static uint32_t stall_of(const struct sums *s, const struct htmt__path_piece *p, uint32_t cause)
{
    bool stall = p->why == HTMT__PATH_SPACE && p->of < s->info->layers;
    return stall ? cause_at(s, HTMT_PATH_STALL, p->of) : cause;
}

/* The first piece, in time, of the way that ends with piece `at`. */
static uint64_t way_begin(const struct sums *s, uint64_t at, uint64_t to)
{
    while (s->piece[at].why == HTMT__PATH_CAME && at + 1 != to)
        at++;
    return at;
}

/* Between two works, back from `at` to `to`. Each parcel's way to the later work is due to what
 * began it; the line at a resource is due to that resource alone. */
static void explain_gap(struct sums *s, uint64_t at, uint64_t to,
                        const struct htmt__path_piece *work)
{
    uint32_t cause = stall_of(s, work, cause_at(s, HTMT_PATH_OVERHEAD, 0));
    while (at != to) {
        uint64_t begin = way_begin(s, at, to);
        const struct htmt__path_piece *first = &s->piece[begin];
        cause = stall_of(s, first, cause);
        add_all(s, at, begin + 1, cause);
        at = begin + 1;
        if (first->why == HTMT__PATH_LINE && first->of < s->info->resources && at != to) {
            uint64_t end = line_end(s, at, to, first->of);
            add_all(s, at, end, cause_at(s, HTMT_PATH_QUEUE, first->of));
            at = end;
        }
    }
}

static void walk(struct sums *s)
{
    const struct htmt__path_piece *work = NULL;
    for (uint64_t at = 0; at < s->pieces;) {
        if (is_work(s, at)) {
            work = &s->piece[at];
            add_all(s, at, at + 1, HTMT_PATH_WORK);
            at++;
            continue;
        }
        uint64_t to = last_work(s, at);
        if (s->principal == UINT32_MAX)
            add_all(s, at, to, cause_at(s, HTMT_PATH_OVERHEAD, 0));
        else if (!work || to == s->pieces)
            add_all(s, at, to, work ? HTMT_PATH_FILL : cause_at(s, HTMT_PATH_DRAIN, 0));
        else
            explain_gap(s, at, to, work);
        at = to;
    }
}

/* ---- what comes of it ------------------------------------------------------------------------ */

static void make_part(const struct sums *s, size_t at, struct htmt_path_part *part)
{
    size_t steps = (size_t)s->info->steps + 1, step = at / PLACES % steps;
    const struct htmt_trace_step *of = step < s->info->steps ? &s->info->step[step] : NULL;
    memset(part, 0, sizeof *part);
    name_cause(s, (uint32_t)(at / PLACES / steps), part);
    snprintf(part->type, sizeof part->type, "%s", of ? of->type : "");
    part->stage = of ? of->stage : HTMT_STAGES;
    part->place = (enum htmt_path_place)(at % PLACES);
    part->resource = of && part->place != HTMT_PATH_FLYING ? of->resource : UINT32_MAX;
    part->count = s->sum[at].count;
    part->time = s->sum[at].time;
}

/* Stable, by time within a cause: there are a few dozen. */
static void insert(struct htmt_path *path, const struct htmt_path_part *part)
{
    uint32_t i = path->count++;
    for (; i && path->part[i - 1].cause == part->cause && path->part[i - 1].of == part->of &&
           path->part[i - 1].time < part->time;
         i--)
        path->part[i] = path->part[i - 1];
    path->part[i] = *part;
}

static int collect(const struct sums *s, size_t cells, struct htmt_path *path)
{
    size_t used = 0;
    for (size_t i = 0; i < cells; i++)
        used += s->sum[i].count != 0;
    path->part = calloc(used + 1, sizeof *path->part);
    if (!path->part)
        return HTMT_ENOMEM;
    for (size_t i = 0; i < cells; i++) {
        struct htmt_path_part part;
        if (!s->sum[i].count)
            continue;
        make_part(s, i, &part);
        path->total += part.time;
        insert(path, &part);
    }
    return 0;
}

int htmt__trace_path_explain(const struct htmt_trace_info *info,
                             const struct htmt__trace_path *path, struct htmt_path *explained)
{
    struct sums s = {
        .info = info, .piece = path->piece, .pieces = path->count, .principal = UINT32_MAX};
    s.causes = cause_at(&s, HTMT_PATH_DRAIN, 0) + 1;
    size_t cells = (size_t)s.causes * (info->steps + 1) * PLACES;
    *explained = (struct htmt_path){.principal = UINT32_MAX, .length = path->count};
    s.sum = calloc(cells, sizeof *s.sum);
    int rc = s.sum ? find_principal(&s) : HTMT_ENOMEM;
    if (!rc) {
        walk(&s);
        explained->principal = s.principal;
        rc = collect(&s, cells, explained);
    }
    free(s.sum);
    return rc;
}
