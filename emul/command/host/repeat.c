/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Several measurements of one host. What disturbs it makes times longer and queues shorter, so of
 * two figures the less disturbed one counts: where one of them is marked, the other one, else the
 * lower time, the larger count. Where neither is marked and they differ by more than 5 %, something
 * lasted through all of one measurement, and the figure is marked. By hand, additions of 2.0 and
 * 2.01 cycles: 2.0. Of 2.0 and 4.0, the latter marked: 2.0. Of 45 and 52, both unmarked: 45,
 * marked.
 */
#include "emul/command/host/sample.h"

#include <stddef.h>

#define ALIKE       1.05
#define ALIKE_SHARE 1.1

static void merge(struct htmt__host_figure *all, struct htmt__host_figure again, bool count)
{
    const double a = all->value, b = again.value;
    const bool differ = a > ALIKE * b || b > ALIKE * a;
    const bool better = count ? b > a : b < a && b > 0;
    if (all->disturbed != again.disturbed) {
        *all = all->disturbed ? again : *all;
        return;
    }
    if (better || a <= 0)
        *all = again;
    all->disturbed |= differ;
}

static void merge_level(struct htmt__host_level *all, const struct htmt__host_level *again)
{
    merge(&all->latency, again->latency, false);
    for (unsigned k = 0; k < HTMT__HOST_STREAMS; k++) {
        merge(&all->read[k], again->read[k], false);
        merge(&all->words[k], again->words[k], false);
    }
    merge(&all->write, again->write, false);
    merge(&all->touch, again->touch, false);
    merge(&all->update, again->update, false);
    merge(&all->back, again->back, false);
    merge(&all->apart, again->apart, false);
    for (unsigned k = 0; k <= HTMT__HOST_HALVES; k++)
        merge(&all->banks[k], again->banks[k], false);
    merge(&all->stores, again->stores, false);
    merge(&all->behind, again->behind, false);
}

/* Steps of the staircase belong together: those of one measurement. */
static void merge_tlb(struct htmt__host_tlb *all, const struct htmt__host_tlb *again)
{
    const bool differ = all->entries != again->entries || all->second != again->second;
    if (!all->entries || (all->late.disturbed && !again->late.disturbed)) {
        *all = *again;
        return;
    }
    if (differ) {
        all->late.disturbed |= !again->late.disturbed;
        return;
    }
    merge(&all->late, again->late, false);
    merge(&all->walk, again->walk, false);
    merge(&all->every, again->every, false);
}

/* Others only take some of it away. */
static void merge_share(struct htmt__host_share *all, const struct htmt__host_share *again)
{
    const double a = all->whole + all->none, b = again->whole + again->none;
    const bool differ = a > ALIKE_SHARE * b || b > ALIKE_SHARE * a;
    const bool more = a > 0 && (b <= 0 || b > a);
    const bool marked = !(all->disturbed ^ again->disturbed) && (all->disturbed || differ);
    if (all->disturbed != again->disturbed ? all->disturbed : more)
        *all = *again;
    all->disturbed = marked;
}

void htmt__host_merge(struct htmt__host_figures *all, const struct htmt__host_figures *again)
{
    const struct {
        struct htmt__host_figure *all;
        const struct htmt__host_figure *again;
        bool count;
    } each[] = {{&all->issue, &again->issue, true},
                {&all->branch, &again->branch, false},
                {&all->load, &again->load, false},
                {&all->store, &again->store, false},
                {&all->flop, &again->flop, false},
                {&all->across, &again->across, false},
                {&all->across_store, &again->across_store, false},
                {&all->store_apart, &again->store_apart, false},
                {&all->jump, &again->jump, false},
                {&all->jump_taken, &again->jump_taken, false},
                {&all->group, &again->group, true},
                {&all->beside, &again->beside, false},
                {&all->unfused_add, &again->unfused_add, false},
                {&all->unfused_add_index, &again->unfused_add_index, false},
                {&all->unfused_index, &again->unfused_index, false},
                {&all->fill, &again->fill, false},
                {&all->spill, &again->spill, false},
                {&all->window, &again->window, true},
                {&all->reorder, &again->reorder, true},
                {&all->waiting, &again->waiting, true},
                {&all->loads, &again->loads, true},
                {&all->stores, &again->stores, true},
                {&all->forward, &again->forward, false},
                {&all->forward_part, &again->forward_part, false}};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        merge(each[i].all, *each[i].again, each[i].count);
    for (unsigned i = 0; i < HTMT__HOST_WIDTHS; i++) {
        merge(&all->wide[i], again->wide[i], false);
        merge(&all->wide_store[i], again->wide_store[i], false);
    }
    for (unsigned i = 0; i < all->rates; i++) {
        merge(&all->rate[i].latency, again->rate[i].latency, false);
        merge(&all->rate[i].every, again->rate[i].every, false);
        merge(&all->rate[i].onward, again->rate[i].onward, false);
    }
    for (unsigned i = 0; i < all->functions; i++)
        for (unsigned k = 0; k < HTMT__LIBRARY_RANGES; k++) {
            merge(&all->call[i][k].latency, again->call[i][k].latency, false);
            merge(&all->call[i][k].every, again->call[i][k].every, false);
        }
    for (unsigned i = 0; i < all->levels; i++)
        merge_level(&all->level[i], &again->level[i]);
    merge_tlb(&all->tlb, &again->tlb);
    merge_share(&all->share, &again->share);
}
