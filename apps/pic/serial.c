/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Steps of the plasma on one processor: the charge of all particles, Poisson's equation by
 * transforms, the push. Nothing migrates and nothing is cut into blocks.
 *
 * What the inner memory does not hold comes in and goes out once a pass. Particles are deposited
 * (their positions come in) and pushed (all of them comes in and goes out). The grid is charged,
 * transformed along x, y and z, solved, transformed back along y and x, three components of it, and
 * read by the push: rho and its spectrum once, the field and its spectrum three times, each written
 * by one pass and read by the next. A particle has 6 words, of which 3 are its position.
 *
 * By hand: 8^3 cells with 4 particles each. There are 5 modes of x, so the spectrum has 2 * 5 * 64
 * = 640 words. A step moves 4 * 512 + 8 * 640 = 7168 words of the grid each way, and of the 2048
 * particles 9 * 2048 = 18432 in and 12288 out.
 */
#include "apps/pic/closed_form.h"

#include "apps/lib/execution.h"
#include "apps/pic/counts.h"

#include <inttypes.h>

#define OPS(class)                                                                                 \
    HTMT_ROW(0, "1", #class,                                                                       \
             "steps * (particles * (push " #class " + deposit " #class ") + transform " #class     \
             " + cells * cell " #class ")",                                                        \
             "of all steps")

static const struct htmt_term_row rows[] = {
    HTMT_ROW(2, "words", "words in",
             "steps * (spilled * 9 * particles + grid spilled * grid) + (1 - spilled) * 6 * "
             "particles",
             "particles to deposit and to push; the grid"),
    HTMT_ROW(2, "words", "words out",
             "steps * (spilled * 6 * particles + grid spilled * grid) + (1 - spilled) * 6 * "
             "particles",
             "pushed particles; the grid"),
    HTMT_ROW(3, "words", "grid", "4 * cells + 8 * spectrum",
             "rho, the field, and their spectra, each way"),
    HTMT_ROW(3, "words", "spectrum", "2 * modes * n_y * n_z", "complex modes"),
    HTMT_ROW(0, "words", "data", "6 * particles + 4 * cells + 4 * spectrum",
             "particles, rho, the field, spectra"),
    HTMT_ROW(
        0, "flop", "flop",
        "steps * (particles * (push flop + deposit flop) + transform flop + cells * cell flop)",
        "of all steps"),
    OPS(load),
    OPS(store),
    OPS(cycle),
    HTMT_ROW_PART("1", "cells", "n_x * n_y * n_z"),
    HTMT_ROWS_END};

static void add(struct htmt_ops *sum, uint64_t times, struct htmt_ops ops)
{
    for (unsigned k = 0; k < HTMT_OP_CLASSES; k++)
        sum->n[k] += times * ops.n[k];
}

int htmt__pic_serial(struct htmt_task *task, const struct htmt__pic_problem *o, uint64_t steps,
                     struct htmt_prediction *out)
{
    const struct htmt_execution_place place =
        htmt_execution_place(htmt_task_machine(task), HTMT_EXECUTION_SERIAL);
    const uint64_t x = o->n[0], y = o->n[1], z = o->n[2], modes = x / 2 + 1, cells = x * y * z;
    const struct htmt_ops push = htmt__pic_push_ops(&o->charges, 1),
                          deposit = htmt__pic_deposit_ops(1);
    struct htmt_ops lines = {.n = {0}};
    if (!cells)
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "--execution serial: found push parcels alone, expected --phases "
                                "all: one processor has no parcels");
    add(&lines, 1, htmt__pic_x_ops(x, y * z, false));
    add(&lines, 1, htmt__pic_y_ops(y, modes * z));
    add(&lines, 1, htmt__pic_solve_ops(z, modes * y));
    add(&lines, 3, htmt__pic_y_ops(y, modes * z));
    add(&lines, 3, htmt__pic_x_ops(x, y * z, true));
    uint64_t particles = 0;
    for (uint32_t s = 0; s < o->species; s++)
        particles += cells * o->per_cell[s];
    const uint64_t grid = 4 * cells + 8 * modes * y * z,
                   all = grid + HTMT__PIC_PARTICLE_WORDS * particles;
    const struct htmt_term_count of[] = {
        {"steps", steps},
        {"particles", particles},
        {"n_x", x},
        {"n_y", y},
        {"n_z", z},
        {"modes", modes},
        {"spilled", all > place.room},
        {"grid spilled", grid > place.room},
        {"push flop", push.n[HTMT_FLOP]},
        {"push load", push.n[HTMT_LOAD]},
        {"push store", push.n[HTMT_STORE]},
        {"push cycle", push.n[HTMT_CYCLE]},
        {"deposit flop", deposit.n[HTMT_FLOP]},
        {"deposit load", deposit.n[HTMT_LOAD]},
        {"deposit store", deposit.n[HTMT_STORE]},
        {"deposit cycle", 0},
        {"transform flop", lines.n[HTMT_FLOP]},
        {"transform load", lines.n[HTMT_LOAD]},
        {"transform store", lines.n[HTMT_STORE]},
        {"transform cycle", 0},
        /* the energies and the wave of the record (htmt__pic_cut_ops()) */
        {"cell flop", htmt__pic_cut_ops(1, 1).n[HTMT_FLOP]},
        {"cell load", htmt__pic_cut_ops(1, 1).n[HTMT_LOAD]},
        {"cell store", 0},
        {"cell cycle", 0},
    };
    htmt_task_problem(task,
                      "%" PRIu64 " x %" PRIu64 " x %" PRIu64 " cells, %" PRIu64
                      " particles, %" PRIu64 " steps on one processor",
                      x, y, z, particles, steps);
    const struct htmt_execution_form form = {{rows}, of, sizeof of / sizeof *of};
    return htmt_serial_tell(task, &form, out);
}
