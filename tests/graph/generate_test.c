/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/formats/graph.h"

#include <criterion/criterion.h>
#include <math.h>

#define PRIME UINT64_C(0x7fffffff)

static struct htmt__graph_list made(enum htmt__graph_kind kind, unsigned scale, uint64_t factor,
                                    uint64_t seed)
{
    struct htmt_fault fault = {0};
    struct htmt__graph_list list;
    const struct htmt__graph_recipe r = {
        .kind = kind, .scale = scale, .factor = factor, .seed = seed};
    cr_assert_eq(htmt__graph_generate(&r, &list, &fault), 0, "%s", fault.text);
    cr_assert_eq(list.count, factor << scale);
    return list;
}

/* ---- Graph500 by another method ---------------------------------------------------------------
 */

/* The state behind k steps out of k's binary digits, without matrices: x^k modulo the
 * characteristic polynomial x^5 - 107374182 x^4 - 104480, whose coefficients weigh the five numbers
 * that the sequence begins with. */
struct polynomial {
    uint64_t c[5];
};

static struct polynomial times(struct polynomial a, struct polynomial b)
{
    uint64_t all[9] = {0};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 5; k++)
            all[i + k] = (all[i + k] + a.c[i] * b.c[k]) % PRIME;
    for (int i = 8; i > 4; i--) {
        all[i - 1] = (all[i - 1] + 107374182 * all[i]) % PRIME;
        all[i - 5] = (all[i - 5] + 104480 * all[i]) % PRIME;
    }
    struct polynomial p;
    for (int i = 0; i < 5; i++)
        p.c[i] = all[i];
    return p;
}

/* x^(k * 2^log2). */
static struct polynomial power(uint64_t k, unsigned log2)
{
    struct polynomial base = {{0, 1}}, all = {{1}};
    for (unsigned i = 0; i < log2; i++)
        base = times(base, base);
    for (; k; k >>= 1, base = times(base, base))
        if (k & 1)
            all = times(all, base);
    return all;
}

/* The five numbers that follow `steps`, oldest first; `x` likewise. */
static void behind(struct polynomial steps, const uint64_t x[5], uint64_t out[5])
{
    for (int i = 0; i < 5; i++, steps = times(steps, (struct polynomial){{0, 1}})) {
        out[i] = 0;
        for (int k = 0; k < 5; k++)
            out[i] = (out[i] + steps.c[k] * x[k]) % PRIME;
    }
}

Test(graph_generate, skipping_by_2_to_the_64_is_what_the_published_table_says)
{
    /* Byte 8, entry 1 of mrg_transitions.c: s, t, u, v, w, a, b, c, d. Its first row, d of z1 and
     * 104480 times s, a, b, c of z2 to z5, applied to the state 3, 1, 4, 1, 1 of the user seeds 2
     * and 3. */
    const uint64_t s = 76622690, a = 162394161, b = 742127774, c = 516889890, d = 1570064848;
    uint64_t inner = (s * 1 + a * 4 + b * 1 + c * 1) % PRIME;
    uint64_t wanted = (d * 3 + 104480 * inner) % PRIME, found[5];
    behind(power(1, 64), (const uint64_t[]){1, 1, 4, 1, 3}, found);
    cr_expect_eq(found[4], wanted);
    cr_expect_eq(wanted, 1179132795u);
}

static uint32_t next(uint64_t x[5])
{
    uint64_t new = (x[4] * 107374182 + x[0] * 104480) % PRIME;
    for (int i = 0; i < 4; i++)
        x[i] = x[i + 1];
    x[4] = new;
    return (uint32_t) new;
}

static uint64_t reversed(uint64_t x)
{
    uint64_t y = 0;
    for (int i = 0; i < 64; i++)
        y |= (x >> i & 1) << (63 - i);
    return y;
}

static uint32_t scrambled(uint64_t v, unsigned scale, uint64_t p, uint64_t q)
{
    v = reversed((v + p + q) * (p | UINT64_C(0x4519840211493211))) >> (64 - scale);
    return (uint32_t)(reversed(v * (q | UINT64_C(0x3050852102C843A5))) >> (64 - scale));
}

static void expect_edge(const struct htmt__graph_list *list, unsigned scale, uint64_t i)
{
    static const uint64_t seed[5] = {1, 1, 4, 1, 3};
    uint64_t x[5], two[2] = {0}, from = 0, to = 0;
    behind(times(power(50, 128), power(7, 64)), seed, x);
    for (int k = 0; k < 2; k++) {
        two[k] = next(x) * UINT64_C(0xffffffff);
        two[k] += next(x);
    }
    behind(power(i, 64), seed, x);
    for (unsigned level = 0; level < scale; level++) {
        uint32_t r;
        while ((r = next(x)) < PRIME % 10000)
            ;
        r %= 10000;
        unsigned down = (r >= 1900 && r < 3800) || r >= 9500, right = r < 1900 || r >= 9500;
        if (from == to && down > right) {
            down = 0;
            right = 1;
        }
        from = 2 * from + down;
        to = 2 * to + right;
    }
    cr_expect(list->at[i].from == scrambled(from, scale, two[0], two[1]) &&
                  list->at[i].to == scrambled(to, scale, two[0], two[1]),
              "edge %zu", (size_t)i);
}

Test(graph_generate, each_edge_of_graph500_can_be_made_alone)
{
    struct htmt__graph_list list = made(HTMT__GRAPH_500, 12, 16, 2);
    for (uint64_t i = 0; i < list.count; i += 977)
        expect_edge(&list, 12, i);
    cr_expect(list.both && !list.weighted && list.vertices == 4096);
    htmt__graph_list_clear(&list);
}

Test(graph_generate, the_first_edges_of_graph500_are_the_references)
{
    /* Computed with whole numbers of any size, out of the powers of the published table. */
    static const uint32_t wanted[][2] = {
        {53430, 37000}, {16463, 33235}, {57163, 11309}, {15642, 60592}};
    struct htmt__graph_list list = made(HTMT__GRAPH_500, 16, 16, 2);
    for (int i = 0; i < 4; i++)
        cr_expect(list.at[i].from == wanted[i][0] && list.at[i].to == wanted[i][1], "edge %d", i);
    cr_expect(list.at[1000].from == 50587 && list.at[1000].to == 62460);
    cr_expect(list.at[1000000].from == 49687 && list.at[1000000].to == 18308);
    htmt__graph_list_clear(&list);
}

/* ---- er and rmat ------------------------------------------------------------------------------
 */

/* How many of `count` draws of share p are expected, and what six standard deviations are. */
static void expect_share(uint64_t found, uint64_t count, double p, const char *what)
{
    double mean = (double)count * p, six = 6 * sqrt(mean * (1 - p));
    cr_expect(fabs((double)found - mean) < six, "%s: %g, expected %g +- %g", what, (double)found,
              mean, six);
}

Test(graph_generate, each_bit_of_er_is_even_and_quarters_of_rmat_have_their_shares)
{
    static const double share[4] = {.57, .19, .19, .05};
    struct htmt__graph_list er = made(HTMT__GRAPH_ER, 10, 64, 5),
                            rmat = made(HTMT__GRAPH_RMAT, 10, 64, 5);
    for (int bit = 0; bit < 10; bit++) {
        uint64_t even = 0, quarter[4] = {0};
        for (uint64_t i = 0; i < er.count; i++) {
            even += (er.at[i].from >> bit & 1) + (er.at[i].to >> bit & 1);
            quarter[(rmat.at[i].from >> bit & 1) << 1 | (rmat.at[i].to >> bit & 1)]++;
        }
        expect_share(even, 2 * er.count, .5, "er");
        for (int q = 0; q < 4; q++)
            expect_share(quarter[q], rmat.count, share[q], "rmat");
    }
    htmt__graph_list_clear(&er);
    htmt__graph_list_clear(&rmat);
}

Test(graph_generate, a_seed_is_a_graph_and_weights_are_whole_numbers_up_to_theirs)
{
    struct htmt_fault fault = {0};
    for (int kind = 0; kind < HTMT__GRAPH_KINDS; kind++) {
        struct htmt__graph_recipe r = {
            .kind = (enum htmt__graph_kind)kind, .scale = 8, .factor = 4, .seed = 3, .weights = 5};
        struct htmt__graph_list a, b, other;
        uint64_t of[6] = {0}, same = 0;
        cr_assert_eq(htmt__graph_generate(&r, &a, &fault), 0);
        cr_assert_eq(htmt__graph_generate(&r, &b, &fault), 0);
        r.seed = 4;
        cr_assert_eq(htmt__graph_generate(&r, &other, &fault), 0);
        for (uint64_t i = 0; i < a.count; i++) {
            cr_assert(a.at[i].from == b.at[i].from && a.at[i].to == b.at[i].to &&
                      a.at[i].weight == b.at[i].weight);
            same += a.at[i].from == other.at[i].from && a.at[i].to == other.at[i].to;
            of[(unsigned)a.at[i].weight]++;
        }
        cr_expect(same < a.count / 8);
        cr_expect_eq(of[0], 0u);
        for (int w = 1; w < 6; w++)
            expect_share(of[w], a.count, .2, "weights");
        htmt__graph_list_clear(&a);
        htmt__graph_list_clear(&b);
        htmt__graph_list_clear(&other);
    }
}
