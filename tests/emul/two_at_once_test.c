/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Two plug-ins are loaded and run in one process at once, each on a thread of its own, with its
 * report: each is what it is when it runs alone.
 */
#include "emul/lib/plugin/plugin.h"
#include "emul/lib/questions/quiet_run.h"
#include "emul/report/htmt_report.h"
#include "tests/emul/squares.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <pthread.h>
#include <unistd.h>

/* A command line, and what its run told. */
struct side {
    const char *name; /* of the application */
    const char *options;
    struct htmt_app app;
    htmt_time predicted;
    uint64_t history_hash;
    int correct;
    char *report, *object;
};

/* "squares" is linked with the test; the others are plug-ins beside it, build/apps/NAME.so. */
static void load(struct side *s)
{
    char self[512] = "", path[600];
    struct htmt_fault fault = {0};
    s->app = squares;
    if (strcmp(s->name, squares.name) == 0)
        return;
    cr_assert_gt(readlink("/proc/self/exe", self, sizeof self - 1), 0);
    *strstr(self, "/tests/emul/") = '\0';
    snprintf(path, sizeof path, "%s/apps/%s.so", self, s->name);
    cr_assert_eq(htmt__plugin_load(path, 0, &s->app, &fault), 0, "%s", fault.text);
}

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
    load(s);
    int rc = htmt__quiet_run_prepare(&s->app, s->options, NULL, NULL, 0, &r, &fault);
    r.request.emulator.mode = HTMT_RUN;
    r.request.emulator.threads = 2;
    r.request.emulator.explain = r.request.emulator.lint = true;
    rc = rc ? rc : htmt__quiet_run_emulate(&r, &fault);
    cr_assert_eq(rc, 0, "%s: %s", s->name, fault.text);
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
    struct side alone = {.name = s->name, .options = s->options};
    char hash[80];
    run(&alone);
    snprintf(hash, sizeof hash, "history hash  %016llx\n", (unsigned long long)alone.history_hash);
    cr_expect_eq(s->predicted, alone.predicted, "%s", s->name);
    cr_expect_eq(s->history_hash, alone.history_hash, "%s", s->name);
    cr_expect_eq(s->correct, 1, "%s", s->name);
    cr_expect_not_null(strstr(s->report, hash), "%s: %s", s->name, s->report);
    json_t *o = json_loads(s->object, 0, NULL);
    cr_expect_eq(json_integer_value(json_object_get(o, "predicted_fs")), alone.predicted);
    json_decref(o);
    clear(&alone);
}

static void at_once(struct side side[2])
{
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

#define SQUARES                                                                                    \
    {                                                                                              \
        .name = "squares", .options = "--machine small-htmt --count 100"                           \
    }
#define CANNON                                                                                     \
    {                                                                                              \
        .name = "cannon", .options = "--machine small-htmt --size 32 --slices 4"                   \
    }
#define PIC                                                                                        \
    {                                                                                              \
        .name = "pic", .options = "--case thermal --cells 8,8,8 --slices 4 --steps 2"              \
    }
#define SAR                                                                                        \
    {                                                                                              \
        .name = "sar", .options = "--slices 2 --lines 192 --samples 192"                           \
    }
#define VOLUME                                                                                     \
    {                                                                                              \
        .name = "volume", .options = "--slices 2 --phantom 16 --size 16"                           \
    }

/* AT_ONCE(CANNON, PIC) */
#define AT_ONCE(...) at_once((struct side[]){__VA_ARGS__})

Test(two_at_once, two_applications_are_each_as_alone, .timeout = 120)
{
    for (int i = 0; i < 5; i++)
        AT_ONCE(SQUARES, CANNON);
}

Test(two_at_once, so_is_one_application_twice, .timeout = 120)
{
    AT_ONCE(CANNON, CANNON);
    AT_ONCE(PIC, PIC);
    AT_ONCE(VOLUME, VOLUME);
}

Test(two_at_once, and_two_that_transform, .timeout = 120)
{
    AT_ONCE(PIC, VOLUME);
    AT_ONCE(PIC, SAR);
}
