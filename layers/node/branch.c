/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/node/parts.h"

static bool guess_by_counter(struct htmt__node *n, uint64_t place, bool taken)
{
    uint8_t *counter = &n->counter[place % HTMT__NODE_COUNTER_ROOM];
    bool guessed = *counter >= 2;
    if (taken && *counter < 3)
        ++*counter;
    if (!taken && *counter > 0)
        --*counter;
    return guessed == taken;
}

static void count_run(struct htmt__node_runs *r, bool taken)
{
    if (r->way == taken) {
        r->run = (uint16_t)(r->run + (r->run < UINT16_MAX));
        return;
    }
    unsigned bit = 1U << r->way;
    bool same = r->run && r->run < UINT16_MAX && r->run == r->last[r->way];
    r->sure = (uint8_t)((r->sure & ~bit) | (same ? bit : 0));
    r->last[r->way] = r->run;
    r->way = taken;
    r->run = 1;
}

/* Where two runs were of one length, the next one is expected to be. */
static bool guess_by_runs(struct htmt__node *n, uint64_t place, bool taken)
{
    struct htmt__node_runs *r = &n->runs[place % HTMT__NODE_COUNTER_ROOM];
    bool sure = r->sure >> r->way & 1, goes_on = r->run != r->last[r->way];
    bool right = guess_by_counter(n, place, taken);
    if (sure)
        right = goes_on == (r->way == taken);
    count_run(r, taken);
    n->turn.alike = false; /* the next turn is one more in a row */
    return right;
}

/* Without a predictor there is no guess, which is never wrong. */
bool htmt__node_guess(struct htmt__node *n, uint64_t place, bool taken, bool backward)
{
    if (n->figures->predictor == HTMT__NODE_COUNTERS)
        return guess_by_counter(n, place, taken);
    if (n->figures->predictor == HTMT__NODE_LOOPS)
        return guess_by_runs(n, place, taken);
    return n->figures->predictor == HTMT__NODE_NO_PREDICTOR || backward == taken;
}
