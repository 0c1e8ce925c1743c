/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Sections: to which the time of each slice belongs, what is split, and what does not change.
 */
#include "tests/parcels/program.h"

static struct htmt_section_report named(const struct world *w, const char *name)
{
    struct htmt_section_report r = {0};
    for (uint32_t i = 0; htmt_section_at(w->e, i, &r) == 0; i++)
        if (strcmp(r.name, name) == 0)
            return r;
    cr_assert(false, "no section %s", name);
    return r;
}

static void has(const struct world *w, const char *name, int64_t busy, int64_t waited,
                int64_t stalled, int64_t time)
{
    struct htmt_section_report r = named(w, name);
    cr_assert_eq(r.busy, busy * NS, "%s: busy %lld", name, (long long)(r.busy / NS));
    cr_assert_eq(r.waited, waited * NS, "%s: waited %lld", name, (long long)(r.waited / NS));
    cr_assert_eq(r.stalled, stalled * NS, "%s: stalled %lld", name, (long long)(r.stalled / NS));
    cr_assert_eq(r.time, time * NS, "%s: time %lld", name, (long long)(r.time / NS));
}

/* ---- random programs ------------------------------------------------------------------------- */

struct seen {
    struct program_outcome out;
    uint32_t count;
    struct htmt_section_report section[16];
};

static struct seen play(uint64_t seed, bool known, uint32_t sections, bool from_root,
                        struct htmt_options o)
{
    struct program p;
    struct seen seen = {0};
    struct htmt_fault fault = {0};
    program_open(&p, seed, known, 40, o);
    p.sections = sections;
    if (from_root)
        htmt_section(htmt_root(p.w.e), "");
    cr_assert_eq(htmt_emulator_run(p.w.e), 0, "%s", htmt_emulator_fault(p.w.e)->text);
    cr_assert_eq(htmt_audit(p.w.e, &fault), 0, "seed %u: %s", (unsigned)seed, fault.text);
    seen.count = htmt_section_count(p.w.e);
    for (uint32_t i = 0; i < seen.count; i++)
        cr_assert_eq(htmt_section_at(p.w.e, i, &seen.section[i]), 0);
    seen.out = program_close(&p);
    return seen;
}

static void equal(const struct seen *a, const struct seen *b, uint64_t seed)
{
    cr_assert_eq(a->count, b->count, "seed %u", (unsigned)seed);
    for (uint32_t i = 0; i < a->count; i++) {
        const struct htmt_section_report *x = &a->section[i], *y = &b->section[i];
        cr_assert_str_eq(x->name, y->name);
        cr_assert(x->busy == y->busy && x->waited == y->waited && x->stalled == y->stalled &&
                      x->time == y->time,
                  "seed %u, section %s", (unsigned)seed, x->name);
    }
}

/* The accounts of each section are in the audit. */
Test(section, sums_equal_totals_and_the_history_stays, .timeout = 120)
{
    unsigned declared = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        bool known = seed % 2;
        struct htmt_options o = {.mode = known ? HTMT_MODEL : HTMT_RUN, .threads = 1};
        struct seen none = play(seed, known, 0, false, o), some = play(seed, known, 5, false, o);
        cr_assert_eq(none.count, 0);
        declared += some.count > 2;
        cr_assert_eq(none.out.hash, some.out.hash, "seed %u", (unsigned)seed);
        cr_assert_eq(none.out.predicted, some.out.predicted, "seed %u", (unsigned)seed);
        cr_assert_eq(none.out.events, some.out.events, "seed %u", (unsigned)seed);
        cr_assert_eq(none.out.bytes, some.out.bytes, "seed %u", (unsigned)seed);
    }
    cr_assert_gt(declared, 40, "%u programs declared several", declared);
}

/* Declared before the run, all is seen; else what was on its way is looked up. */
Test(section, it_does_not_matter_when_the_first_one_is_declared, .timeout = 120)
{
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct htmt_options o = {.mode = HTMT_MODEL};
        struct seen late = play(seed, true, 3, false, o), root = play(seed, true, 3, true, o);
        o.clock = HTMT_CLOCK_WINDOWS;
        struct seen windows = play(seed, true, 3, false, o);
        if (!late.count)
            continue;
        equal(&late, &root, seed);
        equal(&late, &windows, seed);
    }
}

Test(section, threads_modes_clocks_and_checks_change_nothing, .timeout = 120)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct seen model = play(seed, true, 4, false, (struct htmt_options){.mode = HTMT_MODEL});
        struct seen windows =
            play(seed, true, 4, false,
                 (struct htmt_options){.mode = HTMT_MODEL, .clock = HTMT_CLOCK_WINDOWS});
        struct seen one = play(seed, true, 4, false, (struct htmt_options){.threads = 1});
        struct seen many =
            play(seed, true, 4, false, (struct htmt_options){.threads = 3, .delay_seed = seed});
        struct seen why = play(seed, true, 4, false, (struct htmt_options){.explain = true});
        struct seen unknown = play(seed, false, 4, false, (struct htmt_options){.threads = 1});
        struct seen several =
            play(seed, false, 4, false, (struct htmt_options){.threads = 8, .delay_seed = seed});
        equal(&model, &windows, seed);
        equal(&model, &one, seed);
        equal(&model, &many, seed);
        equal(&model, &why, seed);
        equal(&unknown, &several, seed);
    }
}

/* ---- made by hand ---------------------------------------------------------------------------- */

struct task {
    uint64_t before, work, after; /* cycles */
    const char *first, *second;   /* sections that begin before and after the kernel */
};

COST(task_cost, ops->n[HTMT_CYCLE] = ((const struct task *)args)->work)

static void task_control(struct htmt_context *c)
{
    const struct task *t = htmt_args(c);
    htmt_charge(c, HTMT_CYCLE, t->before);
    if (t->first)
        htmt_section(c, t->first);
    htmt_work(c);
    htmt_charge(c, HTMT_CYCLE, t->after);
    if (t->second)
        htmt_section(c, t->second);
}

static struct htmt_type *task_type(struct world *w, const char *home, const char *exec)
{
    return TYPE(w, .name = home, .home = home, .exec = exec,
                .execute = {.cost = task_cost, .control = task_control},
                .args_bytes = sizeof(struct task));
}

static void start_words(struct world *w, const struct htmt_type *t, struct htmt_object *o,
                        uint64_t words, struct task task)
{
    struct htmt_region r = {.from = htmt_in(o, 0), .bytes = 8 * words};
    START(w, .type = t, .regions = &r, .region_count = words != 0, .args = &task);
}

/* The first serves from 0 to 10 and changes at 4; the second waits till 10 and serves till 16. */
Test(section, services_and_lines_are_split_at_the_change)
{
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .mode = HTMT_MODEL);
    struct htmt_type *t = task_type(&w, "cram", "cram");
    htmt_section(htmt_root(w.e), "set-up");
    start_words(&w, t, NULL, 0, (struct task){4, 6, 0, .first = "steady"});
    start_words(&w, t, NULL, 0, (struct task){.work = 6});
    cr_assert_eq(world_run(&w), 16 * NS);
    cr_assert_eq(htmt_section_count(w.e), 3);
    has(&w, "", 0, 0, 0, 0);
    has(&w, "set-up", 4, 4, 0, 4);
    has(&w, "steady", 12, 6, 0, 12);
    world_close(&w);
}

/* Two times 20 words from 0 on over the RTI. The first section begins at 5, in DRAM. The heads come
 * 30 later, and the channel at the target needs two for a word: 30 to 70, 70 to 110. */
Test(section, what_is_on_its_way_is_split_though_none_was_declared_before)
{
    struct htmt_section_report r;
    struct world_spec s = world_plain(1);
    s.network[RTI] = (struct world_network){0, 30, 1000, 1000, 0, 1, 500};
    struct world w = OPEN(&s, .mode = HTMT_MODEL);
    struct htmt_object *o = world_object(&w, 0, SRAM, 160, "source");
    struct htmt_type *t = task_type(&w, "sram", "cram"), *dram = task_type(&w, "dram", "dram");
    start_words(&w, t, o, 20, (struct task){0});
    start_words(&w, t, o, 20, (struct task){0});
    start_words(&w, dram, NULL, 0, (struct task){.work = 5, .second = "flow"});
    cr_assert_eq(world_run(&w), 110 * NS);
    has(&w, "", 5 + 5, 5, 0, 5); /* DRAM, channel out */
    has(&w, "flow", 15 + 20 + 40 + 40, 15 + 20, 0, 105);
    cr_assert_eq(htmt_section_at(w.e, 2, &r), HTMT_EINVAL);
    world_close(&w);
}

/* Three times 20 words from 0 on over two channels: 0 to 20 twice, and 20 to 40. */
Test(section, what_several_channels_carry_is_split_at_the_first_change)
{
    struct world_spec s = world_plain(1);
    s.channels[RTI] = 2;
    struct world w = OPEN(&s, .mode = HTMT_MODEL);
    struct htmt_object *o = world_object(&w, 0, SRAM, 160, "source");
    struct htmt_type *t = task_type(&w, "sram", "cram"), *dram = task_type(&w, "dram", "dram");
    for (int i = 0; i < 3; i++)
        start_words(&w, t, o, 20, (struct task){0});
    start_words(&w, dram, NULL, 0, (struct task){.work = 5, .second = "flow"});
    cr_assert_eq(world_run(&w), 40 * NS);
    has(&w, "", 5 + 2 * 5, 5, 0, 5); /* DRAM, channels out */
    has(&w, "flow", 2 * 15 + 20, 15, 0, 35);
    world_close(&w);
}

/* CRAM has room for one: the second stalls from 0 to 60, the section changes at 25. */
Test(section, stalls_are_split_and_belong_to_a_resource)
{
    struct world_spec s = world_plain(1);
    s.capacity[CRAM] = 20;
    struct world w = OPEN(&s, .mode = HTMT_MODEL);
    struct htmt_object *o = world_object(&w, 0, SRAM, 160, "source");
    struct htmt_type *t = task_type(&w, "sram", "cram");
    htmt_wide busy = 0, waited = 0;
    start_words(&w, t, o, 20, (struct task){5, 35, 0, .first = "b"});
    start_words(&w, t, o, 20, (struct task){.work = 10});
    cr_assert_eq(world_run(&w), 90 * NS);
    has(&w, "", 25, 0, 25, 25);
    has(&w, "b", 35 + 20 + 10, 0, 35, 65);
    cr_assert_eq(htmt_section_resource_at(w.e, 1, CRAM, &busy, &waited), 0);
    cr_assert_eq(busy, 45 * NS);
    cr_assert_eq(waited, 0);
    cr_assert_eq(htmt_section_resource_at(w.e, 2, CRAM, &busy, NULL), HTMT_EINVAL);
    world_close(&w);
}

/* Both change at 10: the control that ran later says to what. One that goes back is no change. */
Test(section, of_two_changes_at_one_instant_the_last_stays)
{
    struct world_spec s = world_plain(1);
    s.servers[CRAM] = 2;
    struct world w = OPEN(&s, .mode = HTMT_MODEL);
    struct htmt_type *t = task_type(&w, "cram", "cram");
    start_words(&w, t, NULL, 0, (struct task){10, 20, 0, .first = "one", .second = ""});
    start_words(&w, t, NULL, 0, (struct task){10, 10, 0, .first = "two", .second = "two"});
    cr_assert_eq(world_run(&w), 30 * NS);
    has(&w, "", 20, 0, 0, 10);
    has(&w, "one", 0, 0, 0, 0);
    has(&w, "two", 30, 0, 0, 20);
    world_close(&w);
}

/* The second waits for space that the first, at its gate, never gives; so did both till 50. */
Test(section, a_deadlock_balances)
{
    struct world_spec s = world_plain(1);
    struct htmt_memory_report cram;
    s.capacity[CRAM] = 20;
    struct world w = OPEN(&s, .mode = HTMT_MODEL);
    struct htmt_object *o = world_object(&w, 0, SRAM, 160, "source");
    struct htmt_type *t = TYPE(&w, .name = "stays", .home = "sram", .exec = "cram",
                               .gates = HTMT_GATE(HTMT_RETIRE), .execute = {.cost = task_cost},
                               .retire = {.cost = task_cost}, .args_bytes = sizeof(struct task));
    start_words(&w, task_type(&w, "dram", "dram"), NULL, 0,
                (struct task){.work = 25, .after = 25, .first = "late"});
    start_words(&w, t, o, 20, (struct task){.work = 10});
    start_words(&w, t, o, 20, (struct task){.work = 10});
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_EDEADLOCK, "%s", htmt_emulator_fault(w.e)->text);
    cr_assert_eq(htmt_memory_at(w.e, CRAM, &cram), 0);
    cr_assert_eq(cram.stalled, 50 * NS);
    has(&w, "", 0, 0, 0, 0);
    has(&w, "late", 50 + 20 + 10, 0, 50, 50);
    world_close(&w);
}

/* ---- slices ---------------------------------------------------------------------------------- */

struct course {
    struct htmt_frame *frame;
    struct htmt_allreduce *sum;
    struct htmt_type *work;
    bool apart; /* slices send each other nothing */
};

struct course_args {
    struct course *course;
    uint32_t step;
};

static void add(void *into, const void *from, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes / 8; i++)
        ((double *)into)[i] += ((const double *)from)[i];
}

static void course_step(struct htmt_context *c)
{
    const struct course_args *a = htmt_args(c);
    const struct course *course = a->course;
    uint32_t here = htmt_slice(c);
    struct task t = {3, 5 + 2 * a->step, 1, .first = a->step % 2 ? "odd" : "even"};
    struct htmt_region r = {.from = htmt_at(course->frame, here, 0), .bytes = 320};
    struct htmt_parcel_desc d = {
        .type = course->work, .slice = here, .regions = &r, .region_count = 1, .args = &t};
    htmt_slot_set(c, 1, 2 + !course->apart, 0);
    htmt_charge(c, HTMT_CYCLE, 2);
    d.on_done = htmt_slot(c, 1);
    htmt_assemble(c, &d, NULL);
    htmt_assemble(c, &d, NULL);
    htmt_charge(c, HTMT_CYCLE, 2);
    if (!course->apart)
        htmt_allreduce(c, course->sum, htmt_slot(c, 1));
}

static void course_next(struct htmt_context *c)
{
    struct course_args *a = htmt_args(c);
    if (++a->step < 5)
        course_step(c);
    else
        htmt_retire(c, htmt_self(c));
    htmt_section(c, "between");
}

static struct seen play_course(bool apart, enum htmt_symmetry symmetry, bool from_root)
{
    static const struct htmt_stage next = {.control = course_next};
    struct world_spec s = world_plain(4);
    struct course course = {.apart = apart};
    struct seen seen = {0};
    s.capacity[CRAM] = 100;
    s.network[CNET].latency_ns = 13;
    s.network[RTI] = (struct world_network){2, 30, 1000, 1000, 0, 1, 500};
    struct world w = OPEN(&s, .mode = HTMT_MODEL, .symmetry = symmetry);
    struct htmt_frame *values;
    cr_assert_eq(htmt_frame_create(w.e, SRAM, 320, "source", &course.frame), 0);
    cr_assert_eq(htmt_frame_create(w.e, CRAM, 64, "values", &values), 0);
    if (!apart)
        cr_assert_eq(
            htmt_allreduce_create(w.e,
                                  &(struct htmt_allreduce_desc){
                                      .frame = values, .bytes = 64, .combine = add, .name = "sum"},
                                  &course.sum),
            0);
    course.work = task_type(&w, "sram", "cram");
    struct htmt_type *t = TYPE(&w, .name = "course", .home = "cram", .exec = "cram",
                               .execute = {.control = course_step}, .fibers = &next,
                               .fiber_count = 1, .args_bytes = sizeof(struct course_args));
    for (uint32_t i = 0; i < 4; i++) {
        struct course_args a = {.course = &course, .step = apart ? i % 3 : 0};
        START(&w, .type = t, .slice = i, .args = &a);
    }
    if (from_root)
        htmt_section(htmt_root(w.e), "");
    world_run(&w);
    seen.count = htmt_section_count(w.e);
    for (uint32_t i = 0; i < seen.count; i++)
        cr_assert_eq(htmt_section_at(w.e, i, &seen.section[i]), 0);
    world_close(&w);
    return seen;
}

Test(section, slice_0_stands_for_all_when_folded)
{
    struct seen all = play_course(false, HTMT_NO_SYMMETRY, false);
    struct seen one = play_course(false, HTMT_FOLDED, false);
    cr_assert_eq(all.count, 4);
    cr_assert_gt(all.section[1].stalled, 0);
    equal(&all, &one, 0);
}

/* Slices end at different times, and the last section of each lasts till all have ended. */
Test(section, slices_may_be_played_one_by_one)
{
    struct seen together = play_course(true, HTMT_NO_SYMMETRY, false);
    struct seen apart = play_course(true, HTMT_INDEPENDENT, false);
    struct seen root = play_course(true, HTMT_INDEPENDENT, true);
    cr_assert_eq(together.count, 4);
    equal(&together, &apart, 0);
    equal(&together, &root, 1);
}

/* ---- many changes ---------------------------------------------------------------------------- */

enum { LINKS = 600 }; /* of a chain of tasks, each of which changes the section */

struct link {
    struct htmt_type *type;
    uint32_t number;
};

COST(link_cost, ops->n[HTMT_CYCLE] = 10)

static void link_control(struct htmt_context *c)
{
    struct link l = *(struct link *)htmt_args(c);
    htmt_section(c, l.number % 2 ? "odd" : "even");
    htmt_work(c);
    if (++l.number < LINKS)
        ASSEMBLE(c, NULL, .type = l.type, .slice = htmt_slice(c), .args = &l);
}

/* A chain of tasks goes on from 0 to 6000. Beside it one task serves until 3000, and another one
 * waits till then and serves to the end. */
Test(section, old_changes_are_there_while_something_is_open_that_began_before)
{
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .mode = HTMT_MODEL);
    struct link l = {.type = TYPE(&w, .name = "link", .home = "cram", .exec = "cram",
                                  .execute = {.cost = link_cost, .control = link_control},
                                  .args_bytes = sizeof l)};
    struct htmt_type *t = task_type(&w, "sram", "sram");
    START(&w, .type = l.type, .args = &l);
    start_words(&w, t, NULL, 0, (struct task){.work = LINKS * 5});
    start_words(&w, t, NULL, 0, (struct task){.work = LINKS * 5});
    cr_assert_eq(world_run(&w), LINKS * 10 * NS);
    has(&w, "", 0, 0, 0, 0);
    has(&w, "even", LINKS * 10, LINKS * 5 / 2, 0, LINKS * 5);
    has(&w, "odd", LINKS * 10, LINKS * 5 / 2, 0, LINKS * 5);
    world_close(&w);
}
