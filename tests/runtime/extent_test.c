/* SPDX-License-Identifier: BSD-3-Clause */
/* Class: unit threads. */
#include "runtime/host/extent.h"
#include "runtime/host/host.h"
#include "tests/runtime/draw.h"
#include "tests/runtime/share.h"

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <string.h>

#define BYTES 1024

static struct htmt__extent random_extent(uint64_t *random)
{
    uint64_t piece = 1 + draw(random) % 9, count = 1 + draw(random) % 6;
    uint64_t stride = piece + draw(random) % 20;
    struct htmt__extent x = {
        .at = draw(random) % 60, .piece = piece, .count = count, .stride = count > 1 ? stride : 0};
    if (draw(random) % 3 == 0) {
        x.planes = 2 + draw(random) % 3;
        x.plane = htmt__extent_rows(&x) + draw(random) % 30;
    }
    return x;
}

static void mark(const struct htmt__extent *x, char byte[BYTES])
{
    memset(byte, 0, BYTES);
    for (uint64_t k = 0; k < (x->planes ? x->planes : 1); k++)
        for (uint64_t i = 0; i < x->count; i++)
            memset(byte + x->at + k * x->plane + i * x->stride, 1, x->piece);
}

static bool share(const struct htmt__extent *a, const struct htmt__extent *b)
{
    char in_a[BYTES], in_b[BYTES];
    bool found = false;
    mark(a, in_a);
    mark(b, in_b);
    for (unsigned i = 0; i < BYTES; i++)
        found |= in_a[i] && in_b[i];
    return found;
}

Test(extent, two_that_share_a_byte_always_meet)
{
    uint64_t random = 1, kept_apart = 0;
    for (unsigned i = 0; i < share_of(200000); i++) {
        struct htmt__extent a = random_extent(&random), b = random_extent(&random);
        bool meet = htmt__extents_meet(&a, &b);
        cr_assert(meet || !share(&a, &b));
        cr_assert_eq(meet, htmt__extents_meet(&b, &a));
        kept_apart += !meet;
    }
    cr_expect_gt(kept_apart, share_of(10000));
}

Test(extent, columns_of_a_matrix_meet_only_where_they_overlap)
{
    for (uint64_t i = 0; i < 10; i++)
        for (uint64_t j = 0; j < 9; j++) {
            struct htmt__extent a = {.at = i * 4, .piece = 4, .count = 5, .stride = 40},
                                b = {.at = 40 + j * 4, .piece = 8, .count = 4, .stride = 40};
            cr_expect_eq(htmt__extents_meet(&a, &b), i == j || i == j + 1, "%u %u", (unsigned)i,
                         (unsigned)j);
        }
}

/* An array of 6 x 5 x 4 words, boxes of 2 x 2 x 2 of it: all pairs. */
Test(extent, boxes_of_an_array_meet_only_where_they_overlap)
{
    enum { NX = 6, NY = 5, NZ = 4, PLACES = (NX - 1) * (NY - 1) * (NZ - 1) };
    struct htmt__extent box[PLACES];
    for (unsigned i = 0; i < PLACES; i++) {
        const unsigned x = i % (NX - 1), y = i / (NX - 1) % (NY - 1), z = i / (NX - 1) / (NY - 1);
        box[i] = (struct htmt__extent){.at = 8 * ((z * NY + y) * NX + x),
                                       .piece = 16,
                                       .count = 2,
                                       .stride = 8 * NX,
                                       .planes = 2,
                                       .plane = 8 * NX * NY};
    }
    for (unsigned i = 0; i < PLACES; i++)
        for (unsigned k = 0; k < PLACES; k++)
            cr_assert_eq(htmt__extents_meet(&box[i], &box[k]), share(&box[i], &box[k]), "%u %u", i,
                         k);
}

Test(extent, a_row_meets_its_columns_and_no_other_row)
{
    struct htmt__extent row = htmt__extent_run(80, 40),
                        column = {.at = 4, .piece = 4, .count = 5, .stride = 40};
    struct htmt__extent next = htmt__extent_run(120, 40),
                        above = {.at = 4, .piece = 4, .count = 2, .stride = 40};
    cr_expect(htmt__extents_meet(&row, &column));
    cr_expect_not(htmt__extents_meet(&row, &next));
    cr_expect_not(htmt__extents_meet(&row, &above));
}

Test(extent, the_whole_meets_everything_and_a_hull_holds_both)
{
    struct htmt__extent whole = {0}, a = {.at = 8, .piece = 4, .count = 3, .stride = 16},
                        b = htmt__extent_run(90, 10);
    struct htmt__extent hull = htmt__extent_hull(&a, &b);
    cr_expect(htmt__extents_meet(&whole, &a) && htmt__extents_meet(&b, &whole));
    cr_expect_eq(hull.at, 8);
    cr_expect_eq(htmt__extent_end(&hull), 100);
    hull = htmt__extent_hull(&whole, &a);
    cr_expect(htmt__extent_whole(&hull));
}

Test(extent, two_joined_hold_every_byte_of_both)
{
    uint64_t random = 3, combs = 0;
    for (unsigned i = 0; i < 200000; i++) {
        struct htmt__extent a = random_extent(&random), b = random_extent(&random);
        if (i % 2)
            b.stride = b.count > 1 && a.count > 1 && b.piece <= a.stride ? a.stride : b.stride;
        struct htmt__extent both = htmt__extent_join(&a, &b);
        char in_a[BYTES], in_b[BYTES], in_both[BYTES];
        mark(&a, in_a);
        mark(&b, in_b);
        mark(&both, in_both);
        for (unsigned k = 0; k < BYTES; k++)
            cr_assert(in_both[k] || !(in_a[k] || in_b[k]));
        combs += both.count > 1;
    }
    cr_expect_gt(combs, 1000);
}

Test(extent, columns_side_by_side_join_to_a_band_whatever_their_lengths)
{
    struct htmt__extent a = {.at = 16, .piece = 8, .count = 9, .stride = 80},
                        b = {.at = 16, .piece = 8, .count = 5, .stride = 80},
                        c = {.at = 24, .piece = 8, .count = 7, .stride = 80};
    struct htmt__extent beside = {.at = 32, .piece = 8, .count = 9, .stride = 80},
                        both = htmt__extent_join(&a, &b);
    both = htmt__extent_join(&both, &c);
    cr_expect(both.at == 16 && both.piece == 16 && both.count == 9 && both.stride == 80);
    cr_expect_not(htmt__extents_meet(&both, &beside));
}

/* ---- jobs that share a storage --------------------------------------------------------------- */

#define SIDE  12
#define STEPS share_of(4000)

struct stroke { /* adds up what it reads and mixes that into what it writes */
    uint64_t *at;
    struct htmt__extent read, write;
    uint64_t step;
};

static void paint(void *payload)
{
    const struct stroke *s = payload;
    uint64_t sum = s->step;
    for (uint64_t i = 0; i < s->read.count; i++)
        for (uint64_t k = 0; k < s->read.piece; k += 8)
            sum = sum * 31 + s->at[(s->read.at + i * s->read.stride + k) / 8];
    for (uint64_t i = 0; i < s->write.count; i++)
        for (uint64_t k = 0; k < s->write.piece; k += 8)
            s->at[(s->write.at + i * s->write.stride + k) / 8] += sum++;
}

/* A row, a column, or a tile of 3 x 2. */
static struct htmt__extent random_part(uint64_t *random)
{
    uint64_t x = draw(random) % SIDE, y = draw(random) % SIDE;
    switch (draw(random) % 3) {
    case 0:
        return htmt__extent_run(y * SIDE * 8, SIDE * 8);
    case 1:
        return (struct htmt__extent){.at = x * 8, .piece = 8, .count = SIDE, .stride = SIDE * 8};
    default:
        return (struct htmt__extent){.at = ((y % (SIDE - 2)) * SIDE + x % (SIDE - 1)) * 8,
                                     .piece = 16,
                                     .count = 3,
                                     .stride = SIDE * 8};
    }
}

static struct stroke random_stroke(uint64_t *random, uint64_t *at, uint64_t step)
{
    struct stroke s = {.at = at, .step = step};
    s.read = random_part(random);
    s.write = random_part(random);
    return s;
}

static void on_host(unsigned workers, uint64_t seed, uint64_t picture[SIDE * SIDE])
{
    struct htmt__host *host = NULL;
    struct htmt__host_options o = {.pools = 1, .workers = workers, .delay_seed = 0};
    cr_assert_eq(htmt__host_create(&host, &o), 0);
    struct htmt__storage *s = htmt__storage_create(host, SIDE * SIDE * 8, true, false);
    for (uint64_t i = 0; i < STEPS; i++) {
        struct htmt__job *job = htmt__job_create(host, 0, paint, sizeof(struct stroke), 2);
        struct stroke *stroke = htmt__job_payload(job);
        *stroke = random_stroke(&seed, htmt__storage_bytes(s), i);
        htmt__job_use_part(job, s, HTMT__READ, stroke->read);
        htmt__job_use_part(job, s, HTMT__WRITE, stroke->write);
        htmt__host_issue(host, job, false);
    }
    htmt__storage_sync(host, s, HTMT__READ);
    memcpy(picture, htmt__storage_bytes(s), SIDE * SIDE * 8);
    htmt__storage_drop(host, s);
    htmt__host_destroy(&host);
}

Test(extent, jobs_on_parts_of_one_storage_do_what_they_would_one_by_one)
{
    uint64_t plain[SIDE * SIDE] = {0}, picture[SIDE * SIDE], seed = 7;
    for (uint64_t i = 0; i < STEPS; i++) {
        struct stroke s = random_stroke(&seed, plain, i);
        paint(&s);
    }
    for (unsigned workers = 0; workers < 4; workers++) {
        on_host(workers, 7, picture);
        cr_expect_arr_eq(picture, plain, sizeof plain, "%u workers", workers);
    }
}

struct meeting {
    atomic_int *there;
};

/* Goes on when the other is there, too. */
static void meet(void *payload)
{
    atomic_int *there = ((struct meeting *)payload)->there;
    atomic_fetch_add(there, 1);
    while (atomic_load(there) < 2)
        ;
}

/* Each reads a column and writes its upper rows. */
Test(extent, users_of_different_columns_run_together, .timeout = 60)
{
    struct htmt__host *host = NULL;
    struct htmt__host_options o = {.pools = 1, .workers = 2};
    atomic_int there = 0;
    cr_assert_eq(htmt__host_create(&host, &o), 0);
    struct htmt__storage *s = htmt__storage_create(host, 800, true, false);
    for (uint64_t i = 0; i < 2; i++) {
        struct htmt__job *job = htmt__job_create(host, 0, meet, sizeof(struct meeting), 1);
        ((struct meeting *)htmt__job_payload(job))->there = &there;
        htmt__job_use_part(
            job, s, HTMT__READ,
            (struct htmt__extent){.at = 8 * i, .piece = 8, .count = 10, .stride = 80});
        htmt__job_use_part(
            job, s, HTMT__WRITE,
            (struct htmt__extent){.at = 8 * i, .piece = 8, .count = 7, .stride = 80});
        htmt__host_issue(host, job, false);
    }
    htmt__host_drain(host);
    cr_expect_eq(atomic_load(&there), 2);
    htmt__storage_drop(host, s);
    htmt__host_destroy(&host);
}
