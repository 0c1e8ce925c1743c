/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/lib/task_parts.h"
#include "tests/layers/machines.h"

#include <criterion/criterion.h>
#include <string.h>

static char taken[32]; /* a letter for each step taken */
static char fails;     /* the step that fails */
static bool stops;     /* the emulation fails */
static uint32_t slices_seen;
static char warns;  /* the step that warns */
static bool strict; /* of the request */
static struct htmt_fault last;

static int step(struct htmt_task *t, char letter)
{
    size_t n = strlen(taken);
    taken[n] = letter;
    taken[n + 1] = '\0';
    if (letter == warns)
        htmt_warn(t->warnings, "letter", "%c doubts", letter);
    return letter == fails ? htmt_fault_set(t->fault, HTMT_ERANGE, "%c fails", letter) : 0;
}

#define STEP(name, letter)                                                                         \
    static int name(struct htmt_task *t, void *work)                                               \
    {                                                                                              \
        cr_expect_null(work, "an application without work_bytes");                                 \
        return step(t, letter);                                                                    \
    }
STEP(plan, 'p')
STEP(input, 'i')
STEP(salvage, 's')
STEP(collect, 'c')
STEP(check, 'k')
STEP(write_out, 'w')
STEP(conclude, 'l')

static int tell(struct htmt_task *t, void *work, struct htmt_prediction *out)
{
    (void)work;
    htmt_prediction_total(out, 2);
    return step(t, 't');
}

static void describe(struct htmt_task *t, void *work)
{
    (void)work;
    slices_seen = htmt_task_machine(t)->slices;
    step(t, 'd');
}

static int prepare(struct htmt_task *t, void *work, struct htmt_options *options)
{
    (void)work;
    (void)options;
    return step(t, 'r');
}

static int create(struct htmt_task *t, void *work, struct htmt_emulator *e)
{
    struct htmt_mailbox *none;
    (void)work;
    if (stops) /* there is no such slice */
        cr_expect_neq(htmt_mailbox_create(e, 99, 0, 8, 1, "none", &none), 0);
    return step(t, 'e');
}

static void destroy(struct htmt_task *t, void *work)
{
    (void)work;
    step(t, 'x');
}

static const struct htmt_app app = {HTMT_APP_BEGIN,    .plan = plan,         .tell = tell,
                                    .input = input,    .describe = describe, .prepare = prepare,
                                    .create = create,  .salvage = salvage,   .collect = collect,
                                    .check = check,    .write = write_out,   .conclude = conclude,
                                    .destroy = destroy};

/* The steps of a request, in which step `failing` fails. */
static const char *steps(enum htmt_mode mode, bool predicts, char failing, int expected)
{
    struct htmt_fault fault = {0};
    struct htmt_outcome out = {0};
    struct htmt_prediction prediction;
    struct htmt_machine *m = machine_load("small-htmt", NULL);
    struct htmt_request r = {.machine = m,
                             .strict = strict,
                             .emulator = {.machine = m, .slices = 3, .mode = mode, .threads = 1}};
    taken[0] = '\0';
    fails = failing;
    int rc = predicts ? htmt__app_predict(&app, &r, &prediction, &fault)
                      : htmt__app_run(&app, &r, &out, &fault);
    cr_expect_eq(rc, expected, "%s", fault.text);
    cr_expect_eq(fault.code, expected);
    cr_expect_eq(predicts ? prediction.warnings.count : out.warnings.count, warns != 0);
    last = fault;
    htmt_emulator_destroy(&out.emulator);
    htmt_machine_destroy(&m);
    return taken;
}

Test(steps, a_run_has_data_and_a_model_has_none)
{
    cr_expect_str_eq(steps(HTMT_RUN, false, 0, 0), "pidreckwlx");
    cr_expect_str_eq(steps(HTMT_MODEL, false, 0, 0), "pdreclx");
    cr_expect_eq(slices_seen, 3);
    cr_expect_str_eq(steps(HTMT_MODEL, true, 0, 0), "ptx");
}

Test(steps, a_run_whose_emulation_fails_salvages_results_and_keeps_its_line)
{
    stops = true;
    cr_expect_str_eq(steps(HTMT_RUN, false, 0, HTMT_EINVAL), "pidresx");
    cr_expect_str_eq(steps(HTMT_RUN, false, 's', HTMT_EINVAL), "pidresx");
    cr_expect_str_eq(steps(HTMT_MODEL, false, 0, HTMT_EINVAL), "pdrex");
}

Test(steps, a_step_that_fails_is_the_last_but_for_tidying_up)
{
    cr_expect_str_eq(steps(HTMT_RUN, false, 'p', HTMT_ERANGE), "px");
    cr_expect_str_eq(steps(HTMT_RUN, false, 'i', HTMT_ERANGE), "pix");
    cr_expect_str_eq(steps(HTMT_RUN, false, 'r', HTMT_ERANGE), "pidrx");
    cr_expect_str_eq(steps(HTMT_RUN, false, 'e', HTMT_ERANGE), "pidrex");
    cr_expect_str_eq(steps(HTMT_RUN, false, 'c', HTMT_ERANGE), "pidrecx");
    cr_expect_str_eq(steps(HTMT_RUN, false, 'k', HTMT_ERANGE), "pidreckx");
    cr_expect_str_eq(steps(HTMT_RUN, false, 'w', HTMT_ERANGE), "pidreckwx");
    cr_expect_str_eq(steps(HTMT_MODEL, true, 't', HTMT_ERANGE), "ptx");
}

Test(steps, a_warning_ends_a_strict_request_before_the_emulation)
{
    for (const char *letter = "pid"; *letter; letter++) {
        warns = *letter;
        strict = false;
        cr_expect_str_eq(steps(HTMT_RUN, false, 0, 0), "pidreckwlx");
        strict = true;
        cr_expect_str_eq(steps(HTMT_RUN, false, 0, HTMT_EFORMAT), "pidx");
        cr_expect_eq(strncmp(last.text, "--strict: ", 10), 0, "%s", last.text);
    }
    warns = 'p';
    cr_expect_str_eq(steps(HTMT_MODEL, true, 0, HTMT_EFORMAT), "px");
    warns = 'l';
    cr_expect_str_eq(steps(HTMT_RUN, false, 0, 0), "pidreckwlx", "later ones are the caller's");
    warns = 0;
    cr_expect_str_eq(steps(HTMT_RUN, false, 0, 0), "pidreckwlx", "nothing to doubt");
}

Test(steps, a_refusal_of_warnings_counts_the_others)
{
    struct htmt_warnings w = {.count = 0};
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt__warnings_refuse(&w, &fault), 0);
    for (int k = 0; k < 3; k++)
        htmt_warn(&w, "number", "number %d", k);
    cr_expect_eq(htmt__warnings_refuse(&w, &fault), HTMT_EFORMAT);
    cr_expect_str_eq(fault.text, "--strict: number 0; 2 more");
    cr_expect_str_eq(w.item[2].name, "number");
}

Test(steps, more_bytes_than_the_host_has_are_refused_with_the_arithmetic)
{
    struct htmt_fault fault = {0};
    struct htmt_task t = {.fault = &fault};
    cr_expect_eq(htmt_task_fits(&t, 1, "one byte"), 0);
    t.held = 1e18 - 1000;
    cr_expect_eq(htmt_task_fits(&t, 1e18, "what is there already"), 0);
    t.held = 0;
    cr_expect_eq(htmt_task_fits(&t, 1e18, "%d x %d GiB", 2, 3), HTMT_EHOSTFIT);
    cr_expect_eq(strncmp(fault.text, "2 x 3 GiB = 931322574.62 GiB, the host has ", 43), 0, "%s",
                 fault.text);
}
