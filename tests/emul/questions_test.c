/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a run can be asked: --explain, --summary, --table, --lint and --largest, by the command.
 */
#include "tests/apps/table.h"
#include "tests/emul/capture.h"
#include "tests/runtime/share.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

static struct captured c;

static json_t *loaded(void)
{
    json_error_t error;
    cr_assert_eq(c.status, 0, "%s", c.err);
    json_t *o = json_loads(c.out, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(o, "%s: %s", error.text, c.out);
    return o;
}

static json_int_t whole(const json_t *o, const char *key)
{
    return json_integer_value(json_object_get(o, key));
}

static const char *text(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

/* ---- --explain ------------------------------------------------------------------------------- */

static void adds_up(const json_t *o)
{
    const json_t *x = json_object_get(o, "explanation"), *sums = json_object_get(x, "sums_fs");
    const json_t *gap = json_object_get(x, "gap");
    json_t *part, *sum;
    json_int_t all = 0, parts = 0;
    const char *key;
    size_t i;
    json_object_foreach((json_t *)(uintptr_t)sums, key, sum) all += json_integer_value(sum);
    json_array_foreach(json_object_get(x, "parts"), i, part) parts += whole(part, "time_fs");
    cr_assert_eq(all, whole(o, "predicted_fs"));
    cr_assert_eq(parts, all);
    cr_assert_eq(whole(gap, "gap_fs"), all - whole(gap, "closed_form_fs"));
    cr_assert_eq(whole(gap, "gap_fs"), all - whole(sums, "work") - whole(gap, "beside_fs"));
}

#define ADDS_UP(...)                                                                               \
    do {                                                                                           \
        CAPTURE(&c, htmt_apps, __VA_ARGS__, "--explain", "--json=-");                              \
        json_t *o = loaded();                                                                      \
        adds_up(o);                                                                                \
        json_decref(o);                                                                            \
    } while (0)

Test(explain, the_parts_of_every_application_add_up_in_run_model_and_folded)
{
    ADDS_UP("run", "cannon", "--size=64", "--slices=4");
    ADDS_UP("model", "cannon", "--size=256", "--slices=16", "--schedule=paper");
    ADDS_UP("model", "cannon", "--machine=htmt-2007", "--size=3250", "--slices=16", "--fold");
    ADDS_UP("model", "pic", "--case=thermal", "--cells=30,16,16", "--slices=16", "--steps=2",
            "--fold");
    ADDS_UP("model", "sar", "--machine=hereld-tables", "--slices=2", "--patches=4");
    ADDS_UP("model", "volume", "--slices=4", "--size=64");
    ADDS_UP("model", "pic", "--machine=hereld-tables", "--costs=pic-hereld", "--phases=push",
            "--parcels=50", "--slices=2");
}

/* Hereld et al. take room for a second parcel for granted: without it a parcel's inject shows. */
Test(explain, room_for_one_plasma_parcel_is_a_stall_in_cram_of_one_inject_each)
{
    CAPTURE(&c, htmt_apps, "model", "pic", "--machine=hereld-tables", "--costs=pic-hereld",
            "--phases=push", "--parcels=50", "--slices=1", "--explain", "--json=-");
    json_t *o = loaded(), *part;
    size_t i, stalls = 0;
    json_array_foreach(json_object_get(json_object_get(o, "explanation"), "parts"), i, part)
    {
        if (strcmp(text(part, "cause"), "stall") != 0)
            continue;
        stalls++;
        cr_assert_str_eq(text(part, "of"), "CRAM");
        cr_assert_str_eq(text(part, "stage"), "inject");
        cr_assert_eq(whole(part, "intervals"), 49);
        /* 101,000 words at 64.1 Gword/s */
        cr_assert_float_eq((double)whole(part, "time_fs"), 49 * 101000 / 64.1e9 * 1e15, 49);
    }
    cr_assert_eq(stalls, 1);
    json_decref(o);
}

/* ---- --summary ------------------------------------------------------------------------------- */

static double value(const json_t *summary, const char *group, const char *name, const char *type)
{
    json_t *row;
    size_t i, column = 0;
    while (strcmp(json_string_value(json_array_get(json_object_get(summary, "columns"), column)),
                  type) != 0)
        column++;
    json_array_foreach(json_object_get(summary, "rows"), i, row)
    {
        const json_t *cell = json_array_get(json_object_get(row, "values"), column);
        if (strcmp(text(row, "group"), group) == 0 && strcmp(text(row, "name"), name) == 0)
            return json_is_null(cell) ? NAN : json_number_value(cell);
    }
    cr_assert_fail("no row %s %s", group, name);
    return NAN;
}

/* What is beyond equation 4 is a word over the RTI and one over the vortex: 0.42 and 0.97 ns. */
Test(explain, cause_is_compared_with_cause_where_the_closed_form_tells_its_own)
{
    CAPTURE(&c, htmt_apps, "model", "cannon", "--machine=htmt-2007", "--costs=cannon-amaral",
            "--schedule=paper", "--slices=4", "--explain", "--json=-");
    json_t *o = loaded();
    const json_t *gap = json_object_get(json_object_get(o, "explanation"), "gap");
    const json_t *more = json_object_get(gap, "more_fs");
    cr_assert_eq(whole(more, "fill"), 420000);
    cr_assert_eq(whole(more, "drain"), 970000);
    cr_assert_eq(whole(more, "overhead") + whole(more, "stall") + whole(more, "queue"), 0);
    cr_assert_eq(whole(gap, "gap_fs"), 1390000);
    json_decref(o);
}

/* Table 6 of Hereld et al.: a push parcel, and the use of all beside the SPELL's. */
Test(summary, the_plasma_parcel_is_that_of_the_paper)
{
    CAPTURE(&c, htmt_apps, "model", "pic", "--machine=hereld-tables", "--costs=pic-hereld",
            "--phases=push", "--parcels=50", "--slices=2", "--summary", "--json=-");
    json_t *o = loaded(), *s = json_object_get(o, "summary");
    cr_assert_float_eq(value(s, "count", "repetitions, a slice", "Push"), 50, 1e-9);
    cr_assert_float_eq(value(s, "time", "SPELL", "Push"), 200 / 0.88 * 16000 / 2.56e11, 1e-11);
    cr_assert_float_eq(value(s, "time", "DPIM", "Push"), 140500 / 5e8, 1e-12);
    cr_assert_float_eq(value(s, "words", "vortex dram out", "Push"), 101000, 1e-6);
    cr_assert_float_eq(value(s, "used", "SPELL", "Push"), 100, 1e-9);
    cr_assert_float_eq(value(s, "used", "DPIM", "Push"), 15.4, 0.1);
    cr_assert_float_eq(value(s, "used", "vortex dram out", "Push"), 71.1, 0.1);
    cr_assert_float_eq(value(s, "used", "rti sram out", "Push"), 11.1, 0.1);
    cr_assert_float_eq(value(s, "used", "SPIM", "Push"), 4.2, 0.1);
    cr_assert(isnan(value(s, "words", "vortex dram out", "Desk")) ||
              value(s, "words", "vortex dram out", "Desk") >= 0);
    json_decref(o);
}

Test(summary, the_file_says_what_the_object_says)
{
    char path[] = "/tmp/htmt-table-XXXXXX", option[64], line[512];
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    snprintf(option, sizeof option, "--table=csv:%s", path);
    CAPTURE(&c, htmt_apps, "model", "cannon", "--size=64", "--slices=4", option, "--json=-");
    json_t *o = loaded(), *s = json_object_get(o, "summary");
    FILE *in = fopen(path, "r");
    cr_assert_not_null(in);
    size_t lines = 0;
    while (fgets(line, sizeof line, in))
        lines++;
    fclose(in);
    remove(path);
    cr_assert_eq(lines, 1 + json_array_size(json_object_get(s, "rows")));
    cr_assert(strncmp(line, "used,", 5) == 0, "%s", line);
    json_decref(o);
}

/* ---- --lint ---------------------------------------------------------------------------------- */

#define DECLARED(...)                                                                              \
    do {                                                                                           \
        CAPTURE(&c, htmt_apps, "model", __VA_ARGS__, "--lint", "--json=-");                        \
        json_t *o = loaded(), *d;                                                                  \
        size_t i;                                                                                  \
        json_array_foreach(json_object_get(json_object_get(o, "lint"), "departures"), i, d)        \
            cr_assert(json_is_true(json_object_get(d, "declared")), "%s: %s", text(d, "type"),     \
                      text(d, "kind"));                                                            \
        json_decref(o);                                                                            \
    } while (0)

Test(lint, every_application_declares_how_it_departs)
{
    DECLARED("cannon", "--size=64", "--slices=4");
    DECLARED("sar", "--machine=hereld-tables", "--slices=1");
    DECLARED("volume", "--slices=4", "--size=64");
    DECLARED("pic", "--slices=4");
}

/* s steps of each SPELL use A, B and C; C is both read and written. Its words for q = t = 1. */
Test(lint, cannon_saves_the_words_of_its_sums_and_exchanges)
{
    enum { B = 16, S = 4 };
    CAPTURE(&c, htmt_apps, "model", "cannon", "--size=64", "--slices=16", "--lint", "--json=-");
    json_t *o = loaded(), *d;
    double exchanged = 0;
    size_t i;
    json_array_foreach(json_object_get(json_object_get(o, "lint"), "departures"), i, d)
    {
        if (strcmp(text(d, "kind"), "exchange between slices") == 0)
            exchanged += json_number_value(json_object_get(d, "words"));
    }
    cr_assert_geq(exchanged, S * S * (S - 1) * 2 * B * B);
    cr_assert_leq(exchanged, S * S * (S - 1) * (2 * B * B + 4));
    json_decref(o);
}

static json_int_t with_moves(const json_t *o, const char *kind)
{
    const json_t *found = NULL, *d;
    size_t i;
    json_array_foreach(json_object_get(json_object_get(o, "lint"), "carried"), i, d)
    {
        if (strcmp(text(d, "kind"), kind) == 0)
            found = d;
    }
    cr_assert_not_null(found, "no %s", kind);
    return whole(found, "predicted_fs");
}

/* The sum of b b words goes down and up before each step of a block product but the first: at
 * 64.1 Gword/s and 20 ns. */
Test(lint, sums_of_cannon_move_between_the_steps_of_a_block)
{
    const json_int_t words = 16 * 16, leg = 20000000 + (words * 10000000 + 320) / 641;
    CAPTURE(&c, htmt_apps, "model", "cannon", "--size=64", "--slices=16", "--lint", "--json=-");
    json_t *o = loaded();
    json_int_t kept = whole(o, "predicted_fs");
    cr_assert_eq(with_moves(o, "resident state") - kept, (4 - 1) * 2 * leg);
    cr_assert_gt(with_moves(o, "all"), with_moves(o, "exchange between slices"));
    cr_assert_gt(with_moves(o, "exchange between slices"), kept);
    json_decref(o);
}

/* With data the run takes another time than its model: rays end. */
Test(lint, a_run_compares_what_if_moves_with_a_model_run)
{
    CAPTURE(&c, htmt_apps, "model", "volume", "--slices=2", "--phantom=24", "--size=32",
            "--json=-");
    json_t *o = loaded();
    json_int_t kept = whole(o, "predicted_fs");
    json_decref(o);
    CAPTURE(&c, htmt_apps, "run", "volume", "--slices=2", "--phantom=24", "--size=32",
            "--transfer=dense", "--lint", "--json=-");
    o = loaded();
    cr_expect_neq(whole(o, "predicted_fs"), kept);
    cr_assert_eq(whole(json_object_get(o, "lint"), "kept_fs"), kept);
    json_decref(o);
}

#define FOLDED_CARRIES(...)                                                                        \
    do {                                                                                           \
        static const char *const kinds[] = {"resident state", "incomplete closure",                \
                                            "exchange between slices", "all"};                     \
        CAPTURE(&c, htmt_apps, "model", __VA_ARGS__, "--lint", "--json=-");                        \
        json_t *all = loaded();                                                                    \
        CAPTURE(&c, htmt_apps, "model", __VA_ARGS__, "--lint", "--fold", "--json=-");              \
        json_t *one = loaded();                                                                    \
        for (unsigned k = 0; k < 4; k++)                                                           \
            cr_assert_eq(with_moves(all, kinds[k]), with_moves(one, kinds[k]), "%s", kinds[k]);    \
        json_decref(all);                                                                          \
        json_decref(one);                                                                          \
    } while (0)

Test(lint, cannon_moves_as_much_when_it_is_folded)
{
    FOLDED_CARRIES("cannon", "--size=64", "--slices=16");
    FOLDED_CARRIES("cannon", "--size=72", "--slices=9", "--machine=htmt-2007");
    FOLDED_CARRIES("cannon", "--size=120", "--slices=4", "--schedule=paper");
}

/* ---- --largest ------------------------------------------------------------------------------- */

/* Table 7 of Hereld et al. */
Test(largest, dram_holds_5069_plasma_parcels_and_binds)
{
    CAPTURE(&c, htmt_apps, "predict", "pic", "--machine=hereld-tables", "--costs=pic-hereld",
            "--phases=push", "--slices=1", "--largest", "--json=-");
    json_t *o = loaded(), *r;
    size_t i, found = 0;
    json_array_foreach(json_object_get(o, "largest"), i, r)
    {
        bool dram = strcmp(text(r, "memory"), "DRAM") == 0;
        if (strcmp(text(r, "option"), "parcels") != 0)
            continue;
        found++;
        cr_assert_eq(json_is_true(json_object_get(r, "binds")), dram);
        if (dram || strcmp(text(r, "memory"), "all") == 0)
            cr_assert_eq(whole(r, "size"), 5069);
    }
    cr_assert_eq(found, 5);
    json_decref(o);
}

/* A raw patch and its image have 2 bytes a point of 11812 x 4096; HRAM of a slice 32e9 words. */
Test(largest, hram_holds_1322_patches_a_slice_and_binds)
{
    if (only_memory())
        cr_skip_test("numbers alone");
    CAPTURE(&c, htmt_apps, "predict", "sar", "--costs=sar-hereld", "--largest", "--json=-");
    json_t *o = loaded(), *r;
    size_t i, found = 0;
    json_array_foreach(json_object_get(o, "largest"), i, r)
    {
        bool hram = strcmp(text(r, "memory"), "HRAM") == 0;
        if (strcmp(text(r, "option"), "patches") != 0)
            continue;
        found++;
        cr_assert_eq(json_is_true(json_object_get(r, "binds")), hram);
        if (hram || strcmp(text(r, "memory"), "all") == 0)
            cr_assert_eq(whole(r, "size"), 4096 * (32000000000 / (2 * 11812 * 4096 / 4)));
    }
    cr_assert_eq(found, 5);
    json_decref(o);
}

/* Words of a slice that n^3 voxels of half a word take in subcubes of 50^3, which share faces. */
static double stored(double n)
{
    return pow(n + ceil((n - 1) / 49) - 1, 3) / 2 / 4096;
}

Test(largest, dram_bounds_a_volume_and_binds)
{
    CAPTURE(&c, htmt_apps, "predict", "volume", "--machine=hereld-tables", "--costs=volume-hereld",
            "--largest", "--json=-");
    json_t *o = loaded(), *r;
    size_t i, found = 0;
    json_array_foreach(json_object_get(o, "largest"), i, r)
    {
        bool dram = strcmp(text(r, "memory"), "DRAM") == 0;
        if (strcmp(text(r, "option"), "dims") != 0)
            continue;
        found++;
        cr_assert_eq(json_is_true(json_object_get(r, "binds")), dram);
        if (!dram && strcmp(text(r, "memory"), "all") != 0)
            continue;
        double n = (double)whole(r, "size"); /* the ways of bundles take their share, too */
        cr_assert(stored(n) <= 512e6 && 2 * stored(n) > 512e6, "%g", n);
    }
    cr_assert_eq(found, 5);
    json_decref(o);
}

Test(largest, what_is_found_fits_and_one_more_does_not)
{
    char size[64];
    CAPTURE(&c, htmt_apps, "predict", "cannon", "--machine=htmt-2007", "--largest", "--json=-");
    json_t *o = loaded();
    json_int_t n = whole(json_array_get(json_object_get(o, "largest"), 0), "size");
    json_decref(o);
    snprintf(size, sizeof size, "--size=%lld", (long long)n);
    CAPTURE(&c, htmt_apps, "predict", "cannon", "--machine=htmt-2007", size, "--quiet");
    cr_assert_eq(c.status, 0, "%s", c.err);
    snprintf(size, sizeof size, "--size=%lld", (long long)n + 1);
    CAPTURE(&c, htmt_apps, "predict", "cannon", "--machine=htmt-2007", size, "--quiet");
    cr_assert_eq(c.status, 3);
}

/* ---- refusals -------------------------------------------------------------------------------- */

Test(questions, each_verb_is_asked_what_it_can_tell)
{
    CAPTURE(&c, htmt_apps, "predict", "cannon", "--explain");
    cr_assert_eq(c.status, 2);
    cr_assert(strstr(c.err, "--explain: only run and model can tell"), "%s", c.err);
    CAPTURE(&c, htmt_apps, "model", "cannon", "--size=64", "--slices=4", "--largest");
    cr_assert_eq(c.status, 2);
    CAPTURE(&c, htmt_apps, "model", "cannon", "--size=64", "--slices=4", "--table=tab");
    cr_assert_eq(c.status, 2);
    cr_assert(strstr(c.err, "--table: found 'tab', expected csv:FILE"), "%s", c.err);
}
