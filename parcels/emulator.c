/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The emulator and its clock.
 */
#include "parcels/trace.h"
#include "runtime/arena.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define SLICES_MAX (1u << 20)
/* Events between two looks at the host's wishes: a run may have a long kernel behind each. */
#define LOOK_IN_RUN   256u
#define LOOK_IN_MODEL 65536u

int htmt__fail(struct htmt_emulator *e, int code, const char *format, ...)
{
    char text[sizeof e->fault.text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    htmt_fault_set(&e->fault, code, "%s", text);
    return code;
}

/* ---- life ----------------------------------------------------------------------------------- */

static int check_options(const struct htmt_options *o, uint32_t slices)
{
    if (!o->machine || !slices || slices > SLICES_MAX || o->mode > HTMT_MODEL ||
        o->symmetry > HTMT_FOLDED || (o->symmetry == HTMT_FOLDED && o->mode != HTMT_MODEL))
        return HTMT_EINVAL;
    return 0;
}

static uint32_t servers_of(const struct htmt_layer *l)
{
    uint32_t n = l->processor.count, ports = l->memory.ports;
    return ports && ports < n ? ports : n;
}

/* Links of a slice: the ports that exist, out before in. */
static void find_links(struct htmt_emulator *e)
{
    for (uint32_t n = 0; n < e->networks; n++)
        for (uint32_t l = 0; l < e->layers; l++) {
            const struct htmt_port *port = &e->machine->network[n].port[l];
            uint32_t at = n * HTMT_LAYERS_MAX + l;
            if (port->out)
                e->link_at[false][at] = (uint8_t)e->links++;
            if (port->in)
                e->link_at[true][at] = (uint8_t)e->links++;
        }
}

static uint32_t more_channels(uint32_t channels)
{
    return channels ? channels - 1 : 0;
}

static size_t channels_of(const struct htmt_machine *m)
{
    size_t n = 0;
    for (uint32_t i = 0; i < m->network_count; i++)
        for (uint32_t l = 0; l < m->layer_count; l++)
            n += more_channels(m->network[i].port[l].out) + more_channels(m->network[i].port[l].in);
    return n;
}

static htmt_time *link_init(struct htmt_emulator *e, uint32_t slice, bool in, uint32_t network,
                            uint32_t layer, htmt_time *more)
{
    const struct htmt_port *port = &e->machine->network[network].port[layer];
    uint32_t channels = in ? port->in : port->out;
    if (channels)
        *htmt__port_at(e, slice, in, network, layer) =
            (struct htmt__link){.more = more, .channels = channels};
    return more + more_channels(channels);
}

static void slices_init(struct htmt_emulator *e)
{
    htmt_time *more = e->channels;
    for (uint32_t i = 0; i < e->played; i++) {
        for (uint32_t n = 0; n < e->networks; n++)
            for (uint32_t l = 0; l < e->layers; l++) {
                more = link_init(e, i, false, n, l, more);
                more = link_init(e, i, true, n, l, more);
            }
        for (uint32_t l = 0; l < e->layers; l++)
            htmt__bank_at(e, i, l)->servers = servers_of(&e->machine->layer[l]);
    }
    for (uint32_t l = 0; l < e->layers; l++)
        e->stock[l].capacity =
            e->machine->layer[l].memory.capacity - e->machine->layer[l].memory.reserve;
}

#define LINE 64u /* bytes of a cache line */

static int allocate(struct htmt_emulator *e)
{
    size_t n = e->played, ports = (size_t)e->layers * e->networks;
    find_links(e);
    e->stride = e->layers * (sizeof(struct htmt__bank) + sizeof(struct htmt__store)) +
                e->links * sizeof(struct htmt__link);
    e->stride = (e->stride + LINE - 1) / LINE * LINE;
    e->block = htmt__table_alloc(n, e->stride);
    e->slice = calloc(n, sizeof *e->slice);
    e->first = htmt__table_alloc(n * HTMT__FIRST, sizeof *e->first);
    e->history = calloc(n, sizeof *e->history);
    e->tally = calloc(htmt_resource_count(e), sizeof *e->tally);
    e->channels = calloc(n * channels_of(e->machine) + 1, sizeof *e->channels);
    e->carry_phase = calloc(2 * ports * e->layers + 1, sizeof(struct htmt__phase *));
    e->root = calloc(1, sizeof *e->root);
    return e->block && e->slice && e->first && e->history && e->tally && e->channels &&
                   e->carry_phase && e->root
               ? 0
               : HTMT_ENOMEM;
}

/* When folded: what is counted to compare the slices. */
static int twins_init(struct htmt_emulator *e)
{
    if (e->options.symmetry != HTMT_FOLDED)
        return 0;
    e->roots = calloc(e->slices, sizeof *e->roots);
    e->next_box = calloc(e->slices, sizeof(struct htmt_mailbox **));
    for (uint32_t i = 0; e->next_box && i < e->slices; i++)
        e->next_box[i] = &e->first_box;
    return e->roots && e->next_box ? 0 : HTMT_ENOMEM;
}

static bool one_source(const struct htmt_emulator *e, const struct htmt_network *n)
{
    uint32_t layers = 0;
    for (uint32_t l = 0; l < e->layers; l++)
        layers += n->port[l].out != 0 || n->port[l].in != 0;
    return layers <= 2 && (e->slices == 1 || !n->machine_wide);
}

static int start_host(struct htmt_emulator *e)
{
    const struct htmt_options *o = &e->options;
    struct htmt__host_options h = {
        .pools = e->layers,
        .workers = o->threads > 1 ? o->threads - 1 : 0,
        .transient_bytes = o->run_ahead_bytes,
        .checked = o->checked,
        .delay_seed = o->delay_seed,
    };
    for (uint32_t l = 0; l < e->layers; l++)
        h.pool_workers[l] = o->layer_threads[l];
    if (o->mode == HTMT_MODEL)
        return 0;
    e->findings = htmt__findings_create();
    return e->findings ? htmt__host_create(&e->host, &h) : HTMT_ENOMEM;
}

int htmt_emulator_create(struct htmt_emulator **emulator, const struct htmt_options *options)
{
    uint32_t slices = options->slices;
    if (!slices && options->machine)
        slices = options->machine->slices;
    int rc = check_options(options, slices);
    if (rc)
        return rc;
    struct htmt_emulator *e = calloc(1, sizeof *e);
    if (!e)
        return HTMT_ENOMEM;
    e->machine = options->machine;
    e->options = *options;
    e->slices = slices;
    e->played = options->symmetry == HTMT_FOLDED ? 1 : slices;
    e->layers = e->machine->layer_count;
    e->networks = e->machine->network_count;
    e->phase_tail = &e->phases;
    htmt__pending_init(&e->pending);
    rc = allocate(e);
    if (!rc)
        rc = twins_init(e);
    if (!rc)
        rc = start_host(e);
    if (rc)
        goto fail;
    slices_init(e);
    for (uint32_t n = 0; n < e->networks; n++)
        e->one_source[n] = one_source(e, &e->machine->network[n]);
    htmt__chains_init(e);
    e->root->e = e;
    rc = e->options.explain ? htmt__trace_create(e) : 0;
    if (rc)
        goto fail;
    *emulator = e;
    return 0;
fail:
    htmt_emulator_destroy(&e);
    return rc;
}

static void free_parcel_parts(struct htmt_emulator *e, struct htmt_parcel *p)
{
    struct htmt__entry *next;
    for (struct htmt__entry *entry = p->log; entry; entry = next) {
        next = entry->next;
        free(entry);
    }
    if (p->state == HTMT__FOR_KERNEL && p->job)
        htmt__job_release(e->host, p->job);
    htmt__closure_free(e, p->closure);
    free(p->body);
    if (p->kind != HTMT__CARRIER)
        return;
    if (p->carry->held)
        htmt__storage_drop(e->host, p->carry->held);
    free(p->carry);
}

static void slice_fini(struct htmt_emulator *e, struct htmt__slice *s)
{
    uint32_t slice = (uint32_t)(s - e->slice);
    for (uint32_t i = 0; i < s->fresh; i++)
        if (htmt__entity_at(e, htmt__entity_key(slice, i))->serial)
            free_parcel_parts(e, htmt__entity_at(e, htmt__entity_key(slice, i)));
    for (uint32_t c = 0; c < s->chunks; c++)
        free(s->chunk[c]);
    free(s->chunk);
    for (uint32_t l = 0; e->block && l < e->links; l++)
        htmt__link_fini(htmt__link_at(e, slice, l));
}

static void free_lists(struct htmt_emulator *e)
{
    while (e->carries) {
        struct htmt__carry *next = e->carries->next;
        free(e->carries);
        e->carries = next;
    }
    while (e->entries) {
        struct htmt__entry *next = e->entries->next;
        free(e->entries);
        e->entries = next;
    }
    while (e->phases) {
        struct htmt__phase *next = e->phases->next;
        free(e->phases);
        e->phases = next;
    }
}

void htmt_emulator_destroy(struct htmt_emulator **emulator)
{
    struct htmt_emulator *e = *emulator;
    if (!e)
        return;
    if (e->host) {
        htmt__batches_issue(e);
        htmt__host_drain(e->host);
    }
    for (uint32_t i = 0; e->slice && i < e->played; i++)
        slice_fini(e, &e->slice[i]);
    while (e->spares)
        htmt__storage_drop(e->host, e->spare[--e->spares]);
    htmt__trace_destroy(e);
    htmt__mailboxes_destroy(e);
    htmt__collectives_destroy(e);
    htmt__objects_destroy(e);
    htmt__types_destroy(e);
    free_lists(e);
    htmt__host_destroy(&e->host);
    htmt__pending_fini(&e->pending);
    htmt__findings_destroy(e->findings);
    free(e->root);
    free(e->roots);
    free(e->next_box);
    free(e->carry_phase);
    free(e->channels);
    free(e->tally);
    htmt__table_free(e->block, e->played, e->stride);
    free(e->history);
    htmt__table_free(e->first, (size_t)e->played * HTMT__FIRST, sizeof *e->first);
    free(e->slice);
    free(e);
    *emulator = NULL;
}

/* ---- the clock ------------------------------------------------------------------------------ */

int htmt__schedule(struct htmt_emulator *e, struct htmt_parcel *p, htmt_time at)
{
    if (at < e->now)
        return htmt__fail(e, at < 0 ? HTMT_EOVERFLOW : HTMT_EPAST,
                          at < 0 ? "virtual time passes 2.56 hours" : "dispatch into the past");
    p->state = HTMT__PENDING;
    if (htmt__traced(e))
        htmt__trace_event(e, p, at);
    struct htmt__event event = {at, p->key};
    if (htmt__pending_push(&e->pending, event))
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for another event");
    return 0;
}

void htmt__ready(struct htmt_emulator *e, struct htmt_parcel *p)
{
    p->state = HTMT__READY;
    p->queue = NULL;
    if (htmt__traced(e))
        htmt__trace_called(e, p);
    if (e->ready.tail)
        e->ready.tail->queue = p;
    else
        e->ready.head = p;
    e->ready.tail = p;
}

/* Slices that are played one after another bring the times of a phase out of order. */
static void note_end(struct htmt__phase *phase, htmt_time now)
{
    if (!phase->ended || now < phase->first)
        phase->first = now;
    if (now > phase->last)
        phase->last = now;
    phase->ended++;
}

void htmt__record(struct htmt_emulator *e, uint32_t slice, struct htmt__phase *phase,
                  uint64_t serial, uint32_t stage, uint64_t words)
{
    uint32_t resource = phase->resource;
    struct htmt__history_event event = {e->now, resource, slice, serial, stage, words};
    htmt__history_absorb(&e->history[slice], event);
    note_end(phase, e->now);
    e->events++;
    if (e->options.observe) {
        struct htmt_event seen = {e->now, resource, slice, serial, stage, words};
        e->options.observe(e->options.user, &seen);
    }
}

static void go_on(struct htmt_emulator *e, struct htmt_parcel *p)
{
    switch ((enum htmt__kind)p->kind) {
    case HTMT__PARCEL:
        htmt__advance(e, p);
        break;
    case HTMT__FIBER:
        htmt__request(e, p);
        break;
    case HTMT__CARRIER:
        htmt__carrier_start(e, p);
        break;
    case HTMT__MOMENT:
        break;
    }
}

static void run_ready(struct htmt_emulator *e)
{
    while (e->ready.head) {
        struct htmt_parcel *p = e->ready.head;
        e->ready.head = p->queue;
        if (!e->ready.head)
            e->ready.tail = NULL;
        if (htmt__traced(e))
            htmt__trace_turn(e, p);
        go_on(e, p);
    }
}

static void moment(struct htmt_emulator *e, struct htmt_parcel *p)
{
    struct htmt__entry *entry = p->log;
    p->log = NULL;
    htmt__entry_do(e, p, entry);
    htmt__entity_free(e, p);
}

static void handle(struct htmt_emulator *e, struct htmt_parcel *p)
{
    if (p->kind == HTMT__CARRIER)
        htmt__carrier_event(e, p);
    else if (p->kind == HTMT__MOMENT)
        moment(e, p);
    else if (p->step->op == HTMT__SERVE)
        htmt__service_end(e, p);
    else
        htmt__move_event(e, p);
}

static int look_around(struct htmt_emulator *e)
{
    if (e->options.progress)
        e->options.progress(e->options.user, e->now, e->events);
    if (e->options.cancelled && e->options.cancelled(e->options.user))
        return htmt__fail(e, HTMT_ECANCELLED, "interrupted by the user");
    return 0;
}

#define FAR_AHEAD 12 /* events: an entity comes from memory meanwhile */
#define NEXT      4  /* it is there: the resources of its slice can be fetched */

static void fetch_entity(const struct htmt_emulator *e, uint64_t key)
{
    const char *p = (const char *)htmt__entity_at(e, key);
    __builtin_prefetch(p, 1);
    __builtin_prefetch(p + LINE, 1);
}

static void fetch_tomorrow(const struct htmt_emulator *e)
{
    const struct htmt__event *event;
    size_t count = htmt__pending_tomorrow(&e->pending, &event);
    for (size_t i = 0; i < count; i++)
        fetch_entity(e, event[i].key);
}

/* What the event's step and those up to the next that takes time will touch. */
static void fetch_resources(const struct htmt_emulator *e, size_t after)
{
    uint64_t key;
    if (!htmt__pending_ahead(&e->pending, after, &key))
        return;
    const struct htmt__step *step = htmt__entity_at(e, key)->step;
    uint32_t slice = htmt__key_slice(key);
    unsigned most = step && step->stage == HTMT_FIBER ? 1 : 2; /* a fiber's step stands alone */
    for (unsigned timed = 0; step && timed < most && step->op != HTMT__END; step++) {
        timed += step->op == HTMT__SERVE || step->op == HTMT__MOVE;
        if (step->op == HTMT__SERVE)
            __builtin_prefetch(htmt__bank_at(e, slice, step->layer), 1);
        else if (step->op == HTMT__TAKE || step->op == HTMT__GIVE)
            __builtin_prefetch(htmt__store_at(e, slice, step->layer), 1);
        else if (step->op == HTMT__MOVE && timed == 2)
            __builtin_prefetch(htmt__port_at(e, slice, false, (uint32_t)step->network, step->layer),
                               1);
    }
}

#define FETCHING 8192 /* pending events from which on a cache does not hold what they touch */

/* On a large machine nearly all that an event touches is out of the cache. Events become known a
 * day at a time (runtime/pending.h): some of the next day's are fetched when a day begins, and on
 * a long day those some events further. */
static void fetch_ahead(struct htmt_emulator *e)
{
    uint64_t key;
    bool new_day = e->pending.run < e->fetched; /* it moves up within a day */
    e->fetched = e->pending.run;
    if (new_day)
        fetch_tomorrow(e);
    if (htmt__pending_ahead(&e->pending, FAR_AHEAD, &key))
        fetch_entity(e, key);
    for (size_t i = new_day ? 0 : NEXT; i <= NEXT; i++)
        fetch_resources(e, i);
}

static void run_clock(struct htmt_emulator *e)
{
    struct htmt__event event;
    uint32_t turns = e->host ? LOOK_IN_RUN : LOOK_IN_MODEL, left = turns;
    if (htmt__traced(e))
        htmt__trace_begin(e);
    run_ready(e);
    while (!e->fault.code) {
        if (e->kernels.head && htmt__pending_next(&e->pending) > e->now) {
            htmt__kernels_resolve(e);
            run_ready(e);
            continue;
        }
        if (!htmt__pending_pop(&e->pending, &event))
            break;
        e->now = event.time;
        if (e->pending.count >= FETCHING)
            fetch_ahead(e);
        struct htmt_parcel *p = htmt__entity_at(e, event.key);
        if (htmt__traced(e))
            htmt__trace_turn(e, p);
        handle(e, p);
        run_ready(e);
        if (--left == 0) {
            look_around(e);
            left = turns;
        }
    }
    if (htmt__traced(e))
        htmt__trace_end(e);
}

static uint64_t live_entities(const struct htmt_emulator *e)
{
    uint64_t live = 0;
    for (uint32_t i = 0; i < e->played; i++)
        live += e->slice[i].live;
    return live;
}

static void settle_ports(struct htmt_emulator *e, uint32_t slice, uint32_t network, uint32_t layer)
{
    const struct htmt_port *port = &e->machine->network[network].port[layer];
    if (port->out)
        htmt__link_settle(htmt__port_at(e, slice, false, network, layer),
                          &e->tally[htmt__out_resource(e, network, layer)], e->now);
    if (port->in)
        htmt__link_settle(htmt__port_at(e, slice, true, network, layer),
                          &e->tally[htmt__in_resource(e, network, layer)], e->now);
}

static void settle_links(struct htmt_emulator *e)
{
    for (uint32_t i = 0; i < e->played; i++)
        for (uint32_t n = 0; n < e->networks; n++)
            for (uint32_t l = 0; l < e->layers; l++)
                settle_ports(e, i, n, l);
}

/* ---- slices one after another --------------------------------------------------------------- */

/* The roots of each slice, in order, out of the one list of all. */
static struct htmt__list *sort_roots(struct htmt_emulator *e)
{
    struct htmt__list *of = calloc(e->played, sizeof *of);
    if (!of) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for the lists of %u slices", e->played);
        return NULL;
    }
    for (struct htmt_parcel *p = e->ready.head, *next; p; p = next) {
        next = p->queue;
        p->queue = NULL;
        if (of[p->slice].tail)
            of[p->slice].tail->queue = p;
        else
            of[p->slice].head = p;
        of[p->slice].tail = p;
    }
    return of;
}

/* Each slice begins at time 0 with nothing pending; the run ends when the last one does. */
static void run_slices(struct htmt_emulator *e)
{
    struct htmt__list *roots = sort_roots(e);
    htmt_time last = 0;
    for (uint32_t i = 0; roots && i < e->played && !e->fault.code; i++) {
        e->now = 0;
        e->ready = roots[i];
        run_clock(e);
        if (!e->host)
            htmt__slice_rest(&e->slice[i]);
        if (htmt__traced(e))
            htmt__trace_rest(e, i);
        if (e->now > last)
            last = e->now;
    }
    e->now = last;
    free(roots);
}

/* When folded: every slice has the roots and the mailboxes of slice 0. */
static void check_twins(struct htmt_emulator *e)
{
    for (uint32_t i = 1; e->roots && i < e->slices && !e->fault.code; i++)
        if (e->roots[i] != e->roots[0])
            htmt__fail(e, HTMT_ESYMMETRY, "slice %u has %u root parcels, slice 0 has %u", i,
                       e->roots[i], e->roots[0]);
        else if (e->next_box[i] != e->next_box[0])
            htmt__fail(e, HTMT_ESYMMETRY, "slice %u has fewer mailboxes than slice 0", i);
}

int htmt_emulator_run(struct htmt_emulator *e)
{
    if (e->ran)
        return htmt__fail(e, HTMT_EINVAL, "an emulator runs once");
    e->ran = true;
    check_twins(e);
    if (e->options.symmetry == HTMT_INDEPENDENT)
        run_slices(e);
    else
        run_clock(e);
    if (e->host) {
        htmt__batches_issue(e);
        htmt__host_drain(e->host);
    }
    settle_links(e);
    if (e->host && htmt__host_starved(e->host))
        htmt__fail(e, HTMT_ENOMEM, "no host memory for the closure of a parcel");
    if (!e->fault.code)
        htmt__kernel_check(e);
    uint64_t live = live_entities(e);
    if (!e->fault.code && live)
        htmt__fail(e, HTMT_EDEADLOCK, "nothing can move and %llu parcels and messages are not done",
                   (unsigned long long)live);
    return e->fault.code;
}

/* ---- what it is ----------------------------------------------------------------------------- */

const struct htmt_fault *htmt_emulator_fault(const struct htmt_emulator *e)
{
    return &e->fault;
}

const struct htmt_machine *htmt_emulator_machine(const struct htmt_emulator *e)
{
    return e->machine;
}

uint32_t htmt_emulator_slices(const struct htmt_emulator *e)
{
    return e->slices;
}

int htmt_emulator_layer(const struct htmt_emulator *e, const char *name)
{
    return htmt_machine_layer(e->machine, name);
}

struct htmt_context *htmt_root(struct htmt_emulator *e)
{
    return e->root;
}

struct htmt_emulator *htmt_emulator_of(struct htmt_context *c)
{
    return c->e;
}
