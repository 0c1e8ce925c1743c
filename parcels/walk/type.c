/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Types of parcels, and how one is compiled into the steps that its parcels walk.
 *
 * A parcel goes from its home memory inward to the layer where it executes, and its results go
 * outward again. What that takes depends on the type and the machine alone, so it is found out
 * once: htmt_type_create() writes an array of steps, and a parcel reads it from the first to the
 * last one (walk.c). Each step holds what it would otherwise have to look up at every parcel: where
 * its slice keeps the bank, store or link (as a distance from the slice's block of resources), the
 * latency of its network, the statistics that it adds to, and the line of a lane where its events
 * queue. Steps that a type leaves empty are not there: a type without a kernel in `dispatch` has no
 * service of a SPIM.
 *
 * An example. A type with home dram that executes in cram, with an assemble and an execute, in a
 * run with the footprint HTMT_CLOSURE, on dram - sram - cram:
 *
 *     TAKE dram  FETCH dram  SERVE assemble
 *     TAKE sram  MOVE dram to sram  GIVE dram
 *     TAKE cram  MOVE sram to cram  FETCH sram  FETCH cram  LAND
 *     CLOSED  SERVE execute
 *     STORE cram  MOVE cram to sram  DEPART  GIVE cram  STORE sram
 *     MOVE sram to dram  GIVE sram  STORE dram
 *     END
 *
 * With a dispatch its service would come before the third line, and with it what lies in sram would
 * enter the closure: FETCH sram, SERVE dispatch, CLOSED. If no region joins in cram, the kernel can
 * run from there on, while the parcel still waits for words of cram.
 *
 * The order of the steps keeps two promises. Room in the next memory is taken before the first word
 * moves, so no parcel stands half way; and results return into words that the parcel still holds,
 * so the way outward never waits for room. Parcels of such a type cannot block each other for ever,
 * however small the memories are that hold one of them.
 *
 * A service is `constant` if the first one of the step tells the length of all: then later ones
 * neither call the cost function nor compare counts.
 */
#include "parcels/walk/type.h"
#include "parcels/clock/statistics.h"
#include "parcels/message/post.h"
#include "parcels/walk/controller.h"
#include "parcels/walk/entity.h"
#include "parcels/walk/permit.h"
#include "parcels/walk/profile_services.h"
#include "parcels/walk/replies.h"
#include "runtime/base/fnv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARTS_MAX 64u
#define STEPS_MAX (16u + 16u * HTMT_LAYERS_MAX)

/* ---- compiling a type ------------------------------------------------------------------------ */

struct route {
    struct htmt_emulator *e;
    struct htmt_type *t;
    struct htmt__step step[STEPS_MAX];
    uint32_t count;
    int rc;
};

static struct htmt__step *add(struct route *r, enum htmt__op op, enum htmt_stage_id stage,
                              uint32_t layer)
{
    struct htmt__step *s = &r->step[r->count++];
    *s = (struct htmt__step){.op = (uint8_t)op,
                             .stage = (uint8_t)stage,
                             .layer = (uint8_t)layer,
                             .bit = (uint8_t)(1u << layer),
                             .network = -1,
                             .line = (uint16_t)r->e->lines,
                             .delay = htmt__closed_line()};
    r->e->lines += op == HTMT__SERVE ? 1 : op == HTMT__MOVE ? 2 : 0;
    return s;
}

static uint32_t offset_of(const struct htmt_emulator *e, const void *of_slice_0)
{
    return (uint32_t)((const char *)of_slice_0 - e->block);
}

/* Bytes move in a run only. */
static void add_bytes(struct route *r, enum htmt__op op, enum htmt_stage_id stage, uint32_t layer)
{
    if (r->e->data)
        add(r, op, stage, layer);
}

static void add_gate(struct route *r, enum htmt_stage_id stage, uint32_t layer)
{
    if (r->t->gates & HTMT_GATE(stage))
        add(r, HTMT__GATE, stage, layer);
}

static void add_space(struct route *r, enum htmt__op op, enum htmt_stage_id stage, uint32_t layer)
{
    struct htmt__step *s = add(r, op, stage, layer);
    s->at = offset_of(r->e, htmt__store_at(r->e, 0, layer));
    s->class = &r->e->store_class[layer];
}

static bool has(const struct htmt_stage *s)
{
    return s->kernel || s->cost || s->control;
}

/* All services of the stage have one length, and nothing else to do on the clock. */
static bool is_constant(const struct htmt_emulator *e, const struct htmt_stage *code)
{
    bool runs = (e->data || e->replies) && (code->kernel || code->steered);
    bool asked = code->cost && (!code->constant || e->options.checked);
    return !runs && !asked && !code->control && !e->options.what_if;
}

static bool issues(const struct htmt_emulator *e, uint32_t layer)
{
    return e->banked && layer == e->banked->machine->scratch;
}

static void add_service(struct route *r, enum htmt_stage_id stage, uint32_t layer)
{
    struct htmt_emulator *e = r->e;
    const struct htmt_stage *code = &r->t->code.stage[stage];
    if (!has(code))
        return;
    if (!e->machine->layer[layer].processor.count) {
        r->rc = htmt__fail(e, HTMT_EINVAL, "type %s: stage %s needs a processor, layer %s has none",
                           r->t->code.name, htmt_stage_name(stage), e->machine->layer[layer].name);
        return;
    }
    struct htmt__step *s = add(r, HTMT__SERVE, stage, layer);
    s->at = offset_of(e, htmt__bank_at(e, 0, htmt__bank_resource(e, layer)));
    s->code = code;
    s->issues = issues(e, layer);
    if (stage == HTMT_EXECUTE)
        s->profiled = htmt__profiled_find(e, r->t->code.name, -1, layer);
    s->constant = is_constant(e, code) && !s->profiled && !s->issues;
    if (e->fault.code)
        r->rc = e->fault.code;
    s->stats = htmt__stage_stats_create(e, r->t->code.name, stage, htmt__bank_resource(e, layer),
                                        UINT32_MAX);
    if (s->stats)
        s->alike = &s->stats->alike;
    else
        r->rc = HTMT_ENOMEM;
    if (s->stats && e->options.time_kernels)
        r->t->code.took[stage] = &s->stats->took;
}

static void add_move(struct route *r, enum htmt_stage_id stage, uint32_t from, uint32_t to,
                     bool inward)
{
    struct htmt_emulator *e = r->e;
    const struct htmt_machine *m = e->machine;
    const int route = htmt_machine_route(m, from, to, false);
    if (route < 0) {
        r->rc = htmt__fail(e, HTMT_EROUTE, "type %s: no network joins %s and %s", r->t->code.name,
                           m->layer[from].name, m->layer[to].name);
        return;
    }
    const uint32_t network = (uint32_t)route;
    const struct htmt_network *n = &m->network[network];
    struct htmt__step *s = add(r, HTMT__MOVE, stage, from);
    s->to = (uint8_t)to;
    s->inward = inward;
    s->passage = (uint8_t)(inward ? to : HTMT_LAYERS_MAX + from);
    s->network = route;
    if (n->model || e->net[network].fabric)
        s->end = HTMT__END_INSIDE;
    else if (!n->port[to].in)
        s->end = HTMT__END_FREE;
    else
        s->end = e->net[network].one_source ? HTMT__END_KNOWN : HTMT__END_HEAD;
    s->at = offset_of(e, htmt__port_at(e, 0, false, network, from));
    s->in_at = offset_of(e, htmt__port_at(e, 0, true, network, to));
    s->latency = n->latency;
    s->lead = n->startup + n->latency;
    s->stats =
        htmt__stage_stats_create(e, r->t->code.name, stage, htmt__out_resource(e, network, from),
                                 htmt__in_resource(e, network, to));
    if (!s->stats) {
        r->rc = HTMT_ENOMEM;
        return;
    }
    s->stats->from = from;
    s->stats->to = to;
    s->alike = &s->stats->alike;
}

/* From the home to the layer of execution. Bytes of a layer enter the closure when the first stage
 * there needs them: its service, or the move that leaves it. */
static void compile_inward(struct route *r)
{
    const struct htmt_type *t = r->t;
    uint32_t n = t->hops, home = t->path[0];
    bool taken = false; /* the regions of the layer that it leaves are in the closure */
    if (n && t->image)
        add_space(r, HTMT__TAKE, HTMT_ASSEMBLE, home);
    if (n && has(&t->code.stage[HTMT_ASSEMBLE])) {
        add_bytes(r, HTMT__FETCH, HTMT_ASSEMBLE, home);
        add_service(r, HTMT_ASSEMBLE, home);
        taken = true;
    }
    for (uint32_t i = 1; i <= n; i++, taken = false) {
        uint32_t from = t->path[i - 1], to = t->path[i];
        enum htmt_stage_id stage = i == n ? HTMT_INJECT : HTMT_GATHER;
        if (i == n) {
            add_gate(r, HTMT_DISPATCH, from);
            if (!taken && has(&t->code.stage[HTMT_DISPATCH])) {
                add_bytes(r, HTMT__FETCH, HTMT_DISPATCH, from);
                taken = true;
            }
            add_service(r, HTMT_DISPATCH, from);
            if (taken && t->code.footprint == HTMT_CLOSURE)
                add_bytes(r, HTMT__CLOSED, HTMT_DISPATCH, from);
        }
        add_space(r, HTMT__TAKE, stage, to);
        add_move(r, stage, from, to, true);
        if (!taken)
            add_bytes(r, HTMT__FETCH, stage, from);
        if (i == 1 && t->image)
            add_space(r, HTMT__GIVE, stage, home);
    }
    if (!n)
        add_space(r, HTMT__TAKE, HTMT_EXECUTE, home);
    add_bytes(r, HTMT__FETCH, HTMT_INJECT, t->path[n]);
    add_bytes(r, HTMT__LAND, HTMT_INJECT, t->path[n]);
}

/* The first move outward is an eject, with the service retire where it ends; the last one ends with
 * the service `place` at home. */
static void compile_outward(struct route *r)
{
    const struct htmt_type *t = r->t;
    uint32_t n = t->hops;
    for (uint32_t i = n; i > 0; i--) {
        uint32_t from = t->path[i], to = t->path[i - 1];
        bool first = i == n;
        if (first)
            add_bytes(r, HTMT__STORE, HTMT_EJECT, from);
        else
            add_gate(r, HTMT_SCATTER, from);
        add_move(r, first ? HTMT_EJECT : HTMT_SCATTER, from, to, false);
        if (first)
            add_bytes(r, HTMT__DEPART, HTMT_EJECT, from);
        add_space(r, HTMT__GIVE, HTMT_EJECT, from);
        if (first)
            add_service(r, HTMT_RETIRE, to);
        if (first && i == 1)
            add_gate(r, HTMT_SCATTER, to);
        if (i == 1)
            add_service(r, HTMT_PLACE, to);
        add_bytes(r, HTMT__STORE, HTMT_SCATTER, to);
    }
    if (!n) {
        add_bytes(r, HTMT__DEPART, HTMT_EXECUTE, t->path[0]);
        add_bytes(r, HTMT__STORE, HTMT_EXECUTE, t->path[0]);
        add_space(r, HTMT__GIVE, HTMT_EXECUTE, t->path[0]);
    }
    add(r, HTMT__END, HTMT_SCATTER, t->path[0]);
}

static int compile(struct htmt_emulator *e, struct htmt_type *t)
{
    struct route r = {.e = e, .t = t};
    compile_inward(&r);
    if (t->code.footprint == HTMT_CLOSURE)
        add_bytes(&r, HTMT__CLOSED, HTMT_EXECUTE, t->code.exec);
    add_gate(&r, HTMT_EXECUTE, t->code.exec);
    add_service(&r, HTMT_EXECUTE, t->code.exec);
    add_gate(&r, HTMT_RETIRE, t->code.exec);
    compile_outward(&r);
    if (r.rc)
        return r.rc;
    t->step = malloc(r.count * sizeof *t->step);
    if (!t->step)
        return HTMT_ENOMEM;
    memcpy(t->step, r.step, r.count * sizeof *t->step);
    t->steps = r.count;
    return 0;
}

/* Each fiber is one service of the layer of execution. A profile named "TYPE" is fiber 0's where
 * the type executes in no other way. */
static int compile_fibers(struct htmt_emulator *e, struct htmt_type *t,
                          const struct htmt_type_desc *d)
{
    const struct htmt_stage *fibers = d->fibers;
    const uint32_t layer = t->code.exec;
    if (!t->fiber_count)
        return 0;
    t->code.fiber = malloc(t->fiber_count * sizeof *t->code.fiber);
    t->fiber_step = calloc(t->fiber_count, sizeof *t->fiber_step);
    if (!t->code.fiber || !t->fiber_step)
        return HTMT_ENOMEM;
    t->code.fiber_name = d->fiber_names ? calloc(t->fiber_count, sizeof(char *)) : NULL;
    for (uint32_t i = 0; i < t->fiber_count && d->fiber_names; i++) {
        if (t->code.fiber_name && d->fiber_names[i])
            t->code.fiber_name[i] = strdup(d->fiber_names[i]);
        if (!t->code.fiber_name || (d->fiber_names[i] && !t->code.fiber_name[i]))
            return HTMT_ENOMEM;
    }
    memcpy(t->code.fiber, fibers, t->fiber_count * sizeof *t->code.fiber);
    const uint32_t bank = htmt__bank_resource(e, layer);
    struct htmt__stage_stats *stats =
        htmt__stage_stats_create(e, t->code.name, HTMT_FIBER, bank, UINT32_MAX);
    if (!stats)
        return HTMT_ENOMEM;
    if (e->options.time_kernels)
        t->code.took[HTMT_FIBER] = &stats->took;
    for (uint32_t i = 0; i < t->fiber_count; i++) {
        struct htmt__alike *alike = i ? htmt__stage_stats_step(stats) : &stats->alike;
        if (!alike)
            return HTMT_ENOMEM;
        struct htmt__step *s = &t->fiber_step[i];
        *s = (struct htmt__step){.op = HTMT__SERVE,
                                 .stage = HTMT_FIBER,
                                 .layer = (uint8_t)layer,
                                 .network = -1,
                                 .at = offset_of(e, htmt__bank_at(e, 0, bank)),
                                 .line = (uint16_t)e->lines++,
                                 .delay = htmt__closed_line(),
                                 .code = &t->code.fiber[i],
                                 .issues = issues(e, layer),
                                 .stats = stats,
                                 .alike = alike};
        s->profiled = htmt__profiled_find(e, t->code.name, (int)i, layer);
        if (!s->profiled && !i && !has(&t->code.stage[HTMT_EXECUTE]))
            s->profiled = htmt__profiled_find(e, t->code.name, -1, layer);
        s->constant = !s->issues && is_constant(e, s->code) && !s->profiled;
    }
    return e->fault.code;
}

/* ---- creation -------------------------------------------------------------------------------- */

/* What the description says of the type itself; its layers are not known yet. */
static void fill(struct htmt_type *t, const struct htmt_type_desc *d)
{
    const size_t unit = _Alignof(max_align_t);
    const size_t slots =
        sizeof(struct htmt__body) + d->fiber_count * sizeof(struct htmt__fiber_slot);
    t->code.stage[HTMT_ASSEMBLE] = d->assemble;
    t->code.stage[HTMT_DISPATCH] = d->dispatch;
    t->code.stage[HTMT_EXECUTE] = d->execute;
    t->code.stage[HTMT_RETIRE] = d->retire;
    t->code.stage[HTMT_PLACE] = d->scatter;
    t->code.footprint = d->footprint;
    t->departures = d->departures;
    t->sends_nowhere = d->sends == HTMT_SENDS_NOWHERE;
    t->gates = d->gates | (d->fiber_count ? HTMT_GATE(HTMT_RETIRE) : 0);
    t->fiber_count = d->fiber_count;
    t->code_words = d->code_resident ? 0 : d->code_words;
    t->header_words = d->header_words;
    t->image = has(&d->assemble) && !d->in_place;
    t->code.args_bytes = d->args_bytes;
    t->args_at =
        (slots + unit - 1) / unit * unit; /* behind the slots, as malloc() would lay them */
    t->lineage_at = (t->args_at + d->args_bytes + unit - 1) / unit * unit;
    t->body_bytes = t->args_at + (d->args_bytes + 7) / 8 * 8;
    if (t->emulator->replies)
        t->body_bytes = t->lineage_at + htmt__lineage_bytes(d->fiber_count);
    t->code.result_bytes = d->result_bytes;
    t->code.user = d->user;
    /* Fused (parcels/data/fused.c): its kernel touches fresh regions only, and nobody waits for it.
     */
    const struct htmt_stage *x = &t->code.stage[HTMT_EXECUTE];
    bool alone = true;
    for (int i = 0; i < HTMT_STAGES; i++)
        alone &= i == HTMT_EXECUTE || (!t->code.stage[i].kernel && !t->code.stage[i].steered);
    t->code.fusible = alone && x->kernel && x->cost && !x->steered &&
                      t->code.footprint == HTMT_CLOSURE && !t->fiber_count &&
                      !t->code.result_bytes && !t->emulator->op_recorder;
}

static int find_layers(struct htmt_emulator *e, const struct htmt_type_desc *d, struct htmt_type *t)
{
    int home = d->home ? htmt_machine_layer(e->machine, d->home) : -1;
    int exec = d->exec ? htmt_machine_layer(e->machine, d->exec) : -1;
    const char *missing = home < 0 ? d->home : d->exec;
    if (home < 0 || exec < 0)
        return htmt__fail(e, HTMT_EINVAL, "type %s: %s: machine %s has no layer '%s'", t->code.name,
                          home < 0 ? "home" : "exec", e->machine->name, missing ? missing : "");
    t->home = (uint32_t)home;
    t->code.exec = (uint32_t)exec;
    t->hops = (uint32_t)abs(exec - home);
    memset(t->code.place, -1, sizeof t->code.place);
    for (uint32_t i = 0; i <= t->hops; i++) {
        t->path[i] = exec > home ? t->home + i : t->home - i;
        t->code.place[t->path[i]] = (int8_t)i;
    }
    return 0;
}

static int check_desc(struct htmt_emulator *e, const struct htmt_type_desc *d,
                      const struct htmt_type *t)
{
    const uint32_t travel = HTMT_GATE(HTMT_DISPATCH) | HTMT_GATE(HTMT_SCATTER),
                   gates = travel | HTMT_GATE(HTMT_EXECUTE) | HTMT_GATE(HTMT_RETIRE);
    const char *name = t->code.name;
    bool divides = false, lacks = false;
    if (d->args_bytes > HTMT__ARGS_MAX || d->result_bytes > HTMT__RESULT_MAX)
        return htmt__fail(e, HTMT_EINVAL, "type %s: at most %u bytes of arguments, %u of result",
                          name, HTMT__ARGS_MAX, HTMT__RESULT_MAX);
    if (d->gates & ~gates)
        return htmt__fail(e, HTMT_EINVAL, "type %s: a gate before a stage that has none", name);
    if (!t->hops && (d->gates & travel))
        return htmt__fail(e, HTMT_EINVAL,
                          "type %s: a gate before %s, which a type that executes at home does not "
                          "have",
                          name, d->gates & HTMT_GATE(HTMT_DISPATCH) ? "dispatch" : "scatter");
    if (d->footprint != HTMT_CLOSURE && d->footprint != HTMT_RESIDENT)
        return htmt__fail(e, HTMT_EINVAL,
                          "type %s: footprint %u, expected one of enum htmt_footprint", name,
                          (unsigned)d->footprint);
    if (d->departures >> HTMT_DEPARTURES)
        return htmt__fail(e, HTMT_EINVAL,
                          "type %s: departures %#x, expected some of enum htmt_departure", name,
                          d->departures);
    if ((unsigned)d->sends > HTMT_SENDS_NOWHERE)
        return htmt__fail(e, HTMT_EINVAL, "type %s: sends %u, expected one of enum htmt_sends",
                          name, (unsigned)d->sends);
    if (d->fiber_count && !d->fibers)
        return htmt__fail(e, HTMT_EINVAL, "type %s: no table of fibers", name);
    for (size_t i = 0; i < HTMT_STAGES + (size_t)d->fiber_count; i++) {
        const struct htmt_stage *s =
            i < HTMT_STAGES ? &t->code.stage[i] : &d->fibers[i - HTMT_STAGES];
        divides |= s->parts > PARTS_MAX;
        lacks |= s->constant && !s->cost;
    }
    if (divides)
        return htmt__fail(e, HTMT_EINVAL, "type %s: a kernel in more than %u parts", name,
                          PARTS_MAX);
    if (lacks)
        return htmt__fail(e, HTMT_EINVAL, "type %s: a constant cost without a cost function", name);
    if (d->fiber_count && !e->machine->layer[t->code.exec].processor.count)
        return htmt__fail(e, HTMT_EINVAL, "type %s: fibers need a processor, layer %s has none",
                          name, d->exec);
    return 0;
}

/* The code memory of a processor with threads holds the code of all types, where the machine gives
 * its size. */
static int take_code(struct htmt_emulator *e, const struct htmt_type_desc *d,
                     const struct htmt_type *t)
{
    if (!issues(e, t->code.exec))
        return 0;
    const uint64_t most = e->banked->machine->issue.code / HTMT_WORD, used = e->banked->code_words;
    if (most && (used > most || d->code_words > most - used))
        return htmt__fail(e, HTMT_ECAPACITY,
                          "type %s: %llu words of code, %llu with those of other types; the code "
                          "memory of a %s has %llu",
                          t->code.name, (unsigned long long)d->code_words,
                          (unsigned long long)(used + d->code_words),
                          e->machine->layer[t->code.exec].processor.name, (unsigned long long)most);
    e->banked->code_words += d->code_words;
    return 0;
}

void htmt__type_spares_free(struct htmt_type *t)
{
    while (t->spare) {
        struct htmt__body *next = t->spare->spare;
        free(t->spare);
        t->spare = next;
    }
}

void htmt__type_copy_free(struct htmt_type *t)
{
    if (!t)
        return;
    while (t->cost) {
        struct htmt__move_cost *next = t->cost->next;
        free(t->cost);
        t->cost = next;
    }
    htmt__type_spares_free(t);
    free(t->step);
    free(t->fiber_step);
    free(t);
}

static void type_free(struct htmt_type *t)
{
    for (uint32_t i = 0; i < t->fiber_count && t->code.fiber_name; i++)
        free(t->code.fiber_name[i]);
    free(t->code.fiber_name);
    free(t->code.fiber);
    htmt__type_copy_free(t);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Reports, traces and filters know a type by its name. The slot that has the type of that name, or
 * that is free for it: programs may have a type for each of 4096 slices, so names are hashed. */
static struct htmt_type **slot_of(struct htmt_type **named, size_t slots, const char *name)
{
    uint64_t hash = HTMT__HASH_BASIS;
    htmt__hash_bytes(&hash, name, strlen(name));
    size_t i = (size_t)(hash ^ hash >> 32) % slots;
    while (named[i] && strcmp(named[i]->code.name, name) != 0)
        i = i + 1 == slots ? 0 : i + 1;
    return &named[i];
}

/* Room for one name more; at most half of the slots are taken. */
static int make_names(struct htmt_emulator *e)
{
    const size_t types = e->types ? (size_t)e->types->number + 1 : 0;
    if (2 * (types + 1) <= e->named_slots)
        return 0;
    const size_t slots = e->named_slots ? 2 * e->named_slots : 32;
    struct htmt_type **named = calloc(slots, sizeof(struct htmt_type *));
    if (!named)
        return HTMT_ENOMEM;
    for (struct htmt_type *t = e->types; t; t = t->next)
        *slot_of(named, slots, t->code.name) = t;
    free(e->named);
    e->named = named;
    e->named_slots = slots;
    return 0;
}

static int check_name(struct htmt_emulator *e, const struct htmt_type *t)
{
    int rc = make_names(e);
    if (rc || !*slot_of(e->named, e->named_slots, t->code.name))
        return rc;
    return htmt__fail(e, HTMT_EINVAL, "type %s: found a second type of that name, expected another",
                      t->code.name);
}

int htmt_type_create(struct htmt_emulator *e, const struct htmt_type_desc *given,
                     struct htmt_type **type)
{
    static const struct htmt__sized sized = {.name = "htmt_type_desc",
                                             .known = sizeof(struct htmt_type_desc),
                                             .first = offsetof(struct htmt_type_desc, fiber_names),
                                             .least = offsetof(struct htmt_type_desc, assemble)};
    static const char call[] = "htmt_type_create()";
    struct htmt_type_desc desc;
    int rc = htmt__permit_setup(e, call);
    rc = rc ? rc : htmt__given(e, given, call, "description");
    rc = rc ? rc : htmt__sized_take(e, &sized, given, &desc, call);
    rc = rc ? rc : htmt__given(e, desc.name, call, "name");
    rc = rc ? rc : htmt__given(e, type, call, "place for the type");
    if (rc)
        return rc;
    struct htmt_type *t = calloc(1, sizeof *t);
    if (!t)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for a type");
    t->emulator = e;
    snprintf(t->code.name, sizeof t->code.name, "%s", desc.name);
    fill(t, &desc);
    rc = check_name(e, t);
    rc = rc ? rc : find_layers(e, &desc, t);
    rc = rc ? rc : check_desc(e, &desc, t);
    rc = rc ? rc : take_code(e, &desc, t);
    rc = rc ? rc : compile(e, t);
    rc = rc ? rc : compile_fibers(e, t, &desc);
    rc = rc ? rc : htmt__post_type_make(e, t, &desc);
    if (rc) {
        type_free(t);
        return htmt__fail(e, rc, "type %s: no host memory", desc.name);
    }
    t->number = e->types ? e->types->number + 1 : 0;
    t->next = e->types;
    e->types = t;
    *slot_of(e->named, e->named_slots, t->code.name) = t;
    *type = t;
    return 0;
}

int htmt__type_create_own(struct htmt_emulator *e, const struct htmt_type_desc *given,
                          struct htmt_type **type)
{
    struct htmt_type_desc d = *given;
    char name[sizeof(*type)->code.name];
    if (make_names(e))
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for a type");
    snprintf(name, sizeof name, "%s", given->name);
    for (unsigned n = 2; *slot_of(e->named, e->named_slots, name); n++)
        snprintf(name, sizeof name, "%.48s %u", given->name, n);
    d.name = name;
    return htmt_type_create(e, &d, type);
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* A step of the copy has the account in the copied statistics that has the place of its own. */
static struct htmt__step *copy_steps(struct htmt_emulator *e, const struct htmt__step *steps,
                                     size_t count, struct htmt__stage_stats *const *stats)
{
    struct htmt__step *copy = malloc((count + 1) * sizeof *copy);
    if (copy && count)
        memcpy(copy, steps, count * sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) {
        if (steps[i].op == HTMT__TAKE || steps[i].op == HTMT__GIVE)
            copy[i].class = &e->store_class[steps[i].layer];
        if (!steps[i].stats)
            continue;
        copy[i].stats = stats[steps[i].stats->number];
        copy[i].alike = &copy[i].stats->alike;
        for (const struct htmt__alike *a = &steps[i].stats->alike; a != steps[i].alike; a = a->next)
            copy[i].alike = copy[i].alike->next;
    }
    return copy;
}

struct htmt_type *htmt__type_copy(struct htmt_emulator *e, const struct htmt_type *t,
                                  struct htmt__stage_stats *const *stats)
{
    struct htmt_type *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *t;
    copy->next = NULL;
    copy->spare = NULL;
    copy->cost = NULL;
    copy->costs = copy->costs_most = 0;
    copy->posts = (struct htmt__post_sums){0};
    copy->step = copy_steps(e, t->step, t->steps, stats);
    copy->fiber_step = copy_steps(e, t->fiber_step, t->fiber_count, stats);
    if (copy->step && copy->fiber_step)
        return copy;
    htmt__type_copy_free(copy);
    return NULL;
}

void htmt__types_destroy(struct htmt_emulator *e)
{
    while (e->types) {
        struct htmt_type *next = e->types->next;
        type_free(e->types);
        e->types = next;
    }
    free(e->named);
}
