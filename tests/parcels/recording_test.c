/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Recordings: nothing is lost, nothing changes, and the same bytes come whatever the host does.
 */
#include "tests/parcels/recording.h"

#include "parcels/path.h"
#include "tests/files/place.h"

/* A program from a seed, and its trace. */
struct play {
    struct program_outcome out;
    struct trace trace;
    char *bytes; /* of the file */
    size_t size;
};

static struct play play(uint64_t seed, bool known, uint32_t sections, struct htmt_options o,
                        struct htmt_recording recording)
{
    struct program p;
    struct play play = {0};
    char path[64];
    trace_path(path);
    recording.path = path;
    o.recording = &recording;
    program_open(&p, seed, known, 40, o);
    p.sections = sections;
    int rc = htmt_emulator_run(p.w.e);
    cr_assert(!rc || (o.checked && (rc == HTMT_ELEFT || rc == HTMT_EORDER)), "%s",
              htmt_emulator_fault(p.w.e)->text);
    play.bytes = file_content(path, &play.size);
    play.trace = trace_read(path);
    if (!play.trace.info->filtered)
        trace_sums_equal(&play.trace, p.w.e);
    play.out = program_close(&p);
    return play;
}

static void play_close(struct play *p)
{
    trace_close(&p->trace);
    free(p->bytes);
}

static struct program_outcome play_alone(uint64_t seed, bool known, uint32_t sections,
                                         struct htmt_options o)
{
    struct program p;
    program_open(&p, seed, known, 40, o);
    p.sections = sections;
    cr_assert_eq(htmt_emulator_run(p.w.e), 0, "%s", htmt_emulator_fault(p.w.e)->text);
    return program_close(&p);
}

static const struct htmt_recording all = {0};

static bool same(const struct play *a, const struct play *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* Steps may have other numbers. */
static bool same_interval(const struct trace *a, const struct trace *b, uint32_t slice, uint64_t at)
{
    const struct htmt_trace_interval *x = &a->of[slice][at], *y = &b->of[slice][at];
    const struct htmt_trace_step *u = &a->info->step[x->step], *v = &b->info->step[y->step];
    return x->end == y->end && x->service == y->service && x->wait == y->wait &&
           x->serial == y->serial && x->cause == y->cause && x->line == y->line &&
           u->stage == v->stage && u->place == v->place && u->resource == v->resource &&
           u->layer == v->layer && strcmp(u->type, v->type) == 0;
}

static bool same_intervals(const struct trace *a, const struct trace *b)
{
    bool equal = true;
    for (uint32_t s = 0; s < TRACE_SLICES; s++) {
        equal &= a->count[s] == b->count[s];
        for (uint64_t i = 0; equal && i < a->count[s]; i++)
            equal &= same_interval(a, b, s, i);
    }
    return equal;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Sections begin in the middle of most of these. */
Test(recording, changes_no_history_also_beside_the_other_probes, .timeout = 120)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        bool known = seed % 2;
        struct htmt_options o = {.mode = known ? HTMT_MODEL : HTMT_RUN, .threads = 1};
        struct program_outcome none = play_alone(seed, known, 0, o);
        o.explain = seed % 4 < 2;
        struct play recorded = play(seed, known, 3, o, all);
        cr_assert_eq(none.hash, recorded.out.hash, "seed %u", (unsigned)seed);
        cr_assert_eq(none.predicted, recorded.out.predicted, "seed %u", (unsigned)seed);
        cr_assert_eq(none.events, recorded.out.events, "seed %u", (unsigned)seed);
        cr_assert_eq(none.bytes, recorded.out.bytes, "seed %u", (unsigned)seed);
        cr_assert_eq(recorded.trace.info->history_hash, none.hash);
        cr_assert(recorded.trace.info->complete);
        play_close(&recorded);
    }
}

Test(recording, the_path_along_causes_and_lines_is_the_predicted_time, .timeout = 120)
{
    for (uint64_t seed = 1; seed <= 80; seed++) {
        bool known = seed % 2;
        struct htmt_options o = {.mode = known ? HTMT_MODEL : HTMT_RUN, .threads = 1};
        struct play p = play(seed, known, 0, o, all);
        cr_assert_neq(p.trace.info->last, HTMT_TRACE_NONE);
        cr_assert_eq(trace_path_time(&p.trace), p.out.predicted, "seed %u", (unsigned)seed);
        play_close(&p);
    }
}

/* What brought an interval ended before it could wait, but for what left before its tail; what it
 * waited for ended before it began. */
Test(recording, no_interval_begins_before_its_cause, .timeout = 120)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct play p = play(seed, true, 0, (struct htmt_options){.mode = HTMT_MODEL}, all);
        const struct trace *t = &p.trace;
        for (uint32_t s = 0; s < TRACE_SLICES; s++)
            for (uint64_t k = 0; k < t->count[s]; k++) {
                const struct htmt_trace_interval *i = &t->of[s][k];
                const struct htmt_trace_interval *cause =
                    i->cause == HTMT_TRACE_NONE ? NULL : trace_at(t, i->cause);
                htmt_time start = i->end - i->service;
                bool received = t->info->step[i->step].place == HTMT_TRACE_RECEIVED;
                cr_assert(!i->wait || i->line != HTMT_TRACE_NONE);
                cr_assert(!i->wait || trace_at(t, i->line)->end <= start);
                cr_assert(!cause ||
                          (received ? cause->end - cause->service : cause->end) <= start - i->wait);
            }
        play_close(&p);
    }
}

Test(recording, has_the_same_bytes_for_any_threads_and_delays, .timeout = 120)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct play one = play(seed, false, 2, (struct htmt_options){.threads = 1}, all);
        struct play two =
            play(seed, false, 2, (struct htmt_options){.threads = 2, .delay_seed = seed}, all);
        struct play eight =
            play(seed, false, 2, (struct htmt_options){.threads = 8, .delay_seed = seed + 1}, all);
        cr_assert(same(&one, &two) && same(&one, &eight), "seed %u", (unsigned)seed);
        play_close(&one);
        play_close(&two);
        play_close(&eight);
    }
}

/* It fails when mail is left over, and meets the roots slice by slice. */
Test(recording, of_a_checked_run_has_the_same_intervals, .timeout = 120)
{
    unsigned complete = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct htmt_options o = {.threads = 1};
        struct play plain = play(seed, false, 0, o, all);
        o.checked = true;
        struct play checked = play(seed, false, 0, o, all);
        complete += checked.trace.info->complete;
        cr_assert(!checked.trace.info->complete || same_intervals(&plain.trace, &checked.trace),
                  "seed %u", (unsigned)seed);
        play_close(&plain);
        play_close(&checked);
    }
    cr_assert_gt(complete, 0);
}

/* ---- a part of it ---------------------------------------------------------------------------- */

struct keep {
    const struct htmt_recording *o;
    const struct htmt_trace_info *info;
};

static bool kept(const struct keep *k, uint32_t slice, const struct htmt_trace_interval *i)
{
    const struct htmt_trace_step *step = &k->info->step[i->step];
    const struct htmt_recording *o = k->o;
    if (o->slice_ranges && (slice < o->slices[0].first || slice > o->slices[0].last))
        return false;
    if (o->to && (i->end < o->from || i->end - i->service - i->wait > o->to))
        return false;
    if (step->place == HTMT_TRACE_SECTION)
        return true;
    if (o->layers && step->layer != UINT32_MAX && !(o->layers >> step->layer & 1))
        return false;
    bool named = !o->type_count;
    for (uint32_t t = 0; t < o->type_count; t++)
        named |= strcmp(step->type, o->types[t]) == 0;
    return named;
}

/* In each slice those that fulfil the condition, in their order. */
static void is_part(uint64_t seed, struct htmt_recording o)
{
    struct htmt_options model = {.mode = HTMT_MODEL};
    struct play whole = play(seed, true, 2, model, all), part = play(seed, true, 2, model, o);
    const struct keep k = {&o, whole.trace.info};
    uint64_t left_out = 0;
    cr_assert(part.trace.info->filtered);
    for (uint32_t s = 0; s < TRACE_SLICES; s++) {
        uint64_t next = 0;
        for (uint64_t i = 0; i < whole.trace.count[s]; i++) {
            const struct htmt_trace_interval *a = &whole.trace.of[s][i];
            if (!kept(&k, s, a)) {
                left_out++;
                continue;
            }
            cr_assert_lt(next, part.trace.count[s]);
            const struct htmt_trace_interval *b = &part.trace.of[s][next++];
            cr_assert(a->end == b->end && a->service == b->service && a->wait == b->wait &&
                          a->serial == b->serial,
                      "seed %u, slice %u, interval %llu", (unsigned)seed, s, (unsigned long long)i);
        }
        cr_assert_eq(next, part.trace.count[s], "slice %u", s);
    }
    cr_assert_gt(left_out, 0);
    cr_assert_gt(part.trace.info->intervals, 0);
    cr_assert_eq(part.trace.info->intervals + left_out, whole.trace.info->intervals);
    play_close(&whole);
    play_close(&part);
}

Test(recording, of_some_slices_layers_types_or_times_is_a_part_of_the_whole, .timeout = 120)
{
    static const struct htmt_slice_range range = {0, 0};
    static const char *const type[] = {"random 0", "random 1"}, *const put = "(put)";
    for (uint64_t seed = 3; seed <= 5; seed++) {
        is_part(seed, (struct htmt_recording){.slices = &range, .slice_ranges = 1});
        is_part(seed, (struct htmt_recording){.layers = 1u << SRAM});
        is_part(seed, (struct htmt_recording){.types = type, .type_count = 2});
        is_part(seed, (struct htmt_recording){.types = &put, .type_count = 1});
        is_part(seed, (struct htmt_recording){.from = 200 * NS, .to = 900 * NS});
    }
}

/* ---- how it ends ----------------------------------------------------------------------------- */

COST(work_cost, ops->n[HTMT_CYCLE] = 60)

static struct htmt_type *worker(struct world *w, unsigned gates)
{
    return TYPE(w, .name = "worker", .home = "sram", .exec = "cram", .gates = gates,
                .execute = {.cost = work_cost});
}

static void start(struct world *w, const struct htmt_type *t, struct htmt_object *o)
{
    struct htmt_region r = {.from = htmt_in(o, 0), .bytes = 160};
    START(w, .type = t, .regions = &r, .region_count = 1);
}

static unsigned open_at(const struct trace *t, enum htmt_trace_place place, htmt_time wait)
{
    unsigned found = 0;
    for (uint64_t i = 0; i < t->count[0]; i++) {
        const struct htmt_trace_interval *v = &t->of[0][i];
        bool is = v->open && t->info->step[v->step].place == place;
        found += is && v->end == t->info->end && v->wait == wait;
    }
    return found;
}

/* The first holds CRAM and waits for a call that never comes; the second waits for its words. */
Test(recording, of_a_deadlock_tells_who_waits_for_what)
{
    char path[64];
    struct world_spec s = world_plain(1);
    s.capacity[CRAM] = 20;
    trace_path(path);
    struct htmt_recording recording = {.path = path};
    struct world w = OPEN(&s, .mode = HTMT_MODEL, .recording = &recording);
    struct htmt_object *o = world_object(&w, 0, SRAM, 160, "source");
    struct htmt_type *t = worker(&w, HTMT_GATE(HTMT_EXECUTE));
    start(&w, t, o);
    start(&w, t, o);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_EDEADLOCK);
    struct trace trace = trace_read(path);
    cr_assert(!trace.info->complete);
    cr_assert_str_eq(trace.info->fault, htmt_emulator_fault(w.e)->text);
    cr_assert_eq(trace.info->end, 20 * NS);
    cr_assert_gt(trace.info->open_lines, 2);
    cr_assert_eq(open_at(&trace, HTMT_TRACE_GATE, 0), 1);
    cr_assert_eq(open_at(&trace, HTMT_TRACE_STALLED, 20 * NS), 1);
    trace_sums_equal(&trace, w.e);
    trace_close(&trace);
    world_close(&w);
}

static bool at_once(void *user)
{
    (void)user;
    return true;
}

/* Many, of which one is served after the other. */
static void start_many(struct world *w)
{
    struct htmt_type *t =
        TYPE(w, .name = "cell", .home = "cram", .exec = "cram", .execute = {.cost = work_cost});
    for (unsigned i = 0; i < 70000; i++)
        START(w, .type = t);
}

/* It is asked between two events: one is in service, the others in line, since time 0. */
Test(recording, of_a_cancelled_run_ends_there)
{
    char path[64];
    struct world_spec s = world_plain(1);
    trace_path(path);
    struct htmt_recording recording = {.path = path};
    struct world w = OPEN(&s, .mode = HTMT_MODEL, .cancelled = at_once, .recording = &recording);
    start_many(&w);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_ECANCELLED);
    struct trace trace = trace_read(path);
    cr_assert(!trace.info->complete);
    cr_assert_eq(trace.info->end, htmt_predicted(w.e));
    cr_assert_gt(open_at(&trace, HTMT_TRACE_SERVED, htmt_predicted(w.e)), 1);
    trace_sums_equal(&trace, w.e);
    trace_close(&trace);
    world_close(&w);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void refused(struct htmt_recording recording, int code, const char *words)
{
    struct world_spec s = world_plain(2);
    struct htmt_machine *m = world_machine(&s);
    struct htmt_emulator *e = NULL;
    struct htmt_fault fault = {0};
    struct htmt_options o = {.machine = m, .mode = HTMT_MODEL, .recording = &recording};
    cr_assert_eq(htmt_emulator_create(&e, &o, &fault), code, "%s", fault.text);
    cr_assert(strstr(fault.text, words), "%s", fault.text);
    cr_assert_null(e);
    htmt_machine_destroy(&m);
}

Test(recording, that_cannot_be_made_is_refused)
{
    static const struct htmt_slice_range outside = {1, 2}, reversed = {1, 0};
    refused((struct htmt_recording){0}, HTMT_EINVAL, "without a path");
    refused((struct htmt_recording){.path = "/nowhere/x"}, HTMT_ENOENT, "no folder '/nowhere'");
    refused((struct htmt_recording){.path = "x", .about = "[]"}, HTMT_EINVAL, "a JSON object");
    refused((struct htmt_recording){.path = "x", .layers = 8}, HTMT_EINVAL, "layers 0x8");
    refused((struct htmt_recording){.path = "x", .from = 2, .to = 1}, HTMT_EINVAL, "earlier one");
    refused((struct htmt_recording){.path = "x", .slices = &outside, .slice_ranges = 1},
            HTMT_EINVAL, "slices 1 to 2, expected some of 0 to 1");
    refused((struct htmt_recording){.path = "x", .slices = &reversed, .slice_ranges = 1},
            HTMT_EINVAL, "slices 1 to 0");
    refused((struct htmt_recording){.path = "x", .slice_ranges = 1}, HTMT_EINVAL, "(NULL)");
    refused((struct htmt_recording){.path = "x", .size = 7}, HTMT_EINVAL, "htmt_recording");
}

/* Types are known when the run begins. */
Test(recording, of_a_type_that_is_not_there_leaves_no_file)
{
    char path[64];
    static const char *const name = "nobody";
    struct world_spec s = world_plain(1);
    trace_path(path);
    struct htmt_recording recording = {.path = path, .types = &name, .type_count = 1};
    struct world w = OPEN(&s, .mode = HTMT_MODEL, .recording = &recording);
    worker(&w, 0);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_EINVAL);
    cr_assert(strstr(htmt_emulator_fault(w.e)->text, "type 'nobody'"), "%s",
              htmt_emulator_fault(w.e)->text);
    cr_assert(strstr(htmt_emulator_fault(w.e)->text, "worker"));
    world_close(&w);
    cr_assert_neq(access(path, F_OK), 0);
}

Test(recording, without_a_run_leaves_no_file)
{
    char path[64];
    struct world_spec s = world_plain(1);
    trace_path(path);
    struct htmt_recording recording = {.path = path};
    struct world w = OPEN(&s, .mode = HTMT_MODEL, .recording = &recording);
    world_close(&w);
    cr_assert_neq(access(path, F_OK), 0);
}

/* The disk is full: the run ends with one line, without a file. */
Test(recording, that_cannot_be_written_ends_the_run)
{
    struct world_spec s = world_plain(1);
    struct htmt_recording recording = {.path = "/dev/full"};
    struct world w = OPEN(&s, .mode = HTMT_MODEL, .recording = &recording);
    start_many(&w);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_EIO);
    cr_assert(strstr(htmt_emulator_fault(w.e)->text, "/dev/full: cannot write"), "%s",
              htmt_emulator_fault(w.e)->text);
    world_close(&w);
}

Test(recording, a_second_one_to_the_same_path_is_refused_while_the_first_is_under_way)
{
    char path[64];
    trace_path(path);
    struct world_spec s = world_plain(1);
    struct htmt_recording recording = {.path = path};
    struct htmt_machine *m = world_machine(&s);
    struct htmt_options o = {.machine = m, .mode = HTMT_MODEL, .recording = &recording};
    struct htmt_emulator *first = NULL, *second = NULL;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt_emulator_create(&first, &o, NULL), 0);
    cr_assert_eq(htmt_emulator_create(&second, &o, &fault), HTMT_EINVAL);
    cr_assert_not_null(strstr(fault.text, "another recording of this process"), "%s", fault.text);
    htmt_emulator_destroy(&first);
    cr_assert_eq(htmt_emulator_create(&second, &o, &fault), 0);
    htmt_emulator_destroy(&second);
    htmt_machine_destroy(&m);
}
