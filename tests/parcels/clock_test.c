/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Slices that are played one by one in windows have the times, histories, reports and failures of
 * the sequential clock.
 */
#include "parcels/clock/engine.h"
#include "parcels/clock/window.h"
#include "tests/parcels/accounts.h"
#include "tests/parcels/program.h"
#include "tests/parcels/risk.h"
#include "tests/runtime/share.h"

static struct htmt_options sequential(void)
{
    return (struct htmt_options){.mode = HTMT_MODEL, .clock = HTMT_CLOCK_SEQUENTIAL};
}

static struct htmt_options as_wide_as_can_be(void)
{
    return (struct htmt_options){.mode = HTMT_MODEL, .clock = HTMT_CLOCK_WINDOWS};
}

/* From 1 fs to as wide as the lookahead. */
static struct htmt_options windows(uint64_t *draw)
{
    static const unsigned bits[] = {0, 1, 8, 15, 20, 23, 26};
    uint64_t most = UINT64_C(1) << bits[world_random(draw) % 7];
    return (struct htmt_options){
        .mode = HTMT_MODEL,
        .clock = HTMT_CLOCK_WINDOWS,
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
    cr_assert(rc == 0 || (checked && (rc == HTMT_ELEFT || rc == HTMT_EORDER)), "seed %u: %s",
              (unsigned)seed, htmt_emulator_fault(p->w.e)->text);
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
    unsigned by = compare_programs(1, share_of(300), 0, false);
    cr_assert_gt(by, share_of(150), "%u by windows", by);
}

/* In slice 0 a message that enters no history lets a fiber of an earlier number end at the instant
 * at which another message of that slice arrives. */
Test(clock, what_follows_at_once_comes_behind_what_it_follows)
{
    compare_programs(20048, 20048, 0, false);
}

Test(clock, sections_are_the_same, .timeout = 120)
{
    compare_programs(301, 300 + share_of(300), 4, false);
}

Test(clock, checked_programs_are_played_alike, .timeout = 120)
{
    compare_programs(601, 600 + share_of(60), 0, true);
}

/* ---- failures -------------------------------------------------------------------------------- */

/* Failures of both kinds of runs, of those that fail. */
static unsigned compare_risks(enum htmt_symmetry symmetry, uint64_t seeds)
{
    unsigned failed = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        uint64_t draw = seed;
        struct world a = risk_run(seed, symmetry, sequential());
        struct world b = risk_run(seed, symmetry, windows(&draw));
        const struct htmt_fault *x = htmt_emulator_fault(a.e), *y = htmt_emulator_fault(b.e);
        cr_assert(by_windows(b.e));
        cr_assert_eq(x->code, y->code);
        cr_assert_str_eq(x->text, y->text, "seed %u: %s, not %s", (unsigned)seed, y->text, x->text);
        cr_assert_eq(htmt_predicted(a.e), htmt_predicted(b.e), "seed %u", (unsigned)seed);
        if (!x->code)
            same_runs(a.e, b.e);
        failed += x->code != 0;
        world_close(&a);
        world_close(&b);
    }
    return failed;
}

Test(clock, the_first_failure_of_all_slices_is_told, .timeout = 120)
{
    const unsigned cases = only_memory() ? 200 : 4000;
    unsigned failed = compare_risks(HTMT_NO_SYMMETRY, cases);
    cr_assert_gt(failed, cases / 2, "%u failed", failed);
}

Test(clock, independent_slices_fail_one_after_another, .timeout = 120)
{
    unsigned failed = compare_risks(HTMT_INDEPENDENT, share_of(1000));
    cr_assert_gt(failed, share_of(500), "%u failed", failed);
}

/* ---- what is left over ----------------------------------------------------------------------- */

static void half_count(struct htmt_context *c)
{
    htmt_charge(c, HTMT_CYCLE, ((const struct world_work *)htmt_args(c))->execute);
    htmt_slot_set(c, 1, 2 + htmt_slice(c), 0);
    htmt_signal(c, htmt_slot(c, 1));
    htmt_retire(c, htmt_self(c));
}

static void nothing(struct htmt_context *c)
{
    (void)c;
}

static struct world run_halves(uint64_t seed, struct htmt_options o)
{
    static const struct htmt_stage fiber = {.control = nothing};
    struct world_spec s = world_plain(5);
    for (int n = 0; n < NETWORKS; n++)
        s.network[n].latency_ns = 100;
    struct world w = world_open(&s, o);
    struct htmt_type *t =
        TYPE(&w, .name = "half", .home = "cram", .exec = "cram", .execute = {.control = half_count},
             .fibers = &fiber, .fiber_count = 1, .gates = HTMT_GATE(HTMT_RETIRE),
             .args_bytes = sizeof(struct world_work));
    for (uint32_t i = 0; i < 12; i++) {
        struct world_work work = {.execute = world_between(&seed, 1, 3)};
        START(&w, .type = t, .slice = i % 5, .args = &work);
    }
    world_run(&w);
    return w;
}

Test(clock, the_first_slot_left_over_is_told)
{
    for (uint64_t seed = 1; seed <= share_of(200); seed++) {
        struct htmt_options o = as_wide_as_can_be();
        struct world a = run_halves(seed, sequential()), b = run_halves(seed, o);
        cr_assert_eq(htmt_note_count(a.e), 1);
        cr_assert_str_eq(htmt_note_at(a.e, 0), htmt_note_at(b.e, 0), "seed %u: %s", (unsigned)seed,
                         htmt_note_at(b.e, 0));
        same_runs(a.e, b.e);
        world_close(&a);
        world_close(&b);
    }
}

/* ---- collectives and mail -------------------------------------------------------------------- */

#define ROUNDS_MOST 12u
#define BOX_RECORDS 2u

/* What all slices do in each round; who stops before makes a deadlock. */
struct party {
    unsigned rounds, kind[ROUNDS_MOST], stops; /* slice that stops; none: UINT_MAX */
    struct htmt_allreduce *all;
    struct htmt_barrier *barrier;
    struct htmt_tree *up, *down;
    struct htmt_frame *frame;
    struct htmt_mailbox *box[8];
    struct htmt_slot heard[8];
    uint32_t slices;
};

struct member {
    const struct party *party;
    uint64_t seed;
    unsigned round, waits; /* for broadcasts */
};

enum { ALL, BARRIER, UP, MAIL, NO_MAIL, KINDS };

static void retire_if_over(struct htmt_context *c)
{
    const struct member *m = htmt_args(c);
    if (m->round == m->party->rounds && !m->waits)
        htmt_retire(c, htmt_self(c));
}

static void next_round(struct htmt_context *c)
{
    struct member *m = htmt_args(c);
    const struct party *p = m->party;
    uint32_t slice = htmt_slice(c), other = (slice + m->round) % p->slices;
    struct htmt_addr mine = htmt_at(p->frame, slice, 0);
    struct htmt_slot slot = htmt_slot(c, 1), none = {0};
    htmt_take(c, p->box[slice]);
    htmt_charge(c, HTMT_CYCLE, world_between(&m->seed, 0, 40) / 10 * 9);
    if (m->round == p->rounds / 2 && !slice)
        htmt_broadcast(c, p->down, p->heard);
    if (m->round == p->rounds || (m->round == 3 && slice == p->stops)) {
        m->round = p->rounds;
        retire_if_over(c);
        return;
    }
    htmt_slot_set(c, 1, 1, 0);
    switch (p->kind[m->round++]) {
    case ALL:
        htmt_allreduce(c, p->all, slot);
        break;
    case BARRIER:
        htmt_barrier(c, p->barrier, slot);
        break;
    case UP:
        htmt_reduce(c, p->up, slot);
        break;
    case MAIL:
        htmt_send(c, p->box[other], mine, 1, none, slot);
        break;
    default:
        htmt_send(c, p->box[other], mine, 0, none, slot);
        break;
    }
}

CONTROL(heard, ((struct member *)htmt_args(c))->waits--; retire_if_over(c))

static void fold(void *into, const void *from, uint64_t bytes)
{
    (void)bytes;
    *(double *)into += *(const double *)from;
}

static void open_party(struct party *p, struct world *w)
{
    struct htmt_ops ops = {.n[HTMT_CYCLE] = 3};
    struct htmt_emulator *e = w->e;
    struct htmt_frame *f[3];
    for (int i = 0; i < 3; i++)
        cr_assert_eq(htmt_frame_create(e, CRAM, 64, "part", &f[i]), 0);
    cr_assert_eq(htmt_frame_create(e, CRAM, 64, "mail", &p->frame), 0);
    struct htmt_allreduce_desc all = {
        .frame = f[0], .bytes = 64, .combine = fold, .ops = ops, .name = "all"};
    struct htmt_tree_desc up = {
        .frame = f[1], .bytes = 64, .combine = fold, .ops = ops, .name = "up"};
    struct htmt_tree_desc down = {.frame = f[2], .bytes = 64, .name = "down"};
    cr_assert_eq(htmt_allreduce_create(e, &all, &p->all), 0);
    cr_assert_eq(htmt_tree_create(e, &up, &p->up), 0);
    cr_assert_eq(htmt_tree_create(e, &down, &p->down), 0);
    cr_assert_eq(htmt_barrier_create(e, CRAM, "barrier", &p->barrier), 0);
    for (uint32_t i = 0; i < p->slices; i++)
        cr_assert_eq(htmt_mailbox_create(e, i, CRAM, 64, BOX_RECORDS, "box", &p->box[i]), 0);
}

static void start_party(struct party *p, struct world *w, uint64_t draw)
{
    static const struct htmt_stage fiber[] = {{.control = next_round},
                                              {.control = heard, .count = 1, .reset = 1}};
    open_party(p, w);
    struct htmt_type *t =
        TYPE(w, .name = "member", .home = "cram", .exec = "cram",
             .execute = {.control = next_round}, .fibers = fiber, .fiber_count = 2,
             .gates = HTMT_GATE(HTMT_RETIRE), .args_bytes = sizeof(struct member));
    for (uint32_t i = 0; i < p->slices; i++) {
        struct member m = {.party = p, .seed = world_random(&draw), .waits = 1};
        struct htmt_parcel_desc d = {.type = t, .slice = i, .args = &m};
        struct htmt_ref ref;
        cr_assert_eq(htmt_assemble(htmt_root(w->e), &d, &ref), 0);
        p->heard[i] = htmt_slot_of(ref, 2);
    }
}

static struct world run_party(struct party *p, uint64_t seed, struct htmt_options o)
{
    uint64_t draw = seed * 2654435761u + 1;
    struct world_spec s = program_machine(&draw);
    s.slices = (unsigned)world_between(&draw, 2, 7);
    s.network[CNET].latency_ns += (unsigned)world_between(&draw, 0, 40);
    s.hub_mwords[CNET] = draw % 4 ? 0 : 500;
    *p = (struct party){.slices = s.slices, .rounds = (unsigned)world_between(&draw, 4, 12)};
    p->stops = world_random(&draw) % 5 ? UINT32_MAX : (unsigned)(world_random(&draw) % s.slices);
    for (unsigned i = 0; i < ROUNDS_MOST; i++)
        p->kind[i] = (unsigned)(world_random(&draw) % KINDS);
    struct world w = world_open(&s, o);
    start_party(p, &w, draw);
    htmt_emulator_run(w.e);
    return w;
}

static void same_end(const struct htmt_emulator *a, const struct htmt_emulator *b, uint64_t seed)
{
    const struct htmt_fault *x = htmt_emulator_fault(a), *y = htmt_emulator_fault(b);
    cr_assert_eq(x->code, y->code, "seed %u: %s, not %s", (unsigned)seed, y->text, x->text);
    cr_assert_str_eq(x->text, y->text);
    cr_assert_eq(htmt_predicted(a), htmt_predicted(b));
    if (x->code == HTMT_EDEADLOCK) {
        char *s = world_deadlock(a), *t = world_deadlock(b);
        cr_assert_str_eq(s, t);
        free(s);
        free(t);
    }
    if (!x->code || x->code == HTMT_EDEADLOCK)
        cr_assert_eq(htmt_history_hash(a), htmt_history_hash(b), "seed %u", (unsigned)seed);
    if (!x->code)
        same_runs(a, b);
}

/* Deadlocks, too, where full mailboxes wait for each other, and failures: a slice that stops is
 * missed or signalled in vain. */
Test(clock, collectives_and_mail_go_alike, .timeout = 120)
{
    unsigned by = 0, ran = 0, stuck = 0;
    for (uint64_t seed = 1; seed <= share_of(600); seed++) {
        static struct party p, q;
        uint64_t draw = seed;
        struct htmt_options o = windows(&draw);
        o.checked = seed % 8 == 0;
        struct world a = run_party(&p, seed, sequential()), b = run_party(&q, seed, o);
        int code = htmt_emulator_fault(a.e)->code;
        const int ended = htmt_emulator_fault(b.e)->code;
        if (!o.checked || (ended != HTMT_ELEFT && ended != HTMT_EORDER))
            same_end(a.e, b.e, seed);
        by += by_windows(b.e);
        ran += code == 0;
        stuck += code == HTMT_EDEADLOCK;
        world_close(&a);
        world_close(&b);
    }
    cr_assert_gt(by, share_of(300), "%u by windows", by);
    cr_assert_gt(ran, share_of(200), "%u ran", ran);
    cr_assert_gt(stuck, share_of(50), "%u stuck", stuck);
}

/* ---- an instant without end, a user without patience ------------------------------------------
 */

struct spin {
    const struct htmt_type *type;
    uint64_t cycles; /* before it begins */
    bool spins;
};

static void spin(struct htmt_context *c)
{
    const struct spin *s = htmt_args(c);
    struct spin next = {s->type, 0, true};
    htmt_charge(c, HTMT_CYCLE, s->cycles);
    if (s->spins)
        ASSEMBLE(c, NULL, .type = s->type, .slice = htmt_slice(c), .args = &next);
}

static bool at_the_second_look(void *user)
{
    return ++*(unsigned *)user == 2;
}

/* Slices spin from those cycles on; 0: never. */
static struct world run_spins(const uint64_t *from, struct htmt_options o)
{
    struct world_spec s = world_plain(4);
    s.network[CNET].latency_ns = s.network[VORTEX].latency_ns = 100;
    struct world w = world_open(&s, o);
    struct htmt_type *t = TYPE(&w, .name = "spinning", .home = "cram", .exec = "cram",
                               .execute = {.control = spin}, .args_bytes = sizeof(struct spin));
    for (uint32_t i = 0; i < s.slices; i++) {
        struct spin arg = {t, from[i] ? from[i] : 9, from[i] != 0};
        START(&w, .type = t, .slice = i, .args = &arg);
    }
    htmt_emulator_run(w.e);
    return w;
}

Test(clock, the_first_livelock_is_told, .timeout = 120)
{
    static const uint64_t from[][4] = {{30, 0, 20, 0}, {20, 0, 30, 21}, {7, 7, 7, 7}};
    for (unsigned i = 0; i < share_of(3); i++) {
        struct htmt_options o = as_wide_as_can_be();
        struct world a = run_spins(from[i], sequential()), b = run_spins(from[i], o);
        cr_assert_eq(htmt_emulator_fault(a.e)->code, HTMT_ELIVELOCK);
        cr_assert(by_windows(b.e));
        same_end(a.e, b.e, i);
        world_close(&a);
        world_close(&b);
    }
}

Test(clock, a_cancelled_run_ends_soon)
{
    static const uint64_t from[4] = {30, 0, 20, 0};
    unsigned looks = 0;
    struct htmt_options o = as_wide_as_can_be();
    o.cancelled = at_the_second_look;
    o.user = &looks;
    struct world w = run_spins(from, o);
    cr_assert(by_windows(w.e));
    cr_assert_eq(htmt_emulator_fault(w.e)->code, HTMT_ECANCELLED);
    cr_assert_eq(looks, 2);
    world_close(&w);
}

/* ---- why ---------------------------------------------------------------------------------------
 */

static void is_in_order(struct world_spec s, struct htmt_options o, const char *why)
{
    struct htmt_clock_report r;
    struct world w = world_open(&s, o);
    htmt_emulator_run(w.e);
    htmt_clock_report(w.e, &r);
    cr_assert_not_null(r.in_order, "by windows, expected: %s", why);
    cr_assert_str_eq(r.in_order, why);
    cr_assert_eq(r.windows, 0);
    cr_assert_eq(r.lookahead, 0);
    world_close(&w);
}

static htmt_time lookahead(struct world_spec s, struct htmt_options o)
{
    struct htmt_clock_report r;
    struct world w = world_open(&s, o);
    htmt_emulator_run(w.e);
    htmt_clock_report(w.e, &r);
    cr_assert_null(r.in_order, "%s", r.in_order);
    world_close(&w);
    return r.lookahead;
}

static void observe(void *user, const struct htmt_event *event)
{
    (void)user;
    (void)event;
}

Test(clock, it_says_why_it_plays_in_one_order)
{
    struct world_spec s = world_plain(3), ported = s, hub = s, late = s;
    struct htmt_options checked = as_wide_as_can_be();
    checked.checked = true;
    ported.network[CNET].inner_in = 2;
    hub.network[VORTEX].latency_ns = 100;
    hub.hub_mwords[VORTEX] = 500;
    is_in_order(s, sequential(), "it was asked for");
    for (int n = 0; n < NETWORKS; n++)
        late.network[n].latency_ns = 40;
    is_in_order(late, (struct htmt_options){.threads = 1}, "kernels run");
    is_in_order(s,
                (struct htmt_options){.clock = HTMT_CLOCK_WINDOWS, .threads = 1, .checked = true},
                "kernels are checked one at a time");
    is_in_order(
        s, (struct htmt_options){.mode = HTMT_MODEL, .clock = HTMT_CLOCK_WINDOWS, .explain = true},
        "the critical path is followed");
    is_in_order(
        world_plain(1),
        (struct htmt_options){.mode = HTMT_MODEL, .clock = HTMT_CLOCK_WINDOWS, .observe = observe},
        "an observer hears every event");
    is_in_order(ported, as_wide_as_can_be(), "network cnet joins slices without a latency");
    is_in_order(hub, checked, "what moves within a slice goes by others inside network vortex");
}

/* Windows cost what the order over all slices saves on one thread: only where each slice can be
 * played to its end at once they are chosen. */
Test(clock, by_itself_it_plays_slice_by_slice_where_no_slice_hears_of_another)
{
    struct htmt_options o = {.mode = HTMT_MODEL}, apart = o, folded = o;
    struct world_spec s = world_plain(3);
    apart.symmetry = HTMT_INDEPENDENT;
    folded.symmetry = HTMT_FOLDED;
    is_in_order(s, o, "one thread plays all slices");
    cr_assert_eq(lookahead(world_plain(1), o), HTMT_TIME_MAX);
    cr_assert_eq(lookahead(s, apart), HTMT_TIME_MAX);
    cr_assert_eq(lookahead(s, folded), HTMT_TIME_MAX);
}

/* A lane has no numbers for so many lines. */
Test(clock, so_many_types_are_played_without_a_lane)
{
    struct world_spec s = world_plain(2);
    struct world w = world_open(&s, as_wide_as_can_be());
    struct world_work work = {1, 1, 1, 1, 1};
    struct htmt_type *t = world_type(&w, world_eight());
    w.e->lines = UINT16_MAX; /* as if there were thousands */
    START(&w, .type = t, .slice = 1, .args = &work);
    world_run(&w);
    cr_assert(by_windows(w.e));
    cr_assert_null(w.e->lane);
    world_close(&w);
}

/* An emulator whose lookahead is wrong does not go on with wrong times. */
Test(clock, a_message_within_its_window_is_refused)
{
    static struct party p;
    struct world_spec s = world_plain(4);
    p = (struct party){.slices = 4, .rounds = 4, .stops = UINT32_MAX};
    struct world w = world_open(&s, as_wide_as_can_be());
    start_party(&p, &w, 1);
    w.e->lookahead = w.e->windows->width = HTMT_SECOND;
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_EPAST);
    cr_assert_not_null(strstr(htmt_emulator_fault(w.e)->text, "within a window of"), "%s",
                       htmt_emulator_fault(w.e)->text);
    world_close(&w);
}

/* A word of the quickest network, where the target has no in ports; else start-up and latency. */
Test(clock, the_lookahead_is_the_shortest_way_to_another_slice)
{
    struct htmt_options o = as_wide_as_can_be(), most = o, apart = o;
    struct world_spec s = world_plain(3);
    most.window_most = 77;
    apart.symmetry = HTMT_INDEPENDENT;
    cr_assert_eq(lookahead(s, o), NS);
    cr_assert_eq(lookahead(s, most), 77);
    cr_assert_eq(lookahead(s, apart), HTMT_TIME_MAX);
    cr_assert_eq(lookahead(world_plain(1), o), HTMT_TIME_MAX);
    for (int n = 0; n < NETWORKS; n++) {
        s.network[n].latency_ns = 40 + 10 * (unsigned)n;
        s.network[n].startup_ns = 3;
    }
    cr_assert_eq(lookahead(s, o), 44 * NS);
    s.network[VORTEX].outer_in = s.network[VORTEX].inner_in = 1;
    cr_assert_eq(lookahead(s, o), 43 * NS);
    s.hub_mwords[VORTEX] = 500; /* from place to place */
    cr_assert_eq(lookahead(s, o), 40 * NS);
}
