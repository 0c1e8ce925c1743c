/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A profile's time against its trace's, on a cache of this test's own.
 */
#include "layers/node/generator.h"

#include "loops.h"

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
    for (uint64_t seed = 1; seed <= 3; seed++) {
        const double made = time_of_profile(p, bytes, seed);
        cr_assert_lt(fabs(made / trace - 1), allowed, "%s, %lu bytes, seed %lu: %.0f, trace %.0f",
                     loop->name, (unsigned long)bytes, (unsigned long)seed, made, trace);
    }
}

Test(generator, a_profile_takes_the_time_of_its_trace_at_every_size_of_the_cache)
{
    for (size_t k = 0; k < sizeof loops / sizeof loops[0]; k++) {
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
