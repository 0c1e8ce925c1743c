/* SPDX-License-Identifier: BSD-3-Clause
 *
 * htmt_pause(): a service that holds its server without using it. A twin of each program spends the
 * same time by htmt_delay(): every event is the same, and the time in use is longer by the pauses.
 */
#include "tests/parcels/recording.h"

struct idle {
    uint64_t work, pause; /* ns */
    const char *section;  /* after the work */
    bool twin, fails;
};

static struct idle idle_of(struct htmt_context *c)
{
    struct idle i;
    memcpy(&i, htmt_args(c), sizeof i);
    return i;
}

static void idle(struct htmt_context *c)
{
    const struct idle i = idle_of(c);
    htmt_charge(c, HTMT_CYCLE, i.work);
    if (i.section)
        htmt_section(c, i.section);
    (i.twin ? htmt_delay : htmt_pause)(c, (htmt_time)i.pause * NS);
    if (i.fails)
        htmt_fail(c, HTMT_EINVAL, "stopped");
}

static struct htmt_type *idle_type(struct world *w)
{
    return TYPE(w, .name = "idle", .home = "cram", .exec = "cram", .execute = {.control = idle},
                .args_bytes = sizeof(struct idle));
}

static htmt_wide busy_of(const struct world *w)
{
    struct htmt_resource_report r;
    cr_assert_eq(htmt_resource_at(w->e, CRAM, &r), 0);
    return r.busy;
}

struct found {
    htmt_time end, paused; /* paused: on the critical path */
    uint64_t history;
    htmt_wide busy, phase, section;
};

/* Three services of one processor follow each other: 3 + 4, 0 + 5, 6 + 0. */
static struct found three(bool twin)
{
    const struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .mode = HTMT_MODEL, .explain = true);
    struct htmt_type *t = idle_type(&w);
    struct htmt_section_report section;
    struct htmt_phase_report phase;
    struct htmt_path path;
    struct found f = {0};
    START(&w, .type = t,
          .args = &(struct idle){.work = 3, .pause = 4, .section = "late", .twin = twin});
    START(&w, .type = t, .args = &(struct idle){.pause = 5, .twin = twin});
    START(&w, .type = t, .args = &(struct idle){.work = 6, .twin = twin});
    f.end = world_run(&w);
    f.history = htmt_history_hash(w.e);
    f.busy = busy_of(&w);
    for (uint32_t i = 0; htmt_phase_at(w.e, i, &phase) == 0; i++)
        f.phase += phase.busy;
    cr_assert_eq(htmt_section_at(w.e, 1, &section), 0);
    f.section = section.busy;
    cr_assert_eq(htmt_path_find(w.e, &path), 0);
    cr_assert_eq(path.total, f.end);
    for (uint32_t i = 0; i < path.count; i++)
        if (path.part[i].place == HTMT_PATH_PAUSED) {
            cr_assert_eq(path.part[i].resource, UINT32_MAX);
            f.paused += path.part[i].time;
        }
    htmt_path_clear(&path);
    world_close(&w);
    return f;
}

Test(pause, holds_the_server_as_a_delay_does_and_does_not_use_it)
{
    const struct found pauses = three(false), delays = three(true);
    cr_assert_eq(pauses.end, (3 + 4 + 0 + 5 + 6) * NS);
    cr_assert_eq(delays.end, pauses.end);
    cr_assert_eq(delays.history, pauses.history);
    cr_assert(delays.busy == 18 * NS && pauses.busy == 9 * NS);
    cr_assert(delays.phase == 18 * NS && pauses.phase == 9 * NS);
    /* The section begins behind the first work: 15 of service are in it, of which 6 are work. */
    cr_assert(delays.section == 15 * NS && pauses.section == 6 * NS);
    cr_assert(delays.paused == 0 && pauses.paused == 9 * NS);
}

/* Slice 1 ends while slice 0 pauses. */
Test(pause, has_an_interval_of_its_own_behind_the_service)
{
    char path[64];
    trace_path(path);
    const struct world_spec s = world_plain(2);
    struct htmt_recording recording = {.path = path};
    struct world w = OPEN(&s, .mode = HTMT_MODEL, .recording = &recording);
    struct htmt_type *t = idle_type(&w);
    START(&w, .type = t, .args = &(struct idle){.work = 3, .pause = 40});
    START(&w, .type = t, .slice = 1, .args = &(struct idle){.work = 10});
    START(&w, .type = t, .slice = 1, .args = &(struct idle){.fails = true});
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_EINVAL);
    struct trace trace = trace_read(path);
    trace_sums_equal(&trace, w.e);
    unsigned found = 0;
    for (uint64_t i = 0; i < trace.count[0]; i++) {
        const struct htmt_trace_interval *at = &trace.of[0][i];
        const enum htmt_trace_place place = trace.info->step[at->step].place;
        if (place == HTMT_TRACE_SERVED)
            cr_assert(at->end == 3 * NS && at->service == 3 * NS && at->open);
        if (place == HTMT_TRACE_PAUSED)
            cr_assert(at->end == 10 * NS && at->service == 7 * NS && at->open && at->wait == 0);
        found += place == HTMT_TRACE_SERVED ? 1 : place == HTMT_TRACE_PAUSED ? 10 : 0;
    }
    cr_assert_eq(found, 11);
    trace_close(&trace);
    world_close(&w);
}

/* Who waits for the server waits for the pause, and the chain of causes goes through it. */
Test(pause, frees_the_server_for_who_waits)
{
    char path[64];
    trace_path(path);
    const struct world_spec s = world_plain(1);
    struct htmt_recording recording = {.path = path};
    struct world w = OPEN(&s, .mode = HTMT_MODEL, .recording = &recording);
    struct htmt_type *t = idle_type(&w);
    START(&w, .type = t, .args = &(struct idle){.work = 3, .pause = 40});
    START(&w, .type = t, .args = &(struct idle){.work = 2});
    cr_assert_eq(world_run(&w), 45 * NS);
    struct trace trace = trace_read(path);
    trace_sums_equal(&trace, w.e);
    const struct htmt_trace_interval *last = trace_at(&trace, trace.info->last);
    cr_assert(last->wait == 43 * NS && last->service == 2 * NS);
    const struct htmt_trace_interval *pause = trace_at(&trace, last->line);
    cr_assert_eq(trace.info->step[pause->step].place, HTMT_TRACE_PAUSED);
    cr_assert(pause->end == 43 * NS && pause->service == 40 * NS);
    const struct htmt_trace_interval *served = trace_at(&trace, pause->cause);
    cr_assert(served->end == 3 * NS && served->service == 3 * NS);
    trace_close(&trace);
    world_close(&w);
}

/* ---- what is refused ------------------------------------------------------------------------- */

CONTROL(works_behind, htmt_pause(c, NS); htmt_charge(c, HTMT_CYCLE, 1))
CONTROL(delays_behind, htmt_pause(c, NS); htmt_delay(c, 1))
CONTROL(twice, htmt_pause(c, NS); htmt_pause(c, NS))
CONTROL(below_zero, htmt_pause(c, -1))
CONTROL(nothing_behind, htmt_pause(c, 0); htmt_pause(c, NS); htmt_delay(c, 0))

static void play(void (*control)(struct htmt_context *c), const char *words)
{
    const struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .mode = HTMT_MODEL);
    struct htmt_type *t =
        TYPE(&w, .name = "wrong", .home = "cram", .exec = "cram", .execute = {.control = control});
    START(&w, .type = t);
    const int rc = htmt_emulator_run(w.e);
    cr_assert_eq(rc, words ? HTMT_EINVAL : 0);
    if (words)
        cr_assert_not_null(strstr(htmt_emulator_fault(w.e)->text, words), "%s",
                           htmt_emulator_fault(w.e)->text);
    world_close(&w);
}

Test(pause, is_the_last_time_of_its_service)
{
    play(works_behind, "time behind htmt_pause(), expected none");
    play(delays_behind, "time behind htmt_pause(), expected none");
    play(twice, "time behind htmt_pause(), expected none");
    play(below_zero, "htmt_pause() of -1 fs, expected 0 or more");
    play(nothing_behind, NULL);
}
