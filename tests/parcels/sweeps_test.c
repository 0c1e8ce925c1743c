/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Sweeps over rows: what a plain loop finds, in a time by hand, for any number of threads, as a
 * model, folded; refusals.
 */
#include "parcels/sweeps.h"

#include "tests/parcels/accounts.h"
#include "tests/parcels/world.h"

enum { WIDTH = 3, SLICES = 4, ROWS = 8, ALL = SLICES * ROWS, SWEEPS = 5, HALO_MOST = 2 };

struct setting {
    uint64_t halo, band;
    bool wrap, named; /* the parcels have arguments */
};

/* The mean of the rows up to `halo` away; `row` runs from 0 to `halo` before the first one. */
static double mean(const double *from, uint64_t i, uint64_t halo)
{
    double sum = 0;
    for (uint64_t k = 0; k <= 2 * halo; k++)
        sum += from[i + k * WIDTH] * (double)(k + 1);
    return sum / 16;
}

static uint64_t halo_of(const struct htmt_kernel *k)
{
    return (htmt_size(k, 0) - htmt_size(k, 1)) / (16 * WIDTH);
}

static void relax(struct htmt_kernel *k)
{
    double *to = htmt_bytes(k, 1);
    for (uint64_t i = 0; i < htmt_size(k, 1) / 8; i++)
        to[i] = mean(htmt_bytes(k, 0), i, halo_of(k));
}

/* Adds what tells sweep and row from others. */
static void relax_named(struct htmt_kernel *k)
{
    const struct htmt_sweeps_args *a = htmt_kernel_args(k);
    double *to = htmt_bytes(k, 1);
    relax(k);
    for (uint64_t i = 0; i < htmt_size(k, 1) / 8; i++)
        to[i] += (double)(100 * a->sweep + a->row + i / WIDTH);
}

COST(cost, ops->n[HTMT_FLOP] = *(const uint64_t *)user * WIDTH)

static void plain(double *u, const struct setting *s)
{
    double from[(ALL + 2 * HALO_MOST) * WIDTH];
    for (uint64_t sweep = 0; sweep < SWEEPS; sweep++) {
        memset(from, 0, sizeof from);
        for (uint64_t r = 0; r < ALL + 2 * s->halo; r++)
            if (s->wrap || (r >= s->halo && r < ALL + s->halo))
                memcpy(&from[r * WIDTH], &u[(r + ALL - s->halo) % ALL * WIDTH], 8 * WIDTH);
        for (uint64_t i = 0; i < ALL * WIDTH; i++)
            u[i] = mean(from, i, s->halo) + (s->named ? (double)(100 * sweep + i / WIDTH) : 0);
    }
}

static struct htmt_sweeps open_sweeps(struct world *w, const struct setting *s)
{
    struct htmt_sweeps d = htmt_sweeps_init();
    d.type = TYPE(w, .name = "band", .home = "dram", .exec = "cram",
                  .execute = {.kernel = s->named ? relax_named : relax, .cost = cost},
                  .args_bytes = s->named ? sizeof(struct htmt_sweeps_args) : 0, .user = &s->band);
    d.row = 8 * WIDTH;
    d.rows = ALL;
    d.halo = s->halo;
    d.band = s->band;
    d.sweeps = SWEEPS;
    d.wrap = s->wrap;
    return d;
}

static htmt_time play(const struct setting *s, struct htmt_options o)
{
    double u[ALL * WIDTH], found[ALL * WIDTH];
    for (int i = 0; i < ALL * WIDTH; i++)
        u[i] = i * 7 % 31;
    struct world_spec spec = world_plain(SLICES);
    struct world w = world_open(&spec, o);
    struct htmt_sweeps d = open_sweeps(&w, s);
    cr_assert_eq(htmt_sweeps_create(w.e, &d), 0, "%s", htmt_emulator_fault(w.e)->text);
    cr_assert_eq(htmt_sweeps_load(&d, u), 0);
    htmt_time time = world_run(&w);
    cr_assert_eq(htmt_sweeps_gather(&d, found), 0);
    plain(u, s);
    for (int i = 0; i < ALL * WIDTH && o.mode == HTMT_RUN; i++)
        cr_assert_eq(found[i], u[i], "point %d: %g, expected %g", i, found[i], u[i]);
    world_close(&w);
    return time;
}

static void same_in_all_ways(const struct setting *s, htmt_time time)
{
    static const struct htmt_options ways[] = {
        {.threads = 3}, {.threads = 2, .checked = true}, {.mode = HTMT_MODEL}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        cr_expect_eq(play(s, ways[i]), time, "way %zu", i);
    if (s->wrap)
        cr_expect_eq(play(s, (struct htmt_options){.mode = HTMT_MODEL, .symmetry = HTMT_FOLDED}),
                     time, "folded");
}

Test(sweeps, find_what_a_plain_loop_finds_in_all_ways)
{
    static const struct setting settings[] = {{1, 2, false, false},
                                              {1, 1, true, false},
                                              {2, 4, false, true},
                                              {2, 2, true, true},
                                              {1, 8, false, true}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        same_in_all_ways(&settings[i], play(&settings[i], (struct htmt_options){.threads = 1}));
}

/* Both edges leave one after another; the only band with its halo goes in over two networks, is
 * computed, and goes back over two. */
Test(sweeps, of_one_band_take_their_time_by_hand)
{
    const struct setting s = {1, ROWS, true, false};
    const htmt_time in = (ROWS + 2) * WIDTH, out = ROWS * WIDTH;
    const htmt_time sweep = 2 * WIDTH + 2 * in + out + 2 * out;
    cr_expect_eq(play(&s, (struct htmt_options){.threads = 1}), SWEEPS * sweep * NS);
}

static void refused(void (*change)(struct htmt_sweeps *), const char *text)
{
    const struct setting s = {1, 2, false, false};
    struct world_spec spec = world_plain(SLICES);
    struct world w = OPEN(&spec, .threads = 1);
    struct htmt_sweeps d = open_sweeps(&w, &s);
    change(&d);
    cr_expect_eq(htmt_sweeps_create(w.e, &d), HTMT_EINVAL);
    cr_expect(strstr(htmt_emulator_fault(w.e)->text, text), "%s", htmt_emulator_fault(w.e)->text);
    world_close(&w);
}

static void no_type(struct htmt_sweeps *d)
{
    d->type = NULL;
}
static void odd_rows(struct htmt_sweeps *d)
{
    d->rows = ALL + 1;
}
static void odd_band(struct htmt_sweeps *d)
{
    d->band = 3;
}
static void no_sweep(struct htmt_sweeps *d)
{
    d->sweeps = 0;
}
static void no_halo(struct htmt_sweeps *d)
{
    d->halo = 0;
}
static void wide_halo(struct htmt_sweeps *d)
{
    d->halo = ROWS + 1;
}
static void long_rows(struct htmt_sweeps *d)
{
    d->row = UINT64_MAX / 2;
}
static void later_version(struct htmt_sweeps *d)
{
    d->size += 8;
}

Test(sweeps, that_cannot_be_are_refused_in_a_line)
{
    refused(no_type, "type");
    refused(odd_rows, "33 rows of 24 bytes in bands of 2, expected a multiple of the 4 slices");
    refused(odd_band, "in bands of 3");
    refused(no_sweep, "0 sweeps");
    refused(no_halo, "a halo of 0 rows, expected 1 to 8");
    refused(wide_halo, "a halo of 9 rows");
    refused(long_rows, "more bytes than there are numbers");
    refused(later_version, "of another version");
    cr_expect_eq(htmt_sweeps_load(NULL, NULL), HTMT_EINVAL);
    cr_expect_eq(htmt_sweeps_gather(NULL, NULL), HTMT_EINVAL);
}
