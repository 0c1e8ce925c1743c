/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/trace_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACES (HTMT_PATH_RECEIVED + 1)

static const char *const names[HTMT_PATH_CAUSES] = {"work",  "fill",     "queue",
                                                    "stall", "overhead", "drain"};

const char *htmt_path_cause_name(enum htmt_path_cause cause)
{
    return cause < HTMT_PATH_CAUSES ? names[cause] : "?";
}

/* Sums by cause (of each resource and layer), phase and place. */
struct sums {
    const struct htmt_emulator *e;
    const struct htmt__phase **phase;
    uint32_t phases, resources, causes, principal;
    struct sum {
        uint64_t count;
        htmt_time time;
    } * sum;
};

static uint32_t resource_of(const struct sums *s, const struct htmt__node *n)
{
    const struct htmt__phase *p = s->phase[n->phase];
    return n->place == HTMT_PATH_FLYING     ? UINT32_MAX
           : n->place == HTMT_PATH_RECEIVED ? p->in_resource
                                            : p->resource;
}

/* Causes in a row: work, fill, queues, stalls, overhead, drain. */
static uint32_t cause_at(const struct sums *s, enum htmt_path_cause cause, uint32_t of)
{
    uint32_t stalls = HTMT_PATH_QUEUE + s->resources, rest = stalls + s->e->layers;
    return cause < HTMT_PATH_QUEUE    ? (uint32_t)cause
           : cause == HTMT_PATH_QUEUE ? HTMT_PATH_QUEUE + of
           : cause == HTMT_PATH_STALL ? stalls + of
                                      : rest + (uint32_t)cause - HTMT_PATH_OVERHEAD;
}

static void name_cause(const struct sums *s, uint32_t at, struct htmt_path_part *part)
{
    uint32_t stalls = HTMT_PATH_QUEUE + s->resources, rest = stalls + s->e->layers;
    part->of = at >= rest              ? UINT32_MAX
               : at >= stalls          ? at - stalls
               : at >= HTMT_PATH_QUEUE ? at - HTMT_PATH_QUEUE
                                       : UINT32_MAX;
    part->cause = at >= rest              ? HTMT_PATH_OVERHEAD + (at - rest)
                  : at >= stalls          ? HTMT_PATH_STALL
                  : at >= HTMT_PATH_QUEUE ? HTMT_PATH_QUEUE
                                          : (enum htmt_path_cause)at;
}

static const struct htmt__node *node_at(const struct sums *s, uint32_t at)
{
    return &s->e->trace->node[at];
}

static htmt_time length(const struct sums *s, const struct htmt__node *n)
{
    return n->time - (n->from == HTMT__NO_NODE ? 0 : node_at(s, n->from)->time);
}

/* ---- the principal resource ------------------------------------------------------------------ */

/* Of equals the first. */
static uint32_t find_principal(const struct sums *s, htmt_time *on)
{
    uint32_t most = UINT32_MAX;
    for (uint32_t at = s->e->trace->last; at != HTMT__NO_NODE; at = node_at(s, at)->from) {
        uint32_t resource = resource_of(s, node_at(s, at));
        if (resource != UINT32_MAX)
            on[resource] += length(s, node_at(s, at));
    }
    for (uint32_t r = 0; r < s->resources; r++)
        if (on[r] && (most == UINT32_MAX || on[r] > on[most]))
            most = r;
    return most;
}

/* ---- from the end to the beginning ----------------------------------------------------------- */

static void add(struct sums *s, uint32_t cause, const struct htmt__node *n)
{
    struct sum *sum = &s->sum[((size_t)cause * s->phases + n->phase) * PLACES + n->place];
    sum->count++;
    sum->time += length(s, n);
}

static bool is_work(const struct sums *s, const struct htmt__node *n)
{
    return s->principal != UINT32_MAX && resource_of(s, n) == s->principal;
}

/* What the nodes from `at` back to the next work are due to; `waited` is what the work after them
 * had waited for. */
static uint32_t reason_at(const struct sums *s, uint32_t at, const struct htmt__node *work)
{
    const struct htmt__node *waited = work && work->why != HTMT__CAME ? work : NULL;
    for (; at != HTMT__NO_NODE && !is_work(s, node_at(s, at)); at = node_at(s, at)->from)
        if (!waited && node_at(s, at)->why != HTMT__CAME)
            waited = node_at(s, at);
    if (s->principal == UINT32_MAX)
        return cause_at(s, HTMT_PATH_OVERHEAD, 0);
    if (!work)
        return cause_at(s, HTMT_PATH_DRAIN, 0);
    if (at == HTMT__NO_NODE)
        return cause_at(s, HTMT_PATH_FILL, 0);
    if (!waited)
        return cause_at(s, HTMT_PATH_OVERHEAD, 0);
    return cause_at(s, waited->why == HTMT__LINE ? HTMT_PATH_QUEUE : HTMT_PATH_STALL, waited->of);
}

static uint64_t walk(struct sums *s)
{
    const struct htmt__node *work = NULL;
    uint64_t count = 0;
    for (uint32_t at = s->e->trace->last; at != HTMT__NO_NODE;) {
        if (is_work(s, node_at(s, at))) {
            work = node_at(s, at);
            add(s, HTMT_PATH_WORK, work);
            at = work->from;
            count++;
            continue;
        }
        uint32_t reason = reason_at(s, at, work);
        for (; at != HTMT__NO_NODE && !is_work(s, node_at(s, at)); at = node_at(s, at)->from) {
            add(s, reason, node_at(s, at));
            count++;
        }
    }
    return count;
}

/* ---- what comes of it ------------------------------------------------------------------------ */

static void make_part(const struct sums *s, size_t at, struct htmt_path_part *part)
{
    const struct htmt__phase *phase = s->phase[at / PLACES % s->phases];
    struct htmt__node node = {.phase = phase->number, .place = (uint8_t)(at % PLACES)};
    memset(part, 0, sizeof *part);
    name_cause(s, (uint32_t)(at / PLACES / s->phases), part);
    snprintf(part->type, sizeof part->type, "%s", phase->type);
    part->stage = phase->stage;
    part->place = (enum htmt_path_place)(at % PLACES);
    part->resource = resource_of(s, &node);
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

static int collect(const struct sums *s, struct htmt_path *path)
{
    size_t cells = (size_t)s->causes * s->phases * PLACES, used = 0;
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

static void list_phases(struct sums *s)
{
    for (const struct htmt__phase *p = s->e->phases; p && s->phase; p = p->next)
        s->phase[p->number] = p;
}

int htmt_path_find(const struct htmt_emulator *e, struct htmt_path *path)
{
    struct sums s = {.e = e, .phases = htmt_phase_count(e), .resources = htmt_resource_count(e)};
    int rc = HTMT_ENOMEM;
    *path = (struct htmt_path){.principal = UINT32_MAX};
    if (!e->trace)
        return HTMT_EINVAL;
    s.causes = cause_at(&s, HTMT_PATH_DRAIN, 0) + 1;
    s.phase = calloc(s.phases + 1, sizeof *s.phase);
    s.sum = calloc((size_t)s.causes * s.phases * PLACES + 1, sizeof *s.sum);
    htmt_time *on = calloc(s.resources, sizeof *on);
    if (s.phase && s.sum && on) {
        list_phases(&s);
        path->principal = s.principal = find_principal(&s, on);
        path->length = walk(&s);
        rc = collect(&s, path);
    }
    free(on);
    free(s.sum);
    free(s.phase);
    return rc;
}

void htmt_path_clear(struct htmt_path *path)
{
    free(path->part);
    *path = (struct htmt_path){.principal = UINT32_MAX};
}

htmt_time htmt_path_sum(const struct htmt_path *path, enum htmt_path_cause cause)
{
    htmt_time sum = 0;
    for (uint32_t i = 0; i < path->count; i++)
        if (path->part[i].cause == cause)
            sum += path->part[i].time;
    return sum;
}
