/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pipeline of a parcel, the phases of a step, and what follows from them.
 */
#include "apps/pic/closed_form.h"

#include "apps/pic/counts.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

typedef struct htmt__pic_prediction prediction;
typedef struct htmt__pic_pipeline pipeline;

/* What a parcel of some phase moves and does. */
struct load {
    uint64_t in, out; /* words */
    struct htmt_ops assembly, dispatch, execute;
};

/* ---- pipeline ------------------------------------------------------------------------------- */

static htmt_wide longest(const htmt_wide *of, size_t count)
{
    htmt_wide most = 0;
    for (size_t i = 0; i < count; i++)
        most = of[i] > most ? of[i] : most;
    return most;
}

static htmt_wide share(htmt_wide time, uint64_t among)
{
    return (time + among / 2) / among;
}

struct move {
    htmt_time busy, latency;
    htmt_wide apart; /* of moves one after another, among the channels of either end */
};

/* A move that meets no other; of no words none at all. */
static int move_time(const struct htmt_machine *m, uint32_t from, uint32_t to, bool across,
                     uint64_t words, struct move *move)
{
    int network = htmt_machine_route(m, from, to, across);
    *move = (struct move){0, 0, 0};
    if (!words || network < 0)
        return 0;
    uint32_t n = (uint32_t)network;
    htmt_time out = htmt_machine_out_time(m, n, from, to, words, 1, 1);
    htmt_time in = htmt_machine_in_time(m, n, to, words, 1);
    htmt_wide ends[] = {share(out, m->network[n].port[from].out),
                        share(in, m->network[n].port[to].in ? m->network[n].port[to].in : 1)};
    *move = (struct move){out > in ? out : in, m->network[n].latency, longest(ends, 2)};
    return out < 0 || in < 0 ? HTMT_EOVERFLOW : 0;
}

static int moves(const struct htmt_machine *m, const struct htmt__pic_plan *p,
                 const struct load *load, pipeline *out)
{
    struct move move[4] = {{0, 0, 0}};
    int rc = move_time(m, p->outer, p->middle, false, load->in, &move[0]);
    if (!rc)
        rc = move_time(m, p->middle, p->inner, false, load->in, &move[1]);
    if (!rc)
        rc = move_time(m, p->inner, p->middle, false, load->out, &move[2]);
    if (!rc)
        rc = move_time(m, p->middle, p->outer, false, load->out, &move[3]);
    out->gather = move[0].busy;
    out->inject = move[1].busy;
    out->eject = move[2].busy;
    out->scatter = move[3].busy;
    out->gathers = move[0].apart;
    out->injects = move[1].apart;
    out->ejects = move[2].apart;
    out->scatters = move[3].apart;
    out->gather_latency = move[0].latency;
    out->inject_latency = move[1].latency;
    out->eject_latency = move[2].latency;
    out->scatter_latency = move[3].latency;
    return rc;
}

static void compose(pipeline *l)
{
    l->loop = (htmt_wide)l->inject + l->inject_latency + l->execute + l->eject + l->eject_latency;
    htmt_wide each[] = {share(l->assembly, l->dpims),
                        l->gathers,
                        share(l->dispatch, l->spims),
                        l->injects,
                        l->execute,
                        l->ejects,
                        l->scatters,
                        share(l->loop, l->buffers)};
    l->period = longest(each, sizeof each / sizeof *each);
    l->first = (htmt_wide)l->assembly + l->gather + l->gather_latency + l->dispatch + l->loop +
               l->scatter + l->scatter_latency;
}

static int lay_pipeline(const struct htmt_machine *m, const struct htmt__pic_plan *p,
                        const struct load *load, pipeline *out)
{
    uint64_t space = load->in + load->out, room = htmt_machine_room(m, p->inner);
    *out = (pipeline){.words = load->in,
                      .dpims = m->layer[p->outer].processor.count,
                      .spims = m->layer[p->middle].processor.count,
                      .buffers = space && room > space ? room / space : 1,
                      .assembly = htmt_machine_work(m, p->outer, &load->assembly),
                      .dispatch = htmt_machine_work(m, p->middle, &load->dispatch),
                      .execute = htmt_machine_work(m, p->inner, &load->execute)};
    int rc = moves(m, p, load, out);
    if (rc || out->assembly < 0 || out->dispatch < 0 || out->execute < 0)
        return HTMT_EOVERFLOW;
    compose(out);
    return 0;
}

static htmt_wide pipeline_time(const pipeline *l, uint64_t parcels)
{
    return parcels ? l->first + (htmt_wide)(parcels - 1) * l->period : 0;
}

/* ---- terms ---------------------------------------------------------------------------------- */

static struct htmt__pic_term *next_term(prediction *p)
{
    assert(p->term_count < HTMT__PIC_TERMS_MAX);
    return &p->term[p->term_count++];
}

static void add_time(prediction *p, unsigned depth, const char *name, const char *meaning,
                     htmt_wide fs, const char *expression)
{
    *next_term(p) = (struct htmt__pic_term){.depth = depth,
                                            .name = name,
                                            .meaning = meaning,
                                            .unit = "fs",
                                            .expression = expression,
                                            .fs = fs,
                                            .value = 1e-15 * (double)fs};
}

static void add(prediction *p, unsigned depth, const char *name, const char *meaning,
                const char *unit, double value, const char *expression)
{
    *next_term(p) = (struct htmt__pic_term){.depth = depth,
                                            .name = name,
                                            .meaning = meaning,
                                            .unit = unit,
                                            .expression = expression,
                                            .value = value};
}

const struct htmt__pic_term *htmt__pic_term(const prediction *p, const char *name)
{
    for (unsigned i = 0; i < p->term_count; i++)
        if (!strcmp(p->term[i].name, name))
            return &p->term[i];
    return NULL;
}

/* ---- push parcels --------------------------------------------------------------------------- */

/* The mean of a species in a full block. */
static uint64_t particles_of(const struct htmt__pic_plan *p, uint32_t species)
{
    uint64_t edge = p->edge, cells = edge * edge * edge;
    if (p->problem.n[0])
        cells = (uint64_t)p->block[0] * p->block[1] * p->block[2];
    uint64_t mean = p->problem.per_cell[species] * cells;
    return p->problem.n[0] && mean > p->room ? p->room : mean;
}

static uint32_t most_crowded(const struct htmt__pic_plan *p)
{
    uint32_t most = 0;
    for (uint32_t s = 1; s < p->problem.species; s++)
        if (p->problem.per_cell[s] > p->problem.per_cell[most])
            most = s;
    return most;
}

static struct load push_load(const struct htmt__pic_plan *p, uint32_t species)
{
    const struct htmt__pic_charges *c = &p->problem.charges;
    uint64_t count = particles_of(p, species), in = p->parcel_words;
    uint64_t out = HTMT__PIC_PARTICLE_WORDS * count + HTMT__PIC_REPORT_WORDS;
    if (p->problem.n[0])
        in = c->code + htmt__pic_field_words(c, p->block[0], p->block[1], p->block[2]) +
             HTMT__PIC_PARTICLE_WORDS * count;
    else
        out = p->problem.eject ? in : 0;
    return (struct load){.in = in,
                         .out = out,
                         .assembly = htmt__pic_assembly_ops(c),
                         .dispatch = htmt__pic_dispatch_ops(c),
                         .execute = htmt__pic_push_ops(c, count)};
}

/* Results leave the space that they came in, so a parcel takes what went up. */
static int lay_push_of(const struct htmt_machine *m, const struct htmt__pic_plan *p,
                       uint32_t species, pipeline *out)
{
    struct load load = push_load(p, species);
    int rc = lay_pipeline(m, p, &load, out);
    uint64_t fit = htmt_machine_room(m, p->inner) / (load.in ? load.in : 1);
    out->buffers = p->problem.n[0] && fit ? fit : p->buffers;
    if (!rc)
        compose(out);
    return rc;
}

static int lay_push(const struct htmt_machine *m, prediction *p)
{
    return lay_push_of(m, &p->plan, most_crowded(&p->plan), &p->push);
}

static void add_stages(prediction *p, unsigned depth)
{
    const pipeline *l = &p->push;
    add_time(p, depth, "first", "the first parcel", l->first, "sum of its stages");
    add_time(p, depth + 1, "assembly", "of a push parcel, on a DPIM", l->assembly,
             "assembly cycles t_DPIM");
    add_time(p, depth + 1, "gather", "D to S, of a push parcel", l->gather,
             "parcel words t_vortex");
    add_time(p, depth + 1, "dispatch", "of a push parcel, on a SPIM", l->dispatch,
             "dispatch cycles t_SPIM");
    add_time(p, depth + 1, "inject", "S to C, of a push parcel", l->inject, "parcel words t_RTI");
    add_time(p, depth + 1, "execute", "push on the SPELL", l->execute,
             p->plan.problem.charges.from_file ? "flop / useful N_P N_G^3 t_SPELL"
                                               : "flop N_P N_G^3 t_flop");
    add_time(p, depth + 1, "eject", "C to S", l->eject, "words back t_RTI");
    add_time(p, depth + 1, "scatter", "S to D", l->scatter, "words back t_vortex");
    add_time(p, depth, "period", "from one parcel to the next", l->period, "max of the following");
    add_time(p, depth + 1, "assembly, shared", "by the DPIMs of a slice",
             share(l->assembly, l->dpims), "assembly / DPIMs");
    add_time(p, depth + 1, "dispatch, shared", "by the SPIMs of a slice",
             share(l->dispatch, l->spims), "dispatch / SPIMs");
    add_time(p, depth + 1, "CRAM loop, shared", "a place in CRAM, by the parcels that fit",
             share(l->loop, l->buffers), "(inject + execute + eject + latencies) / CRAM room");
}

static void add_ends(prediction *p)
{
    const pipeline *l = &p->push;
    htmt_wide at = l->assembly;
    add_time(p, 0, "end of assembly", "of the first parcel (Figure 4)", at, "assembly");
    at += l->gather + l->gather_latency;
    add_time(p, 0, "end of gather", "of the first parcel", at, "+ gather");
    at += l->dispatch;
    add_time(p, 0, "end of dispatch", "of the first parcel", at, "+ dispatch");
    at += l->inject + l->inject_latency;
    add_time(p, 0, "end of inject", "of the first parcel", at, "+ inject");
    at += l->execute;
    add_time(p, 0, "end of execute", "of the first parcel", at, "+ execute");
}

static double percent(htmt_wide part, htmt_wide of)
{
    return of ? 100 * (double)part / (double)of : 0;
}

static void add_use(prediction *p)
{
    const pipeline *l = &p->push;
    add(p, 0, "DPIM use", "assembly", "%", percent(share(l->assembly, l->dpims), l->period),
        "assembly / DPIMs / period");
    add(p, 0, "vortex use", "gather", "%", percent(l->gathers, l->period), "gather / period");
    add(p, 0, "SPIM use", "dispatch", "%", percent(share(l->dispatch, l->spims), l->period),
        "dispatch / SPIMs / period");
    add(p, 0, "RTI use", "inject", "%", percent(l->injects, l->period), "inject / period");
    add(p, 0, "SPELL use", "execute", "%", percent(l->execute, l->period), "execute / period");
}

static void add_sizes(prediction *p, const struct htmt_machine *m)
{
    const struct htmt__pic_plan *plan = &p->plan;
    const uint64_t code = plan->problem.charges.code, room = htmt_machine_room(m, plan->inner);
    add(p, 0, "largest N_G", "cells a side of a parcel that fits CRAM", "1", plan->edge_most,
        "CRAM, parcel words");
    add(p, 0, "parcel words", "code, field, particles", "words", (double)plan->parcel_words,
        "code + 3 (N_G + guard)^3 + 6 N_P N_G^3");
    add(p, 0, "CRAM room", "parcels that fit CRAM", "1", (double)plan->buffers,
        "floor(CRAM / parcel words)");
    add(p, 0, "CRAM room, code resident", "parcels that fit when code stays there", "1",
        (double)((room - code) / (plan->parcel_words - code)),
        "floor((CRAM - code) / (parcel words - code))");
}

/* ---- a problem without cells ---------------------------------------------------------------- */

static void add_rates(prediction *p)
{
    const double slices = p->plan.slices, count = (double)particles_of(&p->plan, 0);
    const double parcels = 1e15 / (double)p->push.period;
    const double flop = (double)p->plan.problem.charges.flop;
    add(p, 0, "parcel rate, slice", "", "1/s", parcels, "1 / period");
    add(p, 0, "parcel rate", "all slices", "1/s", slices * parcels, "slices / period");
    add(p, 0, "particle rate, slice", "", "1/s", count * parcels, "N_P N_G^3 / period");
    add(p, 0, "particle rate", "all slices", "1/s", slices * count * parcels,
        "slices N_P N_G^3 / period");
    add(p, 0, "flop rate", "all slices", "flop/s", slices * flop * count * parcels,
        "slices flop N_P N_G^3 / period");
}

static void add_capacity(prediction *p, const struct htmt_machine *m)
{
    const struct htmt__pic_plan *plan = &p->plan;
    const double slices = plan->slices, edge = plan->edge;
    const double n = (double)(htmt_machine_room(m, plan->outer) / plan->parcel_words);
    add(p, 0, "parcels in DRAM, slice", "", "1", n, "floor(DRAM / parcel words)");
    add(p, 0, "parcels in DRAM", "all slices", "1", slices * n,
        "slices floor(DRAM / parcel words)");
    add(p, 0, "particles in DRAM", "all slices", "1", slices * n * (double)particles_of(plan, 0),
        "N_P N_G^3 of each");
    add(p, 0, "points in DRAM, slice", "", "1", n * edge * edge * edge, "N_G^3 of each");
    add(p, 0, "points in DRAM", "all slices", "1", slices * n * edge * edge * edge,
        "N_G^3 of each");
}

/* Of a memory's capacity, reserve included, as the papers' percentages. */
static double filled(const struct htmt_machine *m, uint32_t layer, uint64_t words)
{
    return percent((htmt_wide)words, (htmt_wide)m->layer[layer].memory.capacity);
}

/* As many whole parcels as a memory holds. */
static uint64_t whole_parcels(const struct htmt_machine *m, uint32_t layer, uint64_t words)
{
    return htmt_machine_room(m, layer) / words * words;
}

static void add_memory_use(prediction *p, const struct htmt_machine *m)
{
    const struct htmt__pic_plan *plan = &p->plan;
    const uint64_t words = plan->parcel_words, data = words - plan->problem.charges.code;
    add(p, 0, "CRAM use", "a parcel without its code", "%", filled(m, plan->inner, data),
        "(parcel words - code) / CRAM");
    add(p, 0, "SRAM use", "full of waiting parcels", "%",
        filled(m, plan->middle, whole_parcels(m, plan->middle, words)),
        "floor(SRAM / parcel words) parcel words / SRAM");
    add(p, 0, "DRAM use", "full of parcels", "%",
        filled(m, plan->outer, whole_parcels(m, plan->outer, words)),
        "floor(DRAM / parcel words) parcel words / DRAM");
}

static void predict_alone(const struct htmt_machine *m, prediction *p, uint64_t steps)
{
    const uint64_t n = p->plan.parcels;
    p->total = p->step = pipeline_time(&p->push, n);
    p->flops = (double)p->plan.problem.charges.flop * (double)particles_of(&p->plan, 0) *
               (double)n * p->plan.slices;
    snprintf(p->inputs, sizeof p->inputs,
             "N_P = %" PRIu64 ", N_G = %" PRIu32 ", n = %" PRIu64
             " parcels a slice, flop = %" PRIu64 "%s",
             p->plan.problem.per_cell[0], p->plan.edge, n, p->plan.problem.charges.flop,
             p->plan.problem.charges.from_file ? ", useful by cost file" : "");
    add_time(p, 0, "T", "n push parcels on every slice", p->total, "first + (n - 1) period");
    add_stages(p, 1);
    add_time(p, 0, "iteration", "n parcels without filling the pipeline",
             (htmt_wide)n * p->push.period, "n period");
    add(p, 0, "run", "a typical run", "s",
        1e-15 * (double)p->push.period * (double)n * (double)steps, "steps n period");
    add_ends(p);
    add_use(p);
    add_rates(p);
    add_sizes(p, m);
    add_capacity(p, m);
    add_memory_use(p, m);
}

/* ---- a problem with cells: phases ----------------------------------------------------------- */

static int phase(const struct htmt_machine *m, const struct htmt__pic_plan *p, struct load load,
                 uint64_t parcels, htmt_wide *time)
{
    pipeline l;
    int rc = lay_pipeline(m, p, &load, &l);
    *time = rc ? 0 : pipeline_time(&l, parcels);
    return rc;
}

/* Parcels on DPIMs, all equal: rounds of as many as there are. */
static int rounds(const struct htmt_machine *m, const struct htmt__pic_plan *p, struct htmt_ops ops,
                  uint64_t parcels, htmt_wide *time)
{
    uint64_t dpims = m->layer[p->outer].processor.count;
    htmt_time each = htmt_machine_work(m, p->outer, &ops);
    *time = (htmt_wide)((parcels + dpims - 1) / dpims) * each;
    return each < 0 ? HTMT_EOVERFLOW : 0;
}

/* So many words leave a slice for others. */
static int exchange(const struct htmt_machine *m, const struct htmt__pic_plan *p, uint64_t words,
                    htmt_wide *time)
{
    struct move move = {0, 0, 0};
    int rc = p->slices > 1 ? move_time(m, p->outer, p->outer, true, words, &move) : 0;
    *time = (htmt_wide)move.busy + move.latency;
    return rc;
}

static uint64_t lines(uint64_t all, uint64_t each)
{
    return (all + each - 1) / each;
}

/* Words of the guard points of one number a point. */
static uint64_t guard_words(const struct htmt__pic_plan *p)
{
    uint64_t y = p->py > 1 ? 2ul * p->largest[2] : 0, z = p->pz > 1 ? 2ul * p->largest[1] : 0;
    return p->slices > 1 ? (y + z + 4) * p->largest[0] : 0;
}

struct phases {
    htmt_wide deposit, sum, guard, fold, x, to_y, y, to_z, solve, from_z, y_back, from_y, x_back,
        field_guard, cut, push, sort, mail, settle, record;
};

static int deposit_of(const struct htmt_machine *m, const struct htmt__pic_plan *p,
                      uint32_t species, pipeline *out)
{
    uint64_t count = particles_of(p, species);
    struct load load = {.in = HTMT__PIC_POSITION_WORDS * count,
                        .out = htmt__pic_points(p->block),
                        .execute = htmt__pic_deposit_ops(count)};
    return lay_pipeline(m, p, &load, out);
}

/* Parcels of all species of a slice, one pipeline after the other without draining between. */
static int of_species(const struct htmt_machine *m, const struct htmt__pic_plan *p,
                      int (*lay)(const struct htmt_machine *, const struct htmt__pic_plan *,
                                 uint32_t, pipeline *),
                      htmt_wide *time)
{
    htmt_wide first = 0, periods = 0, least = 0;
    int rc = 0;
    for (uint32_t s = 0; s < p->problem.species && !rc; s++) {
        pipeline l;
        rc = lay(m, p, s, &l);
        if (rc)
            break;
        first = l.first > first ? l.first : first;
        least = !s || l.period < least ? l.period : least;
        periods += (htmt_wide)p->blocks * l.period;
    }
    *time = first + periods - least;
    return rc;
}

static int predict_charge(const struct htmt_machine *m, const struct htmt__pic_plan *p,
                          struct phases *t)
{
    uint64_t points = htmt__pic_points(p->block);
    uint64_t tiles = p->problem.species * p->blocks * points, row = p->largest[0];
    int rc = of_species(m, p, deposit_of, &t->deposit);
    if (!rc)
        rc = rounds(m, p, htmt__pic_add_ops(tiles / (p->largest[2] + 2)), p->largest[2] + 2,
                    &t->sum);
    if (!rc)
        rc = exchange(m, p, guard_words(p), &t->guard);
    if (!rc)
        rc = rounds(m, p, htmt__pic_add_ops(row * 2 * (p->largest[1] + p->largest[2] + 2)), 1,
                    &t->fold);
    return rc;
}

static int predict_lines(const struct htmt_machine *m, const struct htmt__pic_plan *p,
                         struct phases *t)
{
    const uint32_t *n = p->problem.n, *l = p->largest;
    const uint64_t modes = 2ul * p->modes;
    const uint64_t x_parcels = l[2] * lines(l[1], p->rows_x);
    const uint64_t y_parcels = l[2] * lines(p->modes_x, p->columns_y);
    const uint64_t z_parcels = lines((uint64_t)p->modes_x * p->modes_y, p->columns_z);
    const uint64_t y_words = 2ul * n[1] * p->columns_y, z_words = 2ul * n[2] * p->columns_z;
    struct load x = {.in = (uint64_t)n[0] * p->rows_x,
                     .out = modes * p->rows_x,
                     .execute = htmt__pic_x_ops(n[0], p->rows_x, false)};
    struct load back = {
        .in = x.out, .out = x.in, .execute = htmt__pic_x_ops(n[0], p->rows_x, true)};
    struct load y = {.in = y_words, .out = y_words, .execute = htmt__pic_y_ops(n[1], p->columns_y)};
    struct load z = {
        .in = z_words, .out = 3 * z_words, .execute = htmt__pic_solve_ops(n[2], p->columns_z)};
    int rc = phase(m, p, x, x_parcels, &t->x);
    if (!rc)
        rc = phase(m, p, y, y_parcels, &t->y);
    if (!rc)
        rc = phase(m, p, z, z_parcels, &t->solve);
    if (!rc)
        rc = phase(m, p, y, 3 * y_parcels, &t->y_back);
    return rc ? rc : phase(m, p, back, 3 * x_parcels, &t->x_back);
}

static int predict_transposes(const struct htmt_machine *m, const struct htmt__pic_plan *p,
                              struct phases *t)
{
    const uint32_t *l = p->largest;
    const uint64_t in_x = 2ul * l[1] * l[2] * p->modes * (p->py - 1) / p->py;
    const uint64_t in_y = 2ul * p->problem.n[1] * l[2] * p->modes_x * (p->pz - 1) / p->pz;
    int rc = exchange(m, p, in_x, &t->to_y);
    if (!rc)
        rc = exchange(m, p, in_y, &t->to_z);
    if (!rc)
        rc = exchange(m, p, 3 * in_y, &t->from_z);
    if (!rc)
        rc = exchange(m, p, 3 * in_x, &t->from_y);
    return rc ? rc : exchange(m, p, HTMT__PIC_FIELD_WORDS * guard_words(p), &t->field_guard);
}

/* Records of bundles and blocks on one DPIM; then as many rounds of exchange and addition as two to
 * their power are slices, and for slices beyond the last such power one more, and a way back. */
static int predict_record(const struct htmt_machine *m, const struct htmt__pic_plan *p,
                          struct phases *t)
{
    htmt_wide series = 0, way = 0, add = 0;
    uint32_t levels = 0;
    bool beyond = p->slices & (p->slices - 1);
    while (p->slices >> (levels + 1))
        levels++;
    int rc = rounds(m, p, htmt__pic_record_ops(p), 1, &t->record);
    if (!rc)
        rc = exchange(m, p, HTMT__PIC_RECORD_WORDS, &way);
    if (!rc)
        rc = rounds(m, p, htmt__pic_add_ops(HTMT__PIC_RECORD_WORDS), 1, &add);
    if (!rc)
        rc = rounds(m, p, htmt__pic_series_ops(), 1, &series);
    t->record += (levels + beyond) * (way + add) + beyond * way + series;
    return rc;
}

/* Of the particles of a block, those that leave it; of a slice, those that leave it. */
static double leaving(const struct htmt__pic_plan *p, uint32_t species, const uint32_t n[3],
                      bool whole[3])
{
    double count = (double)p->problem.per_cell[species] * n[0] * n[1] * n[2], sum = 0;
    for (int a = 0; a < 3; a++)
        sum += whole[a] ? 0 : count * p->problem.flux[species][a] / n[a];
    return sum;
}

/* Bundles are sorted, particles go to other slices (asked for, granted, sent), teams take them in.
 */
static int predict_migration(const struct htmt_machine *m, const struct htmt__pic_plan *p,
                             struct phases *t)
{
    bool inside[3] = {false, false, false}, outside[3] = {true, p->py == 1, p->pz == 1};
    double from_blocks = 0, from_slice = 0;
    struct move ask = {0, 0, 0};
    for (uint32_t s = 0; s < p->problem.species; s++) {
        from_blocks += leaving(p, s, p->block, inside);
        from_slice += leaving(p, s, p->largest, outside);
    }
    uint64_t team = (uint64_t)(from_blocks * p->blocks / p->teams + 0.5);
    uint64_t bundle = (uint64_t)(from_blocks / p->problem.species + 0.5);
    uint64_t words = (uint64_t)(HTMT__PIC_PARTICLE_WORDS * from_slice + 0.5);
    int rc = rounds(m, p, htmt__pic_sort_ops(bundle), p->parcels, &t->sort);
    if (!rc)
        rc = rounds(m, p, htmt__pic_settle_ops(team), p->teams, &t->settle);
    if (!rc)
        rc = exchange(m, p, words, &t->mail);
    if (!rc && t->mail)
        rc = move_time(m, p->outer, p->outer, true, 1, &ask);
    t->mail += 2 * ((htmt_wide)ask.busy + ask.latency);
    return rc;
}

static int predict_phases(const struct htmt_machine *m, prediction *p, struct phases *t)
{
    const struct htmt__pic_plan *plan = &p->plan;
    uint64_t cells = (uint64_t)plan->block[0] * plan->block[1] * plan->block[2];
    struct htmt_ops cut = htmt__pic_cut_ops(htmt__pic_points(plan->block), cells);
    int rc = predict_charge(m, plan, t);
    if (!rc)
        rc = predict_lines(m, plan, t);
    if (!rc)
        rc = predict_transposes(m, plan, t);
    if (!rc)
        rc = rounds(m, plan, cut, plan->blocks, &t->cut);
    if (!rc)
        rc = of_species(m, plan, lay_push_of, &t->push);
    if (!rc)
        rc = predict_migration(m, plan, t);
    return rc ? rc : predict_record(m, plan, t);
}

static void add_field(prediction *p, const struct phases *t)
{
    htmt_wide there = t->x + t->to_y + t->y + t->to_z + t->solve;
    htmt_wide back = t->from_z + t->y_back + t->from_y + t->x_back;
    add_time(p, 2, "field solve", "transforms and transposes", there + back,
             "sum of the following");
    add_time(p, 3, "X", "rows of x", t->x, "pipeline");
    add_time(p, 3, "transpose to y", "", t->to_y, "words that leave a slice");
    add_time(p, 3, "Y", "columns of y", t->y, "pipeline");
    add_time(p, 3, "transpose to z", "", t->to_z, "words that leave a slice");
    add_time(p, 3, "Solve", "columns of z, field, and back", t->solve, "pipeline");
    add_time(p, 3, "transpose from z", "three components", t->from_z, "words that leave a slice");
    add_time(p, 3, "Y back", "", t->y_back, "pipeline");
    add_time(p, 3, "transpose from y", "three components", t->from_y, "words that leave a slice");
    add_time(p, 3, "X back", "", t->x_back, "pipeline");
}

static void add_phases(prediction *p, const struct phases *t)
{
    htmt_wide field =
        t->x + t->to_y + t->y + t->to_z + t->solve + t->from_z + t->y_back + t->from_y + t->x_back;
    p->step = t->deposit + t->sum + t->guard + t->fold + field + t->field_guard + t->cut + t->push +
              t->sort + t->mail + t->settle + t->record;
    add_time(p, 1, "step", "all phases, one after another", p->step, "sum of the following");
    add_time(p, 2, "Deposit", "charge of the particles", t->deposit, "pipeline");
    add_time(p, 2, "Sum", "tiles to rho", t->sum, "rounds of DPIM parcels");
    add_time(p, 2, "guard points of rho", "to eight slices, and added there", t->guard + t->fold,
             "words that leave a slice; additions");
    add_field(p, t);
    add_time(p, 2, "guard points of the field", "to eight slices", t->field_guard,
             "words that leave a slice");
    add_time(p, 2, "Cut", "tiles of the field", t->cut, "rounds of DPIM parcels");
    add_time(p, 2, "Push", "stages of the most crowded species below", t->push,
             "first + (n - 1) period");
    add_stages(p, 3);
    add_time(p, 2, "migration", "of as many as the deck's velocities let expect",
             t->sort + t->mail + t->settle, "sum of the following");
    add_time(p, 3, "Sort", "bundles, by where particles belong", t->sort, "rounds of DPIM parcels");
    add_time(p, 3, "mail", "to other slices", t->mail, "ask, grant, words that leave a slice");
    add_time(p, 3, "Settle", "arrivals into bundles", t->settle, "rounds of DPIM parcels");
    add_time(p, 2, "record", "energies and momenta of all slices", t->record,
             "sums, rounds among the slices");
}

static double step_flops(const struct htmt__pic_plan *p)
{
    const uint32_t *n = p->problem.n;
    const double cells = (double)n[0] * n[1] * n[2];
    double particles = 0, lines_flop = 0;
    for (uint32_t s = 0; s < p->problem.species; s++)
        particles += cells * (double)p->problem.per_cell[s];
    for (int a = 0; a < 3; a++) /* once there, three times back, of half the modes */
        lines_flop += 4 * cells / n[a] / 2 * (double)htmt__pic_fft_flop(n[a]);
    return particles * (double)(p->problem.charges.flop + HTMT__PIC_DEPOSIT_FLOP) + lines_flop;
}

static int predict_cells(const struct htmt_machine *m, prediction *p, uint64_t steps)
{
    const uint32_t *n = p->plan.problem.n;
    struct phases t = {0};
    int rc = predict_phases(m, p, &t);
    if (rc)
        return rc;
    snprintf(p->inputs, sizeof p->inputs,
             "%" PRIu32 " x %" PRIu32 " x %" PRIu32 " cells, N_G = %" PRIu32 ", n = %" PRIu64
             " push parcels on the fullest slice, %" PRIu64 " steps",
             n[0], n[1], n[2], p->plan.edge, p->plan.parcels, steps);
    struct htmt__pic_term *total = next_term(p);
    add_phases(p, &t);
    p->total = (htmt_wide)steps * p->step;
    p->flops = (double)steps * step_flops(&p->plan);
    *total = (struct htmt__pic_term){.name = "T",
                                     .meaning = "all steps",
                                     .unit = "fs",
                                     .expression = "steps step",
                                     .fs = p->total,
                                     .value = 1e-15 * (double)p->total};
    add_use(p);
    add_sizes(p, m);
    return 0;
}

/* ---- all ------------------------------------------------------------------------------------ */

int htmt__pic_predict(const struct htmt_machine *m, const struct htmt__pic_plan *plan,
                      uint64_t steps, struct htmt__pic_prediction *out, struct htmt_fault *fault)
{
    prediction p = {.plan = *plan};
    int rc = lay_push(m, &p);
    if (!rc && plan->problem.n[0])
        rc = predict_cells(m, &p, steps);
    else if (!rc)
        predict_alone(m, &p, steps);
    if (rc)
        return htmt_fault_set(fault, rc, "machine %s: a phase of the plasma takes more than 9223 s",
                              m->name);
    *out = p;
    return 0;
}
