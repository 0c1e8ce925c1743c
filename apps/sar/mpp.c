/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Focusing by nodes that pass messages. Where there are as many patches as nodes, each node focuses
 * its own. Otherwise g = floor(nodes / patches) nodes share a patch:
 *
 *     range        each compresses its lines of the patch,
 *     corner turn  each sends g - 1 messages, to each other node its part of the columns,
 *     azimuth      each transforms its columns, straightens and focuses them.
 *
 * With migration a node needs bins of columns beside its own, between the transform and the
 * interpolator: the spread of the migration and 15 taps. They come from as many neighbours as their
 * width spans. Nodes start with their lines of the raw data and end with their columns of the
 * image. Each makes the references itself. Nodes that are left over, since lines or columns are
 * fewer, are idle.
 *
 * By hand: 4 nodes, a patch of 8 lines and 16 columns without migration, points of 2 words. A node
 * has 2 lines and 4 columns. It sends 3 messages of 2 x 4 points, 16 words each.
 */
#include "apps/sar/closed_form.h"

#include "apps/lib/execution.h"
#include "apps/peers/peers.h"
#include "apps/sar/counts.h"
#include "runtime/base/wide.h"

#include <math.h>

static const struct htmt_term_row rows[] = {
    HTMT_ROW_ROUNDED(0, "s", "T", "compute + network", HTMT_TERM_HALF_UP,
                     "all patches, on all nodes"),
    HTMT_ROW(1, "s", "compute", "references * t flop + rounds * (range + azimuth)",
             "operations of a node"),
    HTMT_ROW(2, "1", "rounds", "ceil(patches / groups)", "patches of a node, one after another"),
    HTMT_ROW(2, "s", "range",
             "node lines * (" HTMT_EXECUTION_WORK("(read flop + range line) * t flop", "0",
                                                  "read load * t load", "read store * t store",
                                                  "read cycle * t cycle") ")",
             "lines of a node"),
    HTMT_ROW(3, "1", "node lines", "ceil(lines / g)", "of a patch"),
    HTMT_ROW(2, "s", "azimuth",
             HTMT_EXECUTION_WORK("azimuth flop", "0",
                                 "node columns * most lines * write load * t load",
                                 "node columns * most lines * write load * t store",
                                 "node columns * most lines * write cycle * t cycle"),
             "columns of a node"),
    HTMT_ROW_PART("s", "azimuth flop",
                  "(node cells * azimuth FFT + node columns * (azimuth line + migration + azimuth "
                  "focus)) * t flop"),
    HTMT_ROW(3, "1", "node columns", "ceil(columns / g)", "of the image"),
    HTMT_ROW(3, "1", "node cells", "ceil(cells / g)", "of the transformed patch"),
    HTMT_ROW(1, "s", "network", "rounds * (corner turn + halo)", "messages of a node"),
    HTMT_ROW_COMPUTED(2, "s", "corner turn", "htmt__peers_exchange",
                      "g - 1 messages one after another"),
    HTMT_ROW(3, "words", "message", "min(g - 1, 1) * node lines * node cells * point",
             "a node's lines of another one's columns"),
    HTMT_ROW_COMPUTED(2, "s", "halo", "htmt__peers_exchange",
                      "bins of columns beside those of a node"),
    HTMT_ROW(3, "1", "neighbours", "min(ceil(spread / node cells), g - 1)", "that have them"),
    HTMT_ROW(3, "words", "halo message",
             "min(neighbours, 1) * band * min(spread, node cells) * point",
             "columns for a neighbour"),
    HTMT_ROW(0, "words", "data",
             "rounds * (node lines * raw line + most lines * node columns * point) + point * (node "
             "lines * cells + max(lines, band) * node cells)",
             "of a node: raw data and image, a patch before and after the corner turn"),
    HTMT_ROWS_END};

/* ---- messages ------------------------------------------------------------------------------- */

/* Nodes k g to (k + 1) g - 1 share a patch. Each sends to so many that follow it in its group. */
struct group {
    uint64_t g, nodes, partners, words;
};

static bool to_others(const void *user, uint32_t node, uint32_t i, struct htmt__sent *sent)
{
    const struct group *w = user;
    const uint64_t in_use = node < w->nodes ? node : node % w->nodes, /* all alike, or idle */
        first = in_use - in_use % w->g;
    *sent = (struct htmt__sent){(uint32_t)(first + (in_use - first + 1 + i) % w->g), w->words};
    return i < w->partners;
}

static int exchange(struct htmt_task *task, struct group of, struct htmt_term_count *time)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    const htmt_time takes =
        of.partners ? htmt__peers_exchange(m, htmt__peer_place(m), to_others, &of) : 0;
    if (takes < 0)
        return htmt_task_refuse(task, HTMT_EOVERFLOW,
                                "machine %s: the messages of a node take more than 9223 s",
                                m->name);
    time->n = (uint64_t)takes;
    return 0;
}

/* ---- the form ------------------------------------------------------------------------------- */

int htmt__sar_mpp(struct htmt_task *task, const struct htmt__sar_decomposition *c,
                  struct htmt_prediction *out)
{
    const struct htmt__sar_plan *p = &c->plan;
    const uint64_t nodes = htmt_task_machine(task)->slices, point = (uint64_t)c->point / HTMT_WORD;
    const uint64_t share = nodes / c->patches,
                   g = htmt_most(1, htmt_least(share, htmt_least(p->patch_lines, p->samples))),
                   groups = htmt_least(nodes / g, c->patches),
                   lines = htmt_ceil_div(p->patch_lines, g),
                   cells = htmt_ceil_div(p->rcmc ? p->compressed : p->samples, g);
    const double wide = ceil(p->migration_most) - floor(p->migration_least);
    const uint64_t spread = p->rcmc && wide > 0 ? (uint64_t)wide + HTMT__SAR_TAPS - 1 : 0,
                   neighbours = htmt_least(htmt_ceil_div(spread, cells), g - 1);
    uint64_t most = 0;
    for (uint32_t i = 0; i < p->patches; i++)
        most = htmt_most(most, htmt__sar_plan_patch(p, i).lines);
    struct htmt_term_count of[HTMT__SAR_VALUES + 6], turn = {"corner turn", 0}, halo = {"halo", 0};
    int rc = exchange(task, (struct group){g, g * groups, g - 1, lines * cells * point}, &turn);
    if (!rc)
        rc = exchange(
            task,
            (struct group){g, g * groups, neighbours, p->band * htmt_least(spread, cells) * point},
            &halo);
    if (rc)
        return rc;
    size_t count = htmt__sar_values(c, of);
    of[count++] = turn;
    of[count++] = halo;
    of[count++] = (struct htmt_term_count){"g", g};
    of[count++] = (struct htmt_term_count){"groups", groups};
    of[count++] = (struct htmt_term_count){"most lines", most};
    of[count++] = (struct htmt_term_count){"spread", spread};
    const struct htmt_execution_form form = {{rows, htmt__sar_flop_rows}, of, count};
    return htmt_mpp_tell(task, &form, out);
}
