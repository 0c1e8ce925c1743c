/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The programs of the PrIM suite as loops for the player of tests/pim/player.h: an account of their
 * kernels that shares nothing with the application, its parcels and the virtual clock. A program is
 * a list of passes over blocks; block i belongs to tasklet i modulo their number.
 */
#ifndef HTMT_TESTS_PIM_PLAYED_H
#define HTMT_TESTS_PIM_PLAYED_H

#include "runtime/base/wide.h"
#include "tests/pim/player.h"

#include <criterion/criterion.h>
#include <string.h>

#define BLOCK    1024 /* bytes */
#define COLUMNS  64   /* of a row of gemv, which is its block */
#define ALIGN    8
#define TASKLETS 16

struct pass {
    unsigned reads;         /* blocks that are read for one that is computed on */
    unsigned share, shares; /* of the constant */
    unsigned written, of;   /* share of the block that is written; 0: none */
    bool in_turn;           /* tasklets pass a value on, block by block */
};

struct played_program {
    const char *name;
    unsigned bytes, columns, block, passes; /* columns: elements of one of SIZE */
    struct pass pass[2];
};

static const struct played_program played_programs[] = {
    {"va", 4, 1, BLOCK, 1, {{2, 1, 1, 1, 1, false}}},
    {"gemv", 4, COLUMNS, 4 * COLUMNS, 1, {{2, 1, 1, 1, 32, false}}},
    {"red", 8, 1, BLOCK, 1, {{1, 1, 1, 0, 1, false}}},
    {"sel", 8, 1, BLOCK, 1, {{1, 1, 1, 1, 2, true}}},
    {"uni", 8, 1, BLOCK, 1, {{1, 1, 1, 1, 2, true}}},
    {"scan-ssa", 8, 1, BLOCK, 2, {{1, 1, 2, 1, 1, true}, {1, 1, 2, 1, 1, false}}},
    {"scan-rss", 8, 1, BLOCK, 2, {{1, 1, 3, 0, 1, false}, {1, 2, 3, 1, 1, true}}},
    {"hst-s", 4, 1, BLOCK, 1, {{1, 1, 1, 0, 1, false}}}};

static void played_put(struct play_loop *loop, enum play_kind kind, uint64_t amount)
{
    loop->step[loop->steps++] = (struct play_step){kind, amount};
}

static void played_pass(const struct played_program *program, const struct pass *pass,
                        struct htmt_ratio instructions, uint64_t elements, unsigned t,
                        struct play_tasklet *k)
{
    const uint64_t block = program->block / program->bytes, full = elements / block,
                   rest = elements % block;
    const struct {
        uint64_t count, elements;
    } blocks[2] = {{(full + TASKLETS - 1 - t) / TASKLETS, block},
                   {full % TASKLETS == t && rest, rest}};
    for (unsigned b = 0; b < 2; b++) {
        struct play_loop *loop = &k->loop[k->loops];
        uint64_t bytes = htmt_ceil_div(blocks[b].elements * program->bytes, ALIGN) * ALIGN;
        if (!blocks[b].count)
            continue;
        k->loops++;
        loop->times = blocks[b].count;
        for (unsigned i = 0; i < pass->reads; i++)
            played_put(loop, PLAY_READ, bytes);
        played_put(loop, PLAY_ISSUE,
                   (uint64_t)htmt_charge_time(instructions, blocks[b].elements * pass->share) /
                       pass->shares);
        if (pass->in_turn) {
            played_put(loop, PLAY_AWAIT, 0);
            played_put(loop, PLAY_SIGNAL, 0);
        }
        if (pass->written)
            played_put(loop, PLAY_WRITE,
                       htmt_ceil_div(bytes * pass->written / pass->of, ALIGN) * ALIGN);
    }
    k->loop[k->loops].times = 1;
    played_put(&k->loop[k->loops++], PLAY_BARRIER, 0);
}

/* Seconds of a kernel of `size` elements (of gemv: rows) on `dpus` DPUs, without its start. */
static double played_kernel(const struct htmt__bank_machine *machine, const char *name,
                            struct htmt_ratio instructions, uint32_t dpus, uint64_t size)
{
    const struct played_program *program = played_programs;
    struct play_tasklet k[TASKLETS] = {0};
    struct play_result played = {0};
    struct htmt_fault fault = {0};
    while (strcmp(program->name, name) != 0)
        program++;
    uint64_t elements = htmt_ceil_div(size, dpus) * program->columns;
    for (unsigned t = 0; t < TASKLETS; t++)
        for (unsigned p = 0; p < program->passes; p++)
            played_pass(program, &program->pass[p], instructions, elements, t, &k[t]);
    cr_assert_eq(play_tasklets(machine, k, TASKLETS, &played, &fault), 0, "%s", fault.text);
    return (double)played.end / (double)HTMT_SECOND;
}

#endif
