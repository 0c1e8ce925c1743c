/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * A run in several ranks: each knows at the end what a run in one process knows, and if one of them
 * cannot go on, all end.
 */
#include "tests/layers/machines.h"
#include "tests/parcels/accounts.h"
#include "tests/parcels/ring.h"
#include "tests/ranks/threads.h"

#include <pthread.h>

#define RANKS_MOST 4u

struct member {
    struct world w;
    struct ring ring;
    struct htmt_ranks *rank;
    pthread_t thread;
    int rc, shared;
    struct {
        uint64_t kept, written;
    } record[RING_SLICES];
};

/* As controls would. */
static void write_records(struct member *m)
{
    for (uint32_t i = 0; i < RING_SLICES; i++) {
        m->record[i].kept = m->rank->rank;
        m->record[i].written = htmt_slice_here(m->w.e, i) ? 100 * i + m->rank->rank : UINT64_MAX;
    }
}

static void *run_member(void *argument)
{
    struct member *m = argument;
    m->rc = htmt_emulator_run(m->w.e);
    write_records(m);
    m->shared = htmt_slices_share(m->w.e, &m->record[0].written, sizeof m->record[0].written,
                                  sizeof m->record[0]);
    ranks_threads_leave(m->rank);
    return NULL;
}

struct party {
    struct member member[RANKS_MOST];
    struct htmt_ranks *ranks;
    uint32_t count;
};

static struct htmt_options model(void)
{
    return (struct htmt_options){.mode = HTMT_MODEL};
}

/* The machine stays. */
static void open_member_on(struct party *p, uint32_t rank, struct htmt_options o,
                           const struct htmt_machine *machine)
{
    struct member *m = &p->member[rank];
    m->rank = &p->ranks[rank];
    m->ring.turns = 9;
    o.ranks = m->rank;
    o.machine = machine;
    cr_assert_eq(htmt_emulator_create(&m->w.e, &o, NULL), 0);
    ring_start(&m->w, &m->ring);
}

static void open_member_of(struct party *p, uint32_t rank, struct htmt_options o,
                           const struct world_spec *s)
{
    struct htmt_machine *machine = world_machine(s);
    open_member_on(p, rank, o, machine);
    htmt_machine_destroy(&machine);
}

static void open_member(struct party *p, uint32_t rank, struct htmt_options o)
{
    struct world_spec s = ring_spec();
    open_member_of(p, rank, o, &s);
}

static void open_party(struct party *p, uint32_t count, struct htmt_options o)
{
    *p = (struct party){.count = count};
    cr_assert_eq(ranks_threads_create(count, &p->ranks), 0);
    for (uint32_t i = 0; i < count; i++)
        open_member(p, i, o);
}

static void run_party(struct party *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        cr_assert_eq(pthread_create(&p->member[i].thread, NULL, run_member, &p->member[i]), 0);
    for (uint32_t i = 0; i < p->count; i++)
        pthread_join(p->member[i].thread, NULL);
}

static void close_party(struct party *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        world_close(&p->member[i].w);
    ranks_threads_destroy(&p->ranks);
}

static struct world run_alone_on(const struct htmt_machine *machine)
{
    struct ring r = {.turns = 9};
    struct world w = {.m = NULL};
    struct htmt_options o = model();
    o.machine = machine;
    cr_assert_eq(htmt_emulator_create(&w.e, &o, NULL), 0);
    ring_start(&w, &r);
    world_run(&w);
    return w;
}

static struct world run_alone(void)
{
    struct world_spec s = ring_spec();
    struct htmt_machine *machine = world_machine(&s);
    struct world w = run_alone_on(machine);
    htmt_machine_destroy(&machine);
    return w;
}

static const char *line_of(const struct party *p, uint32_t rank)
{
    return htmt_emulator_fault(p->member[rank].w.e)->text;
}

static struct htmt_clock_report clock_of(const struct party *p, uint32_t rank)
{
    struct htmt_clock_report r;
    htmt_clock_report(p->member[rank].w.e, &r);
    return r;
}

/* ---- claims ---------------------------------------------------------------------------------- */

static void expect_accounts_of_all(struct htmt_machine *machine)
{
    struct world one = run_alone_on(machine);
    for (uint32_t count = 2; count <= RANKS_MOST; count++) {
        struct party p = {.count = count};
        cr_assert_eq(ranks_threads_create(count, &p.ranks), 0);
        for (uint32_t i = 0; i < count; i++)
            open_member_on(&p, i, model(), machine);
        run_party(&p);
        for (uint32_t i = 0; i < count; i++) {
            cr_assert_eq(p.member[i].rc, 0, "%s", line_of(&p, i));
            same_accounts(one.e, p.member[i].w.e);
            cr_assert_eq(htmt_history_hash(one.e), htmt_history_hash(p.member[i].w.e));
            cr_assert_eq(htmt_event_count(one.e), htmt_event_count(p.member[i].w.e));
            cr_assert_eq(clock_of(&p, i).ranks, count);
        }
        close_party(&p);
    }
    world_close(&one);
    htmt_machine_destroy(&machine);
}

Test(rank, every_rank_ends_with_the_accounts_of_all)
{
    struct world_spec s = ring_spec();
    expect_accounts_of_all(world_machine(&s));
}

/* Where messages queue at their target, its rank tells that of the source when they are there. */
Test(rank, so_it_does_where_messages_queue_at_their_target)
{
    struct world_spec s = ring_spec();
    s.network[CNET].inner_in = 1;
    s.network[CNET].in_mwords = 100;
    expect_accounts_of_all(world_machine(&s));
}

/* Packets pass switches that belong to other ranks. */
Test(rank, so_it_does_where_packets_pass_the_slices_of_others)
{
    expect_accounts_of_all(machine_parse(
        "htmt-machine: 1\nbase: small-htmt\nslices: {value: 6, source: t}\nnetworks:\n"
        "  cnet:\n    inside:\n      topology: mesh\n      shape: {value: 6 x 1, source: t}\n"
        "      switching: cut-through\n      routing: xy\n      place: rows\n"
        "      packet: {value: 8 B, source: t}\n      header: {value: not-modelled, source: t}\n"
        "      rate: {value: 1 GB/s, source: t}\n      wire: {value: 20 ns, source: t}\n"
        "      switch: {value: 5 ns, source: t}\n      buffer: {value: not-modelled, source: t}\n"
        "      lanes: {value: 1, source: t}\n      planes: {value: 1, as: dealt, source: t}\n"
        "      setup: {value: not-modelled, source: t}\n"
        "      route: {value: not-modelled, source: t}\n"
        "      copy: {value: not-modelled, source: t}\n      router: none\n"
        "      control: {value: not-modelled, source: t}\n"));
}

/* What a control writes for its slice is known to all ranks when it was shared. */
Test(rank, what_slices_wrote_is_shared)
{
    struct party p;
    open_party(&p, 3, model());
    for (uint32_t i = 0; i < 3; i++)
        cr_assert_eq(htmt_slice_here(p.member[i].w.e, 0), i == 0);
    run_party(&p);
    for (uint32_t rank = 0; rank < 3; rank++)
        for (uint32_t slice = 0; slice < RING_SLICES; slice++) {
            cr_assert_eq(p.member[rank].shared, 0);
            cr_assert_eq(p.member[rank].record[slice].kept, rank);
            cr_assert_eq(p.member[rank].record[slice].written, 100 * slice + slice / 2);
        }
    close_party(&p);
}

/* Where all events are needed in order each plays the whole run. */
Test(rank, without_lookahead_each_plays_all)
{
    struct world one = run_alone();
    struct party p;
    struct htmt_options o = model();
    o.explain = true;
    open_party(&p, 2, o);
    run_party(&p);
    for (uint32_t i = 0; i < 2; i++) {
        cr_assert_eq(p.member[i].rc, 0);
        cr_assert_eq(clock_of(&p, i).ranks, 1);
        cr_assert_str_eq(clock_of(&p, i).in_order, "the critical path is followed");
        cr_assert_eq(htmt_history_hash(one.e), htmt_history_hash(p.member[i].w.e));
    }
    close_party(&p);
    world_close(&one);
}

/* All ranks tell that rank 1 has other ones. */
static void others_are_told(struct party *p, const char *what)
{
    char line[80];
    snprintf(line, sizeof line, "rank 1 has set up something else than rank 0: found other %s,",
             what);
    run_party(p);
    for (uint32_t i = 0; i < p->count; i++) {
        cr_assert_eq(p->member[i].rc, HTMT_EINVAL);
        cr_assert(strstr(line_of(p, i), line), "%s", line_of(p, i));
    }
    close_party(p);
}

Test(rank, another_set_up_is_told_by_all)
{
    struct party p;
    open_party(&p, 3, model());
    struct htmt_type_desc d = world_eight();
    d.name = "ninth";
    world_type(&p.member[1].w, d);
    others_are_told(&p, "types");
}

/* Lookahead, types and names are the same. */
Test(rank, another_rate_of_the_machine_is_told_by_all)
{
    struct party p = {.count = 2};
    struct world_spec s = ring_spec();
    cr_assert_eq(ranks_threads_create(2, &p.ranks), 0);
    open_member_of(&p, 0, model(), &s);
    s.mhz[CRAM]++;
    open_member_of(&p, 1, model(), &s);
    others_are_told(&p, "machine");
}

/* The same types by name, home and number of steps. */
Test(rank, other_costs_of_a_type_are_told_by_all)
{
    struct htmt_type_desc plain = {.name = "plain", .home = "dram", .exec = "cram"};
    struct htmt_type_desc other[4] = {plain, plain, plain, plain};
    other[0].code_words = 7;
    other[1].header_words = 7;
    other[2].execute.cost = world_execute;
    other[3].gates = HTMT_GATE(HTMT_EXECUTE);
    for (int i = 0; i < 4; i++) {
        struct party p;
        open_party(&p, 2, model());
        world_type(&p.member[0].w, plain);
        world_type(&p.member[1].w, other[i]);
        others_are_told(&p, "types");
    }
}

/* One signals its end, the other does not. */
Test(rank, other_roots_are_told_by_all)
{
    struct party p;
    open_party(&p, 2, model());
    for (uint32_t i = 0; i < 2; i++) {
        struct world *w = &p.member[i].w;
        const struct htmt_slot go = htmt_slot_of(p.member[i].ring.post[2], RING_GO);
        struct htmt_type *type = TYPE(w, .name = "plain", .home = "dram", .exec = "dram");
        START(w, .type = type, .on_done = i ? go : (struct htmt_slot){{0}, 0});
    }
    others_are_told(&p, "root parcels");
}

Test(rank, a_rank_that_is_gone_ends_the_others)
{
    struct party p;
    open_party(&p, 3, model());
    ranks_threads_leave(p.member[2].rank);
    p.count = 2;
    run_party(&p);
    p.count = 3;
    for (uint32_t i = 0; i < 2; i++) {
        cr_assert_eq(p.member[i].rc, HTMT_ESYSTEM);
        cr_assert(strstr(line_of(&p, i), "has lost the other ranks of the run"), "%s",
                  line_of(&p, i));
    }
    close_party(&p);
}

/* Slice 4 ends its ring, so a signal finds nobody: on whatever rank. */
Test(rank, a_failure_is_told_by_all_as_in_one_process)
{
    struct world_spec s = ring_spec();
    struct ring r = {.turns = 9};
    struct world one = world_open(&s, model());
    struct party p;
    ring_start(&one, &r);
    r.post[3] = r.post[4];
    cr_assert_neq(htmt_emulator_run(one.e), 0);
    open_party(&p, 3, model());
    for (uint32_t i = 0; i < 3; i++)
        p.member[i].ring.post[3] = p.member[i].ring.post[4];
    run_party(&p);
    for (uint32_t i = 0; i < 3; i++) {
        cr_assert_eq(p.member[i].rc, htmt_emulator_fault(one.e)->code);
        cr_assert_str_eq(line_of(&p, i), htmt_emulator_fault(one.e)->text);
        cr_assert_eq(htmt_predicted(p.member[i].w.e), htmt_predicted(one.e));
    }
    close_party(&p);
    world_close(&one);
}

Test(rank, a_deadlock_is_told_by_all)
{
    struct party p;
    open_party(&p, 2, model());
    for (uint32_t i = 0; i < 2; i++)
        START(&p.member[i].w,
              .type = TYPE(&p.member[i].w, .name = "waits", .home = "dram", .exec = "dram",
                           .gates = HTMT_GATE(HTMT_EXECUTE)),
              .slice = 5);
    run_party(&p);
    for (uint32_t i = 0; i < 2; i++) {
        cr_assert_eq(p.member[i].rc, HTMT_EDEADLOCK);
        cr_assert(strstr(line_of(&p, i), "1 parcels and messages are not done"), "%s",
                  line_of(&p, i));
    }
    close_party(&p);
}

/* ---- who waits for whom ---------------------------------------------------------------------- */

/* In slice after slice: a round that slice 4 does not join, a circle of ends that all others wait
 * for, records without room, words that another parcel holds. */
struct knot {
    struct htmt_barrier *barrier;
    struct htmt_mailbox *box;
    struct htmt_object *src[RING_SLICES];
};

struct knot_args {
    const struct knot *knot;
};

static void await_all(struct htmt_context *c)
{
    const struct knot_args *a = htmt_args(c);
    if (htmt_slice(c) != 4)
        htmt_barrier(c, a->knot->barrier, htmt_slot(c, 1));
}

static void send_much(struct htmt_context *c)
{
    const struct knot *k = ((const struct knot_args *)htmt_args(c))->knot;
    for (int i = 0; i < 2; i++)
        htmt_send(c, k->box, htmt_in(k->src[htmt_slice(c)], 0), 2, (struct htmt_slot){0},
                  (struct htmt_slot){0});
}

CONTROL(never, htmt_retire(c, htmt_self(c)))

static struct htmt_type *knot_type(struct world *w, const char *name, htmt_control_fn *control,
                                   uint32_t fibers)
{
    static const struct htmt_stage fiber = {.control = never, .count = 1};
    return TYPE(w, .name = name, .home = "cram", .exec = "cram", .execute = {.control = control},
                .fibers = &fiber, .fiber_count = fibers,
                .gates = fibers ? HTMT_GATE(HTMT_RETIRE) : 0,
                .args_bytes = sizeof(struct knot_args));
}

/* The third parcel of each slice, behind a post and a herald: its end is awaited by that of the
 * slice at its right. */
static void tie_circle(struct world *w, const struct ring *r, const struct knot *k)
{
    struct htmt_type *link = knot_type(w, "link", NULL, 1);
    struct htmt_ref third = r->post[0];
    third.serial += 2;
    third.index += 2;
    for (uint32_t i = 0; i < RING_SLICES; i++)
        START(w, .type = link, .slice = i, .args = &(struct knot_args){k},
              .on_done = htmt_slot_in(htmt_slot_of(third, 1), (i + 1) % RING_SLICES));
}

static void tie(struct world *w, const struct ring *r, struct knot *k)
{
    const struct htmt_region most = {.bytes = UINT64_C(8) * 600};
    cr_assert_eq(htmt_barrier_create(w->e, CRAM, "gate", &k->barrier), 0);
    cr_assert_eq(htmt_mailbox_create(w->e, 0, CRAM, 8, 4, "box", &k->box), 0);
    tie_circle(w, r, k);
    struct htmt_type *waits = knot_type(w, "waits", await_all, 1);
    struct htmt_type *sender = knot_type(w, "sender", send_much, 0);
    struct htmt_type *holder =
        TYPE(w, .name = "holder", .home = "sram", .exec = "cram", .gates = HTMT_GATE(HTMT_EXECUTE));
    for (uint32_t i = 0; i < RING_SLICES; i++) {
        struct htmt_parcel_desc d = {.type = waits, .slice = i, .args = &(struct knot_args){k}};
        k->src[i] = world_object(w, i, CRAM, 64, "src");
        world_start(w, d);
        d.type = sender;
        world_start(w, d);
        START(w, .type = holder, .slice = i, .regions = &most, .region_count = 1);
    }
    START(w, .type = holder, .slice = 3, .regions = &most, .region_count = 1);
}

static struct world_spec knot_spec(void)
{
    struct world_spec s = ring_spec();
    s.capacity[CRAM] = 1000;
    return s;
}

/* Returns the report, to be freed. */
static char *report_alone(void)
{
    struct world_spec s = knot_spec();
    struct ring r = {.turns = 9};
    struct knot k;
    struct world w = world_open(&s, model());
    ring_start(&w, &r);
    tie(&w, &r, &k);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_EDEADLOCK, "%s", htmt_emulator_fault(w.e)->text);
    char *text = world_deadlock(w.e);
    world_close(&w);
    return text;
}

static void has_all(const char *report)
{
    const char *const parts[] = {"to come from link #3 (slice 5)",
                                 "to come from barrier gate",
                                 "waits for room for 2 records in mailbox box",
                                 "held by holder",
                                 "waits in round 1 for slice 4",
                                 "cycle: link #3 (slice 0) -> link #3 (slice 5) -> "};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cr_assert(strstr(report, parts[i]), "no '%s' in\n%s", parts[i], report);
}

Test(rank, a_deadlock_is_reported_as_in_one_process)
{
    struct world_spec s = knot_spec();
    char *alone = report_alone();
    has_all(alone);
    for (uint32_t count = 2; count <= RANKS_MOST; count++) {
        struct party p = {.count = count};
        struct knot knot[RANKS_MOST];
        cr_assert_eq(ranks_threads_create(count, &p.ranks), 0);
        for (uint32_t i = 0; i < count; i++) {
            open_member_of(&p, i, model(), &s);
            tie(&p.member[i].w, &p.member[i].ring, &knot[i]);
        }
        run_party(&p);
        for (uint32_t i = 0; i < count; i++) {
            char *text = world_deadlock(p.member[i].w.e);
            cr_assert_eq(clock_of(&p, i).ranks, count);
            cr_assert_str_eq(text, alone);
            free(text);
        }
        close_party(&p);
    }
    free(alone);
}
