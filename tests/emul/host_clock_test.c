/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What `htmt host measure` makes of times: a false clock answers for each loop what a processor of
 * known figures would take, with noise, and the figures must come back.
 */
#include "emul/command/host/steps.h"
#include "emul/command/host/together.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The processor. A turn of the clock's loops is worked out below from these figures alone. */
#define REORDER  352
#define WAITING  120
#define STORES   72
#define WIDTH    5.0
#define FORWARD  6.5
#define PART     11.25
#define BRANCH   17.0
#define CALL     10.0 /* of a function by length, and 16 bytes of it */
#define BYTES    0.25
#define FILL     0.75
#define SPILL    1.5
#define REACH    100   /* branches: loops of 96 turns, not of 128 */
#define OUTCOMES 10000 /* rows of 8192, not of 16384 */

struct machine {
    uint64_t state;
    double noise;  /* of most samples, as a part */
    bool restless; /* one sample in three was taken while the core was not still */
    bool wild;     /* no two samples are alike */
    bool shrinks;  /* the last cache: half of it is gone after the first look */
    bool drifts;   /* the clock, by a fifth within a thousand samples */
    unsigned samples, shares;
    const char *slow; /* loops whose names begin so take a tenth longer, or NULL */
    const char *bad;  /* loops whose names begin so take nothing, or NULL */
    const char *late; /* the first `restless_first` samples of this loop are not still, or NULL */
    unsigned restless_first;
    const char *wide; /* of this loop one sample in three takes as long as it should, or NULL */
};

static double draw(struct machine *m)
{
    m->state = m->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(m->state >> 11) * 0x1p-53;
}

/* Additions and subtractions of reals share, and so do those of whole numbers. */
static int group_of(const char *name)
{
    const bool adds = !strncmp(name, "add-", 4) || !strncmp(name, "sub-", 4);
    const bool whole = strstr(name, "-i") != NULL;
    return adds ? 1 + whole : !strncmp(name, "mul-f", 5) || !strncmp(name, "fma-f64x", 8) ? 3 : 0;
}

/* Of the operations: latencies differ by name, those of a group are alike. */
static double latency(const char *name)
{
    double sum = 0;
    for (const char *c = name; *c; c++)
        sum += *c;
    return group_of(name) == 1          ? 2.5
           : group_of(name) == 2        ? 1
           : group_of(name) == 3        ? 3.75
           : !strncmp(name, "sqrt-", 5) ? 30
                                        : 6 + fmod(sum, 37) / 8;
}

static double every(const char *name)
{
    return group_of(name) ? 0.5 : latency(name) / 8;
}

/* What a chain has beside its operation. */
static const char *beside(const char *name)
{
    static const char *const of_library[] = {
        "sin-",   "cos-",   "tan-",   "atan-",  "exp-",    "log-",      "rem-f",
        "pow-",   "asin-",  "acos-",  "atan2-", "sinh-",   "cosh-",     "tanh-",
        "asinh-", "acosh-", "atanh-", "exp2-",  "expm1-",  "log2-",     "log10-",
        "log1p-", "cbrt-",  "erf-",   "erfc-",  "lgamma-", "tgamma-",   "hypot-",
        "floor-", "round-", "fdim-",  "ldexp-", "logb-",   "nextafter-"};
    static char text[16];
    const char *type = strchr(name, '-') + 1;
    const char *operation = NULL;
    for (size_t i = 0; i < sizeof of_library / sizeof *of_library; i++)
        if (!strncmp(name, of_library[i], strlen(of_library[i])))
            operation = "fma";
    if (!strncmp(name, "div-i", 5) || !strncmp(name, "rem-i", 5))
        operation = "logic";
    if (!strncmp(name, "sqrt-", 5))
        operation = "mul";
    if (!strncmp(name, "cmp-", 4) && strchr(type, 'x'))
        operation = "logic";
    snprintf(text, sizeof text, "%s-%s", operation ? operation : "", type);
    return operation ? text : NULL;
}

static bool is_function(const char *name)
{
    const char *other = strchr(name, '-') ? beside(name) : NULL;
    return other && !strncmp(other, "fma-", 4);
}

/* Steps of a turn: of vectors, "add-f64x4", twelve, of a function one, of what has no type, eight,
 * of selections four times as many as of others. */
static double steps(const char *name)
{
    const char *type = strchr(name, '-');
    if (strncmp(name, "select", 6) == 0)
        return 4 * 32;
    return type && strchr(type, 'x') ? 12 : !type ? 8 : is_function(name) ? 1 : 32;
}

/* Calls take longer from range 8 on, but for those of the natural logarithm. */
#define LONG_FROM 8
#define LONGER    1.5
static double in_range(const char *name, unsigned range)
{
    return range >= LONG_FROM && strncmp(name, "log-", 4) != 0 ? LONGER : 1;
}

static double chain(const char *name)
{
    if (is_function(name)) /* a product, and a sum on its way to others */
        return latency(name) + latency("mul-f64") + latency("add-f64") + 1.5;
    const double halves = strncmp(name, "convert", 7) ? 1 : 2;
    const double load = strncmp(name, "gather", 6) ? 0 : 4;
    return steps(name) *
           (halves * latency(name) + load + (beside(name) ? latency(beside(name)) : 0));
}

static double together(const char *a, const char *b)
{
    const double x = 6 * every(a), y = 6 * every(b);
    return group_of(a) && group_of(a) == group_of(b) ? x + y : fmax(x, y);
}

/* A result of group 1 takes 1.5 cycles more to others. */
static double turns(const char *a, const char *b)
{
    const bool apart = (group_of(a) == 1) != (group_of(b) == 1);
    return 3 * (latency(a) + latency(b) + (apart ? 1.5 : 0));
}

/* A chain of roots, and what holds k more: two chains under way, or one. */
static double queue(double k, double most, double each)
{
    const double roots = 14 * latency("sqrt-f64");
    return most > 0 && k >= most ? roots + (k - most) * each : fmax(roots / 2, k * each);
}

/* Level i: latency 4, 12, 48, 300; lines of a stream 0.5, 2, 5, 11 cycles, back 1, 3, 0.75. A load
 * of a word takes half a cycle, and lines out of l2 add to it. */
#define STORE  9.5
#define BEHIND 33.25 /* with three to l1 */
static double of_memory(const char *name)
{
    static const struct {
        const char *level;
        double chase, line, back;
    } levels[] = {{"l1", 4, 0.5, 1}, {"l2", 12, 2, 3}, {"l3", 48, 5, 0.75}, {"memory", 300, 11, 0}};
    char what[24];
    unsigned streams = 1, i = 0;
    while (strncmp(name, levels[i].level, strlen(levels[i].level)) != 0)
        i++;
    if (sscanf(name + strlen(levels[i].level), " %23s %u", what, &streams) < 2)
        return strcmp(what, "chase") ? levels[i].chase / 8 : levels[i].chase;
    if (!strcmp(what, "banks")) /* two of l2, of 3.5 cycles; none of l3 */
        return i == 1 ? (streams > 1 ? 3.5 : 2) : 5;
    if (!strcmp(what, "stores"))
        return streams > 1 ? BEHIND : STORE;
    const double loads = 8 * 0.5, line = levels[i].line;
    const double cycles = !strcmp(what, "write")    ? 1.25 * line
                          : !strcmp(what, "touch")  ? line + levels[i].back
                          : !strcmp(what, "words")  ? loads + (i ? FILL : 0)
                          : !strcmp(what, "update") ? 2 * loads + (i ? FILL + SPILL : 0)
                                                    : line;
    return cycles * 8 * streams / 64;
}

/* Lines side by side take 5 cycles; a level of the TLB holds 96 pages, the next one 1536, whose
 * sets are not those of last bits. A walk reads two lines of tables, which a stream has pushed out
 * of l2 as all others. */
#define LATE  7.5
#define WALK  31.0
#define WALKS 9.25

static double of_pages(unsigned pages, const char *what)
{
    if (!strcmp(what, "chase"))
        return pages <= 96 ? 5 : 5 + LATE + (pages > 1536 ? WALK + 4 : 0);
    return !strcmp(what, "among")  ? WALKS
           : !strcmp(what, "walk") ? 5 + LATE + WALK
           : !strcmp(what, "few")  ? 48
           : !strcmp(what, "far")  ? 48 + LATE + WALK + 2 * (48 - 5)
           : !strcmp(what, "sets") ? 5 + LATE
                                   : 5;
}

/* A word of a stream over a set: the last cache keeps all of 4 MiB, and nothing of 6. */
#define STAYS  4.0
#define LEAVES 6.0

static double of_share(double mib)
{
    const double from_memory = fmin(fmax((mib - STAYS) / (LEAVES - STAYS), 0), 1);
    return (5 + (11 - 5) * from_memory) * 8 / 64;
}

#define SHRINKS 20 /* samples; a look has two of each of some ten sets */

/* Two cores of two processors, 0 and 2, 1 and 3. The cache has lines for all, the memory one each
 * 2.5 cycles, read or written; a processor takes one each 5. */
static double of_cores(unsigned count, const char *where, const char *what)
{
    const double written = strcmp(what, "write") ? 1 : 2;
    return !strcmp(where, "cache") ? 6 * written : fmax(5, 2.5 * count * written);
}

static double of_pair(unsigned a, unsigned b)
{
    return a % 2 == b % 2 ? 100 : 50;
}
/* So many instructions of each call wait for the argument. */
#define PLACES 24
#define GROUP  6
static double with_call(const char *name, double k)
{
    const bool called = strcmp(name, "none") != 0;
    const double both = 14 * latency("sqrt-f64") + (called ? latency(name) : 0);
    return k + (called ? PLACES : 0) < WAITING ? both / 2 : both;
}

#define JUMP 2.5 /* cycles; longer than a comparison */

/* From a random number to the instructions behind the branch. */
static double missed(void)
{
    return BRANCH + latency("logic-i64") + latency("cmp-i64");
}

static double turn(const char *name)
{
    char a[32], b[32], word[16];
    unsigned k, other;
    if (sscanf(name, "cores %u %31s %15s", &k, a, word) == 3)
        return of_cores(k, a, word);
    if (sscanf(name, "beside %u %u", &k, &other) == 2)
        return of_pair(k, other);
    if (sscanf(name, "alone %u", &k) == 1)
        return 50;
    if (sscanf(name, "share %u", &k) == 1)
        return of_share(k / 0x1p20);
    if (sscanf(name, "pages %u %15s", &k, word) == 2)
        return of_pages(k, word);
    if (sscanf(name, "%31s and %31s", a, b) == 2)
        return together(a, b);
    if (sscanf(name, "%31s among %31s", a, b) == 2)
        return fmax(4 * every(a), 12 * every(b));
    if (sscanf(name, "%31s then %31s", a, b) == 2)
        return turns(a, b);
    if (sscanf(name, "waiting beside %31s %u", a, &k) == 2)
        return with_call(a, k);
    if (sscanf(name, "%31s %u %15s", a, &k, word) == 3 && strchr(a, '-')) {
        const double more = in_range(a, k) - 1;
        return strcmp(word, "chain") ? (1 + more) * every(a) : chain(a) + more * latency(a);
    }
    if (sscanf(name, "group %u", &k) == 1)
        return k > GROUP ? 2 : fmax(1, k / WIDTH);
    if (sscanf(name, "reorder %u", &k) == 1)
        return queue(k + 17, REORDER, 1 / WIDTH);
    if (sscanf(name, "waiting %u", &k) == 1)
        return queue(2 * k, WAITING, 0.5);
    if (sscanf(name, "loads %u", &k) == 1)
        return queue(k, 0, 0.5);
    if (sscanf(name, "stores %u", &k) == 1)
        return queue(k, STORES, 1);
    if (sscanf(name, "loops %u", &k) == 1)
        return 2 + (k > REACH ? BRANCH : 2) / k;
    if (sscanf(name, "outcomes %u", &k) == 1)
        return 2 + (k > OUTCOMES ? missed() / 2 : 0);
    if (sscanf(name, "%31s %u", a, &k) == 2)
        return CALL + BYTES * k / 16;
    if (sscanf(name, "%31s %15s", a, word) == 2 && !strcmp(word, "apart"))
        return steps(a) * every(a) * (strncmp(a, "convert", 7) ? 1 : 2);
    if (sscanf(name, "%31s %15s", a, word) == 2 && !strcmp(word, "chain"))
        return chain(a);
    const struct {
        const char *name;
        double turn;
    } all[] = {{"load", 512 * 0.5},
               {"store", 512 * 1.0},
               {"load-across", 63 * 1.25},
               {"store-across", 63 * 3.0},
               {"load-x2", 256 * 0.5},
               {"load-x4", 128 * 0.5},
               {"load-x8", 64 * 0.75},
               {"store-x2", 256 * 1.0},
               {"store-x4", 128 * 1.0},
               {"store-x8", 64 * 2.0},
               {"store-apart", 512 * 1.75},
               {"jump", 17 * JUMP},
               {"jump-taken", 1.25},
               {"jump-compare", 8 * 3 * JUMP},
               {"jump-shift", 8 * (JUMP + every("shift-i64"))},
               {"window", 2000},
               {"branch", 6 + missed() / 2},
               {"branch steady", 6},
               {"issue", 256 / WIDTH},
               {"beside", 33 * 0.25},
               {"unfused none", 10},
               {"unfused add", 10 + 16 * 0.5},
               {"unfused add-index", 10 + 16 * 0.75},
               {"unfused index", 10 + 16 * 1.25},
               {"forward", 8 * (FORWARD + latency("add-f64") + 1.5)},
               {"forward-part", 8 * (PART + latency("add-i64"))}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(name, all[i].name))
            return all[i].turn;
    return of_memory(name);
}

/* Noise makes samples longer, never shorter; most of them hardly. */
static double told(void *user, const char *name, uint64_t n, double *cycle)
{
    struct machine *m = user;
    *cycle = m->drifts ? 1 + 0.2 * (double)(m->samples++ % 1000) / 1000 : 1;
    const bool half = m->shrinks && !strncmp(name, "share", 5) && m->shares++ > SHRINKS;
    char smaller[32];
    if (half) {
        snprintf(smaller, sizeof smaller, "share %llu", 2 * strtoull(name + 6, NULL, 10));
        name = smaller;
    }
    const double part = draw(m), more = part < 0.7 && !m->wild ? 0.0005 * part : m->noise * part;
    const double ns = turn(name) * (double)n * (1 + more) * *cycle;
    if (m->late && !strcmp(name, m->late) && m->restless_first) {
        m->restless_first--;
        return -ns;
    }
    if (m->wide && !strcmp(name, m->wide) && m->samples++ % 3)
        return 1.5 * ns;
    if (m->slow && !strncmp(name, m->slow, strlen(m->slow)))
        return 1.1 * ns;
    if (m->bad && !strncmp(name, m->bad, strlen(m->bad)))
        return 1e-9 * (double)n;
    return m->restless && draw(m) < 1.0 / 3 ? -ns / 2 : ns;
}

static struct htmt__host_figures *measure(struct machine *m)
{
    static struct htmt__host_figures f;
    struct htmt__host_clock clock = {.told = told, .user = m};
    f = (struct htmt__host_figures){
        .topology = {.caches = 3,
                     .cache = {{32 << 10, 64, 8}, {256 << 10, 64, 8}, {8 << 20, 64, 16}}}};
    cr_assert_eq(htmt__host_measure_by(&clock, &f, NULL, NULL, NULL), 0);
    return &f;
}

static void expect_near(const char *what, double found, double known)
{
    cr_expect(fabs(found - known) <= 1e-3 * known, "%s: %.5f, known %.5f", what, found, known);
}

/* Of functions with 64 instructions 24 wait, of others the same share; a range that is as the one
 * before has no figures of its own. */
static void expect_calls(const struct htmt__host_figures *f)
{
    bool middle = false;
    for (unsigned i = 0; i < f->functions; i++) {
        const struct htmt__host_rate *r = &f->rate[f->first_function + i];
        const struct htmt__host_rate *first = &f->rate[f->first_function];
        middle |= fabs(r->places - PLACES) <= 4;
        expect_near("a share", r->places * first->instructions, first->places * r->instructions);
        for (unsigned k = 0; k < HTMT__LIBRARY_RANGES; k++) {
            const struct htmt__host_call *c = &f->call[i][k];
            const bool differs = k >= LONG_FROM && in_range(r->name, k) > 1;
            if (c->every.value > 0)
                expect_near(r->name, c->every.value, in_range(r->name, k) * every(r->name));
            cr_expect(!c->own || (differs && c->instructions > 0), "%s %u", r->name, k);
        }
        cr_expect_eq(f->call[i][LONG_FROM].own,
                     f->call[i][LONG_FROM].every.value > 0 && in_range(r->name, LONG_FROM) > 1);
    }
    cr_expect(middle);
}

#if defined __x86_64__
/* Twenty that do nothing, a comparison and a branch that are one, and a sum. */
static void some(double x)
{
    (void)x;
    __asm__ volatile(".rept 20\n\tnop\n\t.endr\n\tcmp %%eax, %%eax\n\tjne 1f\n1:\tadd $1, %%eax"
                     :
                     :
                     : "eax", "cc");
}

static void none(double x)
{
    (void)x;
    __asm__ volatile("" : : : "eax", "cc");
}

Test(host_clock, instructions_of_a_call_are_counted_one_by_one)
{
    cr_expect_eq(htmt__host_steps(some, none, 1), 22);
    cr_expect_eq(htmt__host_steps(none, none, 1), 0);
}
#endif

Test(host_clock, known_figures_come_back_within_a_thousandth_through_noise_and_drift)
{
    struct machine m = {.state = 3, .noise = 0.3, .restless = true, .drifts = true};
    struct htmt__host_figures *f = measure(&m);
    for (unsigned i = 0; i < f->rates; i++) {
        const char *name = f->rate[i].name;
        if (strchr(name, '-') && strncmp(name, "scatter", 7) != 0)
            expect_near(name, f->rate[i].latency.value, latency(name));
        if (strchr(name, '-'))
            expect_near(name, f->rate[i].every.value, every(name));
    }
    cr_expect(fabs(f->cycle.value - 1.1) < 0.01, "the clock is the middle one: %.3f",
              f->cycle.value);
    expect_near("a call of memcpy", htmt__host_rate_of(f, "memcpy")->latency.value, CALL);
    expect_near("16 bytes of strcmp", htmt__host_rate_of(f, "strcmp")->every.value, BYTES);
    expect_near("issue", f->issue.value, WIDTH);
    expect_near("load", f->load.value, 0.5);
    expect_near("store", f->store.value, 1);
    if (f->wide[2].value > 0) {
        expect_near("load of 64 bytes", f->wide[2].value, 0.75);
        expect_near("store of 64 bytes", f->wide_store[2].value, 2);
        expect_near("load of two lines", f->across.value, 1.25);
        expect_near("store of two lines", f->across_store.value, 3);
    }
    expect_near("branch", f->branch.value, BRANCH);
    expect_near("flop", f->flop.value, together("mul-f64", "add-f64") / 12);
    expect_near("a store to another line", f->store_apart.value, 1.75);
    expect_near("jump", f->jump.value, JUMP);
    expect_near("jump that is taken", f->jump_taken.value, 1.25);
    expect_near("forward", f->forward.value, FORWARD);
    expect_near("forward-part", f->forward_part.value, PART);
    expect_near("beside", f->beside.value, 0.25);
#if defined __x86_64__
    cr_expect_eq(f->group.value, GROUP);
    expect_near("an addition to memory", f->unfused_add.value, 0.5);
    expect_near("with an index", f->unfused_add_index.value, 0.75);
    expect_near("an index", f->unfused_index.value, 1.25);
    expect_calls(f);
#endif
    cr_expect_eq(f->tlb.page, 4096);
    cr_expect_eq(f->tlb.entries, 96);
    cr_expect_eq(f->tlb.second, 1536);
    expect_near("late", f->tlb.late.value, LATE);
    expect_near("walk", f->tlb.walk.value, WALK);
    expect_near("walks", f->tlb.every.value, WALKS);
    cr_expect_eq(f->tlb.tables, 2);
    cr_expect(f->tlb.hashed);
    for (unsigned k = 0; k <= HTMT__HOST_HALVES; k++) {
        expect_near("l2 banks", f->level[1].banks[k].value, k ? 3.5 : 2);
        expect_near("l3 banks", f->level[2].banks[k].value, 5);
    }
    expect_near("stores", f->level[2].stores.value, STORE);
    expect_near("l2 stores behind others", f->level[1].behind.value, BEHIND);
    expect_near("l3 stores behind others", f->level[2].behind.value, BEHIND);
    cr_expect(fabs(f->share.whole / 0x1p20 - STAYS) < 0.15, "%.2f MiB", f->share.whole / 0x1p20);
    cr_expect(fabs(f->share.none / 0x1p20 - LEAVES) < 0.15, "%.2f MiB", f->share.none / 0x1p20);
    cr_expect_not(f->share.disturbed);
    const double chases[] = {4, 12, 48, 300}, lines[] = {0.5, 2, 5, 11};
    for (unsigned i = 0; i < f->levels; i++) {
        expect_near("chase", f->level[i].latency.value, chases[i]);
        expect_near("line", f->level[i].read[0].value, lines[i]);
    }
    expect_near("write", f->level[3].write.value, 1.25 * 11);
    expect_near("fill", f->fill.value, FILL);
    expect_near("spill", f->spill.value, SPILL);
    expect_near("l2 back", f->level[1].back.value, 3);
    expect_near("l3 back", f->level[2].back.value, 0.75);
}

Test(host_clock, queues_lie_between_the_two_steps_where_the_time_jumps)
{
    struct machine m = {.state = 5, .noise = 0.1};
    struct htmt__host_figures *f = measure(&m);
    cr_expect(fabs(f->reorder.value - REORDER) <= 16, "%.1f", f->reorder.value);
    cr_expect(fabs(f->waiting.value - WAITING) <= 16, "%.1f", f->waiting.value);
    cr_expect(fabs(f->stores.value - STORES) <= 8, "%.1f", f->stores.value);
    cr_expect_eq(f->loads.value, 0, "a queue that is never full has no figure");
    cr_expect_eq(f->reach.value, 96);
    cr_expect_eq(f->outcomes.value, 8192);
}

Test(host_clock, operations_share_units_and_pay_for_the_way_to_others_as_the_processor_has_it)
{
    struct machine m = {.state = 7, .noise = 0.1};
    struct htmt__host_figures *f = measure(&m);
    const char *const shared[][2] = {
        {"add-f64", "sub-f64"}, {"add-f64", "sub-f32"}, {"add-i64", "sub-i32"}};
    const char *const apart[][2] = {
        {"add-f64", "mul-f64"}, {"add-f64", "add-i64"}, {"add-f64", "div-f64"}};
    for (int i = 0; i < 3; i++) {
        cr_expect_eq(htmt__host_rate_of(f, shared[i][0])->units,
                     htmt__host_rate_of(f, shared[i][1])->units);
        cr_expect_neq(htmt__host_rate_of(f, shared[i][0])->units, 0);
        cr_expect_neq(htmt__host_rate_of(f, apart[i][0])->units,
                      htmt__host_rate_of(f, apart[i][1])->units);
    }
    cr_expect_eq(htmt__host_rate_of(f, "shift-i64")->units, HTMT__HOST_JUMP_UNITS);
    expect_near("add-f64 onward", htmt__host_rate_of(f, "add-f64")->onward.value, 4);
    expect_near("sub-f32 onward", htmt__host_rate_of(f, "sub-f32")->onward.value, 4);
    cr_expect_eq(htmt__host_rate_of(f, "mul-f64")->onward.value, 0);
    cr_expect_eq(htmt__host_rate_of(f, "cmp-f64")->within, HTMT__HOST_JUMP_UNITS);
}

Test(host_clock, a_level_that_is_faster_than_the_one_before_it_is_disturbed)
{
    struct machine m = {.state = 9, .noise = 0.05, .bad = "l3 chase"};
    struct htmt__host_figures *f = measure(&m);
    cr_expect(f->level[2].latency.disturbed);
    cr_expect(f->level[1].latency.disturbed, "nobody knows which of the two is wrong");
    cr_expect_not(f->level[3].latency.disturbed);
    m = (struct machine){.state = 9, .noise = 0.05};
    f = measure(&m);
    for (unsigned i = 0; i < f->levels; i++)
        cr_expect_not(f->level[i].latency.disturbed);
}

/* Six rounds of up to nine samples, and some: all that the function has without more rounds. */
Test(host_clock, a_figure_that_no_round_found_still_is_measured_again)
{
    struct machine m = {
        .state = 9, .noise = 0.05, .late = "exp-f64 apart", .restless_first = 6 * 9 + 3};
    struct htmt__host_figures *f = measure(&m);
    cr_expect_eq(m.restless_first, 0);
    cr_expect_not(htmt__host_rate_of(f, "exp-f64")->every.disturbed);
    expect_near("exp-f64", htmt__host_rate_of(f, "exp-f64")->every.value, every("exp-f64"));
}

Test(host_clock, a_last_cache_whose_middle_sample_is_far_off_is_disturbed)
{
    struct machine m = {.state = 9, .noise = 0.05, .wide = "l3 chase"};
    struct htmt__host_figures *f = measure(&m);
    expect_near("l3", f->level[2].latency.value, 48);
    cr_expect(f->level[2].latency.disturbed, "others used it");
    cr_expect_not(f->level[1].latency.disturbed);
    m = (struct machine){.state = 9, .noise = 0.05, .wide = "l2 chase"};
    cr_expect_not(measure(&m)->level[1].latency.disturbed,
                  "a cache of its own has three that agree");
}

Test(host_clock, samples_far_apart_make_a_figure_disturbed)
{
    struct machine m = {.state = 11, .noise = 4, .wild = true};
    struct htmt__host_figures *f = measure(&m);
    unsigned disturbed = 0;
    for (unsigned i = 0; i < f->rates; i++)
        disturbed += f->rate[i].every.disturbed;
    cr_expect_gt(disturbed, f->rates / 4);
    m = (struct machine){.state = 11, .noise = 4};
    f = measure(&m);
    for (unsigned i = 0; i < f->rates; i++)
        cr_expect_not(f->rate[i].every.disturbed, "%s: three rounds agree", f->rate[i].name);
}

/* The second measurement has additions that take a tenth longer throughout, and samples of a level
 * that are all restless. */
Test(host_clock, of_two_measurements_the_less_disturbed_figure_counts)
{
    static struct htmt__host_figures all;
    struct machine m = {.state = 13, .noise = 0.05};
    all = *measure(&m);
    m = (struct machine){.state = 17, .noise = 0.05, .slow = "add-f64 chain"};
    struct htmt__host_figures *again = measure(&m);
    again->level[2].latency.disturbed = true;
    again->level[2].latency.value /= 2;
    htmt__host_merge(&all, again);
    expect_near("add-f64", htmt__host_rate_of(&all, "add-f64")->latency.value, latency("add-f64"));
    cr_expect(htmt__host_rate_of(&all, "add-f64")->latency.disturbed, "they differ by a tenth");
    cr_expect_not(htmt__host_rate_of(&all, "mul-f64")->latency.disturbed);
    expect_near("l3", all.level[2].latency.value, 48);
    cr_expect_not(all.level[2].latency.disturbed);
    cr_expect_eq(all.tlb.entries, 96);
}

Test(host_clock, memory_of_several_cores_and_pairs_of_one_core_come_back)
{
    static struct htmt__host_crowd crowd = {.cpus = 4, .cpu = {0, 1, 2, 3}};
    struct machine m = {.state = 19, .noise = 0.1};
    struct htmt__host_figures *f = measure(&m);
    struct htmt__host_clock clock = {.told = told, .user = &m};
    cr_assert_eq(htmt__host_cores(&clock, &crowd, f, NULL, NULL), 0);
    const double memory[] = {5, 5, 10}, written[] = {5, 10, 20};
    cr_assert_eq(f->cores.steps, 3);
    for (unsigned i = 0; i < 3; i++) {
        const struct htmt__host_step *s = &f->cores.step[i];
        cr_expect_eq(s->cpus, 1u << i);
        expect_near("memory", s->read[1].value, memory[i]);
        expect_near("memory, written", s->write[1].value, written[i]);
        cr_expect_not(s->read[1].disturbed);
    }
    expect_near("cache", f->cores.step[0].read[0].value, 6);
    cr_expect_eq(f->cores.step[2].read[0].value, 0, "four sets do not fit 4 MiB beside l2");
    cr_expect_eq(f->cores.threads, 2);
    cr_expect_eq(crowd.cores, 2);
    const int order[] = {0, 1, 2, 3};
    for (int i = 0; i < 4; i++)
        cr_expect_eq(crowd.cpu[i], order[i]);
}

/* One look finds 4 to 6 MiB, the other four half of that. */
Test(host_clock, of_looks_that_differ_the_middle_one_tells_the_share)
{
    struct machine m = {.state = 23, .noise = 0.05, .shrinks = true};
    const struct htmt__host_share s = measure(&m)->share;
    cr_expect(fabs(s.none / 0x1p20 - LEAVES / 2) < 0.2, "%.2f MiB", s.none / 0x1p20);
    cr_expect(s.whole / 0x1p20 < STAYS / 2 + 0.2, "%.2f MiB", s.whole / 0x1p20);
}
