/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Posts on the cells of the shipped machine am-cca: instants by hand, and a breadth-first search
 * that costs the same cycles and messages as on the plain grid of tests/network.
 */
#include "emul/lib/trace/check.h"
#include "emul/trace/htmt_trace.h"
#include "parcels/htmt.h"
#include "tests/network/cell_graph.h"
#include "tests/parcels/accounts.h"
#include "tests/ranks/threads.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NS    INT64_C(1000000)
#define CELLS 64u

/* ---- a machine, an emulator ------------------------------------------------------------------ */

struct chip {
    struct htmt_machine *m;
    struct htmt_emulator *e;
};

static void open_chip(struct chip *c, struct htmt_options o, uint32_t cells, const char *set)
{
    char slices[32];
    struct htmt_fault fault = {0};
    snprintf(slices, sizeof slices, "slices=%u", cells);
    const char *sets[] = {slices, set};
    *c = (struct chip){NULL, NULL};
    cr_assert_eq(htmt_machine_load("am-cca", sets, set ? 2 : 1, &c->m, &fault), 0, "%s",
                 fault.text);
    o.machine = c->m;
    cr_assert_eq(htmt_emulator_create(&c->e, &o, &fault), 0, "%s", fault.text);
}

static void close_chip(struct chip *c)
{
    htmt_emulator_destroy(&c->e);
    htmt_machine_destroy(&c->m);
}

static struct htmt_type *type_of(struct chip *c, struct htmt_type_desc d)
{
    struct htmt_type *t = NULL;
    d.size = sizeof d;
    d.home = d.exec = "cell";
    cr_assert_eq(htmt_type_create(c->e, &d, &t), 0, "%s", htmt_emulator_fault(c->e)->text);
    return t;
}

static void run_chip(struct chip *c)
{
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt_emulator_run(c->e), 0, "%s", htmt_emulator_fault(c->e)->text);
    cr_assert_eq(htmt_audit(c->e, &fault), 0, "%s", fault.text);
}

/* ---- by hand --------------------------------------------------------------------------------- */

struct relay {
    struct htmt_type *type;
    htmt_time began[8];
};

struct order {
    uint32_t me, to, next, cycles; /* `next`: whom it posts to `to`; 0: nobody */
};

static void relay(struct htmt_context *c)
{
    struct relay *r = (struct relay *)htmt_user(c);
    const struct order *o = htmt_args(c);
    r->began[o->me] = htmt_began(c);
    htmt_charge(c, HTMT_CYCLE, o->cycles);
    if (o->next)
        htmt_post(c, r->type, o->to, &(struct order){.me = o->next});
}

/* To cell 9 and back. */
static void relay_on(struct htmt_context *c)
{
    struct relay *r = (struct relay *)htmt_user(c);
    const struct order *o = htmt_args(c);
    r->began[o->me] = htmt_began(c);
    htmt_charge(c, HTMT_CYCLE, o->cycles);
    if (o->me < 2)
        htmt_post(c, r->type, o->me ? 0 : 9, &(struct order){.me = o->me + 1, .cycles = 5});
}

/* Returns the predicted time. */
static htmt_time play_relay(struct relay *r, uint32_t from, struct order o, const char *set)
{
    struct chip c;
    open_chip(&c, (struct htmt_options){.mode = HTMT_MODEL}, CELLS, set);
    r->type = type_of(&c, (struct htmt_type_desc){.name = "relay",
                                                  .execute.control = relay,
                                                  .args_bytes = sizeof(struct order),
                                                  .user = r});
    cr_assert_eq(htmt_post(htmt_root(c.e), r->type, from, &o), 0);
    run_chip(&c);
    const htmt_time predicted = htmt_predicted(c.e);
    close_chip(&c);
    return predicted;
}

/* Cycle 0 runs the first control, cycle 1 stages the message, h hops are done when cycle h is over,
 * cycle 1 + h runs its control, and no cell is active behind that. To the own cell it is there in
 * cycle 2. Cell 63 is one step up and one to the left of cell 0 round the torus. */
Test(cells, a_post_is_served_one_cycle_and_its_hops_behind_the_control_that_posted_it)
{
    static const uint32_t far[][2] = {{0, 1}, {1, 1}, {9, 2}, {4, 4}, {36, 8}, {63, 2}};
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        struct relay r = {0};
        const htmt_time all = play_relay(&r, 0, (struct order){.to = far[i][0], .next = 1}, NULL);
        cr_expect_eq(r.began[0], 0);
        cr_expect_eq(r.began[1], (1 + far[i][1]) * NS, "to cell %u", far[i][0]);
        cr_expect_eq(all, (2 + far[i][1]) * NS);
    }
}

/* The 66 cycles of a control begin behind its own one: cycles 1 to 66, in which the router stands
 * and nothing is staged; cycle 67 stages. */
Test(cells, what_a_control_charges_holds_its_router_for_as_many_cycles)
{
    struct relay r = {0};
    play_relay(&r, 0, (struct order){.to = 1, .next = 1, .cycles = 66}, NULL);
    cr_expect_eq(r.began[1], 68 * NS);
}

/* One cell: the control begins in cycle 0, and what it charges is behind the end of the run. */
Test(cells, a_core_is_busy_for_its_cycle_and_what_it_charges_up_to_the_end_of_the_run)
{
    struct relay r = {0};
    struct chip c;
    struct htmt_resource_report core;
    open_chip(&c, (struct htmt_options){.mode = HTMT_MODEL}, 1, NULL);
    r.type = type_of(&c, (struct htmt_type_desc){.name = "relay",
                                                 .execute.control = relay,
                                                 .args_bytes = sizeof(struct order),
                                                 .user = &r});
    cr_assert_eq(htmt_post(htmt_root(c.e), r.type, 0, &(struct order){.next = 1, .cycles = 5}), 0);
    run_chip(&c);
    cr_expect_eq(r.began[1], 7 * NS, "6 cycles of the core, one to stage");
    cr_expect_eq(htmt_predicted(c.e), 8 * NS);
    cr_assert_eq(htmt_resource_at(c.e, 0, &core), 0);
    cr_expect_eq(core.busy, 7 * NS);
    close_chip(&c);
}

static void sectioned(struct htmt_context *c)
{
    htmt_section(c, ((const struct order *)htmt_args(c))->me ? "second" : "first");
    relay(c);
}

/* Controls on cells charge and post, and nothing else; all of a run may be one section. */
Test(cells, sections_are_refused_in_controls_and_taken_from_the_host)
{
    for (int way = 0; way < 4; way++) {
        const bool inside = way == 3;
        struct htmt_options o = {.mode = HTMT_MODEL, .clock_threads = (uint32_t)way};
        struct relay r = {0};
        struct chip c;
        struct htmt_section_report s;
        o.clock = way == 2 ? HTMT_CLOCK_SHARED : way ? HTMT_CLOCK_WINDOWS : HTMT_CLOCK_AUTO;
        open_chip(&c, o, CELLS, NULL);
        r.type = type_of(&c, (struct htmt_type_desc){.name = "relay",
                                                     .execute.control = inside ? sectioned : relay,
                                                     .args_bytes = sizeof(struct order),
                                                     .user = &r});
        cr_assert_eq(
            htmt_post(htmt_root(c.e), r.type, 0, &(struct order){.to = 1, .next = 1, .cycles = 2}),
            0);
        if (inside) {
            cr_expect_eq(htmt_emulator_run(c.e), HTMT_EINVAL);
            cr_expect(strstr(htmt_emulator_fault(c.e)->text, "does more than charge and post"),
                      "%s", htmt_emulator_fault(c.e)->text);
        } else {
            htmt_section(htmt_root(c.e), "all");
            run_chip(&c);
            cr_assert_eq(htmt_section_at(c.e, 1, &s), 0);
            cr_expect_str_eq(s.name, "all");
            cr_expect_eq(s.time, 5 * NS * CELLS);
            cr_expect_eq(s.busy, 4 * NS);
        }
        close_chip(&c);
    }
}

/* At 2 GHz with hops of half a nanosecond all is twice as fast. */
Test(cells, a_cycle_is_that_of_the_machine_file)
{
    struct relay r = {0};
    struct chip c;
    struct htmt_fault fault = {0};
    const char *set[] = {"slices=64", "layers.cell.processor.clock=2 GHz",
                         "networks.grid.latency=0.5 ns"};
    cr_assert_eq(htmt_machine_load("am-cca", set, 3, &c.m, &fault), 0, "%s", fault.text);
    struct htmt_options o = {.mode = HTMT_MODEL, .machine = c.m};
    cr_assert_eq(htmt_emulator_create(&c.e, &o, &fault), 0);
    r.type = type_of(&c, (struct htmt_type_desc){.name = "relay",
                                                 .execute.control = relay,
                                                 .args_bytes = sizeof(struct order),
                                                 .user = &r});
    cr_assert_eq(htmt_post(htmt_root(c.e), r.type, 0, &(struct order){.to = 9, .next = 1}), 0);
    run_chip(&c);
    cr_expect_eq(r.began[1], 3 * NS / 2);
    cr_expect_eq(htmt_predicted(c.e), 2 * NS);
    close_chip(&c);
}

/* ---- breadth-first search -------------------------------------------------------------------- */

/* Vertex v lives on the cell where tests/network places it: they begin in the middle. */
struct search {
    struct chip chip;
    const struct edges *g;
    uint32_t *first; /* of each vertex, in `to` */
    uint32_t *to;
    struct htmt_type *action, *diffuse;
    struct htmt_object *levels[CELLS];
};

struct visit {
    uint32_t vertex, level;
};

static uint32_t cell_of(uint32_t vertex)
{
    return (36 + vertex) % CELLS;
}

static uint32_t *level_of(struct htmt_context *c, const struct search *s, uint32_t vertex)
{
    return (uint32_t *)htmt_kept(c, s->levels[htmt_slice(c)]) + vertex / CELLS;
}

static bool is_lower(struct htmt_context *c)
{
    const struct search *s = htmt_user(c);
    const struct visit *v = htmt_args(c);
    const uint32_t level = *level_of(c, s, v->vertex);
    htmt_charge(c, HTMT_CYCLE, 1);
    return !level || level - 1 > v->level;
}

static void lower(struct htmt_context *c)
{
    const struct search *s = htmt_user(c);
    const struct visit *v = htmt_args(c);
    *level_of(c, s, v->vertex) = v->level + 1;
    htmt_charge(c, HTMT_CYCLE, 1);
    htmt_post(c, s->diffuse, htmt_slice(c), v);
}

static bool is_still(struct htmt_context *c)
{
    const struct search *s = htmt_user(c);
    const struct visit *v = htmt_args(c);
    htmt_charge(c, HTMT_CYCLE, 1);
    return *level_of(c, s, v->vertex) - 1 == v->level;
}

static void tell_one(struct htmt_context *c, uint64_t i)
{
    const struct search *s = htmt_user(c);
    const struct visit *v = htmt_args(c);
    const struct visit next = {s->to[s->first[v->vertex] + i], v->level + 1};
    htmt_post(c, s->action, cell_of(next.vertex), &next);
}

static void tell_all(struct htmt_context *c)
{
    const struct search *s = htmt_user(c);
    const struct visit *v = htmt_args(c);
    const uint32_t count = s->first[v->vertex + 1] - s->first[v->vertex];
    if (count)
        htmt_each(c, count, tell_one);
}

static void open_search(struct search *s, const struct edges *g, struct htmt_options o,
                        const char *set)
{
    *s = (struct search){.g = g};
    open_chip(&s->chip, o, CELLS, set);
    s->first = calloc(g->vertices + 2, sizeof *s->first);
    s->to = calloc(g->count + 1, sizeof *s->to);
    for (uint32_t i = 0; i < g->count; i++)
        s->first[g->at[i].from + 2]++;
    for (uint32_t v = 2; v < g->vertices + 2; v++)
        s->first[v] += s->first[v - 1];
    for (uint32_t i = 0; i < g->count; i++)
        s->to[s->first[g->at[i].from + 1]++] = g->at[i].to;
    s->action = type_of(&s->chip, (struct htmt_type_desc){.name = "action",
                                                          .execute.control = lower,
                                                          .args_bytes = sizeof(struct visit),
                                                          .queue = "action",
                                                          .wanted = is_lower,
                                                          .user = s});
    s->diffuse = type_of(&s->chip, (struct htmt_type_desc){.name = "diffuse",
                                                           .execute.control = tell_all,
                                                           .args_bytes = sizeof(struct visit),
                                                           .queue = "diffuse",
                                                           .wanted = is_still,
                                                           .user = s});
    for (uint32_t i = 0; i < CELLS; i++)
        cr_assert_eq(htmt_object_create_kept(s->chip.e, i, 0, 4 * (g->vertices / CELLS + 1),
                                             "levels", &s->levels[i]),
                     0);
    cr_assert_eq(htmt_post(htmt_root(s->chip.e), s->action, cell_of(0), &(struct visit){0, 0}), 0);
}

static void close_search(struct search *s)
{
    close_chip(&s->chip);
    free(s->first);
    free(s->to);
}

/* At most ten edges of each vertex: no ghosts. */
static struct edges made_graph(uint32_t vertices)
{
    struct edges g = {.vertices = vertices, .count = 0, .at = calloc(10 * vertices, sizeof *g.at)};
    struct cell_random r;
    cell_random_begin(&r, vertices);
    for (uint32_t v = 0; v < vertices; v++)
        for (uint32_t k = cell_random_next(&r) % 11; k > 0; k--)
            g.at[g.count++] = (struct edge){v, cell_random_next(&r) % vertices, 1};
    return g;
}

static void expect_counts(const struct search *s, const struct cell_result *r)
{
    struct htmt_cells c = htmt_cells_init();
    const struct htmt__cells_account *a = &r->counts;
    cr_assert_eq(htmt_cells_of(s->chip.e, &c), 0);
    cr_expect_eq(htmt_cells_span_count(s->chip.e), 0); /* nobody asked */
    cr_expect_eq(htmt_predicted(s->chip.e), (htmt_time)r->cycles * NS);
    cr_expect_eq(c.cycles, r->cycles);
    cr_expect_eq(c.hops, a->hops);
    cr_expect_eq(c.created, a->created);
    cr_expect_eq(c.work, a->work);
    cr_expect_eq(c.unwanted, a->unwanted);
    cr_expect_eq(c.diffusions, a->diffusions);
    cr_expect_eq(c.done, a->done);
    cr_expect_eq(c.outdated, a->outdated);
    cr_expect_eq(c.filtered, a->filtered);
    cr_expect_eq(c.overlapped, a->overlapped);
    cr_expect_eq(c.active, a->active);
    cr_expect_eq(c.standing, a->standing);
    cr_expect_eq(c.throttled, a->throttled);
    for (uint32_t v = 0; v < s->g->vertices; v++) {
        const uint32_t *levels = htmt_object_bytes(s->levels[cell_of(v)]);
        cr_assert_eq(levels[v / CELLS] ? levels[v / CELLS] - 1 : 999999, r->value[v]);
    }
}

/* Torus and mesh, with scarce and with ample room; each time the plain grid is the judge. */
Test(cells, a_search_takes_the_cycles_and_messages_of_the_plain_grid)
{
    struct edges g = made_graph(900);
    static const char *const set[] = {NULL,
                                      "networks.grid.inside.topology=mesh",
                                      "networks.grid.inside.buffer=1",
                                      "networks.grid.inside.throttle=not-modelled",
                                      "layers.cell.processor.queues.action.room=2",
                                      "networks.grid.inside.channels=2"};
    for (unsigned i = 0; i < sizeof set / sizeof *set; i++) {
        struct cell_case c = cell_case_of(8);
        struct search s;
        c.plain = true;
        c.grid.torus = i != 1;
        c.grid.buffer = i == 2 ? 1 : 4;
        c.grid.throttle = i != 3;
        c.grid.action = i == 4 ? 2 : 2048;
        c.grid.channels = i == 5 ? 2 : 4;
        struct cell_result r = cell_play(&g, &c);
        cr_assert_eq(r.failed, 0);
        cr_assert_eq(r.stuck, 0);
        open_search(&s, &g, (struct htmt_options){.mode = i % 2 ? HTMT_RUN : HTMT_MODEL}, set[i]);
        run_chip(&s.chip);
        expect_counts(&s, &r);
        close_search(&s);
        free(r.value);
    }
    edges_destroy(&g);
}

/* The last control of a chain of three, on cells 0, 9 (two hops) and 0 again, charging 5 each. In
 * cycles: 0 to 5 the first core, 6 stages, executed in 8 (one cycle and two hops behind the core);
 * 8 to 13 the second, staged in 14, executed in 16, where the run ends. The path is a whole of
 * 17: services 6, 6 and 1, the rest on the way. */
Test(cells, the_critical_path_is_a_chain_of_controls_and_ways_that_is_as_long_as_the_run)
{
    struct relay r = {0};
    struct chip c;
    struct htmt_path path;
    htmt_time served = 0, way = 0;
    open_chip(&c, (struct htmt_options){.mode = HTMT_MODEL, .explain = true}, CELLS, NULL);
    r.type = type_of(&c, (struct htmt_type_desc){.name = "relay",
                                                 .execute.control = relay_on,
                                                 .args_bytes = sizeof(struct order),
                                                 .user = &r});
    cr_assert_eq(htmt_post(htmt_root(c.e), r.type, 0, &(struct order){.cycles = 5}), 0);
    run_chip(&c);
    cr_expect_eq(r.began[2], 16 * NS);
    cr_expect_eq(htmt_predicted(c.e), 17 * NS);
    cr_assert_eq(htmt_path_find(c.e, &path), 0);
    for (uint32_t i = 0; i < path.count; i++)
        *(path.part[i].place == HTMT_PATH_SERVED ? &served : &way) += path.part[i].time;
    cr_expect_eq(served, 13 * NS);
    cr_expect_eq(way, 4 * NS);
    htmt_path_clear(&path);
    close_chip(&c);
}

/* htmt trace check compares what its intervals sum up to with the accounts at its end. The last
 * control charges beyond the end of the run. */
Test(cells, a_trace_has_the_services_of_all_cores)
{
    struct edges g = made_graph(300);
    struct search s;
    struct htmt_recording recording = htmt_recording_init();
    struct htmt_trace *t = NULL;
    struct htmt_fault fault = {0};
    char path[] = "/tmp/cells_test.XXXXXX";
    const int file = mkstemp(path);
    cr_assert_geq(file, 0);
    close(file);
    recording.path = path;
    open_search(&s, &g, (struct htmt_options){.mode = HTMT_MODEL, .recording = &recording}, NULL);
    run_chip(&s.chip);
    close_search(&s);
    cr_assert_eq(htmt_trace_open(&t, path, &fault), 0, "%s", fault.text);
    cr_expect_eq(htmt__trace_check(t, &fault), 0, "%s", fault.text);
    htmt_trace_close(&t);
    unlink(path);
    edges_destroy(&g);
}

/* ---- what ends a run ------------------------------------------------------------------------- */

static void expect_end(struct chip *c, int code, const char *part)
{
    cr_expect_eq(htmt_emulator_run(c->e), code, "%s", htmt_emulator_fault(c->e)->text);
    cr_expect(strstr(htmt_emulator_fault(c->e)->text, part), "%s", htmt_emulator_fault(c->e)->text);
}

/* One action puts two diffusions. */
static void twice(struct htmt_context *c)
{
    const struct search *s = htmt_user(c);
    for (uint32_t i = 0; i < 2; i++)
        htmt_post(c, s->diffuse, htmt_slice(c), &(struct visit){0});
}

static void elsewhere(struct htmt_context *c)
{
    const struct search *s = htmt_user(c);
    htmt_post(c, s->diffuse, htmt_slice(c) + 1, &(struct visit){0});
}

static void in_vain(struct htmt_context *c)
{
    (void)c;
}

static void open_bad(struct search *s, htmt_control_fn *control, const char *set)
{
    *s = (struct search){.g = NULL};
    open_chip(&s->chip, (struct htmt_options){.mode = HTMT_MODEL}, CELLS, set);
    const struct htmt_type_desc d = {.args_bytes = sizeof(struct visit), .user = s};
    struct htmt_type_desc action = d, diffuse = d;
    action.name = action.queue = "action";
    action.execute.control = control;
    diffuse.name = diffuse.queue = "diffuse";
    diffuse.execute.control = in_vain;
    s->action = type_of(&s->chip, action);
    s->diffuse = type_of(&s->chip, diffuse);
}

Test(cells, full_queues_and_posts_that_cannot_be_sent_are_named_with_their_cell)
{
    struct search s;
    const struct visit none = {0};
    open_bad(&s, twice, "layers.cell.processor.queues.diffuse.room=1");
    cr_assert_eq(htmt_post(htmt_root(s.chip.e), s.action, 7, &none), 0);
    expect_end(&s.chip, HTMT_ECAPACITY, "the second queue of cell 7 is full: it holds 1 posts");
    close_chip(&s.chip);
    open_bad(&s, elsewhere, NULL);
    cr_assert_eq(htmt_post(htmt_root(s.chip.e), s.action, 7, &none), 0);
    expect_end(&s.chip, HTMT_EINVAL, "slice 7 posts to slice 8 for the second queue");
    close_chip(&s.chip);
    open_bad(&s, in_vain, "layers.cell.processor.queues.action.room=1");
    cr_assert_eq(htmt_post(htmt_root(s.chip.e), s.action, 7, &none), 0);
    cr_expect_eq(htmt_post(htmt_root(s.chip.e), s.action, 7, &none), HTMT_ECAPACITY);
    cr_expect(strstr(htmt_emulator_fault(s.chip.e)->text, "the first queue of cell 7 is full"));
    close_chip(&s.chip);
}

Test(cells, a_queue_that_the_layer_lacks_is_refused)
{
    struct chip c;
    struct htmt_type *t;
    struct htmt_type_desc d = htmt_type_desc_init();
    open_chip(&c, (struct htmt_options){.mode = HTMT_MODEL}, CELLS, NULL);
    d.name = "lost";
    d.home = d.exec = "cell";
    d.queue = "elsewhere";
    d.execute.control = in_vain;
    cr_expect_eq(htmt_type_create(c.e, &d, &t), HTMT_EINVAL);
    cr_expect(strstr(htmt_emulator_fault(c.e)->text, "has no queue 'elsewhere'"), "%s",
              htmt_emulator_fault(c.e)->text);
    close_chip(&c);
}

Test(cells, folded_slices_other_shapes_and_slopes_are_refused)
{
    struct htmt_fault fault = {0};
    struct htmt_machine *m;
    struct htmt_emulator *e;
    cr_assert_eq(htmt_machine_load("am-cca", NULL, 0, &m, &fault), 0);
    struct htmt_options o = {.mode = HTMT_MODEL, .machine = m, .symmetry = HTMT_FOLDED};
    cr_expect_eq(htmt_emulator_create(&e, &o, &fault), HTMT_ESYMMETRY);
    o.symmetry = HTMT_NO_SYMMETRY;
    o.slices = 60;
    fault.code = 0;
    cr_expect_eq(htmt_emulator_create(&e, &o, &fault), HTMT_ERANGE);
    cr_expect(strstr(fault.text, "a square does not hold 60 slices, expected 49 or 64"), "%s",
              fault.text);
    o.slices = 64;
    o.slopes = true;
    fault.code = 0;
    cr_expect_eq(htmt_emulator_create(&e, &o, &fault), HTMT_EINVAL);
    cr_expect(strstr(fault.text, "have no slopes"), "%s", fault.text);
    htmt_machine_destroy(&m);
}

/* A ring of eight with one channel and inputs for one, as in tests/network, is a row of a torus of
 * 64: each cell of the row sends three posts three cells on, and none ever arrives. */
static void crowd(struct htmt_context *c)
{
    const struct search *s = htmt_user(c);
    const uint32_t me = htmt_slice(c), row = me / 8 * 8;
    for (uint32_t i = 0; i < 3; i++)
        htmt_post(c, s->action, row + (me + 3) % 8, &(struct visit){.level = 1});
}

static void crowd_once(struct htmt_context *c)
{
    const struct visit *v = htmt_args(c);
    if (!v->level)
        crowd(c);
}

static int ring_ends(struct htmt_options o)
{
    static const char circle[] =
        "8 cells hold posts and wait for each other's room in a circle: cell 16 right 0 -> "
        "cell 17 right 0 -> cell 18 right 0 -> cell 19 right 0 -> cell 20 right 0 -> "
        "cell 21 right 0 -> 2 more -> cell 16 right 0";
    struct search s = {.g = NULL};
    const char *set[] = {"slices=64", "networks.grid.inside.channels=1",
                         "networks.grid.inside.buffer=1"};
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt_machine_load("am-cca", set, 3, &s.chip.m, &fault), 0, "%s", fault.text);
    o.mode = HTMT_MODEL;
    o.machine = s.chip.m;
    cr_assert_eq(htmt_emulator_create(&s.chip.e, &o, &fault), 0);
    s.action = type_of(&s.chip, (struct htmt_type_desc){.name = "crowd",
                                                        .execute.control = crowd_once,
                                                        .args_bytes = sizeof(struct visit),
                                                        .user = &s});
    for (uint32_t i = 16; i < 24; i++)
        cr_assert_eq(htmt_post(htmt_root(s.chip.e), s.action, i, &(struct visit){0}), 0);
    int rc = htmt_emulator_run(s.chip.e) == HTMT_EDEADLOCK ? 0 : HTMT_EWRONG;
    if (!strstr(htmt_emulator_fault(s.chip.e)->text, circle)) {
        fprintf(stderr, "%s\n", htmt_emulator_fault(s.chip.e)->text);
        rc = HTMT_EWRONG;
    }
    close_chip(&s.chip);
    return rc;
}

static int ring_of_rank(const struct htmt_ranks *rank, void *user)
{
    (void)user;
    return ring_ends((struct htmt_options){.ranks = rank});
}

Test(cells, a_circle_of_full_inputs_is_a_deadlock_that_names_it)
{
    cr_expect_eq(ring_ends((struct htmt_options){.threads = 1}), 0);
    for (uint32_t threads = 2; threads <= 3; threads++) {
        int rc[3] = {0};
        cr_expect_eq(
            ring_ends((struct htmt_options){.clock = HTMT_CLOCK_SHARED, .clock_threads = threads}),
            0);
        cr_assert_eq(ranks_threads_play(threads, ring_of_rank, NULL, rc), 0);
        for (uint32_t i = 0; i < threads; i++)
            cr_expect_eq(rc[i], 0, "rank %u of %u: %s", i, threads, htmt_err_name(rc[i]));
    }
}

/* ---- whoever plays it ------------------------------------------------------------------------ */

struct party {
    const struct edges *g;
    struct search one;
    enum htmt_mode mode;
};

/* Spans over time: sums are those of all cells. */
static bool spans_agree(const struct htmt_emulator *one, const struct htmt_emulator *other)
{
    struct htmt_cells all = htmt_cells_init();
    struct htmt_cells_span a, b, sum = {0};
    const uint32_t count = htmt_cells_span_count(one);
    if (!count || count != htmt_cells_span_count(other) || htmt_cells_of(one, &all))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (htmt_cells_span_at(one, i, &a) || htmt_cells_span_at(other, i, &b) ||
            memcmp(&a, &b, sizeof a) != 0 || a.first != i * a.cycles)
            return false;
        sum.active += a.active;
        sum.throttled += a.throttled;
        sum.standing += a.standing;
    }
    return htmt_cells_span_at(one, count, &a) == HTMT_EINVAL && sum.active == all.active &&
           sum.throttled == all.throttled && sum.standing == all.standing &&
           all.cycles > (count - 1) * a.cycles && all.cycles <= count * a.cycles;
}

static int differs(const struct search *one, const struct search *other)
{
    struct htmt_cells a = htmt_cells_init(), b = htmt_cells_init();
    if (htmt_predicted(one->chip.e) != htmt_predicted(other->chip.e) ||
        htmt_history_hash(one->chip.e) != htmt_history_hash(other->chip.e))
        return HTMT_EPAST;
    if (htmt_cells_of(one->chip.e, &a) || htmt_cells_of(other->chip.e, &b))
        return HTMT_EINVAL;
    if (!spans_agree(one->chip.e, other->chip.e))
        return HTMT_EWRONG;
    a.first_most = b.first_most;
    return memcmp(&a, &b, sizeof a) == 0 ? 0 : HTMT_ELEFT;
}

static void same_search(const struct party *p, struct htmt_options o)
{
    struct search s;
    open_search(&s, p->g, o, NULL);
    cr_assert_eq(htmt_cells_watch(s.chip.e), 0);
    run_chip(&s.chip);
    cr_assert_eq(differs(&p->one, &s), 0);
    close_search(&s);
}

static int play_rank(const struct htmt_ranks *rank, void *user)
{
    const struct party *p = user;
    struct search s;
    open_search(&s, p->g, (struct htmt_options){.mode = p->mode, .ranks = rank}, NULL);
    int rc = htmt_cells_watch(s.chip.e);
    rc = rc ? rc : htmt_emulator_run(s.chip.e);
    rc = rc ? rc : differs(&p->one, &s);
    close_search(&s);
    return rc;
}

Test(cells, threads_windows_and_ranks_play_the_same)
{
    struct edges g = made_graph(500);
    struct party p = {.g = &g};
    uint32_t deal[CELLS];
    open_search(&p.one, &g, (struct htmt_options){.mode = HTMT_MODEL}, NULL);
    cr_assert_eq(htmt_cells_watch(p.one.chip.e), 0);
    run_chip(&p.one.chip);
    for (uint32_t i = 0; i < CELLS; i++)
        deal[i] = i * 7 % 5;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        const struct htmt_options o = {
            .clock = HTMT_CLOCK_SHARED, .clock_threads = threads, .threads = threads};
        struct htmt_options run = o, model = o;
        run.mode = HTMT_RUN;
        run.window_most = threads == 2 ? NS / 3 : 0;
        model.mode = HTMT_MODEL;
        model.clock_partitions = threads == 3 ? 5 : 2 * threads;
        model.partition_of = threads == 3 ? deal : NULL;
        same_search(&p, run);
        same_search(&p, model);
    }
    same_search(&p, (struct htmt_options){.mode = HTMT_MODEL, .checked = true});
    same_search(&p, (struct htmt_options){.mode = HTMT_MODEL, .explain = true});
    same_search(&p, (struct htmt_options){.mode = HTMT_RUN, .threads = 8});
    for (uint32_t count = 1; count <= 3; count++)
        for (int run = 0; run < 2; run++) {
            int rc[3] = {0};
            p.mode = run ? HTMT_RUN : HTMT_MODEL;
            cr_assert_eq(ranks_threads_play(count, play_rank, &p, rc), 0);
            for (uint32_t i = 0; i < count; i++)
                cr_assert_eq(rc[i], 0, "rank %u of %u: %s", i, count, htmt_err_name(rc[i]));
        }
    close_search(&p.one);
    edges_destroy(&g);
}
