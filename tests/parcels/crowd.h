/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Posts of many slices at once: controls that wander, with generators, controls for quiet and posts
 * that are not wanted, over a plain network or a ring with ports inside; and the same whoever plays
 * them. Each test makes machines of its own for it.
 */
#ifndef HTMT_TESTS_PARCELS_CROWD_H
#define HTMT_TESTS_PARCELS_CROWD_H

#include "tests/parcels/accounts.h"
#include "tests/parcels/world.h"
#include "tests/ranks/threads.h"

#include <stdatomic.h>

#define SLICES 4u

/* A start-up of 10 ns, a latency of 100, 1 ns for a word, one channel each way. */
static const char plain[] = "    startup: {value: 10 ns, source: t}\n"
                            "    latency: {value: 100 ns, source: t}\n    ports:\n      cram:\n"
                            "        out: {value: 1, source: t}\n"
                            "        out-rate: {value: 1 Gword/s, source: t}\n"
                            "        in: {value: 1, source: t}\n"
                            "        in-rate: {value: 1 Gword/s, source: t}\n";

/* A ring: a word takes 800 ns, a wire 1,000, as news does. Two words from a neighbour are there
 * 4,600 ns after they left (post_test.c), and hold the out channel for 1,600. */
static const char ring[] =
    "    startup: {value: 0 s, source: t}\n    latency: {value: 0 s, source: t}\n    ports:\n"
    "      cram:\n        out: {value: 1, source: t}\n"
    "        out-rate: {value: not-modelled, source: t}\n        in: {value: 1, source: t}\n"
    "        in-rate: {value: not-modelled, source: t}\n"
    "    inside:\n      topology: torus\n      place: rows\n"
    "      shape: {value: 4 x 1, source: t}\n      switching: cut-through\n      routing: torus\n"
    "      packet: {value: 100 B, source: t}\n      header: {value: not-modelled, source: t}\n"
    "      rate: {value: 10 MB/s, source: t}\n      wire: {value: 1 us, source: t}\n"
    "      switch: {value: not-modelled, source: t}\n      buffer: {value: 1 packet, source: t}\n"
    "      lanes: {value: 2, source: t}\n      planes: {value: 1, as: dealt, source: t}\n"
    "      setup: {value: not-modelled, source: t}\n      route: {value: not-modelled, source: t}\n"
    "      copy: {value: not-modelled, source: t}\n      router: none\n"
    "      control: {value: 1 us, source: t}\n";

struct wander {
    uint32_t depth, seed;
};

struct crowd {
    struct world w;
    struct htmt_type *step;
    uint64_t cycles; /* of its control; of some more */
    atomic_uint quiet;
};

static void wander_next(struct htmt_context *c, uint64_t i)
{
    const struct crowd *f = htmt_user(c);
    const struct wander *w = htmt_args(c);
    uint64_t state = w->seed * 31u + i + 7;
    const uint32_t seed = (uint32_t)world_random(&state);
    htmt_charge(c, HTMT_CYCLE, seed % 5);
    htmt_post(c, f->step, (htmt_slice(c) + 1 + seed / 8 % 3) % SLICES,
              &(struct wander){w->depth + 1, seed});
}

CONTROL(wander, const struct wander *w = htmt_args(c);
        htmt_charge(c, HTMT_CYCLE,
                    ((const struct crowd *)htmt_user(c))->cycles *(w->seed % 4 ? 1 : 30) +
                        w->seed % 7);
        htmt_section(c, w->seed % 8 ? "most" : "some");
        if (w->depth < 6) htmt_each(c, 1 + w->seed % 3, wander_next))

static bool goes_on(struct htmt_context *c)
{
    const struct wander *w = htmt_args(c);
    htmt_charge(c, HTMT_CYCLE, 2);
    return w->depth < 2 || w->seed % 8 != 0;
}

static void count_quiet(struct htmt_context *c)
{
    atomic_fetch_add(&((struct crowd *)htmt_user(c))->quiet, 1);
}

/* The emulator of f->w.m, and the first posts of all slices. */
static inline void crowd_begin(struct crowd *f, struct htmt_options *o)
{
    struct htmt_fault fault = {0};
    o->machine = f->w.m;
    cr_assert_eq(htmt_emulator_create(&f->w.e, o, &fault), 0, "%s", fault.text);
    struct htmt_type_desc d = htmt_type_desc_init();
    d.name = "step";
    d.home = d.exec = "cram";
    d.execute.control = wander;
    d.wanted = goes_on;
    d.args_bytes = sizeof(struct wander);
    d.queue = "q";
    d.user = f;
    f->step = world_type(&f->w, d);
    if (o->quiet_by)
        cr_assert_eq(htmt_quiet(f->w.e, count_quiet, f), 0);
    for (uint32_t i = 0; i < SLICES; i++)
        for (uint32_t k = 1; k < 3; k++)
            cr_assert_eq(htmt_post(htmt_root(f->w.e), f->step, i, &(struct wander){0, 2 + 3 * i}),
                         0);
}

/* A machine, then crowd_begin(). */
typedef void open_crowd_fn(struct crowd *f, bool inside, struct htmt_options o);

static inline void same_crowd(struct crowd *one, open_crowd_fn *open, bool inside,
                              struct htmt_options o)
{
    struct crowd f;
    open(&f, inside, o);
    world_run(&f.w);
    cr_assert_eq(htmt_predicted(f.w.e), htmt_predicted(one->w.e));
    cr_assert_eq(htmt_history_hash(f.w.e), htmt_history_hash(one->w.e));
    same_accounts(one->w.e, f.w.e);
    struct htmt_posts a = htmt_posts_init(), b = htmt_posts_init();
    cr_assert_eq(htmt_posts_of(one->step, &a), 0);
    cr_assert_eq(htmt_posts_of(f.step, &b), 0);
    cr_assert_eq(memcmp(&a, &b, sizeof a), 0);
    world_close(&f.w);
}

/* Runs and models, threads, windows, observers: as `one`, a model that has ended. */
static inline void crowd_plays_the_same(struct crowd *one, open_crowd_fn *open, bool inside)
{
    for (uint32_t threads = 1; threads <= 3; threads++) {
        same_crowd(one, open, inside, (struct htmt_options){.mode = HTMT_RUN, .threads = threads});
        same_crowd(one, open, inside,
                   (struct htmt_options){.mode = HTMT_MODEL,
                                         .clock = HTMT_CLOCK_SHARED,
                                         .clock_threads = threads,
                                         .clock_partitions = threads + 1,
                                         .window_most = threads > 1 ? 7 * NS : 0});
    }
    same_crowd(one, open, inside, (struct htmt_options){.mode = HTMT_MODEL, .explain = true});
    same_crowd(one, open, inside, (struct htmt_options){.mode = HTMT_MODEL, .checked = true});
    same_crowd(one, open, inside, (struct htmt_options){.mode = HTMT_MODEL, .lint = true});
}

struct party {
    struct crowd *one;
    open_crowd_fn *open;
    bool inside;
};

static inline int play_rank(const struct htmt_ranks *rank, void *user)
{
    const struct party *p = user;
    struct crowd f;
    p->open(&f, p->inside, (struct htmt_options){.mode = HTMT_MODEL, .ranks = rank});
    int rc = htmt_emulator_run(f.w.e);
    if (!rc && htmt_history_hash(f.w.e) != htmt_history_hash(p->one->w.e))
        rc = HTMT_EPAST;
    struct htmt_posts a = htmt_posts_init(), b = htmt_posts_init();
    if (!rc && (htmt_posts_of(p->one->step, &a) || htmt_posts_of(f.step, &b) ||
                memcmp(&a, &b, sizeof a) != 0))
        rc = HTMT_ELEFT;
    world_close(&f.w);
    return rc;
}

static inline void crowd_plays_the_same_in_ranks(struct crowd *one, open_crowd_fn *open,
                                                 bool inside)
{
    for (uint32_t count = 1; count <= 3; count++) {
        struct party p = {one, open, inside};
        int rc[3] = {0};
        cr_assert_eq(ranks_threads_play(count, play_rank, &p, rc), 0);
        for (uint32_t i = 0; i < count; i++)
            cr_assert_eq(rc[i], 0, "rank %u of %u: %s", i, count, htmt_err_name(rc[i]));
    }
}

#endif
