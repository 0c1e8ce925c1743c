/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Every word moved and every service charged appears once: the audit over random programs, the
 * same sums made anew from the observed history, its hash, too, and an audit that does fail when it
 * should.
 */
#include "parcels/clock/engine.h"
#include "parcels/clock/statistics.h"
#include "parcels/walk/type.h"
#include "runtime/base/array.h"
#include "runtime/sim/history.h"
#include "tests/parcels/program.h"

#define RESOURCES 32

struct tally {
    uint64_t events, words[RESOURCES], count[RESOURCES];
    htmt_time last;
    bool back;
};

static void observe(void *user, const struct htmt_event *event)
{
    struct tally *t = user;
    t->events++;
    t->back |= event->time < t->last;
    t->last = event->time;
    cr_assert_lt(event->resource, RESOURCES);
    t->words[event->resource] += event->words;
    t->count[event->resource]++;
}

/* A receiving side appears in no event of its own. */
static void compare(const struct htmt_emulator *e, const struct tally *t)
{
    struct htmt_resource_report r;
    for (uint32_t i = 0; i < htmt_resource_count(e); i++) {
        cr_assert_eq(htmt_resource_at(e, i, &r), 0);
        if (r.kind == HTMT_LINK_IN)
            continue;
        cr_assert_eq(t->count[i], r.served, "%s: %llu events, %llu served", r.name,
                     (unsigned long long)t->count[i], (unsigned long long)r.served);
        cr_assert_eq(t->words[i], r.words, "%s", r.name);
    }
    cr_assert_eq(t->events, htmt_event_count(e));
    cr_assert_eq(t->last, htmt_predicted(e));
    cr_assert_not(t->back, "time ran backwards");
}

static uint64_t run_seed(uint64_t seed, bool known, enum htmt_mode mode)
{
    struct program p;
    struct tally t = {.events = 0};
    program_open(&p, seed, known, 60,
                 (struct htmt_options){.mode = mode, .threads = 2, .observe = observe, .user = &t});
    world_run(&p.w); /* audits */
    compare(p.w.e, &t);
    return program_close(&p).events;
}

Test(conservation, accounts_balance_on_random_machines_and_programs, .timeout = 120)
{
    uint64_t events = 0;
    for (uint64_t seed = 100; seed < 160; seed++) {
        events += run_seed(seed, false, HTMT_RUN);
        events += run_seed(seed, false, HTMT_MODEL);
        events += run_seed(seed, true, HTMT_MODEL);
    }
    cr_assert_gt(events, 180 * 150); /* the programs do something */
}

/* ---- the history ------------------------------------------------------------------------------
 */

struct heard {
    struct htmt_event *at;
    size_t count, room;
};

static void hear(void *user, const struct htmt_event *event)
{
    struct heard *h = user;
    cr_assert(htmt__array_fits(&h->at, &h->room, h->count + 2, sizeof *h->at));
    h->at[h->count++] = *event;
}

/* Of the events as an observer heard them; `target` is the slice that played each. */
static uint64_t hash_of(const struct heard *h, uint32_t slices)
{
    uint64_t *turn = calloc(slices, sizeof *turn);
    htmt_uwide sum = 0;
    for (size_t i = 0; i < h->count; i++) {
        const struct htmt_event *e = &h->at[i];
        const struct htmt__history_event event = {
            .fs = e->time,
            .place = htmt__history_place(htmt__history_kind(e->resource, e->stage), e->target),
            .parcel = e->serial,
            .turn = htmt__history_turn(&turn[e->target]),
            .words = e->words};
        htmt__history_add(&sum, event);
    }
    free(turn);
    return htmt__history_hash(sum, slices);
}

static void swap(struct htmt_event *a, struct htmt_event *b)
{
    const struct htmt_event first = *a;
    *a = *b;
    *b = first;
}

/* Each event of a run is lost, or played twice; it is swapped with the next one that its slice has
 * at the same instant. Returns how many were swapped. */
static unsigned inject(struct heard *h, uint32_t slices, uint64_t hash)
{
    unsigned swapped = 0;
    for (size_t i = 0; i < h->count; i++) {
        struct htmt_event *at = &h->at[i], self = *at;
        const size_t behind = (h->count - i - 1) * sizeof *at;
        memmove(at, at + 1, behind);
        h->count--;
        cr_assert_neq(hash_of(h, slices), hash, "event %zu is lost", i);
        memmove(at + 2, at, behind);
        at[0] = at[1] = self;
        h->count += 2;
        cr_assert_neq(hash_of(h, slices), hash, "event %zu is played twice", i);
        memmove(at + 1, at + 2, behind);
        h->count--;
        size_t next = i + 1;
        while (next < h->count && h->at[next].time == self.time &&
               h->at[next].target != self.target)
            next++;
        if (next == h->count || h->at[next].time != self.time)
            continue;
        swap(at, &h->at[next]);
        cr_assert_neq(hash_of(h, slices), hash, "events %zu and %zu are swapped", i, next);
        swap(at, &h->at[next]);
        swapped++;
    }
    cr_assert_eq(hash_of(h, slices), hash);
    return swapped;
}

Test(conservation, the_history_is_the_sum_of_what_was_heard_and_shows_each_error, .timeout = 120)
{
    const struct htmt_options ways[] = {
        {.mode = HTMT_MODEL, .clock = HTMT_CLOCK_SEQUENTIAL},
        {.mode = HTMT_MODEL, .clock = HTMT_CLOCK_WINDOWS, .clock_partitions = 3},
        {.mode = HTMT_RUN, .clock = HTMT_CLOCK_SHARED, .clock_threads = 2, .threads = 2}};
    unsigned swapped = 0;
    for (uint64_t seed = 200; seed < 230; seed++) {
        struct heard h = {NULL, 0, 0};
        struct htmt_options o = ways[seed % 3];
        struct program p;
        o.observe = hear;
        o.user = &h;
        program_open(&p, seed, false, 30, o);
        world_run(&p.w);
        const uint32_t slices = htmt_emulator_played(p.w.e);
        const uint64_t hash = htmt_history_hash(p.w.e);
        cr_assert_eq(h.count, htmt_event_count(p.w.e));
        cr_assert_eq(hash_of(&h, slices), hash, "seed %u", (unsigned)seed);
        swapped += inject(&h, slices, hash);
        program_close(&p);
        free(h.at);
    }
    cr_assert_gt(swapped, 100);
}

/* ---- what remains ---------------------------------------------------------------------------- */

/* All fresh space is free again; what remains is what objects hold. */
Test(conservation, memories_hold_nothing_but_objects_afterwards)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct program p;
        program_open(&p, seed, false, 30, (struct htmt_options){.mode = HTMT_MODEL});
        world_run(&p.w);
        for (uint32_t l = 0; l < LAYERS; l++) {
            struct htmt_memory_report m;
            cr_assert_eq(htmt_memory_at(p.w.e, l, &m), 0);
            uint64_t objects = PROGRAM_BYTES / 8 + (l == CRAM ? 64 : 0);
            cr_assert_eq(m.taken - m.given, objects * p.slices);
            cr_assert_leq(m.peak, m.capacity);
        }
        program_close(&p);
    }
}

/* One wrong figure in each account, one after another. */
Test(conservation, the_audit_sees_each_wrong_figure)
{
    struct program p;
    struct htmt_fault fault;
    program_open(&p, 3, false, 30, (struct htmt_options){.mode = HTMT_MODEL});
    world_run(&p.w);
    struct htmt_emulator *e = p.w.e;
    struct htmt__tally *used = NULL;
    for (uint32_t i = e->layers; i < htmt_resource_count(e); i++)
        if (e->tally[i].served)
            used = &e->tally[i];
    cr_assert_not_null(used);
#define CORRUPT(account)                                                                           \
    do {                                                                                           \
        (account)++;                                                                               \
        fault = (struct htmt_fault){0};                                                            \
        cr_assert_eq(htmt_audit(e, &fault), HTMT_EAUDIT, #account);                                \
        (account)--;                                                                               \
        fault = (struct htmt_fault){0};                                                            \
        cr_assert_eq(htmt_audit(e, &fault), 0, "%s", fault.text);                                  \
    } while (0)
    CORRUPT(e->tally[CRAM].busy);
    CORRUPT(e->tally[SRAM].served);
    CORRUPT(e->tally[DRAM].waited);
    CORRUPT(e->tally[DRAM].integral);
    CORRUPT(used->words);
    CORRUPT(used->busy);
    CORRUPT(used->integral);
    CORRUPT(e->store_class[CRAM].taken);
    CORRUPT(e->store_class[SRAM].given);
    CORRUPT(e->store_class[SRAM].tally.waited);
    CORRUPT(e->stats->count);
    CORRUPT(e->stats->busy);
#undef CORRUPT
    program_close(&p);
}
