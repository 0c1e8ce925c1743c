/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Services whose own operations are played when they start.
 *
 * A service's operations, recorded while its kernel ran or made of a profile, have a length of
 * their own if each service begins with cold caches and has bus and DRAM for itself. Two keys of a
 * machine file break that: with `caches: warm` a processor keeps its caches from service to
 * service, and with `sharing: bus` the processors of a layer compete for bus and DRAM. Then the
 * operations must be played in virtual time, when the service starts. A service has the free
 * processor of the lowest number, so which caches it finds does not depend on the host.
 *
 * Without sharing the whole tape is played at the start of the service, and the end is known.
 *
 * On a shared bus the end depends on services that start later. So all tapes of a layer in a slice
 * are played together, request by request, in virtual order (layers/node/team.h), and never further
 * than the present instant: a service that starts now must still meet all requests of now. The
 * layer has one event, 1 fs behind its next request; it plays all requests before its instant,
 * gives the ends of tapes that are over to their services, and makes the next event. As at an issue
 * port, an event that was overtaken by an earlier one is outdated and does nothing; these events
 * are in no history and no count. An example: service A asks for the bus at 10, 20 and 30 ns. At 15
 * ns service B starts. Played at once, A's requests at 20 and 30 ns would have come before all of
 * B's. Here the event behind 20 ns finds requests of both and orders them.
 *
 * The event behind a request may find that a service had ended before it. A service never ends in
 * the past: then it ends now (not_passed()).
 *
 * A service whose processor routes packets stands still meanwhile, and so do its requests; what it
 * has asked for before moves on. Bus and DRAM begin anew when a service finds nobody else at them.
 */
#include "parcels/walk/node_services.h"
#include "layers/machine/nodes.h"
#include "layers/node/profile.h"
#include "layers/node/tape/tape_service.h"
#include "layers/node/team.h"
#include "parcels/clock/event.h"
#include "parcels/message/packet_router.h"
#include "parcels/walk/context.h"
#include "parcels/walk/profile_services.h"
#include "parcels/walk/type.h"

#include <stdlib.h>

/* A processor's node for the blocks of one program. */
struct program_node {
    struct program_node *next;
    const struct htmt__tape_program *program;
    struct htmt__node *node;
};

struct server {
    struct htmt__entity *p; /* whose service it has; NULL: none */
    struct program_node *nodes;
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
    struct place **all = e->nodes->at[e->processors_of[p->step->layer]];
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
    return e->nodes->at[e->processors_of[p->step->layer]] != NULL;
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

/* The node that plays the program's blocks, with the caches that the processor's last service has
 * left. NULL: out of memory. */
static struct htmt__node *node_for(struct place *s, struct server *at,
                                   const struct htmt__tape_program *program)
{
    struct program_node *n = at->nodes;
    while (n && n->program != program)
        n = n->next;
    if (!n) {
        n = calloc(1, sizeof *n);
        if (!n || htmt__node_new(&n->node, s->figures, program)) {
            free(n);
            return NULL;
        }
        n->program = program;
        n->next = at->nodes;
        at->nodes = n;
        if (s->memory)
            htmt__node_share(n->node, s->memory);
        else if (s->team)
            s->memory = n->node;
    }
    if (s->figures->warm && at->caches && at->caches != n->node)
        htmt__node_take_over(n->node, at->caches);
    return n->node;
}

/* ---- a service ------------------------------------------------------------------------------- */

static const uint64_t *next_entries(void *user, uint32_t number, size_t *count)
{
    struct place *s = user;
    return htmt__tape_reading_next(&s->server[number].tape, count);
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

/* at->node and at->tape. Misses are counted by the regions of a recorded tape. */
static int prepare(struct place *s, struct server *at)
{
    if (at->deferred) {
        const struct htmt__tape_region *regions;
        const struct htmt__tape *tape = htmt__deferred_tape_whole(at->deferred);
        const size_t count = htmt__tape_regions(tape, &regions);
        at->node = node_for(s, at, htmt__tape_program(tape));
        htmt__tape_read(&at->tape, tape, 0, htmt__tape_entries(tape) - 1);
        return at->node ? htmt__node_regions(at->node, regions, count) : HTMT_ENOMEM;
    }
    const struct htmt__profiled *profiled = htmt__profiled_choose(at->p->step, &at->ops);
    at->node = node_for(s, at, profiled->profile->program);
    if (!htmt__profiled_read(profiled, at->p->key >> HTMT__BIRTH_SHIFT, &at->ops, &at->tape))
        return HTMT_EOVERFLOW;
    return at->node ? 0 : HTMT_ENOMEM;
}

/* The kernel takes `work`, or longer: what has passed of it. */
static htmt_time not_passed(const struct htmt_emulator *e, const struct server *at, htmt_time work)
{
    const htmt_time off = htmt__goes_aside(e, HTMT__BY_ROUTER) ? htmt__router_before(e, at->p) : 0;
    const htmt_time passed = e->now - at->began - at->p->before - off;
    return work > passed ? work : passed;
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
    htmt__length_played(e, p, &at->ops, at->began, not_passed(e, at, work));
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
    htmt__length_played(e, p, &at->ops, at->began, not_passed(e, at, timed.length));
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

/* p's tape joins those of the others. Its kernel starts behind what its control has charged, and
 * behind routing that its processor had begun. */
static void play_shared(struct htmt_emulator *e, struct place *s, struct server *at, bool warm)
{
    struct htmt__entity *p = at->p;
    p->state = HTMT__FOR_KERNEL;
    p->job = NULL;
    if (htmt__explained(e))
        e->explain->keep(e, p);
    htmt__log_begin(e, p);
    const htmt_time late = htmt__goes_aside(e, HTMT__BY_ROUTER) ? htmt__router_late(e, p) : 0;
    const htmt_time before = htmt__later(late, p->before);
    if (s->playing++ == 0) {
        s->start = e->now;
        htmt__node_start(at->node, warm);
        warm = true;
    }
    int rc = htmt__node_join(at->node, warm, htmt__later(e->now - s->start, before));
    rc = rc ? rc : htmt__team_enter(s->team, (uint32_t)(at - s->server), at->node);
    if (rc)
        fail(e, s, at, rc);
    finish_all(e, s);
    look_ahead(e, s, p->slice, e->processors_of[p->step->layer]);
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
    int rc = prepare(s, at);
    if (!rc && s->team) {
        play_shared(e, s, at, warm);
        return;
    }
    s->playing++;
    if (!rc) {
        const uint64_t *entries;
        size_t count;
        htmt__node_start(at->node, warm);
        while (!rc && (entries = htmt__tape_reading_next(&at->tape, &count)))
            rc = htmt__node_play(at->node, entries, count);
    }
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
        while (s->server[i].nodes) {
            struct program_node *n = s->server[i].nodes;
            s->server[i].nodes = n->next;
            htmt__node_free(n->node);
            free(n);
        }
    if (s)
        htmt__team_free(s->team);
    free(s);
}

/* Where the run has one processor with its caches, its kernels play themselves, in turn. */
static bool plays_at_start(const struct htmt_emulator *e, uint32_t layer)
{
    if (e->options.operations && e->options.cold_caches)
        return htmt__machine_node_shares(e->machine, layer);
    return htmt__machine_node_depends(e->machine, layer) &&
           !(e->options.operations && htmt__machine_node_keeps(e->machine, layer, e->slices));
}

int htmt__nodes_create(struct htmt_emulator *e)
{
    const struct htmt_options *o = &e->options;
    const bool timed = o->profiles || (o->operations && o->mode == HTMT_RUN);
    for (uint32_t l = 0; l < e->layers; l++) {
        if (!timed || e->processors_of[l] != l || !plays_at_start(e, l))
            continue;
        if (!e->nodes && !(e->nodes = calloc(1, sizeof *e->nodes)))
            return HTMT_ENOMEM;
        struct place **all = e->nodes->at[l] = calloc(e->played, sizeof(struct place *));
        if (!all)
            return HTMT_ENOMEM;
        for (uint32_t i = 0; i < e->played; i++)
            if (!(all[i] = place_new(e, l)))
                return HTMT_ENOMEM;
    }
    return 0;
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
