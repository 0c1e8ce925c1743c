/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parcel types: a walk, compiled into steps for the emulator's machine.
 */
#include "parcels/walk/type.h"
#include "parcels/clock/statistics.h"
#include "parcels/walk/banked.h"
#include "parcels/walk/entity.h"
#include "parcels/walk/move_cost.h"
#include "parcels/walk/permit.h"
#include "parcels/walk/profile_services.h"
#include "parcels/walk/sized_struct.h"

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
                             .line = (uint16_t)r->e->lines};
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

static void set_account(struct route *r, struct htmt__step *s)
{
    if (s->stats)
        s->alike = &s->stats->alike;
    else
        r->rc = HTMT_ENOMEM;
}

static bool has(const struct htmt_stage *s)
{
    return s->kernel || s->cost || s->control;
}

/* All services of the stage have one length, and nothing else to do on the clock. */
static bool is_constant(const struct htmt_emulator *e, const struct htmt_stage *code)
{
    bool runs = e->data && (code->kernel || code->steered);
    bool asked = code->cost && (!code->constant || e->options.checked);
    return !runs && !asked && !code->control && !e->options.what_if;
}

static bool issues(const struct htmt_emulator *e, uint32_t layer)
{
    return e->banked && layer == e->banked->machine->scratch;
}

static void add_service(struct route *r, enum htmt_stage_id stage, uint32_t layer)
{
    if (!has(&r->t->code.stage[stage]))
        return;
    if (!r->e->machine->layer[layer].processor.count) {
        r->rc =
            htmt__fail(r->e, HTMT_EINVAL, "type %s: stage %s needs a processor, layer %s has none",
                       r->t->code.name, htmt_stage_name(stage), r->e->machine->layer[layer].name);
        return;
    }
    struct htmt__step *s = add(r, HTMT__SERVE, stage, layer);
    s->at = offset_of(r->e, htmt__bank_at(r->e, 0, layer));
    s->code = &r->t->code.stage[stage];
    s->issues = issues(r->e, layer);
    if (stage == HTMT_EXECUTE)
        s->profiled = htmt__profiled_find(r->e, r->t->code.name, -1, layer);
    s->constant = is_constant(r->e, s->code) && !s->profiled && !s->issues;
    if (r->e->fault.code)
        r->rc = r->e->fault.code;
    s->stats = htmt__stage_stats_create(r->e, r->t->code.name, stage,
                                        htmt__bank_resource(r->e, layer), UINT32_MAX);
    set_account(r, s);
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
}

static enum htmt__end_queue end_of(const struct htmt_emulator *e, uint32_t network, uint32_t to)
{
    const struct htmt_network *n = &e->machine->network[network];
    if (n->model || e->net[network].fabric)
        return HTMT__END_INSIDE;
    if (!n->port[to].in)
        return HTMT__END_FREE;
    return e->net[network].one_source ? HTMT__END_KNOWN : HTMT__END_HEAD;
}

/* What its network makes of a move. */
static void set_network(const struct htmt_emulator *e, struct htmt__step *s, uint32_t network)
{
    const struct htmt_network *n = &e->machine->network[network];
    s->network = (int)network;
    s->end = (uint8_t)end_of(e, network, s->to);
    s->at = offset_of(e, htmt__port_at(e, 0, false, network, s->layer));
    s->in_at = offset_of(e, htmt__port_at(e, 0, true, network, s->to));
    s->latency = n->latency;
    s->lead = n->startup + n->latency;
}

static void add_move(struct route *r, enum htmt_stage_id stage, uint32_t from, uint32_t to,
                     bool inward)
{
    const struct htmt_machine *m = r->e->machine;
    int network = htmt_machine_route(m, from, to, false);
    if (network < 0) {
        r->rc = htmt__fail(r->e, HTMT_EROUTE, "type %s: no network joins %s and %s",
                           r->t->code.name, m->layer[from].name, m->layer[to].name);
        return;
    }
    struct htmt__step *s = add(r, HTMT__MOVE, stage, from);
    s->to = (uint8_t)to;
    s->inward = inward;
    s->passage = (uint8_t)(inward ? to : HTMT_LAYERS_MAX + from);
    set_network(r->e, s, (uint32_t)network);
    s->stats = htmt__stage_stats_create(r->e, r->t->code.name, stage,
                                        htmt__out_resource(r->e, (uint32_t)network, from),
                                        htmt__in_resource(r->e, (uint32_t)network, to));
    set_account(r, s);
}

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

/* "TYPE" is fiber 0's where the type executes in no other way. */
static void set_profile(struct htmt_emulator *e, struct htmt_type *t, uint32_t fiber)
{
    struct htmt__step *s = &t->fiber_step[fiber];
    s->profiled = htmt__profiled_find(e, t->code.name, (int)fiber, s->layer);
    if (!s->profiled && !fiber && !has(&t->code.stage[HTMT_EXECUTE]))
        s->profiled = htmt__profiled_find(e, t->code.name, -1, s->layer);
    s->constant = s->constant && !s->profiled;
}

static int compile_fibers(struct htmt_emulator *e, struct htmt_type *t,
                          const struct htmt_stage *fibers)
{
    if (!t->fiber_count)
        return 0;
    t->code.fiber = malloc(t->fiber_count * sizeof *t->code.fiber);
    t->fiber_step = calloc(t->fiber_count, sizeof *t->fiber_step);
    if (!t->code.fiber || !t->fiber_step)
        return HTMT_ENOMEM;
    memcpy(t->code.fiber, fibers, t->fiber_count * sizeof *t->code.fiber);
    struct htmt__stage_stats *stats = htmt__stage_stats_create(
        e, t->code.name, HTMT_FIBER, htmt__bank_resource(e, t->code.exec), UINT32_MAX);
    const uint32_t at = offset_of(e, htmt__bank_at(e, 0, t->code.exec));
    if (!stats)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < t->fiber_count; i++) {
        struct htmt__alike *alike = i ? htmt__stage_stats_step(stats) : &stats->alike;
        if (!alike)
            return HTMT_ENOMEM;
        t->fiber_step[i] = (struct htmt__step){.op = HTMT__SERVE,
                                               .stage = HTMT_FIBER,
                                               .layer = (uint8_t)t->code.exec,
                                               .network = -1,
                                               .at = at,
                                               .line = (uint16_t)e->lines++,
                                               .code = &t->code.fiber[i],
                                               .issues = issues(e, t->code.exec),
                                               .constant = !issues(e, t->code.exec) &&
                                                           is_constant(e, &t->code.fiber[i]),
                                               .stats = stats,
                                               .alike = alike};
        set_profile(e, t, i);
    }
    return e->fault.code;
}

/* ---- creation -------------------------------------------------------------------------------- */

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

static bool divides_too_far(const struct htmt_type_desc *d, const struct htmt_type *t)
{
    bool too_far = false;
    for (int i = 0; i < HTMT_STAGES; i++)
        too_far |= t->code.stage[i].parts > PARTS_MAX;
    for (uint32_t i = 0; i < d->fiber_count; i++)
        too_far |= d->fibers[i].parts > PARTS_MAX;
    return too_far;
}

static bool constant_of_nothing(const struct htmt_stage *s)
{
    return s->constant && !s->cost;
}

/* A stage, or fiber, whose cost is said to be constant though it has none. */
static bool lacks_cost(const struct htmt_type_desc *d, const struct htmt_type *t)
{
    bool lacks = false;
    for (int i = 0; i < HTMT_STAGES; i++)
        lacks |= constant_of_nothing(&t->code.stage[i]);
    for (uint32_t i = 0; i < d->fiber_count; i++)
        lacks |= constant_of_nothing(&d->fibers[i]);
    return lacks;
}

static int check_desc(struct htmt_emulator *e, const struct htmt_type_desc *d,
                      const struct htmt_type *t)
{
    const uint32_t gates = HTMT_GATE(HTMT_DISPATCH) | HTMT_GATE(HTMT_EXECUTE) |
                           HTMT_GATE(HTMT_RETIRE) | HTMT_GATE(HTMT_SCATTER);
    if (d->args_bytes > HTMT__ARGS_MAX || d->result_bytes > HTMT__RESULT_MAX)
        return htmt__fail(e, HTMT_EINVAL, "type %s: at most %u bytes of arguments, %u of result",
                          t->code.name, HTMT__ARGS_MAX, HTMT__RESULT_MAX);
    if (d->gates & ~gates)
        return htmt__fail(e, HTMT_EINVAL, "type %s: a gate before a stage that has none",
                          t->code.name);
    if (!t->hops && (d->gates & (HTMT_GATE(HTMT_DISPATCH) | HTMT_GATE(HTMT_SCATTER))))
        return htmt__fail(e, HTMT_EINVAL,
                          "type %s: a gate before %s, which a type that executes at home does not "
                          "have",
                          t->code.name,
                          d->gates & HTMT_GATE(HTMT_DISPATCH) ? "dispatch" : "scatter");
    if (d->footprint != HTMT_CLOSURE && d->footprint != HTMT_RESIDENT)
        return htmt__fail(e, HTMT_EINVAL,
                          "type %s: footprint %u, expected one of enum "
                          "htmt_footprint",
                          t->code.name, (unsigned)d->footprint);
    if (d->departures >> HTMT_DEPARTURES)
        return htmt__fail(e, HTMT_EINVAL,
                          "type %s: departures %#x, expected some of enum "
                          "htmt_departure",
                          t->code.name, d->departures);
    if (d->fiber_count && !d->fibers)
        return htmt__fail(e, HTMT_EINVAL, "type %s: no table of fibers", t->code.name);
    if (divides_too_far(d, t))
        return htmt__fail(e, HTMT_EINVAL, "type %s: a kernel in more than %u parts", t->code.name,
                          PARTS_MAX);
    if (lacks_cost(d, t))
        return htmt__fail(e, HTMT_EINVAL, "type %s: a constant cost without a cost function",
                          t->code.name);
    if (d->fiber_count && !e->machine->layer[t->code.exec].processor.count)
        return htmt__fail(e, HTMT_EINVAL, "type %s: fibers need a processor, layer %s has none",
                          t->code.name, d->exec);
    return 0;
}

/* Code of all types is in the code memory of a processor with threads, where a type gives it. */
static int take_code(struct htmt_emulator *e, const struct htmt_type_desc *d,
                     const struct htmt_type *t)
{
    if (!e->banked || t->code.exec != e->banked->machine->scratch)
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

/* Its kernel touches fresh regions only and nobody waits for it: see parcels/data/fused.c. */
static bool fusible(const struct htmt_type *t)
{
    const struct htmt_stage *x = &t->code.stage[HTMT_EXECUTE];
    bool alone = true;
    for (int i = 0; i < HTMT_STAGES; i++)
        alone &= i == HTMT_EXECUTE || (!t->code.stage[i].kernel && !t->code.stage[i].steered);
    return alone && x->kernel && x->cost && !x->steered && t->code.footprint == HTMT_CLOSURE &&
           !t->fiber_count && !t->code.result_bytes;
}

/* As malloc() would lay them. */
static size_t args_at(uint32_t fibers)
{
    const size_t unit = _Alignof(max_align_t);
    size_t end = sizeof(struct htmt__body) + fibers * sizeof(struct htmt__fiber_slot);
    return (end + unit - 1) / unit * unit;
}

static void fill(struct htmt_type *t, const struct htmt_type_desc *d)
{
    t->code.stage[HTMT_ASSEMBLE] = d->assemble;
    t->code.stage[HTMT_DISPATCH] = d->dispatch;
    t->code.stage[HTMT_EXECUTE] = d->execute;
    t->code.stage[HTMT_RETIRE] = d->retire;
    t->code.stage[HTMT_PLACE] = d->scatter;
    t->code.footprint = d->footprint;
    t->departures = d->departures;
    t->gates = d->gates | (d->fiber_count ? HTMT_GATE(HTMT_RETIRE) : 0);
    t->fiber_count = d->fiber_count;
    t->code_words = d->code_resident ? 0 : d->code_words;
    t->header_words = d->header_words;
    t->image = has(&d->assemble) && !d->in_place;
    t->code.args_bytes = d->args_bytes;
    t->args_at = args_at(d->fiber_count);
    t->code.result_bytes = d->result_bytes;
    t->code.user = d->user;
    t->code.fusible = fusible(t) && !t->emulator->op_recorder;
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
    free(t->code.fiber);
    htmt__type_copy_free(t);
}

static int check_call(struct htmt_emulator *e, const struct htmt_type_desc *given,
                      struct htmt_type_desc *desc, struct htmt_type **type)
{
    static const struct htmt__sized sized = {.name = "htmt_type_desc",
                                             .known = sizeof *desc,
                                             .first = sizeof *desc,
                                             .least = offsetof(struct htmt_type_desc, assemble)};
    static const char call[] = "htmt_type_create()";
    int rc = htmt__permit_setup(e, call);
    if (!rc)
        rc = htmt__given(e, given, call, "description");
    if (!rc)
        rc = htmt__sized_take(e, &sized, given, desc, call);
    if (!rc)
        rc = htmt__given(e, desc->name, call, "name");
    return rc ? rc : htmt__given(e, type, call, "place for the type");
}

int htmt_type_create(struct htmt_emulator *e, const struct htmt_type_desc *given,
                     struct htmt_type **type)
{
    struct htmt_type_desc whole;
    const struct htmt_type_desc *desc = &whole;
    int rc = check_call(e, given, &whole, type);
    if (rc)
        return rc;
    struct htmt_type *t = calloc(1, sizeof *t);
    if (!t)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for a type");
    t->emulator = e;
    snprintf(t->code.name, sizeof t->code.name, "%s", desc->name);
    fill(t, desc);
    rc = find_layers(e, desc, t);
    if (!rc)
        rc = check_desc(e, desc, t);
    if (!rc)
        rc = take_code(e, desc, t);
    if (!rc)
        rc = compile(e, t);
    if (!rc)
        rc = compile_fibers(e, t, desc->fibers);
    if (rc) {
        type_free(t);
        return htmt__fail(e, rc, "type %s: no host memory", t->code.name);
    }
    t->number = e->types ? e->types->number + 1 : 0;
    t->next = e->types;
    e->types = t;
    *type = t;
    return 0;
}

/* ---- copies ---------------------------------------------------------------------------------- */

static struct htmt__alike *alike_of(const struct htmt__step *s, struct htmt__stage_stats *copy)
{
    const struct htmt__alike *original = &s->stats->alike;
    struct htmt__alike *alike = &copy->alike;
    for (; original != s->alike; original = original->next)
        alike = alike->next;
    return alike;
}

static struct htmt__step *copy_steps(const struct htmt__step *steps, size_t count,
                                     struct htmt__stage_stats *const *stats)
{
    struct htmt__step *copy = malloc((count + 1) * sizeof *copy);
    if (copy && count)
        memcpy(copy, steps, count * sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        if (steps[i].stats) {
            copy[i].stats = stats[steps[i].stats->number];
            copy[i].alike = alike_of(&steps[i], copy[i].stats);
        }
    return copy;
}

struct htmt_type *htmt__type_copy(const struct htmt_type *t, struct htmt__stage_stats *const *stats)
{
    struct htmt_type *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *t;
    copy->next = NULL;
    copy->spare = NULL;
    copy->cost = NULL;
    copy->costs = copy->costs_most = 0;
    copy->step = copy_steps(t->step, t->steps, stats);
    copy->fiber_step = copy_steps(t->fiber_step, t->fiber_count, stats);
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
}
