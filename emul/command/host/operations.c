/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops of one operation each: a chain, in which each waits for the one before, and eight apart,
 * of which none waits, four times in a turn, so that the turn's own count and branch do not show.
 * The values go through empty assembly, which keeps the compiler from
 * computing them beforehand.
 *
 * Why two loops: a processor has two figures for an operation. From a result to the next operation
 * that needs it passes its latency, which the chain shows. Operations that do not wait for each
 * other begin more often, and the loop of eight shows how often, as long as eight fill the latency:
 * of additions with a latency of 4 cycles, two of which begin in each, the chain takes 32 cycles
 * for eight, and the other loop 4, which is both figures. With 5 cycles it would take 5, and the
 * rate come out as 1.6 a cycle: a processor that has more than eight of an operation under way is
 * told too slow. So products and minima of reals, which take 4 cycles on two units, are of one
 * number again and again, and none of them waits. Fused ones overwrite an operand, and a copy of
 * the number for each would take longer than that costs: they are as the others.
 *
 * Some chains need a second operation to close, as a square root, which would creep towards 1,
 * needs a product. What the chain has beside the operation is taken away afterwards (take_away), so
 * rows are in an order in which the other operation's latency is known by then.
 */
#include "emul/command/host/rows.h"
#include "layers/node/history.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST  10e3 /* ns of a sample */
#define APART  8    /* operations beside each other in the loops: chained, or apart */
#define ROUNDS 12   /* others disturb for longer than a loop lasts */

#define LOOPS(name, type, where, first, second, OP) LOOPS_ON(, name, type, where, first, second, OP)

#define SHORT_DIV(v) (c / (v | 1))
#define SHORT_REM(v) (c % (v | 1))
#define WHOLE_DIV(v) divided(c, v | 1)
#define WHOLE_REM(v) remainder_of(c, v | 1)
#define LESS(v)      lesser(v, c)
#define LESSF(v)     lesserf(v, c)
#define SMALLER(v)   (v < c ? v : c)
#define SCALED(v)    (c + (v << 3))

#ifdef CONDITION
#define CHOICES     4
#define CHOSEN_1(v) CHOSEN(CHOOSE CHOOSE CHOOSE CHOOSE, v, c)
#define CHOSEN_2(v) CHOSEN(CHOOSE_TWO CHOOSE_TWO CHOOSE_TWO CHOOSE_TWO, v, c)
#else
#define CHOICES     1
#define CHOSEN_1(v) SMALLER(v)
#define CHOSEN_2(v) SMALLER(v)
#endif
#define ROOT(v)      (sqrt(v) * c)
#define ROOTF(v)     (sqrtf(v) * c)
#define BY_F64_32(v) (int32_t) through_f64((double)v)
#define BY_F64_64(v) (int64_t) through_f64((double)v)
#define BY_I32(v)    (float)through_i32((int32_t)v)
#define BY_I64(v)    (double)through_i64((int64_t)v)

/* A real cut to an integer, twice: a step of the chain has two conversions. */
#define CUT(type, where, v)                                                                        \
    {                                                                                              \
        KEEP(REAL, a);                                                                             \
        type cut = (type)a;                                                                        \
        KEEP(where, cut);                                                                          \
        KEEP(REAL, a);                                                                             \
        cut = (type)a;                                                                             \
        KEEP(where, cut);                                                                          \
    }

/* The compiler cannot leave out a conversion there and back. */
static inline double through_f64(double v)
{
    KEEP(REAL, v);
    return v;
}
/* Of reals a comparison is that of the lesser of two, which waits for both. */
static inline double lesser(double a, double b)
{
#if defined __x86_64__
    __asm__("minsd %1, %0" : "+x"(a) : "x"(b));
    return a;
#else
    return a < b ? a : b;
#endif
}
static inline float lesserf(float a, float b)
{
#if defined __x86_64__
    __asm__("minss %1, %0" : "+x"(a) : "x"(b));
    return a;
#else
    return a < b ? a : b;
#endif
}
static inline int32_t through_i32(int32_t v)
{
    KEEP(WHOLE, v);
    return v;
}
static inline int64_t through_i64(int64_t v)
{
    KEEP(WHOLE, v);
    return v;
}

/* Long numbers are short ones most of the time, and divisions of those take less: compilers look
 * before they divide. */
static inline int64_t divided(int64_t a, int64_t b)
{
    return (uint64_t)(a | b) >> 32 ? a / b : (int64_t)((uint32_t)a / (uint32_t)b);
}
static inline int64_t remainder_of(int64_t a, int64_t b)
{
    return (uint64_t)(a | b) >> 32 ? a % b : (int64_t)((uint32_t)a % (uint32_t)b);
}

#define INTEGERS(bits, type)                                                                       \
    LOOPS(add_i##bits, u##type, WHOLE, 1, 3, ADD)                                                  \
    LOOPS(sub_i##bits, u##type, WHOLE, 1, 3, SUB)                                                  \
    LOOPS(mul_i##bits, u##type, WHOLE, 3, 5, MUL)                                                  \
    LOOPS(logic_i##bits, type, WHOLE, 30011, 77777, LOGIC)                                         \
    LOOPS(min_i##bits, type, WHOLE, 30011, 77777, SMALLER)                                         \
    LOOPS(shift_i##bits, u##type, WHOLE, 30011, 77777, SHIFTED)                                    \
    LOOPS(shift_add_i##bits, u##type, WHOLE, 30011, 77777, SCALED)                                 \
    LOOPS(select_i##bits, type, WHOLE, 30011, 77777, CHOSEN_1)                                     \
    LOOPS(select_two_i##bits, type, WHOLE, 30011, 77777, CHOSEN_2)                                 \
    static void convert_i##bits##_chain(void *user, uint64_t n)                                    \
    {                                                                                              \
        type v0 = 30011;                                                                           \
        (void)user;                                                                                \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            MANY(CHAINED, BY_F64_##bits, WHOLE)                                                    \
        }                                                                                          \
    }                                                                                              \
    static void to_i##bits##_apart(void *user, uint64_t n)                                         \
    {                                                                                              \
        double a = 30011;                                                                          \
        (void)user;                                                                                \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            MANY(CUT, type, WHOLE)                                                                 \
        }                                                                                          \
    }
INTEGERS(32, int32_t)
INTEGERS(64, int64_t)
LOOPS(div_i32, int32_t, WHOLE, 30011, 900000007, SHORT_DIV)
LOOPS(rem_i32, int32_t, WHOLE, 30011, 900000007, SHORT_REM)
LOOPS(div_i64, int64_t, WHOLE, 30011, 900000007, WHOLE_DIV)
LOOPS(rem_i64, int64_t, WHOLE, 30011, 900000007, WHOLE_REM)

#define REALS(bits, type, root, less)                                                              \
    LOOPS(add_f##bits, type, REAL, 1, 1e-3, ADD)                                                   \
    LOOPS(sub_f##bits, type, REAL, 1, 1e-3, SUB)                                                   \
    LOOPS_IN(, mul_f##bits, type, REAL, 1.7, 1, ANEW, MUL)                                         \
    LOOPS(div_f##bits, type, REAL, 1.7, 2.9, DIV)                                                  \
    LOOPS(sqrt_f##bits, type, REAL, 2, 1.4142135, root)                                            \
    LOOPS_IN(, min_f##bits, type, REAL, 1.7, 2.9, ANEW, less)                                      \
    LOOPS(fma_f##bits, type, REAL, 1.7, 1, FMA)
REALS(64, double, ROOT, LESS)
REALS(32, float, ROOTF, LESSF)
LOOPS(convert_f64, double, REAL, 1.7, 1, BY_I64)
LOOPS(convert_f32, float, REAL, 1.7, 1, BY_I32)
/* Comparisons that a branch asks set flags, which fewer units do than find the lesser of two. */
#if defined __x86_64__
#define FLAGS(word, a, b) __asm__ volatile(word " %1, %0" ::"x"(a), "x"(b) : "cc");
#else
#define FLAGS(word, a, b)                                                                          \
    {                                                                                              \
        int less = a < b;                                                                          \
        KEEP(WHOLE, less);                                                                         \
    }
#endif
#define ASK(word, where, v) FLAGS(word, a, b)
#define COMPARE(bits, type, word)                                                                  \
    static void cmp_f##bits##_apart(void *user, uint64_t n)                                        \
    {                                                                                              \
        type a = 1, b = 2;                                                                         \
        (void)user;                                                                                \
        KEEP(REAL, a);                                                                             \
        KEEP(REAL, b);                                                                             \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            MANY(ASK, word, REAL)                                                                  \
        }                                                                                          \
    }
COMPARE(64, double, "ucomisd")
COMPARE(32, float, "ucomiss")
/* A change of sign, an exclusive or of the sign's bit. */
LOOPS(logic_f64, double, REAL, 1.7, 1, NEGATED)
LOOPS(logic_f32, float, REAL, 1.7, 1, NEGATED)

static __attribute__((noinline)) void nothing(void)
{
    __asm__ volatile("");
}

static void call_loop(void *user, uint64_t n)
{
    (void)user;
    for (uint64_t i = 0; i < n; i++)
        for (int k = 0; k < APART; k++)
            nothing();
}

static void constant_loop(void *user, uint64_t n)
{
    (void)user;
    for (uint64_t i = 0; i < n; i++)
        for (int k = 0; k < APART; k++) {
            uint64_t v = 12345;
            KEEP(WHOLE, v);
        }
}

/* ---- table ----------------------------------------------------------------------------------- */

#define ROW(name, text)                                                                            \
    {                                                                                              \
        text, name##_chain, name##_apart, NULL, TIMES *APART                                       \
    }
#define ROW_BESIDE(name, text, of)                                                                 \
    {                                                                                              \
        text, name##_chain, name##_apart, of, TIMES *APART                                         \
    }
#define CHOICE(name, text)                                                                         \
    {                                                                                              \
        text, name##_chain, name##_apart, NULL, CHOICES *TIMES *APART                              \
    }
#define ROWS_INTEGER(bits)                                                                         \
    ROW(add_i##bits, "add-i" #bits), ROW(sub_i##bits, "sub-i" #bits),                              \
        ROW(mul_i##bits, "mul-i" #bits), ROW(logic_i##bits, "logic-i" #bits),                      \
        ROW_BESIDE(div_i##bits, "div-i" #bits, "logic-i" #bits),                                   \
        ROW_BESIDE(rem_i##bits, "rem-i" #bits, "logic-i" #bits),                                   \
        {"cmp-i" #bits, sub_i##bits##_chain, sub_i##bits##_apart, NULL,                            \
         TIMES * APART}, /* alike */                                                               \
        ROW(min_i##bits, "min-i" #bits), ROW(shift_i##bits, "shift-i" #bits),                      \
        ROW(shift_add_i##bits, "shift-add-i" #bits), CHOICE(select_i##bits, "select-i" #bits),     \
        CHOICE(select_two_i##bits, "select-two-i" #bits),                                          \
    {                                                                                              \
        "convert-i" #bits, convert_i##bits##_chain, to_i##bits##_apart, NULL, 2 * TIMES *APART     \
    }
#define ROWS_REAL(bits)                                                                            \
    ROW(add_f##bits, "add-f" #bits), ROW(sub_f##bits, "sub-f" #bits),                              \
        ROW(mul_f##bits, "mul-f" #bits), ROW(div_f##bits, "div-f" #bits),                          \
        {"cmp-f" #bits, min_f##bits##_chain, cmp_f##bits##_apart, NULL, TIMES * APART},            \
        ROW(min_f##bits, "min-f" #bits),                                                           \
        {"convert-f" #bits, convert_f##bits##_chain, convert_f##bits##_apart, NULL,                \
         2 * TIMES * APART},                                                                       \
        ROW(logic_f##bits, "logic-f" #bits), ROW(fma_f##bits, "fma-f" #bits),                      \
        ROW_BESIDE(sqrt_f##bits, "sqrt-f" #bits, "mul-f" #bits)

static const struct htmt__host_row rows[] = {ROWS_INTEGER(32),
                                             ROWS_INTEGER(64),
                                             ROWS_REAL(32),
                                             ROWS_REAL(64),
                                             {"call", NULL, call_loop, NULL, APART},
                                             {"constant", NULL, constant_loop, NULL, APART}};
#define ROWS (sizeof rows / sizeof *rows)

/* Those of vectors stand behind these, those of the library behind all others. */
static const struct htmt__host_row *row_of(unsigned i)
{
    const struct htmt__host_row *fused = i < ROWS ? htmt__host_fused_row(rows[i].name) : NULL;
    return fused ? fused : i < ROWS ? &rows[i] : htmt__host_vector_row(i - (unsigned)ROWS);
}

const char *htmt__host_row(unsigned i)
{
    const unsigned n = (unsigned)ROWS;
    const char *vector = i < n ? NULL : htmt__host_vector_name(i - n);
    return i < n    ? rows[i].name
           : vector ? vector
                    : htmt__host_library_row(i - n - htmt__host_vector_names());
}

static struct htmt__host_figure latency_of(struct htmt__host_figures *f, const char *name)
{
    const struct htmt__host_rate *r = htmt__host_rate_of(f, name);
    return r ? r->latency : (struct htmt__host_figure){.value = 0};
}

/* `again`: only what is marked. */
static bool due(const struct htmt__host_clock *clock, const struct htmt__host_figure *f, bool again)
{
    return again ? f->disturbed : !htmt__host_settled(clock, f);
}

static void measure_row(struct htmt__host_clock *clock, const struct htmt__host_row *row,
                        struct htmt__host_rate *rate, bool again)
{
    const double each = row->operations;
    char name[48];
    rate->name = row->name;
    snprintf(name, sizeof name, "%s apart", row->name);
    const struct htmt__host_loop apart = {name, row->apart, NULL, NULL};
    if (due(clock, &rate->every, again))
        htmt__host_keep(&rate->every,
                        htmt__host_part_of(htmt__host_sample(clock, &apart, LEAST), each));
    snprintf(name, sizeof name, "%s chain", row->name);
    const struct htmt__host_loop chain = {name, row->chain, NULL, NULL};
    if (row->chain && due(clock, &rate->latency, again))
        htmt__host_keep(&rate->latency,
                        htmt__host_part_of(htmt__host_sample(clock, &chain, LEAST), each));
    if (!row->chain)
        rate->latency = rate->every;
}

/* ---- accesses, branches ---------------------------------------------------------------------- */

#define WORDS 512 /* of the loops that stay in the first cache */
#define LINE  64

struct words {
    double real[WORDS];
    int64_t whole[WORDS];
};

/* Loads that nothing waits for, and nothing else but the loop. */
#define LOAD(k)                                                                                    \
    {                                                                                              \
        double v = w->real[i + (k)];                                                               \
        KEEP(REAL, v);                                                                             \
    }
static void load_loop(void *user, uint64_t n)
{
    const struct words *w = user;
    for (uint64_t turn = 0; turn < n; turn++)
        for (int i = 0; i < WORDS; i += 8) {
            LOAD(0) LOAD(1) LOAD(2) LOAD(3) LOAD(4) LOAD(5) LOAD(6) LOAD(7)
        }
}

#define STORE(k) *(volatile double *)&w->real[i + (k)] = v;
static void store_loop(void *user, uint64_t n)
{
    struct words *w = user;
    double v = 1;
    KEEP(REAL, v);
    for (uint64_t turn = 0; turn < n; turn++)
        for (int i = 0; i < WORDS; i += 8) {
            STORE(0) STORE(1) STORE(2) STORE(3) STORE(4) STORE(5) STORE(6) STORE(7)
        }
}

/* In two lines in turns. */
#define IN_BOTH(k) STORE(k) STORE(WORDS / 2 + (k))
static void store_apart_loop(void *user, uint64_t n)
{
    struct words *w = user;
    double v = 1;
    KEEP(REAL, v);
    for (uint64_t turn = 0; turn < n; turn++)
        for (int i = 0; i < WORDS / 2; i += 4) {
            IN_BOTH(0) IN_BOTH(1) IN_BOTH(2) IN_BOTH(3)
        }
}

/* Two square roots in a chain, and operations that wait for the second one: the next turn's begin
 * when few enough of them are left. */
#define WAITED 96
#define WAIT(OP)                                                                                   \
    {                                                                                              \
        KEEP(REAL, v);                                                                             \
        double w = v;                                                                              \
        w = OP(w);                                                                                 \
        KEEP(REAL, w);                                                                             \
    }
#define WAIT_EIGHT WAIT(ADD) WAIT(MUL) WAIT(ADD) WAIT(MUL) WAIT(ADD) WAIT(MUL) WAIT(ADD) WAIT(MUL)

static void window_loop(void *user, uint64_t n)
{
    double two = 2, c = 1;
    (void)user;
    KEEP(REAL, c);
    for (uint64_t i = 0; i < n; i++) {
        KEEP(REAL, two);
        double v = sqrt(sqrt(two));
        KEEP(REAL, v);
        WAIT_EIGHT WAIT_EIGHT WAIT_EIGHT WAIT_EIGHT WAIT_EIGHT WAIT_EIGHT WAIT_EIGHT WAIT_EIGHT
            WAIT_EIGHT WAIT_EIGHT WAIT_EIGHT WAIT_EIGHT
    }
}

struct branches {
    uint64_t mask, state; /* of the random numbers: no sample has those of the one before */
};

/* Taken as random bits say that no predictor remembers; never where `mask` is 0. */
static void branch_loop(void *user, uint64_t n)
{
    struct branches *b = user;
    uint64_t taken = 0, state = b->state, mask = b->mask;
    for (uint64_t i = 0; i < n; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        if (state >> 63 & mask) {
            taken++;
            KEEP(WHOLE, taken);
        }
        KEEP(WHOLE, taken);
    }
    b->state = state;
}

/* Branches that are never taken, all behind comparisons of integers, or half of them behind
 * comparisons of reals; and half as many, with a shift beside each. */
#define JUMPS 16 /* of a turn, beside the loop's own */
#define NEVER_WHOLE                                                                                \
    KEEP(WHOLE, whole);                                                                            \
    if (__builtin_expect(whole == 1, 0))                                                           \
        return;
#define NEVER_REAL                                                                                 \
    KEEP(REAL, real);                                                                              \
    if (__builtin_expect(real > limit, 0))                                                         \
        return;
#define SHIFT_BESIDE                                                                               \
    {                                                                                              \
        uint64_t to = whole >> 3;                                                                  \
        KEEP(WHOLE, to);                                                                           \
    }
#define JUMP_LOOP(name, code)                                                                      \
    static void name(void *user, uint64_t n)                                                       \
    {                                                                                              \
        uint64_t whole = 0;                                                                        \
        double real = 1, limit = 2;                                                                \
        (void)user;                                                                                \
        KEEP(WHOLE, whole);                                                                        \
        KEEP(REAL, real);                                                                          \
        KEEP(REAL, limit);                                                                         \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            code code code code code code code code                                                \
        }                                                                                          \
    }
JUMP_LOOP(jump_loop, NEVER_WHOLE NEVER_WHOLE)
JUMP_LOOP(compare_loop, NEVER_REAL NEVER_WHOLE)
JUMP_LOOP(shift_loop, SHIFT_BESIDE NEVER_WHOLE)

/* Each turn jumps back. */
static void taken_loop(void *user, uint64_t n)
{
    (void)user;
    for (uint64_t i = 0; i < n; i++)
        KEEP(WHOLE, i);
}

#define BRANCHES 10000 /* of a sample */

/* Turns of the loops, the last one so long that its ends do not count. */
static const uint64_t nests[HTMT__HOST_NESTS] = {8,  16,  24,  32,  40,  48,  64,   80,
                                                 96, 128, 192, 256, 384, 512, 16384};

/* A loop of `user` turns, again and again, n in all, whose ends a predictor may foresee. It knows
 * branches by where they lie, so which ends it takes for turns depends on that: of loops of 48
 * turns at twelve places those at four were not foreseen. Here both loops begin at lines of code,
 * as those that are timed do (-falign-loops=64). */
static void nest_loop(void *user, uint64_t n)
{
    const uint64_t turns = *(const uint64_t *)user;
#if defined __x86_64__
    int64_t left = (int64_t)n;
    uint64_t k;
    __asm__ volatile(".p2align 6\n1:\tmov %2, %1\n\t"
                     ".p2align 6\n2:\tdec %1\n\tjnz 2b\n\t"
                     "sub %2, %0\n\tjg 1b"
                     : "+r"(left), "=&r"(k)
                     : "r"(turns)
                     : "cc");
#else
    for (uint64_t i = 0; i < n; i += turns)
        for (uint64_t k = 0; k < turns; k++)
            KEEP(WHOLE, k);
#endif
}

/* Outcomes of the rows, the first one so short that all of it is remembered, and how many of a row
 * are timed; before, it came so often. */
static const uint32_t row_of_outcomes[HTMT__HOST_ROWS] = {64,    2048,  4096, 8192,
                                                          16384, 32768, 65536};
#define OUTCOMES  16384
#define CAME_ONCE 16

struct outcomes {
    uint32_t count;
    uint64_t at;
    uint8_t taken[HTMT__OUTCOMES_MOST];
};

/* Either way ends with the loop's branch: each turn jumps once, from a place that tells the
 * outcome.
 */
static void row_loop(void *user, uint64_t n)
{
    struct outcomes *o = user;
    const uint64_t last = o->count - 1, from = o->at;
    uint64_t ones = 0, zeros = 0;
    for (uint64_t i = 0; i < n; i++)
        if (o->taken[(from + i) & last]) {
            ones += 3;
            KEEP(WHOLE, ones);
        } else {
            zeros += 5;
            KEEP(WHOLE, zeros);
        }
    o->at = from + n;
}

static void learn_row(void *user)
{
    struct outcomes *o = user;
    o->at = 0;
    row_loop(o, (uint64_t)CAME_ONCE * o->count);
}

/* Whether an outcome of the row costs half of what a random one costs, or more. */
static bool is_new(const struct htmt__host_figures *f, unsigned row, double random)
{
    return htmt__host_less(f->row[row], f->row[0]).value >= random / 2;
}

/* Up to the first row that is not remembered. */
static void measure_rows(struct htmt__host_clock *clock, struct htmt__host_figures *f)
{
    const double random = htmt__host_less(f->branch, f->steady).value;
    struct outcomes *o = calloc(1, sizeof *o);
    uint64_t state = 1;
    for (unsigned i = 0; i < HTMT__HOST_ROWS && o && (!i || !is_new(f, i - 1, random)); i++) {
        char name[32];
        o->count = row_of_outcomes[i];
        for (uint32_t k = 0; k < o->count; k++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            o->taken[k] = (uint8_t)(state >> 63);
        }
        snprintf(name, sizeof name, "outcomes %" PRIu32, o->count);
        const struct htmt__host_loop loop = {name, row_loop, o, learn_row};
        htmt__host_keep(&f->row[i], htmt__host_samples(clock, &loop, OUTCOMES, 2));
    }
    free(o);
}

/* Accesses, the window, branches and loops. Which banks of the first cache serve the words
 * of a turn depends on where they lie in a line: each round has them elsewhere. */
static void measure_words(struct htmt__host_clock *clock, struct htmt__host_figures *f,
                          unsigned round)
{
    _Alignas(LINE) double room[sizeof(struct words) / sizeof(double) + LINE / sizeof(double)] = {0};
    struct words *w = (struct words *)(void *)(room + round % (LINE / sizeof(double)));
    struct branches random = {1, round}, steady = {0, round};
    const struct htmt__host_loop load = {"load", load_loop, w, NULL},
                                 store = {"store", store_loop, w, NULL},
                                 apart = {"store-apart", store_apart_loop, w, NULL},
                                 jump = {"jump", jump_loop, NULL, NULL},
                                 taken = {"jump-taken", taken_loop, NULL, NULL},
                                 compare = {"jump-compare", compare_loop, NULL, NULL},
                                 shift = {"jump-shift", shift_loop, NULL, NULL},
                                 window = {"window", window_loop, NULL, NULL},
                                 guess = {"branch", branch_loop, &random, NULL},
                                 guessed = {"branch steady", branch_loop, &steady, NULL};
    htmt__host_keep(&f->load, htmt__host_part_of(htmt__host_sample(clock, &load, LEAST), WORDS));
    htmt__host_keep(&f->store, htmt__host_part_of(htmt__host_sample(clock, &store, LEAST), WORDS));
    htmt__host_keep(&f->store_apart,
                    htmt__host_part_of(htmt__host_sample(clock, &apart, LEAST), WORDS));
    htmt__host_keep(&f->jump,
                    htmt__host_part_of(htmt__host_sample(clock, &jump, LEAST), JUMPS + 1));
    htmt__host_keep(&f->jump_taken, htmt__host_sample(clock, &taken, LEAST));
    htmt__host_keep(&f->jump_compare, htmt__host_part_of(htmt__host_sample(clock, &compare, LEAST),
                                                         (double)JUMPS / 2));
    htmt__host_keep(&f->jump_shift,
                    htmt__host_part_of(htmt__host_sample(clock, &shift, LEAST), (double)JUMPS / 2));
    htmt__host_keep(&f->window, htmt__host_sample(clock, &window, LEAST));
    htmt__host_keep(&f->branch, htmt__host_samples(clock, &guess, BRANCHES, 4));
    htmt__host_keep(&f->steady, htmt__host_samples(clock, &guessed, BRANCHES, 4));
    for (unsigned i = 0; i < HTMT__HOST_NESTS; i++) {
        char name[32];
        uint64_t turns = nests[i];
        snprintf(name, sizeof name, "loops %" PRIu64, turns);
        const struct htmt__host_loop nest = {name, nest_loop, &turns, NULL};
        const uint64_t whole = nests[HTMT__HOST_NESTS - 1] / turns * turns;
        htmt__host_keep(&f->nest[i], htmt__host_samples(clock, &nest, whole, 4));
    }
    measure_rows(clock, f);
}

/* The longest loop, all shorter ones included, whose end costs less than half a wrong guess more
 * than a turn. */
static struct htmt__host_figure find_reach(const struct htmt__host_figures *f)
{
    struct htmt__host_figure reach = {.value = 0};
    for (unsigned i = 0; i + 1 < HTMT__HOST_NESTS; i++) {
        const double more = htmt__host_less(f->nest[i], f->nest[HTMT__HOST_NESTS - 1]).value;
        if ((double)nests[i] * more >= f->branch.value / 2)
            break;
        reach = f->nest[i];
        reach.value = (double)nests[i];
    }
    return reach;
}

/* The longest row that is remembered. How well a row is known that hardly fits differs from sample
 * to sample, which marks no figure: it is the count that is asked for. `random`: an outcome. */
static struct htmt__host_figure find_outcomes(const struct htmt__host_figures *f, double random)
{
    struct htmt__host_figure longest = {.value = 0};
    for (unsigned i = 1; i < HTMT__HOST_ROWS; i++) {
        if (f->row[i].value <= 0 || is_new(f, i, random))
            break;
        longest = f->row[i];
        longest.value = row_of_outcomes[i];
        longest.disturbed = false;
    }
    return longest;
}

/* What a chain has beside its operation. */
static void take_away(struct htmt__host_figures *f)
{
    for (unsigned i = 0; i < f->rates; i++) {
        struct htmt__host_rate *r = &f->rate[i];
        if (row_of(i)->beside)
            r->latency = htmt__host_less(r->latency, latency_of(f, row_of(i)->beside));
        if (r->latency.value < r->every.value)
            r->latency.value = r->every.value;
    }
}

static bool marked_row(const struct htmt__host_figures *f)
{
    bool marked = false;
    for (unsigned i = 0; i < f->rates; i++)
        marked |= f->rate[i].latency.disturbed || f->rate[i].every.disturbed;
    return marked;
}

static bool marked_word(const struct htmt__host_figures *f)
{
    bool marked = f->load.disturbed || f->store.disturbed || f->branch.disturbed ||
                  f->steady.disturbed || f->window.disturbed;
    for (unsigned k = 0; k < HTMT__HOST_NESTS; k++)
        marked |= f->nest[k].disturbed;
    return marked;
}

void htmt__host_operations(struct htmt__host_clock *clock, struct htmt__host_figures *f,
                           htmt__host_progress_fn *progress, void *user)
{
    while (row_of(f->rates))
        f->rates++;
    for (unsigned round = 0;
         htmt__host_again(clock, round, ROUNDS, marked_row(f) || marked_word(f)); round++) {
        for (unsigned i = 0; i < f->rates; i++) {
            if (progress)
                progress(user, row_of(i)->name);
            measure_row(clock, row_of(i), &f->rate[i], round >= ROUNDS);
        }
        if (round >= ROUNDS && !marked_word(f))
            continue;
        measure_words(clock, f, round);
        htmt__host_vector_accesses(clock, f, round);
    }
    /* Half of the random ones go against any prediction. */
    f->branch = htmt__host_part_of(htmt__host_less(f->branch, f->steady), 0.5);
    f->reach = find_reach(f);
    f->outcomes = find_outcomes(f, f->branch.value / 2);
    take_away(f);
    /* From the random number to the branch there are a shift and a comparison, which a new turn
     * waits for behind a wrong guess only. */
    for (int i = 0; i < 2; i++)
        f->branch = htmt__host_less(f->branch, latency_of(f, i ? "logic-i64" : "cmp-i64"));
    /* One of the operations waits for a root, the others for both. */
    f->window = htmt__host_part_of(f->window, (2 * WAITED + 1) * latency_of(f, "sqrt-f64").value);
    f->window.value = 1 / f->window.value;
}
