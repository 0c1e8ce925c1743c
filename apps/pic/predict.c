/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The closed form as the tree that `predict` prints.
 */
#include "apps/lib/term_tree.h"
#include "apps/pic/settings.h"

#include <inttypes.h>

typedef struct htmt__pic_prediction closed;
typedef struct htmt_prediction tree;

/* ---- push parcels --------------------------------------------------------------------------- */

static void add_stages(tree *out, const closed *p, unsigned depth)
{
    const struct htmt__pic_pipeline *l = &p->push;
    htmt__term_line_time(out, depth, "first", "the first parcel", l->first, "sum of its stages");
    htmt__term_line_time(out, depth + 1, "assembly", "of a push parcel, on a DPIM", l->assembly,
                         "assembly cycles t_DPIM");
    htmt__term_line_time(out, depth + 1, "gather", "D to S, of a push parcel", l->gather.busy,
                         "parcel words t_vortex");
    htmt__term_line_time(out, depth + 1, "dispatch", "of a push parcel, on a SPIM", l->dispatch,
                         "dispatch cycles t_SPIM");
    htmt__term_line_time(out, depth + 1, "inject", "S to C, of a push parcel", l->inject.busy,
                         "parcel words t_RTI");
    htmt__term_line_time(out, depth + 1, "execute", "push on the SPELL", l->execute,
                         p->plan.problem.charges.from_file ? "flop / useful N_P N_G^3 t_SPELL"
                                                           : "flop N_P N_G^3 t_flop");
    htmt__term_line_time(out, depth + 1, "eject", "C to S", l->eject.busy, "words back t_RTI");
    htmt__term_line_time(out, depth + 1, "scatter", "S to D", l->scatter.busy,
                         "words back t_vortex");
    htmt__term_line_time(out, depth, "period", "from one parcel to the next", l->period,
                         "max of the following");
    htmt__term_line_time(out, depth + 1, "assembly, shared", "by the DPIMs of a slice",
                         l->assemblies, "assembly / DPIMs");
    htmt__term_line_time(out, depth + 1, "dispatch, shared", "by the SPIMs of a slice",
                         l->dispatches, "dispatch / SPIMs");
    htmt__term_line_time(out, depth + 1, "CRAM loop, shared",
                         "a place in CRAM, by the parcels that fit", l->loops,
                         "(inject + execute + eject + latencies) / CRAM room");
}

static void add_ends(tree *out, const closed *p)
{
    const struct htmt__pic_pipeline *l = &p->push;
    htmt_wide at = l->assembly;
    htmt__term_line_time(out, 0, "end of assembly", "of the first parcel (Figure 4)", at,
                         "assembly");
    at += l->gather.busy + l->gather.latency;
    htmt__term_line_time(out, 0, "end of gather", "of the first parcel", at, "+ gather");
    at += l->dispatch;
    htmt__term_line_time(out, 0, "end of dispatch", "of the first parcel", at, "+ dispatch");
    at += l->inject.busy + l->inject.latency;
    htmt__term_line_time(out, 0, "end of inject", "of the first parcel", at, "+ inject");
    at += l->execute;
    htmt__term_line_time(out, 0, "end of execute", "of the first parcel", at, "+ execute");
}

static void add_use(tree *out, const closed *p)
{
    const struct htmt__pic_pipeline *l = &p->push;
    htmt__term_line_value(out, 0, "DPIM use", "assembly", "%",
                          htmt__percent(l->assemblies, l->period), "assembly / DPIMs / period");
    htmt__term_line_value(out, 0, "vortex use", "gather", "%",
                          htmt__percent(l->gather.apart, l->period), "gather / period");
    htmt__term_line_value(out, 0, "SPIM use", "dispatch", "%",
                          htmt__percent(l->dispatches, l->period), "dispatch / SPIMs / period");
    htmt__term_line_value(out, 0, "RTI use", "inject", "%",
                          htmt__percent(l->inject.apart, l->period), "inject / period");
    htmt__term_line_value(out, 0, "SPELL use", "execute", "%", htmt__percent(l->execute, l->period),
                          "execute / period");
}

static void add_sizes(tree *out, const closed *p, const struct htmt_machine *m)
{
    const struct htmt__pic_plan *plan = &p->plan;
    const uint64_t code = plan->problem.charges.code, room = htmt_machine_room(m, plan->inner);
    htmt__term_line_value(out, 0, "largest N_G", "cells a side of a parcel that fits CRAM", "1",
                          plan->edge_most, "CRAM, parcel words");
    htmt__term_line_value(out, 0, "parcel words", "code, field, particles", "words",
                          (double)plan->parcel_words, "code + 3 (N_G + guard)^3 + 6 N_P N_G^3");
    htmt__term_line_value(out, 0, "CRAM room", "parcels that fit CRAM", "1", (double)plan->buffers,
                          "floor(CRAM / parcel words)");
    htmt__term_line_value(out, 0, "CRAM room, code resident",
                          "parcels that fit when code stays there", "1",
                          (double)((room - code) / (plan->parcel_words - code)),
                          "floor((CRAM - code) / (parcel words - code))");
}

/* ---- a problem without cells ---------------------------------------------------------------- */

static void add_rates(tree *out, const closed *p)
{
    const double slices = p->plan.slices, count = (double)p->particles;
    const double parcels = 1e15 / (double)p->push.period;
    const double flop = (double)p->plan.problem.charges.flop;
    htmt__term_line_value(out, 0, "parcel rate, slice", "one slice", "1/s", parcels, "1 / period");
    htmt__term_line_value(out, 0, "parcel rate", "all slices", "1/s", slices * parcels,
                          "slices / period");
    htmt__term_line_value(out, 0, "particle rate, slice", "one slice", "1/s", count * parcels,
                          "N_P N_G^3 / period");
    htmt__term_line_value(out, 0, "particle rate", "all slices", "1/s", slices * count * parcels,
                          "slices N_P N_G^3 / period");
    htmt__term_line_value(out, 0, "flop rate", "all slices", "flop/s",
                          slices * flop * count * parcels, "slices flop N_P N_G^3 / period");
}

static void add_capacity(tree *out, const closed *p, const struct htmt_machine *m)
{
    const struct htmt__pic_plan *plan = &p->plan;
    const double slices = plan->slices, edge = plan->edge;
    const double n = (double)(htmt_machine_room(m, plan->outer) / plan->parcel_words);
    htmt__term_line_value(out, 0, "parcels in DRAM, slice", "one slice", "1", n,
                          "floor(DRAM / parcel words)");
    htmt__term_line_value(out, 0, "parcels in DRAM", "all slices", "1", slices * n,
                          "slices floor(DRAM / parcel words)");
    htmt__term_line_value(out, 0, "particles in DRAM", "all slices", "1",
                          slices * n * (double)p->particles, "N_P N_G^3 of each");
    htmt__term_line_value(out, 0, "points in DRAM, slice", "one slice", "1", n * edge * edge * edge,
                          "N_G^3 of each");
    htmt__term_line_value(out, 0, "points in DRAM", "all slices", "1",
                          slices * n * edge * edge * edge, "N_G^3 of each");
}

/* As many whole parcels as a memory holds. */
static double whole_parcels(const struct htmt_machine *m, uint32_t layer, uint64_t words)
{
    return (double)(htmt_machine_room(m, layer) / words * words);
}

static void add_memory_use(tree *out, const closed *p, const struct htmt_machine *m)
{
    const struct htmt__pic_plan *plan = &p->plan;
    const uint64_t words = plan->parcel_words;
    htmt__term_line_value(
        out, 0, "CRAM use", "a parcel without its code", "%",
        htmt__memory_use(m, plan->inner, (double)(words - plan->problem.charges.code)),
        "(parcel words - code) / CRAM");
    htmt__term_line_value(out, 0, "SRAM use", "full of waiting parcels", "%",
                          htmt__memory_use(m, plan->middle, whole_parcels(m, plan->middle, words)),
                          "floor(SRAM / parcel words) parcel words / SRAM");
    htmt__term_line_value(out, 0, "DRAM use", "full of parcels", "%",
                          htmt__memory_use(m, plan->outer, whole_parcels(m, plan->outer, words)),
                          "floor(DRAM / parcel words) parcel words / DRAM");
}

static void tell_alone(tree *out, const closed *p, const struct htmt_machine *m)
{
    const htmt_wide n = (htmt_wide)p->plan.parcels;
    struct htmt_term *total = htmt__term_line_time(out, 0, "T", "n push parcels on every slice",
                                                   p->total, "first + (n - 1) period");
    snprintf(total->inputs, sizeof total->inputs,
             "N_P = %" PRIu64 ", N_G = %" PRIu32 ", n = %" PRIu64
             " parcels a slice, flop = %" PRIu64 "%s",
             p->plan.problem.per_cell[0], p->plan.edge, p->plan.parcels,
             p->plan.problem.charges.flop,
             p->plan.problem.charges.from_file ? ", useful by cost file" : "");
    add_stages(out, p, 1);
    htmt__term_line_time(out, 0, "iteration", "n parcels without filling the pipeline",
                         n * p->push.period, "n period");
    htmt__term_line_value(out, 0, "run", "a typical run", "s",
                          1e-15 * (double)p->push.period * (double)n * (double)p->steps,
                          "steps n period");
    add_ends(out, p);
    add_use(out, p);
    add_rates(out, p);
    add_sizes(out, p, m);
    add_capacity(out, p, m);
    add_memory_use(out, p, m);
}

/* ---- a problem with cells ------------------------------------------------------------------- */

static void add_field(tree *out, const struct htmt__pic_step *t)
{
    htmt_wide there = t->x + t->to_y + t->y + t->to_z + t->solve;
    htmt_wide back = t->from_z + t->y_back + t->from_y + t->x_back;
    htmt__term_line_time(out, 2, "field solve", "transforms and transposes", there + back,
                         "sum of the following");
    htmt__term_line_time(out, 3, "X", "rows of x", t->x, "pipeline");
    htmt__term_line_time(out, 3, "transpose to y", "one component", t->to_y,
                         "words that leave a slice");
    htmt__term_line_time(out, 3, "Y", "columns of y", t->y, "pipeline");
    htmt__term_line_time(out, 3, "transpose to z", "one component", t->to_z,
                         "words that leave a slice");
    htmt__term_line_time(out, 3, "Solve", "columns of z, field, and back", t->solve, "pipeline");
    htmt__term_line_time(out, 3, "transpose from z", "three components", t->from_z,
                         "words that leave a slice");
    htmt__term_line_time(out, 3, "Y back", "columns of y", t->y_back, "pipeline");
    htmt__term_line_time(out, 3, "transpose from y", "three components", t->from_y,
                         "words that leave a slice");
    htmt__term_line_time(out, 3, "X back", "rows of x", t->x_back, "pipeline");
}

static void add_phases(tree *out, const closed *p)
{
    const struct htmt__pic_step *t = &p->phases;
    htmt__term_line_time(out, 1, "step", "all phases, one after another", p->step,
                         "sum of the following");
    htmt__term_line_time(out, 2, "Deposit", "charge of the particles", t->deposit, "pipeline");
    htmt__term_line_time(out, 2, "Sum", "tiles to rho", t->sum, "rounds of DPIM parcels");
    htmt__term_line_time(out, 2, "guard points of rho", "to eight slices, and added there",
                         t->guard + t->fold, "words that leave a slice; additions");
    add_field(out, t);
    htmt__term_line_time(out, 2, "guard points of the field", "to eight slices", t->field_guard,
                         "words that leave a slice");
    htmt__term_line_time(out, 2, "Cut", "tiles of the field", t->cut, "rounds of DPIM parcels");
    htmt__term_line_time(out, 2, "Push", "stages of the most crowded species below", t->push,
                         "first + (n - 1) period");
    add_stages(out, p, 3);
    htmt__term_line_time(out, 2, "migration", "of as many as the deck's velocities let expect",
                         t->sort + t->mail + t->settle, "sum of the following");
    htmt__term_line_time(out, 3, "Sort", "bundles, by where particles belong", t->sort,
                         "rounds of DPIM parcels");
    htmt__term_line_time(out, 3, "mail", "to other slices", t->mail,
                         "ask, grant, words that leave a slice");
    htmt__term_line_time(out, 3, "Settle", "arrivals into bundles", t->settle,
                         "rounds of DPIM parcels");
    htmt__term_line_time(out, 2, "record", "energies and momenta of all slices", t->record,
                         "sums, rounds among the slices");
}

static void tell_cells(tree *out, const closed *p, const struct htmt_machine *m)
{
    const uint32_t *n = p->plan.problem.n;
    struct htmt_term *total =
        htmt__term_line_time(out, 0, "T", "all steps", p->total, "steps step");
    snprintf(total->inputs, sizeof total->inputs,
             "%" PRIu32 " x %" PRIu32 " x %" PRIu32 " cells, N_G = %" PRIu32 ", n = %" PRIu64
             " push parcels on the fullest slice, %" PRIu64 " steps",
             n[0], n[1], n[2], p->plan.edge, p->plan.parcels, p->steps);
    add_phases(out, p);
    add_use(out, p);
    add_sizes(out, p, m);
}

void htmt__pic_tell(const struct htmt_machine *m, const closed *p, tree *out)
{
    if (p->plan.problem.n[0])
        tell_cells(out, p, m);
    else
        tell_alone(out, p, m);
}
