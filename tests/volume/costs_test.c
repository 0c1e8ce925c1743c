/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The paper's constants are in the cost file, and what no parcel can be is refused.
 */
#include "apps/lib/task_parts.h"
#include "apps/volume/settings.h"
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Hereld et al., section 3.2.4.2 and Table 8; rows H.T8.NC, .alpha, .NG, .NR, .W_M, .voxel.words,
 * .assemble.work, .dispatch.work, .retire.work, .scatter.words and H.V.fps of the golden data. */
Test(costs, the_file_has_the_constants_of_the_paper)
{
    struct htmt__volume_charges k;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__volume_costs_read(
                     &(struct htmt_request){.costs = "costs/volume-hereld.yaml"}, &k, &fault),
                 0, "%s", fault.text);
    cr_expect_eq(k.cycles_a_voxel, 44);
    cr_expect_eq(htmt_ratio_cmp(k.alpha, (struct htmt_ratio){2, 5}), 0);
    cr_expect_eq(k.edge, 50);
    cr_expect_eq(k.rays, 2500);
    cr_expect_eq(k.code_words, 3000);
    cr_expect_eq(k.ray_words, 6);
    cr_expect_eq(k.voxel_bytes, 4);
    cr_expect_eq(k.assemble, 95500);
    cr_expect_eq(k.dispatch, 25000);
    cr_expect_eq(k.retire, 25000);
    cr_expect_eq(k.scatter_words, 75);
    cr_expect_eq(k.frames_a_second, 24);
    cr_expect(k.from_file);
}

/* The shipped file with one figure changed. */
static int read_changed(const char *from, const char *to, struct htmt_fault *fault)
{
    struct place p = place("costs.yaml");
    struct htmt__volume_charges k;
    char *changed = file_changed("costs/volume-hereld.yaml", from, to);
    place_put(&p, "costs.yaml", changed);
    free(changed);
    int rc = htmt__volume_costs_read(&(struct htmt_request){.costs = p.path}, &k, fault);
    place_clear(&p);
    return rc;
}

static void refuses(const char *from, const char *to, const char *line)
{
    struct htmt_fault fault = {0};
    cr_expect_eq(read_changed(from, to, &fault), HTMT_ERANGE, "%s: %s", to, fault.text);
    cr_expect_not_null(strstr(fault.text, line), "found: %s", fault.text);
}

Test(costs, figures_that_no_parcel_can_have_are_refused_with_their_line)
{
    refuses("value: 15000 words", "value: 14999 words",
            "16: parcel.eject: found 14999 words, expected 15000 words");
    refuses("value: 6 words", "value: 3 words",
            "14: parcel.ray: found 3 words, expected 4 to 1024");
    refuses("value: 0.5", "value: 0.3", "15: parcel.voxel: found 0.3, expected words that make");
    refuses("value: 44 cycles", "value: 0 cycles", "22: cast.cycles: found 0 cycles, expected 1");
    refuses("value: 50,", "value: 1,", "9: problem.subcube-edge: found 1, expected 2 to 1290");
    refuses("value: 0.4", "value: 0", "23: cast.alpha: found 0, expected more than 0");
}
