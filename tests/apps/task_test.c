/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What steps may ask of a task and tell it, in runs and in predictions.
 */
#include "apps/lib/request.h"
#include "apps/lib/task_parts.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const struct htmt_app_option rows[] = {
    {"size", "N", "8", "a size"}, {"rate", "X", NULL, "a rate"}, {NULL, NULL, NULL, NULL}};

static struct htmt_machine machine = {.slices = 16};
static struct htmt_outcome out;
static struct htmt_prediction prediction;
static struct htmt_fault fault;

static const struct htmt_request request = {.machine = &machine,
                                            .costs = "some",
                                            .cost_set = (const char *const[]){"a=1", "b=2"},
                                            .cost_set_count = 2,
                                            .seed = 7,
                                            .rows = rows,
                                            .values = (const char *const[]){"12", "0.5"},
                                            .emulator = {.slices = 4, .threads = 3}};

static struct htmt_task of_run(void)
{
    out = (struct htmt_outcome){.correct = -1};
    fault = (struct htmt_fault){0};
    return (struct htmt_task){.request = &request,
                              .machine = machine,
                              .out = &out,
                              .warnings = &out.warnings,
                              .fault = &fault};
}

static struct htmt_task of_prediction(void)
{
    prediction = (struct htmt_prediction){.count = 0};
    fault = (struct htmt_fault){0};
    return (struct htmt_task){.request = &request,
                              .machine = machine,
                              .model = true,
                              .prediction = &prediction,
                              .warnings = &prediction.warnings,
                              .fault = &fault};
}

Test(task, a_request_says_what_is_wanted)
{
    const struct htmt_request of_verb = {.rows = rows, .values = request.values};
    unsigned count;
    cr_expect_eq(htmt_request_machine(&request), &machine);
    cr_expect_eq(htmt_request_slices(&request), 4);
    cr_expect_eq(htmt_request_slices(&(struct htmt_request){.machine = &machine}), 16);
    cr_expect_eq(htmt_request_slices(&of_verb), 0, "a verb has no machine");
    cr_expect_eq(htmt_request_seed(&request), 7);
    cr_expect_eq(htmt_request_threads(&request), 3);
    cr_expect_eq(htmt_request_mode(&request), HTMT_RUN);
    cr_expect_eq(htmt_request_symmetry(&request), HTMT_NO_SYMMETRY);
    cr_expect_str_eq(htmt_request_costs(&request), "some");
    cr_expect_str_eq(htmt_request_cost_set(&request, &count)[1], "b=2");
    cr_expect_eq(count, 2);
    cr_expect(!htmt_request_strict(&request) && !htmt_request_plan_only(&request) &&
              !htmt_request_progress(&request));
    cr_expect_null(htmt_request_value(&(struct htmt_request){.rows = NULL}, "size"));
}

Test(task, options_are_read_and_refused_with_a_line)
{
    struct htmt_task t = of_run();
    uint64_t size = 0;
    double rate = 0;
    cr_expect_str_eq(htmt_task_value(&t, "size"), "12");
    cr_expect_null(htmt_task_value(&t, "nothing"));
    cr_expect_eq(htmt_task_whole(&t, "size", 1, 20, &size), 0);
    cr_expect_eq(size, 12);
    cr_expect_eq(htmt_task_real(&t, "rate", 0, 1, &rate), 0);
    cr_expect_eq(rate, 0.5);
    cr_expect_eq(htmt_task_whole(&t, "size", 1, 10, &size), HTMT_ERANGE);
    cr_expect_str_eq(htmt_task_fault(&t)->text, "--size: found 12, expected 1 to 10");
}

Test(task, the_last_refusal_counts)
{
    struct htmt_task t = of_run();
    htmt_fault_set(&fault, HTMT_ENOENT, "no such file");
    cr_expect_eq(htmt_task_refuse(&t, HTMT_EFORMAT, "%d is no picture", 3), HTMT_EFORMAT);
    cr_expect_eq(fault.code, HTMT_EFORMAT);
    cr_expect_str_eq(fault.text, "3 is no picture");
}

Test(task, a_run_keeps_what_it_is_told)
{
    struct htmt_task t = of_run();
    const htmt_wide causes[HTMT_PATH_CAUSES] = {[HTMT_PATH_WORK] = 3};
    cr_expect(!htmt_task_is_model(&t) && !htmt_task_is_prediction(&t));
    cr_expect_eq(htmt_task_machine(&t)->slices, 16);
    cr_expect_null(htmt_task_emulator(&t));
    htmt_task_problem(&t, "%d squares", 5);
    htmt_task_flops(&t, 10);
    htmt_task_precision(&t, "double");
    htmt_task_kernel_set(&t, "plain C");
    htmt_task_expected(&t, 2);
    htmt_task_checked(&t, "error", 0.5, 1, true);
    htmt_task_closed_form(&t, 2000, "%s", "a line");
    htmt_task_closed_form_causes(&t, causes);
    htmt_task_found(&t, "sum", 4, "m");
    htmt_task_found_text(&t, "name", "x.png");
    htmt_task_warn(&t, "dark", "level %g", 0.25);
    cr_expect_str_eq(out.problem, "5 squares");
    cr_expect_eq(out.flops, 10);
    cr_expect_str_eq(out.precision, "double");
    cr_expect_str_eq(out.kernel_set, "plain C");
    cr_expect_eq(out.expected_s, 2);
    cr_expect_eq(out.correct, 1);
    cr_expect_eq(out.closed_form_s, 2e-12);
    cr_expect_str_eq(out.closed_form_name, "a line");
    cr_expect(out.closed_form[HTMT_PATH_WORK] == 3);
    cr_expect_str_eq(out.found[0].unit, "m");
    cr_expect_str_eq(out.found[1].text, "x.png");
    cr_expect_eq(htmt_warnings_count(htmt_task_warnings(&t)), 1);
    cr_expect_str_eq(htmt_warnings_text(htmt_task_warnings(&t), 0), "level 0.25");
    cr_expect_null(htmt_warnings_text(htmt_task_warnings(&t), 1));
}

Test(task, numbers_are_compared_with_those_that_are_right)
{
    struct htmt_task t = of_run();
    htmt_task_compare(&t, (double[]){1, 2, 3}, (double[]){1, 2.5, 2.75}, 3, 0.5);
    cr_expect_eq(out.correct, 1);
    cr_expect_eq(out.check.value, 0.5);
    htmt_task_compare(&t, (double[]){1, 2, 3}, (double[]){1, 2.5, 2.75}, 3, 0.25);
    cr_expect_eq(out.correct, 0);
    htmt_task_compare(&t, (double[]){1, NAN, 3}, (double[]){1, 2, 3}, 3, 100);
    cr_expect_eq(out.correct, 0);
    cr_expect(isnan(out.check.value));
    htmt_task_compare(&t, NULL, NULL, 0, 0);
    cr_expect_eq(out.correct, 1);
}

Test(task, a_check_that_was_not_made_has_a_reason)
{
    struct htmt_task t = of_run();
    htmt_task_unchecked(&t, "%s holds too little", "rank 0");
    cr_expect_eq(out.correct, -1);
    cr_expect_str_eq(out.unchecked, "rank 0 holds too little");
    t = of_prediction();
    htmt_task_unchecked(&t, "nothing");
}

Test(task, a_prediction_takes_problem_flops_and_warnings_and_nothing_else)
{
    struct htmt_task t = of_prediction();
    const htmt_wide causes[HTMT_PATH_CAUSES] = {0};
    cr_expect(htmt_task_is_model(&t) && htmt_task_is_prediction(&t));
    cr_expect_null(htmt_task_emulator(&t));
    htmt_task_problem(&t, "%d squares", 5);
    htmt_task_flops(&t, 10);
    htmt_task_warn(&t, "dark", "dark");
    htmt_task_precision(&t, "double");
    htmt_task_kernel_set(&t, "plain C");
    htmt_task_expected(&t, 2);
    htmt_task_note(&t, "a note");
    htmt_task_note_at(&t, 3, "a note");
    htmt_task_found(&t, "sum", 4, "m");
    htmt_task_found_text(&t, "name", "x.png");
    htmt_task_checked(&t, "error", 0.5, 1, true);
    htmt_task_closed_form(&t, 2000, "a line");
    htmt_task_closed_form_causes(&t, causes);
    cr_expect_str_eq(prediction.problem, "5 squares");
    cr_expect_eq(prediction.flops, 10);
    cr_expect_eq(prediction.warnings.count, 1);
}

Test(task, notes_stand_in_the_order_of_their_places)
{
    struct htmt_task t = of_run();
    htmt_task_note_at(&t, 1, "second");
    htmt_task_note_at(&t, 0, "first");
    htmt_task_note(&t, "third");
    htmt_task_note_at(&t, 1, "again");
    cr_expect_str_eq(out.notes[0], "first");
    cr_expect_str_eq(out.notes[1], "again");
    cr_expect_str_eq(out.notes[2], "third");
    htmt_task_note_at(&t, 99, "nowhere");
    cr_expect_str_eq(out.notes[12], "1 more notes, for which there is no room");
}

Test(task, a_prediction_lists_its_terms)
{
    const struct htmt_term term = {.name = "T", .unit = "s", .value = 2};
    (void)of_prediction();
    htmt_prediction_total(&prediction, 2);
    htmt_prediction_flops(&prediction, 3);
    htmt_prediction_problem(&prediction, "%s", "squares");
    htmt_prediction_term(&prediction, &term);
    cr_expect_eq(prediction.total_s, 2);
    cr_expect_eq(prediction.total_fs, INT64_MAX);
    htmt_prediction_total_fs(&prediction, INT64_C(16132211875000003));
    cr_expect_eq(prediction.total_fs, INT64_C(16132211875000003));
    cr_expect_eq(prediction.total_s, 1e-15 * 16132211875000003.0);
    htmt_prediction_total_fs(&prediction, (htmt_wide)INT64_MAX * 4);
    cr_expect_eq(prediction.total_fs, INT64_MAX);
    cr_expect_eq(prediction.total_s, 1e-15 * 4 * 0x1p63);
    cr_expect_eq(prediction.flops, 3);
    cr_expect_str_eq(prediction.problem, "squares");
    cr_expect_eq(htmt_prediction_count(&prediction), 1);
    cr_expect_str_eq(htmt_prediction_term_at(&prediction, 0)->name, "T");
    cr_expect_null(htmt_prediction_term_at(&prediction, 1));
}

Test(task, warnings_without_a_task_are_collected_and_added)
{
    struct htmt_task t = of_run();
    struct htmt_warnings *own = NULL;
    cr_assert_eq(htmt_warnings_create(&own, &fault), 0);
    htmt_warn(own, "dark", "too dark");
    htmt_warn(NULL, "dark", "nobody hears");
    htmt_warnings_add(htmt_task_warnings(&t), own);
    htmt_warnings_add(htmt_task_warnings(&t), NULL);
    htmt_warnings_destroy(&own);
    htmt_warnings_destroy(&own);
    cr_expect_eq(out.warnings.count, 1);
    cr_expect_str_eq(out.warnings.item[0].name, "dark");
}
