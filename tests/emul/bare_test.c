/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * An application that has nothing but what every one must have: the command serves it with all
 * verbs, and reports say what is missing.
 */
#include "apps/lib/layout.h"
#include "tests/emul/capture.h"

static struct captured c;

static void cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args;
    (void)user;
    ops->n[HTMT_FLOP] = 1000;
}

static void kernel(struct htmt_kernel *k)
{
    htmt_count(k, HTMT_FLOP, 1000);
}

static int create(struct htmt_task *task, void *work, struct htmt_emulator *e)
{
    const struct htmt_type_desc d = {.name = "flop",
                                     .home = "dram",
                                     .exec = "cram",
                                     .execute = {.kernel = kernel, .cost = cost}};
    struct htmt_type *type;
    (void)task;
    (void)work;
    int rc = htmt_type_create(e, &d, &type);
    return rc ? rc : htmt_assemble(htmt_root(e), &(struct htmt_parcel_desc){.type = type}, NULL);
}

static const struct htmt_app given = {HTMT_APP_BEGIN, .name = "bare",
                                      .summary = "a thousand operations", .create = create};
static struct htmt_app bare;
static const struct htmt_app *const apps[] = {&bare, NULL};

#define COMMAND(...) (htmt__app_complete(&given, &bare, NULL), CAPTURE(&c, apps, __VA_ARGS__))

static void shows(const char *text)
{
    cr_expect_not_null(strstr(c.out, text), "'%s' is not in: %s%s", text, c.out, c.err);
}

static void hides(const char *text)
{
    cr_expect_null(strstr(c.out, text), "'%s' is in: %s", text, c.out);
}

Test(bare, a_report_says_what_is_missing)
{
    COMMAND("run", "bare", "--machine", "small-htmt");
    cr_expect_eq(c.status, 0, "%s", c.err);
    shows("  not checked   nothing was checked: the application has no check\n");
    shows("  closed form   none: the application does not have one\n");
    shows("  time          100.0 ns (100,000,000 fs)\n");
    hides("  problem ");
    hides("  rate ");
    hides("kernel set");
    COMMAND("run", "bare", "--machine", "small-htmt", "--quiet");
    cr_expect_eq(c.status, 0, "%s", c.err);
    shows("bare: not checked, predicted 100.0 ns (virtual clock)");
}

Test(bare, a_model_run_has_no_kernels_and_is_explained_without_a_closed_form)
{
    COMMAND("model", "bare", "--machine", "small-htmt", "--explain", "--lint",
            "--check-determinism");
    cr_expect_eq(c.status, 0, "%s", c.err);
    shows("  not checked   a model run has no data\n");
    shows("  time          100,000,000 fs = work 100,000,000\n");
    shows("  equal         4 more runs, each with the same 1 events\n");
    shows("  kernel set    none\n");
}

Test(bare, json_has_null_for_what_is_missing)
{
    static const char *const missing[] = {"problem", "precision",   "kernel_set",
                                          "correct", "closed_form", "check"};
    COMMAND("run", "bare", "--machine", "small-htmt", "--json", "-");
    cr_expect_eq(c.status, 0, "%s", c.err);
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        char line[40];
        snprintf(line, sizeof line, "\n  \"%s\": null,\n", missing[i]);
        shows(line);
    }
    shows("\"predicted_fs\": 100000000,");
}

Test(bare, predict_refuses_in_one_line)
{
    COMMAND("predict", "bare", "--machine", "small-htmt");
    cr_expect_eq(c.status, 2);
    cr_expect_str_eq(c.err, "htmt predict bare: this application has no closed form\n");
    COMMAND("predict", "bare", "--machine", "small-htmt", "--largest");
    cr_expect_eq(c.status, 2);
    cr_expect_str_eq(c.err, "htmt predict bare: this application has no closed form\n");
}

Test(bare, help_has_no_options_of_its_own)
{
    COMMAND("help", "bare");
    cr_expect_eq(c.status, 0, "%s", c.err);
    shows("a thousand operations");
    hides("Options of this application");
    COMMAND("run", "bare", "--size", "3");
    cr_expect_eq(c.status, 2);
    cr_expect_not_null(strstr(c.err, "unknown option '--size'"), "%s", c.err);
    COMMAND("model", "bare", "--fold");
    cr_expect_eq(c.status, 2);
    cr_expect_not_null(strstr(c.err, "--fold: the slices of bare are not alike"), "%s", c.err);
}

/* ---- faults --------------------------------------------------------------------------------- */

static int too_many(struct htmt_task *task, void *work, struct htmt_emulator *e)
{
    struct htmt_mailbox *none;
    (void)task;
    (void)work;
    return htmt_mailbox_create(e, 99, 0, 8, 1, "post", &none);
}

static int give_up(struct htmt_task *task, void *work)
{
    (void)task;
    (void)work;
    return HTMT_ENOENT;
}

static void try_in_vain(struct htmt_task *task, void *work)
{
    (void)work;
    htmt_fault_set(htmt_task_fault(task), HTMT_ENOENT, "no hint file");
}

static struct htmt_app faulty;
static const struct htmt_app *const faults[] = {&faulty, NULL};

Test(bare, a_code_without_a_line_gets_that_of_the_emulator_or_of_the_code)
{
    faulty = given;
    faulty.options = &(const struct htmt_app_option){.name = NULL};
    faulty.create = too_many;
    CAPTURE(&c, faults, "run", "bare", "--machine", "small-htmt");
    cr_expect_eq(c.status, 2);
    cr_expect_not_null(strstr(c.err, "post"), "%s", c.err);
    faulty.create = create;
    faulty.plan = give_up;
    CAPTURE(&c, faults, "run", "bare", "--machine", "small-htmt");
    cr_expect_eq(c.status, 2);
    cr_expect_str_eq(c.err, "htmt run bare: no such thing\n");
}

Test(bare, what_a_step_tried_in_vain_and_went_on_from_is_no_fault)
{
    faulty = given;
    faulty.options = &(const struct htmt_app_option){.name = NULL};
    faulty.describe = try_in_vain;
    CAPTURE(&c, faults, "run", "bare", "--machine", "small-htmt");
    cr_expect_eq(c.status, 0, "%s", c.err);
    hides("INCOMPLETE");
}

/* ---- more than there is room for ------------------------------------------------------------ */

static void say_much(struct htmt_task *task, void *work)
{
    (void)work;
    htmt_task_kernel_set(task,
                         "plain C of a name that is longer than there is room for in its place");
    for (int i = 0; i < 40; i++) {
        htmt_task_found(task, "figure", i, "1");
        htmt_task_note(task, "note %d", i);
        htmt_task_warn(task, "doubt", "doubt %d", i);
    }
}

static int tell_much(struct htmt_task *task, void *work, struct htmt_prediction *p)
{
    const struct htmt_term term = {.name = "T", .unit = "s"};
    (void)task;
    (void)work;
    for (int i = 0; i < 200; i++)
        htmt_prediction_term(p, &term);
    return 0;
}

Test(bare, what_finds_no_room_is_counted)
{
    faulty = given;
    faulty.options = &(const struct htmt_app_option){.name = NULL};
    faulty.describe = say_much;
    faulty.tell = tell_much;
    CAPTURE(&c, faults, "model", "bare", "--machine", "small-htmt");
    cr_expect_eq(c.status, 0, "%s", c.err);
    shows("  warning       doubt 15\n");
    hides("doubt 16");
    shows("  note          note 11\n");
    shows("  note          28 more notes, for which there is no room\n");
    shows("more warnings, for which there is no room\n");
    CAPTURE(&c, faults, "predict", "bare", "--machine", "small-htmt");
    cr_expect_eq(c.status, 0, "%s", c.err);
    shows("  warning       8 more terms of the closed form, for which there is no room\n");
}

Test(bare, a_strict_request_ends_at_too_many_doubts)
{
    faulty = given;
    faulty.options = &(const struct htmt_app_option){.name = NULL};
    faulty.describe = say_much;
    CAPTURE(&c, faults, "model", "bare", "--machine", "small-htmt", "--strict");
    cr_expect_eq(c.status, 2);
    cr_expect_str_eq(c.err, "htmt model bare: --strict: doubt 0; 47 more\n");
}
