/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/report/json.h"
#include "tests/apps/table.h"
#include "tests/emul/capture.h"
#include "tests/emul/squares.h"
#include "tests/files/place.h"

#include <math.h>

static const struct htmt_app *const apps[] = {&squares, NULL};
static char *guide;

static void load_guide(void)
{
    guide = file_content("docs/json.md", NULL);
}

/* Every key of the object and of what lies in it stands in the guide between back quotes. */
static void documented(json_t *value)
{
    const char *key;
    json_t *inner;
    size_t i;
    json_object_foreach(value, key, inner)
    {
        char quoted[80];
        snprintf(quoted, sizeof quoted, "`%s`", key);
        cr_assert_not_null(strstr(guide, quoted), "%s is not in docs/json.md", quoted);
        documented(inner);
    }
    json_array_foreach(value, i, inner) documented(inner);
}

/* The caller drops it. */
static json_t *object_of(const char *verb)
{
    struct captured c;
    json_error_t error;
    CAPTURE(&c, apps, (char *)(uintptr_t)verb, "squares", "--machine=small-htmt", "--json=-");
    cr_assert_eq(c.status, 0, "%s", c.err);
    json_t *o = json_loads(c.out, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(o, "%s", error.text);
    return o;
}

static void has_keys(const json_t *o, const char *const *keys)
{
    for (; *keys; keys++)
        cr_assert_not_null(json_object_get(o, *keys), "%s is missing", *keys);
}

static json_t *first(const json_t *o, const char *key)
{
    return json_array_get(json_object_get(o, key), 0);
}

Test(json, every_key_is_documented)
{
    static const char *const verbs[] = {"run", "model", "predict"};
    load_guide();
    for (unsigned i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        json_t *o = object_of(verbs[i]);
        documented(o);
        json_decref(o);
    }
}

Test(json, so_is_every_key_of_what_a_run_can_be_asked)
{
    static const struct htmt_app *const cannon[] = {&htmt_app_cannon, NULL};
    struct captured c;
    load_guide();
    for (int i = 0; i < 2; i++) {
        if (i)
            CAPTURE(&c, cannon, "predict", "cannon", "--slices=4", "--largest", "--term=T_B",
                    "--json=-");
        else
            CAPTURE(&c, cannon, "model", "cannon", "--size=64", "--slices=4", "--explain",
                    "--summary", "--lint", "--json=-");
        json_t *o = json_loads(c.out, 0, NULL);
        cr_assert_not_null(o, "%s", c.err);
        json_t *sums = json_object_get(json_object_get(o, "explanation"), "sums_fs");
        cr_assert_eq(json_object_size(sums), i ? 0 : 6);
        documented(o);
        json_decref(o);
    }
}

/* The list of the contract, written down apart from the code. */
Test(json, the_keys_of_the_contract_are_there)
{
    static const char *const top[] = {
        "schema",       "app",         "machine",  "costs",
        "precision",    "kernel_set",  "mode",     "slices",
        "threads",      "seed",        "correct",  "check",
        "predicted_fs", "predicted_s", "flops",    "predicted_flops_per_s",
        "wall",         "parcels",     "events",   "history_hash",
        "phases",       "resources",   "memories", "bottleneck",
        "record",       NULL};
    static const char *const check[] = {"name", "value", "tolerance", NULL};
    static const char *const wall[] = {"input_s",  "setup_s", "emulate_s", "check_s",
                                       "output_s", "total_s", NULL};
    static const char *const phase[] = {"name",   "resource",    "parcels",     "quantity", "unit",
                                        "mean_s", "parallelism", "utilization", NULL};
    static const char *const resource[] = {"name",        "count",     "busy_s", "utilization",
                                           "mean_wait_s", "max_queue", NULL};
    static const char *const memory[] = {"name",       "count",   "capacity_words",
                                         "peak_words", "stall_s", NULL};
    json_t *o = object_of("run");
    has_keys(o, top);
    has_keys(json_object_get(o, "check"), check);
    has_keys(json_object_get(o, "wall"), wall);
    has_keys(first(o, "phases"), phase);
    has_keys(first(o, "resources"), resource);
    has_keys(first(o, "memories"), memory);
    cr_assert_eq(strlen(json_string_value(json_object_get(o, "history_hash"))), 16);
    json_decref(o);
}

/* A prediction of over 2^53 fs would lose its last digits as a double. */
Test(json, femtoseconds_keep_all_64_bits)
{
    struct htmt_machine machine = {.name = "m"};
    struct htmt_request request = {.machine = &machine};
    struct htmt__options options = {.app = &squares};
    struct htmt__experiment x = {
        .record = {.version = "v", .verb = "run", .options = &options, .request = &request}};
    x.results.predicted = (INT64_C(1) << 53) + 1;
    x.outcome.check.value = NAN;
    json_t *o = htmt__json_experiment(&x);
    cr_assert_not_null(o);
    cr_assert_eq(json_integer_value(json_object_get(o, "predicted_fs")), 9007199254740993);
    cr_assert(json_is_null(json_object_get(json_object_get(o, "check"), "value")));
    json_decref(o);
}

Test(json, what_an_application_found_is_there)
{
    json_t *o = object_of("run"), *largest = first(o, "found");
    cr_expect_str_eq(json_string_value(json_object_get(largest, "name")), "largest");
    cr_expect_str_eq(json_string_value(json_object_get(largest, "unit")), "1");
    double n = sqrt(json_real_value(json_object_get(largest, "value")));
    cr_expect(n > 0 && n == floor(n), "%g squared", n);
    json_decref(o);
}
