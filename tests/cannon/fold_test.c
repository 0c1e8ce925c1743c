/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folded, one slice of Cannon's grid gives what the whole grid gives.
 */
#include "apps/cannon/program.h"
#include "tests/parcels/accounts.h"

#include <stdlib.h>

struct grid {
    const char *machine;
    uint64_t size, b_c, t;
    uint32_t slices;
    uint64_t inner, cols; /* 0: size */
};

struct play {
    struct htmt_machine *machine;
    struct htmt__cannon_program *program;
    struct htmt_emulator *e;
};

static struct play play(const struct grid *g, enum htmt__cannon_schedule schedule,
                        enum htmt_symmetry symmetry)
{
    struct play p = {0};
    struct htmt__cannon_plan plan;
    struct htmt__cannon_data none = {0};
    struct htmt_fault f = {0};
    struct htmt__cannon_problem problem = {g->size, g->inner ? g->inner : g->size,
                                           g->cols ? g->cols : g->size, g->b_c, g->t};
    cr_assert_eq(htmt_machine_load(g->machine, NULL, 0, &p.machine, &f), 0, "%s", f.text);
    p.machine->slices = g->slices;
    struct htmt_options o = {.machine = p.machine, .mode = HTMT_MODEL, .symmetry = symmetry};
    cr_assert_eq(htmt__cannon_plan(p.machine, &problem, &plan, &f), 0, "%s", f.text);
    cr_assert_eq(htmt_emulator_create(&p.e, &o, NULL), 0);
    cr_assert_eq(htmt__cannon_program_create(p.e, &plan, schedule, &none, &p.program, &f), 0, "%s",
                 f.text);
    cr_assert_eq(htmt_emulator_run(p.e), 0, "%s", htmt_emulator_fault(p.e)->text);
    return p;
}

static void end(struct play *p)
{
    htmt_emulator_destroy(&p->e);
    htmt__cannon_program_destroy(&p->program);
    htmt_machine_destroy(&p->machine);
}

Test(cannon_fold, one_slice_stands_for_the_grid_to_the_femtosecond)
{
    static const struct grid grids[] = {
        {"htmt-2007", 4 * 3 * 20, 20, 3, 16, 0, 0},      /* with exchanges, in SRAM three deep */
        {"htmt-2007", 8 * 2 * 10, 10, 2, 64, 0, 0},      /* a larger torus */
        {"htmt-oct98", 4 * 2 * 25, 25, 2, 16, 0, 0},     /* latencies, fibers for bursts */
        {"htmt-oct98", 2 * 2 * 2 * 9, 9, 2, 4, 0, 0},    /* q = 2: sums continued */
        {"hereld-tables", 3 * 2 * 30, 30, 2, 9, 0, 0},   /* no latencies: more ties */
        {"hereld-tables", 3 * 3 * 2 * 5, 5, 2, 9, 0, 0}, /* q = 3 */
        {"htmt-oct98", 50, 9, 2, 9, 300, 17},            /* blocks and q of their own */
        {"htmt-2007", 200, 20, 3, 16, 40, 90}};
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
        for (int schedule = 0; schedule < 2; schedule++) {
            struct play all = play(&grids[i], (enum htmt__cannon_schedule)schedule, 0);
            struct play one = play(&grids[i], (enum htmt__cannon_schedule)schedule, HTMT_FOLDED);
            same_accounts(all.e, one.e);
            cr_assert_eq(htmt_event_count(all.e), grids[i].slices * htmt_event_count(one.e));
            end(&all);
            end(&one);
        }
}

/* Eleven million events: no work for sanitizers. */
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
/* Amaral et al.: 208,000 x 208,000 on 64 x 64 slices, 1.1 million steps of a SPELL (golden item
 * 34). */
Test(cannon_fold, the_papers_whole_product_takes_16_132_s_or_15_902_s_overlapped)
{
    static const double seconds[] = {
        [HTMT__CANNON_PAPER] = 16.132, [HTMT__CANNON_OVERLAPPED] = 15.902};
    for (int i = 0; i < HTMT__CANNON_SCHEDULES; i++) {
        struct play p = play(&(struct grid){"htmt-2007", 208000, 125, 26, 4096, 0, 0},
                             (enum htmt__cannon_schedule)i, HTMT_FOLDED);
        double s = 1e-15 * (double)htmt_predicted(p.e);
        cr_assert_float_eq(s, seconds[i], 0.0005, "%.6f s", s);
        end(&p);
    }
}
#endif
