/* SPDX-License-Identifier: BSD-3-Clause */
/* Class: unit threads. */
#include "tests/emul/capture.h"
#include "tests/emul/squares.h"
#include "tests/files/place.h"

#include <jansson.h>
#include <sys/stat.h>

static const struct htmt_app *const apps[] = {&squares, NULL};

#define SQUARES(c, verb, ...)                                                                      \
    CAPTURE(c, apps, verb, "squares", "--machine", "small-htmt", __VA_ARGS__)

static void has(const char *text, const char *part)
{
    cr_assert_not_null(strstr(text, part), "'%s' is not in:\n%s", part, text);
}

static long long integer(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    cr_assert(json_is_integer(v), "%s is no integer", key);
    return json_integer_value(v);
}

/* The caller drops it. */
static json_t *parse(const struct captured *c)
{
    json_error_t error;
    json_t *o = json_loads(c->out, 0, &error);
    cr_assert_not_null(o, "%s\n%s", error.text, c->out);
    return o;
}

Test(command, exit_statuses_are_those_of_the_contract)
{
    struct captured c;
    SQUARES(&c, "run", "--quiet");
    cr_assert_eq(c.status, 0);
    SQUARES(&c, "run", "--quiet", "--wrong");
    cr_assert_eq(c.status, 1);
    SQUARES(&c, "run", "--refuse");
    cr_assert_eq(c.status, 2);
    SQUARES(&c, "run", "--stuck");
    cr_assert_eq(c.status, 3);
    SQUARES(&c, "run", "--check-determinism", "--racy", "--threads", "2");
    cr_assert_eq(c.status, 4);
}

Test(command, every_refusal_is_one_line_and_nothing_on_stdout)
{
    struct captured c;
    static char *const words[][4] = {
        {"run", NULL},
        {"run", "triangles", NULL},
        {"dance", NULL},
        {"run", "squares", "--bogus", NULL},
        {"run", "squares", "--threads=none", NULL},
        {"run", "squares", "--machine=not-there", NULL},
        {"run", "squares", "--costs=not-there", NULL},
        {"run", "squares", "--set=no.such.key=1", NULL},
        {"run", "squares", "--json=not/there/x.json", NULL},
        {"run", "squares", "--json=/", NULL},
        {"predict", "squares", "--slices=99999999", NULL},
        {"help", "triangles", NULL},
        {"help", "run", "squares", NULL},
    };
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        char *argv[6] = {"htmt"};
        int argc = 1;
        for (; words[i][argc - 1]; argc++)
            argv[argc] = words[i][argc - 1];
        capture(&c, apps, argc, argv);
        cr_assert_eq(c.status, 2, "case %u: %d %s", i, c.status, c.err);
        cr_assert_str_empty(c.out, "case %u", i);
        cr_assert_eq(lines_of(c.err), 1, "case %u: %s", i, c.err);
        cr_assert_eq(strncmp(c.err, "htmt", 4), 0);
    }
}

Test(command, a_report_tells_result_prediction_and_wall_time_by_their_clocks)
{
    struct captured c;
    SQUARES(&c, "run", "--count", "20");
    cr_assert_str_empty(c.err);
    has(c.out, "correct       squares that differ: 0, tolerance 0");
    has(c.out, "PREDICTED (virtual clock)");
    has(c.out, "WALL (host clock)");
    has(c.out, "PHASES (virtual clock)");
    has(c.out, "options       --machine small-htmt --count 20");
    has(c.out, "kernel set    plain C");
    for (char *line = strtok(c.out, "\n"); line; line = strtok(NULL, "\n"))
        cr_assert_lt(strlen(line), 100, "%s", line);
}

Test(command, a_model_run_checks_nothing_and_predicts_the_same)
{
    struct captured run, model;
    SQUARES(&run, "run", "--json", "-");
    SQUARES(&model, "model", "--json", "-");
    json_t *a = parse(&run), *b = parse(&model);
    cr_assert(json_is_true(json_object_get(a, "correct")));
    cr_assert(json_is_null(json_object_get(b, "correct")));
    cr_assert(json_is_null(json_object_get(b, "check")));
    cr_assert_gt(integer(a, "predicted_fs"), 0);
    cr_assert_eq(integer(a, "predicted_fs"), integer(b, "predicted_fs"));
    cr_assert(json_equal(json_object_get(a, "phases"), json_object_get(b, "phases")));
    json_t *beside = json_object_get(a, "model");
    cr_assert(json_is_true(json_object_get(beside, "same_events")));
    cr_assert_eq(integer(beside, "predicted_fs"), integer(b, "predicted_fs"));
    cr_assert(json_is_null(json_object_get(b, "model")));
    json_decref(a);
    json_decref(b);
}

/* The data make one kernel longer than the model run knows. */
Test(command, a_run_that_its_model_run_does_not_follow_says_so)
{
    struct captured run, model;
    SQUARES(&run, "run", "--steep", "--json", "-");
    SQUARES(&model, "model", "--steep", "--json", "-");
    json_t *a = parse(&run), *b = parse(&model), *beside = json_object_get(a, "model");
    cr_assert_gt(integer(a, "predicted_fs"), integer(b, "predicted_fs"));
    cr_assert_eq(integer(beside, "predicted_fs"), integer(b, "predicted_fs"));
    cr_assert(json_is_false(json_object_get(beside, "same_events")));
    SQUARES(&run, "run", "--steep");
    has(run.out, "with the data the clock says");
    json_decref(a);
    json_decref(b);
}

Test(command, recorded_options_can_be_given_again)
{
    struct captured c;
    SQUARES(&c, "run", "--set", "layers.cram.memory.capacity=1 MiB");
    has(c.out, "--set 'layers.cram.memory.capacity=1 MiB'");
}

/* The sum of the phases is that of the resources, counted by other code. */
Test(command, phases_and_resources_of_the_json_agree)
{
    struct captured c;
    SQUARES(&c, "run", "--count", "50", "--json", "-");
    json_t *o = parse(&c), *p, *r;
    size_t i, j;
    cr_assert_eq(integer(o, "parcels"), 50);
    json_array_foreach(json_object_get(o, "phases"), i, p)
    {
        const char *name = json_string_value(json_object_get(p, "resource"));
        double busy = 50 * json_real_value(json_object_get(p, "mean_s"));
        bool found = false;
        json_array_foreach(json_object_get(o, "resources"), j, r)
        {
            if (strcmp(name, json_string_value(json_object_get(r, "name"))) != 0)
                continue;
            found = true;
            cr_assert_float_eq(busy, json_real_value(json_object_get(r, "busy_s")), 1e-18);
        }
        cr_assert(found);
    }
    json_decref(o);
}

/* 20 words leave DRAM one by one at 1 ns each, all asked for at time 0: the i-th waits i - 1 ns.
 * One channel in each of 4 slices, only that of slice 0 in use. */
Test(command, figures_of_a_resource_follow_from_its_queue)
{
    struct captured c;
    SQUARES(&c, "run", "--count", "20", "--json", "-");
    json_t *o = parse(&c), *r = NULL;
    size_t i;
    json_array_foreach(json_object_get(o, "resources"), i, r)
    {
        if (strcmp(json_string_value(json_object_get(r, "name")), "vortex dram out") == 0)
            break;
    }
    double predicted = (double)integer(o, "predicted_fs") * 1e-15;
    cr_assert_not_null(r);
    cr_assert_eq(integer(r, "count"), 4);
    cr_assert_eq(integer(r, "served"), 20);
    cr_assert_eq(integer(r, "max_queue"), 19);
    cr_assert_float_eq(json_real_value(json_object_get(r, "busy_s")), 20e-9, 1e-20);
    cr_assert_float_eq(json_real_value(json_object_get(r, "mean_wait_s")), 9.5e-9, 1e-20);
    cr_assert_float_eq(json_real_value(json_object_get(r, "utilization")), 5e-9 / predicted, 1e-12);
    cr_assert_float_eq(json_real_value(json_object_get(r, "mean_queue")), 47.5e-9 / predicted,
                       1e-9);
    json_decref(o);
}

Test(command, the_first_different_event_is_named)
{
    struct captured c;
    SQUARES(&c, "run", "--check-determinism", "--racy", "--threads", "2");
    cr_assert_eq(lines_of(c.err), 1);
    has(c.err, "--threads 2 and --threads 1 --delay-seed 1 differ: first in event");
    has(c.err, "SPELL, slice 0, parcel 0:3, execute");
    has(c.out, "NOT DETERMINISTIC");
    has(c.out, "first run");
    has(c.out, "other run");
}

Test(command, a_deterministic_program_is_found_so)
{
    struct captured c;
    SQUARES(&c, "run", "--check-determinism", "--count", "500", "--json", "-");
    cr_assert_eq(c.status, 0, "%s", c.err);
    json_t *o = parse(&c), *d = json_object_get(o, "determinism");
    cr_assert(json_is_true(json_object_get(d, "equal")));
    cr_assert_eq(integer(d, "runs"), 4);
    cr_assert_eq(integer(d, "events"), integer(o, "events"));
    json_decref(o);
}

Test(command, a_deadlock_is_reported_with_who_waits)
{
    struct captured c;
    SQUARES(&c, "run", "--stuck", "--count", "3");
    has(c.out, "deadlock");
    has(c.out, "INCOMPLETE");
    cr_assert_eq(lines_of(c.err), 1);
    SQUARES(&c, "run", "--stuck", "--json", "-");
    cr_assert_eq(c.status, 3);
    json_t *o = parse(&c);
    cr_assert(json_is_false(json_object_get(o, "complete")));
    cr_assert_str_eq(json_string_value(json_object_get(json_object_get(o, "error"), "code")),
                     "EDEADLOCK");
    json_decref(o);
}

static const char left[] = "signals are left over: type leaver, slice 0: fiber 1 had got 1 of 2 "
                           "signals when its parcel ended at 0 s (of 1 such slots the first)";

Test(command, signals_that_are_left_over_are_a_note_of_the_run)
{
    struct captured c;
    SQUARES(&c, "run", "--leave");
    cr_assert_eq(c.status, 0, "%s", c.err);
    has(c.out, "  note          signals are left over: type leaver, slice 0: fiber 1 had got");
    SQUARES(&c, "model", "--leave", "--json", "-");
    json_t *o = parse(&c), *notes = json_object_get(o, "notes");
    cr_assert_eq(json_array_size(notes), 1);
    cr_assert_str_eq(json_string_value(json_array_get(notes, 0)), left);
    json_decref(o);
}

Test(command, signals_that_are_left_over_end_a_checked_run)
{
    struct captured c;
    SQUARES(&c, "run", "--leave", "--checked");
    cr_assert_eq(c.status, 3);
    cr_assert_eq(lines_of(c.err), 1);
    has(c.err, left);
    has(c.out, "INCOMPLETE");
}

Test(command, a_json_file_appears_whole_with_no_other_beside_it)
{
    struct captured c;
    struct place p = place("out.json");
    SQUARES(&c, "run", "--json", p.path);
    cr_assert_eq(c.status, 0);
    has(c.out, "PREDICTED");
    json_error_t error;
    json_t *o = json_load_file(p.path, 0, &error);
    cr_assert_not_null(o);
    json_decref(o);
    place_clear(&p);
}

/* A usage is broken at blanks into lines. */
static void has_usage(const char *text, const char *usage)
{
    for (const char *at = text; (at = strchr(at, *usage)); at++) {
        const char *t = at, *u = usage;
        for (; *u && *t == *u; t += strspn(t, " \n"), u += strspn(u, " "))
            t++, u++;
        if (!*u)
            return;
    }
    cr_assert_fail("'%s' is not in:\n%s", usage, text);
}

Test(command, help_knows_every_verb_application_and_option)
{
    struct captured c;
    CAPTURE(&c, apps, "help");
    for (const struct htmt__verb *const *v = htmt__command_verbs; *v; v++) {
        struct captured one;
        has(c.out, (*v)->summary);
        CAPTURE(&one, apps, "help", (char *)(uintptr_t)(*v)->name);
        cr_assert_eq(one.status, 0);
        has_usage(one.out, (*v)->usage);
    }
    CAPTURE(&c, apps, "help", "squares");
    for (const struct htmt_app_option *row = squares_rows; row->name; row++)
        has(c.out, row->name);
    has(c.out, "(default 8)");
    struct captured same;
    CAPTURE(&same, apps, "run", "squares", "--help");
    cr_assert_str_eq(same.out, c.out);
}

Test(command, a_prediction_prints_its_terms)
{
    struct captured c;
    SQUARES(&c, "predict", "--count", "8");
    cr_assert_eq(c.status, 0);
    has(c.out, "8.000 ns");
    has(c.out, "n t_flop");
    SQUARES(&c, "predict", "--json", "-");
    json_t *o = parse(&c), *terms = json_object_get(o, "terms");
    cr_assert_eq(json_array_size(terms), 1);
    cr_assert_str_eq(json_string_value(json_object_get(json_array_get(terms, 0), "unit")), "s");
    json_decref(o);
}

Test(command, a_verb_of_an_application_runs_with_its_own_options_alone)
{
    struct captured c;
    CAPTURE(&c, apps, "table", "squares", "--most", "2", "--seed=7");
    cr_assert_eq(c.status, 0);
    cr_assert_str_eq(c.out, "1 squared is 1\n2 squared is 4\nseed 7\n");
    CAPTURE(&c, apps, "table", "squares");
    cr_assert_str_eq(c.out, "1 squared is 1\n2 squared is 4\n3 squared is 9\nseed 1\n");
    CAPTURE(&c, apps, "table", "squares", "--most", "10");
    cr_assert_eq(c.status, 2);
    cr_assert_str_eq(c.err, "htmt table squares: --most: found 10, expected 1 to 9\n");
    CAPTURE(&c, apps, "table", "squares", "--machine", "htmt-oct98");
    cr_assert_eq(c.status, 2);
    has(c.err, "unknown option '--machine'; 'htmt help table' lists them");
    CAPTURE(&c, apps, "table", "cannon");
    cr_assert_eq(c.status, 2);
    has(c.err, "htmt table: unknown application 'cannon'; 'htmt help' lists them");
    CAPTURE(&c, apps, "table");
    cr_assert_eq(c.status, 2);
}

Test(command, help_tells_of_the_verbs_of_applications)
{
    struct captured c;
    CAPTURE(&c, apps, "help");
    has(c.out, "table squares");
    CAPTURE(&c, apps, "help", "squares");
    has(c.out, "print a table of squares");
    CAPTURE(&c, apps, "help", "table");
    cr_assert_eq(c.status, 0);
    has(c.out, "--most N");
    CAPTURE(&c, apps, "table", "squares", "--help");
    has(c.out, "Options of table squares");
}
