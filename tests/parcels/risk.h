/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For tests of clocks: a program from a seed, in which parcels fail.
 */
#ifndef HTMT_TESTS_PARCELS_RISK_H
#define HTMT_TESTS_PARCELS_RISK_H

#include "tests/parcels/world.h"

/* Parcels whose services overtake each other, many of no length: at one instant an event may follow
 * one of a later number. */
struct risk {
    struct world_work work;
    uint32_t fails;  /* stage; HTMT_PUT: none */
    char section[2]; /* that begins with each; "": none */
};

static inline void risk(struct htmt_context *c, uint32_t stage)
{
    const struct risk *r = htmt_args(c);
    if (r->section[0])
        htmt_section(c, r->section);
    if (r->fails == stage)
        htmt_fail(c, HTMT_ERANGE, "stage %u of slice %u", stage, htmt_slice(c));
}

static inline void risk_assemble(struct htmt_context *c)
{
    risk(c, HTMT_ASSEMBLE);
}

static inline void risk_execute(struct htmt_context *c)
{
    risk(c, HTMT_EXECUTE);
}

static inline void risk_retire(struct htmt_context *c)
{
    risk(c, HTMT_RETIRE);
}

static inline uint64_t risk_cycles(uint64_t *draw)
{
    static const uint64_t cycles[] = {0, 0, 0, 1, 1, 2, 5};
    return cycles[world_random(draw) % 7];
}

static inline void risk_start(struct world *w, const struct htmt_type *t, uint32_t slice,
                              uint64_t *draw)
{
    static const uint32_t stages[] = {HTMT_ASSEMBLE, HTMT_EXECUTE, HTMT_RETIRE};
    struct risk r = {.fails = HTMT_PUT};
    r.work.assemble = risk_cycles(draw);
    r.work.dispatch = risk_cycles(draw);
    r.work.execute = risk_cycles(draw);
    r.work.retire = risk_cycles(draw);
    if (world_random(draw) % 12 == 0)
        r.fails = stages[world_random(draw) % 3];
    if (world_random(draw) % 12 == 0)
        r.section[0] = (char)('a' + world_random(draw) % 3);
    START(w, .type = t, .slice = slice, .args = &r);
}

static inline struct world risk_run(uint64_t seed, enum htmt_symmetry symmetry,
                                    struct htmt_options o)
{
    uint64_t draw = seed * 2654435761u + 1;
    struct world_spec s = world_plain((unsigned)world_between(&draw, 2, 6));
    for (int n = 0; n < NETWORKS; n++)
        s.network[n].latency_ns = 30;
    for (int l = 0; l < LAYERS; l++)
        s.servers[l] = (unsigned)world_between(&draw, 1, 3);
    o.symmetry = symmetry;
    struct world w = world_open(&s, o);
    struct htmt_type_desc d = world_eight();
    d.name = "risk";
    d.home = draw % 2 ? "cram" : "dram";
    d.args_bytes = sizeof(struct risk);
    d.assemble.control = risk_assemble;
    d.execute.control = risk_execute;
    d.retire.control = risk_retire;
    struct htmt_type *t = world_type(&w, d);
    unsigned parcels = (unsigned)world_between(&draw, 3, 40);
    for (unsigned i = 0; i < parcels; i++)
        risk_start(&w, t, (uint32_t)(world_random(&draw) % s.slices), &draw);
    htmt_emulator_run(w.e);
    return w;
}

#endif
