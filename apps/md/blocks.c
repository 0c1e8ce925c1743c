/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks. A parcel has a block of b^3 cells and one cell around it. The larger b, the fewer words
 * come for each atom; the smaller b, the sooner the first block executes, the more SPIMs pack, and
 * the more evenly work ends. The words do not matter as long as the SPELL is busy. So b is that of
 * the least predicted time (closed_form.c), among those of which two parcels fit into CRAM, at the
 * mean density, and one into SRAM. The cells of a slice are cut into as few blocks as that allows,
 * of nearly the same size.
 *
 * By hand, htmt-oct98, 8 slices of 10^3 cells 2.8 wide: blocks of 5^3 execute after 62 us, the time
 * of a SPIM for 6448 atoms, and then 380 us; blocks of 2^3 after 12 us.
 */
#include "apps/md/plan.h"

#include <inttypes.h>

static void cube_of(const struct htmt__md_plan *p, uint32_t b, uint32_t n[3])
{
    for (unsigned a = 0; a < 3; a++)
        n[a] = b < p->tile[a] ? b : p->tile[a];
}

static uint64_t words_of_cube(const struct htmt__md_plan *p, uint32_t b)
{
    uint32_t n[3];
    cube_of(p, b, n);
    const struct htmt__md_lists l = htmt__md_expected(p, n);
    return htmt__md_force_words(p, htmt__md_cells_around(p, n), l.all, l.own);
}

/* A block in SRAM: whole cells, the buffer, what the force parcel brings and makes. */
static uint64_t sram_of(const struct htmt__md_plan *p, const uint32_t n[3])
{
    return htmt__md_cells_around(p, n) * htmt__md_cell_words(p) + 2 * htmt__md_packed_most(p, n) +
           3 * htmt__md_cells(n) * p->room + HTMT__MD_SUM_WORDS;
}

static bool fits(const struct htmt_machine *m, const struct htmt__md_plan *p, uint32_t b)
{
    uint32_t n[3];
    cube_of(p, b, n);
    return 2 * words_of_cube(p, b) <= htmt_machine_room(m, p->inner) &&
           sram_of(p, n) <= htmt_machine_room(m, p->middle);
}

/* A strip for each DPIM, as nearly as planes of a block, or rows of them, allow. */
static void choose_strips(struct htmt__md_plan *p, uint32_t dpims)
{
    const uint32_t want = dpims / p->block_count, planes = p->tile[2] / p->blocks[2],
                   rows = p->tile[1] / p->blocks[1];
    p->strips[1] = want < 1 ? 1 : want < planes ? want : planes;
    const uint32_t of_plane = want / p->strips[1];
    p->strips[0] = of_plane < 1 ? 1 : of_plane < rows ? of_plane : rows;
}

/* Blocks of at most b cells along an edge, nearly equal. False: too many. */
static bool cut(const struct htmt_machine *m, struct htmt__md_plan *p, uint32_t b)
{
    uint64_t blocks = 1;
    for (unsigned a = 0; a < 3; a++) {
        p->blocks[a] = (p->tile[a] + b - 1) / b;
        blocks *= p->blocks[a];
    }
    if (blocks > UINT32_MAX / 2)
        return false;
    p->block_count = (uint32_t)blocks;
    choose_strips(p, htmt_machine_servers(m, p->outer));
    const struct htmt__md_block largest = htmt__md_block(p, p->block_count - 1);
    const uint64_t first = htmt__md_cells_around(p, largest.n) * htmt__md_cell_words(p),
                   each = sram_of(p, largest.n) - first, room = htmt_machine_room(m, p->middle);
    const uint64_t window = room > first ? (room - first) / each : 0;
    p->window = window < HTMT__MD_WINDOW ? (uint32_t)window : HTMT__MD_WINDOW;
    return true;
}

/* Of the blocks of which two fit, those with the least predicted time; 1: none fits. */
static uint32_t quickest(const struct htmt_machine *m, const struct htmt__md_plan *p)
{
    uint32_t best = 1, most = p->tile[0] > p->tile[1] ? p->tile[0] : p->tile[1];
    htmt_wide least = -1;
    for (most = most > p->tile[2] ? most : p->tile[2]; most > 1 && !fits(m, p, most);)
        most--;
    for (uint32_t b = most; b > 0; b--) {
        struct htmt__md_plan with = *p;
        struct htmt__md_prediction is;
        if (fits(m, p, b) && cut(m, &with, b) && !htmt__md_predict(m, &with, &is, NULL, NULL) &&
            (least < 0 || is.total < least)) {
            least = is.total;
            best = b;
        }
    }
    return best;
}

static int fit_cram(struct htmt_task *task, const struct htmt__md_plan *p, uint32_t b)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    const uint64_t room = htmt_machine_room(m, p->inner);
    if (words_of_cube(p, b) > room)
        return htmt_task_refuse(
            task, HTMT_ECAPACITY,
            "--block: found blocks of %u^3 cells of %.4g atoms, a parcel of "
            "which takes %" PRIu64 " words, expected at most the %" PRIu64 " of %s",
            b, htmt__md_mean(p), words_of_cube(p, b), room, m->layer[p->inner].memory.name);
    return 0;
}

static int fit_sram(struct htmt_task *task, const struct htmt__md_plan *p)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    const struct htmt__md_block b = htmt__md_block(p, p->block_count - 1); /* the largest */
    if (!p->window)
        return htmt_task_refuse(
            task, HTMT_ECAPACITY,
            "--block: found blocks of %u x %u x %u cells with room for %u atoms each, which take "
            "%" PRIu64 " words while and when they are packed, expected at most the %" PRIu64
            " of %s",
            b.n[0], b.n[1], b.n[2], p->room, sram_of(p, b.n), htmt_machine_room(m, p->middle),
            m->layer[p->middle].memory.name);
    return 0;
}

static int fit_dram(struct htmt_task *task, struct htmt__md_plan *p)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    const struct htmt__md_block first = htmt__md_block(p, p->block_count - 1); /* the largest */
    double part = 0.25;
    int rc = htmt_task_real(task, "moving", 0, 1, &part);
    if (rc)
        return rc;
    const double moves = ceil(part * htmt__md_mean(p) * (double)htmt__md_cells(first.n)) + 64,
                 all = (double)htmt__md_cells(first.n) * p->room;
    p->moves = (uint32_t)(moves < all ? moves : all);
    const uint64_t tile = htmt__md_cells(p->tile),
                   need = htmt__md_cells_around(p, p->tile) * htmt__md_cell_words(p) +
                          tile * p->room * (HTMT__MD_STATE_WORDS + 3) +
                          (uint64_t)p->block_count * p->moves * 2 * HTMT__MD_MOVE_WORDS,
                   room = htmt_machine_room(m, p->outer);
    if (need > room)
        return htmt_task_refuse(task, HTMT_ECAPACITY,
                                "--edge: found %u x %u x %u cells of a slice with room for %u "
                                "atoms each, which take %" PRIu64
                                " words, expected at most the %" PRIu64
                                " of %s, or a larger --skin, which makes fewer cells",
                                p->tile[0], p->tile[1], p->tile[2], p->room, need, room,
                                m->layer[p->outer].memory.name);
    return 0;
}

int htmt__md_choose_blocks(struct htmt_task *task, struct htmt__md_plan *p)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    uint32_t b = 0;
    int rc = htmt_request_whole32(htmt_task_request(task), "block", 1, HTMT__MD_EDGE_MOST, &b,
                                  htmt_task_fault(task));
    if (rc)
        return rc;
    b = b ? b : quickest(m, p);
    if (!cut(m, p, b))
        return htmt_task_refuse(task, HTMT_ERANGE,
                                "--edge: found more than 2^31 blocks of a slice, expected more "
                                "slices");
    rc = fit_cram(task, p, b);
    rc = rc ? rc : fit_sram(task, p);
    return rc ? rc : fit_dram(task, p);
}
