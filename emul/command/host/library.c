/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions of the C library, from the one table that names them (runtime/base/library.h).
 *
 * Those of numbers have two loops as other operations do: a chain, in which each call gets the
 * result of the one before, and calls apart, one a turn as programs have them. Their arguments come
 * from a table.
 *
 * Most of these functions have ways that depend on the argument: a sine of 0.1 takes 11 cycles, one
 * of 1 takes 15, one of 3 takes 22. So calls are timed with arguments of the whole table, and of
 * each range (runtime/base/library.h) alone; a range that differs by more than 5 % from the one
 * before it, the first one from all calls, has figures of its own.
 * Functions are told by the size of the argument alone: those that are odd or even take the same
 * time for -x. How many instructions a call has is counted (steps.c).
 *
 * Those of memory and strings take a + b n for n bytes. Two lengths tell both: 48 bytes, and 4080,
 * which with a second array still lie in the first cache. By hand, 10 and 73 cycles: 63 cycles for
 * 252 times 16 bytes are b = 0.25, and a = 10 - 3 x 0.25. What misses of longer arrays cost is the
 * model's own: the bytes are accesses.
 */
#include "runtime/base/library.h"
#include "emul/command/host/issue.h"
#include "emul/command/host/sample.h"
#include "emul/command/host/steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEAST    20e3 /* ns of a sample */
#define TABLE    256  /* arguments */
#define ROUNDS   6    /* others disturb for longer than a loop lasts */
#define ALIKE    1.05 /* times of ranges that are none of their own */
#define FAR      32   /* arguments up to this one, where a function is given for any */
#define FARTHEST 64   /* of the last range */
#define SHORT    48   /* bytes of a call */
#define LONG     4080
#define STEP     16

/* ---- of numbers ------------------------------------------------------------------------------ */

static double argument(unsigned i, double from, double to)
{
    return from + (to - from) * (double)(i * 97 % TABLE) / TABLE;
}

/* Of a loop. */
struct arguments {
    double real[TABLE];
    float single[TABLE];
};
static const double *double_of(const struct arguments *a)
{
    return a->real;
}
static const float *float_of(const struct arguments *a)
{
    return a->single;
}

/* What a call is compared with: its argument comes and goes. */
static __attribute__((noinline)) double double_none(double v)
{
    KEEP(REAL, v);
    return v;
}
static __attribute__((noinline)) float float_none(float v)
{
    KEEP(REAL, v);
    return v;
}
#define ONCE(name, type, call)                                                                     \
    static void name##_once(double x)                                                              \
    {                                                                                              \
        type v = (type)x;                                                                          \
        KEEP(REAL, v);                                                                             \
        v = call;                                                                                  \
        KEEP(REAL, v);                                                                             \
    }
ONCE(double, double, double_none(v))
ONCE(float, float, float_none(v))

/* The chain adds nothing of the result's but its time. */
#define LOOPS(name, type, from, to, call)                                                          \
    ONCE(name, type, call)                                                                         \
    static void name##_chain(void *user, uint64_t n)                                               \
    {                                                                                              \
        const type *x = type##_of(user);                                                           \
        type v = 0, none = 0;                                                                      \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            KEEP(REAL, none);                                                                      \
            v = v * none;                                                                          \
            KEEP(REAL, v);                                                                         \
            v += x[i % TABLE];                                                                     \
            v = call;                                                                              \
            KEEP(REAL, v);                                                                         \
        }                                                                                          \
    }                                                                                              \
    static void name##_apart(void *user, uint64_t n)                                               \
    {                                                                                              \
        const type *x = type##_of(user);                                                           \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            type v = x[i % TABLE];                                                                 \
            v = call;                                                                              \
            KEEP(REAL, v);                                                                         \
        }                                                                                          \
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
            v += (type)root * none;                                                                \
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
#define rem(v, w)  fmod(v, w)
#define remf(v, w) fmodf(v, w)
LOOPS_TWO(REM, rem, REM, -32, 32, 1.75)

/* `times`: from the number that has the range to the first argument. */
struct row {
    const char *name, *beside[2]; /* beside: whose latencies the chain has, too */
    double from, to, times;
    htmt__host_loop_fn *chain, *apart, *behind;
    htmt__host_once_fn *once, *none;
};

#define ROW(text, name, type, bits, from, to, times)                                               \
    {text "-f" #bits,                                                                              \
     {"mul-f" #bits, "add-f" #bits},                                                               \
     from,                                                                                         \
     to,                                                                                           \
     times,                                                                                        \
     name##_f##bits##_chain,                                                                       \
     name##_f##bits##_apart,                                                                       \
     name##_f##bits##_behind,                                                                      \
     name##_f##bits##_once,                                                                        \
     type##_once},
#define ROWS(text, name, from, to, times)                                                          \
    ROW(text, name, double, 64, from, to, times) ROW(text, name, float, 32, from, to, times)
#define ROWS_ONE(operation, name, like, from, to) ROWS(#name, name, from, to, 1)
#define ROWS_TWO(operation, name, like, from, to, second)                                          \
    ROWS(#name, name, from, to, HTMT__LIBRARY_OF_QUOTIENT(HTMT_##operation) ? second : 1)
static const struct row rows[] = {HTMT__LIBRARY_CODE(ROWS_ONE, ROWS_TWO) HTMT__LIBRARY_SHORT(
    ROWS_ONE, ROWS_TWO) ROWS_TWO(REM, rem, REM, -32, 32, 1.75)};
#define COUNT (sizeof rows / sizeof *rows)
_Static_assert(COUNT <= HTMT__HOST_FUNCTIONS, "a figure of each");

unsigned htmt__host_library_steps(unsigned i, double x)
{
    return htmt__host_steps(rows[i].once, rows[i].none, x);
}

htmt__host_loop_fn *htmt__host_library_behind(unsigned i)
{
    return i < COUNT ? rows[i].behind : NULL;
}

/* ---- by length ------------------------------------------------------------------------------- */

/* Two strings that are alike, and a place for copies, each from the head of a line. */
struct strings {
    _Alignas(64) char a[LONG + STEP];
    char b[LONG + STEP], to[LONG + STEP];
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

/* One of both loops, until enough rounds agree. */
static void measure_loop(struct htmt__host_clock *clock, const char *name, const char *what,
                         htmt__host_loop_fn *run, struct arguments *x,
                         struct htmt__host_figure *figure)
{
    char text[48];
    snprintf(text, sizeof text, "%s %s", name, what);
    const struct htmt__host_loop loop = {text, run, x, NULL};
    if (!htmt__host_settled(clock, figure))
        htmt__host_keep(figure, htmt__host_sample(clock, &loop, LEAST));
}

static void fill(struct arguments *x, const struct row *row, double from, double to)
{
    for (unsigned i = 0; i < TABLE; i++) {
        x->real[i] = row->times * argument(i, from, to);
        x->single[i] = (float)x->real[i];
    }
}

/* The arguments of a range that the function is given for; false: there are none. */
static bool bounds(const struct row *row, unsigned range, double *from, double *to)
{
    const bool last = range + 1 == HTMT__LIBRARY_RANGES;
    const double most = row->to <= 1 ? row->to : last ? FARTHEST : FAR;
    *from = fmax(htmt__library_range_from(range), row->from);
    *to = fmin(htmt__library_range_from(range + 1), most);
    return *from < *to;
}

static void measure_numbers(struct htmt__host_clock *clock, const struct row *row,
                            struct htmt__host_rate *rate,
                            struct htmt__host_call call[HTMT__LIBRARY_RANGES])
{
    struct arguments x;
    double from, to;
    rate->name = row->name;
    fill(&x, row, row->from / row->times, row->to / row->times);
    measure_loop(clock, row->name, "apart", row->apart, &x, &rate->every);
    measure_loop(clock, row->name, "chain", row->chain, &x, &rate->latency);
    for (unsigned i = 0; i < HTMT__LIBRARY_RANGES; i++) {
        char name[32];
        if (!bounds(row, i, &from, &to))
            continue;
        snprintf(name, sizeof name, "%s %u", row->name, i);
        fill(&x, row, from, to);
        measure_loop(clock, name, "apart", row->apart, &x, &call[i].every);
        measure_loop(clock, name, "chain", row->chain, &x, &call[i].latency);
    }
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

static bool marked(const struct htmt__host_figures *f, unsigned i)
{
    const struct htmt__host_rate *rate = &f->rate[f->rates + i];
    bool any = rate->latency.disturbed || rate->every.disturbed;
    for (unsigned k = 0; k < HTMT__LIBRARY_RANGES && i < COUNT; k++)
        any |= f->call[i][k].latency.disturbed || f->call[i][k].every.disturbed;
    return any;
}

static bool any_marked(const struct htmt__host_figures *f)
{
    bool any = false;
    for (unsigned i = 0; i < COUNT + LENGTHS; i++)
        any |= marked(f, i);
    return any;
}

static bool differ(double a, double b)
{
    return a > ALIKE * b || b > ALIKE * a;
}

/* Less what the chain has beside the function: a product, and a sum on its way to other units. */
static void take_away(struct htmt__host_figures *f, const struct row *row,
                      struct htmt__host_figure *latency, const struct htmt__host_figure *every)
{
    const struct htmt__host_rate *product = htmt__host_rate_of(f, row->beside[0]),
                                 *sum = htmt__host_rate_of(f, row->beside[1]);
    *latency = htmt__host_less(*latency, product->latency);
    *latency = htmt__host_less(*latency, sum->onward.value > 0 ? sum->onward : sum->latency);
    if (latency->value < every->value)
        latency->value = every->value;
}

/* Which ranges differ from the one before; and the instructions of both, of a number in the middle.
 */
static void find_ranges(struct htmt__host_figures *f, unsigned i)
{
    struct htmt__host_rate *rate = &f->rate[f->first_function + i];
    const struct row *row = &rows[i];
    const struct htmt__host_figure *latency = &rate->latency, *every = &rate->every;
    double from, to;
    take_away(f, row, &rate->latency, &rate->every);
    rate->instructions = htmt__host_library_steps(i, row->from + 0.4 * (row->to - row->from));
    for (unsigned k = 0; k < HTMT__LIBRARY_RANGES; k++) {
        struct htmt__host_call *c = &f->call[i][k];
        if (!bounds(row, k, &from, &to))
            continue;
        take_away(f, row, &c->latency, &c->every);
        c->own = differ(c->latency.value, latency->value) || differ(c->every.value, every->value);
        if (!c->own)
            continue;
        c->instructions = htmt__host_library_steps(i, row->times * (from + to) / 2);
        latency = &c->latency;
        every = &c->every;
    }
}

void htmt__host_library(struct htmt__host_clock *clock, struct htmt__host_figures *f,
                        htmt__host_progress_fn *progress, void *user)
{
    struct htmt__host_rate *rate = &f->rate[f->rates];
    f->first_function = f->rates;
    f->functions = (unsigned)COUNT;
    for (unsigned round = 0; htmt__host_again(clock, round, ROUNDS, any_marked(f)); round++)
        for (unsigned i = 0; i < COUNT + LENGTHS; i++) {
            if (round >= ROUNDS && !marked(f, i))
                continue;
            if (progress)
                progress(user, htmt__host_library_row(i));
            if (i < COUNT)
                measure_numbers(clock, &rows[i], &rate[i], f->call[i]);
            else
                measure_length(clock, (unsigned)(i - COUNT), &rate[i]);
        }
    for (unsigned i = 0; i < LENGTHS; i++)
        split(&rate[COUNT + i]);
    f->rates += (unsigned)(COUNT + LENGTHS);
}

void htmt__host_library_ranges(struct htmt__host_figures *f)
{
    for (unsigned i = 0; i < COUNT; i++)
        find_ranges(f, i);
}
