/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gravity on one processor, and on nodes that pass messages, as closed forms.
 *
 * Serial. Direct sum: t targets stay in the inner memory, 8 words each, and all N sources, 4 words
 * each, come by; N / t passes. Tree: keys and their numbers go by eight times to be sorted, bodies
 * once to their places; then a tree of 12 words a body is made, and comes by once more for the
 * lists, since neighbours on the curve open the same cells. Where all fits, bodies come and go
 * once. By hand, direct, 1000 bodies, room for 4000 words: t = 500, two passes of 4000 words.
 *
 * Messages. A node has N / p bodies. Direct sum: p - 1 times it sends the sources that it has to
 * its right neighbour, and computes with what came. Tree: it sends each other node what that needs
 * of its tree, 2.6 words a body to some 26 near ones.
 */
#include "apps/nbody/closed_form.h"

#include "apps/lib/execution.h"
#include "apps/peers/peers.h"
#include "runtime/base/wide.h"

#define TREE_WORDS 12u /* of a body: nodes, sources, keys */
#define NEAR       26

static const struct htmt_term_row flop_rows[] = {
    HTMT_ROW(0, "flop", "flop", "(steps + 1) * N * flop of a body", "forces, kicks, sums"),
    HTMT_ROWS_END};

static const struct htmt_term_row serial_rows[] = {
    HTMT_ROW(2, "words", "words in",
             "(steps + 1) * spilled * (14 * N + sorted * N + passes * 4 * N + tree * N) + (1 - "
             "spilled) * 10 * N",
             "bodies, sources of each pass, the tree"),
    HTMT_ROW(2, "words", "words out",
             "(steps + 1) * spilled * (14 * N + sorted * N + tree * N) + (1 - spilled) * 10 * N",
             "bodies, the tree"),
    HTMT_ROW(0, "words", "data", "(14 + tree) * N", "bodies, pulls, the tree"),
    HTMT_ROW(0, "1", "iop", "(steps + 1) * N * iop of a body", "keys, lists"), HTMT_ROWS_END};

static const struct htmt_term_row mpp_rows[] = {
    HTMT_ROW_ROUNDED(0, "s", "T", "compute + network", HTMT_TERM_HALF_UP, "on all nodes"),
    HTMT_ROW(1, "s", "compute",
             "(steps + 1) * (" HTMT_EXECUTION_WORK("n * flop of a body * t flop",
                                                   "n * iop of a body * t iop", "0", "0", "0") ")",
             "operations of a node"),
    HTMT_ROW(2, "1", "n", "ceil(N / nodes)", "bodies of a node"),
    HTMT_ROW(1, "s", "network", "(steps + 1) * messages", "of a node"),
    HTMT_ROW_COMPUTED(2, "s", "messages", "htmt__peers_exchange", "sources, or trees, to others"),
    HTMT_ROW(0, "words", "data", "(14 + tree) * n + visitors", "of a node"),
    HTMT_ROWS_END};

#define VALUES 10

/* What both forms know of the problem. */
static size_t values(const struct htmt__nbody_plan *p, struct htmt_term_count of[VALUES])
{
    const struct htmt__nbody_estimate e = htmt__nbody_estimate_of(p);
    const uint64_t entries = (uint64_t)e.entries, cells = (uint64_t)(e.entries * e.cells),
                   group = htmt_most(1, htmt__nbody_share(p, 0) / htmt_most(1, e.groups));
    const struct htmt_term_count all[] = {
        {"steps", p->steps},
        {"N", p->bodies},
        {"tree", p->tree ? TREE_WORDS : 0},
        {"sorted", p->tree ? 8 * 2 : 0},
        {"flop of a body", 45 + (p->tree ? htmt__nbody_list_flop(p, 1, entries - cells, cells)
                                         : htmt__nbody_list_flop(p, 1, p->bodies, 0))},
        {"iop of a body", p->tree ? 64 + 8 * 15 + 85 + e.list / group : 0}};
    const size_t count = sizeof all / sizeof *all;
    for (size_t i = 0; i < count; i++)
        of[i] = all[i];
    return count;
}

int htmt__nbody_serial(struct htmt_task *task, const struct htmt__nbody_plan *p,
                       struct htmt_prediction *out)
{
    const struct htmt_execution_place place =
        htmt_execution_place(htmt_task_machine(task), HTMT_EXECUTION_SERIAL);
    const uint64_t words = (14u + (p->tree ? TREE_WORDS : 0u)) * p->bodies;
    struct htmt_term_count of[VALUES];
    size_t count = values(p, of);
    of[count++] = (struct htmt_term_count){"spilled", words > place.room};
    of[count++] = (struct htmt_term_count){
        "passes", p->tree ? 0 : htmt_ceil_div(8 * p->bodies, htmt_most(8, place.room))};
    return htmt_serial_tell(
        task, &(struct htmt_execution_form){{serial_rows, flop_rows}, of, count}, out);
}

/* To so many others, one after another. */
struct mail {
    uint32_t nodes, others;
    uint64_t words;
};

static bool to_others(const void *user, uint32_t node, uint32_t i, struct htmt__sent *sent)
{
    const struct mail *m = user;
    *sent = (struct htmt__sent){(node + 1 + i) % m->nodes, m->words};
    return i < m->others;
}

int htmt__nbody_mpp(struct htmt_task *task, const struct htmt__nbody_plan *p,
                    struct htmt_prediction *out)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    const uint32_t nodes = m->slices, others = nodes - 1;
    const uint64_t n = htmt_ceil_div(p->bodies, nodes);
    const struct mail ring = {nodes, others > 0, HTMT__NBODY_SOURCE_WORDS * n},
                      trees = {nodes, (uint32_t)htmt_least(others, NEAR), 13 * n / 5};
    const htmt_time once =
        others ? htmt__peers_exchange(m, htmt__peer_place(m), to_others, p->tree ? &trees : &ring)
               : 0;
    struct htmt_term_count of[VALUES];
    size_t count = values(p, of);
    if (once < 0)
        return htmt_task_refuse(task, HTMT_EOVERFLOW,
                                "machine %s: the messages of a node take more than 9223 s",
                                m->name);
    of[count++] =
        (struct htmt_term_count){"messages", (uint64_t)once * (p->tree ? 1 : (uint64_t)others)};
    of[count++] =
        (struct htmt_term_count){"visitors", p->tree ? trees.others * trees.words : 2 * ring.words};
    return htmt_mpp_tell(task, &(struct htmt_execution_form){{mpp_rows, flop_rows}, of, count},
                         out);
}
