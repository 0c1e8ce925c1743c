/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/trace/path.h"

#include "emul/lib/trace/cache.h"

#include <stdlib.h>

#define NO_PIECE UINT64_MAX

struct walk {
    struct htmt_trace *trace;
    const struct htmt_trace_info *info;
    struct htmt__trace_cache *cache;
    struct htmt__trace_path *path;
    struct htmt_fault *fault;
    htmt_trace_ref ref; /* where the path stands, ... */
    struct htmt_trace_interval here;
    htmt_time at;     /* ... and when: all after it is explained */
    uint64_t steps;   /* that it took */
    uint64_t unknown; /* the piece of which nobody knows yet why it began; NO_PIECE: none */
    bool called;      /* it was set off by another one, as far as is known */
};

/* ---- pieces ---------------------------------------------------------------------------------- */

static int make_room(struct walk *w)
{
    struct htmt__trace_path *p = w->path;
    if (p->count < p->room)
        return 0;
    uint64_t room = p->room ? 2 * p->room : 1024;
    struct htmt__path_piece *more = realloc(p->piece, (size_t)room * sizeof *more);
    if (!more)
        return htmt_fault_set(w->fault, HTMT_ENOMEM, "no host memory for the critical path");
    p->piece = more;
    p->room = room;
    return 0;
}

static void explain(struct walk *w, enum htmt__path_why why, uint32_t of)
{
    if (w->unknown == NO_PIECE)
        return;
    w->path->piece[w->unknown].why = (uint8_t)why;
    w->path->piece[w->unknown].of = of;
    w->unknown = NO_PIECE;
}

/* The piece from `from` to where the path stands. Of no length: there is none. */
static int add(struct walk *w, htmt_time from, enum htmt__path_spent spent,
               enum htmt_path_place place, uint32_t step)
{
    if (from >= w->at)
        return 0;
    explain(w, w->called ? HTMT__PATH_CALLED : HTMT__PATH_CAME, UINT32_MAX);
    int rc = make_room(w);
    if (rc)
        return rc;
    w->unknown = w->path->count++;
    w->called = false;
    w->path->piece[w->unknown] = (struct htmt__path_piece){.interval = w->ref,
                                                           .from = from,
                                                           .to = w->at,
                                                           .step = step,
                                                           .of = UINT32_MAX,
                                                           .spent = (uint8_t)spent,
                                                           .place = (uint8_t)place};
    w->path->total += w->at - from;
    w->at = from;
    return 0;
}

static const struct htmt_trace_step *step_of(const struct walk *w,
                                             const struct htmt_trace_interval *i)
{
    return &w->info->step[i->step];
}

static enum htmt_path_place place_of(enum htmt_trace_place place)
{
    return place == HTMT_TRACE_SENT       ? HTMT_PATH_SENT
           : place == HTMT_TRACE_RECEIVED ? HTMT_PATH_RECEIVED
                                          : HTMT_PATH_SERVED;
}

static bool is_message(enum htmt_trace_place place)
{
    return place == HTMT_TRACE_SENT || place == HTMT_TRACE_RECEIVED;
}

/* ---- one interval ---------------------------------------------------------------------------- */

/* What it waited for is why the last piece began. */
static void explain_wait(struct walk *w)
{
    const struct htmt_trace_step *step = step_of(w, &w->here);
    bool space = step->place == HTMT_TRACE_STALLED || step->place == HTMT_TRACE_ROOM;
    if (space)
        explain(w, HTMT__PATH_SPACE, step->layer);
    else
        explain(w, HTMT__PATH_LINE, step->resource);
}

/* Its service, up to where the path stands, then its wait if nobody knows for whom that was. */
static int spend(struct walk *w, bool flying)
{
    enum htmt_trace_place place = step_of(w, &w->here)->place;
    htmt_time start = w->here.end - w->here.service;
    int rc = add(w, start, HTMT__PATH_IN_SERVICE, flying ? HTMT_PATH_FLYING : place_of(place),
                 w->here.step);
    if (!rc && w->here.wait > 0) {
        explain_wait(w);
        if (w->here.line == HTMT_TRACE_NONE) {
            rc = add(w, start - w->here.wait, HTMT__PATH_WAITING, place_of(place), w->here.step);
            explain_wait(w);
        }
    }
    return rc;
}

/* To the one that ended before. The time between is a way of that message, or of this interval. */
static int go_to(struct walk *w, htmt_trace_ref to, bool *flying)
{
    struct htmt_trace_interval before = w->here;
    enum htmt_trace_place came = step_of(w, &before)->place;
    int rc = htmt__trace_cache_get(w->cache, to, &w->here, w->fault);
    if (rc)
        return rc;
    bool message = is_message(step_of(w, &w->here)->place);
    *flying = came == HTMT_TRACE_RECEIVED && to == before.cause &&
              step_of(w, &w->here)->place == HTMT_TRACE_SENT;
    if (w->here.end < w->at && !*flying)
        rc = add(w, w->here.end, HTMT__PATH_ON_WAY, message ? HTMT_PATH_FLYING : HTMT_PATH_SERVED,
                 message ? w->here.step : before.step);
    w->called |= w->here.serial != before.serial;
    w->ref = to;
    return rc;
}

static int walk(struct walk *w)
{
    bool flying = false;
    int rc = 0;
    while (!rc) {
        rc = spend(w, flying);
        bool waited = w->here.wait > 0 && w->here.line != HTMT_TRACE_NONE;
        htmt_trace_ref next = waited ? w->here.line : w->here.cause;
        if (rc || next == HTMT_TRACE_NONE)
            break;
        if (++w->steps >= w->info->intervals)
            return htmt_fault_set(w->fault, HTMT_EFORMAT,
                                  "the causes in the trace go round in a circle");
        rc = go_to(w, next, &flying);
    }
    return rc ? rc : add(w, 0, HTMT__PATH_ON_WAY, HTMT_PATH_SERVED, w->here.step);
}

/* ---- the last interval ----------------------------------------------------------------------- */

/* Of what ended last: sections take no time, and what had not ended when the run did is the last
 * only if nothing else is. */
static bool is_later(const struct walk *w, const struct htmt_trace_interval *i, htmt_trace_ref ref)
{
    if (i->end > w->info->end || step_of(w, i)->place == HTMT_TRACE_SECTION)
        return false;
    if (w->ref == HTMT_TRACE_NONE || i->end != w->here.end)
        return w->ref == HTMT_TRACE_NONE || i->end > w->here.end;
    return i->open != w->here.open ? w->here.open : ref > w->ref;
}

static void look_through(struct walk *w, const struct htmt_trace_block *b)
{
    for (uint32_t n = 0; n < b->count; n++) {
        htmt_trace_ref ref = htmt_trace_ref_of(b->slice, b->first + n);
        if (!is_later(w, &b->interval[n], ref))
            continue;
        w->ref = ref;
        w->here = b->interval[n];
    }
}

/* Later blocks first: then few must be read. */
static int search_last(struct walk *w)
{
    struct htmt_trace_block b = {0};
    int rc = 0;
    for (uint64_t i = w->info->blocks; i-- && !rc;) {
        rc = htmt_trace_block_at(w->trace, i, &b);
        if (rc || (w->ref != HTMT_TRACE_NONE && b.to < w->here.end))
            continue;
        rc = htmt_trace_block_read(w->trace, i, &b, w->fault);
        if (!rc)
            look_through(w, &b);
    }
    htmt_trace_block_clear(&b);
    return rc;
}

/* A filter may have left out the one that the trace should name. */
static int find_last(struct walk *w)
{
    w->ref = w->info->last;
    return w->ref == HTMT_TRACE_NONE ? search_last(w)
                                     : htmt__trace_cache_get(w->cache, w->ref, &w->here, w->fault);
}

static int start_at_end(struct walk *w)
{
    w->at = w->info->end;
    bool any = w->ref != HTMT_TRACE_NONE;
    int rc = add(w, any ? w->here.end : 0, HTMT__PATH_AT_END, HTMT_PATH_SERVED,
                 any ? w->here.step : UINT32_MAX);
    return rc || !any ? rc : walk(w);
}

int htmt__trace_path_find(struct htmt_trace *t, struct htmt__trace_path *path,
                          struct htmt_fault *fault)
{
    struct walk w = {.trace = t,
                     .info = htmt_trace_info(t),
                     .path = path,
                     .fault = fault,
                     .ref = HTMT_TRACE_NONE,
                     .unknown = NO_PIECE};
    *path = (struct htmt__trace_path){0};
    int rc = htmt__trace_cache_create(&w.cache, t);
    if (rc)
        return htmt_fault_set(fault, rc, "no host memory for the critical path");
    rc = find_last(&w);
    if (!rc)
        rc = start_at_end(&w);
    htmt__trace_cache_destroy(&w.cache);
    return rc;
}

void htmt__trace_path_clear(struct htmt__trace_path *path)
{
    free(path->piece);
    *path = (struct htmt__trace_path){0};
}
