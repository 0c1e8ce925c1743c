/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/random/parts.h"

#include <inttypes.h>

static void set_slot(struct htmt_context *c, uint32_t fiber, uint32_t count)
{
    tell(c, CALL_SLOT_SET);
    htmt_slot_set(c, fiber, count, 0);
}

/* ---- roamers: puts and gets ------------------------------------------------------------------ */

/* Where words go from a layer of this slice to that one; the layer itself within the slice. */
static uint32_t beyond(const struct program *p, uint32_t layer, uint32_t here, uint32_t *there,
                       uint64_t *seed)
{
    const struct reach *r = &p->reach[layer];
    if (*there != here && r->far_count)
        return r->far[between(seed, 0, r->far_count - 1)];
    *there = here;
    return r->near[between(seed, 0, r->near_count - 1)];
}

/* Returns the signals that come of it. */
static uint32_t roam_put(struct htmt_context *c, const struct program *p, uint32_t layer,
                         uint64_t *seed)
{
    uint32_t here = htmt_slice(c), there = program_peer(p, here, seed);
    uint32_t to = beyond(p, layer, here, &there, seed);
    struct htmt_put put = htmt_put_init();
    put.bytes = 8 * between(seed, 1, 20);
    put.src = program_place(p, layer, here, 160, seed);
    put.dst = program_place(p, to, there, 160, seed);
    put.on_arrived = htmt_slot(c, 1);
    tell(c, there != here ? PUT_SLICE : to != layer ? PUT_LAYER : PUT_HERE);
    if (put.bytes <= 80 && once_in(seed, 3)) {
        put.src_pieces = (struct htmt_pieces){.bytes = 8, .count = put.bytes / 8, .stride = 16};
        tell(c, PUT_FROM_PIECES);
    }
    if (put.bytes <= 80 && once_in(seed, 3)) {
        put.dst_pieces = (struct htmt_pieces){.bytes = put.bytes, .count = 1, .stride = 0};
        tell(c, PUT_TO_PIECES);
    }
    if (once_in(seed, 5)) {
        put.words = between(seed, 1, 50);
        tell(c, PUT_PADDED);
    }
    if (!once_in(seed, 4)) {
        put.on_sent = htmt_slot(c, 1);
        tell(c, PUT_SENT);
    }
    htmt_put(c, &put);
    return 1 + !htmt_ref_none(put.on_sent.owner);
}

/* Whether words go that way and come back. */
static bool both_ways(const struct program *p, uint32_t from, uint32_t to, bool across)
{
    return (from == to && !across) ||
           (htmt_machine_route(p->plan->machine, from, to, across) >= 0 &&
            htmt_machine_route(p->plan->machine, to, from, across) >= 0);
}

/* A get says only that it has arrived. */
static uint32_t roam_get(struct htmt_context *c, const struct program *p, uint32_t layer,
                         uint64_t *seed)
{
    uint32_t here = htmt_slice(c), there = program_peer(p, here, seed);
    uint32_t from = beyond(p, layer, here, &there, seed);
    if (!both_ways(p, layer, from, there != here))
        return roam_put(c, p, layer, seed);
    struct htmt_put get = htmt_put_init();
    get.bytes = 8 * between(seed, 1, 20);
    get.src = program_place(p, from, there, 160, seed);
    get.dst = program_place(p, layer, here, 160, seed);
    get.ask = once_in(seed, 2);
    get.on_arrived = htmt_slot(c, 1);
    if (there != here)
        tell(c, PUT_GET);
    if (get.ask)
        tell(c, PUT_ASK);
    htmt_put(c, &get);
    return 1;
}

/* Whole frames that change places. */
static uint32_t roam_hand_over(struct htmt_context *c, const struct program *p, uint32_t layer,
                               uint64_t *seed)
{
    uint32_t here = htmt_slice(c), there = program_peer(p, here, seed);
    uint32_t to = beyond(p, layer, here, &there, seed);
    if (to == layer && there == here)
        return roam_put(c, p, layer, seed);
    struct htmt_put put = htmt_put_init();
    put.src = htmt_at(p->given[layer], here, 0);
    put.dst = htmt_at(p->given[to], there, 0);
    put.bytes = GIVEN_BYTES;
    put.handover = true;
    put.on_arrived = htmt_slot(c, 1);
    tell(c, PUT_HANDOVER);
    htmt_put(c, &put);
    return 1;
}

/* Fiber 1 waits for both ends of all that this one sets off. */
static void roam(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    uint64_t seed = a->seed;
    uint32_t moves = (uint32_t)between(&seed, 1, 5), signals = 0;
    for (uint32_t i = 0; i < moves; i++) {
        htmt_charge(c, HTMT_CYCLE, between(&seed, 0, 9));
        const uint64_t kind = between(&seed, 0, 6);
        if (kind < 3)
            signals += roam_put(c, a->program, a->layer, &seed);
        else if (kind < 5)
            signals += roam_get(c, a->program, a->layer, &seed);
        else if (kind == 5)
            signals += roam_hand_over(c, a->program, a->layer, &seed);
        else {
            tell(c, SIGNAL_OWN);
            htmt_signal(c, htmt_slot(c, 1));
            signals++;
        }
    }
    a->seed = draw(&seed) | 1;
    set_slot(c, 1, signals);
}

static void settle(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    uint64_t seed = a->seed;
    htmt_use(c, program_place(a->program, a->layer, htmt_slice(c), 64, &seed), 64, HTMT_UPDATE);
    tell(c, CALL_USE);
    htmt_work(c);
    if (a->round++ < a->depth)
        roam(c);
    else
        finish(c);
}

/* ---- keepers of gated parcels ---------------------------------------------------------------- */

static void call(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    unsigned gates = a->program->gates[a->shape];
    if (gates & HTMT_GATE(HTMT_SCATTER) && (tell(c, CALL_SCATTER), true))
        htmt_scatter(c, a->kept);
    if (gates & HTMT_GATE(HTMT_DISPATCH) && (tell(c, CALL_DISPATCH), true))
        htmt_dispatch(c, a->kept);
    if (gates & HTMT_GATE(HTMT_EXECUTE) && (tell(c, CALL_EXECUTE), true))
        htmt_execute(c, a->kept);
    if (gates & HTMT_GATE(HTMT_RETIRE) && (tell(c, CALL_RETIRE), true))
        htmt_retire(c, a->kept);
}

/* It hears of the parcel at a gate. */
static void at_gate(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    uint64_t seed = a->seed;
    if (a->left)
        return; /* called early */
    htmt_charge(c, HTMT_CYCLE, between(&seed, 0, 40));
    if (a->program->plan->tight && once_in(&seed, 40))
        return; /* forgets it */
    if (once_in(&seed, 4)) {
        tell(c, CALL_DISCARD);
        htmt_discard(c, a->kept);
    } else {
        call(c);
    }
}

/* Assembles a parcel that stops at its gates, and calls it when it hears that it is there, or at
 * once. */
static void keep(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    struct program *p = a->program;
    const struct shape way = {.home = p->layers - 2, .exec = p->layers - 1, .fills = true};
    uint64_t seed = a->seed;
    uint32_t slice = htmt_slice(c);
    struct args child = {.program = p, .depth = 9};
    struct htmt_region r[2];
    a->shape = (uint32_t)between(&seed, 0, GATED - 1);
    for (uint32_t i = 0; i < 2; i++) {
        r[i] = percolating_region(p, &way, slice, i, &seed);
        child.locked |= (uint32_t)r[i].read_only << i;
        child.blank |= (uint32_t)r[i].filled << i;
    }
    child.seed = draw(&seed) | 1;
    a->seed = draw(&seed) | 1;
    set_slot(c, 1, 1);
    set_slot(c, 2, 1);
    tell(c, TYPE_GATED);
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){.type = p->gated[a->shape],
                                             .slice = slice,
                                             .args = &child,
                                             .regions = r,
                                             .region_count = 2,
                                             .on_ready = htmt_slot(c, 1),
                                             .on_done = htmt_slot(c, 2)},
                  &a->kept);
    if (once_in(&seed, 4)) {
        tell(c, CALL_EARLY);
        a->left = 1;
        call(c);
    }
}

/* ---- holders --------------------------------------------------------------------------------- */

/* Holds its space until its child has reported and is done, which needs space there too. */
static void hold(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    struct program *p = a->program;
    uint64_t seed = a->seed;
    struct htmt_region r = htmt_region_init();
    struct args child = {.program = p, .layer = p->child_layer, .depth = 9};
    r.bytes = 8 * between(&seed, 1, 40);
    child.seed = draw(&seed);
    child.report = htmt_slot(c, 1);
    set_slot(c, 1, p->plan->tight && once_in(&seed, 60) ? 3 : 2);
    tell(c, TYPE_CHILD);
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){.type = p->child,
                                             .slice = htmt_slice(c),
                                             .args = &child,
                                             .regions = &r,
                                             .region_count = 1,
                                             .on_done = htmt_slot(c, 1)},
                  NULL);
}

static void report(struct htmt_context *c)
{
    const struct args *a = htmt_args(c);
    tell(c, a->layer == a->program->holder_layer ? SIGNAL_OWN : SIGNAL_LAYER);
    htmt_signal(c, a->report);
}

/* ---- failures -------------------------------------------------------------------------------- */

/* Fiber 1 comes some time later. */
static void expect_failure(struct htmt_context *c)
{
    const struct args *a = htmt_args(c);
    htmt_charge(c, HTMT_CYCLE, a->seed % 3000);
    set_slot(c, 1, 1);
    htmt_signal(c, htmt_slot(c, 1));
}

static void assemble_too_much(struct htmt_context *c, struct args *a)
{
    struct program *p = a->program;
    const struct shape *s = &p->shape[p->allowed[0]];
    struct htmt_region r = htmt_region_init();
    struct args child = {.program = p, .seed = 1, .depth = 9, .shape = p->allowed[0]};
    r.bytes = 8 * (htmt_machine_room(p->plan->machine, s->exec) + 1);
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){.type = s->type,
                                             .slice = htmt_slice(c),
                                             .args = &child,
                                             .regions = &r,
                                             .region_count = 1},
                  NULL);
}

static void fail(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    struct htmt_addr end = htmt_at(a->program->frame[a->layer], htmt_slice(c), FRAME_BYTES - 8);
    switch (a->round) {
    case 0:
        htmt_charge(c, HTMT_CYCLE, UINT64_MAX / 4);
        return;
    case 1:
        assemble_too_much(c, a);
        return;
    case 2:
        set_slot(c, 1, 0);
        htmt_signal(c, htmt_slot(c, 1));
        return;
    case 3:
        htmt_put(c, &(struct htmt_put){.src = end, .dst = end, .bytes = 16}); /* out of bounds */
        return;
    case 4: /* the kernel does, in a run */
        if (!a->program->plan->known)
            return;
    }
    htmt_fail(c, HTMT_EWRONG, "slice %u cannot go on (%" PRIu64 ")", htmt_slice(c), a->seed % 97);
}

static void fail_kernel(struct htmt_kernel *k)
{
    const struct args *a = htmt_kernel_args(k);
    if (a->round == 4 && !a->program->plan->known)
        htmt_kernel_fail(k, HTMT_EWRONG, "slice %u found %" PRIu64, htmt_kernel_slice(k),
                         a->seed % 97);
}

/* Turns for ever at one instant. */
static void spin(struct htmt_context *c)
{
    htmt_signal(c, htmt_slot(c, 1));
}

/* ---- types ----------------------------------------------------------------------------------- */

static struct htmt_stage kernel_stage(const struct program *p, htmt_control_fn *control)
{
    return (struct htmt_stage){.kernel = percolating_visit,
                               .cost = p->plan->known ? percolating_cost : NULL,
                               .control = control};
}

static void create_gated(struct program *p)
{
    static const unsigned gates[GATED] = {
        HTMT_GATE(HTMT_EXECUTE), HTMT_GATE(HTMT_DISPATCH) | HTMT_GATE(HTMT_RETIRE),
        HTMT_GATE(HTMT_RETIRE),  HTMT_GATE(HTMT_EXECUTE) | HTMT_GATE(HTMT_SCATTER),
        HTMT_GATE(HTMT_SCATTER), HTMT_GATE(HTMT_DISPATCH)};
    const struct htmt_stage some = kernel_stage(p, NULL), cheap = {.cost = percolating_cost};
    for (uint32_t i = 0; i < GATED; i++) {
        struct htmt_type_desc d = htmt_type_desc_init();
        char name[16];
        snprintf(name, sizeof name, "gated %u", i);
        d.name = name;
        d.home = program_layer(p, p->layers - 2);
        d.exec = program_layer(p, p->layers - 1);
        d.dispatch = cheap;
        d.execute = some;
        d.retire = some;
        d.scatter = cheap;
        d.gates = p->gates[i] = gates[i];
        d.header_words = i;
        p->gated[i] = program_type(p, d);
    }
}

static void create_failing(struct program *p, uint64_t *seed)
{
    struct htmt_stage failing = {
        .kernel = fail_kernel, .cost = p->plan->known ? percolating_cost : NULL, .control = fail};
    const struct htmt_stage turning = {.control = spin, .count = 1, .reset = 1};
    p->failing_layer = (uint32_t)between(seed, 0, p->layers - 1);
    p->failing = program_caller(p, "failing", p->failing_layer, p->failing_layer, expect_failure,
                                &failing, 1);
    p->spinner =
        program_caller(p, "spinner", p->failing_layer, p->failing_layer, spin, &turning, 1);
}

static void create_holders(struct program *p, uint64_t *seed)
{
    const struct htmt_stage end = {.control = finish};
    struct htmt_type_desc d = htmt_type_desc_init();
    p->holder_layer = (uint32_t)between(seed, 0, p->layers - 1);
    p->child_layer = (uint32_t)between(seed, 0, p->layers - 1);
    p->holder = program_caller(p, "holder", (uint32_t)between(seed, 0, p->layers - 1),
                               p->holder_layer, hold, &end, 1);
    d.name = "child";
    d.home = program_layer(p, (uint32_t)between(seed, 0, p->layers - 1));
    d.exec = program_layer(p, p->child_layer);
    d.execute = (struct htmt_stage){.cost = percolating_cost, .control = report};
    p->child = program_type(p, d);
}

void activations_create(struct program *p, uint64_t *seed)
{
    const struct htmt_stage settling = kernel_stage(p, settle);
    const struct htmt_stage keeping[2] = {{.control = at_gate}, {.control = finish}};
    for (uint32_t l = 0; l < p->layers; l++) {
        char roamer[24], keeper[24];
        snprintf(roamer, sizeof roamer, "roamer %u", l);
        snprintf(keeper, sizeof keeper, "keeper %u", l);
        p->roamer[l] = program_caller(p, roamer, l, l, roam, &settling, 1);
        p->keeper[l] = program_caller(p, keeper, l, l, keep, keeping, 2);
    }
    create_gated(p);
    create_holders(p, seed);
    create_failing(p, seed);
}

/* ---- roots ----------------------------------------------------------------------------------- */

void activations_start(struct program *p, uint32_t slice, uint64_t seed)
{
    struct args a = {.program = p};
    uint64_t kind = between(&seed, 0, 2);
    struct htmt_region r = htmt_region_init();
    r.bytes = 8 * between(&seed, 1, 30);
    a.layer = (uint32_t)between(&seed, 0, p->layers - 1);
    a.depth = (uint32_t)between(&seed, 0, 2);
    a.seed = draw(&seed) | 1;
    if (kind == 0)
        program_root(p, p->roamer[a.layer], slice, &a, NULL, TYPE_ROAMER);
    else if (kind == 1)
        program_root(p, p->keeper[a.layer], slice, &a, NULL, TYPE_KEEPER);
    else
        program_root(p, p->holder, slice, &a, &r, TYPE_HOLDER);
}

/* In one program of eight; in all slices of programs whose slices are alike. */
void activations_start_failing(struct program *p, uint64_t seed)
{
    bool spins = once_in(&seed, 300), fails = once_in(&seed, 8);
    struct args a = {.program = p, .layer = p->failing_layer};
    a.round = (uint32_t)between(&seed, 0, 5);
    a.seed = draw(&seed) | 1;
    uint32_t one = (uint32_t)between(&seed, 0, p->slices - 1);
    for (uint32_t i = 0; i < p->slices && (spins || fails); i++)
        if (i == one || p->plan->group == ALIKE)
            program_root(p, spins ? p->spinner : p->failing, i, &a, NULL,
                         spins ? TYPE_SPINNER : TYPE_FAILING);
}
