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
#include "apps/sar/counts.h"
#include "runtime/base/wide.h"

#include <math.h>

static const struct htmt_term_row rows[] = {
    HTMT_ROW_ROUNDED(0, "s", "T", "compute + network", HTMT_TERM_HALF_UP,
                     "all patches, on all nodes"),
    HTMT_ROW(1, "s", "compute", "references * t flop + rounds * (range + azimuth)",
             "operations of a node"),
    HTMT_ROW(2, "1", "rounds", "ceil(patches / groups)", "patches of a node, one after another"),
    HTMT_ROW(
        2, "s", "range",
        "node lines * ((read flop + range line) * t flop + read load * t load + read store * t "
        "store + read cycle * t cycle)",
        "lines of a node"),
    HTMT_ROW(3, "1", "node lines", "ceil(lines / g)", "of a patch"),
    HTMT_ROW(
        2, "s", "azimuth",
        "node cells * azimuth FFT * t flop + node columns * ((azimuth line + migration + "
        "azimuth focus) * t flop + most lines * (write load * (t load + t store) + write cycle "
        "* t cycle))",
        "columns of a node"),
    HTMT_ROW(3, "1", "node columns", "ceil(columns / g)", "of the image"),
    HTMT_ROW(3, "1", "node cells", "ceil(cells / g)", "of the transformed patch"),
    HTMT_ROW(1, "s", "network", "rounds * (corner turn + halo)", "messages of a node"),
    HTMT_ROW(2, "s", "corner turn", "message + max(g - 2, 0) * next message",
             "g - 1 messages one after another"),
    HTMT_ROW_SERVED(3, "message", "min(g - 1, 1) * node lines * node cells * point",
                    "words to another node", htmt_move_length, HTMT_SERVE_ACROSS,
                    "a node's lines of another one's columns"),
    HTMT_ROW_SERVED(3, "next message", "min(g - 1, 1) * node lines * node cells * point",
                    "words to another node", htmt_move_apart, HTMT_SERVE_ACROSS,
                    "from one of them to the next"),
    HTMT_ROW(2, "s", "halo", "halo message + max(neighbours - 1, 0) * next halo",
             "bins of columns beside those of a node"),
    HTMT_ROW(3, "1", "neighbours", "min(ceil(spread / node cells), g - 1)", "that have them"),
    HTMT_ROW_SERVED(
        3, "halo message", "min(neighbours, 1) * band * min(spread, node cells) * point",
        "words to another node", htmt_move_length, HTMT_SERVE_ACROSS, "columns for a neighbour"),
    HTMT_ROW_SERVED(3, "next halo", "min(neighbours, 1) * band * min(spread, node cells) * point",
                    "words to another node", htmt_move_apart, HTMT_SERVE_ACROSS,
                    "from one of them to the next"),
    HTMT_ROW(0, "words", "data",
             "rounds * (node lines * raw line + most lines * node columns * point) + point * (node "
             "lines * cells + max(lines, band) * node cells)",
             "of a node: raw data and image, a patch before and after the corner turn"),
    HTMT_ROWS_END};

int htmt__sar_mpp(struct htmt_task *task, const struct htmt__sar_decomposition *c,
                  struct htmt_prediction *out)
{
    const struct htmt__sar_plan *p = &c->plan;
    const uint64_t nodes = htmt_task_machine(task)->slices;
    const uint64_t share = nodes / c->patches,
                   g = htmt_most(1, htmt_least(share, htmt_least(p->patch_lines, p->samples)));
    const double cells = ceil(p->migration_most) - floor(p->migration_least);
    uint64_t most = 0;
    for (uint32_t i = 0; i < p->patches; i++)
        most = htmt_most(most, htmt__sar_plan_patch(p, i).lines);
    struct htmt_term_count of[HTMT__SAR_VALUES + 4];
    size_t count = htmt__sar_values(c, of);
    of[count++] = (struct htmt_term_count){"g", g};
    of[count++] = (struct htmt_term_count){"groups", htmt_least(nodes / g, c->patches)};
    of[count++] = (struct htmt_term_count){"most lines", most};
    of[count++] = (struct htmt_term_count){
        "spread", p->rcmc && cells > 0 ? (uint64_t)cells + HTMT__SAR_TAPS - 1 : 0};
    const struct htmt_execution_form form = {{rows, htmt__sar_flop_rows}, of, count};
    return htmt_mpp_tell(task, &form, out);
}
