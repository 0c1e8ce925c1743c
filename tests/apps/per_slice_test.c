/* SPDX-License-Identifier: BSD-3-Clause */
/* Class: unit threads. */
#include "apps/lib/per_slice.h"

#include "tests/parcels/ring.h"
#include "tests/ranks/threads.h"

struct record {
    HTMT_PER_SLICE char one;
    uint64_t eight[8];
};

Test(per_slice, records_are_zero_and_share_no_cache_line)
{
    struct record *of_slice = htmt_per_slice_create(3, sizeof *of_slice);
    cr_assert(of_slice);
    cr_expect_eq((uintptr_t)of_slice % 64, 0);
    cr_expect_eq(sizeof *of_slice % 64, 0);
    for (uint32_t i = 0; i < 3; i++)
        cr_expect(!of_slice[i].one && !of_slice[i].eight[7]);
    free(of_slice);
}

/* ---- fetched --------------------------------------------------------------------------------- */

#define LONG ((size_t)40 << 20) /* in several pieces */

struct bundle {
    unsigned char *at;
    size_t size;
};

static size_t size_of(uint32_t slice)
{
    return slice == 4 ? LONG : 100 * slice;
}

static struct bundle of_slice(uint32_t slice)
{
    struct bundle b = {malloc(size_of(slice) + 1), size_of(slice)};
    cr_assert(b.at);
    memset(b.at, (int)slice + 1, b.size);
    return b;
}

static bool is_of_slice(const struct bundle *b, uint32_t slice)
{
    if (!b->at || b->size != size_of(slice))
        return false;
    return b->size == 0 || (b->at[0] == slice + 1 && !memcmp(b->at, b->at + 1, b->size - 1));
}

static int fetch_all(struct htmt_emulator *e, const struct htmt_ranks *rank)
{
    for (uint32_t slice = 0; slice < RING_SLICES; slice++) {
        struct bundle b = htmt_slice_here(e, slice) ? of_slice(slice) : (struct bundle){NULL, 0};
        void *at = b.at;
        int rc = htmt_per_slice_fetch(e, slice, &at, &b.size);
        b.at = at;
        bool right = !rank || rank->rank == 0 ? is_of_slice(&b, slice) : !b.at && b.size == 0;
        free(b.at);
        if (rc || !right)
            return rc ? rc : HTMT_EWRONG;
    }
    return 0;
}

/* `gone`: rank 1 leaves without fetching. */
static int play_and_fetch(const struct htmt_ranks *rank, void *gone)
{
    struct world_spec s = ring_spec();
    struct ring r = {.turns = 3};
    struct world w = world_open(&s, (struct htmt_options){.mode = HTMT_MODEL, .ranks = rank});
    ring_start(&w, &r);
    int rc = htmt_emulator_run(w.e);
    if (!rc && !(*(bool *)gone && rank->rank == 1))
        rc = fetch_all(w.e, rank);
    world_close(&w);
    return rc;
}

Test(per_slice, what_a_slice_left_comes_to_rank_0_whole)
{
    bool gone = false;
    int rc[4];
    cr_expect_eq(play_and_fetch(NULL, &gone), 0);
    for (uint32_t count = 1; count <= 4; count++) {
        cr_assert_eq(ranks_threads_play(count, play_and_fetch, &gone, rc), 0);
        for (uint32_t i = 0; i < count; i++)
            cr_expect_eq(rc[i], 0, "rank %u of %u: %s", i, count, htmt_strerror(rc[i]));
    }
}

Test(per_slice, a_rank_that_is_gone_is_an_error_of_the_others)
{
    bool gone = true;
    int rc[2];
    cr_assert_eq(ranks_threads_play(2, play_and_fetch, &gone, rc), 0);
    cr_expect_eq(rc[0], HTMT_ESYSTEM);
    cr_expect_eq(rc[1], 0);
}
