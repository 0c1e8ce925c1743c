/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rendering by p = 2^d nodes that pass messages. The volume is halved d times across its longest
 * axis, so that each node has a block. It casts the rays that cross its block: an image of its own.
 * Then, by binary swap, nodes that lie on both sides of a cut exchange halves of their image, and
 * each puts the other's half before or behind its own:
 *
 *     stage 1 .. d     half of what is left: a message, and over() of its pixels.
 *
 * In the end each has the 1 / p of the image that is its tile, of all blocks. A stage needs that of
 * the node with most samples, since all wait for it in the first stages. A frame begins with the
 * viewpoint, which goes to all nodes in d messages. By hand: 4 nodes and 64 pixels of grey (a level
 * and a transparency, a word together): messages of 32 and 16 words, tiles of 16 pixels.
 */
#include "apps/volume/closed_form.h"

#include "apps/lib/execution.h"
#include "apps/peers/peers.h"
#include "apps/volume/counts.h"

#include <inttypes.h>

#define OF_FULLEST(class)                                                                          \
    "(fullest samples * sample " #class " + fullest crossings * crossing " #class ") * t " #class

static const struct htmt_term_row rows[] = {
    HTMT_ROW_ROUNDED(0, "s", "T", "compute + network", HTMT_TERM_HALF_UP,
                     "all frames, on all nodes"),
    HTMT_ROW(1, "s", "compute", "cast + over", "operations of the fullest node"),
    HTMT_ROW(2, "s", "cast",
             HTMT_EXECUTION_WORK("cast flop", "cast iop", "cast load", "cast store", "cast cycle"),
             "rays of the node with most samples"),
    HTMT_ROW_PART("s", "cast flop", OF_FULLEST(flop)),
    HTMT_ROW_PART("s", "cast iop", OF_FULLEST(iop)),
    HTMT_ROW_PART("s", "cast load", OF_FULLEST(load)),
    HTMT_ROW_PART("s", "cast store", OF_FULLEST(store)),
    HTMT_ROW_PART("s", "cast cycle", OF_FULLEST(cycle)),
    HTMT_ROW(2, "s", "over",
             "frames * swapped * (" HTMT_EXECUTION_WORK("(2 * channels + 1) * t flop", "0",
                                                        "(1 + channels) * t load",
                                                        "(1 + channels) * t store / 2", "0") ")",
             "two images become one, all stages"),
    HTMT_ROW(1, "s", "network", "frames * (viewpoint + swap)", "messages of a node"),
    HTMT_ROW_COMPUTED(2, "s", "viewpoint", "htmt__peers_exchange, of each stage",
                      "it goes to all nodes"),
    HTMT_ROW_COMPUTED(2, "s", "swap", "htmt__peers_exchange, of each stage", "halves of images"),
    HTMT_ROW_COMPUTED(3, "pixels", "swapped", "halves of pixels", "that a node sends in a frame"),
    HTMT_ROW(0, "words", "data", "block voxels * bytes a voxel / 8 + pixels * (1 + channels) / 2",
             "of a node: its block and its image"),
    HTMT_ROW(1, "voxels", "block voxels",
             "(ceil((nx - 1) / gx) + 1) * (ceil((ny - 1) / gy) + 1) * (ceil((nz - 1) / gz) + 1)",
             "of the largest block"),
    HTMT_ROW(0, "flop", "flop", "samples * sample flop + crossings * crossing flop",
             "of all rays in all blocks"),
    HTMT_ROW_COMPUTED(1, "1", "samples", "htmt__volume_census", "of all rays and frames"),
    HTMT_ROW_COMPUTED(1, "1", "crossings", "htmt__volume_census", "of rays and blocks"),
    HTMT_ROWS_END};

/* Halves the longest axis, in cells a block. */
static int divide(struct htmt_task *task, const struct htmt__volume_problem *o, uint32_t nodes,
                  uint32_t grid[3])
{
    for (uint32_t left = nodes; left > 1; left /= 2) {
        int longest = 0;
        if (left % 2)
            return htmt_task_refuse(task, HTMT_EUSAGE,
                                    "--execution mpp: found %" PRIu32
                                    " nodes, expected a power of two, as a binary swap needs",
                                    nodes);
        for (int a = 1; a < 3; a++)
            if ((uint64_t)(o->dims[a] - 1) * grid[longest] >
                (uint64_t)(o->dims[longest] - 1) * grid[a])
                longest = a;
        if (o->dims[longest] - 1 < 2 * grid[longest])
            return htmt_task_refuse(task, HTMT_ERANGE,
                                    "--execution mpp: found %" PRIu32
                                    " nodes for %u x %u x %u voxels, expected a cell for each",
                                    nodes, o->dims[0], o->dims[1], o->dims[2]);
        grid[longest] *= 2;
    }
    return 0;
}

/* The node whose number differs in one bit. */
struct pair {
    uint32_t bit;
    uint64_t words;
};

static bool to_other(const void *user, uint32_t node, uint32_t i, struct htmt__sent *sent)
{
    const struct pair *w = user;
    *sent = (struct htmt__sent){node ^ w->bit, w->words};
    return i == 0;
}

/* Halves of images, and the viewpoint, through all stages. */
struct swap {
    uint64_t pixels; /* that a node sends */
    htmt_time takes, viewpoint;
};

static int exchange(struct htmt_task *task, const struct htmt__volume_problem *o, struct swap *all)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    const struct htmt__peer_place place = htmt__peer_place(m);
    uint64_t pixels = (uint64_t)o->width * o->height;
    for (uint32_t bit = 1; bit < m->slices; bit *= 2) {
        pixels = htmt_ceil_div(pixels, 2);
        const struct pair half = {bit, htmt_ceil_div(pixels * (1 + o->channels), 2)},
                          view = {bit, sizeof(struct htmt__volume_camera) / HTMT_WORD};
        const htmt_time one = htmt__peers_exchange(m, place, to_other, &half),
                        other = htmt__peers_exchange(m, place, to_other, &view);
        if (one < 0 || other < 0 || __builtin_add_overflow(all->takes, one, &all->takes) ||
            __builtin_add_overflow(all->viewpoint, other, &all->viewpoint))
            return htmt_task_refuse(task, HTMT_EOVERFLOW,
                                    "machine %s: messages take more than 9223 s", m->name);
        all->pixels += pixels;
    }
    return 0;
}

int htmt__volume_mpp(struct htmt_task *task, const struct htmt__volume_asked *w,
                     struct htmt_prediction *out)
{
    const struct htmt__volume_problem *o = w->problem;
    struct htmt__volume_census c = {{1, 1, 1}, 0, 0, 0, 0, 0};
    struct htmt_term_count of[HTMT__VOLUME_VALUES + 3];
    struct swap swap = {0, 0, 0};
    int rc = divide(task, o, htmt_task_machine(task)->slices, c.grid);
    if (!rc)
        rc = htmt__volume_census(w, &c, htmt_task_fault(task));
    if (!rc)
        rc = exchange(task, o, &swap);
    if (rc)
        return rc;
    htmt_task_problem(task,
                      "%u x %u x %u voxels to %u x %u pixels, %u frame%s, on nodes of %u x %u x %u "
                      "blocks",
                      o->dims[0], o->dims[1], o->dims[2], o->width, o->height, o->frames,
                      o->frames > 1 ? "s" : "", c.grid[0], c.grid[1], c.grid[2]);
    size_t count = htmt__volume_census_values(w, &c, of);
    of[count++] = (struct htmt_term_count){"swapped", swap.pixels};
    of[count++] = (struct htmt_term_count){"swap", (uint64_t)swap.takes};
    of[count++] = (struct htmt_term_count){"viewpoint", (uint64_t)swap.viewpoint};
    const struct htmt_execution_form form = {{rows}, of, count};
    return htmt_mpp_tell(task, &form, out);
}
