/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checked runs find accesses to the same bytes that nothing orders, and no others. What orders is
 * computed here from the edges of random graphs, pair by pair.
 */
#include "tests/parcels/world.h"

static const struct htmt_slot no_slot;

static const char *run(struct world *w, int code)
{
    int rc = htmt_emulator_run(w->e);
    cr_assert_eq(rc, code, "%s: %s", htmt_err_name(rc), htmt_emulator_fault(w->e)->text);
    return htmt_emulator_fault(w->e)->text;
}

static void says(struct world *w, const char *const *words)
{
    const char *line = run(w, HTMT_EORDER);
    for (; *words; words++)
        cr_assert_not_null(strstr(line, *words), "no '%s' in: %s", *words, line);
    world_close(w);
}

static void fine(struct world *w)
{
    run(w, 0);
    world_close(w);
}

/* ---- parcels ----------------------------------------------------------------------------------
 */

KERNEL(add, *(uint64_t *)htmt_bytes(k, 0) += 1)

/* Eight parcels, 64 bytes apart or all at one word. */
static struct world eight(uint64_t apart, bool checked)
{
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .checked = checked);
    struct htmt_object *o = world_object(&w, 0, DRAM, 1024, "sum");
    struct htmt_type *t = TYPE(&w, .name = "add", .home = "dram", .exec = "cram",
                               .execute = {.kernel = add, .cost = world_execute},
                               .args_bytes = sizeof(struct world_work));
    for (uint64_t i = 0; i < 8; i++) {
        struct htmt_region r = {
            .from = htmt_in(o, apart * i), .to = htmt_in(o, apart * i), .bytes = 8};
        START(&w, .type = t, .regions = &r, .region_count = 1,
              .args = &(struct world_work){.execute = 10});
    }
    return w;
}

Test(races, parcels_that_add_to_one_word_are_found_with_both_accesses_and_their_times)
{
    struct world w = eight(0, true);
    says(&w, (const char *const[]){
                 "bytes 0 to 7 of sum in slice 0", "scatter (parcel 1) writes them at 1.4e-08 s",
                 "type add, slice 0, gather (parcel 8) reads some at 8e-09 s", NULL});
}

Test(races, nor_looked_for_in_a_run_that_is_not_checked_nor_found_where_there_is_none)
{
    struct world plain = eight(0, false), apart = eight(8, true);
    fine(&plain);
    fine(&apart);
}

struct chain {
    struct htmt_type *add;
    struct htmt_object *object;
    uint32_t left;
    bool at_once; /* each begins when the one before was assembled, not when it is done */
};

static void add_next(struct htmt_context *c)
{
    struct chain *n = htmt_args(c);
    struct htmt_region r = {.from = htmt_in(n->object, 0), .to = htmt_in(n->object, 0), .bytes = 8};
    if (!n->left--) {
        htmt_retire(c, htmt_self(c));
        return;
    }
    htmt_slot_set(c, 1, 1, 0);
    ASSEMBLE(c, NULL, .type = n->add, .slice = htmt_slice(c), .regions = &r, .region_count = 1,
             .on_done = n->at_once ? no_slot : htmt_slot(c, 1));
    if (n->at_once)
        htmt_signal(c, htmt_slot(c, 1));
}

Test(races, a_parcel_is_behind_those_that_were_done_when_it_was_assembled)
{
    static const struct htmt_stage fiber = {.control = add_next};
    for (int at_once = 0; at_once < 2; at_once++) {
        struct world_spec s = world_plain(1);
        struct world w = OPEN(&s, .checked = true);
        struct chain n = {.object = world_object(&w, 0, DRAM, 8, "sum"), .left = 9};
        n.at_once = at_once;
        n.add = TYPE(&w, .name = "add", .home = "dram", .exec = "cram", .execute = {.kernel = add});
        struct htmt_type *t =
            TYPE(&w, .name = "chain", .home = "cram", .exec = "cram",
                 .execute = {.control = add_next}, .fibers = &fiber, .fiber_count = 1,
                 .gates = HTMT_GATE(HTMT_RETIRE), .args_bytes = sizeof n);
        START(&w, .type = t, .args = &n);
        if (at_once)
            says(&w, (const char *const[]){"of sum", "scatter", "gather", NULL});
        else
            fine(&w);
    }
}

Test(races, columns_of_one_matrix_are_apart_and_strided_pieces_are_compared_byte_by_byte)
{
    for (uint64_t shift = 0; shift < 2; shift++) {
        struct world_spec s = world_plain(1);
        struct world w = OPEN(&s, .checked = true);
        struct htmt_object *o = world_object(&w, 0, DRAM, 480, "matrix");
        struct htmt_type *t = TYPE(&w, .name = "column", .home = "dram", .exec = "cram");
        /* 8 at 0, 40, 80, ...; 4 at 8 + 28 i: 8, 36, 64, 92, 120 meets 120 to 127 */
        struct htmt_region r[] = {{.to = htmt_in(o, 0),
                                   .bytes = 80,
                                   .to_pieces = {.bytes = 8, .count = 10, .stride = 40}},
                                  {.to = htmt_in(o, 8),
                                   .bytes = 4 * (4 + shift),
                                   .to_pieces = {.bytes = 4, .count = 4 + shift, .stride = 28}}};
        START(&w, .type = t, .regions = &r[0], .region_count = 1);
        START(&w, .type = t, .regions = &r[1], .region_count = 1);
        if (shift)
            says(&w, (const char *const[]){"matrix", "scatter (parcel 1)", "(parcel 2)", NULL});
        else
            fine(&w);
    }
}

/* So many accesses to one object that they are sorted anew by places, three times. The first one is
 * a column beside all others; the last one meets nothing, one of the others, or the column. */
Test(races, an_access_of_long_ago_is_still_compared_among_many_others)
{
    enum { WORDS = 1100 };
    for (uint32_t meets = 0; meets < 5; meets += 2) {
        struct world_spec s = world_plain(1);
        struct world w = OPEN(&s, .checked = true);
        struct htmt_object *o = world_object(&w, 0, DRAM, 16 * (WORDS + 1), "table");
        struct htmt_type *t = TYPE(&w, .name = "row", .home = "dram", .exec = "cram");
        struct htmt_region column = {.to = htmt_in(o, 8),
                                     .bytes = 8 * WORDS,
                                     .to_pieces = {.bytes = 8, .count = WORDS, .stride = 16}};
        START(&w, .type = t, .regions = &column, .region_count = 1);
        for (uint32_t i = 0; i <= WORDS; i++) {
            const uint32_t place = i < WORDS ? i : meets ? 5 * meets : WORDS;
            const uint32_t beside = i == WORDS && meets == 4 ? 8 : 0;
            struct htmt_region r = {.to = htmt_in(o, 16 * place + beside), .bytes = 8};
            START(&w, .type = t, .regions = &r, .region_count = 1);
        }
        if (meets)
            says(&w, (const char *const[]){"of table", "(parcel 1102)", NULL});
        else
            fine(&w);
    }
}

/* ---- puts and kernels -------------------------------------------------------------------------
 */

struct post {
    struct htmt_object *here, *there, *spare;
    struct htmt_slot reader;
    bool before_work, wrong_slot, awaits_sent;
    bool awaits_both; /* the writer on_sent, the reader on_arrived */
    unsigned latency_ns;
    bool named; /* the put, and the reader's fiber */
};

KERNEL(fill, memset(htmt_used(k, 0), 7, htmt_used_size(k, 0)))
KERNEL(look, (void)*(volatile char *)htmt_used(k, 0))
CONTROL(nothing, (void)0)

static void post_it(struct htmt_context *c)
{
    const struct post *p = htmt_args(c);
    const struct htmt_slot own = htmt_slot(c, 1);
    htmt_use(c, htmt_in(p->here, 0), 64, HTMT_WRITE);
    htmt_slot_set(c, 1, 1, 0);
    if (!p->before_work)
        htmt_work(c);
    PUT(c, .size = p->named ? sizeof(struct htmt_put) : 0, .name = p->named ? "rows" : NULL,
        .src = htmt_in(p->here, 0), .dst = htmt_in(p->there, 0), .bytes = 64,
        .on_arrived = p->wrong_slot || p->awaits_sent ? no_slot : p->reader,
        .on_sent = p->awaits_sent || p->awaits_both ? own : no_slot);
    if (p->before_work)
        htmt_work(c);
    if (!p->awaits_sent && !p->awaits_both)
        htmt_signal(c, own);
    if (p->wrong_slot || p->awaits_sent)
        htmt_signal(c, p->reader); /* as if the bytes were there */
}
static void write_again(struct htmt_context *c)
{
    const struct post *p = htmt_args(c);
    const bool again = p->awaits_sent || p->awaits_both || p->before_work;
    htmt_use(c, htmt_in(again ? p->here : p->spare, 0), 64, HTMT_WRITE);
    htmt_work(c);
    htmt_retire(c, htmt_self(c));
}
static void read_there(struct htmt_context *c)
{
    const struct post *p = htmt_args(c);
    htmt_use(c, htmt_in(p->there, 0), 64, HTMT_READ);
    htmt_work(c);
    htmt_retire(c, htmt_self(c));
}

static struct world posted(struct post p)
{
    char name[] = "take rows"; /* the library has its own */
    const char *const names[] = {name};
    const size_t size = p.named ? sizeof(struct htmt_type_desc) : 0;
    static const struct htmt_stage again = {.kernel = fill, .control = write_again},
                                   there = {.kernel = look, .control = read_there, .count = 1};
    struct world_spec s = world_plain(2);
    for (int n = 0; n < NETWORKS; n++)
        s.network[n].latency_ns = p.latency_ns;
    struct world w = OPEN(&s, .checked = true);
    struct htmt_ref reader;
    p.here = world_object(&w, 0, CRAM, 64, "here");
    p.spare = world_object(&w, 0, CRAM, 64, "spare");
    p.there = world_object(&w, 1, CRAM, 64, "there");
    struct htmt_type *t =
        TYPE(&w, .size = size, .fiber_names = names, .name = "reader", .home = "cram",
             .exec = "cram", .execute = {.control = nothing}, .fibers = &there, .fiber_count = 1,
             .gates = HTMT_GATE(HTMT_RETIRE), .footprint = HTMT_RESIDENT, .args_bytes = sizeof p);
    cr_assert_eq(ASSEMBLE(htmt_root(w.e), &reader, .type = t, .slice = 1, .args = &p), 0);
    p.reader = htmt_slot_of(reader, 1);
    t = TYPE(&w, .name = "poster", .home = "cram", .exec = "cram",
             .execute = {.kernel = fill, .control = post_it}, .fibers = &again, .fiber_count = 1,
             .gates = HTMT_GATE(HTMT_RETIRE), .footprint = HTMT_RESIDENT, .args_bytes = sizeof p);
    START(&w, .type = t, .args = &p);
    memset(name, 0, sizeof name);
    return w;
}

Test(races, fibers_and_puts_that_have_names_are_told_by_them)
{
    struct world w = posted((struct post){.wrong_slot = true, .named = true});
    says(&w, (const char *const[]){"put rows of type poster, slice 0, put (parcel 1)",
                                   "type reader, slice 1, fiber take rows (parcel 2)", NULL});
}

Test(races, a_put_that_signals_the_reader_orders_it_and_one_that_signals_another_does_not)
{
    struct world right = posted((struct post){.wrong_slot = false});
    fine(&right);
    struct world wrong = posted((struct post){.wrong_slot = true});
    says(&wrong, (const char *const[]){"of there in slice 1", "a put of type poster, slice 0",
                                       "type reader, slice 1, fiber 1", NULL});
}

Test(races, a_source_may_be_written_again_when_the_last_word_has_left_and_no_sooner)
{
    struct world sent = posted((struct post){.awaits_sent = true});
    says(&sent, (const char *const[]){"of there in slice 1", NULL}); /* the reader is too early */
    struct world early = posted((struct post){.before_work = true});
    says(&early, (const char *const[]){"of here in slice 0", "a put of type poster", NULL});
}

/* Without latency the message is over at the instant at which its last word leaves, and so before
 * the moment that signals on_sent. */
Test(races, a_source_may_be_written_again_also_over_a_network_without_latency)
{
    for (unsigned latency = 0; latency < 10; latency += 5) {
        struct world w = posted((struct post){.awaits_both = true, .latency_ns = latency});
        fine(&w);
    }
}

/* A network keeps the order of a pair of places, so a put is behind an earlier one that its sender
 * knew of, whoever sent others between them. */

#define CROWD 100u

struct crowd {
    struct htmt_object *here, *there;
    struct htmt_type *child; /* of the first one; NULL: none */
    struct htmt_slot reader;
    uint32_t number, of_reader;
};

KERNEL(idle, (void)0)

static void post_word(struct htmt_context *c)
{
    const struct crowd *p = htmt_args(c);
    struct crowd between = {p->here, p->there, NULL, no_slot, CROWD + 1, 0};
    htmt_work(c);
    PUT(c, .src = htmt_in(p->here, 0), .dst = htmt_in(p->there, 8 * p->number), .bytes = 8);
    if (p->child)
        ASSEMBLE(c, NULL, .type = p->child, .args = &between);
    if (!p->number)
        htmt_signal(c, htmt_slot(c, 1));
}

COST(late, ops->n[HTMT_CYCLE] = 1000)

static void post_last(struct htmt_context *c)
{
    const struct crowd *p = htmt_args(c);
    PUT(c, .src = htmt_in(p->here, 0), .dst = htmt_in(p->there, 8 * CROWD), .bytes = 8,
        .on_arrived = p->reader);
    htmt_retire(c, htmt_self(c));
}

static void read_word(struct htmt_context *c)
{
    const struct crowd *p = htmt_args(c);
    htmt_use(c, htmt_in(p->there, 8 * p->of_reader), 8, HTMT_READ);
    htmt_work(c);
    htmt_retire(c, htmt_self(c));
}

/* The first of `count` parcels puts word 0, then, when the others have put theirs, a last word that
 * signals the reader. */
static struct world crowded(uint32_t count, bool child, uint32_t of_reader)
{
    static const struct htmt_stage last = {.cost = late, .control = post_last, .count = 1},
                                   there = {.kernel = look, .control = read_word, .count = 1};
    struct world_spec s = world_plain(2);
    s.servers[CRAM] = 2;
    struct world w = OPEN(&s, .checked = true);
    struct crowd p = {.here = world_object(&w, 0, CRAM, 8, "here"),
                      .there = world_object(&w, 1, CRAM, 8 * (CROWD + 2), "there"),
                      .of_reader = of_reader};
    struct htmt_type_desc d = {.name = "reader",
                               .home = "cram",
                               .exec = "cram",
                               .execute = {.control = nothing},
                               .fibers = &there,
                               .fiber_count = 1,
                               .gates = HTMT_GATE(HTMT_RETIRE),
                               .footprint = HTMT_RESIDENT,
                               .args_bytes = sizeof p};
    struct htmt_type *reads = world_type(&w, d);
    struct htmt_ref reader;
    cr_assert_eq(ASSEMBLE(htmt_root(w.e), &reader, .type = reads, .slice = 1, .args = &p), 0);
    p.reader = htmt_slot_of(reader, 1);
    d.name = "first";
    d.execute = (struct htmt_stage){.kernel = idle, .control = post_word};
    d.fibers = &last;
    struct htmt_type *first = world_type(&w, d);
    struct htmt_type *other =
        TYPE(&w, .name = "other", .home = "cram", .exec = "cram",
             .execute = {.kernel = idle, .control = post_word}, .args_bytes = sizeof p);
    for (p.number = 0; p.number < count; p.number++) {
        p.child = child && !p.number ? other : NULL;
        START(&w, .type = p.number ? other : first, .args = &p);
    }
    return w;
}

Test(races, a_put_is_behind_an_earlier_one_of_its_sender_whatever_came_between)
{
    static const char *const words[] = {"bytes 8 to 15 of there in slice 1",
                                        "a put of type other, slice 0", "type reader", NULL};
    for (uint32_t count = 1; count <= CROWD; count += 33)
        for (int child = 0; child < 2; child++) {
            struct world own = crowded(count, child, 0);
            fine(&own);
        }
    struct world of_another = crowded(3, true, 1);
    says(&of_another, words);
}

/* ---- mail, barriers ---------------------------------------------------------------------------
 */

struct letter {
    struct htmt_mailbox *box;
    struct htmt_object *object, *record;
    struct htmt_slot slot;
    bool mails;
};

static void send_letter(struct htmt_context *c)
{
    const struct letter *l = htmt_args(c);
    htmt_use(c, htmt_in(l->object, 0), 8, HTMT_WRITE);
    htmt_work(c);
    if (l->mails)
        htmt_send(c, l->box, htmt_in(l->record, 0), 1, no_slot, l->slot);
}
static void take_letter(struct htmt_context *c)
{
    const struct letter *l = htmt_args(c);
    if (l->mails)
        htmt_take(c, l->box);
    htmt_use(c, htmt_in(l->object, 0), 8, HTMT_READ);
    htmt_work(c);
    htmt_retire(c, htmt_self(c));
}
static void await_letter(struct htmt_context *c)
{
    const struct letter *l = htmt_args(c);
    htmt_slot_set(c, 1, 1, 0);
    if (!l->mails)
        htmt_signal(c, htmt_slot(c, 1));
}

Test(races, who_takes_a_record_is_behind_who_sent_it)
{
    static const struct htmt_stage fiber = {.kernel = look, .control = take_letter};
    for (int mails = 0; mails < 2; mails++) {
        struct world_spec s = world_plain(1);
        s.servers[CRAM] = 2;
        struct world w = OPEN(&s, .checked = true);
        struct htmt_ref taker;
        struct letter l = {.object = world_object(&w, 0, CRAM, 8, "shared"),
                           .record = world_object(&w, 0, CRAM, 8, "record"),
                           .mails = mails};
        cr_assert_eq(htmt_mailbox_create(w.e, 0, CRAM, 8, 4, "box", &l.box), 0);
        struct htmt_type *t = TYPE(&w, .name = "taker", .home = "cram", .exec = "cram",
                                   .execute = {.control = await_letter}, .fibers = &fiber,
                                   .fiber_count = 1, .gates = HTMT_GATE(HTMT_RETIRE),
                                   .footprint = HTMT_RESIDENT, .args_bytes = sizeof l);
        cr_assert_eq(ASSEMBLE(htmt_root(w.e), &taker, .type = t, .args = &l), 0);
        l.slot = htmt_slot_of(taker, 1);
        t = TYPE(&w, .name = "sender", .home = "cram", .exec = "cram",
                 .execute = {.kernel = fill, .control = send_letter}, .footprint = HTMT_RESIDENT,
                 .args_bytes = sizeof l);
        START(&w, .type = t, .args = &l);
        if (mails)
            fine(&w);
        else
            says(&w, (const char *const[]){"of shared in slice 0", NULL});
    }
}

struct meeting {
    struct htmt_frame *frame;
    struct htmt_barrier *barrier;
};

static void write_own(struct htmt_context *c)
{
    const struct meeting *m = htmt_args(c);
    htmt_use(c, htmt_at(m->frame, htmt_slice(c), 0), 8, HTMT_WRITE);
    htmt_work(c);
    htmt_slot_set(c, 1, 1, 0);
    if (m->barrier)
        htmt_barrier(c, m->barrier, htmt_slot(c, 1));
    else
        htmt_signal(c, htmt_slot(c, 1));
}
static void get_next(struct htmt_context *c)
{
    const struct meeting *m = htmt_args(c);
    PUT(c, .src = htmt_at(m->frame, (htmt_slice(c) + 1) % 5, 0),
        .dst = htmt_at(m->frame, htmt_slice(c), 8), .bytes = 8, .on_arrived = htmt_slot(c, 2));
    htmt_slot_set(c, 2, 1, 0);
}
CONTROL(leave, htmt_retire(c, htmt_self(c)))

Test(races, slices_are_behind_each_other_after_a_barrier)
{
    static const struct htmt_stage fibers[] = {{.control = get_next}, {.control = leave}};
    for (int meets = 0; meets < 2; meets++) {
        struct world_spec s = world_plain(5);
        struct world w = OPEN(&s, .checked = true);
        struct meeting m = {0};
        cr_assert_eq(htmt_frame_create(w.e, CRAM, 16, "frame", &m.frame), 0);
        if (meets)
            cr_assert_eq(htmt_barrier_create(w.e, CRAM, "barrier", &m.barrier), 0);
        struct htmt_type *t = TYPE(
            &w, .name = "member", .home = "cram", .exec = "cram",
            .execute = {.kernel = fill, .control = write_own}, .fibers = fibers, .fiber_count = 2,
            .gates = HTMT_GATE(HTMT_RETIRE), .footprint = HTMT_RESIDENT, .args_bytes = sizeof m);
        for (uint32_t i = 0; i < 5; i++)
            START(&w, .type = t, .slice = i, .args = &m);
        if (meets)
            fine(&w);
        else
            says(&w, (const char *const[]){"of frame in slice", NULL});
    }
}

/* ---- random graphs -----------------------------------------------------------------------------
 */

enum { TASKS = 18, OBJECTS = 3, BYTES = 64 };

struct graph {
    bool edge[TASKS][TASKS], path[TASKS][TASKS]; /* from a lower number to a higher one */
    struct htmt_ref ref[TASKS];
    struct htmt_object *object[OBJECTS];
    struct task {
        const struct graph *graph;
        uint32_t number, object, at, bytes;
        uint64_t cycles;
        bool write;
    } task[TASKS];
};

static void begin_task(struct htmt_context *c)
{
    const struct task *t = htmt_args(c);
    uint32_t before = 0;
    for (uint32_t i = 0; i < t->number; i++)
        before += t->graph->edge[i][t->number];
    htmt_slot_set(c, 1, before ? before : 1, 0);
    if (!before)
        htmt_signal(c, htmt_slot(c, 1));
}

static void end_task(struct htmt_context *c)
{
    const struct task *t = htmt_args(c);
    htmt_use(c, htmt_in(t->graph->object[t->object], t->at), t->bytes,
             t->write ? HTMT_UPDATE : HTMT_READ);
    htmt_work(c);
    for (uint32_t i = t->number + 1; i < TASKS; i++)
        if (t->graph->edge[t->number][i])
            htmt_signal(c, htmt_slot_of(t->graph->ref[i], 1));
    htmt_retire(c, htmt_self(c));
}

static bool conflict(const struct task *a, const struct task *b)
{
    return a->object == b->object && (a->write || b->write) && a->at < b->at + b->bytes &&
           b->at < a->at + a->bytes;
}

/* Whether some pair that conflicts has no path. */
static bool draw(struct graph *g, uint64_t *seed, bool ordered)
{
    *g = (struct graph){0};
    for (uint32_t i = 0; i < TASKS; i++) {
        struct task *t = &g->task[i];
        t->graph = g;
        t->number = i;
        t->object = (uint32_t)world_between(seed, 0, OBJECTS - 1);
        t->at = (uint32_t)world_between(seed, 0, BYTES - 16);
        t->bytes = (uint32_t)world_between(seed, 1, 16);
        t->cycles = world_between(seed, 0, 50);
        t->write = world_between(seed, 0, 2) == 0;
    }
    bool race = false;
    for (uint32_t k = 0; k < TASKS; k++)
        for (uint32_t i = k; i-- > 0;) {
            for (uint32_t m = i + 1; m < k; m++)
                g->path[i][k] = g->path[i][k] || (g->path[i][m] && g->edge[m][k]);
            bool wanted = conflict(&g->task[i], &g->task[k]) && !g->path[i][k];
            g->edge[i][k] = world_between(seed, 0, 9) == 0 ||
                            (wanted && (ordered || world_between(seed, 0, 15) != 0));
            g->path[i][k] = g->path[i][k] || g->edge[i][k];
            race = race || (conflict(&g->task[i], &g->task[k]) && !g->path[i][k]);
        }
    return race;
}

COST(task_cost, ops->n[HTMT_CYCLE] = ((const struct task *)args)->cycles)

static int play(struct graph *g, uint64_t *seed)
{
    static const struct htmt_stage fiber = {.kernel = look, .cost = task_cost, .control = end_task};
    struct world_spec s = world_plain(1);
    s.servers[CRAM] = (unsigned)world_between(seed, 1, 4);
    struct world w = OPEN(&s, .checked = true);
    for (uint32_t i = 0; i < OBJECTS; i++)
        g->object[i] = world_object(&w, 0, CRAM, BYTES, "object");
    struct htmt_type *t =
        TYPE(&w, .name = "task", .home = "cram", .exec = "cram", .execute = {.control = begin_task},
             .fibers = &fiber, .fiber_count = 1, .gates = HTMT_GATE(HTMT_RETIRE),
             .footprint = HTMT_RESIDENT, .args_bytes = sizeof(struct task));
    for (uint32_t i = 0; i < TASKS; i++)
        cr_assert_eq(ASSEMBLE(htmt_root(w.e), &g->ref[i], .type = t, .args = &g->task[i]), 0);
    int rc = htmt_emulator_run(w.e);
    cr_assert(!rc || rc == HTMT_EORDER, "%s", htmt_emulator_fault(w.e)->text);
    world_close(&w);
    return rc;
}

Test(races, no_random_ordered_program_has_one, .timeout = 120)
{
    static struct graph g;
    for (uint64_t i = 1; i <= 1000; i++) {
        uint64_t seed = i * 2654435761u + 1;
        cr_assert_not(draw(&g, &seed, true));
        cr_assert_eq(play(&g, &seed), 0, "seed %u", (unsigned)i);
    }
}

Test(races, of_random_programs_those_have_one_in_which_a_pair_has_no_path, .timeout = 120)
{
    static struct graph g;
    unsigned races = 0;
    for (uint64_t i = 1; i <= 400; i++) {
        uint64_t seed = i * 2654435761u + 7;
        bool race = draw(&g, &seed, false);
        races += race;
        cr_assert_eq(play(&g, &seed), race ? HTMT_EORDER : 0, "seed %u", (unsigned)i);
    }
    cr_assert(races > 40 && races < 360, "%u of 400", races);
}
