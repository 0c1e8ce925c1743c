/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ticks of a node, and figures in them (parts.h says why).
 */
#include "layers/node/parts.h"

#define SCALE_MOST UINT64_C(16384) /* ticks of a femtosecond: 2^61 of them are 140 ms */

/* 0: more than SCALE_MOST. */
static uint64_t multiple(uint64_t scale, uint64_t den)
{
    if (scale == 0 || den > SCALE_MOST)
        return 0;
    scale = scale / htmt__gcd(scale, den) * den;
    return scale <= SCALE_MOST ? scale : 0;
}

/* With the denominator of `overlap` too, what shows of a part is a whole number of ticks; where
 * that makes the scale too large, it is rounded. */
uint64_t htmt__ticks_scale(const struct htmt__node_figures *f)
{
    const struct htmt_ratio all[] = {
        f->issue,           f->branch,    f->load,      f->store,        f->l1.hit,
        f->l1.every,        f->l2.hit,    f->sram.hit,  f->bus.cycle,    f->bus.arbitration,
        f->dram.hit,        f->dram.miss, f->dram.busy, f->dram.refresh, f->dram.latency,
        f->l1.store_every,  f->l3.hit,    f->forward,   f->forward_part, f->l1.across,
        f->l1.store_across, f->tlb.late,  f->tlb.walk,  f->tlb.every};
    const struct htmt_ratio of_window[] = {
        f->l1.fill,   f->l1.spill,    f->l2.every,          f->l2.back,       f->l3.every,
        f->l3.back,   f->l2.bank,     f->l3.bank,           f->jump.every,    f->jump.taken,
        f->beside,    f->unfused.add, f->unfused.add_index, f->unfused.index, f->l1.store_apart,
        f->l2.behind, f->l3.behind};
    uint64_t scale = 1;
    for (int i = 0; i < HTMT_OPERATIONS; i++)
        for (int j = 0; j < HTMT_OPERAND_TYPES; j++)
            if (f->unit[i][j].given) {
                const struct htmt__node_unit *u = &f->unit[i][j];
                scale = multiple(multiple(scale, u->latency.den), u->every.den);
                scale = u->onward.den ? multiple(scale, u->onward.den) : scale;
            }
    for (int i = 0; i < HTMT_OPERATIONS; i++)
        for (int k = 0; k < 2 * HTMT__LIBRARY_RANGES; k++) {
            const struct htmt__node_call *c = &f->call[i][k % 2][k / 2];
            scale =
                c->latency.den ? multiple(multiple(scale, c->latency.den), c->every.den) : scale;
        }
    for (int i = 0; i < HTMT__NODE_WIDTHS; i++) {
        scale = multiple(scale, f->l1.wide[i].den ? f->l1.wide[i].den : 1);
        scale = multiple(scale, f->l1.wide_store[i].den ? f->l1.wide_store[i].den : 1);
    }
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        scale = multiple(scale, all[i].den ? all[i].den : 1);
    for (unsigned i = 0; i < sizeof of_window / sizeof *of_window && f->order; i++)
        scale = multiple(scale, of_window[i].den ? of_window[i].den : 1);
    uint64_t overlapped = scale * (f->overlap.den ? f->overlap.den : 1);
    if (overlapped && overlapped <= SCALE_MOST && f->overlap.den <= SCALE_MOST)
        return overlapped;
    return scale ? scale : SCALE_MOST;
}

htmt_time htmt__ticks(struct htmt_ratio ratio, uint64_t n, uint64_t scale)
{
    if (ratio.num == 0 || n == 0)
        return 0;
    htmt_uwide product = (htmt_uwide)ratio.num * scale;
    if (product > ((htmt_uwide)HTMT__TICKS_MOST * ratio.den) / n)
        return HTMT__TICKS_MOST;
    return (htmt_time)((product * n + ratio.den / 2) / ratio.den);
}

htmt_time htmt__ticks_time(htmt_time ticks, uint64_t scale)
{
    return (htmt_time)(((uint64_t)ticks + scale / 2) / scale);
}
