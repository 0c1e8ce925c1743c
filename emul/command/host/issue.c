/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a processor makes of instructions before they run, and how many of some kinds begin at once.
 *
 * Groups. Instructions come out of a store of decoded ones in groups, of which none goes on behind
 * a jump. So a turn of g + 1 instructions takes two cycles where groups have g, whatever the issue.
 * By hand, groups of 8 and an issue of 6: turns of 8 take 1.33 cycles and those of 9 to 12 take 2.
 * The first turn that takes a sixth more than the issue tells g: of 9 instructions, 2 cycles and
 * not 1.5.
 *
 * Unfused. An addition to memory is one instruction, but a load, an addition and two parts of a
 * store. Processors issue some such pairs as one, and take them apart where the address has an
 * index, and then the places of a cycle's issue that they do not fit stay empty. Sixteen of them in
 * a turn, each before one to six instructions that do nothing, take longer than sixteen more that
 * do nothing: that is more issue of one.
 *
 * Beside. All loads, stores, branches and operations of reals have units of their own, but the turn
 * of a loop that keeps them all busy takes longer than any of these alone. By hand, sixteen loads,
 * each with a sum or a product of it, 16 / 3 cycles by the three units of either and 34 / 6 by the
 * issue, take 6.4: 33 with the branch, so one each 0.194 cycles. A turn of two loads, a product, a
 * sum, a store and a branch then takes 1.16 cycles, although the issue would let it pass in one.
 *
 * Calls. A call that waits for the end of a chain of square roots holds some of the places of those
 * that wait: of k sums that wait for it, too, fewer fit beside it. The k is found by halving in
 * steps of four, so of one function it is hardly known within a tenth. But they all are code of the
 * same kind, and what they hold is a share of their instructions, so the middle share of all serves
 * each, in tenths. By hand, of 100, 60 and 55 instructions 52, 28 and 28 wait, shares of 0.52, 0.47
 * and 0.51: of 100 instructions 50 wait.
 */
#include "emul/command/host/issue.h"
#include "emul/command/host/sample.h"
#include "runtime/base/by_size.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST  20e3 /* ns of a sample */
#define ROUNDS 6

/* ---- groups ---------------------------------------------------------------------------------- */

#define GROUPS_FROM 6 /* instructions of the shortest turn */
#if defined __x86_64__
/* Of a usual length, and all of the loop from the head of a line of code. */
#define NOTHING ".byte 0x0f, 0x1f, 0x40, 0x00\n\t"
#define GROUP(k)                                                                                   \
    static void group_##k(void *user, uint64_t n)                                                  \
    {                                                                                              \
        (void)user;                                                                                \
        __asm__ volatile(".p2align 6\n1:\n\t.rept " #k "\n\t" NOTHING ".endr\n\tdec %0\n\tjnz 1b"  \
                         : "+r"(n)                                                                 \
                         :                                                                         \
                         : "cc");                                                                  \
    }
#define GROUPS(X) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16)
GROUPS(GROUP)
#define GROUP_ROW(k) group_##k,
static htmt__host_loop_fn *const groups[] = {GROUPS(GROUP_ROW)};
#define TURNS (sizeof groups / sizeof *groups)

static void measure_groups(struct htmt__host_clock *clock, struct htmt__host_figure *turn)
{
    for (unsigned i = 0; i < TURNS; i++) {
        char name[24];
        snprintf(name, sizeof name, "group %u", GROUPS_FROM + i);
        const struct htmt__host_loop loop = {name, groups[i], NULL, NULL};
        htmt__host_keep(&turn[i], htmt__host_sample(clock, &loop, LEAST));
    }
}

static struct htmt__host_figure find_group(const struct htmt__host_figure *turn, double issue)
{
    for (unsigned i = 1; i < TURNS; i++)
        if (turn[i].value > 7.0 / 6 * fmax(1, (GROUPS_FROM + i) / issue)) {
            struct htmt__host_figure f = turn[i];
            f.value = GROUPS_FROM + i - 1;
            return f;
        }
    return (struct htmt__host_figure){.value = 0};
}

/* ---- unfused --------------------------------------------------------------------------------- */

#define EACH 16
#define ONE(text, k, rest)                                                                         \
    __asm__ volatile(text ".rept " #rest "\n\t" NOTHING ".endr\n\t"                                \
                     :                                                                             \
                     : "r"(at), "r"(none), "i"(8 * (k))                                            \
                     : "memory", "cc");
/* clang-format off */
#define AMONG(name, text)                                                                          \
    static void name##_loop(void *user, uint64_t n)                                                \
    {                                                                                              \
        double *at = user;                                                                         \
        uint64_t none = 0;                                                                         \
        KEEP(WHOLE, none);                                                                         \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            ONE(text, 0, 3) ONE(text, 1, 1) ONE(text, 2, 4) ONE(text, 3, 2)                        \
            ONE(text, 4, 6) ONE(text, 5, 5) ONE(text, 6, 2) ONE(text, 7, 3)                        \
            ONE(text, 0, 1) ONE(text, 1, 2) ONE(text, 2, 3) ONE(text, 3, 4)                        \
            ONE(text, 4, 5) ONE(text, 5, 6) ONE(text, 6, 3) ONE(text, 7, 2)                        \
        }                                                                                          \
    }
/* clang-format on */
AMONG(none, NOTHING)
AMONG(add, "addq $1, %c2(%0)\n\t")
AMONG(add_index, "addq $1, %c2(%0,%1,8)\n\t")
AMONG(index, "cmpq %c2(%0,%1,8), %1\n\t")
static const struct {
    const char *name;
    htmt__host_loop_fn *loop;
} unfused[] = {{"unfused none", none_loop},
               {"unfused add", add_loop},
               {"unfused add-index", add_index_loop},
               {"unfused index", index_loop}};
#define UNFUSED (sizeof unfused / sizeof *unfused)

static void measure_unfused(struct htmt__host_clock *clock, double *at,
                            struct htmt__host_figure *turn)
{
    for (unsigned i = 0; i < UNFUSED; i++) {
        const struct htmt__host_loop loop = {unfused[i].name, unfused[i].loop, at, NULL};
        htmt__host_keep(&turn[i], htmt__host_sample(clock, &loop, LEAST));
    }
}

static void find_unfused(const struct htmt__host_figure *turn, struct htmt__host_figures *f)
{
    struct htmt__host_figure *const to[] = {&f->unfused_add, &f->unfused_add_index,
                                            &f->unfused_index};
    for (unsigned i = 1; i < UNFUSED; i++) {
        *to[i - 1] = htmt__host_part_of(htmt__host_less(turn[i], turn[0]), EACH);
        to[i - 1]->value = fmax(to[i - 1]->value, 0);
    }
}
#endif

/* ---- beside ---------------------------------------------------------------------------------- */

#define BEGIN 33 /* in a turn: loads, as many operations of them, the branch */
#define OF_WORD(k, OP)                                                                             \
    {                                                                                              \
        double v = *(volatile double *)(at + (k));                                                 \
        v = v OP two;                                                                              \
        KEEP(REAL, v);                                                                             \
    }
#define OF_WORDS                                                                                   \
    OF_WORD(0, *)                                                                                  \
    OF_WORD(1, +)                                                                                  \
    OF_WORD(2, *) OF_WORD(3, +) OF_WORD(4, *) OF_WORD(5, +) OF_WORD(6, *) OF_WORD(7, +)

static void beside_loop(void *user, uint64_t n)
{
    double two = 2, *at = user;
    KEEP(REAL, two);
    for (uint64_t i = 0; i < n; i++) {
        OF_WORDS OF_WORDS
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

#define MOST     256 /* instructions */
#define TOLD     4   /* so many at a time */
#define SHORTEST 40  /* of functions that tell their share */
#define LONGEST  160
#if defined __x86_64__
/* A function of MOST sums that wait for the argument, of four bytes each, which may be entered at
 * each of them. */
void htmt__host_waiting(double root);
__asm__(".text\n.p2align 6\n.globl htmt__host_waiting\n.hidden htmt__host_waiting\n"
        ".type htmt__host_waiting, @function\nhtmt__host_waiting:\n.rept 64\n"
        "addsd %xmm0, %xmm1\naddsd %xmm0, %xmm2\naddsd %xmm0, %xmm3\naddsd %xmm0, %xmm4\n"
        ".endr\nret\n.size htmt__host_waiting, . - htmt__host_waiting\n");

static double roots(double v)
{
    KEEP(REAL, v);
    return htmt__host_roots(v);
}

static void none_behind(void *user, uint64_t n)
{
    const struct htmt__host_behind *b = user;
    for (uint64_t i = 0; i < n; i++)
        b->others(b->roots(2));
}

/* The most sums behind the call that let two chains of so many cycles be under way at once; -1: the
 * core was not still. */
static double room_behind(struct htmt__host_clock *clock, const char *name,
                          htmt__host_loop_fn *loop, double length)
{
    unsigned low = 0, high = MOST / TOLD;
    while (high - low > 1) {
        const unsigned k = (low + high) / 2;
        const char *from = (const char *)(uintptr_t)htmt__host_waiting;
        struct htmt__host_behind b = {roots,
                                      (void (*)(double))(uintptr_t)(from + 4 * (MOST - TOLD * k))};
        char text[48];
        snprintf(text, sizeof text, "waiting beside %s %u", name, TOLD * k);
        const struct htmt__host_loop each = {text, loop, &b, NULL};
        const struct htmt__host_figure turn = htmt__host_sample(clock, &each, LEAST);
        if (turn.taken == 0)
            return -1;
        *(turn.value < 3 * length / 4 ? &low : &high) = k;
    }
    return TOLD * low;
}

/* Noise makes samples longer, and so the room smaller. */
#define CALL_ROUNDS 2
static double room_with(struct htmt__host_clock *clock, const char *name, htmt__host_loop_fn *loop,
                        double length)
{
    double most = -1;
    for (int round = 0; round < CALL_ROUNDS; round++)
        most = fmax(most, room_behind(clock, name, loop, length));
    return most;
}

/* Functions of doubles alone: those of floats are the same kind of code. */
static double find_share(struct htmt__host_clock *clock, struct htmt__host_figures *f,
                         htmt__host_progress_fn *progress, void *user)
{
    const double chain = HTMT__HOST_ROOTS * htmt__host_rate_of(f, "sqrt-f64")->latency.value,
                 places = room_with(clock, "none", none_behind, chain);
    double share[HTMT__HOST_FUNCTIONS];
    unsigned n = 0;
    for (unsigned i = 0; places > 0 && i < f->functions; i++) {
        const struct htmt__host_rate *r = &f->rate[f->first_function + i];
        if (!strstr(r->name, "-f64") || r->instructions < SHORTEST || r->instructions > LONGEST)
            continue;
        if (progress)
            progress(user, r->name);
        const double others =
            room_with(clock, r->name, htmt__host_library_behind(i), chain + r->latency.value);
        if (others >= 0)
            share[n++] = (places - others) / r->instructions;
    }
    qsort(share, n, sizeof *share, htmt__by_size);
    return n ? round(10 * share[n / 2]) / 10 : 0;
}

static void measure_calls(struct htmt__host_clock *clock, struct htmt__host_figures *f,
                          htmt__host_progress_fn *progress, void *user)
{
    const double share = find_share(clock, f, progress, user);
    for (unsigned i = 0; i < f->functions; i++) {
        f->rate[f->first_function + i].places = share * f->rate[f->first_function + i].instructions;
        for (unsigned k = 0; k < HTMT__LIBRARY_RANGES; k++)
            f->call[i][k].places = share * f->call[i][k].instructions;
    }
}
#endif

/* ---- all of it ------------------------------------------------------------------------------- */

void htmt__host_instructions(struct htmt__host_clock *clock, struct htmt__host_figures *f,
                             htmt__host_progress_fn *progress, void *user)
{
    _Alignas(64) double room[8] = {0}, added[8] = {0};
    const struct htmt__host_loop beside = {"beside", beside_loop, room, NULL};
    if (progress)
        progress(user, "issue");
#if defined __x86_64__
    struct htmt__host_figure turn[TURNS] = {{0}}, apart[UNFUSED] = {{0}};
#endif
    for (unsigned round = 0; htmt__host_again(clock, round, ROUNDS, f->beside.disturbed); round++) {
        htmt__host_keep(&f->beside,
                        htmt__host_part_of(htmt__host_sample(clock, &beside, LEAST), BEGIN));
#if defined __x86_64__
        measure_groups(clock, turn);
        measure_unfused(clock, added, apart);
#endif
    }
#if defined __x86_64__
    f->group = find_group(turn, f->issue.value);
    find_unfused(apart, f);
    measure_calls(clock, f, progress, user);
#endif
}
