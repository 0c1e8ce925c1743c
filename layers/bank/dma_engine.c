/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Charges of the engine between bank and scratch memory. The engine is a queue of one server whose
 * services are known when they are asked for, so that its state is the instant at which it is free
 * (as a channel of runtime/sim/link.h). By hand: startup 20 ns, 2 B/ns, latency of reads 50 ns; two
 * reads of 64 B at 0 and 10 ns occupy it for 52 ns each, until 52 and 104 ns, and their threads go
 * on at 102 and 154 ns.
 */
#include "layers/bank/dma_engine.h"

static htmt_time later(htmt_time t, htmt_time d)
{
    htmt_time sum;
    return t < 0 || d < 0 || __builtin_add_overflow(t, d, &sum) ? -1 : sum;
}

/* The sum is rounded once, half up. */
htmt_time htmt__dma_time(const struct htmt__dma_figures *f, uint64_t bytes)
{
    const struct htmt_ratio a = f->startup, b = f->byte;
    htmt_uwide den = (htmt_uwide)a.den * b.den, first, second, sum;
    if (__builtin_mul_overflow((htmt_uwide)a.num, (htmt_uwide)b.den, &first) ||
        __builtin_mul_overflow((htmt_uwide)b.num * bytes, (htmt_uwide)a.den, &second) ||
        __builtin_add_overflow(first, second, &sum) || __builtin_add_overflow(sum, den / 2, &sum))
        return -1;
    sum /= den;
    return sum <= (htmt_uwide)HTMT_TIME_MAX ? (htmt_time)sum : -1;
}

htmt_time htmt__dma_book(const struct htmt__dma_figures *f, struct htmt__dma_engine *engine,
                         htmt_time now, uint64_t bytes, bool write, htmt_time *engine_free)
{
    htmt_time start = engine->free > now ? engine->free : now;
    htmt_time time = htmt__dma_time(f, bytes), free = later(start, time);
    htmt_time there = later(free, htmt_charge_time(write ? f->write : f->read, 1));
    htmt_time busy = later(engine->busy, time);
    if (there < 0 || busy < 0)
        return -1;
    engine->free = free;
    engine->busy = busy;
    if (engine_free)
        *engine_free = free;
    return there;
}

const char *htmt__dma_refusal(const struct htmt__dma_figures *f, uint64_t at_bank,
                              uint64_t at_scratch, uint64_t bytes, uint64_t *bound)
{
    *bound = f->largest;
    if (f->largest && bytes > f->largest)
        return "larger than";
    *bound = f->align;
    if (f->align && (at_bank % f->align || at_scratch % f->align || bytes % f->align))
        return "not a multiple of";
    return NULL;
}
