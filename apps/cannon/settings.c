/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Options of Cannon's multiply. An option overrides the cost file, and the cost file a default.
 * Without a size a cost file's blocks are filled once: t s b_c elements a side, a single product
 * without padding.
 */
#include "apps/cannon/settings.h"

#include "apps/cannon/grid.h"
#include "apps/lib/execution.h"
#include "layers/file/costs.h"
#include "runtime/base/whole_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Padded matrices may have so many times the size: beyond, nearly all of the work is zeros. */
#define PADDING_MOST 8
#define SIZE_MOST    (UINT64_C(1) << 31)
#define SIZE_DEFAULT 1024

const struct htmt_app_option htmt__cannon_options[] = {
    {"a", "FILE", NULL, "matrix A, .npy (float64) or Matrix Market; needs --b"},
    {"b", "FILE", NULL, "matrix B, likewise"},
    {"size", "N", NULL,
     "generate A and B of N x N elements instead; default: 1024, with a cost file t s b_c"},
    {"entries", "KIND", "uniform", "of generated matrices: uniform, gaussian or integers"},
    {"out", "FILE", NULL, "write C there, .npy"},
    {"schedule", "NAME", "overlap",
     "overlap: all that the buffers allow; paper: injects between block products, as equation 4; "
     "in-turn: of messages, shifts behind the products"},
    {"stored", "HOW", "plain",
     "plain: messages skew A and B first; skewed: their blocks lie where Cannon's first step wants "
     "them"},
    {"block", "B", NULL,
     "side of a subblock, b_c; default: the cost file's, else chosen from the capacities"},
    {"t", "T", NULL,
     "subblocks a side in SRAM; default: the cost file's, else chosen from the capacities"},
    {"grid-rows", "R", NULL,
     "rows of the grid of slices; default: as many as columns, else those of the least time"},
    {"check", "KIND", "freivalds",
     "freivalds; full: every element against one dgemm; exact: its very bits; none"},
    {"kernel-set", "NAME", NULL, "OpenBLAS kernels, for instance Haswell; default: its own choice"},
    HTMT_EXECUTION_OPTION,
    {NULL, NULL, NULL, NULL},
};

/* A cost file also says how many subblocks and blocks lie in CRAM and SRAM and move at once. The
 * program has and moves so many, so other numbers are refused. */
static const struct htmt_schema_row cost_keys[] = {
    {"problem.t", HTMT_UNIT_COUNT, .least = 1, .most = SIZE_MOST},
    {"problem.subblock-edge", HTMT_UNIT_COUNT, .least = 1, .most = SIZE_MOST},
    {"cram.subblocks-a", HTMT_UNIT_COUNT, .least = HTMT__CANNON_BUFFERS,
     .most = HTMT__CANNON_BUFFERS},
    {"cram.subblocks-b", HTMT_UNIT_COUNT, .least = HTMT__CANNON_BUFFERS,
     .most = HTMT__CANNON_BUFFERS},
    {"cram.subblocks-c", HTMT_UNIT_COUNT, .least = 1, .most = 1},
    {"sram.blocks", HTMT_UNIT_COUNT, .least = HTMT__CANNON_BUNDLES, .most = HTMT__CANNON_BUNDLES},
    {.key = "multiply.flop", .kind = HTMT_UNIT_OPERATIONS},
    {.key = "transform.accesses", .kind = HTMT_UNIT_OPERATIONS},
    {.key = "transform.accesses-c", .kind = HTMT_UNIT_OPERATIONS},
    {"bundle.inward-blocks", HTMT_UNIT_COUNT, .least = 2, .most = 2},
    {"bundle.outward-blocks", HTMT_UNIT_COUNT, .least = 1, .most = 1},
    {"block-multiply.inward-subblocks", HTMT_UNIT_COUNT, .least = 2, .most = 2},
    {"block-multiply.outward-subblocks", HTMT_UNIT_COUNT, .least = 1, .most = 1},
    {.key = NULL},
};

/* ---- reading -------------------------------------------------------------------------------- */

static int read_costs(const struct htmt_request *r, struct htmt__cannon_settings *s,
                      struct htmt_fault *fault)
{
    unsigned count;
    const char *const *set = htmt_request_cost_set(r, &count);
    struct htmt_costs *c = NULL;
    int rc = htmt_costs_load(htmt_request_costs(r), "cannon", cost_keys, set, count, &c, fault);
    if (!rc) {
        s->charges.flop = htmt_costs_whole(c, "multiply.flop");
        s->charges.accesses = htmt_costs_whole(c, "transform.accesses");
        s->charges.accesses_c = htmt_costs_whole(c, "transform.accesses-c");
        s->charges.from_file = true;
        s->t = s->t ? s->t : htmt_costs_whole(c, "problem.t");
        s->b_c = s->b_c ? s->b_c : htmt_costs_whole(c, "problem.subblock-edge");
    }
    htmt_costs_destroy(&c);
    return rc;
}

/* Options of one model of execution are refused by the others. */
static int check_execution(const struct htmt_request *r, const struct htmt__cannon_settings *s,
                           unsigned schedule, struct htmt_fault *fault)
{
    static const char *const percolates[] = {"block", "t", "grid-rows"};
    if (!s->passes_messages && s->mpp.in_turn)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--schedule in-turn: expected with --execution mpp only");
    if (!s->passes_messages && s->mpp.skewed)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--stored skewed: expected with --execution mpp only");
    if (!s->passes_messages)
        return 0;
    if (schedule == 1)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--schedule paper with --execution mpp: expected overlap or in-turn");
    for (size_t i = 0; i < sizeof percolates / sizeof *percolates; i++)
        if (htmt_request_value(r, percolates[i]))
            return htmt_fault_set(fault, HTMT_EUSAGE,
                                  "--%s with --execution mpp: each node has one block",
                                  percolates[i]);
    return 0;
}

int htmt__cannon_settings_read(const struct htmt_request *r, struct htmt__cannon_settings *out,
                               struct htmt_fault *fault)
{
    struct htmt__cannon_settings s = {.a = htmt_request_value(r, "a"),
                                      .b = htmt_request_value(r, "b"),
                                      .out = htmt_request_value(r, "out"),
                                      .kernel_set = htmt_request_value(r, "kernel-set"),
                                      .charges = HTMT__CANNON_OWN_CHARGES};
    static const char *const schedules[] = {"overlap", "paper", "in-turn", NULL};
    static const char *const stored[] = {"plain", "skewed", NULL};
    static const char *const checks[] = {"freivalds", "full", "exact", "none", NULL};
    static const char *const entries[] = {"uniform", "gaussian", "integers", NULL};
    unsigned schedule = 0, check = 0, kind = 0, lies = 0;
    if (!s.a != !s.b)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--%s without --%s", s.a ? "a" : "b",
                              s.a ? "b" : "a");
    if (s.a && htmt_request_value(r, "size"))
        return htmt_fault_set(fault, HTMT_EUSAGE, "--size with --a: the files tell their sizes");
    int rc = htmt_request_whole(r, "size", 1, SIZE_MOST, &s.size, fault);
    if (!rc)
        rc = htmt_request_whole(r, "block", 1, SIZE_MOST, &s.b_c, fault);
    if (!rc)
        rc = htmt_request_whole(r, "t", 1, SIZE_MOST, &s.t, fault);
    if (!rc)
        rc = htmt_request_whole(r, "grid-rows", 1, UINT32_MAX, &s.grid_rows, fault);
    if (!rc)
        rc = htmt_request_choice(r, "schedule", schedules, &schedule, fault);
    if (!rc)
        rc = htmt_request_choice(r, "check", checks, &check, fault);
    if (!rc)
        rc = htmt_request_choice(r, "entries", entries, &kind, fault);
    if (!rc)
        rc = htmt_request_choice(r, "stored", stored, &lies, fault);
    s.passes_messages = htmt_execution_asked(r) == HTMT_EXECUTION_MPP;
    s.mpp = (struct htmt__cannon_mpp){.in_turn = schedule == 2, .skewed = lies == 1};
    s.schedule = schedule == 1 ? HTMT__CANNON_PAPER : HTMT__CANNON_OVERLAPPED;
    if (!rc)
        rc = check_execution(r, &s, schedule, fault);
    s.check = (enum htmt__cannon_check_kind)check;
    s.entries = (enum htmt__cannon_entries)kind;
    if (!rc && htmt_request_costs(r))
        rc = read_costs(r, &s, fault);
    if (!rc && !s.size) { /* of slices that make no square, the largest one in them */
        uint64_t side = 1;
        while ((side + 1) * (side + 1) <= htmt_request_slices(r))
            side++;
        htmt_uwide size = htmt_request_costs(r) ? (htmt_uwide)s.t * side * s.b_c : SIZE_DEFAULT;
        s.size = (uint64_t)size;
        if (size > SIZE_MOST)
            rc = htmt_fault_set(fault, HTMT_ERANGE,
                                "--costs %s: found a size of t s b_c = %" PRIu64 " x %" PRIu64
                                " x %" PRIu64 ", expected at most %" PRIu64,
                                htmt_request_costs(r), s.t, side, s.b_c, SIZE_MOST);
    }
    if (!rc && s.out)
        rc = htmt_whole_file_check(s.out, fault);
    if (!rc)
        *out = s;
    return rc;
}

/* ---- what follows --------------------------------------------------------------------------- */

int htmt__cannon_measure(const struct htmt__cannon_settings *s, struct htmt__cannon_matrix *a,
                         struct htmt__cannon_matrix *b, struct htmt_fault *fault)
{
    int rc = htmt__cannon_matrix_measure(s->a, a, fault);
    if (!rc)
        rc = htmt__cannon_matrix_measure(s->b, b, fault);
    return rc ? rc : htmt__cannon_matrix_can_multiply(a, b, fault);
}

struct htmt__cannon_problem htmt__cannon_settings_problem(const struct htmt__cannon_settings *s,
                                                          const struct htmt__cannon_matrix *a,
                                                          const struct htmt__cannon_matrix *b)
{
    if (!s->a)
        return (struct htmt__cannon_problem){s->size, s->size, s->size, s->b_c, s->t};
    return (struct htmt__cannon_problem){a->rows, a->cols, b->cols, s->b_c, s->t};
}

/* On the grid that was asked for, the square one, or of all the one of the shortest time; *time of
 * the schedule, if it is wanted. */
static int plan_grid(const struct htmt_machine *m, const struct htmt__cannon_settings *s,
                     const struct htmt__cannon_problem *problem, struct htmt__cannon_plan *plan,
                     htmt_wide *time, struct htmt_fault *fault)
{
    struct htmt__cannon_prediction tried = {.uneven = 0};
    struct htmt_fault why = {0};
    uint64_t side = 1;
    htmt_wide least = -1;
    int rc = 0;
    while (side * side < m->slices)
        side++;
    const uint64_t only = s->grid_rows ? s->grid_rows : side * side == m->slices ? side : 0;
    for (uint64_t rows = only ? only : 1; rows <= (only ? only : m->slices); rows++) {
        if (!only && m->slices % rows)
            continue;
        int failed = htmt__cannon_plan_on(m, problem, rows, &tried.plan, &why);
        tried.plan.charges = s->charges;
        if (!failed && (!only || time)) {
            const struct htmt__cannon_plan p = tried.plan;
            failed = htmt__cannon_predict(m, &p, &tried, &why);
        }
        const htmt_wide takes = only && !time ? 0 : tried.total[s->schedule] + tried.uneven;
        rc = failed ? failed : rc;
        if (failed || (least >= 0 && takes >= least))
            continue;
        *plan = tried.plan;
        least = takes;
    }
    if (least < 0)
        return htmt_fault_set(fault, rc, "%s", why.text);
    if (s->schedule == HTMT__CANNON_PAPER && !htmt__cannon_grid_is_square(plan))
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--schedule paper: found a grid of %" PRIu64 " x %" PRIu64
                              " slices, expected a square one",
                              plan->of[HTMT__CANNON_M].s, plan->of[HTMT__CANNON_N].s);
    if (time)
        *time = least;
    return 0;
}

/* With --grid-rows, and where the shortest dimension is too short for the square grid that the
 * longest could feed: 1, 2, 3, 4, 6, 8, 12 ... columns, or slices, as long as it pays: n slices for
 * c take at most 4 c / (3 c + n) of the time, twice as many four fifths. Otherwise that square. */
static uint32_t count_slices(const struct htmt_machine *whole,
                             const struct htmt__cannon_settings *s,
                             const struct htmt__cannon_problem *problem)
{
    const uint64_t n = htmt__cannon_longest(problem), side = htmt__cannon_fed(whole, problem),
                   unit = s->grid_rows ? s->grid_rows : 1;
    const struct htmt__cannon_problem cube = {n, n, n, problem->b_c, problem->t};
    struct htmt_machine m = *whole;
    struct htmt__cannon_plan plan;
    htmt_wide least = -1, time;
    m.slices = (uint32_t)(side * side);
    if (!s->grid_rows &&
        (side == htmt__cannon_fed(whole, &cube) || plan_grid(&m, s, problem, &plan, &least, NULL)))
        return m.slices;
    uint32_t count = s->grid_rows ? whole->slices : m.slices;
    for (uint64_t k = 1; k * unit <= whole->slices; k += k < 2 ? 1 : k % 3 ? k / 2 : k / 3) {
        m.slices = (uint32_t)(k * unit);
        if (!plan_grid(&m, s, problem, &plan, &time, NULL) &&
            !htmt__cannon_check_padding(&plan, NULL) &&
            (least < 0 || time <= least / (3 * (htmt_wide)count + m.slices) * 4 * count)) {
            least = time;
            count = m.slices;
        }
    }
    return count;
}

uint32_t htmt__cannon_slices(const struct htmt_request *r)
{
    struct htmt__cannon_settings s;
    struct htmt__cannon_matrix a = {0}, b = {0};
    const enum htmt_execution execution = htmt_execution_asked(r);
    if (execution == HTMT_EXECUTION_SERIAL)
        return 1;
    bool fills =
        htmt_request_costs(r) && !htmt_request_value(r, "size") && !htmt_request_value(r, "a");
    if (fills || htmt__cannon_settings_read(r, &s, NULL) ||
        (s.a && htmt__cannon_measure(&s, &a, &b, NULL)))
        return htmt_request_machine(r)->slices;
    const struct htmt__cannon_problem problem = htmt__cannon_settings_problem(&s, &a, &b);
    if (s.passes_messages) { /* a square, of nodes that have elements */
        uint64_t side = 1;
        while ((side + 1) * (side + 1) <= htmt_request_machine(r)->slices &&
               side < htmt__cannon_longest(&problem))
            side++;
        return (uint32_t)(side * side);
    }
    return count_slices(htmt_request_machine(r), &s, &problem);
}

int htmt__cannon_input(const struct htmt_request *r, const struct htmt__cannon_settings *s,
                       struct htmt__cannon_spread *a, struct htmt__cannon_spread *b,
                       struct htmt_fault *fault)
{
    if (!s->a) {
        htmt__cannon_spread_generate(a, s->entries, htmt_request_seed(r), HTMT__MATRIX_A);
        htmt__cannon_spread_generate(b, s->entries, htmt_request_seed(r), HTMT__MATRIX_B);
        return 0;
    }
    int rc = htmt__cannon_spread_read(s->a, a, fault);
    return rc ? rc : htmt__cannon_spread_read(s->b, b, fault);
}

int htmt__cannon_input_whole(const struct htmt_request *r, const struct htmt__cannon_settings *s,
                             struct htmt__cannon_matrix *a, struct htmt__cannon_matrix *b,
                             struct htmt_fault *fault)
{
    uint64_t seed = htmt_request_seed(r), n = s->size;
    int rc = s->a ? htmt__cannon_matrix_read(s->a, a, fault)
                  : htmt__cannon_matrix_generate(a, n, n, s->entries, seed, HTMT__MATRIX_A, fault);
    if (!rc)
        rc = s->a ? htmt__cannon_matrix_read(s->b, b, fault)
                  : htmt__cannon_matrix_generate(b, n, n, s->entries, seed, HTMT__MATRIX_B, fault);
    if (rc) {
        htmt__cannon_matrix_destroy(a);
        htmt__cannon_matrix_destroy(b);
    }
    return rc;
}

int htmt__cannon_check_padding(const struct htmt__cannon_plan *p, struct htmt_fault *fault)
{
    for (unsigned d = 0; d < HTMT__CANNON_DIMENSIONS; d++) {
        const struct htmt__cannon_extent *x = &p->of[d];
        const uint64_t n = htmt__cannon_length(&p->problem, (enum htmt__cannon_dimension)d),
                       padded = htmt__cannon_padded(x);
        if (padded / PADDING_MOST > n)
            return htmt_fault_set(
                fault, HTMT_EINVAL,
                "found padding from %" PRIu64 " to q t s b_c = %" PRIu64 " x %" PRIu64 " x %" PRIu64
                " x %" PRIu64 " = %" PRIu64
                ", expected at most %d times the size: %sa smaller --t or --block",
                n, x->q, x->t, x->s, x->b, padded, PADDING_MOST,
                x->s > 1 ? "fewer --slices, " : "");
    }
    return 0;
}

int htmt__cannon_settings_plan(const struct htmt_machine *m, const struct htmt__cannon_settings *s,
                               const struct htmt__cannon_matrix *a,
                               const struct htmt__cannon_matrix *b, struct htmt__cannon_plan *plan,
                               struct htmt_fault *fault)
{
    const struct htmt__cannon_problem problem = htmt__cannon_settings_problem(s, a, b);
    if (s->passes_messages) {
        int rc = htmt__cannon_mpp_plan(m, &problem, &s->mpp, plan, fault);
        if (!rc)
            plan->charges = s->charges;
        return rc;
    }
    return plan_grid(m, s, &problem, plan, NULL, fault);
}

void htmt__cannon_describe(const struct htmt__cannon_settings *s,
                           const struct htmt__cannon_plan *plan, char *text, size_t room)
{
    const struct htmt__cannon_problem *p = &plan->problem;
    const struct htmt__cannon_extent *x = plan->of;
    uint64_t padded[HTMT__CANNON_DIMENSIONS];
    char padding[80] = "", how[120], grid[80] = "";
    for (unsigned d = 0; d < HTMT__CANNON_DIMENSIONS; d++)
        padded[d] = htmt__cannon_padded(&x[d]);
    if (s->passes_messages) {
        snprintf(text, room,
                 "C = A B, %" PRIu64 " x %" PRIu64 " x %" PRIu64 "%s; %" PRIu64 " x %" PRIu64
                 " nodes, blocks of %" PRIu64 " x %" PRIu64 " and %" PRIu64 " x %" PRIu64
                 ", stored %s; shifts %s the products",
                 p->rows, p->inner, p->cols, s->a ? "" : " generated", plan->s, plan->s, x[0].b,
                 x[1].b, x[1].b, x[2].b, s->mpp.skewed ? "skewed" : "plain",
                 s->mpp.in_turn ? "behind" : "beside");
        return;
    }
    if (htmt__cannon_is_square(plan)) {
        if (plan->dimension != p->rows)
            snprintf(padding, sizeof padding, ", padded to %" PRIu64, plan->dimension);
        snprintf(how, sizeof how, "q = %" PRIu64 ", t = %" PRIu64 ", b_c = %" PRIu64, plan->q,
                 plan->t, plan->b_c);
    } else {
        if (padded[0] != p->rows || padded[1] != p->inner || padded[2] != p->cols)
            snprintf(padding, sizeof padding, ", padded to %" PRIu64 " x %" PRIu64 " x %" PRIu64,
                     padded[0], padded[1], padded[2]);
        snprintf(how, sizeof how,
                 "q = %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", t = %" PRIu64 ", %" PRIu64 ", %" PRIu64
                 ", b = %" PRIu64 ", %" PRIu64 ", %" PRIu64,
                 x[0].q, x[1].q, x[2].q, x[0].t, x[1].t, x[2].t, x[0].b, x[1].b, x[2].b);
    }
    if (!htmt__cannon_grid_is_square(plan))
        snprintf(grid, sizeof grid, "panels on %" PRIu64 " x %" PRIu64 " SPELLs, ",
                 x[HTMT__CANNON_M].s, x[HTMT__CANNON_N].s);
    snprintf(text, room,
             "C = A B, %" PRIu64 " x %" PRIu64 " x %" PRIu64 "%s; %ss = %" PRIu64
             ", %s%s; schedule %s",
             p->rows, p->inner, p->cols, s->a ? "" : " generated", grid, plan->s, how, padding,
             s->schedule == HTMT__CANNON_PAPER ? "paper" : "overlap");
}
