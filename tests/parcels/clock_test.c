/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Slices that are played one by one in windows have the times, histories, reports and failures of
 * the sequential clock.
 */
#include "tests/parcels/accounts.h"
#include "tests/parcels/program.h"

static struct htmt_options sequential(void)
{
    return (struct htmt_options){.mode = HTMT_MODEL, .clock = HTMT_CLOCK_SEQUENTIAL};
}

/* From 1 fs to as wide as the lookahead. */
static struct htmt_options windows(uint64_t *draw)
{
    static const unsigned bits[] = {0, 1, 8, 15, 20, 23, 26};
    uint64_t most = UINT64_C(1) << bits[world_random(draw) % 7];
    return (struct htmt_options){
        .mode = HTMT_MODEL,
        .window_most = world_random(draw) % 3 ? (htmt_time)(most + world_random(draw) % most) : 0};
}

static bool by_windows(const struct htmt_emulator *e)
{
    struct htmt_clock_report r;
    htmt_clock_report(e, &r);
    cr_assert(r.in_order ? !r.windows && !r.lookahead : r.lookahead > 0);
    return !r.in_order;
}

static void same_notes(const struct htmt_emulator *a, const struct htmt_emulator *b)
{
    cr_assert_eq(htmt_note_count(a), htmt_note_count(b));
    for (uint32_t i = 0; i < htmt_note_count(a); i++)
        cr_expect_str_eq(htmt_note_at(a, i), htmt_note_at(b, i));
}

static void same_sections(const struct htmt_emulator *a, const struct htmt_emulator *b)
{
    cr_assert_eq(htmt_section_count(a), htmt_section_count(b));
    for (uint32_t i = 0; i < htmt_section_count(a); i++) {
        struct htmt_section_report x, y;
        htmt_section_at(a, i, &x);
        htmt_section_at(b, i, &y);
        cr_expect_str_eq(x.name, y.name);
        cr_expect(x.busy == y.busy, "section %s: busy %lld and %lld", x.name, (long long)x.busy,
                  (long long)y.busy);
        cr_expect(x.waited == y.waited, "section %s: waited %lld and %lld", x.name,
                  (long long)x.waited, (long long)y.waited);
        cr_expect(x.stalled == y.stalled, "section %s: stalled", x.name);
        cr_expect(x.time == y.time, "section %s: time", x.name);
    }
}

static void same_runs(const struct htmt_emulator *a, const struct htmt_emulator *b)
{
    same_accounts(a, b);
    cr_assert_eq(htmt_history_hash(a), htmt_history_hash(b));
    cr_assert_eq(htmt_event_count(a), htmt_event_count(b));
    cr_assert_str_eq(htmt_emulator_fault(a)->text, htmt_emulator_fault(b)->text);
    same_notes(a, b);
    same_sections(a, b);
}

/* ---- random programs ------------------------------------------------------------------------- */

static void run_program(struct program *p, uint64_t seed, unsigned sections, bool checked,
                        struct htmt_options o)
{
    uint64_t draw = seed, more = seed;
    struct world_spec s = program_spec(&draw);
    if (seed % 3 == 0)
        s.hub_mwords[VORTEX] = (unsigned)world_between(&more, 300, 2000);
    if (seed % 5 == 0)
        s.hub_mwords[CNET] = (unsigned)world_between(&more, 300, 2000);
    if (seed % 7 == 0)
        s.stream_mwords[seed % LAYERS] = 700;
    o.checked = checked;
    program_open_on(p, &s, draw, true, 60, o);
    p->sections = sections;
    int rc = htmt_emulator_run(p->w.e); /* a checked one minds what is left over */
    cr_assert(rc == 0 || (checked && rc == HTMT_ELEFT), "seed %u: %s", (unsigned)seed,
              htmt_emulator_fault(p->w.e)->text);
}

static unsigned compare_programs(uint64_t first, uint64_t last, unsigned sections, bool checked)
{
    unsigned by = 0;
    for (uint64_t seed = first; seed <= last; seed++) {
        static struct program a, b;
        uint64_t draw = seed;
        run_program(&a, seed, sections, checked, sequential());
        run_program(&b, seed, sections, checked, windows(&draw));
        by += by_windows(b.w.e);
        cr_assert_eq(htmt_history_hash(a.w.e), htmt_history_hash(b.w.e), "seed %u", (unsigned)seed);
        same_runs(a.w.e, b.w.e);
        program_close(&a);
        program_close(&b);
    }
    return by;
}

Test(clock, random_programs_are_played_alike, .timeout = 120)
{
    unsigned by = compare_programs(1, 300, 0, false);
    cr_assert_gt(by, 150, "%u by windows", by);
}

Test(clock, sections_are_the_same, .timeout = 120)
{
    compare_programs(301, 600, 4, false);
}

Test(clock, checked_programs_are_played_alike, .timeout = 120)
{
    compare_programs(601, 660, 0, true);
}
