/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/pic/predict.h"

#include <inttypes.h>

typedef struct htmt__pic_machine machine;
typedef struct htmt_term_tree tree;

#define TIME(depth, name, text, meaning) HTMT_ROW(depth, "s", name, text, meaning)
#define USE(name, text, meaning)         HTMT_ROW_QUOTIENT("%", name, text, meaning)
#define RATE(name, text, meaning)        HTMT_ROW_QUOTIENT("1/s", name, text, meaning)
#define NUMBER(name, text, meaning)      HTMT_ROW(0, "1", name, text, meaning)
#define WHOLE(depth, name, text, meaning)                                                          \
    HTMT_ROW_ROUNDED(depth, "1", name, text, HTMT_TERM_DOWN, meaning)
#define PARTICLES "N_P * N_G * N_G * N_G"
#define FIRST     "of the first parcel"

/* ---- push parcels alone --------------------------------------------------------------------- */

static const struct htmt_term_row
    total[] = {TIME(0, "T", "first + (n - 1) * period", "n push parcels on every slice"),
               HTMT_ROWS_END},
    ends[] = {TIME(0, "iteration", "n * period", "n parcels without filling the pipeline"),
              TIME(0, "run", "steps * iteration", "a typical run"),
              TIME(0, "end of assembly", "assembly", "of the first parcel (Figure 4)"),
              TIME(0, "end of gather", "end of assembly + gather + gather latency", FIRST),
              TIME(0, "end of dispatch", "end of gather + dispatch", FIRST),
              TIME(0, "end of inject", "end of dispatch + inject + inject latency", FIRST),
              TIME(0, "end of execute", "end of inject + execute", FIRST),
              HTMT_ROW_PART("s", "work", "n * execute"),
              HTMT_ROW_PART("s", "fill", "end of inject"),
              HTMT_ROW_PART("s", "stall", "(n - 1) * (period - execute)"),
              HTMT_ROW_PART("s", "drain", "eject + eject latency + scatter + scatter latency"),
              HTMT_ROWS_END};

static const struct htmt_term_row rates[] = {
    RATE("parcel rate, slice", "1 / period", "one slice"),
    RATE("parcel rate", "slices / period", "all slices"),
    RATE("particle rate, slice", PARTICLES " / period", "one slice"),
    RATE("particle rate", "slices * " PARTICLES " / period", "all slices"),
    HTMT_ROW_QUOTIENT("flop/s", "flop rate", "slices * push.flop * " PARTICLES " / period",
                      "all slices"),
    HTMT_ROWS_END};

static const struct htmt_term_row capacity[] = {
    WHOLE(0, "parcels in DRAM, slice", "DRAM words / parcel words", "one slice"),
    NUMBER("parcels in DRAM", "slices * 'parcels in DRAM, slice'", "all slices"),
    NUMBER("particles in DRAM", "parcels in DRAM * " PARTICLES, "all slices"),
    NUMBER("points in DRAM, slice", "'parcels in DRAM, slice' * N_G * N_G * N_G", "one slice"),
    NUMBER("points in DRAM", "slices * 'points in DRAM, slice'", "all slices"),
    USE("CRAM use", "(parcel words - push.code) / CRAM capacity", "a parcel without its code"),
    USE("SRAM use", "parcels in SRAM * parcel words / SRAM capacity", "full of waiting parcels"),
    USE("DRAM use", "'parcels in DRAM, slice' * parcel words / DRAM capacity", "full of parcels"),
    WHOLE(HTMT_TERM_HIDDEN, "parcels in SRAM", "SRAM words / parcel words", "one slice"),
    HTMT_ROWS_END};

/* ---- also of a whole step ------------------------------------------------------------------- */

static const struct htmt_term_row uses[] = {
    USE("DPIM use", "'assembly, shared' / period", "assembly"),
    USE("vortex use", "gather apart / period", "gather"),
    USE("SPIM use", "'dispatch, shared' / period", "dispatch"),
    USE("RTI use", "inject apart / period", "inject"),
    USE("SPELL use", "execute / period", "execute"),
    HTMT_ROWS_END};

static const struct htmt_term_row edge[] = {
    HTMT_ROW_COMPUTED(0, "1", "largest N_G", "htmt__pic_plan",
                      "cells a side of a parcel that fits CRAM"),
    HTMT_ROWS_END};

/* Of a whole step also what a parcel reports, and a bit for each particle that leaves. */
#define WORDS                                                                                      \
    "push.code + words a point * points a side * points a side * points a side + words a "         \
    "particle * particles"
static const struct htmt_term_row alone_words[] = {HTMT_ROW(0, "words", "parcel words", WORDS,
                                                            "code, field, particles"),
                                                   HTMT_ROWS_END},
                                  cell_words[] = {
                                      HTMT_ROW(0, "words", "parcel words",
                                               WORDS " + words a report + ceil(particles / 64)",
                                               "code, field, particles"),
                                      HTMT_ROWS_END};

static const struct htmt_term_row sizes[] = {
    WHOLE(0, "CRAM room", "CRAM words / parcel words", "parcels that fit CRAM"),
    WHOLE(0, "CRAM room, code resident", "(CRAM words - push.code) / (parcel words - push.code)",
          "parcels that fit when code stays there"),
    HTMT_ROW_PART("1", "points a side", "N_G + guard"),
    HTMT_ROW_PART("1", "particles", "N_P of most * N_G * N_G * N_G"), HTMT_ROWS_END};

/* ---- values --------------------------------------------------------------------------------- */

static void set_memory(const machine *w, tree *t, const char *words, const char *has,
                       uint32_t layer)
{
    if (words)
        htmt_term_tree_set(t, NULL, words, "words",
                           htmt_exact_whole(htmt_machine_room(w->servers.m, layer)));
    htmt_term_tree_set(t, NULL, has, "words",
                       htmt_exact_whole(w->servers.m->layer[layer].memory.capacity));
}

void htmt__pic_add_alone(tree *t, uint64_t steps)
{
    htmt_term_tree_add(t, NULL, 0, total);
    htmt_term_tree_add(t, NULL, 1, htmt__pic_stages);
    htmt_term_tree_add(t, NULL, 0, ends);
    htmt_term_tree_set_count(t, NULL, "steps", steps);
}

static uint64_t most_a_cell(const struct htmt__pic_problem *o)
{
    uint64_t most = 0;
    for (uint32_t s = 0; s < o->species; s++)
        most = o->per_cell[s] > most ? o->per_cell[s] : most;
    return most;
}

static void set_sizes(const machine *w, tree *t)
{
    const struct htmt__pic_plan *p = w->p;
    const struct htmt__pic_charges *c = &p->problem.charges;
    const struct htmt_term_count of[] = {
        {"n", p->parcels},
        {"slices", p->slices},
        {"N_P", p->problem.per_cell[0]},
        {"N_P of most", most_a_cell(&p->problem)},
        {"N_G", p->edge},
        {"guard", c->guard},
        {"push.code", c->code},
        {"push.flop", c->flop},
        {"words a point", HTMT__PIC_FIELD_WORDS},
        {"words a particle", HTMT__PIC_PARTICLE_WORDS},
        {"words a report", HTMT__PIC_REPORT_WORDS},
        {"largest N_G", p->edge_most},
    };
    htmt_term_tree_set_counts(t, of, sizeof of / sizeof *of);
}

void htmt__pic_add_shared(const machine *w, tree *t, bool cells)
{
    htmt_term_tree_add(t, NULL, 0, uses);
    if (!cells)
        htmt_term_tree_add(t, NULL, 0, rates);
    htmt_term_tree_add(t, NULL, 0, edge);
    htmt_term_tree_add(t, NULL, 0, cells ? cell_words : alone_words);
    htmt_term_tree_add(t, NULL, 0, sizes);
    set_sizes(w, t);
    if (cells)
        return;
    htmt_term_tree_add(t, NULL, 0, capacity);
    set_memory(w, t, "DRAM words", "DRAM capacity", w->p->outer);
    set_memory(w, t, "SRAM words", "SRAM capacity", w->p->middle);
    set_memory(w, t, NULL, "CRAM capacity", w->p->inner);
}

/* ---- inputs --------------------------------------------------------------------------------- */

void htmt__pic_name_inputs(const struct htmt__pic_plan *p, uint64_t steps, struct htmt_term *t)
{
    const struct htmt__pic_problem *o = &p->problem;
    if (o->n[0])
        snprintf(t->inputs, sizeof t->inputs,
                 "%" PRIu32 " x %" PRIu32 " x %" PRIu32 " cells, N_G = %" PRIu32 ", n = %" PRIu64
                 " push parcels on the fullest slice, %" PRIu64 " steps",
                 o->n[0], o->n[1], o->n[2], p->edge, p->parcels, steps);
    else
        snprintf(t->inputs, sizeof t->inputs,
                 "N_P = %" PRIu64 ", N_G = %" PRIu32 ", n = %" PRIu64
                 " parcels a slice, flop = %" PRIu64 "%s",
                 o->per_cell[0], p->edge, p->parcels, o->charges.flop,
                 o->charges.from_file ? ", useful by cost file" : "");
}
