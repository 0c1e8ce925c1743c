/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/walk/node_services.h"
#include "layers/machine/nodes.h"
#include "layers/node/profile.h"
#include "layers/node/tape/tape_service.h"
#include "layers/node/team.h"
#include "parcels/clock/event.h"
#include "parcels/message/packet_router.h"
#include "parcels/walk/charge.h"
#include "parcels/walk/log_replay.h"
#include "parcels/walk/profile_services.h"
#include "parcels/walk/service_end.h"

#include <stdlib.h>

/* A processor for the blocks of one program. */
struct stand {
    struct stand *next;
    const struct htmt__tape_program *program;
    struct htmt__node *node;
};

struct server {
    struct htmt__entity *p; /* whose service it has; NULL: none */
    struct stand *stands;
    struct htmt__node *caches; /* who has them; NULL: they are cold */
    /* Of its tape: */
    struct htmt__node *node; /* who plays it; NULL: nobody */
    struct htmt__tape_reading tape;
    struct htmt__deferred_tape *deferred; /* whose it is; NULL: a profile's */
    struct htmt_ops ops;
    htmt_time began; /* the service */
};

/* A layer's processors in a slice. */
struct place {
    const struct htmt__node_figures *figures;
    struct htmt__node *memory;    /* whose bus and DRAM are shared */
    struct htmt__node_team *team; /* NULL: none is */
    htmt_time start;              /* of the shared ones */
    uint32_t servers, playing;
    struct htmt__entity *event; /* that counts; NULL: none is pending */
    htmt_time event_at;
    struct server server[];
};

struct htmt__nodes {
    struct place **at[HTMT_LAYERS_MAX]; /* by played slice; NULL: services of the layer are alone */
};

static struct place *place_of(const struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct place **all = e->nodes->at[p->step->layer];
    return all ? all[p->slice] : NULL;
}

/* NULL: the free one of the lowest number. */
static struct server *server_of(struct place *s, const struct htmt__entity *p)
{
    struct server *at = s->server;
    while (at->p != p)
        at++;
    return at;
}

bool htmt__nodes_have(const struct htmt_emulator *e, const struct htmt__entity *p)
{
    return e->nodes->at[p->step->layer] != NULL;
}

void htmt__nodes_begin(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct place *s = place_of(e, p);
    if (s)
        server_of(s, NULL)->p = p;
}

void htmt__nodes_end(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct place *s = place_of(e, p);
    if (s)
        server_of(s, p)->p = NULL;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static struct htmt__node *add_stand(struct place *s, struct server *at,
                                    const struct htmt__tape_program *program)
{
    struct stand *stand = calloc(1, sizeof *stand);
    if (!stand || htmt__node_new(&stand->node, s->figures, program)) {
        free(stand);
        return NULL;
    }
    stand->program = program;
    stand->next = at->stands;
    at->stands = stand;
    if (s->memory)
        htmt__node_share(stand->node, s->memory);
    else if (s->team)
        s->memory = stand->node;
    return stand->node;
}

/* That plays the program's blocks, with the caches that the processor's last service has left.
 * NULL: out of memory. */
static struct htmt__node *node_for(struct place *s, struct server *at,
                                   const struct htmt__tape_program *program)
{
    const struct stand *stand = at->stands;
    while (stand && stand->program != program)
        stand = stand->next;
    struct htmt__node *node = stand ? stand->node : add_stand(s, at, program);
    if (node && s->figures->warm && at->caches && at->caches != node)
        htmt__node_take_over(node, at->caches);
    return node;
}

/* ---- a service ------------------------------------------------------------------------------- */

static const uint64_t *next_entries(void *user, uint32_t number, size_t *count)
{
    struct place *s = user;
    return htmt__tape_reading_next(&s->server[number].tape, count);
}

static htmt_time later_of(htmt_time a, htmt_time b)
{
    return a > b ? a : b;
}

static void refuse(struct htmt_emulator *e, const struct server *at, int code)
{
    const char *unknown = at->node ? htmt__node_unknown(at->node) : NULL;
    const char *type = at->p->type->code.name;
    if (unknown)
        htmt__fail(e, code,
                   "type %s, slice %u: operation %s came up, and the processor's inside has no "
                   "latency for it",
                   type, at->p->slice, unknown);
    else
        htmt__fail(e, code, "type %s, slice %u: the time of its operations: %s", type, at->p->slice,
                   htmt_strerror(code));
}

/* Misses are counted by the regions of a recorded tape. */
static int prepare_taped(struct place *s, struct server *at)
{
    const struct htmt__tape_region *regions;
    const struct htmt__tape *tape = htmt__deferred_tape_whole(at->deferred);
    const size_t count = htmt__tape_regions(tape, &regions);
    at->node = node_for(s, at, htmt__tape_program(tape));
    htmt__tape_read(&at->tape, tape, 0, htmt__tape_entries(tape) - 1);
    return at->node ? htmt__node_regions(at->node, regions, count) : HTMT_ENOMEM;
}

static int prepare_profiled(struct place *s, struct server *at)
{
    const struct htmt__profiled *profiled = htmt__profiled_choose(at->p->step, &at->ops);
    const uint64_t birth = at->p->key >> HTMT__BIRTH_SHIFT;
    at->node = node_for(s, at, profiled->profile->program);
    if (!htmt__profiled_read(profiled, birth, &at->ops, &at->tape))
        return HTMT_EOVERFLOW;
    return at->node ? 0 : HTMT_ENOMEM;
}

/* The least that its kernel takes: what has passed of it. */
static htmt_time passed(const struct htmt_emulator *e, const struct server *at)
{
    const htmt_time off = htmt__goes_aside(e, HTMT__BY_ROUTER) ? htmt__router_before(e, at->p) : 0;
    return e->now - at->began - at->p->before - off;
}

/* Who records a tape may do so on a machine that lacks the time of an operation: the service is
 * timed by its counts. */
static void fail(struct htmt_emulator *e, struct place *s, struct server *at, int code)
{
    struct htmt__entity *p = at->p;
    const struct htmt__timed none = {.length = -1};
    const bool recorded = at->deferred && e->options.operations->tape;
    if (!recorded || !at->node || !htmt__node_unknown(at->node)) {
        refuse(e, at, code);
        return;
    }
    htmt_time work = htmt_machine_work(e->machine, p->step->layer, &at->ops);
    if (htmt__too_long(work) || !htmt__stage_stats_played(p->step->stats, &none)) {
        refuse(e, at, HTMT_EOVERFLOW);
        return;
    }
    htmt__deferred_tape_free(at->deferred);
    at->deferred = NULL;
    at->node = NULL;
    s->playing--;
    htmt__length_played(e, p, &at->ops, at->began, later_of(work, passed(e, at)));
}

/* All its operations have been played: the end of its service is known. */
static void finish(struct htmt_emulator *e, struct place *s, struct server *at)
{
    struct htmt__entity *p = at->p;
    struct htmt__timed timed = {.why = NULL};
    timed.length = htmt__node_finish(at->node, &timed.account);
    if (timed.length < 0) {
        refuse(e, at, HTMT_EOVERFLOW);
        return;
    }
    if (at->deferred) {
        htmt__deferred_tape_misses(at->deferred, htmt__node_misses(at->node), timed.misses);
        if (!htmt__stage_stats_played(p->step->stats, &timed))
            htmt__fail(e, HTMT_ENOMEM, "no host memory for the account of a stage");
        htmt__deferred_tape_free(at->deferred);
    }
    at->deferred = NULL;
    at->caches = at->node;
    at->node = NULL;
    s->playing--;
    htmt__length_played(e, p, &at->ops, at->began, later_of(timed.length, passed(e, at)));
}

static int play_alone(struct server *at, bool warm)
{
    const uint64_t *entries;
    size_t count;
    int rc = 0;
    htmt__node_start(at->node, warm);
    while (!rc && (entries = htmt__tape_reading_next(&at->tape, &count)))
        rc = htmt__node_play(at->node, entries, count);
    return rc;
}

/* ---- a shared bus ---------------------------------------------------------------------------- */

/* An event that comes before the next request stays. */
static void look_ahead(struct htmt_emulator *e, struct place *s, uint32_t slice, uint32_t layer)
{
    htmt_time next = htmt__team_next(s->team);
    if (next == HTMT_TIME_MAX || e->fault.code)
        return;
    htmt_time at = htmt__later(s->start, next + 1);
    if (s->event && at >= 0 && s->event_at <= at)
        return;
    s->event = htmt__entity_create(e, slice, HTMT__BUS);
    s->event_at = at;
    if (!s->event)
        return;
    s->event->after = layer;
    htmt__schedule_unheard(e, s->event, at);
}

/* Whose tapes are over. */
static void finish_all(struct htmt_emulator *e, struct place *s)
{
    for (uint32_t i = 0; i < s->servers && !e->fault.code; i++) {
        struct server *at = &s->server[i];
        if (!at->node || htmt__team_plays(s->team, i))
            continue;
        if (htmt__explained(e))
            e->explain->turn(e, at->p);
        finish(e, s, at);
    }
}

/* All requests before this instant. */
static void play_requests(struct htmt_emulator *e, struct place *s)
{
    uint32_t failed;
    int rc;
    while (!e->fault.code && (rc = htmt__team_until(s->team, e->now - s->start, &failed)))
        fail(e, s, &s->server[failed], rc);
}

static void play_until_now(struct htmt_emulator *e, struct place *s)
{
    play_requests(e, s);
    finish_all(e, s);
}

/* The event behind the next request is pending: it finishes those whose tapes have ended. */
void htmt__nodes_put_off(struct htmt_emulator *e, const struct htmt__entity *p, htmt_time time)
{
    struct place *s = place_of(e, p);
    if (!s || !s->team)
        return;
    const struct server *at = server_of(s, p);
    if (!at->node)
        return; /* not begun, or its end is known */
    play_requests(e, s);
    if (htmt__team_plays(s->team, (uint32_t)(at - s->server)))
        htmt__node_put_off(at->node, time);
}

/* Its kernel starts behind what its control has charged, and routing that its processor had begun.
 */
static int enter(struct htmt_emulator *e, struct place *s, struct server *at, bool warm)
{
    const htmt_time late = htmt__goes_aside(e, HTMT__BY_ROUTER) ? htmt__router_late(e, at->p) : 0;
    const htmt_time before = htmt__later(late, at->p->before);
    if (s->playing++ == 0) {
        s->start = e->now;
        htmt__node_start(at->node, warm);
        warm = true;
    }
    int rc = htmt__node_join(at->node, warm, htmt__later(e->now - s->start, before));
    return rc ? rc : htmt__team_enter(s->team, (uint32_t)(at - s->server), at->node);
}

static void play_shared(struct htmt_emulator *e, struct place *s, struct server *at, bool warm)
{
    struct htmt__entity *p = at->p;
    p->state = HTMT__FOR_KERNEL;
    p->job = NULL;
    if (htmt__explained(e))
        e->explain->keep(e, p);
    htmt__log_begin(e, p);
    int rc = enter(e, s, at, warm);
    if (rc)
        fail(e, s, at, rc);
    finish_all(e, s);
    look_ahead(e, s, p->slice, p->step->layer);
    if (htmt__explained(e))
        e->explain->turn(e, p);
}

void htmt__nodes_turn(struct htmt_emulator *e, struct htmt__entity *event)
{
    const uint32_t slice = event->slice, layer = (uint32_t)event->after;
    struct place *s = e->nodes->at[layer][slice];
    bool current = s->event == event;
    htmt__entity_free(e, event, HTMT__BUS);
    if (!current)
        return;
    s->event = NULL;
    play_until_now(e, s);
    look_ahead(e, s, slice, layer);
}

/* ---- services -------------------------------------------------------------------------------- */

void htmt__nodes_play(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt_ops *ops,
                      struct htmt__deferred_tape *deferred)
{
    struct place *s = place_of(e, p);
    struct server *at = server_of(s, p);
    at->ops = *ops;
    at->deferred = deferred;
    at->began = e->now;
    if (s->playing)
        play_until_now(e, s);
    const bool warm = s->figures->warm && at->caches;
    int rc = deferred ? prepare_taped(s, at) : prepare_profiled(s, at);
    if (!rc && s->team) {
        play_shared(e, s, at, warm);
        return;
    }
    s->playing++;
    rc = rc ? rc : play_alone(at, warm);
    if (rc)
        fail(e, s, at, rc);
    else
        finish(e, s, at);
}

/* ---- life ------------------------------------------------------------------------------------ */

static struct place *place_new(const struct htmt_emulator *e, uint32_t layer)
{
    const uint32_t servers = htmt_machine_servers(e->machine, layer);
    struct place *s = calloc(1, sizeof *s + servers * sizeof *s->server);
    if (!s)
        return NULL;
    s->servers = servers;
    s->figures = htmt__machine_node(e->machine, layer);
    if (htmt__machine_node_shares(e->machine, layer) &&
        htmt__team_new(&s->team, servers, next_entries, s)) {
        free(s);
        return NULL;
    }
    return s;
}

static void place_free(struct place *s)
{
    for (uint32_t i = 0; s && i < s->servers; i++)
        while (s->server[i].stands) {
            struct stand *stand = s->server[i].stands;
            s->server[i].stands = stand->next;
            htmt__node_free(stand->node);
            free(stand);
        }
    if (s)
        htmt__team_free(s->team);
    free(s);
}

static int make_layer(struct htmt_emulator *e, uint32_t layer)
{
    struct place **all = e->nodes->at[layer] = calloc(e->played, sizeof(struct place *));
    bool enough = all != NULL;
    for (uint32_t i = 0; i < e->played && enough; i++)
        enough = (all[i] = place_new(e, layer)) != NULL;
    return enough ? 0 : HTMT_ENOMEM;
}

int htmt__nodes_create(struct htmt_emulator *e)
{
    const struct htmt_options *o = &e->options;
    int rc = 0;
    for (uint32_t l = 0; l < e->layers && !rc; l++) {
        bool timed = o->profiles || (o->operations && o->mode == HTMT_RUN);
        if (!timed || !htmt__machine_node_depends(e->machine, l))
            continue;
        if (!e->nodes && !(e->nodes = calloc(1, sizeof *e->nodes)))
            return HTMT_ENOMEM;
        rc = make_layer(e, l);
    }
    return rc;
}

void htmt__nodes_destroy(struct htmt_emulator *e)
{
    for (uint32_t l = 0; e->nodes && l < e->layers; l++) {
        struct place **all = e->nodes->at[l];
        for (uint32_t i = 0; all && i < e->played; i++)
            place_free(all[i]);
        free(all);
    }
    free(e->nodes);
    e->nodes = NULL;
}
