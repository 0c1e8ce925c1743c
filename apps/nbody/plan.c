/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plan.
 *
 * Direct sum. A slice has n = N / S targets. As many of them as CRAM holds beside two parcels of
 * sources stay there while all N sources come by. A target has 8 words (mass, place, pull) and a
 * source 4. By hand: 131,072 words of CRAM and parcels of 1024 sources leave room for
 * (131,072 - 2 * 4096) / 8 = 15,360 targets.
 */
#include "apps/nbody/plan.h"

#include "apps/lib/chain.h"
#include "apps/lib/execution.h"
#include "apps/nbody/forces.h"
#include "layers/file/costs.h"
#include "runtime/base/wide.h"

#include <inttypes.h>
#include <math.h>

#define ROOM_MORE    256u  /* bodies, or words, beyond shares */
#define SOURCES      1024u /* of a parcel, if there is room */
#define TARGET_WORDS (HTMT__NBODY_SOURCE_WORDS + HTMT__NBODY_PULL_WORDS)

/* In DRAM, of a body: it, its pull, and as a source that is there or visits; of the tree twice, in
 * order, in a group, leaving, and in the mail. */
#define DIRECT_WORDS                                                                               \
    (HTMT__NBODY_BODY_WORDS + HTMT__NBODY_PULL_WORDS +                                             \
     (1 + HTMT__NBODY_BUFFERS) * HTMT__NBODY_SOURCE_WORDS)
#define TREE_WORDS (4 * HTMT__NBODY_BODY_WORDS + HTMT__NBODY_PULL_WORDS + 2 + 2)

const struct htmt_app_option htmt__nbody_options[] = {
    {"bodies", "N", "4096", "bodies of a Plummer sphere of its own"},
    {"in", "FILE", NULL,
     "bodies of a file instead, .npy: rows of seven 64-bit numbers, mass, position, velocity"},
    {"method", "KIND", "tree", "tree: cells of an octree; direct: all pairs"},
    {"moments", "KIND", "quad", "of a cell, with --method tree: mono or quad"},
    {"theta", "X", "0.5", "opening of cells, 0 to 1.5; 0: all pairs by the tree"},
    {"group", "N", "64", "most bodies that share a list of cells"},
    {"eps", "X", "0.01", "Plummer softening"},
    {"dt", "T", "0.01", "time step"},
    {"steps", "N", "1", "time steps; 0: the forces of the beginning"},
    {"out", "FILE", NULL, "write the bodies of the end to this file, .npy, as --in has them"},
    {"plot-energies", "FILE", NULL, "plot energies over time, .svg, .png or .pdf"},
    {"plot-profile", "FILE", NULL, "plot the density over the radius, .svg, .png or .pdf"},
    {"lists", "FILE", NULL,
     "of a model run: lengths of lists that --out-lists of a run wrote, .npy; default: an "
     "estimate"},
    {"out-lists", "FILE", NULL, "write the lengths of the last lists to this file, .npy"},
    HTMT_EXECUTION_OPTION,
    {"check", "KIND", "full", "full: compare with a serial program; or none"},
    {NULL, NULL, NULL, NULL}};

/* ---- costs ---------------------------------------------------------------------------------- */

static const struct htmt_schema_row keys[] = {
    {"body.flop", HTMT_UNIT_SHARE, .least = 0, .most = 1e6},
    {"cell.flop", HTMT_UNIT_SHARE, .least = 0, .most = 1e6},
    {"list.entry", HTMT_UNIT_SHARE, .least = 0, .most = 1e6},
    {"interactions.c0", HTMT_UNIT_SHARE, .least = 0, .most = 1e6},
    {"interactions.c1", HTMT_UNIT_SHARE, .least = 0, .most = 1e6},
    {"interactions.cells", HTMT_UNIT_SHARE, .least = 0, .most = 1},
    {.key = NULL}};

static int read_costs(const struct htmt_request *r, struct htmt__nbody_costs *costs,
                      struct htmt_fault *fault)
{
    struct htmt_costs *c = NULL;
    unsigned count;
    const char *const *set = htmt_request_cost_set(r, &count);
    *costs = (struct htmt__nbody_costs){.body_flop = {HTMT__NBODY_BODY_FLOP, 1},
                                        .cell_flop = {HTMT__NBODY_CELL_FLOP, 1},
                                        .entry = {HTMT__NBODY_ENTRY_OPS, 1},
                                        .c0 = {HTMT__NBODY_C0, 1},
                                        .c1 = {HTMT__NBODY_C1, 1},
                                        .cells = {1, 2}};
    if (!htmt_request_costs(r))
        return 0;
    int rc = htmt_costs_load(htmt_request_costs(r), "nbody", keys, set, count, &c, fault);
    if (!rc) {
        costs->body_flop = htmt_costs_ratio(c, "body.flop");
        costs->cell_flop = htmt_costs_ratio(c, "cell.flop");
        costs->entry = htmt_costs_ratio(c, "list.entry");
        costs->c0 = htmt_costs_ratio(c, "interactions.c0");
        costs->c1 = htmt_costs_ratio(c, "interactions.c1");
        costs->cells = htmt_costs_ratio(c, "interactions.cells");
    }
    htmt_costs_destroy(&c);
    return rc;
}

/* A DPIM loads and stores the words of a body. Move 0 only finds how far bodies are; the others sum
 * (33 flop a body: energies 8 and 3, momenta 6 and 15, work 1), end a step by a kick (6) from move
 * 2 on, and begin one by a kick and a drift (12) up to move `steps`. */
struct htmt_ops htmt__nbody_move_ops(const struct htmt__nbody_plan *p, uint64_t n,
                                     uint32_t evaluation)
{
    const uint64_t sums = evaluation > 0 ? 33 : 0, ends = evaluation > 1 ? 6 : 0,
                   begins = evaluation > 0 && evaluation <= p->steps ? 12 : 0;
    struct htmt_ops ops = {.n = {0}};
    ops.n[HTMT_LOAD] = n * (HTMT__NBODY_BODY_WORDS + HTMT__NBODY_PULL_WORDS);
    ops.n[HTMT_STORE] = n * (HTMT__NBODY_BODY_WORDS + HTMT__NBODY_SOURCE_WORDS) + HTMT__NBODY_SUMS;
    ops.n[HTMT_FLOP] = n * (sums + ends + begins);
    return ops;
}

struct htmt_ops htmt__nbody_sum_ops(uint64_t parts)
{
    const uint64_t n = parts * HTMT__NBODY_SUMS;
    return (struct htmt_ops){
        .n = {[HTMT_FLOP] = n, [HTMT_LOAD] = n, [HTMT_STORE] = HTMT__NBODY_SUMS}};
}

struct htmt_ops htmt__nbody_sample_ops(uint64_t n)
{
    return (struct htmt_ops){.n = {[HTMT_LOAD] = 2 * n + HTMT__NBODY_SAMPLES,
                                   [HTMT_STORE] = HTMT__NBODY_SAMPLES + 1,
                                   [HTMT_FLOP] = 3 * n}};
}

/* Eight passes: a pass counts digits (a load, three operations, a store for each key), adds 256 of
 * them up, and moves pairs (three loads, three operations, three stores). */
struct htmt_ops htmt__nbody_sort_ops(uint64_t each)
{
    return (struct htmt_ops){.n = {[HTMT_LOAD] = 8 * (5 * each + 256) + each,
                                   [HTMT_STORE] = 8 * (4 * each + 512) + 2 * each,
                                   [HTMT_IOP] = 8 * (6 * each + 256)}};
}

#define GROUP_FILL 0.27 /* bodies of a group, of what it may have: cells of an octree */
#define BRANCHES   48
#define OVERLAP    8  /* shares that have keys among those of another one */
#define NEAR       26 /* slices that get much of a tree; others get its top */

/* Operations of split, grow, join and share are what runs of 40,000 bodies count for a body. */
struct htmt__nbody_estimate htmt__nbody_estimate_of(const struct htmt__nbody_plan *p)
{
    const uint64_t n = htmt__nbody_share(p, 0);
    const double all = (double)p->bodies,
                 line =
                     htmt_ratio_value(p->costs.c0) + htmt_ratio_value(p->costs.c1) * log2(all) / 3,
                 samples = (double)p->slices * HTMT__NBODY_SAMPLES;
    struct htmt__nbody_estimate e = {.cells = p->theta > 0 ? htmt_ratio_value(p->costs.cells) : 0};
    e.entries = p->theta > 0 ? fmin(all, line * pow(0.7 / p->theta, 1.7)) : all;
    e.groups = (uint64_t)ceil((double)n / fmax(1, GROUP_FILL * p->group));
    e.branches = htmt_most(1, htmt_least(BRANCHES, n / p->group));
    e.each = htmt_most(HTMT__NBODY_SORTED_LEAST, htmt_ceil_div(n, p->workers));
    e.shares = htmt_ceil_div(n, e.each);
    e.sift = 5 * n + (uint64_t)(5 * samples * log2(samples + 2));
    e.rank = 5 * e.shares + (3 * OVERLAP + 23) * e.each;
    e.split = 3 * n;
    e.grow = 68 * n / e.branches;
    e.join = 14 * n;
    e.share =
        1000 + 24 * n * htmt_least(NEAR, htmt_most(1, p->slices - 1)) / htmt_most(1, p->slices - 1);
    e.list =
        (uint64_t)(e.entries * (htmt_ratio_value(p->costs.entry) + (p->quad ? 12 * e.cells : 0)));
    return e;
}

double htmt__nbody_tolerance(double theta, bool quad)
{
    return 1e-12 + (quad ? 3e-4 * pow(2 * theta, 4) : 1.5e-3 * pow(2 * theta, 2.3));
}

/* ---- room ----------------------------------------------------------------------------------- */

static int fit_direct(struct htmt_task *task, struct htmt__nbody_plan *p)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    const uint64_t n = htmt__nbody_share(p, 0), room = htmt_machine_room(m, p->cram);
    uint64_t sources = htmt_least(n, SOURCES);
    while (sources > 1 && 2 * HTMT__NBODY_SOURCE_WORDS * sources > room / 2)
        sources /= 2;
    if (room < TARGET_WORDS + 2 * HTMT__NBODY_SOURCE_WORDS * sources)
        return htmt_task_refuse(task, HTMT_ECAPACITY,
                                "memory %s: found %" PRIu64 " words, expected at least %" PRIu64
                                ", for a target and two sources",
                                m->layer[p->cram].memory.name, room,
                                TARGET_WORDS + 2 * HTMT__NBODY_SOURCE_WORDS * sources);
    const uint64_t words = DIRECT_WORDS * n;
    if (words > htmt_machine_room(m, p->dram))
        return htmt_task_refuse(task, HTMT_ECAPACITY,
                                "--bodies: found %" PRIu64 " of a slice, which take %u words each, "
                                "expected at most the %" PRIu64 " words of %s",
                                n, DIRECT_WORDS, htmt_machine_room(m, p->dram),
                                m->layer[p->dram].memory.name);
    p->sources = (uint32_t)sources;
    p->targets =
        (uint32_t)htmt_least(n, (room - 2 * HTMT__NBODY_SOURCE_WORDS * sources) / TARGET_WORDS);
    /* equal passes */
    const uint64_t passes = htmt_ceil_div(n, p->targets);
    p->targets = (uint32_t)htmt_ceil_div(n, passes);
    p->most = n;
    return 0;
}

/* Two parcels fit CRAM. A slice has room for some times its share of bodies, since those that are
 * outside have shorter lists; a message, for a tree whose leaves are all opened. */
static int fit_tree(struct htmt_task *task, struct htmt__nbody_plan *p)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    const uint64_t room = htmt_machine_room(m, p->cram), group = (uint64_t)p->group * TARGET_WORDS,
                   entry = p->quad ? HTMT__NBODY_QUAD_WORDS : HTMT__NBODY_SOURCE_WORDS;
    if (room / 2 < group + entry)
        return htmt_task_refuse(task, HTMT_ECAPACITY,
                                "memory %s: found %" PRIu64 " words, expected at least %" PRIu64
                                ", for two groups of %u and an entry of each list",
                                m->layer[p->cram].memory.name, room, 2 * (group + entry), p->group);
    p->part = room / 2 - group;
    p->most =
        p->slices == 1 ? p->bodies : htmt_least(p->bodies, 4 * htmt__nbody_share(p, 0) + ROOM_MORE);
    p->message = 8 * p->most + ROOM_MORE;
    if (TREE_WORDS * p->most > htmt_machine_room(m, p->dram))
        return htmt_task_refuse(
            task, HTMT_ECAPACITY,
            "--bodies: found room for %" PRIu64 " of a slice, which take %u words each, expected "
            "at most the %" PRIu64 " words of %s",
            p->most, TREE_WORDS, htmt_machine_room(m, p->dram), m->layer[p->dram].memory.name);
    if (p->most > UINT32_MAX / 4)
        return htmt_task_refuse(task, HTMT_ERANGE,
                                "--bodies: found %" PRIu64 " of a slice, expected at most 2^30",
                                p->most);
    return 0;
}

static int read_layers(struct htmt_task *task, struct htmt__nbody_plan *p)
{
    static const char who[] = "a cluster of bodies";
    const struct htmt_machine *m = htmt_task_machine(task);
    struct htmt_fault *fault = htmt_task_fault(task);
    int rc = htmt_chain_layers(m, who, &p->dram, &p->sram, &p->cram, fault);
    rc = rc ? rc : htmt_chain_network(m, who, p->dram, p->sram, false, &p->down, fault);
    rc = rc ? rc : htmt_chain_network(m, who, p->sram, p->cram, false, &p->up, fault);
    if (rc || m->slices == 1)
        return rc;
    rc = htmt_chain_network(m, who, p->dram, p->dram, true, &p->across, fault);
    if (!rc && p->tree)
        rc = htmt_chain_network(m, who, p->sram, p->sram, true, &p->beside, fault);
    return rc;
}

/* ---- all ------------------------------------------------------------------------------------ */

static int read_count(const struct htmt_request *r, struct htmt__nbody_plan *p,
                      struct htmt_fault *fault)
{
    double n = 0;
    p->in = htmt_request_value(r, "in");
    if (p->in)
        return htmt__nbody_input_count(p->in, &p->bodies, fault);
    int rc = htmt_request_real(r, "bodies", 2, 0x1p40, &n, fault);
    if (!rc && n != floor(n))
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "--bodies: found %s, expected a whole number",
                            htmt_request_value(r, "bodies"));
    p->bodies = (uint64_t)n;
    return rc;
}

uint32_t htmt__nbody_slices(const struct htmt_request *r)
{
    const uint32_t all = htmt_request_machine(r)->slices;
    struct htmt__nbody_plan p = {.bodies = 0};
    if (htmt_execution_asked(r) == HTMT_EXECUTION_SERIAL)
        return 1;
    if (read_count(r, &p, NULL))
        return all;
    return (uint32_t)htmt_most(1, htmt_least(all, p.bodies / HTMT__NBODY_SLICE_LEAST));
}

static int read_options(const struct htmt_request *r, struct htmt__nbody_plan *p,
                        struct htmt_fault *fault)
{
    static const char *const methods[] = {"direct", "tree", NULL}, *const moments[] = {
                                                                       "mono", "quad", NULL};
    unsigned method = 0, moment = 0;
    int rc = htmt_request_choice(r, "method", methods, &method, fault);
    rc = rc ? rc : htmt_request_choice(r, "moments", moments, &moment, fault);
    rc = rc ? rc : htmt_request_real(r, "theta", 0, 1.5, &p->theta, fault);
    rc = rc ? rc : htmt_request_whole32(r, "group", 1, 64, &p->group, fault);
    rc = rc ? rc : htmt_request_real(r, "eps", 0, 1e6, &p->eps, fault);
    rc = rc ? rc : htmt_request_real(r, "dt", 1e-12, 1e6, &p->dt, fault);
    rc = rc ? rc : htmt_request_whole32(r, "steps", 0, 1u << 24, &p->steps, fault);
    rc = rc ? rc : htmt_request_suffix(r, "out", ".npy", fault);
    rc = rc ? rc : htmt_request_suffix(r, "out-lists", ".npy", fault);
    p->tree = method == 1;
    p->quad = moment == 1;
    return rc;
}

int htmt__nbody_plan_problem(struct htmt_task *task, struct htmt__nbody_plan *p)
{
    const struct htmt_request *r = htmt_task_request(task);
    struct htmt_fault *fault = htmt_task_fault(task);
    int rc = read_count(r, p, fault);
    rc = rc ? rc : read_options(r, p, fault);
    rc = rc ? rc : read_costs(r, &p->costs, fault);
    if (rc)
        return rc;
    p->slices = htmt_task_machine(task)->slices;
    p->workers = p->packers = 1;
    if (p->bodies < p->slices)
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "--slices: found %u, expected at most one a body, %" PRIu64,
                                p->slices, p->bodies);
    return 0;
}

int htmt__nbody_plan(struct htmt_task *task, struct htmt__nbody_plan *p)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    int rc = htmt__nbody_plan_problem(task, p);
    rc = rc ? rc : read_layers(task, p);
    if (rc)
        return rc;
    p->workers = (uint32_t)htmt_most(1, htmt_machine_servers(m, p->dram));
    p->packers = (uint32_t)htmt_most(1, htmt_machine_servers(m, p->sram));
    p->chunk = (uint32_t)htmt_least(htmt_ceil_div(htmt__nbody_share(p, 0), p->workers), UINT32_MAX);
    return p->tree ? fit_tree(task, p) : fit_direct(task, p);
}
