/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which operations share units, by pairs of them.
 *
 * Six operations of one kind and six of another, none of which waits for another one of the turn:
 * on units of their own they take as long as the slower six, on units that both need as long as all
 * twelve. What takes nearly as long as that shares: with one of two units in common six and six
 * take a third less, and go their own ways most of the time. By hand, additions and subtractions
 * that each begin twice a cycle: six of both take 6 cycles together, so they share; additions and
 * products take 3, so they do not.
 *
 * Where the faster kind alone would take as long for all twelve, the slower one's units are a part
 * of the faster one's. By hand, logic begins three times a cycle and additions twice, and six of
 * both take 4 cycles: two of the three units add. Products are a part of the same three, so six
 * additions and six products take 4 cycles as well, although the two share but one unit.
 *
 * A result may be there sooner for an operation of the same units than for one of others: of two
 * kinds in turns, a chain then takes more than both latencies. This more belongs to the one or to
 * the other, which no chain of two tells, but several do. The kind whose middle pair takes the most
 * more gets that; it explains these pairs, and what is left of them is told of the next kind. By
 * hand, a sum takes a cycle more with products, quotients and changes of sign, and these take 0 and
 * 0.7 with each other. The sum gets a cycle, and nothing is left for the others.
 */
#include "emul/command/host/sample.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#if defined __x86_64__
#include <immintrin.h>
#endif

#define LEAST   20e3 /* ns of a sample */
#define EACH    6    /* of a kind in a turn; as a chain, half as many */
#define ROUNDS  8
#define ALIKE   1.9  /* most of the slower rate over the faster */
#define UNKNOWN 0.25 /* cycles; an onward latency above the other by less is none */
#define NEARLY                                                                                     \
    1.15 /* twelve of both and twelve of the faster kind, the longer over the shorter time */

#define ADD(v, c)  (v + c)
#define SUB(v, c)  (v - c)
#define MUL(v, c)  (v * c)
#define DIV(v, c)  (c / v)
#define XOR(v, c)  (v ^ c)
#define NEG(v, c)  (-v)
#define ROOT(v, c) sqrt(v)

#define STEP(OP, where, v, c)                                                                      \
    v = OP(v, c);                                                                                  \
    KEEP(where, v);
#define BOTH(OPA, wherea, a, ca, OPB, whereb, b, cb)                                               \
    STEP(OPA, wherea, a, ca) STEP(OPB, whereb, b, cb)
#define PAIR_ON(target, name, typea, wherea, firsta, OPA, typeb, whereb, firstb, OPB)              \
    target static void name##_together(void *user, uint64_t n)                                     \
    {                                                                                              \
        typea ca = firsta, a0 = ca, a1 = ca, a2 = ca, a3 = ca, a4 = ca, a5 = ca;                   \
        typeb cb = firstb, b0 = cb, b1 = cb, b2 = cb, b3 = cb, b4 = cb, b5 = cb;                   \
        (void)user;                                                                                \
        KEEP(wherea, ca);                                                                          \
        KEEP(whereb, cb);                                                                          \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            BOTH(OPA, wherea, a0, ca, OPB, whereb, b0, cb)                                         \
            BOTH(OPA, wherea, a1, ca, OPB, whereb, b1, cb)                                         \
            BOTH(OPA, wherea, a2, ca, OPB, whereb, b2, cb)                                         \
            BOTH(OPA, wherea, a3, ca, OPB, whereb, b3, cb)                                         \
            BOTH(OPA, wherea, a4, ca, OPB, whereb, b4, cb)                                         \
            BOTH(OPA, wherea, a5, ca, OPB, whereb, b5, cb)                                         \
        }                                                                                          \
    }
#define PAIR(name, typea, wherea, firsta, OPA, typeb, whereb, firstb, OPB)                         \
    PAIR_ON(, name, typea, wherea, firsta, OPA, typeb, whereb, firstb, OPB)

/* Three of each, in turns. */
#define CHAIN(name, OPA, OPB)                                                                      \
    static void name##_turns(void *user, uint64_t n)                                               \
    {                                                                                              \
        double c = 1, v = 1;                                                                       \
        (void)user;                                                                                \
        KEEP(REAL, c);                                                                             \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            BOTH(OPA, REAL, v, c, OPB, REAL, v, c)                                                 \
            BOTH(OPA, REAL, v, c, OPB, REAL, v, c)                                                 \
            BOTH(OPA, REAL, v, c, OPB, REAL, v, c)                                                 \
        }                                                                                          \
    }

#define OF_REALS(a, OPA, b, OPB)                                                                   \
    PAIR(a##_##b, double, REAL, 1, OPA, double, REAL, 1, OPB)                                      \
    CHAIN(a##_##b, OPA, OPB)
OF_REALS(sub, SUB, add, ADD)
OF_REALS(mul, MUL, add, ADD)
OF_REALS(div, DIV, add, ADD)
OF_REALS(div, DIV, mul, MUL)
OF_REALS(root, ROOT, div, DIV)
OF_REALS(root, ROOT, add, ADD)
OF_REALS(neg, NEG, add, ADD)
OF_REALS(neg, NEG, mul, MUL)
#define OF_WIDTHS(a, OPA)                                                                          \
    PAIR(a##_short, float, REAL, 1, OPA, double, REAL, 1, OPA)                                     \
    PAIR(a##_int, int32_t, WHOLE, 3, OPA, int64_t, WHOLE, 3, OPA)
OF_WIDTHS(add, ADD)
OF_WIDTHS(sub, SUB)
OF_WIDTHS(mul, MUL)
PAIR(neg_short, float, REAL, 1, NEG, double, REAL, 1, NEG)
PAIR(xor_int, int32_t, WHOLE, 3, XOR, int64_t, WHOLE, 3, XOR)
PAIR(sub_whole, int64_t, WHOLE, 3, SUB, int64_t, WHOLE, 3, ADD)
PAIR(xor_whole, int64_t, WHOLE, 3, XOR, int64_t, WHOLE, 3, ADD)
PAIR(mul_whole, int64_t, WHOLE, 3, MUL, int64_t, WHOLE, 3, ADD)

#if defined __x86_64__
#define ON(words) __attribute__((target(words)))
#define OF_LANES(lanes, type, words, set, fma_words, FMA)                                          \
    PAIR_ON(ON(words), add_x##lanes, type, "x", set(1), ADD, double, "x", 1, ADD)                  \
    PAIR_ON(ON(words), mul_x##lanes, type, "x", set(1), MUL, double, "x", 1, MUL)                  \
    PAIR_ON(ON(fma_words), fma_x##lanes, type, "x", set(1), FMA, double, "x", 1, MUL)
#define FMA2(v, c) _mm_fmadd_pd(v, c, c)
#define FMA4(v, c) _mm256_fmadd_pd(v, c, c)
#define FMA8(v, c) _mm512_fmadd_pd(v, c, c)
OF_LANES(2, __m128d, "sse2", _mm_set1_pd, "fma", FMA2)
OF_LANES(4, __m256d, "avx", _mm256_set1_pd, "fma", FMA4)
OF_LANES(8, __m512d, "avx512f", _mm512_set1_pd, "avx512f", FMA8)
#endif

/* ---- the table ------------------------------------------------------------------------------- */

struct pair {
    const char *name[2];
    htmt__host_loop_fn *together, *turns; /* turns: NULL: not measured */
};

#define REALS(a, nameof, b, other)                                                                 \
    {                                                                                              \
        {nameof "-f64", other "-f64"}, a##_##b##_together, a##_##b##_turns                         \
    }
#define ALONE(a, first, second)                                                                    \
    {                                                                                              \
        {first, second}, a##_together, NULL                                                        \
    }
#define LANES(n)                                                                                   \
    ALONE(add_x##n, "add-f64x" #n, "add-f64"), ALONE(mul_x##n, "mul-f64x" #n, "mul-f64"),          \
        ALONE(fma_x##n, "fma-f64x" #n, "mul-f64")
static const struct pair pairs[] = {REALS(sub, "sub", add, "add"),
                                    REALS(mul, "mul", add, "add"),
                                    REALS(div, "div", add, "add"),
                                    REALS(div, "div", mul, "mul"),
                                    REALS(root, "sqrt", div, "div"),
                                    REALS(root, "sqrt", add, "add"),
                                    REALS(neg, "logic", add, "add"),
                                    REALS(neg, "logic", mul, "mul"),
                                    ALONE(add_short, "add-f32", "add-f64"),
                                    ALONE(sub_short, "sub-f32", "sub-f64"),
                                    ALONE(mul_short, "mul-f32", "mul-f64"),
                                    ALONE(neg_short, "logic-f32", "logic-f64"),
                                    ALONE(sub_whole, "sub-i64", "add-i64"),
                                    ALONE(xor_whole, "logic-i64", "add-i64"),
                                    ALONE(mul_whole, "mul-i64", "add-i64"),
                                    ALONE(add_int, "add-i32", "add-i64"),
                                    ALONE(sub_int, "sub-i32", "sub-i64"),
                                    ALONE(xor_int, "logic-i32", "logic-i64"),
                                    ALONE(mul_int, "mul-i32", "mul-i64"),
#if defined __x86_64__
                                    LANES(2),
                                    LANES(4),
                                    LANES(8)
#endif
};
#define PAIRS (sizeof pairs / sizeof *pairs)

/* ---- what they say --------------------------------------------------------------------------- */

/* Kinds of rates far apart do not get one number: one of them can go where the other cannot. */
static bool share(const struct htmt__host_rate *a, const struct htmt__host_rate *b,
                  struct htmt__host_figure turn)
{
    const double x = EACH * a->every.value, y = EACH * b->every.value;
    return turn.value > fmax(x, y) + fmin(x, y) * 3 / 4 && fmax(x, y) < ALIKE * fmin(x, y);
}

/* Both have the same number from now on, and so has who shares with either. */
static void join(struct htmt__host_figures *f, struct htmt__host_rate *a, struct htmt__host_rate *b,
                 unsigned *numbers)
{
    const unsigned old[] = {a->units, b->units};
    const unsigned number = old[0] ? old[0] : old[1] ? old[1] : ++*numbers;
    a->units = b->units = number;
    for (unsigned i = 0; i < f->rates; i++)
        if (f->rate[i].units && (f->rate[i].units == old[0] || f->rate[i].units == old[1]))
            f->rate[i].units = number;
}

static bool same_units(const struct htmt__host_rate *a, const struct htmt__host_rate *b)
{
    return a == b || (a->units && a->units == b->units);
}

/* The units of the slower kind are a part of the faster one's: all who share them are told. */
static void nest(struct htmt__host_figures *f, struct htmt__host_rate *a, struct htmt__host_rate *b,
                 struct htmt__host_figure turn, unsigned *numbers)
{
    struct htmt__host_rate *fast = a->every.value < b->every.value ? a : b,
                           *slow = fast == a ? b : a;
    const double alone = EACH * slow->every.value, all = 2 * EACH * fast->every.value;
    if (same_units(a, b) || slow->within || turn.value < NEARLY * alone ||
        fmax(turn.value, all) > NEARLY * fmin(turn.value, all))
        return;
    fast->units = fast->units ? fast->units : ++*numbers;
    for (unsigned i = 0; i < f->rates; i++)
        if (same_units(&f->rate[i], slow))
            f->rate[i].within = fast->units;
}

/* ---- onward ---------------------------------------------------------------------------------- */

/* What the pairs of one kind take more with others. */
struct mores {
    double value[PAIRS];
    unsigned count;
};

static struct mores mores_of(struct htmt__host_figures *f, const double *more,
                             const struct htmt__host_rate *r)
{
    struct mores m = {.count = 0};
    for (unsigned i = 0; i < PAIRS; i++) {
        const struct htmt__host_rate *a = htmt__host_rate_of(f, pairs[i].name[0]),
                                     *b = htmt__host_rate_of(f, pairs[i].name[1]);
        if (!pairs[i].turns || !a || !b || same_units(a, b) || same_units(a, r) == same_units(b, r))
            continue;
        unsigned k = m.count++;
        for (; k > 0 && m.value[k - 1] > more[i]; k--)
            m.value[k] = m.value[k - 1];
        m.value[k] = more[i];
    }
    return m;
}

/* The middle one, of an even number the lesser one. */
static double middle_of(const struct mores *m)
{
    return m->count ? m->value[(m->count - 1) / 2] : 0;
}

static void find_onward(struct htmt__host_figures *f, const struct htmt__host_figure *turns)
{
    double more[PAIRS] = {0};
    for (unsigned i = 0; i < PAIRS; i++) {
        const struct htmt__host_rate *a = htmt__host_rate_of(f, pairs[i].name[0]),
                                     *b = htmt__host_rate_of(f, pairs[i].name[1]);
        if (pairs[i].turns && a && b)
            more[i] = turns[i].value / (EACH / 2) - a->latency.value - b->latency.value;
    }
    for (;;) {
        const struct htmt__host_rate *most = NULL;
        double value = UNKNOWN;
        for (unsigned i = 0; i < f->rates; i++) {
            const struct mores m = mores_of(f, more, &f->rate[i]);
            const double middle = middle_of(&m);
            if (f->rate[i].onward.value <= 0 && middle > value) {
                most = &f->rate[i];
                value = middle;
            }
        }
        if (!most)
            return;
        for (unsigned i = 0; i < PAIRS; i++) {
            const struct htmt__host_rate *a = htmt__host_rate_of(f, pairs[i].name[0]),
                                         *b = htmt__host_rate_of(f, pairs[i].name[1]);
            if (a && b && same_units(a, most) != same_units(b, most))
                more[i] -= value;
        }
        for (unsigned i = 0; i < f->rates; i++)
            if (same_units(&f->rate[i], most)) {
                f->rate[i].onward = f->rate[i].latency;
                f->rate[i].onward.value += value;
            }
    }
}

void htmt__host_pairs(struct htmt__host_clock *clock, struct htmt__host_figures *f,
                      htmt__host_progress_fn *progress, void *user)
{
    struct htmt__host_figure together[PAIRS] = {{0}}, turns[PAIRS] = {{0}};
    unsigned numbers = 0;
    char name[64];
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < PAIRS; i++) {
            const struct pair *p = &pairs[i];
            if (!htmt__host_rate_of(f, p->name[0]))
                continue; /* the processor has no such vectors */
            if (progress)
                progress(user, p->name[0]);
            snprintf(name, sizeof name, "%s and %s", p->name[0], p->name[1]);
            const struct htmt__host_loop both = {name, p->together, NULL, NULL};
            htmt__host_keep(&together[i], htmt__host_sample(clock, &both, LEAST));
            if (!p->turns)
                continue;
            snprintf(name, sizeof name, "%s then %s", p->name[0], p->name[1]);
            const struct htmt__host_loop in_turns = {name, p->turns, NULL, NULL};
            htmt__host_keep(&turns[i], htmt__host_sample(clock, &in_turns, LEAST));
        }
    for (unsigned i = 0; i < PAIRS; i++) {
        struct htmt__host_rate *a = htmt__host_rate_of(f, pairs[i].name[0]),
                               *b = htmt__host_rate_of(f, pairs[i].name[1]);
        if (a && b && share(a, b, together[i]))
            join(f, a, b, &numbers);
    }
    for (unsigned i = 0; i < PAIRS; i++) {
        struct htmt__host_rate *a = htmt__host_rate_of(f, pairs[i].name[0]),
                               *b = htmt__host_rate_of(f, pairs[i].name[1]);
        if (a && b && together[i].value > 0)
            nest(f, a, b, together[i], &numbers);
        if (pairs[i].together == mul_add_together) {
            f->flop = together[i];
            f->flop.value /= 2 * EACH;
        }
    }
    find_onward(f, turns);
}
