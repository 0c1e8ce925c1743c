/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sections in results, report and JSON.
 */
#include "emul/lib/report/json.h"
#include "emul/lib/report/report.h"
#include "tests/emul/squares.h"
#include "tests/parcels/world.h"

/* Two services of 10 ns on two SPELLs of one slice; the second section begins at 4. */
static void half(struct htmt_context *c)
{
    htmt_charge(c, HTMT_CYCLE, 4);
    htmt_section(c, "steady");
    htmt_work(c);
    htmt_charge(c, HTMT_CYCLE, 6);
}

static struct world open_named(bool from_root)
{
    struct world_spec s = world_plain(1);
    s.servers[CRAM] = 2;
    struct world w = world_open(&s, (struct htmt_options){.mode = HTMT_MODEL});
    struct htmt_type *t = world_type(
        &w, (struct htmt_type_desc){
                .name = "half", .home = "cram", .exec = "cram", .execute = {.control = half}});
    if (from_root)
        htmt_section(htmt_root(w.e), "set-up");
    world_start(&w, (struct htmt_parcel_desc){.type = t});
    world_start(&w, (struct htmt_parcel_desc){.type = t});
    world_run(&w);
    return w;
}

static struct htmt__experiment experiment_of(const struct world *w,
                                             const struct htmt_request *request,
                                             const struct htmt__options *options)
{
    struct htmt__experiment x = {
        .record = {.version = "v", .verb = "model", .options = options, .request = request}};
    cr_assert_eq(htmt__results_collect(w->e, &x.results), 0);
    return x;
}

Test(sections, time_before_the_first_has_no_name_and_no_row_if_there_was_none)
{
    struct htmt__results r;
    struct world w = open_named(true);
    cr_assert_eq(htmt__results_collect(w.e, &r), 0);
    cr_assert_eq(r.section_count, 2);
    cr_assert_str_eq(r.section[0].name, "set-up");
    cr_assert_float_eq(r.section[0].share, 0.4, 1e-12);
    cr_assert_float_eq(r.section[1].busy_s, 12e-9, 1e-21);
    htmt__results_clear(&r);
    world_close(&w);
    w = open_named(false);
    cr_assert_eq(htmt__results_collect(w.e, &r), 0);
    cr_assert_str_eq(r.section[0].name, "");
    cr_assert_float_eq(r.section[0].time_s, 4e-9, 1e-21);
    htmt__results_clear(&r);
    world_close(&w);
}

Test(sections, report_and_json_have_them)
{
    char *text = NULL;
    size_t size;
    struct world w = open_named(false);
    struct htmt_request request = {.machine = w.m};
    struct htmt__options options = {.app = &squares};
    struct htmt__experiment x = experiment_of(&w, &request, &options);
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(htmt__report_experiment(&x, out), 0);
    fclose(out);
    cr_assert_not_null(strstr(text, "SECTIONS"), "%s", text);
    cr_assert_not_null(strstr(text, "(before)"), "%s", text);
    cr_assert_not_null(strstr(text, "steady"), "%s", text);
    json_t *o = htmt__json_experiment(&x);
    cr_assert_not_null(o);
    json_t *steady = json_array_get(json_object_get(o, "sections"), 1);
    cr_assert_str_eq(json_string_value(json_object_get(steady, "name")), "steady");
    cr_assert_float_eq(json_real_value(json_object_get(steady, "time_s")), 6e-9, 1e-21);
    cr_assert_float_eq(json_real_value(json_object_get(steady, "busy_s")), 12e-9, 1e-21);
    json_decref(o);
    free(text);
    htmt__results_clear(&x.results);
    world_close(&w);
}
