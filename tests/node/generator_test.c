/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A profile's time against its trace's, on a cache of this test's own, and on insides of machines.
 */
#include "layers/node/generator.h"

#include "layers/machine/nodes.h"
#include "layers/node/node.h"

#include "loops.h"
#include "tests/layers/machines.h"
#include "tests/runtime/share.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* lru; `sets` a power of two, 4 ways, lines of 64 bytes. */
struct cache {
    uint64_t sets, line[4096][4], operations, accesses, misses, page_misses, page;
};

static void touch(struct cache *c, uint64_t address)
{
    const uint64_t line = address / 64 + 1;
    uint64_t *set = c->line[line % c->sets];
    unsigned way = 0;
    c->accesses++;
    while (way < 3 && set[way] != line)
        way++;
    if (set[way] != line) {
        c->misses++;
        c->page_misses += address / 2048 != c->page;
        c->page = address / 2048;
    }
    memmove(set + 1, set, way * sizeof *set);
    set[0] = line;
}

static int play(void *user, const uint64_t *entries, size_t n)
{
    struct cache *c = user;
    for (size_t i = 0; i < n; i++) {
        const enum htmt__tape_kind kind = htmt__tape_kind(entries[i]);
        if (kind == HTMT__TAPE_OP)
            c->operations += htmt__tape_address(entries[i]) >> 8;
        else if (kind == HTMT__TAPE_LOAD || kind == HTMT__TAPE_STORE)
            touch(c, htmt__tape_address(entries[i]));
    }
    return 0;
}

/* Cycles: an operation 1, a hit 1, a miss 12 in an open page and 20 elsewhere. */
static double time_of(const struct cache *c)
{
    return (double)(c->operations + c->accesses + 12 * c->misses + 8 * c->page_misses);
}

static struct cache *new_cache(uint64_t bytes)
{
    struct cache *c = calloc(1, sizeof *c);
    c->sets = bytes / 256;
    c->page = UINT64_MAX;
    return c;
}

static double time_of_trace(const struct htmt__tape *tape, uint64_t bytes)
{
    struct cache *c = new_cache(bytes);
    const uint64_t *entries;
    size_t n;
    for (size_t i = 0; (entries = htmt__tape_chunk(tape, i, &n)); i++)
        play(c, entries, n);
    const double time = time_of(c);
    free(c);
    return time;
}

static double time_of_profile(const struct htmt__profile *p, uint64_t bytes, uint64_t seed)
{
    struct cache *c = new_cache(bytes);
    struct htmt__generator *g;
    struct htmt__tape_writer w;
    cr_assert_eq(htmt__generator_new(&g, p, seed), 0);
    cr_assert_eq(htmt__tape_open(&w, play, c), 0);
    cr_assert_eq(htmt__generator_service(g, &w), 0);
    cr_assert_eq(htmt__tape_close(&w), 0);
    htmt__generator_free(g);
    const double time = time_of(c);
    free(c);
    return time;
}

static void compare(const struct loop *loop, const struct htmt__tape *tape,
                    const struct htmt__profile *p, uint64_t bytes, double allowed)
{
    const double trace = time_of_trace(tape, bytes);
    for (uint64_t seed = 1; seed <= share_of(3); seed++) {
        const double made = time_of_profile(p, bytes, seed);
        cr_assert_lt(fabs(made / trace - 1), allowed, "%s, %lu bytes, seed %lu: %.0f, trace %.0f",
                     loop->name, (unsigned long)bytes, (unsigned long)seed, made, trace);
    }
}

Test(generator, a_profile_takes_the_time_of_its_trace_at_every_size_of_the_cache)
{
    for (size_t k = 0; k < sizeof loops / sizeof loops[0]; k += only_memory() ? 3 : 1) {
        struct htmt_fault fault = {0};
        struct htmt__profile *p = NULL;
        struct htmt__tape *tape = loop_tape(&loops[k]);
        cr_assert_eq(htmt__profile_measure(&p, tape, loops[k].name, &fault), 0, "%s", fault.text);
        for (uint64_t bytes = 2048; bytes <= 65536; bytes *= 2)
            compare(&loops[k], tape, p, bytes, fmin(loops[k].allowed, 0.1));
        htmt__tape_free(tape);
        htmt__profile_free(p);
    }
}

/* ---- insides of machines --------------------------------------------------------------------- */

static htmt_time node_time_of_trace(const struct htmt__node_figures *f,
                                    const struct htmt__tape *tape)
{
    struct htmt__node *node;
    const uint64_t *entries;
    size_t n;
    cr_assert_eq(htmt__node_new(&node, f, NULL), 0);
    htmt__node_start(node, false);
    for (size_t i = 0; (entries = htmt__tape_chunk(tape, i, &n)); i++)
        cr_assert_eq(htmt__node_play(node, entries, n), 0, "%s", htmt__node_unknown(node));
    const htmt_time time = htmt__node_finish(node, NULL);
    htmt__node_free(node);
    return time;
}

static htmt_time node_time_of_profile(const struct htmt__node_figures *f,
                                      const struct htmt__profile *p, uint64_t seed)
{
    struct htmt__node *node;
    struct htmt__generator *g;
    struct htmt__tape_writer w;
    cr_assert_eq(htmt__node_new(&node, f, NULL), 0);
    htmt__node_start(node, false);
    cr_assert_eq(htmt__generator_new(&g, p, seed), 0);
    cr_assert_eq(htmt__tape_open(&w, htmt__node_play, node), 0);
    cr_assert_eq(htmt__generator_service(g, &w), 0);
    htmt__tape_put(&w, htmt__tape_entry(HTMT__TAPE_END, 0, 0));
    cr_assert_eq(htmt__tape_close(&w), 0);
    const htmt_time time = htmt__node_finish(node, NULL);
    htmt__generator_free(g);
    htmt__node_free(node);
    return time;
}

/* Like a processor of today: wide, with misses under way and a second cache. */
static struct htmt__node_figures host_like(const struct htmt__node_figures *f)
{
    struct htmt__node_figures h = *f;
    const struct htmt_ratio cycle = {250000, 1};
    h.issue = (struct htmt_ratio){62500, 1};
    h.overlap = (struct htmt_ratio){1, 1};
    h.predictor = HTMT__NODE_COUNTERS;
    h.branch = (struct htmt_ratio){16 * 250000, 1};
    for (int o = 0; o < HTMT_OPERATIONS; o++)
        for (int t = 0; t < HTMT_OPERAND_TYPES; t++)
            if (h.unit[o][t].given)
                h.unit[o][t] = (struct htmt__node_unit){
                    .given = true, .latency = {4 * 250000, 1}, .every = {125000, 1}};
    h.l1 = (struct htmt__node_cache){.kind = HTMT__NODE_CACHE,
                                     .size = 32768,
                                     .line = 64,
                                     .ways = 8,
                                     .hit = {4 * 250000, 1},
                                     .every = {125000, 1},
                                     .store_every = cycle};
    h.l2 = (struct htmt__node_cache){
        .kind = HTMT__NODE_CACHE, .size = 65536, .line = 64, .ways = 8, .hit = {13 * 250000, 1}};
    h.outstanding = 10;
    h.dram.latency = (struct htmt_ratio){50000000, 1};
    h.shared = false;
    return h;
}

static void resize(struct htmt__node_figures *f, uint64_t times, uint64_t of)
{
    f->l1.size = f->l1.size * times / of;
    f->l2.size = f->l2.size * times / of;
}

static void compare_on(const char *name, const struct htmt__node_figures *f, double most)
{
    for (size_t k = 0; k < sizeof loops / sizeof loops[0]; k += only_memory() ? 3 : 1) {
        struct htmt_fault fault = {0};
        struct htmt__profile *p = NULL;
        struct htmt__tape *tape = loop_tape(&loops[k]);
        cr_assert_eq(htmt__profile_measure(&p, tape, loops[k].name, &fault), 0, "%s", fault.text);
        const double trace = (double)node_time_of_trace(f, tape);
        for (uint64_t seed = 1; seed <= share_of(3); seed++) {
            const double off = (double)node_time_of_profile(f, p, seed) / trace - 1;
            const double allowed = fmin(loops[k].allowed, most);
            if (getenv("HTMT_SHOW"))
                printf("%-14s %-8s seed %d %+.3f %%\n", name, loops[k].name, (int)seed, 100 * off);
            cr_expect_lt(fabs(off), allowed, "%s on %s, seed %d: %+.2f %%", loops[k].name, name,
                         (int)seed, 100 * off);
        }
        htmt__tape_free(tape);
        htmt__profile_free(p);
    }
}

Test(generator, a_profile_takes_the_time_of_its_trace_on_gcel)
{
    struct htmt_machine *m = machine_load("gcel", NULL);
    compare_on("gcel", htmt__machine_node(m, 0), 0.15);
    htmt_machine_destroy(&m);
}

Test(generator, a_profile_takes_the_time_of_its_trace_on_powerstone_at_half_and_double_the_cache)
{
    struct htmt_machine *m = machine_load("powerstone1", NULL);
    struct htmt__node_figures f = *htmt__machine_node(m, 0);
    compare_on("powerstone1", &f, 0.15);
    resize(&f, 1, 2);
    compare_on("half the cache", &f, 0.1);
    resize(&f, 4, 1);
    compare_on("double", &f, 0.1);
    htmt_machine_destroy(&m);
}

Test(generator, a_profile_takes_the_time_of_its_trace_on_a_host_at_half_and_double_the_cache)
{
    struct htmt_machine *m = machine_load("powerstone1", NULL);
    struct htmt__node_figures f = host_like(htmt__machine_node(m, 0));
    compare_on("host-like", &f, 0.15);
    resize(&f, 1, 2);
    compare_on("half the cache", &f, 0.1);
    resize(&f, 4, 1);
    compare_on("double", &f, 0.1);
    htmt_machine_destroy(&m);
}
