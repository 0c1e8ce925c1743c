/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Puts, gets, signals and mailboxes: what arrives, when, and who is signalled.
 */
#include "tests/parcels/world.h"

/* What the fibers of a script saw: the fiber and, after the run, the order. */
struct script {
    struct htmt_put put;
    struct htmt_object *mine; /* the source, when it lies in the activation's slice */
    unsigned order[16], seen;
};

static struct script *script_of(struct htmt_context *c)
{
    struct script *s;
    memcpy(&s, htmt_args(c), sizeof s);
    return s;
}

static void note(struct htmt_context *c)
{
    struct script *s = script_of(c);
    if (s->seen < 16)
        s->order[s->seen++] = htmt_fiber(c);
}

static void overwrite(struct htmt_kernel *k)
{
    if (htmt_used_size(k, 0))
        memset(htmt_used(k, 0), 0xee, htmt_used_size(k, 0));
}

/* The source is free: write over it. */
static void when_sent(struct htmt_context *c)
{
    struct script *s = script_of(c);
    note(c);
    if (s->put.src.object == s->mine)
        htmt_use(c, s->put.src, s->put.bytes, HTMT_WRITE);
    htmt_signal(c, htmt_slot(c, 3));
}

CONTROL(only_note, note(c); htmt_signal(c, htmt_slot(c, 3)))
CONTROL(finish, note(c); htmt_retire(c, htmt_self(c)))

static void put_it(struct htmt_context *c)
{
    struct script *s = script_of(c);
    struct htmt_put put = s->put;
    htmt_slot_set(c, 1, 1, 0);
    htmt_slot_set(c, 2, 1, 0);
    htmt_slot_set(c, 3, 2, 0);
    put.on_sent = htmt_slot(c, 1);
    put.on_arrived = htmt_slot(c, 2);
    htmt_put(c, &put);
}

/* An activation in slice 0 that puts, then writes over the source when signalled that it was sent.
 */
static struct htmt_type *putter(struct world *w, const char *layer)
{
    static const struct htmt_stage fibers[] = {
        {.kernel = overwrite, .cost = NULL, .control = when_sent},
        {.control = only_note},
        {.control = finish}};
    return TYPE(w, .name = "putter", .home = layer, .exec = layer, .execute = {.control = put_it},
                .fibers = fibers, .fiber_count = 3, .gates = HTMT_GATE(HTMT_RETIRE),
                .args_bytes = sizeof(struct script *));
}

static void pattern(struct htmt_object *o, unsigned seed)
{
    unsigned char *bytes = htmt_object_bytes(o);
    for (uint64_t i = 0; i < htmt_object_size(o); i++)
        bytes[i] = (unsigned char)(seed + 7 * i);
}

static bool has_pattern(struct htmt_object *o, unsigned seed)
{
    const unsigned char *bytes = htmt_object_bytes(o);
    for (uint64_t i = 0; i < htmt_object_size(o); i++)
        if (bytes[i] != (unsigned char)(seed + 7 * i))
            return false;
    return true;
}

static htmt_time put_once(struct world_spec s, bool handover, struct script *script,
                          const char *layer, bool get)
{
    struct world w = OPEN(&s, .threads = 2);
    uint32_t l = (uint32_t)htmt_emulator_layer(w.e, layer);
    struct htmt_object *src = world_object(&w, get, l, 800, "src");
    struct htmt_object *dst = world_object(&w, !get, l == DRAM ? SRAM : l, 800, "dst");
    pattern(src, 3);
    *script = (struct script){
        .put = {
            .dst = htmt_in(dst, 0), .src = htmt_in(src, 0), .bytes = 800, .handover = handover}};
    struct htmt_type *t = putter(&w, layer);
    START(&w, .type = t, .args = &script);
    htmt_time end = world_run(&w);
    cr_assert(has_pattern(dst, 3), "what arrived was disturbed");
    world_close(&w);
    return end;
}

/* 100 words at 1 ns, latency 50 ns: sent at 100, arrived at 150, signalled by a word at 201. */
Test(exchange, a_source_written_over_after_it_was_sent_does_not_disturb_what_arrives)
{
    struct world_spec s = world_plain(2);
    struct script script;
    s.network[CNET].latency_ns = 50;
    for (int handover = 0; handover < 2; handover++) {
        cr_assert_eq(put_once(s, handover, &script, "cram", false), 201 * NS);
        cr_assert_eq(script.seen, 3);
        cr_assert_eq(script.order[0], 1);
        cr_assert_eq(script.order[1], 2);
    }
}

/* Without latency the arrival may come at the very moment at which the source is free. */
Test(exchange, sent_and_arrived_may_fall_together)
{
    struct world_spec s = world_plain(2);
    struct script script;
    cr_assert_eq(put_once(s, false, &script, "cram", false), 101 * NS);
    cr_assert_eq(script.seen, 3);
    s.network[VORTEX].inner_in = 1;
    cr_assert_eq(put_once(s, false, &script, "dram", false), 101 * NS); /* + signal back */
    cr_assert_eq(script.seen, 3);
    cr_assert_eq(put_once(s, true, &script, "dram", false), 101 * NS);
    cr_assert_eq(script.seen, 3);
}

/* A slow receiver: the source is free at 100 ns, the last word is there at 50 + 400 ns; the signal
 * of the arrival goes back in 1 + 50 ns. */
Test(exchange, a_sender_need_not_wait_for_a_slow_receiver)
{
    struct world_spec s = world_plain(2);
    struct script script;
    s.network[VORTEX] = (struct world_network){0, 50, 1000, 1000, 0, 1, 250};
    cr_assert_eq(put_once(s, false, &script, "dram", false), (50 + 400 + 1 + 50) * NS);
    cr_assert_eq(script.order[0], 1);
}

/* A get: one word asks (1 + 50 ns), 100 words come (100 + 50); the word that tells of the free
 * source leaves at 151 and needs 51 more, behind nothing. */
Test(exchange, a_get_asks_by_one_word)
{
    struct world_spec s = world_plain(2);
    struct script script;
    s.network[CNET].latency_ns = 50;
    cr_assert_eq(put_once(s, false, &script, "cram", true), (51 + 100 + 51) * NS);
    cr_assert_eq(script.order[0] + script.order[1], 3);
}

/* Start-up 30 and latency 50 ns; the word that tells of the arrival takes 30 + 1 + 50 ns back.
 * Where nothing receives, a message without words is refused. */
Test(exchange, a_put_of_no_bytes_takes_start_up_and_latency_and_moves_nothing)
{
    struct world_spec s = world_plain(2);
    for (unsigned in = 0; in < 2; in++) {
        s.network[CNET] = (struct world_network){30, 50, 1000, 1000, in, in, 1000};
        struct world w = OPEN(&s, .threads = 2);
        struct htmt_object *src = world_object(&w, 0, CRAM, 8, "src"),
                           *dst = world_object(&w, 1, CRAM, 8, "dst");
        pattern(src, 3);
        pattern(dst, 5);
        struct script all = {.put = {.dst = htmt_in(dst, 0), .src = htmt_in(src, 0)}},
                      *script = &all;
        START(&w, .type = putter(&w, "cram"), .args = &script);
        if (in) {
            cr_expect_eq(world_run(&w), (30 + 50 + 30 + 1 + 50) * NS);
            cr_expect_eq(all.seen, 3);
            cr_expect(has_pattern(dst, 5));
        } else {
            cr_expect_eq(htmt_emulator_run(w.e), HTMT_EBOUNDS);
        }
        world_close(&w);
    }
}

static htmt_time take_own(bool ask)
{
    struct world_spec s = world_plain(1);
    s.network[VORTEX].latency_ns = 50;
    struct world w = OPEN(&s, .threads = 2);
    struct htmt_object *src = world_object(&w, 0, DRAM, 800, "src");
    struct htmt_object *dst = world_object(&w, 0, SRAM, 800, "dst");
    pattern(src, 3);
    struct script all = {
        .put = {.dst = htmt_in(dst, 0), .src = htmt_in(src, 0), .bytes = 800, .ask = ask}};
    struct script *script = &all;
    START(&w, .type = putter(&w, "sram"), .args = &script);
    htmt_time end = world_run(&w);
    cr_assert(has_pattern(dst, 3));
    world_close(&w);
    return end;
}

Test(exchange, a_put_that_asks_takes_from_the_own_slice_as_long_as_a_get_from_another)
{
    cr_assert_eq(take_own(true), (51 + 100 + 51) * NS);
    cr_assert_eq(take_own(false), (100 + 51) * NS);
}

/* ---- signals --------------------------------------------------------------------------------- */

struct far {
    struct htmt_slot slot;
};

CONTROL(signal_far, htmt_signal(c, ((const struct far *)htmt_args(c))->slot))
CONTROL(wait_once, htmt_slot_set(c, 1, 1, 0))
CONTROL(end_self, htmt_retire(c, htmt_self(c)))

static struct htmt_type *listener(struct world *w, const char *layer)
{
    static const struct htmt_stage fiber = {.control = end_self};
    return TYPE(w, .name = "listener", .home = layer, .exec = layer,
                .execute = {.control = wait_once}, .fibers = &fiber, .fiber_count = 1,
                .gates = HTMT_GATE(HTMT_RETIRE));
}

static htmt_time signal_once(const struct world_spec *s, const char *from, uint32_t to_slice,
                             const char *to)
{
    struct world w = OPEN(s, .mode = HTMT_MODEL);
    struct htmt_parcel_desc d = {.type = listener(&w, to), .slice = to_slice};
    struct htmt_ref ref;
    cr_assert_eq(htmt_assemble(htmt_root(w.e), &d, &ref), 0);
    struct far far = {htmt_slot_of(ref, 1)};
    struct htmt_type *t = TYPE(&w, .name = "caller", .home = from, .exec = from,
                               .execute = {.control = signal_far}, .args_bytes = sizeof far);
    START(&w, .type = t, .args = &far);
    htmt_time end = world_run(&w);
    world_close(&w);
    return end;
}

/* A word on the vortex: 1 + 85; on the RTI: 1 + 20; on the CNET: 1 + 7. */
Test(exchange, a_signal_takes_the_shortest_chain_of_networks)
{
    struct world_spec s = world_plain(2);
    s.network[VORTEX].latency_ns = 85;
    s.network[RTI].latency_ns = 20;
    s.network[CNET].latency_ns = 7;
    cr_assert_eq(signal_once(&s, "cram", 0, "cram"), 0);
    cr_assert_eq(signal_once(&s, "cram", 1, "cram"), 8 * NS);
    cr_assert_eq(signal_once(&s, "sram", 0, "cram"), 21 * NS);
    cr_assert_eq(signal_once(&s, "dram", 0, "cram"), (86 + 21) * NS);
    cr_assert_eq(signal_once(&s, "dram", 1, "cram"), (86 + 21) * NS);
    cr_assert_eq(signal_once(&s, "sram", 1, "dram"), 86 * NS);
}

/* ---- mailboxes ------------------------------------------------------------------------------- */

struct post {
    struct htmt_mailbox *box;
    struct htmt_object *src;
    uint64_t records, delay;
    struct htmt_slot arrived;
};

static void post(struct htmt_context *c)
{
    const struct post *p = htmt_args(c);
    htmt_charge(c, HTMT_CYCLE, p->delay);
    htmt_send(c, p->box, htmt_in(p->src, 0), p->records, (struct htmt_slot){0}, p->arrived);
}

/* The receiver: fiber 1 takes; after `want` records it ends. */
struct inbox {
    struct htmt_mailbox *box;
    struct htmt_object *all, *other;
    uint32_t first, reset;
    uint64_t service, want, got, takes, most;
    uint64_t value[32], values; /* what the kernel saw */
    uint64_t second;            /* size of the use after the mailbox's */
    bool end_at_once;
};

static struct inbox *inbox_of(struct htmt_context *c)
{
    struct inbox *i;
    memcpy(&i, htmt_args(c), sizeof i);
    return i;
}

CONTROL(open_inbox, const struct inbox *i = inbox_of(c); htmt_slot_set(c, 1, i->first, i->reset))

static void read_inbox(struct htmt_kernel *k)
{
    struct inbox *i;
    memcpy(&i, htmt_kernel_args(k), sizeof i);
    const uint64_t *value = htmt_used(k, 0);
    for (uint64_t n = 0; n < htmt_used_size(k, 0) / sizeof *value && i->values < 32; n++)
        i->value[i->values++] = value[n];
    i->second = htmt_used_size(k, 1);
}

static void take(struct htmt_context *c)
{
    struct inbox *i = inbox_of(c);
    uint64_t n = htmt_take(c, i->box);
    htmt_use(c, htmt_in(i->other, 0), 16, HTMT_READ);
    i->got += n;
    i->takes++;
    if (n > i->most)
        i->most = n;
    htmt_work(c);
    htmt_charge(c, HTMT_CYCLE, i->service);
    if (i->got == i->want)
        htmt_retire(c, htmt_self(c));
}

static struct htmt_slot receiver(struct world *w, struct inbox *i, const char *layer)
{
    static const struct htmt_stage fiber = {.kernel = read_inbox, .control = take};
    struct htmt_type *t =
        TYPE(w, .name = "receiver", .home = layer, .exec = layer,
             .execute = {.control = open_inbox}, .fibers = &fiber, .fiber_count = 1,
             .gates = HTMT_GATE(HTMT_RETIRE), .args_bytes = sizeof i);
    struct htmt_ref ref;
    cr_assert_eq(ASSEMBLE(htmt_root(w->e), &ref, .type = t, .args = &i), 0);
    return htmt_slot_of(ref, 1);
}

static struct htmt_type *poster(struct world *w, const char *layer)
{
    return TYPE(w, .name = "poster", .home = layer, .exec = layer, .execute = {.control = post},
                .args_bytes = sizeof(struct post));
}

static void post_from(struct world *w, struct htmt_type *t, uint32_t slice, struct post p,
                      uint64_t value)
{
    p.src = world_object(w, slice, (uint32_t)htmt_emulator_layer(w->e, "cram"), 64, "record");
    uint64_t *bytes = htmt_object_bytes(p.src);
    for (unsigned i = 0; bytes && i < 8; i++)
        bytes[i] = value + i;
    START(w, .type = t, .slice = slice, .args = &p);
}

static struct inbox make_inbox(struct world *w, uint64_t records)
{
    struct inbox i = {.other = world_object(w, 0, CRAM, 16, "other")};
    cr_assert_eq(htmt_mailbox_create(w->e, 0, CRAM, 8, records, "box", &i.box), 0);
    return i;
}

/* Ask and grant are a word each way, then n words: three latencies before they are there. */
Test(exchange, a_mailbox_holds_records_in_the_order_of_virtual_arrival)
{
    struct world_spec s = world_plain(4);
    s.network[CNET].latency_ns = 20;
    struct world w = OPEN(&s, .threads = 3, .delay_seed = 5);
    struct inbox i = make_inbox(&w, 12);
    i.first = 3;
    i.want = 6;
    struct post p = {.box = i.box, .records = 2, .arrived = receiver(&w, &i, "cram")};
    struct htmt_type *t = poster(&w, "cram");
    const uint64_t delay[] = {0, 300, 100, 200};
    for (uint32_t k = 1; k < 4; k++) {
        p.delay = delay[k];
        post_from(&w, t, k, p, 10 * k);
    }
    /* the last asks at 300: 21 + 21 + 22 */
    cr_assert_eq(world_run(&w), (300 + 64) * NS);
    const uint64_t want[] = {20, 21, 30, 31, 10, 11};
    cr_assert_eq(i.values, 6);
    for (unsigned k = 0; k < 6; k++)
        cr_assert_eq(i.value[k], want[k], "record %u is %llu", k, (unsigned long long)i.value[k]);
    world_close(&w);
}

/* Room for two: the second sender waits until the service that took the first has ended. */
Test(exchange, room_in_a_mailbox_is_free_at_the_end_of_the_service_that_takes)
{
    struct world_spec s = world_plain(1);
    s.servers[CRAM] = 4;
    for (int model = 0; model < 2; model++) {
        struct world w = OPEN(&s, .mode = model ? HTMT_MODEL : HTMT_RUN);
        struct inbox i = make_inbox(&w, 2);
        i.first = i.reset = 1;
        i.want = 4;
        i.service = 100;
        struct post p = {.box = i.box, .records = 2, .arrived = receiver(&w, &i, "cram")};
        struct htmt_type *t = poster(&w, "cram");
        post_from(&w, t, 0, p, 1);
        p.delay = 10;
        post_from(&w, t, 0, p, 5);
        cr_assert_eq(world_run(&w), 200 * NS);
        cr_assert_eq(i.takes, 2);
        cr_assert_eq(i.most, 2);
        world_close(&w);
    }
}

/* An access of eight words takes 100 ns, far more than a word on the network: the word that asks,
 * the one that grants, and the eight words of two records, since they lie in one piece.
 */
Test(exchange, a_send_takes_three_ways_and_records_lie_in_one_piece)
{
    struct world_spec s = world_plain(2);
    struct htmt_machine *m = world_machine(&s);
    m->layer[CRAM].memory.access = (struct htmt_ratio){100 * (uint64_t)NS, 1};
    m->layer[CRAM].memory.access_words = 8;
    m->network[CNET].latency = 7 * NS;
    for (int model = 0; model < 2; model++) {
        struct world w = {.m = NULL};
        struct htmt_options o = {.machine = m, .mode = model ? HTMT_MODEL : HTMT_RUN};
        struct htmt_mailbox *box = NULL;
        cr_assert_eq(htmt_emulator_create(&w.e, &o, NULL), 0);
        cr_assert_eq(htmt_mailbox_create(w.e, 0, CRAM, 32, 2, "box", &box), 0);
        struct post p = {.box = box, .records = 2};
        post_from(&w, poster(&w, "cram"), 1, p, 1);
        cr_assert_eq(world_run(&w), 3 * (100 + 7) * NS);
        htmt_emulator_destroy(&w.e);
    }
    htmt_machine_destroy(&m);
}

static void post_one_by_one(struct htmt_context *c)
{
    struct post p;
    memcpy(&p, htmt_args(c), sizeof p);
    for (unsigned k = 0; k < p.records; k++)
        htmt_send(c, p.box, htmt_in(p.src, 8 * k), 1, (struct htmt_slot){0}, p.arrived);
}

/* All at one instant, from places that were used before in another order. */
Test(exchange, a_senders_records_keep_its_order)
{
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .threads = 1);
    struct inbox i = make_inbox(&w, 8);
    i.first = 8;
    i.want = 8;
    struct htmt_type *gone = TYPE(&w, .name = "gone", .home = "cram", .exec = "cram");
    for (unsigned k = 0; k < 5; k++)
        START(&w, .type = gone);
    struct post p = {.box = i.box, .records = 8, .arrived = receiver(&w, &i, "cram")};
    struct htmt_type *t = TYPE(&w, .name = "posters", .home = "cram", .exec = "cram",
                               .execute = {.control = post_one_by_one}, .args_bytes = sizeof p);
    post_from(&w, t, 0, p, 100);
    world_run(&w);
    cr_assert_eq(i.values, 8);
    for (unsigned k = 0; k < 8; k++)
        cr_assert_eq(i.value[k], 100 + k, "record %u is %llu", k, (unsigned long long)i.value[k]);
    world_close(&w);
}

/* Who has nothing to send tells so by sending no records. */
Test(exchange, no_records_are_a_message_too)
{
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .threads = 1);
    struct inbox i = make_inbox(&w, 2);
    i.first = 1;
    struct post p = {.box = i.box, .records = 0, .arrived = receiver(&w, &i, "cram")};
    post_from(&w, poster(&w, "cram"), 0, p, 1);
    cr_assert_eq(world_run(&w), 0);
    cr_assert_eq(i.takes, 1);
    cr_assert_eq(i.values, 0);
    cr_assert_eq(i.second, 16, "an empty mailbox is a use of no bytes; found %llu",
                 (unsigned long long)i.second);
    world_close(&w);
}
