/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Departures from percolation: found in what types do, and priced by the machine's own figures.
 */
#include "tests/parcels/world.h"

static struct htmt_departure_report departure(const struct world *w, const char *type,
                                              enum htmt_departure kind)
{
    struct htmt_departure_report r = {0};
    for (uint32_t i = 0; i < htmt_departure_count(w->e); i++) {
        cr_assert_eq(htmt_departure_at(w->e, i, &r), 0);
        if (r.kind == kind && strcmp(r.type, type) == 0)
            return r;
    }
    cr_assert_fail("no type %s", type);
    return r;
}

/* ---- resident state -------------------------------------------------------------------------- */

enum { TABLE = 300, LINE = 40, LINES = 20, EXECUTE = 1000 };

/* Lines that look things up in a table in CRAM, one after another. */
static htmt_time look_up(struct htmt_options o, bool read_only, unsigned declared,
                         struct htmt_departure_report *seen)
{
    static const struct world_work work = {.execute = EXECUTE};
    struct world_spec s = world_plain(1);
    o.mode = HTMT_MODEL;
    s.network[RTI].latency_ns = 5;
    s.capacity[CRAM] = (o.what_if ? 2 : 1) * TABLE + LINE; /* no line overlaps another */
    struct world w = world_open(&s, o);
    struct htmt_type_desc d = world_eight();
    d.name = "line";
    d.home = "sram";
    d.departures = declared;
    struct htmt_type *type = world_type(&w, d);
    struct htmt_object *table = world_object(&w, 0, CRAM, 8 * TABLE, "table");
    struct htmt_object *data = world_object(&w, 0, SRAM, 8 * LINE, "data");
    struct htmt_region r[] = {
        {.from = htmt_in(data, 0), .bytes = 8 * LINE},
        {.into = htmt_in(table, 0), .bytes = 8 * TABLE, .read_only = read_only}};
    for (int i = 0; i < LINES; i++)
        START(&w, .type = type, .args = &work, .regions = r, .region_count = 2);
    htmt_time t = world_run(&w);
    if (seen)
        *seen = departure(&w, "line", HTMT_DEPARTS_RESIDENT);
    world_close(&w);
    return t;
}

Test(departure, resident_state_is_counted_and_priced_by_its_moves)
{
    struct htmt_departure_report r;
    look_up((struct htmt_options){.lint = true}, true, HTMT_DEPARTS_RESIDENT, &r);
    cr_assert(r.declared);
    cr_assert_eq(r.count, LINES);
    cr_assert_eq((uint64_t)r.words, LINES * TABLE);
    cr_assert_eq((int64_t)r.time, LINES * (TABLE + 5) * NS);
    look_up((struct htmt_options){.lint = true}, false, 0, &r);
    cr_assert_not(r.declared);
    cr_assert_eq((uint64_t)r.words, 2 * LINES * TABLE);
    cr_assert_eq((int64_t)r.time, 2 * LINES * (TABLE + 5) * NS);
}

/* Room for one line: inject and execute alternate, and the table joins the inject. */
Test(departure, state_that_moves_takes_its_time)
{
    htmt_time kept = look_up((struct htmt_options){0}, true, 0, NULL);
    htmt_time moved =
        look_up((struct htmt_options){.what_if = HTMT_DEPARTS_RESIDENT}, true, 0, NULL);
    htmt_time both =
        look_up((struct htmt_options){.what_if = HTMT_DEPARTS_RESIDENT}, false, 0, NULL);
    cr_assert_eq(kept, LINES * (LINE + 5 + EXECUTE) * NS);
    cr_assert_eq(moved - kept, LINES * TABLE * NS);
    cr_assert_eq(both - moved, LINES * (TABLE + 5) * NS);
}

Test(departure, nothing_is_counted_unless_it_was_asked_for)
{
    struct htmt_departure_report r;
    look_up((struct htmt_options){0}, true, HTMT_DEPARTS_RESIDENT, &r);
    cr_assert_eq(r.count, 0);
    cr_assert(r.declared);
}

/* ---- exchange and fibers --------------------------------------------------------------------- */

struct swap {
    struct htmt_frame *frame;
};

static void send_on(struct htmt_context *c)
{
    const struct swap *s = htmt_args(c);
    uint32_t here = htmt_slice(c);
    PUT(c, .src = htmt_at(s->frame, here, 0), .dst = htmt_at(s->frame, 1 - here, 80), .bytes = 80,
        .on_sent = htmt_slot(c, 1));
}

CONTROL(done, htmt_retire(c, htmt_self(c)))

Test(departure, exchanges_and_later_fibers_are_found)
{
    struct htmt_stage fiber = {.control = done, .count = 1};
    struct world_spec spec = world_plain(2);
    struct world w = OPEN(&spec, .mode = HTMT_MODEL, .lint = true);
    struct swap s;
    cr_assert_eq(htmt_frame_create(w.e, CRAM, 160, "frame", &s.frame), 0);
    struct htmt_type *type =
        TYPE(&w, .name = "swap", .home = "cram", .exec = "cram", .execute = {.control = send_on},
             .fibers = &fiber, .fiber_count = 1, .gates = HTMT_GATE(HTMT_RETIRE),
             .departures = HTMT_DEPARTS_OPEN, .args_bytes = sizeof s);
    for (uint32_t i = 0; i < 2; i++)
        START(&w, .type = type, .slice = i, .args = &s);
    world_run(&w);
    struct htmt_departure_report open = departure(&w, "swap", HTMT_DEPARTS_OPEN);
    struct htmt_departure_report exchange = departure(&w, "swap", HTMT_DEPARTS_EXCHANGE);
    cr_assert(open.declared && open.count == 2);
    cr_assert(!exchange.declared && exchange.count == 2);
    cr_assert_eq((uint64_t)exchange.words, 20);
    /* CRAM to SRAM, over the vortex to the other's SRAM, to its CRAM */
    cr_assert_eq((int64_t)exchange.time, 2 * 3 * 10 * NS);
    world_close(&w);
}
