/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The machine file of measured figures: one processor, its inside, and a chain of layers.
 *
 * Applications move parcels by hand through three or four memories. A host has one memory and one
 * thread that computes, and its caches move lines by themselves. So the chain is of capacities
 * alone: `store` and `host`, half of the memory each, then the last cache and the one before it,
 * for parcels as large as these hold. The one processor serves all of them, one service after
 * another, and moves between them cost nothing: the caches have what the services before left
 * there. A closure lies where the one before it lay, as the emulator's own do: they are copied to
 * places that were used a moment ago.
 */
#include "emul/command/host/host.h"
#include "emul/command/host/sample.h"

#include "runtime/base/operation.h"
#include "runtime/base/whole_file.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define STREAMS       32   /* that a prefetcher keeps apart: not measured */
#define BANKS         16   /* the bus is what paces the memory, so banks must not */
#define PREFETCH_MOST 16   /* lines that the model takes */
#define FEWER         1.15 /* times as long: of half as many banks */
#define STORES        1.25 /* times as long as loads: fewer stores than loads are under way */
#define WINDOW_MOST   65536
#define SHARED_WAYS   32 /* so that its ends are told to a thirtieth or so */

/* ---- figures --------------------------------------------------------------------------------- */

/* "measured, +1.2 %: text", or "disturbed, +31 %: text" */
static void put_source(FILE *out, struct htmt__host_figure f, const char *text)
{
    fprintf(out, "source: \"%s, +%.1f %%: %s\"", f.disturbed ? "disturbed" : "measured",
            100 * f.spread, text);
}

static double above_zero(double value, double least)
{
    return value > least ? value : least;
}

static unsigned whole(double value, unsigned most)
{
    double rounded = round(value);
    return rounded < 1 ? 1 : rounded > most ? most : (unsigned)rounded;
}

/* Calls whose argument is in a range of their own. */
static void put_ranges(FILE *out, const struct htmt__host_call *call)
{
    for (unsigned i = 0; i < HTMT__LIBRARY_RANGES; i++)
        if (call[i].own && call[i].instructions > 0)
            fprintf(out,
                    "latency-%u: %.3f cycles, every-%u: %.3f cycles, instructions-%u: %u, "
                    "places-%u: %u, ",
                    i, above_zero(call[i].latency.value, 0.001), i,
                    above_zero(call[i].every.value, 0.001), i,
                    whole(call[i].instructions, WINDOW_MOST), i,
                    whole(call[i].places, WINDOW_MOST));
}

/* The worst of all its figures. */
static struct htmt__host_figure worst_of(const struct htmt__host_rate *r,
                                         const struct htmt__host_call *call)
{
    struct htmt__host_figure worst = r->latency;
    for (unsigned i = 0; i < 1 + 2 * HTMT__LIBRARY_RANGES; i++) {
        const struct htmt__host_call *c = call && i ? &call[(i - 1) / 2] : NULL;
        const struct htmt__host_figure f = !i      ? r->every
                                           : !c    ? worst
                                           : i % 2 ? c->latency
                                                   : c->every;
        const bool counts = !i || (c && c->own);
        if (counts && (f.disturbed == worst.disturbed ? f.spread > worst.spread : f.disturbed))
            worst = f;
    }
    return worst;
}

/* `call`: of a function of numbers, else NULL. */
static void put_rate(FILE *out, const struct htmt__host_rate *r, const struct htmt__host_call *call)
{
    const struct htmt__host_figure a = r->latency, b = r->every;
    fprintf(out, "      %s: {latency: %.3f cycles, every: %.3f cycles, ", r->name,
            above_zero(a.value, 0.001), above_zero(b.value, 0.001));
    if (r->onward.value > 0)
        fprintf(out, "onward: %.3f cycles, ", r->onward.value);
    if (r->units)
        fprintf(out, "units: %u, ", r->units);
    if (r->within)
        fprintf(out, "within: %u, ", r->within);
    if (r->instructions > 0)
        fprintf(out, "instructions: %u, places: %u, ", whole(r->instructions, WINDOW_MOST),
                whole(r->places, WINDOW_MOST));
    if (call)
        put_ranges(out, call);
    put_source(out, worst_of(r, call),
               r->units || r->within ? "a chain, and others apart; units by pairs"
                                     : "a chain, and others apart");
    fputs("}\n", out);
}

/* The latency of level i beyond that of the level before it. */
static double beyond(const struct htmt__host_figures *f, unsigned i)
{
    double own = f->level[i].latency.value, before = i ? f->level[i - 1].latency.value : 0;
    return above_zero(own - before, 0.001);
}

/* The last cache, of which others have a part. */
static bool is_shared(const struct htmt__host_figures *f, unsigned level)
{
    return level > 0 && level + 1 == f->topology.caches && f->share.none > 0;
}

/* Ways that divide the size, each with a power of two of lines, as many as the cache has at most;
 * the size is cut down to them. */
static uint32_t ways_of(uint64_t *bytes, uint32_t line, uint32_t most)
{
    uint64_t sets = 1;
    most = most ? most : 16;
    while (*bytes / (2 * sets * line) >= most)
        sets *= 2;
    if (*bytes / (sets * line) > most)
        sets *= 2;
    uint64_t ways = *bytes / (sets * line);
    *bytes = ways * sets * line;
    return (uint32_t)ways;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* What keeps the first cache busy: words, and vectors where there are any. */
static void put_first(FILE *out, const struct htmt__host_figures *f)
{
    fprintf(out, "every: %.3f cycles, store-every: %.3f cycles, ", f->load.value, f->store.value);
    for (unsigned k = 0; k < HTMT__HOST_WIDTHS; k++)
        if (f->wide[k].value > 0)
            fprintf(out, "every-%u: %.3f cycles, store-every-%u: %.3f cycles, ", 16u << k,
                    f->wide[k].value, 16u << k, f->wide_store[k].value);
    if (f->across.value > 0)
        fprintf(out, "every-across: %.3f cycles, store-every-across: %.3f cycles, ",
                f->across.value, f->across_store.value);
    fprintf(out, "store-apart: %.3f cycles, ", above_zero(f->store_apart.value, f->store.value));
    fprintf(out, "fill: %.3f cycles, spill: %.3f cycles, ", f->fill.value, f->spill.value);
    fprintf(out, "split: %s, ", f->topology.code.bytes ? "yes" : "no");
}

/* Banks are halved as long as that takes longer. */
static void put_banks(FILE *out, const struct htmt__host_level *l)
{
    unsigned halves = 0;
    while (halves < HTMT__HOST_HALVES &&
           l->banks[halves + 1].value > FEWER * l->banks[halves].value)
        halves++;
    if (halves)
        fprintf(out, "banks: %u, bank-every: %.3f cycles, ", 1u << halves, l->banks[halves].value);
}

static void put_cache(FILE *out, const struct htmt__host_figures *f, unsigned i)
{
    const struct htmt__host_topology *t = &f->topology;
    const bool shared = is_shared(f, i);
    const uint32_t line = t->cache[i].line;
    uint64_t bytes = shared ? (uint64_t)f->share.none : t->cache[i].bytes;
    const uint32_t ways = ways_of(&bytes, line, shared ? SHARED_WAYS : t->cache[i].ways);
    fprintf(out, "      l%u: {size: %" PRIu64 " KiB, line: %" PRIu32 " B, ways: %" PRIu32 ", ",
            i + 1, bytes >> 10, line, ways);
    if (i && i + 1 == t->caches && t->sharing > 1)
        fprintf(out, "cores: %u, ", t->sharing);
    if (shared)
        fprintf(out, "fewest: %u, ", whole(f->share.whole * ways / (double)bytes, ways));
    fprintf(out, "replace: lru, write: back, hit: %.2f cycles, ", beyond(f, i));
    if (i) {
        fprintf(out, "every: %.3f cycles, back: %.3f cycles, ",
                htmt__host_fastest(&f->level[i]).value, above_zero(f->level[i].back.value, 0.001));
        put_banks(out, &f->level[i]);
        fprintf(out, "store-behind: %.3f cycles, ",
                above_zero(f->level[i].behind.value -
                               HTMT__HOST_AMONG * fmax(f->store_apart.value, f->store.value),
                           0.001));
    } else {
        put_first(out, f);
    }
    char text[200];
    snprintf(
        text, sizeof text,
        "by streams over sets all lines stay up to %.0f MiB, none from %.0f MiB on, of %.0f MiB "
        "by hwloc; latency of a chase beyond the cache before, lines of up to three streams, lru "
        "by us",
        0x1p-20 * f->share.whole, 0x1p-20 * f->share.none, 0x1p-20 * (double)t->cache[i].bytes);
    struct htmt__host_figure told = f->level[i].latency;
    told.disturbed |= (shared && f->share.disturbed) || f->level[i].banks[0].disturbed ||
                      f->level[i].behind.disturbed || f->level[i].banks[1].disturbed;
    put_source(out, told,
               shared ? text
               : i ? "sizes by hwloc, latency of a chase beyond the cache before, lines of up to "
                     "three streams, lru by us"
                   : "sizes by hwloc, latency of a chase, fill and spill by words out of l2, lru "
                     "by us");
    fputs("}\n", out);
}

/* A level's own rate, or others, may be what keeps chases apart, so the most of all that chases had
 * under way counts; `of` is what told it. */
static unsigned most_under_way(const struct htmt__host_figures *f, struct htmt__host_figure *of)
{
    double most = 0;
    for (unsigned k = 1; k < f->levels; k++) {
        const struct htmt__host_level *l = &f->level[k];
        const struct htmt__host_figure *const all[] = {&l->apart, &l->banks[0]};
        for (int i = 0; i < 2; i++)
            if (all[i]->value > 0 && l->latency.value > most * all[i]->value) {
                most = l->latency.value / all[i]->value;
                *of = *all[i];
            }
    }
    return whole(most, 64);
}

/* Where stores are kept apart by more than the loads of such lines are. */
static void put_stores_under_way(FILE *out, const struct htmt__host_figures *f, unsigned most)
{
    const struct htmt__host_level *last = &f->level[f->topology.caches - 1];
    const double stores = last->stores.value;
    if (stores < STORES * last->banks[0].value || last->latency.value >= most * stores)
        return;
    fprintf(out, "      outstanding-stores: {value: %u, ", whole(last->latency.value / stores, 64));
    put_source(out, last->stores, "stores to lines of the last cache at random, in its latency");
    fputs("}\n", out);
}

static void put_memory(FILE *out, const struct htmt__host_figures *f)
{
    const struct htmt__host_level *l = &f->level[f->levels - 1];
    struct htmt__host_figure line = htmt__host_of_memory(l);
    /* A stream that is written moves each line twice; where that takes no longer than reading it,
     * the ways are apart. */
    const bool duplex = l->write.value < 1.5 * l->read[0].value;
    fprintf(out, "      bus: {at: l%u-dram, width: %" PRIu32 " B, clock: %.4f GHz, duplex: %s, ",
            f->topology.caches, f->topology.cache[0].line, 1 / (line.value * f->cycle.value),
            duplex ? "yes" : "no");
    put_source(
        out, line,
        "a line of two and three streams that are read, the mean; duplex by one that is written");
    struct htmt__host_figure chases = l->apart;
    const unsigned most = most_under_way(f, &chases);
    fprintf(out, "}\n      outstanding: {value: %u, ", most);
    put_source(out, chases, "16 chases at once against one, in the level that shows most");
    fputs("}\n", out);
    put_stores_under_way(out, f, most);
    fprintf(out, "      prefetch: {streams: %u, lines: %u, ", STREAMS,
            whole(l->latency.value / l->read[0].value, PREFETCH_MOST));
    put_source(out, l->read[0], "lines of one stream in the latency of memory; streams by us");
    char text[200];
    snprintf(text, sizeof text,
             "a chase in arrays of %.1f times the last cache; pages and banks are not measured, so "
             "a page that is open costs as much as a closed one",
             (double)l->bytes / (double)f->topology.cache[f->topology.caches - 1].bytes);
    fprintf(out,
            "}\n      dram: {banks: %u, page: 4 KiB, interleave: 64 B, policy: open, hit: 1 cycle, "
            "miss: 1 cycle, latency: %.1f cycles, ",
            BANKS, above_zero(beyond(f, f->levels - 1) - line.value - 1, 0));
    /* What it is beyond the cache before: as sure as both. */
    struct htmt__host_figure latency = l->latency;
    latency.disturbed |= l[-1].latency.disturbed;
    put_source(out, latency, text);
    fputs("}\n", out);
}

/* ---- file ------------------------------------------------------------------------------------ */

static const struct htmt__host_rate *rate(const struct htmt__host_figures *f, const char *name)
{
    unsigned i = 0;
    while (i + 1 < f->rates && strcmp(f->rate[i].name, name) != 0)
        i++;
    return &f->rate[i];
}

static void put_count(FILE *out, const char *key, struct htmt__host_figure f, const char *text)
{
    fprintf(out, "      %s: {value: %.3f cycles, ", key, f.value);
    put_source(out, f, text);
    fputs("}\n", out);
}

/* Lanes of doubles in the widest vectors that were measured. */
static unsigned widest(const struct htmt__host_figures *f)
{
    unsigned most = 1;
    for (unsigned i = 0; i < f->rates; i++) {
        enum htmt_operation operation;
        enum htmt_type_of_operand type;
        if (htmt_operation_of(f->rate[i].name, &operation, &type) &&
            htmt_operand_lane(type) == HTMT_F64 && htmt_operand_lanes(type) > most)
            most = htmt_operand_lanes(type);
    }
    return most;
}

/* Rates for counted operations, where nothing waits for anything. */
static void put_processor(FILE *out, const struct htmt__host_figures *f)
{
    fprintf(out,
            "    processor:\n      name: CPU\n"
            "      count: {value: 1, source: \"of %" PRIu32 " cores by hwloc, the one that was "
            "measured\"}\n"
            "      clock: {value: %.4f GHz, source: \"measured: the middle one of the chains of "
            "additions beside all samples\"}\n",
            f->topology.cores, 1 / f->cycle.value);
    put_count(out, "flop", f->flop, "as many add-f64 as mul-f64, apart");
    put_count(out, "iop", rate(f, "add-i64")->every, "add-i64 apart");
    put_count(out, "load", f->load, "loads apart, in l1");
    put_count(out, "store", f->store, "stores apart, in l1");
    fputs("      lambda: {value: 1, source: \"by us: units work at once\"}\n", out);
    fprintf(out, "      vector: {value: %u, source: \"measured: the widest of doubles\"}\n",
            widest(f));
}

/* A queue that was never full has no key: it holds any number. */
static void put_queue(FILE *out, const char *key, struct htmt__host_figure f, const char *text)
{
    if (f.value < 1)
        return;
    fprintf(out, "      %s: {value: %u, ", key, whole(f.value, WINDOW_MOST));
    put_source(out, f, text);
    fputs("}\n", out);
}

static void put_window(FILE *out, const struct htmt__host_figures *f)
{
    fputs("      order: window\n      caches: warm\n", out);
    put_queue(out, "reorder", f->reorder,
              "instructions that do nothing behind a chain of square roots");
    put_queue(out, "waiting", f->waiting, "additions and products that wait for such a chain");
    put_queue(out, "loads", f->loads, "loads behind such a chain");
    put_queue(out, "stores", f->stores, "stores behind such a chain");
    fprintf(out, "      forward: {value: %.3f cycles, ", above_zero(f->forward.value, 0.001));
    put_source(out, f->forward, "a sum of reals through one address, less the addition");
    fprintf(out, "}\n      forward-part: {value: %.3f cycles, ",
            above_zero(f->forward_part.value, 0.001));
    put_source(out, f->forward_part, "loads of a word whose half was stored, less the addition");
    fputs("}\n", out);
}

/* Branches have the number behind that of all other units. */
static void put_jump(FILE *out, const struct htmt__host_figures *f)
{
    fprintf(out, "      jump: {every: %.3f cycles, taken: %.3f cycles, units: %u, ",
            above_zero(f->jump.value, 0.001), above_zero(f->jump_taken.value, 0.001),
            HTMT__HOST_JUMP_UNITS);
    if (f->group.value > 0)
        fprintf(out, "group: %u, ", whole(f->group.value, WINDOW_MOST));
    put_source(out, f->jump.disturbed ? f->jump : f->jump_taken,
               "branches that are never taken, and turns of a loop");
    fputs("}\n", out);
}

static void put_issue(FILE *out, const struct htmt__host_figures *f)
{
    put_count(out, "beside", f->beside, "loads and operations of reals in one turn, a part of it");
    if (f->unfused_add.taken == 0)
        return;
    fprintf(out, "      unfused: {add: %.3f cycles, add-index: %.3f cycles, index: %.3f cycles, ",
            f->unfused_add.value, f->unfused_add_index.value, f->unfused_index.value);
    put_source(out, f->unfused_add_index,
               "additions to memory and comparisons with it among instructions that do nothing");
    fputs("}\n", out);
}

/* A level that was never full has no key. */
static void put_tlb(FILE *out, const struct htmt__host_tlb *t)
{
    if (!t->entries)
        return;
    fprintf(out, "      tlb: {page: %" PRIu64 " KiB, entries: %u, late: %.3f cycles, ",
            t->page >> 10, t->entries, t->late.value);
    if (t->second)
        fprintf(out, "second: %u, index: %s, walk: %.3f cycles, ", t->second,
                t->hashed ? "hashed" : "plain", t->walk.value);
    if (t->every.value > 0)
        fprintf(out, "every: %.3f cycles, tables: %u, ", t->every.value, t->tables);
    put_source(out,
               t->walk.disturbed    ? t->walk
               : t->every.disturbed ? t->every
                                    : t->late,
               "chases of a line a page against lines side by side, loads of rows of pages; tables "
               "behind a stream; pages as malloc has them");
    fputs("}\n", out);
}

static double worst_spread(const struct htmt__host_step *s, bool *disturbed)
{
    double most = 0;
    for (int far = s->read[0].value > 0 ? 0 : 1; far < 2; far++) {
        most = fmax(most, fmax(s->read[far].spread, s->write[far].spread));
        *disturbed |= s->read[far].disturbed || s->write[far].disturbed;
    }
    return most;
}

/* A number that is no power of two is that of all processors. */
static void put_step(FILE *out, const struct htmt__host_step *s)
{
    struct htmt__host_figure f = {.value = 0};
    char text[120];
    if (s->cpus & (s->cpus - 1))
        fprintf(out, "      cores-all: {count: %u, ", s->cpus);
    else
        fprintf(out, "      cores-%u: {", s->cpus);
    if (s->read[0].value > 0)
        fprintf(out, "cache: %.3f cycles, cache-write: %.3f cycles, ", s->read[0].value,
                s->write[0].value);
    fprintf(out, "memory: %.3f cycles, memory-write: %.3f cycles, ", s->read[1].value,
            s->write[1].value);
    f.spread = worst_spread(s, &f.disturbed);
    snprintf(text, sizeof text, "a line of each of %u processors, two streams of own data",
             s->cpus);
    put_source(out, f, text);
    fputs("}\n", out);
}

static void put_cores(FILE *out, const struct htmt__host_cores *c)
{
    char text[120] = "";
    if (!c->steps)
        return;
    for (unsigned i = 0; i < c->steps; i++)
        put_step(out, &c->step[i]);
    if (c->differ)
        snprintf(text, sizeof text, "; of %d and %d the system says otherwise", c->pair[0],
                 c->pair[1]);
    else if (c->confirmed)
        snprintf(text, sizeof text, "; the system says the same");
    fprintf(out,
            "      threads: {value: %u, source: \"processors of a core, by loops beside each "
            "other%s\"}\n",
            c->threads, text);
}

/* Where the clock is by the model's time, in %. */
static void put_calibration(FILE *out, const struct htmt__host_figures *f)
{
    if (!f->tried)
        return;
    fputs("      calibration: {", out);
    for (int b = 0; b < HTMT__NODE_BOUNDS; b++)
        if (f->calibrated[b])
            fprintf(out, "%s-low: %.1f %%, %s-high: %.1f %%, ",
                    htmt__node_bound_name((enum htmt__node_bound)b), 100 * f->calibration.low[b],
                    htmt__node_bound_name((enum htmt__node_bound)b), 100 * f->calibration.high[b]);
    fprintf(out,
            "source: \"measured: the clock against this file, of %u loops, by what bounds "
            "them\"}\n",
            f->tried);
}

static void put_inside(FILE *out, const struct htmt__host_figures *f)
{
    fprintf(out, "    inside:\n      issue: {value: %.3f op/cycle, ", f->issue.value);
    put_source(out, f->issue, "instructions that do nothing");
    fputs("}\n      overlap: {value: 1, source: \"by us: a processor that reorders\"}\n", out);
    fprintf(out, "      predictor: %s\n", f->reach.value > 0 ? "history" : "counters");
    put_queue(out, "reach", f->reach, "the longest loop whose end costs less than half of branch");
    if (f->reach.value > 0)
        put_queue(out, "outcomes", f->outcomes,
                  "the longest row of random ones, again and again, that costs less than half "
                  "of new ones");
    fprintf(out, "      branch: {value: %.2f cycles, ", f->branch.value);
    put_source(out, f->branch,
               "random branches against steady ones, half of them mispredicted, less a shift and a "
               "comparison");
    fputs("}\n", out);
    fprintf(out, "      window: {value: %u, ", whole(f->window.value, WINDOW_MOST));
    put_source(out, f->window, "two square roots in a chain, and 96 operations that wait for them");
    fputs("}\n", out);
    put_window(out, f);
    for (unsigned i = 0; i < f->rates; i++)
        put_rate(out, &f->rate[i],
                 i - f->first_function < f->functions ? f->call[i - f->first_function] : NULL);
    for (unsigned i = 0; i < f->topology.caches; i++)
        put_cache(out, f, i);
    put_memory(out, f);
    put_jump(out, f);
    put_issue(out, f);
    put_tlb(out, &f->tlb);
    put_cores(out, &f->cores);
    put_calibration(out, f);
}

/* ---- the chain of layers --------------------------------------------------------------------- */

static void put_layer_memory(FILE *out, const char *name, uint64_t kib, const char *source)
{
    fprintf(out,
            "    memory:\n      name: %s\n      capacity: {value: %" PRIu64
            " KiB, source: \"%s\"}\n"
            "      reserve: {value: not-modelled, source: \"not measured\"}\n"
            "      access-words: {value: not-modelled, source: \"in load and store\"}\n"
            "      access: {value: not-modelled, source: \"in load and store\"}\n"
            "      ports: {value: not-modelled, source: \"one processor\"}\n",
            name, kib, source);
}

/* Of the last two caches; what the others around the process use of the last one is left out. */
static void put_caches(FILE *out, const struct htmt__host_figures *f)
{
    const struct htmt__host_topology *t = &f->topology;
    for (uint32_t i = t->caches; i-- > 0 && i + 2 >= t->caches;) {
        char name[12];
        const bool shared = is_shared(f, i);
        snprintf(name, sizeof name, "L%u", i + 1);
        fprintf(out, "  l%u:\n    processor: as host\n", i + 1);
        put_layer_memory(out, name, (shared ? (uint64_t)f->share.whole : t->cache[i].bytes) >> 10,
                         shared ? "as much as stays in it" : "size by hwloc");
    }
}

static void put_network(FILE *out, const char *outer, const char *inner)
{
    static const char line[] = "{value: not-modelled, source: \"caches move lines by themselves\"}";
    const char *const layer[] = {outer, inner};
    fprintf(out, "  %s-%s:\n    scope: slice\n    startup: %s\n    latency: %s\n    ports:\n",
            outer, inner, line, line);
    for (int i = 0; i < 2; i++)
        fprintf(out,
                "      %s:\n        out: {value: 1, source: \"by us\"}\n        out-rate: %s\n"
                "        in: %s\n        in-rate: %s\n",
                layer[i], line, line, line);
}

static void put_networks(FILE *out, uint32_t caches)
{
    char name[12], outer[12] = "host";
    fputs("\nnetworks:\n", out);
    put_network(out, "store", "host");
    for (uint32_t i = caches; i-- > 0 && i + 2 >= caches;) {
        snprintf(name, sizeof name, "l%u", i + 1);
        put_network(out, outer, name);
        memcpy(outer, name, sizeof outer);
    }
}

int htmt__host_write(const struct htmt__host_figures *f, const char *path, struct htmt_fault *fault)
{
    struct htmt_whole_file *file = NULL;
    int rc = htmt_whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    FILE *out = htmt_whole_file_stream(file);
    fprintf(
        out,
        "# Measured by 'htmt host measure'. A figure is the fastest sample of the second fastest\n"
        "# round, in cycles of the clock that looks beside it showed; '+' is how far the middle\n"
        "# sample lies above it. A disturbed one had less than three rounds of a still core, or "
        "the\n"
        "# third lies more than 5 %% above the second.\n"
        "htmt-machine: 1\nabout: this host, %s, as measured\n\n"
        "slices: {value: 1, source: \"one processor\"}\n\nlayers:\n  store:\n"
        "    processor: none\n",
        f->topology.processor);
    put_layer_memory(out, "store", f->topology.memory >> 11, "half of the memory, by hwloc");
    fputs("  host:\n", out);
    put_processor(out, f);
    put_layer_memory(out, "memory", f->topology.memory >> 11, "half of the memory, by hwloc");
    put_inside(out, f);
    put_caches(out, f);
    put_networks(out, f->topology.caches);
    return htmt_whole_file_commit(&file, fault);
}
