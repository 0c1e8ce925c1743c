/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random programs on random machines, each played in several ways, which must all give the same:
 *
 *     programs [--from N] [--count N] [--numbers FILE] [--every-class] [--verbose]
 *
 * plays the programs number FROM (1) ... FROM + COUNT - 1 (1000), or those whose numbers stand in
 * FILE. Of each, one way is the
 * reference: a model run where all costs are known, else a run with one thread. The other ways must
 * have its predicted time, history, figures, fault and, where kernels run, its bytes. A difference
 * is printed with the program's number, the way and the first event that differs; the status is
 * then 1.
 *
 * At the end a table says how often the programs had each class of tests/random/tally.h. With
 * --every-class a class that none had is an error.
 */
#include "tests/random/draw.h"
#include "tests/random/outcome.h"
#include "tests/ranks/threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- ways ------------------------------------------------------------------------------------ */

/* A way to play a program, in one program of `odds` that it fits. */
struct way {
    const char *name;
    unsigned odds;
    enum htmt_mode mode;
    enum htmt_symmetry symmetry;
    uint32_t threads;
    enum htmt_clock clock;
    bool narrow_windows; /* narrower ones than the lookahead allows */
    uint32_t clock_threads;
    bool partitions; /* any number of them, slices dealt at random */
    uint32_t ranks;  /* 0: one process */
    bool delayed, narrow, pools, checked, observed, explained;
};

enum { BY_MODEL, BY_RUN }; /* the two that may be the reference */

static const struct way ways[] = {
    {.name = "model",
     .odds = 1,
     .mode = HTMT_MODEL,
     .clock = HTMT_CLOCK_SEQUENTIAL,
     .observed = true},
    {.name = "run, 1 thread",
     .odds = 2,
     .threads = 1,
     .clock = HTMT_CLOCK_SEQUENTIAL,
     .observed = true},
    {.name = "model, by windows", .odds = 1, .mode = HTMT_MODEL, .clock = HTMT_CLOCK_WINDOWS},
    {.name = "run, by windows", .odds = 1, .threads = 1, .clock = HTMT_CLOCK_WINDOWS},
    {.name = "model, by narrow windows",
     .odds = 2,
     .mode = HTMT_MODEL,
     .clock = HTMT_CLOCK_WINDOWS,
     .narrow_windows = true,
     .observed = true},
    {.name = "run, by narrow windows",
     .odds = 2,
     .threads = 2,
     .clock = HTMT_CLOCK_WINDOWS,
     .narrow_windows = true},
    {.name = "model, 2 clock threads",
     .odds = 1,
     .mode = HTMT_MODEL,
     .clock = HTMT_CLOCK_SHARED,
     .clock_threads = 2,
     .observed = true},
    {.name = "model, any partitions",
     .odds = 1,
     .mode = HTMT_MODEL,
     .clock = HTMT_CLOCK_WINDOWS,
     .partitions = true},
    {.name = "model, any partitions, narrow windows, 3 clock threads",
     .odds = 2,
     .mode = HTMT_MODEL,
     .narrow_windows = true,
     .clock = HTMT_CLOCK_SHARED,
     .clock_threads = 3,
     .partitions = true,
     .observed = true},
    {.name = "model, any partitions, 2 clock threads where they gain",
     .odds = 1,
     .mode = HTMT_MODEL,
     .clock_threads = 2,
     .partitions = true},
    {.name = "model, independent, 3 clock threads",
     .odds = 1,
     .mode = HTMT_MODEL,
     .symmetry = HTMT_INDEPENDENT,
     .clock = HTMT_CLOCK_SHARED,
     .clock_threads = 3},
    {.name = "run, 2 clock threads", .odds = 1, .threads = 2, .clock_threads = 2},
    {.name = "run, any partitions, narrow windows, 3 clock threads, 2 others",
     .odds = 2,
     .threads = 5,
     .narrow_windows = true,
     .clock = HTMT_CLOCK_SHARED,
     .clock_threads = 3,
     .partitions = true},
    {.name = "run, any partitions, 2 clock threads, another one, delays",
     .odds = 40,
     .threads = 3,
     .clock_threads = 2,
     .partitions = true,
     .delayed = true},
    {.name = "run, independent, 2 clock threads",
     .odds = 2,
     .threads = 3,
     .symmetry = HTMT_INDEPENDENT,
     .clock_threads = 2},
    {.name = "model, 2 ranks", .odds = 2, .mode = HTMT_MODEL, .ranks = 2},
    {.name = "model, 4 ranks, 2 clock threads, any partitions",
     .odds = 3,
     .mode = HTMT_MODEL,
     .clock = HTMT_CLOCK_SHARED,
     .clock_threads = 2,
     .partitions = true,
     .ranks = 4},
    {.name = "run, 2 ranks", .odds = 2, .threads = 1, .ranks = 2},
    {.name = "run, 3 ranks, any partitions, 2 clock threads, another one",
     .odds = 3,
     .threads = 3,
     .clock_threads = 2,
     .partitions = true,
     .ranks = 3},
    {.name = "model, independent, 3 ranks",
     .odds = 2,
     .mode = HTMT_MODEL,
     .symmetry = HTMT_INDEPENDENT,
     .ranks = 3},
    {.name = "model, not observed", .odds = 8, .mode = HTMT_MODEL},
    {.name = "run, 2 threads", .odds = 2, .threads = 2},
    {.name = "run, 3 threads", .odds = 4, .threads = 3, .observed = true},
    {.name = "run, 3 threads, delays", .odds = 40, .threads = 3, .delayed = true},
    {.name = "run, narrow", .odds = 6, .threads = 2, .narrow = true},
    {.name = "run, pools", .odds = 6, .pools = true},
    {.name = "model, checked",
     .odds = 8,
     .mode = HTMT_MODEL,
     .clock = HTMT_CLOCK_WINDOWS,
     .checked = true},
    {.name = "model, checked, in one order",
     .odds = 12,
     .mode = HTMT_MODEL,
     .clock = HTMT_CLOCK_SEQUENTIAL,
     .checked = true},
    {.name = "run, checked", .odds = 12, .threads = 2, .checked = true},
    {.name = "model, independent", .odds = 1, .mode = HTMT_MODEL, .symmetry = HTMT_INDEPENDENT},
    {.name = "run, independent", .odds = 1, .threads = 2, .symmetry = HTMT_INDEPENDENT},
    {.name = "model, folded", .odds = 1, .mode = HTMT_MODEL, .symmetry = HTMT_FOLDED},
    {.name = "model, explained", .odds = 8, .mode = HTMT_MODEL, .explained = true},
    {.name = "run, explained", .odds = 12, .threads = 2, .explained = true},
};
enum { WAYS = sizeof ways / sizeof *ways };

#define DEALT_MOST 64u

/* Narrow windows have from one fs to 100 ns; `of` has room for all slices of a program. */
static void apply_way(const struct way *w, uint64_t number, struct htmt_options *o, uint32_t *of)
{
    uint64_t seed = mix(number, 17) | 1, deal = mix(number, 23) | 1;
    o->mode = w->mode;
    o->symmetry = w->symmetry;
    o->threads = w->threads;
    o->checked = w->checked;
    o->explain = w->explained;
    o->delay_seed = w->delayed ? number : 0;
    o->clock = w->clock;
    if (w->narrow_windows)
        o->window_most = (htmt_time)between(&seed, 1, once_in(&seed, 2) ? 100000000 : 3000000);
    o->clock_threads = w->clock_threads;
    o->run_ahead_bytes = w->narrow ? 1 : 0;
    for (int l = 0; l < 2 && w->pools; l++)
        o->layer_threads[l] = 1;
    if (!w->partitions)
        return;
    o->clock_partitions = (uint32_t)between(&deal, 1, 7);
    for (uint32_t i = 0; i < DEALT_MOST; i++)
        of[i] = (uint32_t)between(&deal, 0, 100);
    o->partition_of = of;
}

/* Heads of messages take time from slice to slice, so that slices that do the same do it alike at
 * one instant, too. */
static bool apart_in_time(const struct htmt_machine *m)
{
    bool apart = true;
    for (uint32_t n = 0; n < m->network_count; n++)
        apart = apart && (!m->network[n].machine_wide || m->network[n].startup > 0 ||
                          m->network[n].latency > 0);
    return apart;
}

/* Whether the program keeps what the way promises, and has a model run if it is one. */
static bool fits(const struct way *w, const struct plan *plan)
{
    return (w->mode == HTMT_RUN || plan->known) &&
           (w->symmetry != HTMT_INDEPENDENT || plan->group == APART) &&
           (w->symmetry != HTMT_FOLDED || (plan->group == ALIKE && apart_in_time(plan->machine)));
}

static struct likeness likeness_of(const struct way *w)
{
    return (struct likeness){.folded = w->symmetry == HTMT_FOLDED,
                             .sorted = w->symmetry != HTMT_NO_SYMMETRY || w->checked,
                             .checked = w->checked,
                             .ranks = w->ranks > 1};
}

/* ---- play ------------------------------------------------------------------------------------ */

struct driver {
    uint64_t from, count;
    const char *numbers;
    bool every_class, verbose;
    uint64_t played[WAYS], differences;
    struct tally tally;
};

/* Where `seen` is given, it gets the events; NULL: in one process. */
static struct program *play(const struct plan *plan, const struct way *w, struct events *seen,
                            const struct htmt_ranks *rank, struct outcome *o)
{
    struct htmt_options options = htmt_options_init();
    uint32_t partition_of[DEALT_MOST];
    apply_way(w, plan->number, &options, partition_of);
    if (seen) {
        options.observe = events_keep;
        options.user = seen;
    }
    options.ranks = rank;
    struct program *p = program_open(plan, options);
    outcome_take(o, p, htmt_emulator_run(program_emulator(p)));
    return p;
}

#define RANKS_MOST 4u

/* A run of several ranks, each of which is a thread. */
struct ranked {
    const struct plan *plan;
    const struct way *way;
    struct outcome outcome[RANKS_MOST];
};

static int play_rank(const struct htmt_ranks *rank, void *user)
{
    struct ranked *r = user;
    struct program *p = play(r->plan, r->way, NULL, rank, &r->outcome[rank->rank]);
    program_close(&p);
    return 0;
}

/* All ranks know the same at the end. */
static void play_ranks(const struct plan *plan, const struct way *w, struct outcome *o)
{
    struct ranked r = {.plan = plan, .way = w};
    const struct likeness l = {.folded = false};
    int rc[RANKS_MOST];
    if (ranks_threads_play(w->ranks, play_rank, &r, rc))
        abort();
    *o = r.outcome[0];
    for (uint32_t i = 1; i < w->ranks; i++) {
        if (!outcome_same(o, &r.outcome[i], &l, stdout))
            o->hash ^= 1; /* a difference to the reference, too */
        outcome_clear(&r.outcome[i]);
    }
}

static void play_quietly(const struct plan *plan, const struct way *w, struct events *seen,
                         struct outcome *o)
{
    if (w->ranks) {
        play_ranks(plan, w, o);
        return;
    }
    struct program *p = play(plan, w, seen, NULL, o);
    program_close(&p);
}

/* Both ways again, for their events. */
static void print_events(const struct plan *plan, const struct way *a, const struct way *b)
{
    struct events x = {0}, y = {0};
    struct outcome o;
    play_quietly(plan, a, &x, &o);
    outcome_clear(&o);
    play_quietly(plan, b, &y, &o);
    outcome_clear(&o);
    if (b->symmetry != HTMT_FOLDED)
        events_difference(&x, &y, likeness_of(b).sorted, stdout);
    events_clear(&x);
    events_clear(&y);
}

static void compare(struct driver *d, const struct plan *plan, const struct way *by,
                    const struct outcome *reference, const struct way *w, const struct outcome *o)
{
    const struct likeness l = likeness_of(w);
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    bool same = outcome_same(reference, o, &l, f);
    fclose(f);
    if (!same) {
        printf("program %" PRIu64 ": '%s' and '%s' differ\n%s", plan->number, by->name, w->name,
               text);
        print_events(plan, by, w);
        fflush(stdout);
        d->differences++;
    }
    free(text);
}

/* The bytes of the reference are those of the first way that has some. */
static void play_way(struct driver *d, const struct plan *plan, const struct way *by,
                     struct outcome *reference, const struct way *w)
{
    struct events seen = {0};
    struct outcome o;
    if (d->verbose)
        fprintf(stderr, "program %" PRIu64 ": %s\n", plan->number, w->name);
    play_quietly(plan, w, w->observed ? &seen : NULL, &o);
    d->played[w - ways]++;
    d->tally.n[SUM_JOBS] += o.jobs;
    d->tally.n[SUM_WINDOWS] += o.windows;
    compare(d, plan, by, reference, w, &o);
    if (!reference->bytes)
        reference->bytes = o.bytes;
    outcome_clear(&o);
    events_clear(&seen);
}

static void play_reference(struct driver *d, const struct plan *plan, const struct way *by,
                           struct outcome *reference)
{
    struct events seen = {0};
    if (d->verbose)
        fprintf(stderr, "program %" PRIu64 ": %s\n", plan->number, by->name);
    struct program *p = play(plan, by, &seen, NULL, reference);
    d->played[by - ways]++;
    outcome_count(reference, p, &d->tally);
    program_count(p, &d->tally);
    for (int k = 0; k < TALLY_CLASSES; k++)
        d->tally.n[k] += plan->tally.n[k];
    program_close(&p);
    events_clear(&seen);
}

static void play_program(struct driver *d, uint64_t number)
{
    struct plan plan;
    struct outcome reference;
    uint64_t seed = mix(number, 16) | 1;
    plan_draw(&plan, number);
    const struct way *by = &ways[plan.known ? BY_MODEL : BY_RUN];
    play_reference(d, &plan, by, &reference);
    for (unsigned i = 0; i < WAYS; i++) {
        bool drawn = once_in(&seed, ways[i].odds);
        if (drawn && &ways[i] != by && fits(&ways[i], &plan))
            play_way(d, &plan, by, &reference, &ways[i]);
    }
    outcome_clear(&reference);
    plan_clear(&plan);
}

/* ---- report ---------------------------------------------------------------------------------- */

static unsigned print_tally(const struct driver *d)
{
    static const char *const text[] = {
#define TALLY_TEXT(name, text) text,
        TALLY_MAP(TALLY_TEXT)
#undef TALLY_TEXT
    };
    unsigned missing = 0;
    for (int k = 0; k < TALLY_CLASSES; k++) {
        printf("%12" PRIu64 "  %s\n", d->tally.n[k], text[k]);
        missing += d->tally.n[k] == 0;
    }
    for (unsigned i = 0; i < WAYS; i++) {
        printf("%12" PRIu64 "  ways: %s\n", d->played[i], ways[i].name);
        missing += d->played[i] == 0;
    }
    return missing;
}

static uint64_t number_of(const char *word)
{
    char *end = NULL;
    uint64_t n = strtoull(word, &end, 10);
    if (*word < '0' || *word > '9' || *end) {
        fprintf(stderr, "programs: expected a number, found '%s'\n", word);
        exit(2);
    }
    return n;
}

static void read_options(struct driver *d, char **argv)
{
    for (char **at = argv + 1; *at; at++)
        if (strcmp(*at, "--from") == 0 && at[1])
            d->from = number_of(*++at);
        else if (strcmp(*at, "--count") == 0 && at[1])
            d->count = number_of(*++at);
        else if (strcmp(*at, "--numbers") == 0 && at[1])
            d->numbers = *++at;
        else if (strcmp(*at, "--every-class") == 0)
            d->every_class = true;
        else if (strcmp(*at, "--verbose") == 0)
            d->verbose = true;
        else {
            fprintf(stderr, "usage: programs [--from N] [--count N] [--numbers FILE] "
                            "[--every-class] [--verbose]\n");
            exit(2);
        }
}

int main(int argc, char **argv)
{
    struct driver d = {.from = 1, .count = 1000};
    (void)argc;
    read_options(&d, argv);
    FILE *f = d.numbers ? fopen(d.numbers, "r") : NULL;
    uint64_t number;
    if (d.numbers && !f) {
        fprintf(stderr, "programs: cannot read '%s'\n", d.numbers);
        return 2;
    }
    for (uint64_t i = 0; !f && i < d.count; i++)
        play_program(&d, d.from + i);
    for (d.count = f ? 0 : d.count; f && fscanf(f, "%" SCNu64, &number) == 1; d.count++)
        play_program(&d, number);
    if (f)
        fclose(f);
    unsigned missing = print_tally(&d);
    if (missing && d.every_class)
        printf("%u classes that no program had\n", missing);
    printf("%" PRIu64 " programs, %" PRIu64 " differences\n", d.count, d.differences);
    return d.differences || (missing && d.every_class);
}
