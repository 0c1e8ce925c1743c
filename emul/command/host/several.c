/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures of `cores-N` are of one loop with 1, 2, 4, .. processors, so their quotients say by what
 * lines come later, whatever the loop. The lines of the last cache and of the bus are scaled by
 * them, between two numbers of processors along a straight line. The last cache is divided among
 * those that have it together.
 *
 * By hand, memory 5 cycles a line for one processor and two, 8 for four: three take 6.5, so a bus
 * of 0.25 GHz becomes one of 0.25 * 5 / 6.5 = 0.192 GHz. A last cache of 16 ways and 64 MiB that
 * all have becomes one of 11 ways and 22 MiB: sets halve, and the ways are 16 * 2 / 3.
 */
#include "emul/command/host/several.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

struct lines {
    double cache, cache_write, memory, memory_write;
};

static double value(struct htmt_ratio r)
{
    return r.den ? (double)r.num / (double)r.den : 0;
}

static struct lines lines_of(const struct htmt__node_crowd *c)
{
    return (struct lines){value(c->cache), value(c->cache_write), value(c->memory),
                          value(c->memory_write)};
}

static unsigned count_of(const struct htmt__node_figures *f, unsigned i)
{
    return !f->crowd[i].memory.num ? 0 : f->crowd[i].count ? f->crowd[i].count : 1u << i;
}

static double between(double a, double b, double part)
{
    return a > 0 && b > 0 ? a + part * (b - a) : 0;
}

/* The nearest numbers of processors below and above; where the cache was not measured with so many,
 * its numbers are 0. */
static bool lines_at(const struct htmt__node_figures *f, unsigned cores, struct lines *found)
{
    unsigned below = 0, above = 0, low = 0, high = 0;
    for (unsigned i = 0; i < HTMT__NODE_CROWDS; i++) {
        const unsigned n = count_of(f, i);
        if (n && n <= cores && n >= below) {
            below = n;
            low = i;
        }
        if (n >= cores && (!above || n < above)) {
            above = n;
            high = i;
        }
    }
    if (!below || !above)
        return false;
    const struct lines a = lines_of(&f->crowd[low]), b = lines_of(&f->crowd[high]);
    const double part = above > below ? (double)(cores - below) / (above - below) : 0;
    *found = (struct lines){
        between(a.cache, b.cache, part), between(a.cache_write, b.cache_write, part),
        between(a.memory, b.memory, part), between(a.memory_write, b.memory_write, part)};
    return true;
}

__attribute__((format(printf, 3, 4))) static void change(struct htmt__several *s, const char *layer,
                                                         const char *format, ...)
{
    va_list arguments;
    char what[96];
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(s->text[s->n], sizeof *s->text, "layers.%s.inside.%s", layer, what);
    s->set[s->n] = s->text[s->n];
    s->n++;
}

/* A power of two of the processors divides the sets, what is left the ways. */
static void divide(struct htmt__several *s, const char *layer, const char *name,
                   const struct htmt__node_cache *c, unsigned cores)
{
    const uint64_t most = c->size / c->line / c->ways;
    uint64_t parts = 1;
    while (2 * parts <= cores && 2 * parts <= most)
        parts *= 2;
    const uint32_t ways = (uint32_t)fmax(1, round((double)c->ways * (double)parts / cores));
    change(s, layer, "%s.ways=%" PRIu32, name, ways);
    change(s, layer, "%s.size=%" PRIu64 " B", name, most / parts * ways * c->line);
    if (c->fewest)
        change(s, layer, "%s.fewest=%" PRIu32, name,
               (uint32_t)fmax(1, round((double)c->fewest * ways / c->ways)));
}

int htmt__several_cores(const struct htmt__node_figures *f, const char *layer, double cycle,
                        unsigned cores, struct htmt__several *s, struct htmt_fault *fault)
{
    const bool third = f->l3.kind == HTMT__NODE_CACHE;
    const struct htmt__node_cache *last = third ? &f->l3 : &f->l2;
    const char *name = third ? "l3" : "l2";
    const struct lines one = lines_of(&f->crowd[0]);
    struct lines all;
    unsigned most = 0;
    *s = (struct htmt__several){.n = 0};
    if (cores < 2)
        return 0;
    for (unsigned i = 0; i < HTMT__NODE_CROWDS; i++)
        most = count_of(f, i) > most ? count_of(f, i) : most;
    if (!most)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--cores: the machine has no cores-1, expected a file of 'htmt host "
                              "measure --cores all'");
    if (!lines_at(f, cores, &all))
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--cores: found %u, expected at most %u, as memory was measured",
                              cores, most);
    if (f->bus.width && f->bus.cycle.num)
        change(s, layer, "bus.clock=%.9f GHz", 1e6 / value(f->bus.cycle) * one.memory / all.memory);
    if (f->bus.duplex && all.memory_write > 1.5 * all.memory)
        change(s, layer, "bus.duplex=no");
    if (all.cache > 0 && last->every.num)
        change(s, layer, "%s.every=%.6f cycles", name,
               value(last->every) / cycle * all.cache / one.cache);
    if (all.cache > 0 && last->back.num)
        change(s, layer, "%s.back=%.6f cycles", name,
               value(last->back) / cycle * all.cache_write / one.cache_write);
    const unsigned together = last->cores < cores ? last->cores : cores;
    if (last->kind == HTMT__NODE_CACHE && together > 1)
        divide(s, layer, name, last, together);
    s->threads = f->threads > 1 && cores > most / f->threads ? f->threads : 0;
    return 0;
}
