/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Graphs that are made: numbers of a seed, the same on every host.
 *
 * `er` draws both ends of an edge evenly, `rmat` chooses at each of `scale` levels one of four
 * quarters of the adjacency matrix, with 57, 19, 19 and 5 of a hundred; both are directed.
 *
 * `graph500` is the Kronecker generator of the Graph500 reference (versions 3), edge by edge. Its
 * numbers are those of L'Ecuyer's multiple recursive generator of order 5,
 *
 *     x[n] = (107374182 x[n - 1] + 104480 x[n - 5]) mod (2^31 - 1),
 *
 * and edge i takes the ones that begin 2^64 i steps behind the seed, so that each edge can be made
 * without those before it. A step is linear: k steps are the k-th power of a 5 x 5 matrix, which
 * comes out of k's binary digits by squaring. Here the edges are made in order, so one power, that
 * of 2^64, leads from each edge to the next. Quarters are chosen as in rmat; while both ends are
 * the same vertex so far, the edge stays above the diagonal. Then two numbers, 50 * 2^128 + 7 *
 * 2^64 steps behind the seed, scramble the vertices: a multiplication by an odd number and a
 * reversal of bits, twice.
 */
#include "apps/formats/graph.h"
#include "apps/lib/random.h"
#include "runtime/base/memory.h"

#include <inttypes.h>
#include <stdlib.h>

#define PRIME UINT64_C(0x7fffffff)
#define ORDER 5
#define SHARE 10000 /* what quarters are shares of */

static const uint32_t quarter_a = 5700, quarter_bc = 1900;

const char *const htmt__graph_kind_words[] = {"er", "rmat", "graph500", NULL};

/* ---- the generator of order 5 ---------------------------------------------------------------- */

/* The newest number first. */
struct mrg {
    uint64_t x[ORDER];
};

struct steps {
    uint64_t a[ORDER][ORDER];
};

static uint32_t mrg_next(struct mrg *s)
{
    uint64_t x = (s->x[0] * 107374182 + s->x[4] * 104480) % PRIME;
    for (int i = ORDER - 1; i > 0; i--)
        s->x[i] = s->x[i - 1];
    s->x[0] = x;
    return (uint32_t)x;
}

/* Products of two numbers below 2^31, of which 4 fit 64 bits. */
static struct mrg mrg_skip(const struct steps *by, const struct mrg *from)
{
    struct mrg to;
    for (int i = 0; i < ORDER; i++) {
        uint64_t sum = 0;
        for (int k = 0; k < ORDER; k++)
            sum = (sum + by->a[i][k] * from->x[k]) % PRIME;
        to.x[i] = sum;
    }
    return to;
}

static struct steps steps_together(const struct steps *a, const struct steps *b)
{
    struct steps c;
    for (int i = 0; i < ORDER; i++)
        for (int j = 0; j < ORDER; j++) {
            uint64_t sum = 0;
            for (int k = 0; k < ORDER; k++)
                sum = (sum + a->a[i][k] * b->a[k][j]) % PRIME;
            c.a[i][j] = sum;
        }
    return c;
}

/* factor * 2^log2 steps. */
static struct steps steps_of(unsigned factor, unsigned log2)
{
    struct steps one = {{{107374182, 0, 0, 0, 104480},
                         {1, 0, 0, 0, 0},
                         {0, 1, 0, 0, 0},
                         {0, 0, 1, 0, 0},
                         {0, 0, 0, 1, 0}}};
    struct steps all = {
        {{1, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 1, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 1}}};
    for (unsigned i = 0; i < log2; i++)
        one = steps_together(&one, &one);
    for (; factor; factor >>= 1) {
        if (factor & 1)
            all = steps_together(&all, &one);
        one = steps_together(&one, &one);
    }
    return all;
}

static struct mrg mrg_of(uint64_t seed, uint64_t second)
{
    const uint64_t mask = 0x3fffffff;
    return (struct mrg){{(seed & mask) + 1, (seed >> 30 & mask) + 1, (second & mask) + 1,
                         (second >> 30 & mask) + 1, ((second >> 60) << 4) + (seed >> 60) + 1}};
}

/* ---- Graph500 -------------------------------------------------------------------------------- */

static uint64_t bits_reversed(uint64_t x)
{
    x = __builtin_bswap64(x);
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
    x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
    return (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
}

static uint64_t mrg_pair(struct mrg *s)
{
    uint64_t high = mrg_next(s);
    return high * 0xffffffff + mrg_next(s);
}

static uint32_t scrambled(uint64_t v, unsigned scale, const uint64_t by[2])
{
    v = bits_reversed((v + by[0] + by[1]) * (by[0] | 0x4519840211493211)) >> (64 - scale);
    return (uint32_t)(bits_reversed(v * (by[1] | 0x3050852102c843a5)) >> (64 - scale));
}

/* Of 0 to 3, none favoured: numbers below the remainder are drawn again. */
static unsigned quarter(struct mrg *s)
{
    uint32_t drawn;
    do
        drawn = mrg_next(s);
    while (drawn < PRIME % SHARE);
    drawn %= SHARE;
    return drawn < quarter_bc                   ? 1
           : drawn < 2 * quarter_bc             ? 2
           : drawn < 2 * quarter_bc + quarter_a ? 0
                                                : 3;
}

static void graph500(const struct htmt__graph_recipe *r, struct htmt__graph_list *list)
{
    const struct steps edge = steps_of(1, 64), far = steps_of(50, 128), near = steps_of(7, 64);
    struct mrg from = mrg_of(r->seed, r->seed + 1), s = mrg_skip(&far, &from);
    s = mrg_skip(&near, &s);
    const uint64_t first = mrg_pair(&s), by[2] = {first, mrg_pair(&s)};
    for (uint64_t i = 0; i < list->room; i++, from = mrg_skip(&edge, &from)) {
        uint64_t a = 0, b = 0;
        s = from;
        for (unsigned level = 0; level < r->scale; level++) {
            unsigned q = quarter(&s);
            if (a == b && q == 2)
                q = 1;
            a = a << 1 | q >> 1;
            b = b << 1 | (q & 1);
        }
        list->at[list->count++] =
            (struct htmt__graph_line){scrambled(a, r->scale, by), scrambled(b, r->scale, by), 1};
    }
}

/* ---- the others ------------------------------------------------------------------------------ */

/* Of 0 to most - 1. */
static uint32_t drawn(uint64_t random, uint32_t most)
{
    return (uint32_t)((random >> 32) * most >> 32);
}

static void er(const struct htmt__graph_recipe *r, struct htmt__graph_list *list)
{
    for (uint64_t i = 0; i < list->room; i++)
        list->at[list->count++] = (struct htmt__graph_line){
            (uint32_t)(htmt__random_at(r->seed, HTMT__GRAPH_ER, i, 0) >> (64 - r->scale)),
            (uint32_t)(htmt__random_at(r->seed, HTMT__GRAPH_ER, i, 1) >> (64 - r->scale)), 1};
}

static void rmat(const struct htmt__graph_recipe *r, struct htmt__graph_list *list)
{
    for (uint64_t i = 0; i < list->room; i++) {
        uint32_t a = 0, b = 0;
        for (unsigned level = 0; level < r->scale; level++) {
            uint32_t d = drawn(htmt__random_at(r->seed, HTMT__GRAPH_RMAT, i, level), SHARE);
            a = a << 1 | (d >= quarter_a + quarter_bc);
            b = b << 1 |
                ((d >= quarter_a && d < quarter_a + quarter_bc) || d >= quarter_a + 2 * quarter_bc);
        }
        list->at[list->count++] = (struct htmt__graph_line){a, b, 1};
    }
}

int htmt__graph_generate(const struct htmt__graph_recipe *r, struct htmt__graph_list *list,
                         struct htmt_fault *fault)
{
    static void (*const make[])(const struct htmt__graph_recipe *, struct htmt__graph_list *) = {
        [HTMT__GRAPH_ER] = er, [HTMT__GRAPH_RMAT] = rmat, [HTMT__GRAPH_500] = graph500};
    char left[HTMT_MEMORY_TEXT];
    struct htmt__graph_list l = {.vertices = UINT32_C(1) << r->scale,
                                 .weighted = r->weights > 0,
                                 .both = r->kind == HTMT__GRAPH_500,
                                 .room = r->factor << r->scale};
    double bytes = (double)l.room * sizeof *l.at;
    if (!htmt_memory_holds(bytes, left))
        return htmt_fault_set(fault, HTMT_EHOSTFIT, "%" PRIu64 " edges of %zu bytes: %s", l.room,
                              sizeof *l.at, left);
    l.at = malloc((l.room ? l.room : 1) * sizeof *l.at);
    if (!l.at)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for %" PRIu64 " edges", l.room);
    make[r->kind](r, &l);
    for (uint64_t i = 0; r->weights && i < l.count; i++)
        l.at[i].weight =
            (float)(1 + drawn(htmt__random_at(r->seed, HTMT__GRAPH_KINDS, i, 0), r->weights));
    *list = l;
    return 0;
}
