/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether the figures of a node fit each other. The schema has read each of them within its own
 * bounds; here are the rules between two or more, the first of which that is broken is told.
 */
#include "layers/node/figures.h"

#include "layers/node/history.h"

#include <stdarg.h>
#include <stdio.h>

#define TIME_MOST  UINT64_C(1000000000000) /* 1 ms of an operation */
#define LINE_MOST  4096
#define LINES_MOST (UINT64_C(1) << 26)
#define AHEAD_MOST 16

struct answer {
    char *key, *why;
    size_t room;
};

static bool say(const struct answer *a, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool say(const struct answer *a, const char *key, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    snprintf(a->key, a->room, "%s", key);
    vsnprintf(a->why, a->room, format, arguments);
    va_end(arguments);
    return false;
}

static bool power(uint64_t n)
{
    return n && (n & (n - 1)) == 0;
}

static bool good_power(const struct answer *a, const char *key, uint64_t n)
{
    return power(n) || say(a, key, "found %llu, expected a power of two", (unsigned long long)n);
}

static bool named(const struct answer *a, const char *cache, const char *key, const char *what,
                  unsigned long long found, unsigned long long expected)
{
    char full[40];
    snprintf(full, sizeof full, "%s.%s", cache, key);
    return say(a, full, what, found, expected);
}

/* The format's two numbers: found, expected. */
#define WORD_MOST "found %llu bytes, expected a power of two from the word's 8 bytes to %llu"

static bool good_cache(const struct answer *a, const char *name, const struct htmt__node_cache *c)
{
    if (!power(c->line) || c->line < 8 || c->line > LINE_MOST)
        return named(a, name, "line", WORD_MOST, c->line, LINE_MOST);
    if (c->size == 0 || c->size % c->line || c->size / c->line > LINES_MOST)
        return named(a, name, "size", "found %llu bytes, expected a multiple of the line's %llu",
                     c->size, c->line);
    if (c->ways == 0 || c->ways > HTMT__NODE_WAYS_MOST || c->size / c->line % c->ways)
        return named(a, name, "ways", "found %llu, which do not divide the %llu lines", c->ways,
                     c->size / c->line);
    if (!power(c->size / c->line / c->ways))
        return named(a, name, "size",
                     "found %llu sets of %llu lines, expected a power of two of sets",
                     c->size / c->line / c->ways, c->ways);
    if (c->fewest > c->ways)
        return named(a, name, "fewest", "found %llu, more than the %llu ways", c->fewest, c->ways);
    if (c->fewest && c->replace == HTMT__NODE_RANDOM)
        return named(a, name, "fewest", "found %llu ways of a cache that replaces at random",
                     c->fewest, 0);
    if (c->banks && !power(c->banks))
        return named(a, name, "banks", "found %llu, expected a power of two", c->banks, 0);
    if (c->buffer > HTMT__NODE_BUFFER_MOST)
        return named(a, name, "buffer", "found %llu stores, expected at most %llu", c->buffer,
                     HTMT__NODE_BUFFER_MOST);
    return true;
}

/* A level needs the one before it, with lines that are not longer. */
static bool good_levels(const struct answer *a, const struct htmt__node_figures *f)
{
    const bool second = f->l2.kind == HTMT__NODE_CACHE, buffers = f->l2.kind == HTMT__NODE_STREAMS;
    if (f->l1.kind == HTMT__NODE_CACHE && !good_cache(a, "l1", &f->l1))
        return false;
    if (f->l2.kind != HTMT__NODE_NO_LEVEL && f->l1.kind != HTMT__NODE_CACHE)
        return say(a, "l2", "there is no l1 before it");
    if (buffers && (f->l2.streams == 0 || f->l2.streams > HTMT__NODE_STREAMS_MOST))
        return say(a, "l2.stream", "found %u buffers, expected 1 to %d", f->l2.streams,
                   HTMT__NODE_STREAMS_MOST);
    if (buffers && (f->l2.depth == 0 || f->l2.depth > AHEAD_MOST))
        return say(a, "l2.depth", "found %u lines, expected 1 to %d", f->l2.depth, AHEAD_MOST);
    if (second && f->l2.line < f->l1.line)
        return say(a, "l2.line", "found %llu bytes, expected at least l1's %llu",
                   (unsigned long long)f->l2.line, (unsigned long long)f->l1.line);
    if (second && !good_cache(a, "l2", &f->l2))
        return false;
    if (f->l3.kind == HTMT__NODE_NO_LEVEL)
        return true;
    if (!second || f->l3.kind != HTMT__NODE_CACHE)
        return say(a, "l3", "there is no l2 with lines before it");
    if (f->l3.line < f->l2.line)
        return say(a, "l3.line", "found %llu bytes, expected at least l2's %llu",
                   (unsigned long long)f->l3.line, (unsigned long long)f->l2.line);
    return good_cache(a, "l3", &f->l3);
}

/* A bus between two levels needs both of them, with nothing between. */
static bool good_bus(const struct answer *a, const struct htmt__node_figures *f)
{
    if (f->bus.at == HTMT__NODE_L2_DRAM && f->l2.kind != HTMT__NODE_CACHE)
        return say(a, "bus.at", "found 'l2-dram', but there is no l2 with lines");
    if (f->bus.at == HTMT__NODE_L2_DRAM && f->l3.kind == HTMT__NODE_CACHE)
        return say(a, "bus.at", "found 'l2-dram', but l3 is between them");
    if (f->bus.at == HTMT__NODE_L3_DRAM && f->l3.kind != HTMT__NODE_CACHE)
        return say(a, "bus.at", "found 'l3-dram', but there is no l3");
    return good_power(a, "bus.width", f->bus.width);
}

/* What an address is divided by is a power of two, so that shifts and masks do it. */
static bool good_dram(const struct answer *a, const struct htmt__node_dram *d)
{
    if (d->banks > HTMT__NODE_BANKS_MOST)
        return say(a, "dram.banks", "found %u, expected at most %d", d->banks,
                   HTMT__NODE_BANKS_MOST);
    if (d->refresh.num && htmt_ratio_cmp(d->busy, d->refresh) >= 0)
        return say(a, "dram.busy", "is not shorter than the time from refresh to refresh");
    return good_power(a, "dram.banks", d->banks) && good_power(a, "dram.page", d->page) &&
           (!d->interleave || good_power(a, "dram.interleave", d->interleave));
}

static bool short_time(struct htmt_ratio time)
{
    return htmt_ratio_cmp(time, (struct htmt_ratio){TIME_MOST, 1}) <= 0;
}

/* Longer times would let sums of ticks overflow before anybody looks. */
static bool good_times(const struct answer *a, const struct htmt__node_figures *f)
{
    static const char most[] = "is longer than 1 ms";
    const struct {
        const char *key;
        struct htmt_ratio time;
    } all[] = {{"issue", f->issue},
               {"branch", f->branch},
               {"load", f->load},
               {"store", f->store},
               {"l1.hit", f->l1.hit},
               {"l1.every", f->l1.every},
               {"l2.hit", f->l2.hit},
               {"sram.hit", f->sram.hit},
               {"bus.clock", f->bus.cycle},
               {"bus.arbitration", f->bus.arbitration},
               {"dram.hit", f->dram.hit},
               {"dram.miss", f->dram.miss},
               {"forward", f->forward},
               {"forward-part", f->forward_part},
               {"l1.fill", f->l1.fill},
               {"l1.spill", f->l1.spill},
               {"l2.every", f->l2.every},
               {"l2.back", f->l2.back},
               {"l3.every", f->l3.every},
               {"l3.back", f->l3.back},
               {"l2.bank-every", f->l2.bank},
               {"l3.bank-every", f->l3.bank},
               {"l2.store-behind", f->l2.behind},
               {"l3.store-behind", f->l3.behind},
               {"tlb.late", f->tlb.late},
               {"tlb.walk", f->tlb.walk},
               {"tlb.every", f->tlb.every},
               {"jump.every", f->jump.every},
               {"jump.taken", f->jump.taken},
               {"beside", f->beside},
               {"unfused.add", f->unfused.add},
               {"unfused.add-index", f->unfused.add_index},
               {"unfused.index", f->unfused.index},
               {"l1.store-apart", f->l1.store_apart}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].time.den && !short_time(all[i].time))
            return say(a, all[i].key, "%s", most);
    for (int o = 0; o < HTMT_OPERATIONS; o++)
        for (int t = 0; t < HTMT_OPERAND_TYPES; t++)
            if (f->unit[o][t].given &&
                (!short_time(f->unit[o][t].latency) || !short_time(f->unit[o][t].every) ||
                 (f->unit[o][t].onward.den && !short_time(f->unit[o][t].onward))))
                return say(a, htmt_operation_name((enum htmt_operation)o), "%s", most);
    return true;
}

/* The numbers of one processor are what those of others are told against. */
static bool good_crowds(const struct answer *a, const struct htmt__node_figures *f)
{
    const bool second = f->l2.kind == HTMT__NODE_CACHE;
    for (unsigned i = 0; i < HTMT__NODE_CROWDS; i++) {
        const struct htmt__node_crowd *c = &f->crowd[i], *one = &f->crowd[0];
        char key[40];
        if (i + 1 < HTMT__NODE_CROWDS)
            snprintf(key, sizeof key, "cores-%u", 1u << i);
        else
            snprintf(key, sizeof key, "cores-all");
        if (c->memory.num && !one->memory.num)
            return say(a, key, "there is no cores-1 beside it");
        if (c->cache.num && (!second || !one->cache.num || !c->cache_write.num))
            return say(a, key,
                       "found 'cache', expected it with an l2, in cores-1 and with cache-write");
        const struct htmt_ratio all[] = {c->cache, c->cache_write, c->memory, c->memory_write};
        for (int k = 0; k < 4; k++)
            if (all[k].num && !short_time(all[k]))
                return say(a, key, "is longer than 1 ms");
    }
    return true;
}

static bool good_predictor(const struct answer *a, const struct htmt__node_figures *f)
{
    if (f->reach && f->predictor != HTMT__NODE_HISTORY)
        return say(a, "reach", "is of a processor with predictor: history");
    if (f->reach > HTMT__HISTORY_MOST)
        return say(a, "reach", "found %u, expected at most %u", f->reach, HTMT__HISTORY_MOST);
    if (f->outcomes && f->predictor != HTMT__NODE_HISTORY)
        return say(a, "outcomes", "is of a processor with predictor: history");
    if (f->outcomes && (f->outcomes < HTMT__OUTCOMES_LEAST || f->outcomes > HTMT__OUTCOMES_MOST ||
                        (f->outcomes & (f->outcomes - 1))))
        return say(a, "outcomes", "found %u, expected a power of two from %u to %u", f->outcomes,
                   HTMT__OUTCOMES_LEAST, HTMT__OUTCOMES_MOST);
    return true;
}

/* What a window alone has, and its bounds. */
static bool good_order(const struct answer *a, const struct htmt__node_figures *f)
{
    const struct {
        const char *key;
        uint32_t found, most;
    } all[] = {{"reorder", f->reorder, HTMT__NODE_WINDOW_MOST},
               {"waiting", f->waiting, HTMT__NODE_WINDOW_MOST},
               {"loads", f->loads, HTMT__NODE_WINDOW_MOST},
               {"stores", f->stores, HTMT__NODE_STORES_MOST},
               {"forward", f->forward.den != 0, 1},
               {"forward-part", f->forward_part.den != 0, 1},
               {"l1.fill", f->l1.fill.num != 0, 1},
               {"l1.spill", f->l1.spill.num != 0, 1},
               {"l1.store-apart", f->l1.store_apart.den != 0, 1},
               {"jump.every", f->jump.every.den != 0, 1},
               {"jump.units", f->jump.units, HTMT__NODE_UNITS_MOST},
               {"beside", f->beside.den != 0, 1},
               {"unfused.add", f->unfused.add.den != 0, 1},
               {"unfused.add-index", f->unfused.add_index.den != 0, 1},
               {"unfused.index", f->unfused.index.den != 0, 1},
               {"l2.back", f->l2.back.den != 0, 1},
               {"l3.back", f->l3.back.den != 0, 1},
               {"l2.store-behind", f->l2.behind.den != 0, 1},
               {"l3.store-behind", f->l3.behind.den != 0, 1},
               {"l2.banks", f->l2.banks, HTMT__NODE_CACHE_BANKS_MOST},
               {"l3.banks", f->l3.banks, HTMT__NODE_CACHE_BANKS_MOST},
               {"outstanding-stores", f->outstanding_stores, HTMT__NODE_OUTSTANDING_MOST},
               {"tlb.page", f->tlb.page != 0, 1}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].found && f->order != HTMT__NODE_WINDOW)
            return say(a, all[i].key, "is of a processor with order: window");
        if (all[i].found > all[i].most)
            return say(a, all[i].key, "found %u, expected at most %u", all[i].found, all[i].most);
    }
    if (f->jump.group && !f->jump.taken.den)
        return say(a, "jump.group", "is of a jump that has 'taken'");
    return true;
}

/* Sets of at most WAYS_MOST pages, a power of two of them. */
static bool good_tlb(const struct answer *a, const struct htmt__node_tlb *t)
{
    const struct {
        const char *key;
        uint32_t entries;
    } all[] = {{"tlb.entries", t->entries}, {"tlb.second", t->second}};
    if (!t->page)
        return true;
    if (!power(t->page) || t->page < LINE_MOST)
        return say(a, "tlb.page", "found %llu bytes, expected a power of two from %d on",
                   (unsigned long long)t->page, LINE_MOST);
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].entries &&
            (all[i].entries >> __builtin_ctz(all[i].entries)) > HTMT__NODE_WAYS_MOST)
            return say(a, all[i].key, "found %u, expected a power of two times at most %d",
                       all[i].entries, HTMT__NODE_WAYS_MOST);
    if (t->tables > HTMT__NODE_TABLES_MOST)
        return say(a, "tlb.tables", "found %u, expected at most %d", t->tables,
                   HTMT__NODE_TABLES_MOST);
    if (!t->second && (t->hashed || t->tables))
        return say(a, t->hashed ? "tlb.index" : "tlb.tables", "is of a tlb that has 'second'");
    if (t->second && t->second < t->entries)
        return say(a, "tlb.second", "found %u, fewer than the first level's %u", t->second,
                   t->entries);
    return true;
}

const char *htmt__node_bound_name(enum htmt__node_bound bound)
{
    static const char *const names[HTMT__NODE_BOUNDS] = {
        [HTMT__NODE_BY_ISSUE] = "issue",      [HTMT__NODE_BY_UNITS] = "units",
        [HTMT__NODE_BY_CHAINS] = "chains",    [HTMT__NODE_BY_L1] = "l1",
        [HTMT__NODE_BY_CACHES] = "caches",    [HTMT__NODE_BY_MEMORY] = "memory",
        [HTMT__NODE_BY_BRANCHES] = "branches"};
    return names[bound];
}

/* Of each bound both ends, in order. */
static bool good_calibration(const struct answer *a, const struct htmt__node_figures *f)
{
    char key[40];
    for (int i = 0; i < HTMT__NODE_BOUNDS; i++) {
        const struct htmt__node_range r = f->calibration[i];
        const bool low = r.low.num != 0, high = r.high.num != 0;
        snprintf(key, sizeof key, "calibration.%s-%s",
                 htmt__node_bound_name((enum htmt__node_bound)i), low ? "low" : "high");
        if (low != high)
            return say(a, key, "stands alone, expected '%s-%s' beside it",
                       htmt__node_bound_name((enum htmt__node_bound)i), low ? "high" : "low");
        if (low && htmt_ratio_cmp(r.low, r.high) > 0)
            return say(a, key, "found more than '%s-high'",
                       htmt__node_bound_name((enum htmt__node_bound)i));
    }
    return true;
}

bool htmt__node_figures_good(const struct htmt__node_figures *f, char *key, char *why, size_t room)
{
    struct answer a = {key, why, room};
    if (!good_levels(&a, f) || (f->dram.given && !good_dram(&a, &f->dram)))
        return false;
    if (f->prefetch_streams > HTMT__NODE_STREAMS_MOST)
        return say(&a, "prefetch.streams", "found %u, expected at most %d", f->prefetch_streams,
                   HTMT__NODE_STREAMS_MOST);
    if (f->prefetch_streams && (f->prefetch_lines == 0 || f->prefetch_lines > AHEAD_MOST))
        return say(&a, "prefetch.lines", "found %u, expected 1 to %d", f->prefetch_lines,
                   AHEAD_MOST);
    if (f->prefetch_streams && (f->l1.kind != HTMT__NODE_CACHE || f->l2.kind == HTMT__NODE_STREAMS))
        return say(&a, "prefetch.streams", "there is no cache that lines could be fetched into");
    if (f->bus.width && !good_bus(&a, f))
        return false;
    if (f->fetched && f->l1.kind == HTMT__NODE_CACHE)
        return say(&a, "fetch", "found memory beside an l1, which code passes");
    if (f->outstanding > HTMT__NODE_OUTSTANDING_MOST)
        return say(&a, "outstanding", "found %u, expected at most %d", f->outstanding,
                   HTMT__NODE_OUTSTANDING_MOST);
    if (f->window > HTMT__NODE_WINDOW_MOST)
        return say(&a, "window", "found %u, expected at most %d", f->window,
                   HTMT__NODE_WINDOW_MOST);
    return good_crowds(&a, f) && good_predictor(&a, f) && good_order(&a, f) &&
           good_tlb(&a, &f->tlb) && good_times(&a, f) && good_calibration(&a, f);
}
