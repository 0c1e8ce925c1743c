/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path: its parts add up to the predicted time, and in pipelines whose schedule is
 * known each part is the number known by formula.
 */
#include "tests/parcels/program.h"

/* ---- random programs ------------------------------------------------------------------------- */

static htmt_time sum_of(const struct htmt_path *path)
{
    htmt_time sum = 0;
    for (uint32_t i = 0; i < path->count; i++) {
        cr_assert_gt(path->part[i].time, 0);
        sum += path->part[i].time;
    }
    return sum;
}

static uint64_t explained(uint64_t seed, enum htmt_mode mode)
{
    struct program p;
    struct htmt_path path;
    program_open(&p, seed, mode == HTMT_MODEL, 12,
                 (struct htmt_options){.mode = mode, .explain = true});
    world_run(&p.w);
    cr_assert_eq(htmt_path_find(p.w.e, &path), 0);
    cr_assert_eq(sum_of(&path), htmt_predicted(p.w.e), "seed %llu", (unsigned long long)seed);
    cr_assert_eq(path.total, htmt_predicted(p.w.e));
    htmt_path_clear(&path);
    return program_close(&p).hash;
}

Test(path, its_parts_add_up_to_the_femtosecond_on_random_machines)
{
    for (uint64_t seed = 1; seed <= 300; seed++)
        explained(seed, HTMT_MODEL);
}

Test(path, so_they_do_where_kernels_decide_how_long_things_take)
{
    for (uint64_t seed = 1; seed <= 60; seed++)
        explained(seed, HTMT_RUN);
}

Test(path, asking_for_it_changes_no_event)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct program p;
        program_open(&p, seed, true, 12, (struct htmt_options){.mode = HTMT_MODEL});
        world_run(&p.w);
        struct htmt_path path;
        cr_assert_eq(htmt_path_find(p.w.e, &path), HTMT_EINVAL);
        cr_assert_eq(program_close(&p).hash, explained(seed, HTMT_MODEL));
    }
}

/* ---- pipelines ------------------------------------------------------------------------------- */

/* Times in ns: a cycle and a word take one. */
struct pipe {
    struct world_spec spec;
    struct world_work work;
    uint64_t words, out_words;
    unsigned parcels;
    struct htmt_options options;
};

static struct pipe plain_pipe(void)
{
    struct pipe p = {.spec = world_plain(1), .words = 100, .parcels = 50};
    p.work = (struct world_work){.assemble = 20, .dispatch = 30, .execute = 500};
    p.options = (struct htmt_options){.mode = HTMT_MODEL, .explain = true};
    return p;
}

static struct htmt_path run_pipe(const struct pipe *p, struct world *w)
{
    struct htmt_path path;
    *w = world_open(&p->spec, p->options);
    struct htmt_type_desc d = world_eight();
    d.in_place = true;
    struct htmt_type *type = world_type(w, d);
    for (uint32_t s = 0; s < p->spec.slices; s++) {
        struct htmt_object *o = world_object(w, s, DRAM, 8 * 1000, "data");
        struct htmt_region r = {.from = htmt_in(o, 0), .bytes = 8 * p->words};
        if (p->out_words) {
            r.to = r.from;
            for (int l = 0; l < LAYERS; l++)
                r.out_words[l] = p->out_words;
        }
        for (unsigned i = 0; i < p->parcels; i++)
            START(w, .type = type, .slice = s, .args = &p->work, .regions = &r, .region_count = 1);
    }
    world_run(w);
    cr_assert_eq(htmt_path_find(w->e, &path), 0);
    cr_assert_eq(sum_of(&path), htmt_predicted(w->e));
    return path;
}

static void expect(const struct htmt_path *path, enum htmt_path_cause cause, int64_t ns)
{
    cr_assert_eq(htmt_path_sum(path, cause), ns * NS, "%s: %lld instead of %lld fs",
                 htmt_path_cause_name(cause), (long long)htmt_path_sum(path, cause),
                 (long long)(ns * NS));
}

static void close_pipe(struct htmt_path *path, struct world *w)
{
    htmt_path_clear(path);
    world_close(w);
}

Test(path, a_saturated_processor_leaves_fill_and_drain)
{
    struct pipe p = plain_pipe();
    struct world w;
    p.work.retire = 40;
    p.out_words = 10;
    struct htmt_path path = run_pipe(&p, &w);
    cr_assert_eq(path.principal, CRAM);
    expect(&path, HTMT_PATH_FILL, 20 + 100 + 30 + 100);
    expect(&path, HTMT_PATH_WORK, 50 * 500);
    expect(&path, HTMT_PATH_DRAIN, 10 + 40 + 10);
    expect(&path, HTMT_PATH_STALL, 0);
    expect(&path, HTMT_PATH_QUEUE, 0);
    expect(&path, HTMT_PATH_OVERHEAD, 0);
    close_pipe(&path, &w);
}

Test(path, room_for_one_parcel_is_a_stall_of_inject_and_eject)
{
    struct pipe p = plain_pipe();
    struct world w;
    p.spec.capacity[CRAM] = 150;
    p.out_words = 60;
    struct htmt_path path = run_pipe(&p, &w);
    cr_assert_eq(path.principal, CRAM);
    expect(&path, HTMT_PATH_WORK, 50 * 500);
    expect(&path, HTMT_PATH_STALL, 49 * (100 + 60));
    for (uint32_t i = 0; i < path.count; i++)
        cr_assert(path.part[i].cause != HTMT_PATH_STALL || path.part[i].of == CRAM);
    expect(&path, HTMT_PATH_QUEUE, 0);
    close_pipe(&path, &w);
}

Test(path, latencies_join_the_stall)
{
    struct pipe p = plain_pipe();
    struct world w;
    p.spec.capacity[CRAM] = 150;
    p.spec.network[RTI].latency_ns = 7;
    p.out_words = 60;
    struct htmt_path path = run_pipe(&p, &w);
    expect(&path, HTMT_PATH_STALL, 49 * (100 + 60 + 2 * 7));
    htmt_time flying = 0;
    for (uint32_t i = 0; i < path.count; i++)
        if (path.part[i].cause == HTMT_PATH_STALL && path.part[i].place == HTMT_PATH_FLYING)
            flying += path.part[i].time;
    cr_assert_eq(flying, 49 * 14 * NS);
    close_pipe(&path, &w);
}

Test(path, a_saturated_network_is_the_principal_resource_of_its_path)
{
    struct pipe p = plain_pipe();
    struct world w;
    p.words = 900;
    struct htmt_path path = run_pipe(&p, &w);
    struct htmt_resource_report r;
    cr_assert_eq(htmt_resource_at(w.e, path.principal, &r), 0);
    cr_assert_str_eq(r.name, "vortex dram out");
    expect(&path, HTMT_PATH_FILL, 20);
    expect(&path, HTMT_PATH_WORK, 50 * 900);
    expect(&path, HTMT_PATH_DRAIN, 30 + 900 + 500);
    close_pipe(&path, &w);
}

/* The only parcel flies 40 ns to SRAM and 14 ns to CRAM. */
Test(path, what_flies_is_inside_the_network_that_carries_it)
{
    for (int hub = 0; hub < 2; hub++) {
        struct pipe p = plain_pipe();
        struct world w;
        p.parcels = 1;
        p.spec.network[VORTEX].latency_ns = 40;
        p.spec.network[RTI].latency_ns = 14;
        p.spec.hub_mwords[VORTEX] = hub ? 1000000 : 0;
        struct htmt_path path = run_pipe(&p, &w);
        htmt_time of_vortex = 0, of_rti = 0;
        for (uint32_t i = 0; i < path.count; i++) {
            const struct htmt_path_part *part = &path.part[i];
            cr_assert_eq(part->place == HTMT_PATH_FLYING, part->inside != NULL);
            if (part->inside && strcmp(part->inside, hub ? "hub" : "vortex") == 0)
                of_vortex += part->time;
            else if (part->inside && strcmp(part->inside, "rti") == 0)
                of_rti += part->time;
        }
        cr_assert(hub ? of_vortex >= 40 * NS : of_vortex == 40 * NS);
        cr_assert_eq(of_rti, 14 * NS);
        close_pipe(&path, &w);
    }
}

/* The second of two processors begins one inject later: so long is the fill. */
Test(path, parallel_servers_share_the_work)
{
    struct pipe p = plain_pipe();
    struct world w;
    p.spec.servers[CRAM] = 2;
    struct htmt_path path = run_pipe(&p, &w);
    expect(&path, HTMT_PATH_WORK, 25 * 500);
    cr_assert_eq(htmt_path_sum(&path, HTMT_PATH_FILL) / NS, 20 + 100 + 30 + 2 * 100);
    close_pipe(&path, &w);
}

Test(path, slices_that_are_played_in_turn_or_folded_have_the_same_path)
{
    static const enum htmt_symmetry kinds[] = {HTMT_NO_SYMMETRY, HTMT_INDEPENDENT, HTMT_FOLDED};
    for (int i = 0; i < 3; i++) {
        struct pipe p = plain_pipe();
        struct world w;
        p.spec.slices = 5;
        p.spec.capacity[CRAM] = 150;
        p.options.symmetry = kinds[i];
        struct htmt_path path = run_pipe(&p, &w);
        expect(&path, HTMT_PATH_WORK, 50 * 500);
        expect(&path, HTMT_PATH_STALL, 49 * 100);
        expect(&path, HTMT_PATH_FILL, 250);
        close_pipe(&path, &w);
    }
}

/* ---- a queue --------------------------------------------------------------------------------- */

/* Each execution on the SPELL assembles another parcel's long service on the SPIM and behind it
 * the next of its own. */
struct turn {
    struct world_work work;
    uint32_t left;
    struct htmt_type *mine, *other;
};

static void next_turn(struct htmt_context *c)
{
    struct turn t = *(struct turn *)htmt_args(c);
    if (!t.left--)
        return;
    struct turn long_one = {.work = {.execute = 60}};
    ASSEMBLE(c, NULL, .type = t.other, .args = &long_one);
    ASSEMBLE(c, NULL, .type = t.mine, .args = &t);
}

Test(path, a_busy_processor_on_the_way_is_a_queue)
{
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .mode = HTMT_MODEL, .explain = true);
    struct turn t = {.work = {.assemble = 30, .execute = 100}, .left = 20};
    t.other = TYPE(&w, .name = "other", .home = "sram", .exec = "sram",
                   .execute = {.cost = world_execute}, .args_bytes = sizeof t);
    t.mine = TYPE(&w, .name = "mine", .home = "sram", .exec = "cram",
                  .assemble = {.cost = world_assemble},
                  .execute = {.cost = world_execute, .control = next_turn}, .in_place = true,
                  .args_bytes = sizeof t);
    START(&w, .type = t.mine, .args = &t);
    world_run(&w);
    struct htmt_path path;
    cr_assert_eq(htmt_path_find(w.e, &path), 0);
    cr_assert_eq(sum_of(&path), htmt_predicted(w.e));
    cr_assert_eq(path.principal, CRAM);
    expect(&path, HTMT_PATH_FILL, 30);
    expect(&path, HTMT_PATH_WORK, 21 * 100);
    expect(&path, HTMT_PATH_QUEUE, 20 * 60);
    expect(&path, HTMT_PATH_OVERHEAD, 20 * 30);
    for (uint32_t i = 0; i < path.count; i++)
        cr_assert(path.part[i].cause != HTMT_PATH_QUEUE || path.part[i].of == SRAM);
    htmt_path_clear(&path);
    world_close(&w);
}
