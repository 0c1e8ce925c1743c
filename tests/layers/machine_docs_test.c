/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What docs/machines.md shows is true, and no damage to a file does more than make it refused.
 */
#include "layers/machine/machine.h"
#include "tests/files/place.h"
#include "tests/runtime/draw.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The n-th block of YAML, cut out of the text in place. */
static char *block(char *text, int n)
{
    char *at = text;
    for (int i = 0; i <= n; i++) {
        at = strstr(at, "```yaml\n");
        cr_assert_not_null(at);
        at += strlen("```yaml\n");
    }
    char *end = strstr(at, "```");
    cr_assert_not_null(end);
    *end = '\0';
    return at;
}

Test(machine_docs, the_worked_example_takes_the_times_that_the_text_says)
{
    char *text = file_content("docs/machines.md", NULL);
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt_machine_parse("example", block(text, 0), &m, &fault), 0, "%s", fault.text);
    struct htmt_ops ops = {.n = {[HTMT_FLOP] = 10, [HTMT_LOAD] = 3}};
    cr_expect_eq(htmt_machine_out_time(m, 0, 0, 1, 64, 1, 1), 164000000);
    cr_expect_eq(htmt_machine_out_time(m, 0, 0, 1, 64, 64, 1), 356000000);
    cr_expect_eq(m->network[0].latency, 50000000);
    cr_expect_eq(htmt_machine_work(m, 1, &ops), 13000000);
    htmt_machine_destroy(&m);
    free(text);
}

Test(machine_docs, the_derived_example_loads)
{
    char *text = file_content("docs/machines.md", NULL);
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt_machine_parse("example", block(text, 1), &m, &fault), 0, "%s", fault.text);
    cr_expect_eq(m->layer[htmt_machine_layer(m, "SPELL")].memory.capacity, 262144);
    htmt_machine_destroy(&m);
    free(text);
}

/* 2 loads of 8 B at 160 GB/s are 100 ps; 100 ns, 30 words at 2 Gword/s, 100 ns. */
Test(machine_docs, the_example_of_models_loads)
{
    char *text = file_content("docs/machines.md", NULL);
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    struct htmt_ops ops = {.n = {[HTMT_FLOP] = 10, [HTMT_LOAD] = 2}};
    cr_assert_eq(htmt_machine_parse("example", block(text, 2), &m, &fault), 0, "%s", fault.text);
    cr_expect_eq(htmt_machine_work(m, 3, &ops), 100000);
    cr_expect_eq(htmt_machine_crossing(m, 1, 30), 215000000);
    htmt_machine_destroy(&m);
    free(text);
}

static void damage(char *text, uint64_t *state)
{
    static const char bytes[] = "{}[]:,.-#&*!\"' \n\t0129eGkn%~\x80\x01";
    for (uint64_t i = 1 + draw_below(state, 3); i > 0; i--) {
        size_t length = strlen(text);
        char *at = text + draw_below(state, length);
        if (draw_below(state, 3) == 0)
            memmove(at, at + 1, strlen(at));
        else
            *at = bytes[draw_below(state, sizeof bytes - 1)];
    }
}

Test(machine_docs, a_damaged_file_gives_a_machine_or_one_line_with_its_place)
{
    char *whole = file_content("machines/small-two-layer.yaml", NULL);
    uint64_t state = 3;
    unsigned refused = 0;
    for (int run = 0; run < 3000; run++) {
        char *text = strdup(whole);
        struct htmt_machine *m = NULL;
        struct htmt_fault fault = {0};
        damage(text, &state);
        int rc = htmt_machine_parse("f", text, &m, &fault);
        cr_assert_eq(rc == 0, m != NULL);
        cr_assert_eq(rc, fault.code);
        cr_assert(rc == 0 || strncmp(fault.text, "f:", 2) == 0, "%s", fault.text);
        cr_assert_null(strchr(fault.text, '\n'), "%s", fault.text);
        refused += rc != 0;
        htmt_machine_destroy(&m);
        free(text);
    }
    cr_expect_gt(refused, 1000);
    free(whole);
}
