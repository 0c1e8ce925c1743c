/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of long runs: what an emulator keeps does not depend on how long it has gone on. Bytes of
 * the heap are counted in the middle of a run, in a control, after FEW rounds and after MANY.
 */
#include "parcels/walk/entity.h"
#include "tests/parcels/world.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
size_t __sanitizer_get_current_allocated_bytes(void);
#else
#include <jemalloc/jemalloc.h>
#endif

enum { SLICES = 8, FEW = 800, MANY = 2400, BYTES = 16 << 10 };
#define KIB ((int64_t)1024)

/* What the rounds of all slices do. */
struct rounds {
    struct htmt_type *type;
    struct htmt_object *source[SLICES], *row[SLICES];
    uint32_t puts_from, puts_to; /* the last slice that puts; how far */
    bool sizes, sections;        /* parcels of other sizes; sections that change */
    int64_t bytes[2];            /* after FEW and MANY */
};

struct round {
    struct rounds *all;
    uint32_t number;
    uint64_t random;
};

static int64_t heap_bytes(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return (int64_t)__sanitizer_get_current_allocated_bytes();
#else
    uint64_t epoch = 1;
    size_t bytes = 0, size = sizeof bytes;
    cr_assert_eq(mallctl("epoch", NULL, NULL, &epoch, sizeof epoch), 0);
    cr_assert_eq(mallctl("stats.allocated", &bytes, &size, NULL, 0), 0);
    return (int64_t)bytes;
#endif
}

COST(round_cost, ops->n[HTMT_CYCLE] = 20000)

static void put_row(struct htmt_context *c, struct round *r)
{
    uint32_t slice = htmt_slice(c), target = (slice + r->all->puts_to) % SLICES;
    struct htmt_put put = htmt_put_init();
    if (slice > r->all->puts_from || !r->all->puts_to)
        return;
    put.src = htmt_in(r->all->row[slice], 0);
    put.dst = htmt_in(r->all->row[target], 0);
    put.bytes = r->all->sizes ? world_between(&r->random, 8, BYTES) : BYTES;
    htmt_put(c, &put);
}

static int assemble(struct htmt_context *c, uint32_t slice, struct round *r)
{
    struct htmt_region region = htmt_region_init();
    region.from = htmt_in(r->all->source[slice], 0);
    region.bytes = r->all->sizes ? world_between(&r->random, 1, BYTES / 8) * 8 : 64;
    return ASSEMBLE(c, NULL, .type = r->all->type, .slice = slice, .regions = &region,
                    .region_count = 1, .args = r);
}

static void round_control(struct htmt_context *c)
{
    static const char *const name[] = {"calm", "storm"};
    struct round r = *(struct round *)htmt_args(c);
    htmt_work(c);
    if (r.all->sections)
        htmt_section(c, name[r.number % 2]);
    if (htmt_slice(c) == 0 && (r.number == FEW || r.number == MANY))
        r.all->bytes[r.number == MANY] = heap_bytes();
    put_row(c, &r);
    if (r.number++ < MANY)
        assemble(c, htmt_slice(c), &r);
}

/* After MANY rounds there are at most so many bytes more than after FEW. */
static void grows_little(struct rounds all, struct htmt_options o, int64_t most)
{
    struct world_spec s = world_plain(SLICES);
    for (int n = 0; n < NETWORKS; n++)
        s.network[n].latency_ns = 3000;
    struct world w = world_open(&s, o);
    all.type = TYPE(&w, .name = "round", .home = "dram", .exec = "cram",
                    .execute = {.cost = round_cost, .control = round_control},
                    .args_bytes = sizeof(struct round));
    for (uint32_t i = 0; i < SLICES; i++) {
        all.source[i] = world_object(&w, i, DRAM, BYTES, "source");
        all.row[i] = world_object(&w, i, CRAM, BYTES, "row");
    }
    for (uint32_t i = 0; i < SLICES; i++)
        cr_assert_eq(assemble(htmt_root(w.e), i, &(struct round){&all, 0, 7 + i}), 0);
    world_run(&w);
    int64_t more = all.bytes[1] - all.bytes[0];
    cr_assert(all.bytes[0] && more < most, "%lld KiB more", (long long)(more / KIB));
    world_close(&w);
}

static const struct htmt_options model = {.mode = HTMT_MODEL}, alone = {.threads = 1},
                                 several = {
                                     .threads = 3, .clock = HTMT_CLOCK_SHARED, .clock_threads = 2};

Test(growth, parcels_of_ever_other_sizes_leave_no_costs_behind, .timeout = 120)
{
    const struct rounds all = {.sizes = true};
    grows_little(all, model, 256 * KIB);
    grows_little(all, several, 256 * KIB);
}

Test(growth, bytes_that_go_one_way_leave_no_pages_behind, .timeout = 120)
{
    const struct rounds all = {.puts_from = SLICES / 2 - 1, .puts_to = SLICES / 2};
    grows_little(all, alone, 256 * KIB);
    grows_little(all, several, 256 * KIB);
}

/* Each of four hosts may keep 256 KiB of others. */
Test(growth, puts_of_ever_other_sizes_leave_no_pages_behind, .timeout = 120)
{
    const struct rounds all = {.sizes = true, .puts_from = SLICES, .puts_to = SLICES / 2};
    grows_little(all, several, 1024 * KIB);
}

Test(growth, changes_of_sections_are_forgotten, .timeout = 120)
{
    grows_little((struct rounds){.sections = true}, model, 256 * KIB);
    grows_little((struct rounds){.sections = true}, several, 256 * KIB);
}

/* By counting: chunks of 8, 16, 32, 64, then of 128, each filled before the next one begins. */
Test(growth, chunks_of_entities_double_up_to_their_most)
{
    uint32_t number = 0, size = HTMT__CHUNK_LEAST, used = 0;
    for (uint32_t i = 0; i < 100000; i++) {
        const uint32_t at = i + HTMT__CHUNK_LEAST;
        cr_assert_eq(htmt__chunk_number(at), number, "entity %u", i);
        cr_assert_eq(htmt__chunk_size(at), size, "entity %u", i);
        cr_assert_eq(at & (size - 1), used, "entity %u", i);
        if (++used == size) {
            number++;
            used = 0;
            size = size < HTMT__CHUNK_MOST ? 2 * size : size;
        }
    }
}
