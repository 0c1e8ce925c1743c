/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/validate/pim/copies.h"

#include "runtime/base/wide.h"

#define STRIDE 64 /* words from block to block of the bank */
#define COPIED 64 /* bytes of a block that are copied */

/* Instructions: load, store, two addresses and a branch a word and a block; count, branch and two
 * addresses a repetition. */
enum { A_WORD = 5, A_BLOCK = 5, A_REPETITION = 4 };

static void put(struct htmt__play_loop *loop, enum htmt__play_kind kind, uint64_t amount)
{
    loop->step[loop->steps++] = (struct htmt__play_step){kind, amount};
}

static uint64_t dealt(uint64_t n, uint32_t among, uint32_t t)
{
    return (n + among - 1 - t) / among;
}

/* Repetitions follow each other without a barrier. */
static void put_scratch_copy(struct htmt__tasklet *k, uint64_t words, uint64_t repetitions)
{
    k->loops = 1;
    k->loop[0].times = repetitions;
    put(&k->loop[0], HTMT__PLAY_ISSUE, A_WORD * words + A_REPETITION);
}

static void put_bank_copy(struct htmt__tasklet *k, uint64_t blocks)
{
    k->loops = 2;
    k->loop[0].times = blocks;
    put(&k->loop[0], HTMT__PLAY_READ, COPIED);
    put(&k->loop[0], HTMT__PLAY_ISSUE, A_BLOCK);
    put(&k->loop[0], HTMT__PLAY_WRITE, COPIED);
    k->loop[1].times = 1;
    put(&k->loop[1], HTMT__PLAY_ISSUE, A_REPETITION);
}

int htmt__pim_copy(const struct htmt__bank_host *machine, bool bank, uint32_t tasklets,
                   uint64_t words, uint64_t repetitions, htmt_time *time, struct htmt_fault *fault)
{
    struct htmt__tasklet k[HTMT__ISSUE_THREADS_MAX] = {0};
    struct htmt__play_result played;
    uint32_t count = tasklets <= HTMT__ISSUE_THREADS_MAX ? tasklets : 0;
    for (uint32_t t = 0; t < count && bank; t++)
        put_bank_copy(&k[t], dealt(htmt_ceil_div(words, STRIDE), tasklets, t));
    for (uint32_t t = 0; t < count && !bank; t++)
        put_scratch_copy(&k[t], dealt(words, tasklets, t), repetitions);
    for (uint32_t t = 0; t < count; t++)
        k[t].rounds = bank ? repetitions : 1;
    int rc = htmt__pim_play(machine, k, tasklets, &played, fault);
    if (!rc)
        *time = played.end;
    return rc;
}
