/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions of the C library, from the one table that names them (runtime/base/library.h).
 *
 * Those of numbers have two loops as other operations do: a chain, in which each call gets the
 * result of the one before, and calls apart. Their arguments come from a table that no predictor of
 * branches remembers whole, since most of these functions have ways that depend on the argument.
 *
 * Those of memory and strings take a + b n for n bytes. Two lengths tell both: 48 bytes, and 4080,
 * which with a second array still lie in the first cache. By hand, 10 and 73 cycles: 63 cycles for
 * 252 times 16 bytes are b = 0.25, and a = 10 - 3 x 0.25. What misses of longer arrays cost is the
 * model's own: the bytes are accesses.
 */
#include "runtime/base/library.h"
#include "emul/command/host/issue.h"
#include "emul/command/host/sample.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEAST  40e3 /* ns of a sample */
#define APART  8    /* calls in a turn */
#define TABLE  256  /* arguments */
#define ROUNDS 6    /* others disturb for longer than a loop lasts */
#define SHORT  48   /* bytes of a call */
#define LONG   4080
#define STEP   16

/* ---- of numbers ------------------------------------------------------------------------------ */

static double argument(unsigned i, double from, double to)
{
    return from + (to - from) * (double)(i * 97 % TABLE) / TABLE;
}

/* The chain adds nothing of the result's but its time. */
#define LOOPS(name, type, from, to, call)                                                          \
    static void name##_chain(void *user, uint64_t n)                                               \
    {                                                                                              \
        type x[TABLE], v = 0, none = 0;                                                            \
        (void)user;                                                                                \
        for (unsigned i = 0; i < TABLE; i++)                                                       \
            x[i] = (type)argument(i, from, to);                                                    \
        for (uint64_t i = 0; i < n; i++)                                                           \
            for (unsigned k = 0; k < APART; k++) {                                                 \
                KEEP(REAL, none);                                                                  \
                v = v * none + x[(i * APART + k) % TABLE];                                         \
                v = call;                                                                          \
                KEEP(REAL, v);                                                                     \
            }                                                                                      \
    }                                                                                              \
    static void name##_apart(void *user, uint64_t n)                                               \
    {                                                                                              \
        type x[TABLE];                                                                             \
        (void)user;                                                                                \
        for (unsigned i = 0; i < TABLE; i++)                                                       \
            x[i] = (type)argument(i, from, to);                                                    \
        for (uint64_t i = 0; i < n; i++)                                                           \
            for (unsigned k = 0; k < APART; k++) {                                                 \
                type v = x[(i * APART + k) % TABLE];                                               \
                v = call;                                                                          \
                KEEP(REAL, v);                                                                     \
            }                                                                                      \
    }                                                                                              \
    static void name##_behind(void *user, uint64_t n)                                              \
    {                                                                                              \
        const struct htmt__host_behind *b = user;                                                  \
        type x[TABLE], none = 0;                                                                   \
        for (unsigned i = 0; i < TABLE; i++)                                                       \
            x[i] = (type)argument(i, from, to);                                                    \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            const double root = b->roots(2);                                                       \
            type v = x[i % TABLE];                                                                 \
            KEEP(REAL, none);                                                                      \
            if (b->waits)                                                                          \
                v += (type)root * none;                                                            \
            v = call;                                                                              \
            KEEP(REAL, v);                                                                         \
            b->others(root);                                                                       \
        }                                                                                          \
    }
#define LOOPS_ONE(operation, name, like, from, to)                                                 \
    LOOPS(name##_f64, double, from, to, name(v))                                                   \
    LOOPS(name##_f32, float, from, to, name##f(v))
#define LOOPS_TWO(operation, name, like, from, to, second)                                         \
    LOOPS(name##_f64, double, from, to, name(v, second))                                           \
    LOOPS(name##_f32, float, from, to, name##f(v, second))
HTMT__LIBRARY_CODE(LOOPS_ONE, LOOPS_TWO)
HTMT__LIBRARY_SHORT(LOOPS_ONE, LOOPS_TWO)
LOOPS_TWO(REM, fmod, REM, -32, 32, 1.75)

struct row {
    const char *name, *beside; /* beside: whose latency the chain has, too */
    htmt__host_loop_fn *chain, *apart, *behind;
};

#define ROWS(text, name)                                                                           \
    {text "-f64", "fma-f64", name##_f64_chain, name##_f64_apart, name##_f64_behind},               \
        {text "-f32", "fma-f32", name##_f32_chain, name##_f32_apart, name##_f32_behind},
#define ROWS_ONE(operation, name, like, from, to)         ROWS(#name, name)
#define ROWS_TWO(operation, name, like, from, to, second) ROWS(#name, name)
static const struct row rows[] = {HTMT__LIBRARY_CODE(ROWS_ONE, ROWS_TWO)
                                      HTMT__LIBRARY_SHORT(ROWS_ONE, ROWS_TWO) ROWS("rem", fmod)};
#define COUNT (sizeof rows / sizeof *rows)

htmt__host_loop_fn *htmt__host_library_behind(unsigned i)
{
    return i < COUNT ? rows[i].behind : NULL;
}

/* ---- by length ------------------------------------------------------------------------------- */

/* Two strings that are alike, and a place for copies, each in a few lines of its own. */
struct strings {
    char a[LONG + STEP], b[LONG + STEP], to[LONG + STEP];
    size_t n;
};

#define BY_LENGTH(name, call)                                                                      \
    static void name##_loop(void *user, uint64_t turns)                                            \
    {                                                                                              \
        struct strings *s = user;                                                                  \
        for (uint64_t i = 0; i < turns; i++) {                                                     \
            char *a = s->a, *b = s->b, *to = s->to;                                                \
            size_t n = s->n;                                                                       \
            KEEP(WHOLE, a);                                                                        \
            KEEP(WHOLE, b);                                                                        \
            KEEP(WHOLE, to);                                                                       \
            KEEP(WHOLE, n);                                                                        \
            __asm__ volatile("" : : "r"(call) : "memory");                                         \
        }                                                                                          \
    }
BY_LENGTH(memcpy, memcpy(to, a, n))
BY_LENGTH(memset, memset(to, 1, n))
BY_LENGTH(strlen, (strlen(a)))
BY_LENGTH(memcmp, (memcmp(a, b, n)))
BY_LENGTH(strcmp, (strcmp(a, b)))

static const struct {
    const char *name;
    htmt__host_loop_fn *loop;
} lengths[] = {
#define ROW_LENGTH(operation, name) {#name, name##_loop},
    HTMT__LIBRARY_LENGTHS(ROW_LENGTH)};
#define LENGTHS (sizeof lengths / sizeof *lengths)

const char *htmt__host_library_row(unsigned i)
{
    return i < COUNT ? rows[i].name : i < COUNT + LENGTHS ? lengths[i - COUNT].name : NULL;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void measure_numbers(struct htmt__host_clock *clock, const struct row *row,
                            struct htmt__host_rate *rate)
{
    char name[48];
    rate->name = row->name;
    snprintf(name, sizeof name, "%s apart", row->name);
    const struct htmt__host_loop apart = {name, row->apart, NULL, NULL};
    htmt__host_keep(&rate->every,
                    htmt__host_part_of(htmt__host_sample(clock, &apart, LEAST), APART));
    snprintf(name, sizeof name, "%s chain", row->name);
    const struct htmt__host_loop chain = {name, row->chain, NULL, NULL};
    htmt__host_keep(&rate->latency,
                    htmt__host_part_of(htmt__host_sample(clock, &chain, LEAST), APART));
}

/* For now, latency is the short call and `every` the long one. */
static void measure_length(struct htmt__host_clock *clock, unsigned i, struct htmt__host_rate *rate)
{
    struct strings s = {.n = 0};
    char name[48];
    rate->name = lengths[i].name;
    for (int k = 0; k < 2; k++) {
        s.n = k ? LONG : SHORT;
        memset(s.a, 'a', s.n - 1);
        memset(s.b, 'a', s.n - 1);
        snprintf(name, sizeof name, "%s %zu", rate->name, s.n);
        const struct htmt__host_loop loop = {name, lengths[i].loop, &s, NULL};
        htmt__host_keep(k ? &rate->every : &rate->latency, htmt__host_sample(clock, &loop, LEAST));
    }
}

/* From the times of two lengths to a and b. */
static void split(struct htmt__host_rate *r)
{
    r->every =
        htmt__host_part_of(htmt__host_less(r->every, r->latency), (double)(LONG - SHORT) / STEP);
    struct htmt__host_figure bytes = r->every;
    bytes.value *= (double)SHORT / STEP;
    r->latency = htmt__host_less(r->latency, bytes);
}

static bool marked(const struct htmt__host_rate *rate)
{
    bool any = false;
    for (unsigned i = 0; i < COUNT + LENGTHS; i++)
        any |= rate[i].latency.disturbed || rate[i].every.disturbed;
    return any;
}

void htmt__host_library(struct htmt__host_clock *clock, struct htmt__host_figures *f,
                        htmt__host_progress_fn *progress, void *user)
{
    struct htmt__host_rate *rate = &f->rate[f->rates];
    for (unsigned round = 0; htmt__host_again(clock, round, ROUNDS, marked(rate)); round++)
        for (unsigned i = 0; i < COUNT + LENGTHS; i++) {
            if (round >= ROUNDS && !rate[i].latency.disturbed && !rate[i].every.disturbed)
                continue;
            if (progress)
                progress(user, htmt__host_library_row(i));
            if (i < COUNT)
                measure_numbers(clock, &rows[i], &rate[i]);
            else
                measure_length(clock, (unsigned)(i - COUNT), &rate[i]);
        }
    for (unsigned i = 0; i < COUNT; i++) {
        const struct htmt__host_rate *other = htmt__host_rate_of(f, rows[i].beside);
        rate[i].latency = htmt__host_less(rate[i].latency, other->latency);
        if (rate[i].latency.value < rate[i].every.value)
            rate[i].latency.value = rate[i].every.value;
    }
    for (unsigned i = 0; i < LENGTHS; i++)
        split(&rate[COUNT + i]);
    f->rates += (unsigned)(COUNT + LENGTHS);
}
