/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Reports of programs that drive their emulators themselves, against the accounts of the emulator
 * and figures by hand: a cycle and a word take 1 ns.
 */
#define _GNU_SOURCE /* posix_openpt */
#include "emul/report/htmt_report.h"
#include "tests/emul/capture.h"
#include "tests/emul/squares.h"
#include "tests/parcels/world.h"

#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <sys/ioctl.h>

enum { WORDS = 100 };

/* What a call prints, and what it returns. */
struct printed {
    int rc;
    char *text;
    size_t size;
};

static struct printed print(int (*call)(const struct htmt_emulator *e, FILE *out),
                            const struct htmt_emulator *e)
{
    struct printed p = {0};
    FILE *out = open_memstream(&p.text, &p.size);
    p.rc = call(e, out);
    fclose(out);
    return p;
}

static void prints(int (*call)(const struct htmt_emulator *e, FILE *out),
                   const struct htmt_emulator *e, const char *text)
{
    struct printed p = print(call, e);
    cr_assert_eq(p.rc, 0, "%d", p.rc);
    cr_expect_not_null(strstr(p.text, text), "no '%s' in:\n%s", text, p.text);
    free(p.text);
}

static void refuses(int (*call)(const struct htmt_emulator *e, FILE *out),
                    const struct htmt_emulator *e)
{
    struct printed p = print(call, e);
    cr_expect_eq(p.rc, HTMT_EINVAL);
    cr_expect_eq(p.size, 0, "%s", p.text);
    free(p.text);
}

/* The caller drops it. */
static json_t *object(const struct htmt_emulator *e)
{
    json_error_t error;
    struct printed p = print(htmt_report_json, e);
    cr_assert_eq(p.rc, 0, "%d", p.rc);
    json_t *o = json_loads(p.text, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(o, "%s in %s", error.text, p.text);
    free(p.text);
    return o;
}

/* ---- programs -------------------------------------------------------------------------------- */

static struct htmt_object *numbers(struct htmt_emulator *e)
{
    struct htmt_object *o = NULL;
    cr_assert_eq(htmt_object_create(e, 0, DRAM, 8 * WORDS, "numbers", &o), 0);
    return o;
}

/* Parcels that take the numbers up: 20 ns, 100 words, 30 ns, 100 words, 500 ns. */
static void start(struct world *w, const char *name, unsigned parcels)
{
    struct world_work work = {.assemble = 20, .dispatch = 30, .execute = 500};
    struct htmt_type_desc d = world_eight();
    struct htmt_region up = {.from = htmt_in(numbers(w->e), 0), .bytes = 8 * WORDS};
    d.name = name;
    struct htmt_type *type = world_type(w, d);
    for (unsigned i = 0; i < parcels; i++)
        world_start(w, (struct htmt_parcel_desc){
                           .type = type, .args = &work, .regions = &up, .region_count = 1});
}

static struct world ran(const char *name, unsigned parcels, struct htmt_options o)
{
    struct world_spec s = world_plain(2);
    struct world w = world_open(&s, o);
    start(&w, name, parcels);
    world_run(&w);
    return w;
}

static const struct htmt_options asked = {.mode = HTMT_MODEL, .explain = true, .lint = true};

/* An emulator that cannot move: a gate that nobody opens. */
static struct world stuck(void)
{
    struct world_spec s = world_plain(1);
    struct world w = world_open(&s, asked);
    struct htmt_type_desc d = world_eight();
    struct world_work work = {.assemble = 20, .execute = 500};
    d.gates = HTMT_GATE(HTMT_EXECUTE);
    world_start(&w, (struct htmt_parcel_desc){.type = world_type(&w, d), .args = &work});
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_EDEADLOCK);
    return w;
}

/* ---- for people ------------------------------------------------------------------------------ */

Test(report_library, one_parcel_is_printed_with_the_figures_known_by_hand)
{
    struct world w = ran("up", 1, asked);
    char hash[80];
    cr_assert_eq(htmt_predicted(w.e), 750 * NS);
    snprintf(hash, sizeof hash, "  history hash  %016llx\n",
             (unsigned long long)htmt_history_hash(w.e));
    prints(htmt_report_print, w.e, "htmt: a program on made, 2 slices\n  mode          model: ");
    prints(htmt_report_print, w.e,
           "\nPREDICTED (virtual clock)\n  time          750.0 ns "
           "(750,000,000 fs)\n");
    prints(htmt_report_print, w.e,
           "  up    execute   Pcram                  1  500 cycles   500.0 ns         2  33.3 %");
    /* one of two SPELLs, for 500 of 750 ns */
    prints(htmt_report_print, w.e, "  Pcram                2       1  500.0 ns  33.3 %");
    prints(htmt_report_print, w.e, "\nBOTTLENECKS ");
    prints(htmt_report_print, w.e, hash);
    world_close(&w);
}

Test(report_library, sections_are_printed_for_what_the_emulator_was_asked)
{
    struct world w = ran("up", 3, asked), plain = ran("up", 3, (struct htmt_options){.threads = 2});
    struct printed p = print(htmt_report_print, plain.e);
    prints(htmt_report_print, w.e, "\nDEPARTURES ");
    prints(htmt_report_print, w.e, "\nEXPLANATION ");
    cr_expect_null(strstr(p.text, "DEPARTURES"));
    cr_expect_null(strstr(p.text, "EXPLANATION"));
    cr_expect_not_null(strstr(p.text, "  threads       2\n"), "%s", p.text);
    free(p.text);
    world_close(&plain);
    world_close(&w);
}

/* One of two slices waits for the other: 1500 ns in all. */
Test(report_library, the_sections_of_the_program_are_printed_and_in_the_object)
{
    struct world_spec s = world_plain(2);
    struct world w = world_open(&s, asked);
    htmt_section(htmt_root(w.e), "way up");
    start(&w, "up", 1);
    world_run(&w);
    prints(htmt_report_print, w.e, "\nSECTIONS (virtual clock; ");
    prints(htmt_report_print, w.e, "\n  way up   1.500 us  100.0 %  750.0 ns   0 s    0 s\n");
    json_t *o = object(w.e), *of = json_array_get(json_object_get(o, "sections"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(of, "name")), "way up");
    cr_expect(json_number_value(json_object_get(of, "time_s")) > 1.499e-6);
    json_decref(o);
    world_close(&w);
}

Test(report_library, no_line_is_wider_than_the_page)
{
    struct world w =
        ran("a type with a name that is as long as the reports can tell of it", 3, asked);
    struct printed p = print(htmt_report_print, w.e);
    for (char *save, *line = strtok_r(p.text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save))
        cr_expect_leq(strlen(line), 98, "%s", line);
    free(p.text);
    world_close(&w);
}

/* The other end of a terminal with that many columns; NULL: this host has none to give. */
static FILE *terminal(int *master, unsigned short columns)
{
    struct winsize size = {.ws_row = 24, .ws_col = columns};
    *master = posix_openpt(O_RDWR | O_NOCTTY);
    if (*master < 0 || grantpt(*master) || unlockpt(*master))
        return NULL;
    int slave = open(ptsname(*master), O_RDWR | O_NOCTTY);
    cr_assert(slave >= 0 && !ioctl(slave, TIOCSWINSZ, &size));
    return fdopen(slave, "w");
}

/* A terminal gives what it holds in pieces, and an error when its other end was closed. */
static void read_to_end(int master, char *text, size_t room)
{
    size_t length = 0;
    ssize_t n;
    while ((n = read(master, text + length, room - 1 - length)) > 0)
        length += (size_t)n;
    text[length] = '\0';
}

Test(report_library, a_narrow_terminal_gets_narrow_tables)
{
    struct world w = ran("with a long name of its type", 3, asked);
    char text[4096];
    int master;
    unsetenv("COLUMNS");
    FILE *out = terminal(&master, 72);
    if (!out) {
        world_close(&w);
        cr_skip_test("no pseudo-terminals here");
    }
    cr_assert_eq(htmt_report_explanation(w.e, out), 0);
    fclose(out);
    read_to_end(master, text, sizeof text);
    char *table = strstr(text, "  cause"), *save;
    cr_assert_not_null(table, "%s", text);
    for (char *line = strtok_r(table, "\r\n", &save); line; line = strtok_r(NULL, "\r\n", &save))
        cr_expect_leq(strlen(line), 72, "%s", line);
    close(master);
    prints(htmt_report_explanation, w.e,
           "  work   Pcram  with a long name of its type execute  Pcram");
    world_close(&w);
}

Test(report_library, names_are_printed_without_control_characters)
{
    struct world w = ran("red \033[31m and \xff", 1, asked);
    struct printed p = print(htmt_report_print, w.e);
    json_t *o = object(w.e);
    cr_expect_null(strchr(p.text, '\033'), "%s", p.text);
    cr_expect_str_eq(
        json_string_value(json_object_get(json_array_get(json_object_get(o, "phases"), 0), "name")),
        "red \033[31m and ?");
    json_decref(o);
    free(p.text);
    world_close(&w);
}

/* The worst first: of the SPELL's 500 ns every parcel waits for those before it. */
Test(report_library, limits_are_printed_in_the_order_of_the_data)
{
    struct world w = ran("up", 50, asked);
    struct htmt_limit_report limit;
    char line[200];
    cr_assert_eq(htmt_limit_at(w.e, 0, &limit), 0);
    cr_expect_str_eq(limit.name, "Pcram");
    cr_expect(!limit.space && limit.mean_wait_s >= 0);
    cr_expect_float_eq(limit.utilization, 50 * 500. / (50 * 500 + 250), 1e-12); /* of slice 0 */
    cr_assert_gt(htmt_limit_count(w.e), 1);
    for (uint32_t i = 0; i < htmt_limit_count(w.e) && i < 5; i++) {
        cr_assert_eq(htmt_limit_at(w.e, i, &limit), 0);
        snprintf(line, sizeof line, "  %u. %s: ", i + 1, limit.name);
        prints(htmt_report_bottlenecks, w.e, line);
    }
    cr_expect_eq(htmt_limit_at(w.e, htmt_limit_count(w.e), &limit), HTMT_EINVAL);
    cr_expect_eq(htmt_limit_at(w.e, 0, NULL), HTMT_EINVAL);
    world_close(&w);
}

/* Slice 1 does nothing: the mean is half of what slice 0 does, which is three services of 500 ns in
 * 1750 ns. */
Test(report_library, the_busiest_slice_stands_beside_the_mean)
{
    struct world w = ran("up", 3, asked);
    json_t *o = object(w.e), *row;
    size_t i;
    unsigned found = 0;
    json_array_foreach(json_object_get(o, "spread"), i, row)
    {
        const char *name = json_string_value(json_object_get(row, "name"));
        cr_expect_eq(json_integer_value(json_object_get(row, "slices")), 2);
        if (strcmp(name, "Pcram") != 0)
            continue;
        double most = json_number_value(json_object_get(row, "busiest_share"));
        double mean = json_number_value(json_object_get(row, "mean_share"));
        found++;
        cr_expect_float_eq(most, 1500. / 1750, 1e-12, "%g", most);
        cr_expect_float_eq(mean, most / 2, 1e-12, "%g", mean);
        cr_expect_eq(json_integer_value(json_object_get(row, "busiest")), 0);
        cr_expect_eq(json_integer_value(json_object_get(row, "idle")), 1);
        cr_expect_eq(json_array_size(json_object_get(row, "by_slice")), 2);
    }
    cr_expect_eq(found, 1);
    json_decref(o);
    prints(htmt_report_print, w.e, "SLICES that differ");
    prints(htmt_report_bottlenecks, w.e, "in use for 85.7 % of slice 0, ");
    world_close(&w);
}

Test(report_library, the_parts_of_the_explanation_add_up_to_the_predicted_time)
{
    struct world w = ran("up", 50, asked);
    struct htmt_path path;
    char line[80];
    htmt_time sum = 0;
    cr_assert_eq(htmt_path_find(w.e, &path), 0);
    for (uint32_t i = 0; i < path.count; i++)
        sum += path.part[i].time;
    cr_expect_eq(sum, htmt_predicted(w.e));
    json_t *o = object(w.e), *x = json_object_get(o, "explanation"), *part;
    size_t i;
    json_array_foreach(json_object_get(x, "parts"), i, part) sum -=
        json_integer_value(json_object_get(part, "time_fs"));
    cr_expect_eq(sum, 0);
    /* Networks and layers add up to the path, and so do phases. */
    htmt_time where = 0, phases = 0;
    json_array_foreach(json_object_get(x, "shares"), i, part)
    {
        const char *of = json_string_value(json_object_get(part, "of"));
        htmt_time time = json_integer_value(json_object_get(part, "time_fs"));
        where += strcmp(of, "network") == 0 || strcmp(of, "layer") == 0 ? time : 0;
        phases += strcmp(of, "phase") == 0 ? time : 0;
    }
    cr_expect_eq(where, htmt_predicted(w.e));
    cr_expect_eq(phases, htmt_predicted(w.e));
    snprintf(line, sizeof line, "fs = work 25,000,000,000 + fill 250,000,000\n");
    prints(htmt_report_explanation, w.e, line);
    json_decref(o);
    htmt_path_clear(&path);
    world_close(&w);
}

Test(report_library, the_summary_is_that_of_one_parcel)
{
    struct world w = ran("up", 50, asked);
    prints(htmt_report_summary, w.e, "  time on Pcram              500.0 ns       12.50 us\n");
    prints(htmt_report_summary, w.e, "  words: vortex dram out    100 words   2.500 kwords\n");
    world_close(&w);
}

/* ---- for programs ---------------------------------------------------------------------------- */

static double real(const json_t *o, const char *key)
{
    cr_assert(json_is_number(json_object_get(o, key)), "%s", key);
    return json_number_value(json_object_get(o, key));
}

static bool close_to(double a, double b)
{
    return a - b < 1e-9 * b + 1e-30 && b - a < 1e-9 * b + 1e-30;
}

static void same_resources(const struct htmt_emulator *e, const json_t *all)
{
    struct htmt_resource_report r;
    cr_assert_eq(json_array_size(all), htmt_resource_count(e));
    for (uint32_t i = 0; i < htmt_resource_count(e); i++) {
        const json_t *o = json_array_get(all, i);
        cr_assert_eq(htmt_resource_at(e, i, &r), 0);
        cr_expect_str_eq(json_string_value(json_object_get(o, "name")), r.name);
        cr_expect_eq(real(o, "served"), r.served);
        cr_expect_eq(real(o, "words"), r.words);
        cr_expect(close_to(real(o, "busy_s"), (double)r.busy / 1e15), "%s", r.name);
        cr_expect_eq(real(o, "max_queue"), r.max_queue);
    }
}

static void same_memories(const struct htmt_emulator *e, const json_t *all)
{
    struct htmt_memory_report m;
    cr_assert_eq(json_array_size(all), LAYERS);
    for (uint32_t i = 0; i < LAYERS; i++) {
        const json_t *o = json_array_get(all, i);
        cr_assert_eq(htmt_memory_at(e, i, &m), 0);
        cr_expect_str_eq(json_string_value(json_object_get(o, "name")), m.name);
        cr_expect_eq(real(o, "peak_words"), m.peak);
        cr_expect_eq(real(o, "resident_words"), m.resident);
        cr_expect(close_to(real(o, "stall_s"), (double)m.stalled / 1e15), "%s", m.name);
    }
}

static void same_phases(const struct htmt_emulator *e, const json_t *all)
{
    struct htmt_phase_report p;
    size_t at = 0;
    for (uint32_t i = 0; i < htmt_phase_count(e); i++) {
        cr_assert_eq(htmt_phase_at(e, i, &p), 0);
        if (!p.count)
            continue;
        const json_t *o = json_array_get(all, at++);
        cr_expect_str_eq(json_string_value(json_object_get(o, "stage")), htmt_stage_name(p.stage));
        cr_expect_eq(real(o, "parcels"), p.count);
        cr_expect(close_to(real(o, "mean_s"), (double)p.busy / 1e15 / (double)p.count));
    }
    cr_expect_eq(json_array_size(all), at);
}

Test(report_library, the_object_has_the_figures_of_the_accounts)
{
    struct world w = ran("up", 50, asked);
    json_t *o = object(w.e);
    char hash[20];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)htmt_history_hash(w.e));
    cr_expect_eq(json_integer_value(json_object_get(o, "predicted_fs")), htmt_predicted(w.e));
    cr_expect_eq(json_integer_value(json_object_get(o, "events")), htmt_event_count(w.e));
    cr_expect_eq(json_integer_value(json_object_get(o, "parcels")), 50);
    cr_expect_str_eq(json_string_value(json_object_get(o, "history_hash")), hash);
    cr_expect_str_eq(json_string_value(json_object_get(o, "mode")), "model");
    cr_expect(json_is_true(json_object_get(o, "complete")));
    same_resources(w.e, json_object_get(o, "resources"));
    same_memories(w.e, json_object_get(o, "memories"));
    same_phases(w.e, json_object_get(o, "phases"));
    json_decref(o);
    world_close(&w);
}

static void same_keys(json_t *a, json_t *b)
{
    const char *key;
    json_t *value;
    json_object_foreach(a, key, value) cr_expect_not_null(json_object_get(b, key), "%s", key);
    json_object_foreach(b, key, value) cr_expect_not_null(json_object_get(a, key), "%s", key);
}

Test(report_library, the_object_has_every_key_of_a_run)
{
    static const struct htmt_app *const apps[] = {&squares, NULL};
    struct world w = ran("up", 1, asked);
    struct captured c;
    CAPTURE(&c, apps, "run", "squares", "--machine=small-htmt", "--explain", "--summary", "--lint",
            "--json=-");
    json_t *run = json_loads(c.out, 0, NULL), *o = object(w.e);
    cr_assert_not_null(run, "%s", c.err);
    same_keys(run, o);
    same_keys(json_object_get(run, "record"), json_object_get(o, "record"));
    same_keys(json_object_get(run, "explanation"), json_object_get(o, "explanation"));
    same_keys(json_object_get(run, "lint"), json_object_get(o, "lint"));
    same_keys(json_object_get(run, "summary"), json_object_get(o, "summary"));
    json_decref(run);
    json_decref(o);
    world_close(&w);
}

/* docs/json.md promises it. */
Test(report_library, keys_that_only_the_command_knows_are_null_or_empty)
{
    static const char *const nulls[] = {"app",
                                        "costs",
                                        "problem",
                                        "slices_why",
                                        "seed",
                                        "precision",
                                        "kernel_set",
                                        "correct",
                                        "check",
                                        "flops",
                                        "predicted_flops_per_s",
                                        "closed_form",
                                        "model",
                                        "wall",
                                        "determinism"};
    static const char *const empty[] = {"warnings", "found"};
    struct world w = ran("up", 1, (struct htmt_options){.threads = 1});
    json_t *o = object(w.e);
    for (unsigned i = 0; i < sizeof nulls / sizeof *nulls; i++)
        cr_expect(json_is_null(json_object_get(o, nulls[i])), "%s", nulls[i]);
    for (unsigned i = 0; i < sizeof empty / sizeof *empty; i++)
        cr_expect(json_is_array(json_object_get(o, empty[i])) &&
                      !json_array_size(json_object_get(o, empty[i])),
                  "%s", empty[i]);
    cr_expect(json_is_null(json_object_get(o, "explanation")));
    cr_expect(json_is_null(json_object_get(o, "lint")));
    json_decref(o);
    world_close(&w);
}

/* ---- runs that failed, and calls that are refused -------------------------------------------- */

Test(report_library, a_deadlock_is_printed_before_the_report_of_an_incomplete_run)
{
    struct world w = stuck();
    struct printed deadlock = print(htmt_deadlock_print, w.e), p = print(htmt_report_print, w.e);
    cr_assert_eq(p.rc, 0);
    cr_expect_eq(strncmp(p.text, deadlock.text, deadlock.size), 0, "%s", p.text);
    cr_expect_not_null(strstr(p.text, "\nINCOMPLETE: "), "%s", p.text);
    json_t *o = object(w.e);
    cr_expect(json_is_false(json_object_get(o, "complete")));
    cr_expect_str_eq(json_string_value(json_object_get(json_object_get(o, "error"), "code")),
                     "EDEADLOCK");
    json_decref(o);
    free(p.text);
    free(deadlock.text);
    world_close(&w);
}

static int (*const calls[])(const struct htmt_emulator *e, FILE *out) = {
    htmt_report_print,   htmt_report_json,        htmt_report_bottlenecks,
    htmt_report_summary, htmt_report_explanation, htmt_report_lint};
enum { CALLS = sizeof calls / sizeof *calls };

Test(report_library, without_an_emulator_that_ran_nothing_is_printed)
{
    struct world_spec s = world_plain(1);
    struct world w = world_open(&s, asked);
    struct htmt_limit_report limit;
    start(&w, "up", 1);
    for (unsigned i = 0; i < CALLS; i++) {
        refuses(calls[i], NULL);
        refuses(calls[i], w.e);
        cr_expect_eq(calls[i](w.e, NULL), HTMT_EINVAL);
    }
    cr_expect_eq(htmt_limit_count(NULL) + htmt_limit_count(w.e), 0);
    cr_expect_eq(htmt_limit_at(w.e, 0, &limit), HTMT_EINVAL);
    world_close(&w);
}

static int from_control[CALLS];

static void look(struct htmt_context *c)
{
    for (unsigned i = 0; i < CALLS; i++)
        from_control[i] = calls[i](htmt_emulator_of(c), stderr);
}

Test(report_library, nor_of_an_emulator_that_runs)
{
    struct world_spec s = world_plain(1);
    struct world w = world_open(&s, asked);
    struct htmt_type *type = world_type(
        &w, (struct htmt_type_desc){
                .name = "looks", .home = "dram", .exec = "cram", .execute = {.control = look}});
    world_start(&w, (struct htmt_parcel_desc){.type = type});
    world_run(&w);
    for (unsigned i = 0; i < CALLS; i++)
        cr_expect_eq(from_control[i], HTMT_EINVAL, "call %u", i);
    world_close(&w);
}

Test(report_library, an_emulator_that_was_not_asked_cannot_explain)
{
    struct world w = ran("up", 1, (struct htmt_options){.mode = HTMT_MODEL});
    refuses(htmt_report_explanation, w.e);
    refuses(htmt_report_lint, w.e);
    world_close(&w);
}

Test(report_library, a_full_device_is_an_error)
{
    struct world w = ran("up", 1, asked);
    FILE *full = fopen("/dev/full", "w");
    cr_assert_not_null(full);
    setvbuf(full, NULL, _IONBF, 0);
    cr_expect_eq(htmt_report_print(w.e, full), HTMT_EIO);
    cr_expect_eq(htmt_report_json(w.e, full), HTMT_EIO);
    fclose(full);
    world_close(&w);
}

/* ---- at once --------------------------------------------------------------------------------- */

static void *report_all(void *user)
{
    struct world *own = user;
    struct world w = own->e ? *own : ran("up", 50, (struct htmt_options){.threads = 2});
    struct printed p = print(htmt_report_print, w.e), o = print(htmt_report_json, w.e);
    cr_assert(!p.rc && !o.rc);
    free(o.text);
    if (!own->e)
        world_close(&w);
    return p.text;
}

/* Both reports have the same bytes but for the peak of host memory, which model runs do not have.
 */
static void twice(struct world *of)
{
    pthread_t thread[2];
    void *text[2];
    for (int i = 0; i < 2; i++)
        cr_assert_eq(pthread_create(&thread[i], NULL, report_all, of), 0);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(pthread_join(thread[i], &text[i]), 0);
    if (of->e)
        cr_expect_str_eq(text[0], text[1]);
    free(text[0]);
    free(text[1]);
}

Test(report_library, two_emulators_are_reported_at_once, .timeout = 60)
{
    struct world none = {NULL, NULL};
    for (int i = 0; i < 10; i++)
        twice(&none);
}

Test(report_library, one_emulator_is_reported_twice_at_once, .timeout = 60)
{
    struct world w = ran("up", 50, asked);
    for (int i = 0; i < 10; i++)
        twice(&w);
    world_close(&w);
}
