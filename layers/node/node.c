/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A node and its services: what it is made of, how a service starts and ends, and the account that
 * it leaves. Caches, counters of branches and, at a bus of several, memory outlive a service; all
 * that belongs to one service is set in start().
 */
#include "layers/node/parts.h"
#include "runtime/base/error.h"

#include <stdlib.h>
#include <string.h>

/* Lines take turns in a window alone. */
static void read_level(const struct htmt__node *n, struct htmt__node_level_state *l,
                       const struct htmt__node_cache *f)
{
    *l = (struct htmt__node_level_state){.figures = f,
                                         .hit = htmt__ticks(f->hit, 1, n->scale),
                                         .behind = htmt__ticks(f->behind, 1, n->scale)};
    if (!n->figures->order || !f->every.num)
        return;
    htmt__port_set(&l->port, htmt__ticks(f->every, 1, n->scale));
    l->back = f->back.den ? htmt__ticks(f->back, 1, n->scale) : l->port.every;
    l->ported = true;
}

static int open_banks(const struct htmt__node *n, struct htmt__node_level_state *l)
{
    const struct htmt__node_cache *f = l->figures;
    if (!l->ported || f->banks < 2 || !f->bank.num)
        return 0;
    l->bank = calloc(f->banks, sizeof *l->bank);
    for (uint32_t i = 0; l->bank && i < f->banks; i++)
        htmt__port_set(&l->bank[i], htmt__ticks(f->bank, 1, n->scale));
    return l->bank ? 0 : HTMT_ENOMEM;
}

/* Figures in ticks, and what of them the loop over a tape asks again and again: whether loads or
 * stores must pass more than a hit (a bus before the first cache, a buffer of stores), and what a
 * store does to a tag. */
static void read_figures(struct htmt__node *n)
{
    const struct htmt__node_figures *f = n->figures;
    bool cache = f->l1.kind == HTMT__NODE_CACHE;
    n->scale = htmt__ticks_scale(f);
    n->load = htmt__ticks(cache ? f->l1.every : f->load, 1, n->scale);
    n->store = htmt__ticks(cache ? f->l1.store_every : f->store, 1, n->scale);
    n->ports_apart = cache && n->load != n->store;
    n->l1_hit = htmt__ticks(cache ? f->l1.hit : f->load, 1, n->scale);
    read_level(n, &n->level[0], &f->l2);
    read_level(n, &n->level[1], &f->l3);
    n->levels = f->l3.kind == HTMT__NODE_CACHE ? 2 : f->l2.kind == HTMT__NODE_CACHE ? 1 : 0;
    n->sram_hit = htmt__ticks(f->sram.hit, 1, n->scale);
    n->branch = htmt__ticks(f->branch, 1, n->scale);
    n->fill = htmt__ticks(f->l1.fill, 1, n->scale);
    n->spill = htmt__ticks(f->l1.spill, 1, n->scale);
    for (int o = 0; o < HTMT_OPERATIONS; o++)
        for (int t = 0; t < HTMT_OPERAND_TYPES; t++)
            n->latency[o][t] = htmt__ticks(f->unit[o][t].latency, 1, n->scale);
    n->fetches = cache || f->fetched;
    const struct htmt__node_bus *b = &f->bus; /* at DRAM, where it is at neither of the others */
    n->bus_first = b->width && b->at == HTMT__NODE_CPU_L1;
    n->bus_at_l2 = b->width && b->at == HTMT__NODE_L1_L2 && n->levels;
    n->bus_at_dram = b->width && !n->bus_first && !n->bus_at_l2;
    n->slow_load = n->bus_first;
    n->slow_store = n->bus_first || f->l1.write == HTMT__NODE_THROUGH;
    n->store_bit = f->l1.write == HTMT__NODE_BACK ? HTMT__TAG_DIRTY : 0;
}

int htmt__node_new(struct htmt__node **node, const struct htmt__node_figures *figures,
                   const struct htmt__tape_program *program)
{
    struct htmt__node *n = calloc(1, sizeof *n);
    if (!n)
        return HTMT_ENOMEM;
    n->figures = figures;
    n->program = program;
    read_figures(n);
    int rc = htmt__tags_open(&n->data, &figures->l1);
    if (!rc)
        rc = htmt__tags_open(&n->code, &figures->l1);
    for (int i = 0; i < 2 && !rc; i++)
        rc = htmt__tags_open(&n->level[i].tags, n->level[i].figures);
    for (int i = 0; i < 2 && !rc; i++)
        rc = open_banks(n, &n->level[i]);
    if (!rc && figures->tlb.page && n->levels)
        htmt__tags_set_index(&n->level[0].tags, HTMT__TAGS_PAGED, figures->tlb.page);
    if (!rc && figures->tlb.page && n->levels > 1)
        htmt__tags_set_index(&n->level[1].tags, HTMT__TAGS_HASHED, figures->tlb.page);
    if (!rc)
        rc = htmt__memory_new(&n->own, figures, n->scale);
    n->memory = n->own;
    if (!rc && figures->predictor == HTMT__NODE_LOOPS) {
        n->runs = calloc(HTMT__NODE_COUNTER_ROOM, sizeof *n->runs);
        rc = n->runs ? 0 : HTMT_ENOMEM;
    }
    if (!rc && figures->predictor == HTMT__NODE_HISTORY)
        rc = htmt__history_new(&n->history, figures->reach ? figures->reach : HTMT__HISTORY_MOST,
                               figures->outcomes ? figures->outcomes : HTMT__OUTCOMES);
    if (!rc)
        rc = htmt__node_blocks(n);
    if (!rc)
        rc = htmt__window_new(n);
    if (rc) {
        htmt__node_free(n);
        return rc;
    }
    htmt__node_start(n, false);
    *node = n;
    return 0;
}

void htmt__node_free(struct htmt__node *n)
{
    if (!n)
        return;
    htmt__tags_close(&n->data);
    htmt__tags_close(&n->code);
    htmt__tags_close(&n->level[0].tags);
    htmt__tags_close(&n->level[1].tags);
    free(n->level[0].bank);
    free(n->level[1].bank);
    htmt__memory_free(n->own);
    free(n->block);
    free(n->work);
    free(n->last_of);
    free(n->link);
    free(n->missed);
    free(n->region_misses);
    free(n->runs);
    htmt__history_free(n->history);
    htmt__window_free(n->window);
    free(n);
}

/* `at`: in ticks. Lines that were fetched ahead have long come when the next service starts. */
static void start(struct htmt__node *n, bool warm, htmt_time at)
{
    const struct htmt__node_figures *f = n->figures;
    const bool buffers = f->l2.kind == HTMT__NODE_STREAMS;
    if (!warm) {
        htmt__tags_clear(&n->data);
        htmt__tags_clear(&n->code);
        htmt__tags_clear(&n->level[0].tags);
        htmt__tags_clear(&n->level[1].tags);
        memset(n->counter, 2, sizeof n->counter);
        if (n->runs)
            memset(n->runs, 0, HTMT__NODE_COUNTER_ROOM * sizeof *n->runs);
        if (n->history)
            htmt__history_clear(n->history);
    }
    htmt__prefetch_start(&n->ahead, buffers ? f->l2.streams : f->prefetch_streams,
                         buffers ? f->l2.depth : f->prefetch_lines);
    for (uint32_t i = 0; n->program && i < n->program->block_count; i++)
        n->block[i].plain = 0, n->block[i].repeat_start = at;
    for (uint32_t i = 0; n->program && i < n->program->function_count; i++)
        n->last_of[i] = HTMT__NODE_NOWHERE;
    for (uint32_t i = 0; i < n->links; i++)
        n->missed[n->link[i].of] = 0;
    n->now_in = n->last = n->function = n->fetched = HTMT__NODE_NOWHERE;
    n->misses.count = n->stores.count = 0;
    for (int i = 0; i < 2 && n->level[i].ported; i++) {
        htmt__port_empty(&n->level[i].port);
        for (uint32_t k = 0; n->level[i].bank && k < n->level[i].figures->banks; k++)
            htmt__port_empty(&n->level[i].bank[k]);
    }
    memset(n->stall, 0, sizeof n->stall);
    memset(n->part, 0, sizeof n->part);
    htmt__node_drop_group(n);
    n->sum = (struct htmt__node_account){0};
    n->entered = false;
    n->start = n->t = n->request = at;
    n->late = 0;
    htmt__node_free_ports(n);
    n->block_at = 0;
    n->code_of_failure = 0;
    n->unknown[0] = '\0';
    if (n->window)
        htmt__window_start(n, warm);
}

void htmt__node_start(struct htmt__node *n, bool warm)
{
    htmt__memory_start(n->memory);
    start(n, warm, 0);
}

int htmt__node_join(struct htmt__node *n, bool warm, htmt_time at)
{
    if (at >= HTMT__TICKS_MOST / (htmt_time)n->scale)
        return HTMT_EOVERFLOW;
    start(n, warm, at * (htmt_time)n->scale);
    return 0;
}

/* ---- playing -----------------------------------------------------------------------------------
 */

int htmt__node_play_some(struct htmt__node *n, const uint64_t *entries, size_t count,
                         uint64_t permits, size_t *played)
{
    n->permits = permits;
    *played = 0;
    if (n->windowed && !n->code_of_failure)
        *played = htmt__window_play(n, entries, count, &n->code_of_failure);
    if (!n->windowed && !n->code_of_failure && *played < count)
        *played +=
            htmt__node_play_in_order(n, entries + *played, count - *played, &n->code_of_failure);
    if (!n->code_of_failure && n->t >= HTMT__TICKS_MOST)
        n->code_of_failure = HTMT_EOVERFLOW;
    return n->code_of_failure;
}

int htmt__node_play(void *user, const uint64_t *entries, size_t count)
{
    size_t played;
    return htmt__node_play_some(user, entries, count, UINT64_MAX, &played);
}

htmt_time htmt__node_request(const struct htmt__node *n)
{
    return n->request + n->late;
}

htmt_time htmt__node_request_time(const struct htmt__node *n)
{
    return htmt__node_request(n) / (htmt_time)n->scale;
}

void htmt__node_put_off(struct htmt__node *n, htmt_time time)
{
    if (time >= (HTMT__TICKS_MOST - n->late) / (htmt_time)n->scale)
        n->code_of_failure = HTMT_EOVERFLOW;
    else
        n->late += time * (htmt_time)n->scale;
}

uint64_t htmt__node_permits(const struct htmt__node *n)
{
    return n->permits;
}

/* ---- what outlives a service ------------------------------------------------------------------
 */

/* Tags are large: they change owners, not places. */
static void exchange(struct htmt__node_tags *a, struct htmt__node_tags *b)
{
    struct htmt__node_tags tags = *a;
    *a = *b;
    *b = tags;
}

void htmt__node_take_over(struct htmt__node *n, struct htmt__node *from)
{
    exchange(&n->data, &from->data);
    exchange(&n->code, &from->code);
    for (int i = 0; i < 2; i++)
        exchange(&n->level[i].tags, &from->level[i].tags);
    htmt__window_exchange(n, from);
    memcpy(n->counter, from->counter, sizeof n->counter);
    if (n->runs)
        memcpy(n->runs, from->runs, HTMT__NODE_COUNTER_ROOM * sizeof *n->runs);
    if (n->history)
        htmt__history_copy(n->history, from->history);
}

htmt_time htmt__node_finish(struct htmt__node *n, struct htmt__node_account *account)
{
    if (n->code_of_failure)
        return -1;
    htmt__window_leave(n);
    htmt__node_leave(n);
    htmt__node_drain(n);
    htmt__node_end_group(n, 0);
    htmt__node_settle(n);
    n->sum.refreshes = n->memory->refreshes;
    n->memory->refreshes = 0;
    /* Each part is the difference of two rounded sums, so that the parts add up to the length. */
    htmt_time ticks = 0, length = 0;
    for (int i = 0; i < HTMT__NODE_PARTS; i++) {
        ticks += n->part[i];
        htmt_time until = htmt__ticks_time(ticks, n->scale);
        n->sum.part[i] = until - length;
        length = until;
    }
    if (account)
        *account = n->sum;
    return length;
}

const char *htmt__node_unknown(const struct htmt__node *n)
{
    return *n->unknown ? n->unknown : NULL;
}

void htmt__node_share(struct htmt__node *n, struct htmt__node *with)
{
    n->memory = with->own;
}

int htmt__node_regions(struct htmt__node *n, const struct htmt__tape_region *regions, size_t count)
{
    free(n->region_misses);
    n->region_misses = calloc(count + 1, sizeof *n->region_misses);
    n->regions = regions;
    n->region_count = n->region_misses ? count : 0;
    n->region_last = 0;
    return n->region_misses ? 0 : HTMT_ENOMEM;
}

const uint64_t *htmt__node_misses(const struct htmt__node *n)
{
    return n->region_misses;
}
