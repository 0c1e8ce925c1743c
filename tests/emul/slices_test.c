/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The slices that a command line without --slices takes, and what the report says of them.
 */
#include "tests/apps/table.h"
#include "tests/emul/capture.h"

#include <jansson.h>

static struct captured c;

#define WORDS 12

/* What the JSON object of a prediction says. why: "" for null. */
static void takes(uint32_t slices, const char *why, char *const *words)
{
    char *argv[WORDS + 4] = {"htmt", "predict"};
    json_error_t error;
    int argc = 2;
    while (*words && argc < WORDS)
        argv[argc++] = *words++;
    argv[argc++] = "--json=-";
    capture(&c, htmt_apps, argc, argv);
    cr_assert_eq(c.status, 0, "%s: %s", words[-1], c.err);
    json_t *o = json_loads(c.out, 0, &error), *found = json_object_get(o, "slices_why");
    const char *text = json_is_null(found) ? "" : json_string_value(found);
    cr_expect_eq(json_integer_value(json_object_get(o, "slices")), slices, "%s: %lld", words[-1],
                 json_integer_value(json_object_get(o, "slices")));
    cr_expect(text && (*why ? strstr(text, why) != NULL : !*text), "%s: '%s' is not in '%s'",
              words[-1], why, text ? text : "nothing");
    json_decref(o);
}

#define TAKES(slices, why, ...) takes(slices, why, (char *[]){__VA_ARGS__, NULL})

/* CRAM of htmt-oct98 holds seven subblocks of 136 x 136 words. */
Test(slices, a_product_takes_a_square_of_slices_with_a_full_subblock_each)
{
    static const char why[] = "at least one full subblock";
    TAKES(1, why, "cannon", "--size=1");
    TAKES(1, why, "cannon", "--size=271");
    TAKES(4, why, "cannon", "--size=272");
    TAKES(9, why, "cannon", "--size=512");
    TAKES(49, why, "cannon"); /* 1024 */
    TAKES(3969, why, "cannon", "--size=8703");
    TAKES(4096, "", "cannon", "--size=8704");
    TAKES(256, why, "cannon", "--size=512", "--block=32");
    TAKES(64, why, "cannon", "--size=512", "--block=32", "--t=2");
}

Test(slices, a_cost_file_without_a_size_fills_the_machine)
{
    TAKES(4096, "", "cannon", "--costs=cannon-amaral");
    TAKES(1, "subblock", "cannon", "--costs=cannon-amaral", "--size=2000");
}

Test(slices, an_image_takes_at_most_a_slice_a_bundle)
{
    static const char why[] = "at least one bundle";
    TAKES(4096, "", "volume");
    TAKES(169, why, "volume", "--size=100", "--phantom=16");
    TAKES(6, why, "volume", "--size=20x10", "--phantom=16");
    TAKES(16, why, "volume", "--bundle=16", "--size=64", "--phantom=16");
    TAKES(121, why, "volume", "--costs=volume-hereld");
}

Test(slices, radar_data_take_at_most_a_slice_a_patch)
{
    static const char why[] = "at least one patch";
    TAKES(1, why, "sar");
    TAKES(7, why, "sar", "--patches=7");
    TAKES(4096, "", "sar", "--patches=5000");
    TAKES(3, why, "sar", "--lines=1000", "--patch-lines=512");
}

Test(slices, a_plasma_takes_pencils_of_two_cells)
{
    TAKES(4, "two cells", "pic");
    TAKES(4096, "", "pic", "--costs=pic-hereld", "--phases=push");
}

Test(slices, a_given_number_or_a_machine_in_full_use_needs_no_reason)
{
    TAKES(4, "", "cannon", "--slices=4");
    TAKES(4096, "", "volume", "--slices=4096", "--size=8");
    TAKES(4, "", "cannon", "--set=slices=4");
}

Test(slices, the_report_gives_the_number_and_the_reason)
{
    static const char line[] = "  slices        9 of 4,096: each gets at least one full subblock";
    char *const verbs[] = {"run", "model", "predict"};
    for (unsigned i = 0; i < 3; i++) {
        CAPTURE(&c, htmt_apps, verbs[i], "cannon", "--size=512");
        cr_expect_eq(c.status, 0, "%s", c.err);
        cr_expect(strstr(c.out, line), "%s: %s", verbs[i], c.out);
    }
    CAPTURE(&c, htmt_apps, "model", "cannon", "--size=512", "--slices=9");
    cr_expect(!strstr(c.out, "  slices  "), "%s", c.out);
}

/* The largest problem counts the memories of the whole machine. */
Test(slices, the_largest_problem_lies_on_the_whole_machine)
{
    CAPTURE(&c, htmt_apps, "predict", "volume", "--machine=hereld-tables", "--costs=volume-hereld",
            "--largest");
    cr_expect_eq(c.status, 0, "%s", c.err);
    cr_expect(strstr(c.out, "  all, --dims       15,804"), "%s", c.out);
}

Test(slices, a_wrong_request_is_refused_as_with_slices)
{
    CAPTURE(&c, htmt_apps, "model", "cannon", "--size=0");
    cr_expect_eq(c.status, 2);
    cr_expect(strstr(c.err, "--size: found 0"), "%s", c.err);
    CAPTURE(&c, htmt_apps, "run", "cannon", "--a=missing.npy", "--b=missing.npy");
    cr_expect_eq(c.status, 2);
    cr_expect(strstr(c.err, "missing.npy"), "%s", c.err);
}
