/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parcel program of a plasma in one call, for tests.
 */
#ifndef HTMT_TESTS_PIC_PARCEL_RUNNER_H
#define HTMT_TESTS_PIC_PARCEL_RUNNER_H

#include "apps/pic/io/deck.h"
#include "apps/pic/program.h"

#include <criterion/criterion.h>

struct parcel_run {
    const char *machine, *set;
    uint32_t slices, edge, threads;
    bool double_buffer, checked;
    uint64_t delay_seed, mail;
    uint32_t clock_threads;
    const struct htmt_ranks *ranks;
    unsigned begin_threads; /* not 0: the program makes the deck's start on so many threads */
    uint64_t seed;
};

struct parcel_outcome {
    htmt_time predicted;
    uint64_t parcels, hash;
    struct htmt__pic_traffic traffic;
    struct htmt__pic_plan plan;
    struct htmt_phase_report deposit, sum; /* their services */
};

static inline struct htmt_phase_report services_of(const struct htmt_emulator *e, const char *type)
{
    struct htmt_phase_report r = {.count = 0};
    for (uint32_t i = 0; !htmt_phase_at(e, i, &r); i++)
        if (strcmp(r.type, type) == 0 && r.stage == HTMT_EXECUTE)
            return r;
    return (struct htmt_phase_report){.count = 0};
}

static inline struct htmt__pic_problem problem_of(const struct htmt__pic_deck *deck)
{
    struct htmt__pic_problem o = {.n = {deck->n[0], deck->n[1], deck->n[2]},
                                  .species = deck->species_count,
                                  .charges = htmt__pic_own_charges};
    for (uint32_t s = 0; s < o.species; s++) {
        const uint32_t *n = deck->species[s].per_cell;
        o.per_cell[s] = (uint64_t)n[0] * n[1] * n[2];
        for (int a = 0; a < 3; a++)
            o.flux[s][a] = htmt__pic_flux(deck, s, a, 1) + htmt__pic_flux(deck, s, a, -1);
    }
    return o;
}

/* Particles in and out; fields may be NULL. Fails with the line of what went wrong. */
static inline int run_parcels(const struct parcel_run *set, const struct htmt__pic_deck *deck,
                              struct htmt__pic_particles *particles,
                              struct htmt__pic_record *record, struct htmt__pic_fields *fields,
                              struct parcel_outcome *out, struct htmt_fault *fault)
{
    struct htmt_machine *loaded = NULL, machine;
    struct htmt_emulator *e = NULL;
    struct htmt__pic_program *program = NULL;
    struct htmt__pic_plan plan;
    struct htmt__pic_problem problem = problem_of(deck);
    problem.edge = set->edge;
    problem.double_buffer = set->double_buffer;
    problem.mail = set->mail;
    int rc = htmt_machine_load(set->machine, &set->set, set->set != NULL, &loaded, fault);
    if (!rc) {
        machine = *loaded;
        machine.slices = set->slices;
        rc = htmt__pic_plan(&machine, &problem, &plan, fault);
    }
    if (!rc)
        rc = htmt_emulator_create(&e,
                                  &(struct htmt_options){.machine = &machine,
                                                         .threads = set->threads,
                                                         .checked = set->checked,
                                                         .delay_seed = set->delay_seed,
                                                         .clock_threads = set->clock_threads,
                                                         .ranks = set->ranks},
                                  NULL);
    if (!rc && set->begin_threads)
        rc =
            htmt__pic_program_begin(e, &plan, deck, set->seed, set->begin_threads, &program, fault);
    else if (!rc)
        rc = htmt__pic_program_create(e, &plan, deck, particles, &program, fault);
    if (!rc && (rc = htmt_emulator_run(e))) {
        *fault = *htmt_emulator_fault(e);
        rc = htmt__pic_program_explain(program, rc, fault);
        if (rc == HTMT_EDEADLOCK)
            htmt_deadlock_print(e, stderr);
    }
    if (!rc)
        rc = htmt_audit(e, fault);
    if (!rc)
        htmt__pic_program_release(program); /* the results are there all the same */
    if (!rc)
        rc = htmt__pic_program_particles(program, particles, fault);
    uint64_t steps;
    if (!rc && record)
        rc = htmt__pic_program_records(program, record, &steps, fault);
    if (!rc && fields)
        rc = htmt__pic_program_fields(program, fields, fault);
    if (!rc && out)
        *out = (struct parcel_outcome){htmt_predicted(e),
                                       htmt_parcel_count(e),
                                       htmt_history_hash(e),
                                       htmt__pic_program_traffic(program),
                                       plan,
                                       services_of(e, "Deposit"),
                                       services_of(e, "Sum")};
    htmt_emulator_destroy(&e);
    htmt__pic_program_destroy(&program);
    htmt_machine_destroy(&loaded);
    return rc;
}

#endif
