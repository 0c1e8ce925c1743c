/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Two emulators at once in one process predict what one alone does.
 */
#include "emul/lib/options/options.h"
#include "tests/apps/table.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>

struct side {
    char *threads; /* option */
    int code, correct;
    htmt_time predicted;
    uint64_t history_hash;
    struct htmt_fault fault;
};

static int go(const struct htmt__options *options, struct htmt_machine *machine, struct side *s)
{
    struct htmt_request request = {.machine = machine};
    struct htmt_outcome outcome = {.correct = -1};
    int code = htmt__options_resolve(options, &request, &s->fault);
    if (!code)
        code = htmt__app_run(&htmt_app_cannon, &request, &outcome, &s->fault);
    if (!code) {
        s->correct = outcome.correct;
        s->predicted = htmt_predicted(outcome.emulator);
        s->history_hash = htmt_history_hash(outcome.emulator);
    }
    htmt_emulator_destroy(&outcome.emulator);
    return code;
}

static void *multiply(void *side)
{
    struct side *s = side;
    char *argv[] = {"--size", getenv("HTMT_LONG") ? "1024" : "256", "--slices", "16", s->threads};
    struct htmt__options options;
    struct htmt_machine *machine = NULL;
    s->code = htmt__options_parse(&htmt_app_cannon, 5, argv, &options, &s->fault);
    if (!s->code)
        s->code = htmt_machine_load("htmt-oct98", NULL, 0, &machine, &s->fault);
    if (!s->code)
        s->code = go(&options, machine, s);
    htmt_machine_destroy(&machine);
    return NULL;
}

static void same(const struct side *alone, const struct side *s)
{
    cr_assert_eq(s->code, 0, "%s", s->fault.text);
    cr_assert_eq(s->correct, 1);
    cr_assert_eq(s->predicted, alone->predicted);
    cr_assert_eq(s->history_hash, alone->history_hash);
}

Test(pair, two_products_at_once_have_the_history_of_one_alone)
{
    int times = getenv("HTMT_LONG") ? 20 : 3;
    struct side alone = {.threads = "--threads=1"};
    multiply(&alone);
    cr_assert_gt(alone.predicted, 0);
    same(&alone, &alone);
    for (int i = 0; i < times; i++) {
        struct side left = {.threads = "--threads=2"}, right = {.threads = "--threads=3"};
        pthread_t other;
        cr_assert_eq(pthread_create(&other, NULL, multiply, &right), 0);
        multiply(&left);
        cr_assert_eq(pthread_join(other, NULL), 0);
        same(&alone, &left);
        same(&alone, &right);
    }
}
