/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pictures of fields: the bytes of a small one, values that are no numbers, refusals.
 */
#include "apps/lib/pgm.h"
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void drawn(const double *values, uint32_t width, uint32_t height, const char *bytes,
                  size_t length)
{
    struct place p = place("a.pgm");
    struct htmt_fault fault = {0};
    size_t size;
    cr_assert_eq(htmt_pgm_write(p.path, values, width, height, &fault), 0, "%s", fault.text);
    char *found = file_content(p.path, &size);
    cr_expect(size == length && memcmp(found, bytes, length) == 0);
    free(found);
    place_clear(&p);
}

Test(pgm, the_least_value_is_black_and_the_largest_white)
{
    drawn((double[]){-1, 0, 1, 3, -1, 3}, 3, 2, "P5\n3 2\n255\n\x00\x40\x80\xff\x00\xff", 17);
    drawn((double[]){-1e308, 1e308}, 2, 1, "P5\n2 1\n255\n\x00\xff", 13);
}

Test(pgm, what_is_no_finite_number_is_black)
{
    drawn((double[]){NAN, 1, INFINITY, 2}, 2, 2, "P5\n2 2\n255\n\x00\x00\x00\xff", 15);
    drawn((double[]){7, 7}, 1, 2, "P5\n1 2\n255\n\x00\x00", 13);
    drawn((double[]){NAN}, 1, 1, "P5\n1 1\n255\n\x00", 12);
}

Test(pgm, nothing_and_nowhere_are_refused_in_a_line)
{
    struct htmt_fault fault = {0};
    double one = 1;
    cr_expect_eq(htmt_pgm_write("a.pgm", &one, 0, 1, &fault), HTMT_EINVAL);
    cr_expect(strstr(fault.text, "a.pgm: nothing to draw"));
    cr_expect_eq(htmt_pgm_write("a.pgm", NULL, 1, 1, &fault), HTMT_EINVAL);
    cr_expect_eq(htmt_pgm_write(NULL, &one, 1, 1, &fault), HTMT_EINVAL);
    fault = (struct htmt_fault){0};
    cr_expect_eq(htmt_pgm_write("/no/such/folder/a.pgm", &one, 1, 1, &fault), HTMT_ENOENT);
    cr_expect(strstr(fault.text, "/no/such/folder"));
}
