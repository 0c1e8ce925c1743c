/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The report of a trace has the sections and the critical path of the run. Programs are random ones
 * whose sections begin in the middle of services and waits.
 */
#include "tests/parcels/recording.h"

#include "emul/lib/trace/account.h"

struct both {
    struct htmt__results run;
    struct htmt__document trace;
    struct htmt_trace *t;
};

static void open_document(struct both *b, const char *path)
{
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt_trace_open(&b->t, path, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__trace_account(b->t, &b->trace, &fault), 0, "%s", fault.text);
    unlink(path);
}

static struct both play(uint64_t seed, uint32_t sections)
{
    struct program p;
    struct both b = {.t = NULL};
    char path[64];
    struct htmt_recording recording = {.path = path};
    bool known = seed % 2;
    struct htmt_options o = {
        .mode = known ? HTMT_MODEL : HTMT_RUN, .threads = 1, .recording = &recording};
    trace_path(path);
    program_open(&p, seed, known, 40, o);
    p.sections = sections;
    cr_assert_eq(htmt_emulator_run(p.w.e), 0, "%s", htmt_emulator_fault(p.w.e)->text);
    open_document(&b, path);
    cr_assert_eq(htmt__results_collect(p.w.e, &b.run), 0);
    program_close(&p);
    return b;
}

static void close_both(struct both *b)
{
    htmt__document_clear(&b->trace);
    htmt_trace_close(&b->t);
    htmt__results_clear(&b->run);
}

static void same_section(const struct htmt__section_time *a, const struct htmt__section_time *b,
                         unsigned seed)
{
    cr_assert_str_eq(a->name, b->name, "seed %u", seed);
    cr_assert_eq(a->time_s, b->time_s, "seed %u, %s: time", seed, a->name);
    cr_assert_eq(a->share, b->share, "seed %u, %s: share", seed, a->name);
    cr_assert_eq(a->busy_s, b->busy_s, "seed %u, %s: busy", seed, a->name);
    cr_assert_eq(a->wait_s, b->wait_s, "seed %u, %s: wait", seed, a->name);
    cr_assert_eq(a->stall_s, b->stall_s, "seed %u, %s: stall", seed, a->name);
}

Test(account, of_a_trace_has_the_sections_of_the_run, .timeout = 120)
{
    unsigned found = 0;
    for (unsigned seed = 1; seed <= 40; seed++) {
        struct both b = play(seed, 3);
        cr_assert_eq(b.run.section_count, b.trace.results.section_count, "seed %u", seed);
        for (unsigned i = 0; i < b.run.section_count; i++)
            same_section(&b.run.section[i], &b.trace.results.section[i], seed);
        found += b.run.section_count;
        close_both(&b);
    }
    cr_assert_gt(found, 80);
}

Test(account, of_a_run_without_sections_has_none)
{
    struct both b = play(1, 0);
    cr_assert_eq(b.run.section_count, 0);
    cr_assert_eq(b.trace.results.section_count, 0);
    close_both(&b);
}

/* The parts are those of trace_path: a moment within a service can be of another cause. */
Test(account, of_a_trace_has_a_critical_path_that_adds_up_to_the_run, .timeout = 120)
{
    for (unsigned seed = 1; seed <= 40; seed++) {
        struct both b = play(seed, 0);
        const struct htmt__explanation *x = &b.trace.explanation;
        htmt_time causes = 0, parts = 0;
        for (unsigned i = 0; i < HTMT_PATH_CAUSES; i++)
            causes += x->sum[i];
        for (unsigned i = 0; i < x->count; i++)
            parts += x->cause[i].time;
        cr_assert(x->made);
        cr_assert_eq(x->predicted, b.run.predicted, "seed %u", seed);
        cr_assert_eq(causes, b.run.predicted, "seed %u", seed);
        cr_assert_eq(parts, b.run.predicted, "seed %u", seed);
        close_both(&b);
    }
}
