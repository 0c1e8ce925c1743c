/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A chase follows pointers from line to line in an order that no prefetcher knows. Streams read
 * every word of their lines, as kernels do, with more sums at once than a chain of additions could
 * hold up.
 *
 * Caches give lines faster than that, so their loops load and compute nothing. One that reads a
 * word of each line takes as long as the cache gives lines (`every`), and one that writes this
 * word, too, as long as it gives one and takes one back. Whether a core loads while lines come is
 * what all words of lines tell, in l1 and out of l2. By hand, 2.7 cycles a line in l1, one word of
 * a line out of l2 1.2, all words 3.5: lines and loads add up, and `fill` is 3.5 - max(2.7, 1.2) =
 * 0.8. A core that overlaps them takes 2.7, and `fill` is 0. So does `spill` come of words that are
 * loaded twice, so that loads are what binds, and written.
 *
 * Memory must be measured beyond the last cache, which may be of hundreds of MiB, but a sample must
 * be over while the core is free. So the arrays are four times as large as that cache where the
 * host has the room, and a sample is a window of them, the next one each time. By hand, a cache of
 * 300 MiB, samples of 8 MiB, 15 of them a round: ten rounds read 1200 MiB, none of them twice.
 * Samples of 1 MiB would do, but the best of many is 10 to 15 % faster than a long stream, which
 * meets refreshes and the traffic of others.
 *
 * A level may have banks by the last bits of a line's number, of which each gives a line in a time
 * of its own. So sixteen chases at once go through lines an odd number apart, then through two,
 * four and eight times as many: as long as that takes longer, fewer banks are asked. By hand, 1.4
 * cycles a line of all, 2.0 of even ones, 3.0 of each fourth and of each eighth: four banks, 3.0
 * cycles. Chases, since prefetchers that follow a row of lines bring those between them, too.
 *
 * Stores to lines of the last cache in an order that no prefetcher knows, through its latency, are
 * the lines that stores have on their way at once. A store behind one that found its line takes
 * longer than that, since the ones between do not leave while it waits: of four stores one to such
 * a line, less four to lines of l1, is what it adds. By hand, a store of l1 each cycle, 30.5 cycles
 * a turn: 26.5, where stores to such lines alone take 11.
 *
 * One stream of memory has so many lines on their way as a prefetcher asks for; more streams share
 * what the core and the memory can have, each with less. On a Golden Cove core lines come
 * every 7.5, 5.3 and 4.5 ns from one, two and three streams. `prefetch.lines` has the first of
 * these, the bus the mean of the others.
 */
#include "runtime/base/memory.h"
#include "emul/command/host/sample.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#if defined __x86_64__
#include <immintrin.h>
#endif

#define HUGE_PAGE    (UINT64_C(2) << 20)
#define WORD         sizeof(double)
#define WINDOWS      5 /* of a sample beyond the caches; of one in them, 1 */
#define STARTS       WINDOWS_MOST
#define WINDOW       (UINT64_C(256) << 10)
#define WINDOWS_MOST 64 /* in a ring */
#define SMALL_PAGE   4096u
#define SAMPLE       (UINT64_C(1) << 20)   /* of streams, bytes */
#define FAR_SAMPLE   (UINT64_C(8) << 20)   /* of memory */
#define SHARES       32                    /* sizes of sets, an eighth apart */
#define PASSES       2                     /* of each in a round */
#define APART        5                     /* lines, of chases: no neighbours, of all banks */
#define DIFFER       1.1                   /* of two sizes that two looks tell */
#define BYTES_FEW    (UINT64_C(192) << 20) /* arrays are not cut down below this */
#define BYTES_MOST   (UINT64_C(4) << 30)

struct place {
    struct htmt__host_chases chases; /* first, for their loops */
    char *bytes;                     /* of pages as large as the host has them */
    const char *level;               /* "l1" */
    uint64_t n;                      /* bytes of a loop's array; streams lie one after another */
    uint64_t window, from;           /* of each array, in a pass: bytes; where it begins */
    uint64_t set;                    /* bytes of all arrays */
    bool near;                       /* they fit a cache */
    uint32_t *order;                 /* of the ring's lines */
    uint64_t lines;                  /* of the ring */
    uint32_t unit;                   /* bytes of a line of the cache */
    htmt__host_loop_fn *pass;
    uint32_t line;
    unsigned streams;
    void **start[STARTS]; /* windows that samples begin with */
    unsigned starts, next;
    uint64_t apart;                                    /* bytes from window to window */
    volatile uint64_t own[8 * (HTMT__HOST_AMONG - 1)]; /* words of as many lines */
};

/* ---- loops ----------------------------------------------------------------------------------- */

/* A ring of lines, window by window: within one, no translation of addresses misses. Of large
 * arrays as many windows as there is room for, evenly apart. */
static int make_ring(struct place *p)
{
    const uint64_t window = WINDOW / p->line, all = (p->n + WINDOW - 1) / WINDOW;
    const uint64_t windows = all < WINDOWS_MOST ? all : WINDOWS_MOST, apart = all / windows;
    const uint64_t lines = all < WINDOWS_MOST ? p->n / p->line : windows * window;
    uint64_t state = 7;
    uint32_t *order = malloc(lines * sizeof *order);
    if (!order)
        return HTMT_ENOMEM;
    for (uint64_t i = 0; i < lines; i++)
        order[i] = (uint32_t)(i / window * apart * window + i % window);
    for (uint64_t i = 0; i < lines; i += window)
        htmt__host_mix(order + i, lines - i < window ? lines - i : window, &state);
    for (uint64_t i = 0; i < lines; i++)
        *(void **)(p->bytes + (uint64_t)order[i] * p->line) =
            p->bytes + (uint64_t)order[(i + 1) % lines] * p->line;
    p->apart = apart * window * p->line;
    p->starts = windows < 4 ? 1 : (unsigned)windows / 4 * 3;
    p->next = 0;
    for (unsigned k = 0; k < p->starts; k++)
        p->start[k] = (void **)(p->bytes + (uint64_t)order[k * window] * p->line);
    for (unsigned k = 0; k < HTMT__HOST_CHASES; k++)
        p->chases.at[k] =
            p->start[p->starts > HTMT__HOST_CHASES ? k * (p->starts / HTMT__HOST_CHASES)
                                                   : k % p->starts];
    free(p->order);
    p->order = order;
    p->lines = lines;
    return 0;
}

/* Four words to as many sums. */
static inline void add_words(const double *from, double *sum)
{
    for (unsigned k = 0; k < 4; k++)
        sum[k] += from[k];
}

/* A turn is a word of each stream. */
static void read_streams(void *user, uint64_t n)
{
    const struct place *p = user;
    const char *at = p->bytes + p->from;
    const double *a = (const double *)at, *b = (const double *)(at + p->n),
                 *c = (const double *)(at + 2 * p->n);
    double sum[4] = {0};
    for (uint64_t i = 0; i < n; i += 4) {
        add_words(a + i, sum);
        if (p->streams > 1)
            add_words(b + i, sum);
        if (p->streams > 2)
            add_words(c + i, sum);
    }
    double all = sum[0] + sum[1] + sum[2] + sum[3];
    __asm__ volatile("" ::"m"(all));
}

static volatile uint64_t *array_of(const struct place *p, unsigned stream)
{
    return (volatile uint64_t *)(p->bytes + p->from + stream * p->n);
}

/* A word of each line; a turn is a word as above. Arrays have a multiple of eight lines. */
static void read_lines(void *user, uint64_t n)
{
    const struct place *p = user;
    const uint64_t line = p->line / WORD;
    for (uint64_t i = 0; i < n; i += 8 * line)
        for (unsigned k = 0; k < p->streams; k++) {
            volatile uint64_t *a = array_of(p, k) + i;
            for (unsigned j = 0; j < 8; j++)
                (void)a[j * line];
        }
}

static void touch_lines(void *user, uint64_t n)
{
    const struct place *p = user;
    const uint64_t line = p->line / WORD;
    volatile uint64_t *a = array_of(p, 0);
    for (uint64_t i = 0; i < n; i += 8 * line)
        for (unsigned j = 0; j < 8; j++)
            a[i + j * line] = a[i + j * line];
}

/* Words of eight lines a turn, of each stream in turns: prefetchers that follow an instruction then
 * ask for no line that others have asked for. On Golden Cove eight instructions that walk over
 * eight words of each line take 5.2 cycles a line out of l2, 64 of them 3.3. */
static inline __attribute__((always_inline)) void load_words(const struct place *p, uint64_t n,
                                                             unsigned streams)
{
    volatile uint64_t *a = array_of(p, 0), *b = array_of(p, 1), *c = array_of(p, 2);
    for (uint64_t i = 0; i < n; i += 64)
#pragma GCC unroll 64
        for (unsigned j = 0; j < 64; j++) {
            (void)a[i + j];
            if (streams > 1)
                (void)b[i + j];
            if (streams > 2)
                (void)c[i + j];
        }
}

static void read_words(void *user, uint64_t n)
{
    const struct place *p = user;
    if (p->streams == 1)
        load_words(p, n, 1);
    else if (p->streams == 2)
        load_words(p, n, 2);
    else
        load_words(p, n, 3);
}

/* Each word is loaded twice and written. */
static void update_words(void *user, uint64_t n)
{
    volatile uint64_t *a = array_of(user, 0);
    for (uint64_t i = 0; i < n; i += 64)
#pragma GCC unroll 64
        for (unsigned j = 0; j < 64; j++) {
            (void)a[i + j];
            a[i + j] = a[i + j];
        }
}

static void write_stream(void *user, uint64_t n)
{
    const struct place *p = user;
    double *a = (double *)(p->bytes + p->from), v = 1;
    for (uint64_t i = 0; i < n; i++) {
        __asm__ volatile("" : "+m"(v));
        a[i] = 1;
    }
}

/* ---- a level --------------------------------------------------------------------------------- */

#define SAMPLES 3   /* in each round */
#define WIDE    0.3 /* of the middle sample above the fastest one */
#define ROUNDS  10  /* others disturb for longer than a loop lasts */

static void next_window(void *user)
{
    struct place *p = user;
    p->from = p->from + 2 * p->window <= p->n ? p->from + p->window : 0;
}

/* What others pushed out of a cache comes back. */
static void read_set(const struct place *p)
{
    for (uint64_t i = 0; i < p->set; i += p->line) {
        uint64_t v = *(const volatile uint64_t *)(p->bytes + i);
        (void)v;
    }
}

/* Small sets again and again. */
static void run_passes(void *user, uint64_t n)
{
    const struct place *p = user;
    for (uint64_t i = 0; i < n; i += p->window / WORD)
        p->pass(user, p->window / WORD);
}

/* Names of loops say what and where: "l2 read 3". */
static struct htmt__host_figure lines_of(struct htmt__host_clock *clock, htmt__host_loop_fn *run,
                                         const char *what, struct place *p)
{
    char name[48];
    snprintf(name, sizeof name, "%s %s %u", p->level, what, p->streams);
    const uint64_t sample = p->near ? SAMPLE : FAR_SAMPLE;
    p->pass = run;
    p->window = sample / p->streams / p->line / 8 * p->line * 8;
    p->window = p->n < p->window ? p->n : p->window;
    const uint64_t passes = sample / p->streams / p->window;
    p->from = p->from + p->window <= p->n ? p->from : 0; /* of a longer array before */
    const struct htmt__host_loop loop = {name, run_passes, p, next_window};
    if (p->near && !clock->told) { /* its end may be in the cache before, its start is not */
        read_set(p);
        p->from = 0;
    }
    struct htmt__host_figure word =
        htmt__host_samples(clock, &loop, (passes ? passes : 1) * p->window / WORD, SAMPLES);
    return htmt__host_part_of(word, (double)WORD * p->streams / p->line);
}

static void measure_streams(struct htmt__host_clock *clock, struct place *p, uint64_t bytes,
                            bool near, struct htmt__host_level *level)
{
    p->set = bytes;
    p->near = near;
    for (unsigned k = 0; k < HTMT__HOST_STREAMS; k++) {
        p->streams = k + 1;
        p->n = bytes / (k + 1) / p->line / 8 * p->line * 8;
        htmt__host_keep(&level->read[k],
                        lines_of(clock, near ? read_lines : read_streams, "read", p));
        if (near)
            htmt__host_keep(&level->words[k], lines_of(clock, read_words, "words", p));
    }
    p->streams = 1;
    p->n = bytes / p->line / 8 * p->line * 8;
    if (near) {
        htmt__host_keep(&level->touch, lines_of(clock, touch_lines, "touch", p));
        htmt__host_keep(&level->update, lines_of(clock, update_words, "update", p));
    } else {
        htmt__host_keep(&level->write, lines_of(clock, write_stream, "write", p));
    }
    level->bytes = bytes;
}

/* A window out of all caches: they keep what was chased before longer than what streams by. */
static void forget_lines(const struct place *p, const char *window)
{
#if defined __x86_64__
    for (uint64_t i = 0; i < WINDOW; i += p->line)
        _mm_clflush(window + i);
#else
    (void)p;
    (void)window;
#endif
}

/* Beyond the caches: the windows of a chase, or of one of all. */
static void far_one(void *user)
{
    struct place *p = user;
    p->chases.at[0] = p->start[p->next];
    for (unsigned k = 0; k < WINDOWS; k++)
        forget_lines(p, p->bytes + (p->next + k) * p->apart);
    p->next = (p->next + WINDOWS) % (p->starts - WINDOWS);
}

static void far_all(void *user)
{
    struct place *p = user;
    for (unsigned k = 0; k < HTMT__HOST_CHASES; k++) {
        const unsigned start = k * (p->starts / HTMT__HOST_CHASES);
        p->chases.at[k] = p->start[start];
        forget_lines(p, p->bytes + start * p->apart);
    }
}

/* Without flushing the window before: its lines would come from memory, and a last cache that takes
 * what l2 drops need not keep lines that nobody asked for twice.
 *
 * A set that others have pushed out of a cache since the last sample comes back by a stream, just
 * before the chase: both together are much shorter than a slice of time. What a level keeps of the
 * set it keeps in the order of the stream, so the chase is over after one window: a whole one,
 * since the second half finds what prefetchers brought beside the first, and none of the last
 * quarter, which the cache before may hold. */
static void warm(void *user)
{
    struct place *p = user;
    p->chases.at[0] = p->start[p->next];
    p->next = (p->next + 1) % p->starts;
    for (uint64_t i = 0; i < p->n; i += p->line) {
        uint64_t v = *(const volatile uint64_t *)(p->bytes + i);
        (void)v;
    }
}

/* All of the set by a stream, whose end the cache before may hold: chases go from places evenly
 * apart in the first half of the ring. Then a line of each page, so that their translations are
 * known, which the stream has pushed out. */
static void warm_all(void *user)
{
    struct place *p = user;
    for (unsigned k = 0; k < HTMT__HOST_CHASES; k++)
        p->chases.at[k] =
            (void **)(p->bytes +
                      (uint64_t)p->order[k * p->lines / 2 / HTMT__HOST_CHASES] * p->line);
    for (uint64_t i = 0; i < p->n; i += p->unit)
        (void)*(const volatile uint64_t *)(p->bytes + i);
    for (uint64_t i = p->unit; i < p->n; i += SMALL_PAGE)
        (void)*(const volatile uint64_t *)(p->bytes + i);
}

/* To the words behind the ring's own, in its order. */
static void store_lines(void *user, uint64_t n)
{
    const struct place *p = user;
    for (uint64_t i = 0; i < n; i++)
        *(volatile uint64_t *)(p->bytes + (uint64_t)p->order[i] * p->line + WORD) = i;
}

/* Three more to lines of the first cache behind each of them. */
static void store_among(void *user, uint64_t n)
{
    struct place *p = user;
    for (uint64_t i = 0; i < n; i++) {
        *(volatile uint64_t *)(p->bytes + (uint64_t)p->order[i] * p->line + WORD) = i;
        for (unsigned k = 0; k + 1 < HTMT__HOST_AMONG; k++)
            p->own[8 * k] = i;
    }
}

/* Lines `of_each` times as far from each other: of all banks, of half of them, a quarter. */
static int measure_banks(struct htmt__host_clock *clock, struct place *p, uint64_t bytes, bool last,
                         struct htmt__host_level *level)
{
    const uint32_t line = p->line;
    const uint64_t n = WINDOW / line / APART;
    int rc = 0;
    p->unit = line;
    for (unsigned k = 0, of_each = 1; k <= HTMT__HOST_HALVES && !rc; k++, of_each *= 2) {
        char banks[32], stores[32], among[32];
        snprintf(banks, sizeof banks, "%s banks %u", p->level, of_each);
        snprintf(stores, sizeof stores, "%s stores 1", p->level);
        snprintf(among, sizeof among, "%s stores %u", p->level, HTMT__HOST_AMONG);
        const struct htmt__host_loop of_banks = {banks, htmt__host_chase_apart, p, warm_all},
                                     of_stores = {stores, store_lines, p, warm_all},
                                     of_among = {among, store_among, p, warm_all};
        p->line = of_each * APART * line;
        p->n = bytes / p->line * p->line;
        if ((rc = make_ring(p)) != 0)
            break;
        htmt__host_keep(&level->banks[k], htmt__host_samples(clock, &of_banks, n, SAMPLES));
        if (k == 0)
            htmt__host_keep(&level->behind, htmt__host_samples(clock, &of_among, n, SAMPLES));
        if (last && k == 0)
            htmt__host_keep(&level->stores, htmt__host_samples(clock, &of_stores, n, SAMPLES));
    }
    p->line = line;
    return rc;
}

static int measure_level(struct htmt__host_clock *clock, struct place *p, uint64_t bytes, bool near,
                         struct htmt__host_level *level)
{
    const uint32_t line = p->line;
    p->line = APART * line;
    p->n = bytes / p->line * p->line;
    int rc = make_ring(p);
    if (rc)
        return rc;
    const uint64_t lines_chased = (near ? 1 : WINDOWS) * WINDOW / p->line;
    const bool far = !near && p->starts >= 2 * HTMT__HOST_CHASES;
    char one[32], many[32];
    snprintf(one, sizeof one, "%s chase", p->level);
    snprintf(many, sizeof many, "%s chases", p->level);
    const struct htmt__host_loop alone = {one, htmt__host_chase, p,
                                          near  ? warm
                                          : far ? far_one
                                                : NULL},
                                 apart = {many, htmt__host_chase_apart, p, far ? far_all : NULL};
    htmt__host_keep(&level->latency, htmt__host_samples(clock, &alone, lines_chased, SAMPLES));
    htmt__host_keep(&level->apart, htmt__host_samples(clock, &apart, lines_chased, SAMPLES));
    p->line = line;
    measure_streams(clock, p, bytes, near, level);
    return rc;
}

uint64_t htmt__host_bytes_beyond(const struct htmt__host_topology *t)
{
    char left[HTMT_MEMORY_TEXT];
    uint64_t bytes = 4 * t->cache[t->caches - 1].bytes;
    bytes = bytes < BYTES_MOST ? bytes : BYTES_MOST;
    while (bytes > BYTES_FEW && !htmt_memory_holds(2 * (double)bytes, left))
        bytes = bytes / 2 > BYTES_FEW ? bytes / 2 : BYTES_FEW;
    return bytes;
}

/* Well inside a cache and well beyond the one before. */
static uint64_t bytes_of(const struct htmt__host_topology *t, unsigned level)
{
    uint64_t below = level ? t->cache[level - 1].bytes : 0, own = t->cache[level].bytes;
    if (own / 2 > 8 * below && below) /* little of it stays in the cache before */
        return 8 * below;
    return own / 2 > 3 * below ? 3 * below + (below ? 0 : own / 2) : (own + below) / 2;
}

/* ---- what the process has of the last cache --------------------------------------------------
 * Others use the last cache, too, and pages lie in it by chance, so its nominal size says little. A
 * stream over a set, again and again, finds all lines of a small set there and none of a large one.
 * In between the times of a line rise from `near` to `far`, since some sets of the cache hold as
 * many as come and others do not.
 *
 * Each line takes its own time (layers/node/miss.c), so the part m of all lines that is from memory
 * is (time - near) / (far - near). What is read off are the bytes at which it is a quarter and
 * three quarters. A straight line through both ends at `whole` (m = 0) and `none` (m = 1). By hand,
 * near 6 cycles, far 14, times of 64, 72, 81 and 91 MiB 6, 8, 12 and 13: m is a quarter at 72 MiB,
 * three quarters at 81, so whole is 67.5 MiB, none 85.5.
 *
 * What others take of the cache is no noise but the state that a kernel will find, so the middle
 * one of five looks counts, not the fastest. */

#define LOOKS  5 /* of the rounds; each takes some hundred ms */
#define MIDDLE 2 /* of them, from 0 on */

struct share {
    unsigned sizes;
    uint64_t bytes[SHARES];
    unsigned looks[SHARES]; /* at each of them */
    struct htmt__host_figure line[SHARES];
};

static void measure_share(struct htmt__host_clock *clock, struct place *p, uint64_t own, double far,
                          struct share *s)
{
    uint64_t bytes = p->n;
    unsigned beyond = 0;
    p->streams = 1;
    p->from = 0;
    for (unsigned i = 0; i < SHARES && bytes <= own && beyond < 2; i++) {
        char name[48];
        snprintf(name, sizeof name, "share %" PRIu64, bytes);
        const struct htmt__host_loop loop = {name, read_streams, p, NULL};
        const struct htmt__host_figure line = htmt__host_part_of(
            htmt__host_samples(clock, &loop, bytes / WORD, PASSES), (double)WORD / p->line);
        htmt__host_keep(&s->line[i], line);
        s->bytes[i] = bytes;
        s->looks[i]++;
        s->sizes = i < s->sizes ? s->sizes : i + 1;
        beyond = line.value > 0.9 * far + 0.1 * s->line[0].value ? beyond + 1 : 0;
        bytes += bytes / 8 / p->line / 8 * p->line * 8;
    }
}

static double least_line(const struct share *s, double far)
{
    for (unsigned i = 0; i < s->sizes; i++)
        far = fmin(far, s->line[i].value);
    return far;
}

/* The bytes at which a line takes so long, by the look of that number from the fastest on; a set
 * that less looks came to was beyond the cache in the others. 0: there are none. */
static double bytes_at(const struct share *s, double time, unsigned look)
{
    double before = 0;
    for (unsigned i = 0; i < s->sizes; i++) {
        const struct htmt__host_figure *line = &s->line[i];
        const double own = look >= s->looks[i]   ? HUGE_VAL
                           : look < line->rounds ? line->low[look]
                                                 : line->value;
        if (own >= time && i)
            return (double)s->bytes[i - 1] +
                   (double)(s->bytes[i] - s->bytes[i - 1]) *
                       (own > before ? (time - before) / (own - before) : 0);
        before = fmin(own, time);
    }
    return 0;
}

/* Where lines never come to take so long, all of the cache is the process's. */
static void derive_share(struct htmt__host_figures *f, const struct share *s)
{
    const struct htmt__host_topology *t = &f->topology;
    const double far = f->level[t->caches].read[0].value, near = least_line(s, far);
    const double early = near + (far - near) / 4, late = far - (far - near) / 4;
    const double quarter = bytes_at(s, early, MIDDLE), most = bytes_at(s, late, MIDDLE);
    const double half = bytes_at(s, (near + far) / 2, MIDDLE - 1),
                 again = bytes_at(s, (near + far) / 2, MIDDLE);
    if (most <= 0)
        return;
    const double reach = (most - quarter) / 2; /* of m = 0 and 1 beyond them */
    f->share.none = fmin(most + reach, (double)t->cache[t->caches - 1].bytes);
    f->share.whole = fmax(quarter - reach, (double)s->bytes[0]);
    f->share.disturbed = half > DIFFER * again || again > DIFFER * half;
}

struct htmt__host_figure htmt__host_of_memory(const struct htmt__host_level *memory)
{
    struct htmt__host_figure line = memory->read[1];
    line.value = (memory->read[1].value + memory->read[2].value) / 2;
    line.disturbed |= memory->read[2].disturbed;
    return line;
}

struct htmt__host_figure htmt__host_fastest(const struct htmt__host_level *l)
{
    struct htmt__host_figure best = l->read[0];
    for (unsigned k = 1; k < HTMT__HOST_STREAMS; k++)
        best = l->read[k].value < best.value ? l->read[k] : best;
    return best;
}

static double above(double value, double bound)
{
    return value > bound ? value - bound : 0;
}

/* The least of one to three streams, as `every` is: at some places of memory two streams take 0.7
 * and three 1.5 cycles a line longer than at others, one takes the same at all. */
static void derive_lines(struct htmt__host_figures *f)
{
    struct htmt__host_level *l1 = &f->level[0], *l2 = &f->level[1];
    for (unsigned i = 1; i < f->topology.caches; i++)
        f->level[i].back = htmt__host_less(f->level[i].touch, htmt__host_fastest(&f->level[i]));
    if (f->topology.caches < 2)
        return;
    double fill = HUGE_VAL;
    for (unsigned k = 0; k < HTMT__HOST_STREAMS; k++)
        fill = fmin(fill, above(l2->words[k].value, fmax(l1->words[k].value, l2->read[k].value)));
    f->fill = htmt__host_less(l2->words[0], l1->words[0]);
    f->fill.value = fill;
    f->spill = htmt__host_less(l2->update, l1->update);
    f->spill.value =
        above(l2->update.value, fmax(l1->update.value + f->fill.value, l2->touch.value));
}

int htmt__host_memory_fits(const struct htmt__host_topology *t, struct htmt_fault *fault)
{
    const double order = (double)sizeof(uint32_t) / t->cache[0].line;
    const double bytes = (1 + order) * (double)(htmt__host_bytes_beyond(t) + HUGE_PAGE);
    char left[HTMT_MEMORY_TEXT];
    return htmt_memory_holds(bytes, left)
               ? 0
               : htmt_fault_set(fault, HTMT_EHOSTFIT,
                                "arrays beyond the last cache take %.0f MiB, %s", 0x1p-20 * bytes,
                                left);
}

static bool marked_level(const struct htmt__host_level *l)
{
    bool any = l->latency.disturbed || l->apart.disturbed || l->write.disturbed ||
               l->touch.disturbed || l->update.disturbed;
    for (unsigned k = 0; k < HTMT__HOST_STREAMS; k++)
        any |= l->read[k].disturbed || l->words[k].disturbed;
    for (unsigned k = 0; k <= HTMT__HOST_HALVES; k++)
        any |= l->banks[k].disturbed;
    return any || l->stores.disturbed || l->behind.disturbed;
}

static bool marked(const struct htmt__host_figures *f, unsigned caches)
{
    bool any = false;
    for (unsigned k = 0; k <= caches; k++)
        any |= marked_level(&f->level[k]);
    return any;
}

/* The last cache and memory are others', too, for minutes: rounds of seconds agree, and another
 * file has half of it. Then the middle sample lies far above the fastest one. */
static void mark_wide(struct htmt__host_level *l)
{
    l->latency.disturbed |= l->latency.spread > WIDE;
    for (unsigned k = 0; k < HTMT__HOST_STREAMS; k++)
        l->read[k].disturbed |= l->read[k].spread > WIDE;
}

int htmt__host_memory(struct htmt__host_clock *clock, struct htmt__host_figures *f,
                      htmt__host_progress_fn *progress, void *user, struct htmt_fault *fault)
{
    static const char *const levels[] = {"l1", "l2", "l3"};
    const struct htmt__host_topology *t = &f->topology;
    const uint64_t beyond = clock->told ? BYTES_FEW / 16 : htmt__host_bytes_beyond(t),
                   bytes = beyond + HUGE_PAGE;
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct place p = {.line = t->cache[0].line, .bytes = pages};
    struct share share = {.sizes = 0};
    int rc = pages == MAP_FAILED ? HTMT_ENOMEM : 0;
    if (!rc) {
        madvise(pages, bytes, MADV_HUGEPAGE);
        memset(pages, 1, bytes); /* pages that nobody wrote to are one and the same */
    }
    for (unsigned i = 0; !rc && htmt__host_again(clock, i, ROUNDS, marked(f, t->caches)); i++) {
        if (progress)
            progress(user, "memory");
        for (unsigned k = 0; k <= t->caches && !rc; k++) {
            if (i >= ROUNDS && !marked_level(&f->level[k]))
                continue;
            p.level = k < t->caches ? levels[k] : "memory";
            rc = measure_level(clock, &p, k < t->caches ? bytes_of(t, k) : beyond, k < t->caches,
                               &f->level[k]);
            if (!rc && k > 0 && k < t->caches)
                rc = measure_banks(clock, &p,
                                   k + 1 < t->caches ? t->cache[k].bytes / 2
                                                     : 3 * t->cache[k - 1].bytes,
                                   k + 1 == t->caches, &f->level[k]);
        }
        if (rc || t->caches < 2 || i >= ROUNDS || i % (ROUNDS / LOOKS))
            continue;
        const uint64_t own = t->cache[t->caches - 1].bytes;
        p.n = bytes_of(t, t->caches - 1) / p.line / 8 * p.line * 8;
        measure_share(clock, &p, own < beyond ? own : beyond, f->level[t->caches].read[0].value,
                      &share);
    }
    f->levels = t->caches + 1;
    for (unsigned k = t->caches ? t->caches - 1 : 0; k < f->levels; k++)
        mark_wide(&f->level[k]);
    if (!rc) {
        derive_lines(f);
        derive_share(f, &share);
    }
    free(p.order);
    if (pages != MAP_FAILED)
        munmap(pages, bytes);
    return rc ? htmt_fault_set(fault, rc, "no memory for arrays of %.0f MiB",
                               0x1p-20 * (double)bytes)
              : 0;
}
