/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An emulator: made, asked what it is, destroyed.
 *
 * Where slices keep their things. What events touch most lies in a few arrays over all slices:
 *
 * - e->block: banks, stores and links of slice 0, of slice 1, ..., each slice at a cache line. A
 * step of a type has the distance of its resource from the begin of the slice.
 *
 * - e->first: the first entities of every slice. Entity i of slice s is at i * slices + s, so that
 * entities whose turns follow each other lie side by side: slices that do the same give theirs
 * equal numbers. Where slices are played one by one, it is s * each + i.
 *
 * In a checked run each slice has pages of its own instead, and the pages of other slices are shut
 * while it plays (parcels/clock/page_guard.c): who touches another slice is found. The addresses
 * follow the same rule there, with other steps, so nothing else knows the difference.
 *
 * An emulator that could not be made is destroyed like one that was, so every part of destroy()
 * takes what was never made.
 */
#include "layers/machine/parts.h"
#include "layers/model.h"
#include "layers/network/topology.h"
#include "parcels/clock/event.h"
#include "parcels/clock/page_guard.h"
#include "parcels/clock/partition.h"
#include "parcels/clock/rank.h"
#include "parcels/clock/statistics.h"
#include "parcels/clock/window.h"
#include "parcels/data/op_recorder.h"
#include "parcels/message/cell_clock.h"
#include "parcels/message/collective.h"
#include "parcels/message/gather.h"
#include "parcels/message/inlet.h"
#include "parcels/message/mailbox.h"
#include "parcels/message/message.h"
#include "parcels/message/packet_network.h"
#include "parcels/message/packet_router.h"
#include "parcels/message/route.h"
#include "parcels/observe/departure.h"
#include "parcels/observe/live_path.h"
#include "parcels/observe/live_slope.h"
#include "parcels/observe/probes.h"
#include "parcels/observe/races.h"
#include "parcels/observe/recorder.h"
#include "parcels/observe/section.h"
#include "parcels/observe/stuck.h"
#include "parcels/walk/context.h"
#include "parcels/walk/controller.h"
#include "parcels/walk/memory.h"
#include "parcels/walk/node_services.h"
#include "parcels/walk/permit.h"
#include "parcels/walk/profile_services.h"
#include "parcels/walk/remark.h"
#include "parcels/walk/replies.h"
#include "runtime/base/pages.h"
#include "runtime/host/crash.h"
#include "runtime/host/host.h"
#include "runtime/host/monotonic.h"
#include "runtime/host/watchdog.h"

#include <stdlib.h>
#include <string.h>

#define SLICES_MAX (1u << 20)
#define RANKS_MAX  (1u << 16)

/* ---- life ----------------------------------------------------------------------------------- */

static uint64_t workers_of(const struct htmt_options *o)
{
    uint64_t sum = 0;
    for (unsigned l = 0; l < HTMT_LAYERS_MAX; l++)
        sum += o->layer_threads[l];
    return sum ? sum : o->threads ? o->threads - 1 : 0;
}

static int check_options(const struct htmt_options *o, uint32_t slices, struct htmt_fault *fault)
{
    const struct htmt_ranks *r = o->ranks;
    const bool host = o->machine && htmt__bank_machine_of(o->machine);
    const char *text = NULL;
    if (!o->machine)
        text = "no machine (NULL)";
    else if (!slices || slices > SLICES_MAX)
        text = "no slices, or more than 2^20";
    else if (o->mode > HTMT_MODEL || o->symmetry > HTMT_FOLDED || o->clock > HTMT_CLOCK_SHARED)
        text = "no such mode, symmetry or clock";
    else if (r && (!r->exchange || r->rank >= r->count || r->count > RANKS_MAX ||
                   (r->size && r->size < sizeof *r)))
        text = "ranks without an exchange, more than 2^16, or a rank that is none of them";
    else if (o->quiet_by > HTMT_QUIET_ACKS)
        text = "a way to find out that all is quiet, expected one of enum htmt_quiet_by";
    else if (o->window_most < 0)
        text = "windows of less than no time";
    else if (o->symmetry == HTMT_FOLDED && o->mode != HTMT_MODEL)
        text = "only a model run can be folded";
    else if (workers_of(o) > HTMT__WORKERS_MAX)
        text = "more than 1024 host threads beside the clock's";
    else if (o->clock_threads > HTMT__WORKERS_MAX)
        text = "more than 1024 threads of the clock";
    else if (o->watchdog > HTMT__WATCHDOG_MOST)
        text = "a watchdog of more than 10^6 seconds";
    else if (o->symmetry == HTMT_INDEPENDENT && host)
        text = "slices that a host joins are not independent";
    else if (o->what_if && host)
        text = "what-if moves on a machine with a host";
    else if (o->profiles && o->profiles->count && !o->profiles->profile)
        text = "a number of profiles, and none of them (NULL)";
    else if (o->operations && o->operations->tape && (workers_of(o) || o->clock_threads > 1))
        text = "a tape of services needs one thread of the host, where they run one by one";
    else if (o->what_if && (o->mode != HTMT_MODEL || o->explain || o->slopes || o->recording))
        text = "what-if moves need a model run without `explain`, `slopes` and `recording`";
    else if (o->replies)
        text = htmt__replies_refused(o);
    if (text)
        return htmt_fault_set(fault, HTMT_EINVAL, "htmt_emulator_create(): %s", text);
    /* Slices that stand for each other, or are played one by one, must meet the same inside. */
    for (uint32_t i = 0; o->symmetry != HTMT_NO_SYMMETRY && i < o->machine->network_count; i++) {
        const struct htmt_network *n = &o->machine->network[i];
        if (n->model && !n->model->symmetric && !htmt__topology(n))
            return htmt_fault_set(fault, HTMT_ESYMMETRY,
                                  "a network's inside is not the same for all slices");
    }
    return 0;
}

static uint32_t more_channels(uint32_t channels)
{
    return channels ? channels - 1 : 0;
}

static void slices_init(struct htmt_emulator *e)
{
    htmt_time *more = e->channels;
    for (uint32_t i = 0; i < e->played; i++) {
        for (uint32_t n = 0; n < e->networks; n++)
            for (uint32_t l = 0; l < e->layers; l++)
                for (int in = 0; in < 2; in++) {
                    const struct htmt_port *port = &e->machine->network[n].port[l];
                    uint32_t channels = in ? port->in : port->out;
                    if (channels)
                        *htmt__port_at(e, i, in, n, l) =
                            (struct htmt__link){.more = more, .channels = channels};
                    more += more_channels(channels);
                }
        for (uint32_t l = 0; l < e->layers; l++)
            htmt__bank_at(e, i, l)->servers = htmt_machine_servers(e->machine, l);
        htmt__slice_at(e, i)->serial = (uint64_t)i << HTMT__SERIAL_BITS;
    }
    for (uint32_t l = 0; l < e->layers; l++)
        e->store_class[l].capacity =
            e->machine->layer[l].memory.capacity - e->machine->layer[l].memory.reserve;
}

#define LINE 64u /* bytes of a cache line */

#define FIRST       (1u << 19) /* entities in the array over all slices, unless each then has */
#define FIRST_LEAST 19u        /* fewer (odd: the first ones share no sets of a cache), */
#define FIRST_MOST  1024u      /* or more */

/* What slices touch most lies together, over all slices. */
static int slices_together(struct htmt_emulator *e)
{
    const size_t n = e->played;
    const bool one_by_one = e->alone;
    const uint32_t each = FIRST / e->played;
    e->slice_stride = sizeof(struct htmt__slice);
    e->slice_block = calloc(n, e->slice_stride);
    e->block = htmt__table_alloc(n, e->stride);
    e->first_each = one_by_one || each < FIRST_LEAST ? FIRST_LEAST
                    : each > FIRST_MOST              ? FIRST_MOST
                                                     : each;
    e->first = htmt__table_alloc(n * e->first_each, sizeof *e->first);
    e->slice_step = one_by_one ? e->first_each : 1;
    e->index_step = one_by_one ? 1 : n;
    return e->slice_block && e->block && e->first ? 0 : HTMT_ENOMEM;
}

/* Each slice has pages of its own. */
static int slices_apart(struct htmt_emulator *e)
{
    int rc = htmt__guard_create(&e->guard, e->played);
    size_t block = 0, first = 0;
    e->first_each = FIRST_LEAST;
    e->post = calloc(e->played, sizeof *e->post);
    for (uint32_t i = 0; !rc && i < e->played; i++) {
        char *here = htmt__guard_alloc(e->guard, i, sizeof(struct htmt__slice));
        block = (size_t)((char *)htmt__guard_alloc(e->guard, i, e->stride) - here);
        first =
            (size_t)((char *)htmt__guard_alloc(e->guard, i, FIRST_LEAST * sizeof *e->first) - here);
    }
    if (rc || !e->post)
        return HTMT_ENOMEM;
    e->slice_block = htmt__guard_pages(e->guard);
    e->block = e->slice_block + block;
    e->first = (struct htmt__entity *)(void *)(e->slice_block + first);
    e->slice_stride = e->stride = HTMT__GUARD_BYTES;
    e->slice_step = HTMT__GUARD_BYTES / sizeof *e->first;
    e->index_step = 1;
    return 0;
}

/* The links of a slice are the ports that exist, out before in, behind its banks and stores. When
 * folded: what is counted to compare the slices. */
static int allocate(struct htmt_emulator *e)
{
    const size_t n = e->played,
                 before = e->layers * (sizeof(struct htmt__bank) + sizeof(struct htmt__store));
    size_t channels = 0;
    for (uint32_t i = 0; i < e->networks; i++)
        for (uint32_t l = 0; l < e->layers; l++) {
            const struct htmt_port *port = &e->machine->network[i].port[l];
            for (int in = 0; in < 2; in++)
                if (in ? port->in : port->out)
                    e->port_at[in][i * HTMT_LAYERS_MAX + l] =
                        (uint32_t)(before + e->links++ * sizeof(struct htmt__link));
            channels += more_channels(port->out) + more_channels(port->in);
        }
    e->stride = (before + e->links * sizeof(struct htmt__link) + LINE - 1) / LINE * LINE;
    int rc = e->options.checked && !e->options.what_if ? slices_apart(e) : slices_together(e);
    e->tally = calloc(htmt_resource_count(e), sizeof *e->tally);
    e->channels = calloc(n * channels + 1, sizeof *e->channels);
    e->instants = calloc(n, sizeof *e->instants);
    e->message_stats =
        calloc(htmt__message_stats_places(e) + 1, sizeof(struct htmt__stage_stats *));
    e->root = calloc(2, sizeof *e->root);
    e->diagnostics = htmt__diagnostics_create();
    bool enough =
        e->tally && e->channels && e->instants && e->message_stats && e->root && e->diagnostics;
    if (rc || !enough)
        return HTMT_ENOMEM;
    if (e->options.symmetry != HTMT_FOLDED)
        return 0;
    e->roots = calloc(e->slices, sizeof *e->roots);
    e->next_box = calloc(e->slices, sizeof(struct htmt_mailbox **));
    for (uint32_t i = 0; e->next_box && i < e->slices; i++)
        e->next_box[i] = &e->first_box;
    return e->roots && e->next_box ? 0 : HTMT_ENOMEM;
}

static int fill(struct htmt_emulator *e, const struct htmt_options *options, uint32_t slices)
{
    if (htmt__machine_copy(options->machine, &e->machine))
        return HTMT_ENOMEM;
    e->whole = e;
    e->section_operations = &htmt__section_operations;
    e->stuck_operations = &htmt__stuck_operations;
    e->options = *options;
    e->options.machine = e->machine;
    e->slices = slices;
    e->played = options->symmetry == HTMT_FOLDED ? 1 : slices;
    e->controller = HTMT__NO_CONTROLLER;
    if (htmt__bank_machine_of(e->machine))
        e->controller = e->played++;
    e->layers = e->machine->layer_count;
    for (uint32_t l = 0; l < e->layers; l++)
        e->processors_of[l] = (uint8_t)htmt_machine_processors_of(e->machine, l);
    e->networks = e->machine->network_count;
    e->options.partition_of = NULL;
    if (options->partition_of) {
        uint32_t *copy = malloc(slices * sizeof *copy);
        if (!copy)
            return HTMT_ENOMEM;
        memcpy(copy, options->partition_of, slices * sizeof *copy);
        e->options.partition_of = copy;
    }
    e->stats_tail = &e->stats;
    htmt__pending_init(&e->pending);
    int rc = htmt__machine_play(e->machine, slices, &e->fault);
    rc = rc ? rc : htmt__banked_create(e);
    rc = rc ? rc : htmt__fabrics_create(e);
    rc = rc ? rc : htmt__cell_net_create(e);
    rc = rc ? rc : htmt__routers_create(e);
    rc = rc ? rc : htmt__nodes_create(e);
    return rc ? rc : htmt__windows_create(e);
}

/* Every queue at a target of a network has one source, if it joins two layers of one slice. */
static int networks_init(struct htmt_emulator *e)
{
    bool enough = true;
    for (uint32_t i = 0; i < e->networks; i++) {
        const struct htmt_network *n = &e->machine->network[i];
        const struct htmt__network_model *model = n->model;
        struct htmt__fabric_net *fabric = e->net[i].fabric;
        uint32_t joined = 0;
        for (uint32_t l = 0; l < e->layers; l++)
            joined += n->port[l].out != 0 || n->port[l].in != 0;
        e->net[i] =
            (struct htmt__net){.startup = n->startup,
                               .latency = n->latency,
                               .modelled = model && !fabric,
                               .in_aside = model && !fabric,
                               .bus = e->cell_net && e->cell_net->network == i,
                               .fabric = fabric,
                               .plain = !fabric,
                               .one_source = joined <= 2 && (e->slices == 1 || !n->machine_wide)};
        e->inside[i] = model ? calloc(e->played, model->state_bytes + 1) : NULL;
        enough &= !model || e->inside[i];
    }
    if (e->banked && htmt__banked_slices(e))
        return HTMT_ENOMEM;
    htmt__routes_init(e);
    return enough ? htmt__packet_clock_create(e) : HTMT_ENOMEM;
}

/* What an entity holds that has not ended. */
static void entity_fini(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__log_line *next;
    for (struct htmt__log_line *line = p->log; line; line = next) {
        next = line->next;
        if (line->captured)
            free(htmt__entry_of(line)->capture); /* planned, not made: it holds no bytes */
        if (line->kind != HTMT__START)
            free(htmt__entry_of(line));
    }
    if (p->state == HTMT__FOR_KERNEL && p->job)
        htmt__data_release(htmt__data_of(e, p->slice), p->job);
    if (e->data)
        htmt__data_discard(htmt__data_of(e, p->slice), p->closure);
    else
        free(p->brought);
    if (!e->guard)
        free(p->body);
    if (p->kind == HTMT__MESSAGE)
        htmt__message_discard(e, p->message);
}

/* The entities of `s` from `first` on, and its chunks, unless the guard has them. */
static void entities_fini(struct htmt_emulator *e, uint32_t slice, struct htmt__slice *s,
                          uint32_t first, bool guarded)
{
    for (uint32_t i = first; i < first + s->fresh; i++) {
        struct htmt__entity *p = htmt__entity_at(e, htmt__entity_key(slice, i));
        if (p->serial)
            entity_fini(e, p);
    }
    for (uint32_t c = 0; !guarded && c < s->chunks; c++)
        free(s->chunk[c]);
    htmt__slice_table_free(s);
}

static void slices_fini(struct htmt_emulator *e)
{
    for (uint32_t i = 0; e->slice_block && i < e->played; i++) {
        entities_fini(e, i, htmt__slice_at(e, i), 0, e->guard != NULL);
        if (e->post)
            entities_fini(e, i, &e->post[i], HTMT__BETWEEN, false);
        for (uint32_t l = 0; e->block && l < e->links; l++)
            htmt__link_fini(htmt__link_at(e, i, l));
    }
}

/* Where slices_together() or slices_apart() put them. */
static void slices_free(struct htmt_emulator *e)
{
    htmt__slice_memory_free(e);
    free(e->post);
    free(e->kernels);
    if (e->guard) {
        htmt__guard_destroy(&e->guard);
        return;
    }
    htmt__table_free(e->block, e->played, e->stride);
    htmt__table_free(e->first, (size_t)e->played * e->first_each, sizeof *e->first);
    free(e->slice_block);
}

static void probes_fini(struct htmt_emulator *e)
{
    struct htmt__windows *w = e->windows;
    for (uint32_t i = 0; !e->partition && w && w->partition && i < w->partitions; i++)
        if (w->partition[i].e)
            probes_fini(w->partition[i].e);
    htmt__recorder_destroy(e);
    htmt__sections_destroy(e);
    htmt__races_destroy(e);
    htmt__probes_destroy(e);
}

static void destroy(struct htmt_emulator *e)
{
    htmt__planes_drain(e);
    slices_fini(e);
    htmt__live_path_destroy(e);
    htmt__live_slope_destroy(e);
    probes_fini(e);
    htmt__mailboxes_destroy(e);
    htmt__collectives_destroy(e);
    htmt__notes_destroy(e);
    htmt__objects_destroy(e);
    htmt__windows_destroy(e);
    htmt__gather_destroy(e);
    htmt__posts_destroy(e);
    htmt__quiet_destroy(e);
    htmt__types_destroy(e);
    htmt__statistics_destroy(e);
    htmt__messages_free(e);
    htmt__entries_free(e);
    htmt__data_destroy(&e->data);
    htmt__watchdog_destroy(&e->watchdog);
    if (e->diagnosed)
        htmt__crash_unwatch();
    htmt__lane_destroy(e);
    htmt__pending_fini(&e->pending);
    htmt__packet_clock_destroy(e);
    htmt__cell_clock_destroy(e);
    htmt__cell_net_destroy(e);
    htmt__nodes_destroy(e);
    htmt__routers_destroy(e);
    htmt__banked_destroy(e);
    htmt__fabrics_destroy(e);
    htmt__inlets_destroy(e);
    free(e->root);
    for (uint32_t n = 0; n < e->networks; n++)
        free(e->inside[n]);
    free((uint32_t *)e->options.partition_of);
    free(e->roots);
    free(e->next_box);
    free(e->message_stats);
    free(e->instants);
    free(e->channels);
    free(e->tally);
    slices_free(e);
    htmt__diagnostics_destroy(e->diagnostics);
    htmt__profiled_destroy(e);
    htmt__replies_destroy(e);
    htmt__op_recorder_destroy(e->op_recorder);
    free(e->placed);
    htmt_machine_destroy(&e->machine);
    free(e);
}

/* The one who plays still needs it. */
void htmt_emulator_destroy(struct htmt_emulator **emulator)
{
    struct htmt_emulator *e = emulator ? *emulator : NULL;
    if (!e || htmt__permit_host(e, "htmt_emulator_destroy()"))
        return;
    e->wanted_gone = e->kept;
    if (e->kept)
        return;
    destroy(e);
    *emulator = NULL;
}

/* ns that one reading of the clock takes: the least of several rounds. */
static double clock_reading(void)
{
    enum { ROUNDS = 16, READINGS = 32 };
    int64_t least = INT64_MAX, last = htmt__monotonic_ns();
    for (int i = 0; i < ROUNDS; i++) {
        for (int j = 1; j < READINGS; j++)
            (void)htmt__monotonic_ns();
        const int64_t now = htmt__monotonic_ns();
        least = now - last < least ? now - last : least;
        last = now;
    }
    return (double)least / READINGS;
}

/* A kernel that is the first to use a page of its stack waits for the system, some us a page: the
 * first ones are there before kernels are timed. */
static void touch_stack(void)
{
    enum { PAGE = 4096, PAGES = 256 };
    volatile char *room = __builtin_alloca(PAGES * PAGE);
    for (size_t i = PAGES; i-- > 0;)
        room[i * PAGE] = 0;
}

/* What the run was asked for beside its result: a watchdog, kernels on the host, their operations.
 */
static int equip(struct htmt_emulator *e)
{
    const struct htmt_options *o = &e->options;
    int rc = o->diagnose ? htmt__crash_watch() : 0;
    e->diagnosed = o->diagnose && !rc;
    if (!rc && o->watchdog)
        rc = htmt__watchdog_create(&e->watchdog, o->watchdog);
    if (!rc && o->mode == HTMT_RUN)
        rc = htmt__data_create(&e->data, o, e->windows ? e->windows->threads : 1, e->watchdog,
                               e->layers, e->played, &e->fault, e->diagnostics);
    if (o->time_kernels) {
        e->clock_reading = clock_reading();
        touch_stack();
    }
    if (rc || !o->operations || !e->data)
        return rc;
    e->placed = calloc((size_t)e->slices * e->layers, sizeof *e->placed);
    rc = e->placed ? htmt__op_recorder_create(&e->op_recorder, e->machine, e->slices, o->operations,
                                              o->cold_caches)
                   : HTMT_ENOMEM;
    for (uint32_t l = 0; !rc && l < e->layers; l++)
        if (htmt__op_recorder_in_turn(e->op_recorder, l))
            e->placed[l] = l * HTMT__RECORDER_LAYER;
    if (!rc)
        htmt__data_record(e->data, e->op_recorder);
    return rc;
}

int htmt_emulator_create(struct htmt_emulator **emulator, const struct htmt_options *given,
                         struct htmt_fault *fault)
{
    static const struct htmt__sized sized = {.name = "htmt_options",
                                             .known = sizeof(struct htmt_options),
                                             .first = sizeof(struct htmt_options),
                                             .least = offsetof(struct htmt_options, slices)};
    struct htmt_options options = {0};
    if (!emulator || !given)
        return htmt_fault_set(fault, HTMT_EINVAL, "htmt_emulator_create(): no %s (NULL)",
                              given ? "place for the emulator" : "options");
    int rc = htmt__sized_copy(&sized, given, &options, fault);
    if (!rc && !options.slices && options.machine)
        options.slices = options.machine->slices;
    rc = rc ? rc : check_options(&options, options.slices, fault);
    if (rc)
        return rc;
    struct htmt_emulator *e = htmt__record_alloc(sizeof *e);
    if (!e)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for an emulator");
    rc = fill(e, &options, options.slices);
    rc = rc ? rc : allocate(e);
    rc = rc ? rc : equip(e);
    rc = rc ? rc : htmt__replies_create(e, fault);
    if (rc)
        goto fail;
    slices_init(e);
    rc = networks_init(e);
    e->control = e->root + 1;
    e->root->e = e->control->e = e;
    if (!rc && options.lint)
        htmt__lint_watch(e);
    if (!rc && options.explain)
        rc = htmt__live_path_create(e);
    if (!rc && options.slopes)
        rc = htmt__live_slope_create(e);
    if (!rc && options.recording)
        rc = htmt__recorder_create(e, options.recording);
    if (!rc && e->guard && e->data && !e->banked)
        rc = htmt__races_create(e);
    if (rc)
        goto fail;
    htmt__aside_find(e);
    *emulator = e;
    return 0;
fail:
    htmt_fault_set(fault, rc, "no emulator of %u slices of %s: %s", options.slices,
                   options.machine->name, e->fault.code ? e->fault.text : htmt_strerror(rc));
    destroy(e);
    return rc;
}

/* ---- what it is ----------------------------------------------------------------------------- */

/* Questions about no emulator are answered: it has a fault, and nothing else. */
const struct htmt_fault *htmt_emulator_fault(const struct htmt_emulator *e)
{
    static const struct htmt_fault none = {
        HTMT_EINVAL, "no emulator (NULL): look at what htmt_emulator_create() returned"};
    if (!e)
        return &none;
    return e->fault.code || !e->refused.code ? &e->fault : &e->refused;
}

const struct htmt_machine *htmt_emulator_machine(const struct htmt_emulator *e)
{
    static const struct htmt_machine none;
    return e ? e->machine : &none;
}

const struct htmt_options *htmt_emulator_options(const struct htmt_emulator *e)
{
    static const struct htmt_options none;
    return e ? &e->options : &none;
}

bool htmt_emulator_ended(const struct htmt_emulator *e)
{
    return e && atomic_load(&e->state) == HTMT__ENDED;
}

void htmt_clock_report(const struct htmt_emulator *e, struct htmt_clock_report *r)
{
    *r = (struct htmt_clock_report){.in_order = "no emulator"};
    if (!e)
        return;
    r->in_order = e->lookahead ? NULL : e->in_order;
    r->lookahead = e->lookahead;
    r->windows = e->lookahead ? 1 : 0;
    r->partitions = r->threads = r->ranks = 1;
    if (!e->windows)
        return;
    r->windows = e->windows->played;
    r->partitions = e->windows->partitions;
    r->threads = e->windows->threads;
    r->ranks = e->windows->rank ? htmt__rank_count(&e->options) : 1;
    r->shared = e->windows->shared;
    r->awaited = e->windows->awaited;
}

uint32_t htmt_emulator_slices(const struct htmt_emulator *e)
{
    return e ? e->slices : 0;
}

uint32_t htmt_emulator_played(const struct htmt_emulator *e)
{
    return e ? e->played : 0;
}

int htmt_emulator_layer(const struct htmt_emulator *e, const char *name)
{
    const int layer = htmt_machine_layer(e ? e->machine : NULL, name);
    /* The index goes into a call of set-up, whose refusal names the layer (htmt__no_place()).
     * During the run several threads may ask. */
    struct htmt_emulator *asked = (struct htmt_emulator *)(uintptr_t)e;
    if (e && layer < 0 && name && atomic_load(&e->state) == HTMT__SETUP)
        snprintf(asked->no_layer, sizeof asked->no_layer, "%s", name);
    return layer;
}

struct htmt_context *htmt_root(struct htmt_emulator *e)
{
    return e ? e->root : NULL;
}

struct htmt_emulator *htmt_emulator_of(struct htmt_context *c)
{
    return c ? c->e->whole : NULL;
}
