/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A pipeline of equal parcels: the first goes through all stages, each later one ends as long after
 * the one before as the slowest stage takes. Exact where every stage has one server and the
 * memories hold the parcels that are under way.
 */
#include "examples/dot/closed_form.h"

#include "apps/lib/servers.h"
#include "apps/lib/term_tree.h"
#include "examples/dot/kernels.h"

static htmt_time multiply(const void *servers, unsigned server, uint64_t elements)
{
    const struct htmt_servers *s = servers;
    struct htmt_ops ops = htmt__dot_multiply_ops(elements);
    return htmt_machine_work(s->m, s->path[server].from, &ops);
}

static htmt_time add(const void *servers, unsigned server, uint64_t sums)
{
    const struct htmt_servers *s = servers;
    struct htmt_ops ops = htmt__dot_add_ops(sums);
    return htmt_machine_work(s->m, s->path[server].from, &ops);
}

static const struct htmt_term_row rows[] = {
    HTMT_ROW(0, "s", "T", "first + (blocks - 1) * slowest + add + rounds * round", "all"),
    HTMT_ROW(1, "s", "first", "gather + inject + multiply + eject + scatter", "the first parcel"),
    HTMT_ROW_SERVED(2, "gather", "2 * b", "words, DRAM to SRAM", htmt_move_length,
                    HTMT_SERVE_D_TO_S, "a block of x and of y"),
    HTMT_ROW_SERVED(2, "inject", "2 * b", "words, SRAM to CRAM", htmt_move_length,
                    HTMT_SERVE_S_TO_C, "the same"),
    HTMT_ROW_SERVED(2, "multiply", "b", "elements of a SPELL", multiply, HTMT_SERVE_SPELL,
                    "multiply and add"),
    HTMT_ROW_SERVED(2, "eject", "1", "words, CRAM to SRAM", htmt_move_length, HTMT_SERVE_C_TO_S,
                    "a partial sum"),
    HTMT_ROW_SERVED(2, "scatter", "1", "words, SRAM to DRAM", htmt_move_length, HTMT_SERVE_S_TO_D,
                    "the same"),
    HTMT_ROW(1, "s", "slowest", "max('gather, each', 'inject, each', multiply)",
             "each later parcel"),
    HTMT_ROW_SERVED(2, "gather, each", "2 * b", "words, DRAM to SRAM", htmt_move_apart,
                    HTMT_SERVE_D_TO_S, "from one gather to the next"),
    HTMT_ROW_SERVED(2, "inject, each", "2 * b", "words, SRAM to CRAM", htmt_move_apart,
                    HTMT_SERVE_S_TO_C, "from one inject to the next"),
    HTMT_ROW_SERVED(1, "add", "blocks", "partial sums of a DPIM", add, HTMT_SERVE_DPIM,
                    "the sum of a slice"),
    HTMT_ROW(1, "s", "round", "across + combine", "of the all-reduce"),
    HTMT_ROW_SERVED(2, "across", "1", "words, DRAM to DRAM", htmt_move_length, HTMT_SERVE_ACROSS,
                    "to the partner"),
    HTMT_ROW_SERVED(2, "combine", "1", "flop of a DPIM", htmt_serve_flop, HTMT_SERVE_DPIM,
                    "with the partner's"),
    HTMT_ROW(0, "flop", "flop", "2 * size", "of the problem"),
    HTMT_ROW_QUOTIENT("flop/s", "rate", "flop / T", "of the problem"),
    HTMT_ROWS_END};

static void set_names(struct htmt_term_tree *t, const struct htmt__dot_plan *p)
{
    const struct htmt_term_count of[] = {
        {"size", p->size}, {"b", p->block}, {"blocks", p->blocks}, {"rounds", p->rounds}};
    htmt_term_tree_set_counts(t, of, sizeof of / sizeof *of);
}

int htmt__dot_closed_form(const struct htmt_machine *m, const struct htmt__dot_plan *p,
                          htmt_wide *total, struct htmt_prediction *tell, struct htmt_fault *fault)
{
    struct htmt_servers servers = htmt_servers(m, p->outer, p->middle, p->inner, p->outer);
    struct htmt_term_tree *t = NULL;
    int rc = htmt_term_tree_create(&servers, &t, fault);
    if (rc)
        return rc;
    htmt_term_tree_add(t, NULL, 0, rows);
    set_names(t, p);
    rc = htmt_term_tree_evaluate(t, fault);
    if (!rc)
        *total = htmt_term_tree_whole(t, "T");
    if (!rc && tell)
        htmt_term_tree_tell(t, tell);
    htmt_term_tree_destroy(&t);
    return rc;
}
