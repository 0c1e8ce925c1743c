/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/lib/request.h"
#include "apps/lib/task_parts.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct htmt_app_option rows[] = {{"it", "VALUE", NULL, "what is read"},
                                              {NULL, NULL, NULL, NULL}};

/* A request in which --it has that value; NULL: it was not given. */
#define REQUEST(text) (&(struct htmt_request){.rows = rows, .values = (const char *[]){text}})

Test(request, whole_numbers_are_read_within_their_bounds)
{
    uint64_t n = 7;
    uint32_t m = 7;
    cr_expect(htmt_request_whole(REQUEST("12"), "it", 1, 20, &n, NULL) == 0 && n == 12);
    cr_expect(htmt_request_whole(REQUEST(NULL), "it", 1, 20, &n, NULL) == 0 && n == 12);
    cr_expect_eq(htmt_request_whole(REQUEST("0"), "it", 1, 20, &n, NULL), HTMT_ERANGE);
    cr_expect_eq(htmt_request_whole(REQUEST("21"), "it", 1, 20, &n, NULL), HTMT_ERANGE);
    cr_expect_eq(htmt_request_whole(REQUEST("99999999999999999999999"), "it", 1, 20, &n, NULL),
                 HTMT_ERANGE);
    cr_expect_eq(htmt_request_whole(REQUEST("-3"), "it", 1, 20, &n, NULL), HTMT_EUSAGE);
    cr_expect_eq(htmt_request_whole(REQUEST("3x"), "it", 1, 20, &n, NULL), HTMT_EUSAGE);
    cr_expect_eq(htmt_request_whole(REQUEST(""), "it", 1, 20, &n, NULL), HTMT_EUSAGE);
    cr_expect_eq(n, 12);
    cr_expect(htmt_request_whole32(REQUEST("4294967295"), "it", 0, UINT32_MAX, &m, NULL) == 0 &&
              m == UINT32_MAX);
    cr_expect_eq(htmt_request_whole32(REQUEST("4294967296"), "it", 0, UINT32_MAX, &m, NULL),
                 HTMT_ERANGE);
}

Test(request, reals_stand_between_commas)
{
    struct htmt_fault fault = {0};
    double x[3] = {0};
    cr_expect_eq(htmt_request_reals(REQUEST("1,-2.5,3e2"), "it", 3, x, NULL), 0);
    cr_expect(x[0] == 1 && x[1] == -2.5 && x[2] == 300);
    cr_expect_eq(htmt_request_reals(REQUEST("1,2"), "it", 3, x, &fault), HTMT_EUSAGE);
    cr_expect_str_eq(fault.text, "--it: found '1,2', expected 3 numbers with commas between them");
    cr_expect_eq(htmt_request_reals(REQUEST("1,2,3,4"), "it", 3, x, NULL), HTMT_EUSAGE);
    cr_expect_eq(htmt_request_reals(REQUEST("1,,3"), "it", 3, x, NULL), HTMT_EUSAGE);
    cr_expect_eq(htmt_request_reals(REQUEST("1,nan,3"), "it", 3, x, NULL), HTMT_EUSAGE);
    cr_expect_eq(htmt_request_reals(REQUEST(NULL), "it", 3, x, NULL), 0);
}

Test(request, a_real_keeps_to_its_bounds)
{
    double x = 0.5;
    cr_expect(htmt_request_real(REQUEST("0.75"), "it", 0, 1, &x, NULL) == 0 && x == 0.75);
    cr_expect_eq(htmt_request_real(REQUEST("1.5"), "it", 0, 1, &x, NULL), HTMT_ERANGE);
    cr_expect_eq(htmt_request_real(REQUEST("inf"), "it", 0, 1, &x, NULL), HTMT_EUSAGE);
    cr_expect_eq(htmt_request_real(REQUEST("much"), "it", 0, 1, &x, NULL), HTMT_EUSAGE);
    cr_expect(htmt_request_real(REQUEST(NULL), "it", 0, 1, &x, NULL) == 0 && x == 0.75);
}

Test(request, a_choice_is_one_of_its_words)
{
    static const char *const words[] = {"red", "green", NULL};
    struct htmt_fault fault = {0};
    unsigned n = 0;
    cr_expect(htmt_request_choice(REQUEST("green"), "it", words, &n, NULL) == 0 && n == 1);
    cr_expect(htmt_request_choice(REQUEST(NULL), "it", words, &n, NULL) == 0 && n == 1);
    cr_expect_eq(htmt_request_choice(REQUEST("blue"), "it", words, &n, &fault), HTMT_EUSAGE);
    cr_expect_str_eq(fault.text, "--it: found 'blue', expected one of 'red', 'green'");
}
