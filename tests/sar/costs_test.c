/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/lib/task_parts.h"
#include "apps/sar/settings.h"
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const keys[] = {"range-reference", "range-line", "azimuth-reference",
                                   "azimuth-line"};

/* A cost file with one value changed; NULL: none. */
static void expect_refused(const char *from, const char *to, bool single,
                           enum htmt__sar_format format, const char *text)
{
    struct place p = place("costs.yaml");
    char *changed = file_changed("costs/sar-hereld.yaml", from, to);
    struct htmt__sar_costs costs;
    struct htmt_fault fault = {0};
    place_put(&p, "costs.yaml", changed);
    free(changed);
    cr_expect_neq(htmt__sar_costs_read(&(struct htmt_request){.costs = p.path}, single, format,
                                       &costs, &fault),
                  0);
    cr_expect_not_null(strstr(fault.text, text), "%s", fault.text);
    cr_expect_eq(strncmp(fault.text, p.path, strlen(p.path)), 0, "%s", fault.text);
    place_clear(&p);
}

Test(costs, the_papers_file_has_the_coefficients_of_its_table)
{
    struct htmt__sar_costs c;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__sar_costs_read(&(struct htmt_request){.costs = "costs/sar-hereld.yaml"},
                                      false, HTMT__SAR_U8, &c, &fault),
                 0, "%s", fault.text);
    const uint64_t want[4][2] = {{22, 5}, {6, 10}, {28, 5}, {6, 10}};
    const struct htmt__sar_coefficients found[] = {c.charges.range_reference, c.charges.range_line,
                                                   c.charges.azimuth_reference,
                                                   c.charges.azimuth_line};
    for (int i = 0; i < 4; i++) {
        cr_expect_eq(found[i].n, want[i][0], "%s", keys[i]);
        cr_expect_eq(found[i].n_log_n, want[i][1], "%s", keys[i]);
    }
    cr_expect(c.charges.from_file && c.charges.channel_words == 1);
    cr_expect(c.charges.read_cycles == 10 && c.charges.write_cycles == 10);
    cr_expect_eq(2 * c.hram_share.num, c.hram_share.den);
}

Test(costs, what_a_file_may_not_say_is_refused_where_it_stands)
{
    expect_refused(NULL, NULL, true, HTMT__SAR_U8, "point.words: found 2 words, expected 1 words");
    expect_refused(NULL, NULL, false, HTMT__SAR_C64, "point.raw-bytes: found 2, expected 8");
    expect_refused("10 cycles", "2000000 cycles", false, HTMT__SAR_U8,
                   "read-patch.cycles: found 2000000 cycles, expected 0 to 1048576");
    expect_refused("50 %", "150 %", false, HTMT__SAR_U8, "hram.share: found 150 %");
    expect_refused("22 flop", "22", false, HTMT__SAR_U8, "range-reference.n");
    expect_refused("app: sar", "app: cannon", false, HTMT__SAR_U8, "cannon");
}
