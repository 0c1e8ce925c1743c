/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two applications run in one process at once, each on a thread of its own, with its report: each
 * is what it is when it runs alone.
 */
#include "emul/questions/quiet_run.h"
#include "emul/report/htmt_report.h"
#include "tests/apps/table.h"
#include "tests/emul/squares.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <pthread.h>

/* A command line, and what its run told. */
struct side {
    const struct htmt_app *app;
    const char *options;
    htmt_time predicted;
    uint64_t history_hash;
    int correct;
    char *report, *object;
};

static char *text_of(const struct htmt_emulator *e,
                     int (*print)(const struct htmt_emulator *e, FILE *out))
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(print(e, out), 0);
    fclose(out);
    return text;
}

/* A run with two threads of the host for each emulator. */
static void *run(void *user)
{
    struct side *s = user;
    struct htmt__quiet_run r;
    struct htmt_fault fault = {0};
    int rc = htmt__quiet_run_prepare(s->app, s->options, NULL, NULL, 0, &r, &fault);
    r.request.emulator.mode = HTMT_RUN;
    r.request.emulator.threads = 2;
    r.request.emulator.explain = r.request.emulator.lint = true;
    rc = rc ? rc : htmt__quiet_run_emulate(&r, &fault);
    cr_assert_eq(rc, 0, "%s: %s", s->app->name, fault.text);
    s->predicted = htmt_predicted(r.outcome.emulator);
    s->history_hash = htmt_history_hash(r.outcome.emulator);
    s->correct = r.outcome.correct;
    s->report = text_of(r.outcome.emulator, htmt_report_print);
    s->object = text_of(r.outcome.emulator, htmt_report_json);
    htmt__quiet_run_clear(&r);
    return NULL;
}

static void clear(struct side *s)
{
    free(s->report);
    free(s->object);
}

static void is_as_alone(const struct side *s)
{
    struct side alone = {.app = s->app, .options = s->options};
    char hash[80];
    run(&alone);
    snprintf(hash, sizeof hash, "history hash  %016llx\n", (unsigned long long)alone.history_hash);
    cr_expect_eq(s->predicted, alone.predicted, "%s", s->app->name);
    cr_expect_eq(s->history_hash, alone.history_hash, "%s", s->app->name);
    cr_expect_eq(s->correct, 1, "%s", s->app->name);
    cr_expect_not_null(strstr(s->report, hash), "%s: %s", s->app->name, s->report);
    json_t *o = json_loads(s->object, 0, NULL);
    cr_expect_eq(json_integer_value(json_object_get(o, "predicted_fs")), alone.predicted);
    json_decref(o);
    clear(&alone);
}

static void at_once(struct side first, struct side second)
{
    struct side side[] = {first, second};
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        cr_assert_eq(pthread_create(&thread[i], NULL, run, &side[i]), 0);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < 2; i++) {
        is_as_alone(&side[i]);
        clear(&side[i]);
    }
}

#define SIDE(name, given)                                                                          \
    (struct side)                                                                                  \
    {                                                                                              \
        .app = &(name), .options = given                                                           \
    }
#define SQUARES SIDE(squares, "--machine small-htmt --count 100")
#define CANNON  SIDE(htmt_app_cannon, "--machine small-htmt --size 32 --slices 4")
#define PIC     SIDE(htmt_app_pic, "--case thermal --cells 8,8,8 --slices 4 --steps 2")
#define SAR     SIDE(htmt_app_sar, "--slices 2 --lines 192 --samples 192")
#define VOLUME  SIDE(htmt_app_volume, "--slices 2 --phantom 16 --size 16")

Test(two_at_once, two_applications_are_each_as_alone, .timeout = 120)
{
    for (int i = 0; i < 5; i++)
        at_once(SQUARES, CANNON);
}

Test(two_at_once, so_is_one_application_twice, .timeout = 120)
{
    at_once(CANNON, CANNON);
    at_once(PIC, PIC);
    at_once(VOLUME, VOLUME);
}

Test(two_at_once, and_two_that_transform, .timeout = 120)
{
    at_once(PIC, VOLUME);
    at_once(PIC, SAR);
}
