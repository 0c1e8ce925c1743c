/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * The fifth application, examples/dot, linked beside the other four (tests/examples/table.c). Its
 * time is that of a formula worked out by hand, to the femtosecond, in
 * run, model and predict.
 */
#include "examples/dot/closed_form.h"
#include "examples/dot/reference.h"
#include "tests/emul/capture.h"
#include "tests/examples/table.h"
#include "tests/layers/machines.h"

#include <stdlib.h>

#define PS INT64_C(1000)

static struct captured c;

static void succeeds(void)
{
    cr_assert_eq(c.status, 0, "%s%s", c.err, c.out);
}

/* ---- the table ------------------------------------------------------------------------------- */

Test(dot, the_command_offers_it_beside_the_other_four)
{
    unsigned count = 0;
    while (htmt_apps[count])
        count++;
    cr_assert_eq(count, 5);
    CAPTURE(&c, htmt_apps, "help");
    succeeds();
    for (unsigned i = 0; i < count; i++) {
        char line[40];
        snprintf(line, sizeof line, "\n  %-28s  ", htmt_apps[i]->name);
        cr_assert_not_null(strstr(c.out, line), "%s", htmt_apps[i]->name);
    }
    CAPTURE(&c, htmt_apps, "help", "dot");
    succeeds();
    cr_assert_not_null(strstr(c.out, "--block B"));
}

/* ---- the time -------------------------------------------------------------------------------- */

struct problem {
    const char *machine, *slices, *size, *block;
};

/* The number behind "predicted_fs" in the JSON object of a run or model run. */
static htmt_time emulated(const char *verb, const struct problem *p)
{
    char slices[40];
    snprintf(slices, sizeof slices, "slices=%s", p->slices);
    CAPTURE(&c, htmt_apps, (char *)verb, "dot", "--machine", (char *)p->machine, "--set", slices,
            "--size", (char *)p->size, "--block", (char *)p->block, "--json", "-");
    succeeds();
    const char *key = "\"predicted_fs\": ", *at = strstr(c.out, key);
    cr_assert_not_null(at, "%s", c.out);
    return strtoll(at + strlen(key), NULL, 10);
}

static htmt_time predicted(const struct problem *p)
{
    struct htmt__dot_plan plan;
    htmt_wide total = -1;
    struct htmt_machine *m = machine_load(p->machine, NULL);
    m->slices = (uint32_t)atoi(p->slices);
    cr_assert_eq(
        htmt__dot_plan(m, strtoull(p->size, NULL, 10), strtoull(p->block, NULL, 10), &plan, NULL),
        0);
    cr_assert_eq(htmt__dot_closed_form(m, &plan, &total, NULL, NULL), 0);
    htmt_machine_destroy(&m);
    return (htmt_time)total;
}

/* On small-htmt: Data Vortex 1 ns a word and 100 ns, RTI 200 ps and 20 ns, SPELL 100 ps a flop,
 * DPIM 2 ns a flop, load or store. `streams`: a SPELL reads and stores 20 words a nanosecond. */
static htmt_time by_hand(int64_t blocks, int64_t block, int64_t rounds, bool streams)
{
    int64_t gather = 2 * block * 1000, inject = 2 * block * 200;
    int64_t multiply = streams ? (2 * block + 1) * 50 : 2 * block * 100;
    int64_t first = gather + 100000 + inject + 20000 + multiply + 200 + 20000 + 1000 + 100000;
    int64_t slowest = gather > multiply ? gather : multiply; /* inject is shorter than gather */
    int64_t add = (2 * blocks + 1) * 2000, round = 1000 + 100000 + 2000;
    return (first + (blocks - 1) * slowest + add + rounds * round) * PS;
}

static void expect(const struct problem *p, htmt_time want)
{
    cr_expect_eq(predicted(p), want, "predict: %lld, not %lld", (long long)predicted(p),
                 (long long)want);
    cr_expect_eq(emulated("model", p), want, "model: %s elements", p->size);
    cr_expect_eq(emulated("run", p), want, "run: %s elements", p->size);
    cr_expect_not_null(strstr(c.out, "\"correct\": true"), "%s", c.out);
}

Test(dot, run_model_and_predict_take_the_time_worked_out_by_hand)
{
    expect(&(struct problem){"small-htmt", "4", "65536", "256"}, by_hand(64, 256, 2, false));
    expect(&(struct problem){"small-htmt", "4", "1024", "256"}, by_hand(1, 256, 2, false));
    expect(&(struct problem){"small-htmt", "1", "12000", "100"}, by_hand(120, 100, 0, false));
    expect(&(struct problem){"small-htmt", "2", "600", "300"}, by_hand(1, 300, 1, false));
    expect(&(struct problem){"small-htmt", "16", "6400", "8"}, by_hand(50, 8, 4, false));
}

Test(dot, so_they_do_on_a_processor_with_a_model)
{
    static const char stream[] = "examples/machines/stream.yaml";
    expect(&(struct problem){stream, "4", "65536", "256"}, by_hand(64, 256, 2, true));
    expect(&(struct problem){stream, "2", "600", "300"}, by_hand(1, 300, 1, true));
}

Test(dot, the_terms_of_predict_name_the_figures_of_a_model)
{
    CAPTURE(&c, htmt_apps, "predict", "dot", "--machine", "examples/machines/hub.yaml", "--term",
            "T");
    succeeds();
    cr_assert_not_null(strstr(c.out, "networks.vortex.inside.rate"), "%s", c.out);
    CAPTURE(&c, htmt_apps, "predict", "dot", "--machine", "examples/machines/stream.yaml", "--term",
            "multiply");
    succeeds();
    cr_assert_not_null(strstr(c.out, "layers.cram.inside.rate"), "%s", c.out);
    cr_assert_null(strstr(c.out, "layers.cram.processor.flop"), "%s", c.out);
}

/* ---- promises -------------------------------------------------------------------------------- */

Test(dot, slice_0_stands_for_all)
{
    struct problem p = {"small-htmt", "8", "65536", "256"};
    htmt_time all = emulated("model", &p);
    CAPTURE(&c, htmt_apps, "model", "dot", "--machine", "small-htmt", "--set", "slices=8", "--size",
            "65536", "--fold", "--json", "-");
    succeeds();
    char want[64];
    snprintf(want, sizeof want, "\"predicted_fs\": %lld", (long long)all);
    cr_assert_not_null(strstr(c.out, want));
}

Test(dot, threads_and_delays_change_no_event)
{
    CAPTURE(&c, htmt_apps, "run", "dot", "--machine", "small-htmt", "--checked",
            "--check-determinism", "--quiet");
    succeeds();
}

/* Sums of another order and precision, no kernel shared; a wrong sum is outside the bound. */
Test(dot, the_reference_adds_up_what_is_there)
{
    double x[] = {1, 2, 3, 4}, y[] = {5, -6, 7, 8}, bound;
    cr_assert_eq(htmt__dot_reference(x, y, 4, &bound), 46);
    cr_assert(bound > 0 && bound < 1e-12);
}

Test(dot, what_it_cannot_do_it_refuses_in_one_line)
{
    static const struct {
        char *option, *value, *line;
        int status;
    } mistake[] = {
        {"--size", "1000",
         "htmt run dot: --size: found 1000, expected a multiple of 1024, one "
         "block of 256 elements in each of 4 slices\n",
         2},
        {"--slices", "3", "htmt run dot: found 3 slices, a dot product needs a power of two\n", 2},
        {"--block", "1024", "htmt run dot: 3 parcels of 2049 words = 6147 words, CRAM has 4096\n",
         3},
    };
    for (unsigned i = 0; i < 3; i++) {
        CAPTURE(&c, htmt_apps, "run", "dot", "--machine", "small-htmt", mistake[i].option,
                mistake[i].value);
        cr_expect_eq(c.status, mistake[i].status);
        cr_expect_str_eq(c.err, mistake[i].line);
    }
}
