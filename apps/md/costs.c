/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operations of the kernels: of an atom, a candidate, a pair, and of what parcels have of these.
 */
#include "apps/md/program.h"

#include "layers/file/costs.h"

/* Of htmt_ops: what parcels.c and kernel_text.h say of each. */
static const struct {
    const char *key;
    uint32_t own;
} costs[HTMT__MD_COSTS] = {
    {"candidate.flop", 8}, {"image.flop", 15}, {"pair.flop", 20},
    {"atom.flop", 5},      {"pack.flop", 3},   {"move.flop", 39},
};

#define COST(name)                                                                                 \
    {                                                                                              \
        name, HTMT_UNIT_OPERATIONS, .least = 0, .most = 1e6                                        \
    }
static const struct htmt_schema_row keys[] = {
    COST("candidate.flop"), COST("image.flop"), COST("pair.flop"), COST("atom.flop"),
    COST("pack.flop"),      COST("move.flop"),  {.key = NULL}};

/* Without a cost file the kernels' own. */
int htmt__md_read_costs(const struct htmt_request *r, struct htmt__md_plan *p,
                        struct htmt_fault *fault)
{
    struct htmt_costs *c = NULL;
    unsigned count;
    const char *const *set = htmt_request_cost_set(r, &count);
    for (unsigned i = 0; i < HTMT__MD_COSTS; i++)
        p->cost[i] = costs[i].own;
    if (!htmt_request_costs(r))
        return 0;
    int rc = htmt_costs_load(htmt_request_costs(r), "md", keys, set, count, &c, fault);
    for (unsigned i = 0; !rc && i < HTMT__MD_COSTS; i++)
        p->cost[i] = htmt_costs_whole(c, costs[i].key);
    htmt_costs_destroy(&c);
    return rc;
}

struct htmt_ops htmt__md_pack_ops(const struct htmt__md_plan *p, uint64_t cells, uint64_t all)
{
    return (struct htmt_ops){.n = {[HTMT_FLOP] = p->cost[HTMT__MD_PACK_FLOP] * all,
                                   [HTMT_LOAD] = cells + 3 * all,
                                   [HTMT_STORE] = cells + 3 * all}};
}

struct htmt_ops htmt__md_force_ops(const struct htmt__md_plan *p, const struct htmt__md_lists *l)
{
    const uint64_t each =
        p->cost[HTMT__MD_CANDIDATE_FLOP] + (p->whole ? p->cost[HTMT__MD_IMAGE_FLOP] : 0);
    return (struct htmt_ops){.n = {[HTMT_FLOP] = each * l->candidates +
                                                 p->cost[HTMT__MD_PAIR_FLOP] * l->within +
                                                 p->cost[HTMT__MD_ATOM_FLOP] * l->own}};
}

/* cells: whose numbers of atoms say where forces lie. */
struct htmt_ops htmt__md_move_ops(const struct htmt__md_plan *p, uint64_t cells, uint64_t own)
{
    return (struct htmt_ops){.n = {[HTMT_FLOP] = p->cost[HTMT__MD_MOVE_FLOP] * own,
                                   [HTMT_LOAD] = cells + 12 * own,
                                   [HTMT_STORE] = 9 * own}};
}

/* Every atom is looked at and its displacement becomes zero; one that leaves is read, written and
 * sorted. */
struct htmt_ops htmt__md_leave_ops(uint64_t own, uint64_t leaving)
{
    return (struct htmt_ops){.n = {[HTMT_FLOP] = 3 * own,
                                   [HTMT_LOAD] = 3 * own + 2 * HTMT__MD_MOVE_WORDS * leaving,
                                   [HTMT_STORE] = 3 * own + 2 * HTMT__MD_MOVE_WORDS * leaving}};
}

/* Arrivals are written where their number says, and others make way; atoms of cells are counted. */
struct htmt_ops htmt__md_settle_ops(uint64_t cells, uint64_t arriving, uint64_t shifted)
{
    const uint64_t moved = HTMT__MD_MOVE_WORDS * (arriving + shifted);
    return (struct htmt_ops){
        .n = {
            [HTMT_FLOP] = 3 * arriving, [HTMT_LOAD] = cells + moved, [HTMT_STORE] = cells + moved}};
}

struct htmt_ops htmt__md_record_ops(uint64_t records)
{
    const uint64_t words = sizeof(struct htmt__md_record) / HTMT_WORD;
    return (struct htmt_ops){
        .n = {[HTMT_FLOP] = records * words, [HTMT_LOAD] = records * words, [HTMT_STORE] = words}};
}
