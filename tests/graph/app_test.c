/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The application on small machines: its answers are right on every graph, however it is placed and
 * played, and a model run takes the same time.
 */
#include "apps/formats/graph.h"
#include "apps/lib/random.h"
#include "tests/apps/asked.h"
#include "tests/apps/table.h"
#include "tests/graph/cell_player.h"
#include "tests/graph/graphs.h"
#include "tests/runtime/share.h"

#include <stdio.h>
#include <unistd.h>

static const char *const programs[] = {"bfs", "sssp", "pagerank", "triangles"};
static const char *const algorithms[] = {"async", "levels"};

/* A file of that graph, as a list; to be removed. */
static void write_graph(char path[static 64], uint32_t vertices,
                        const struct htmt__graph_line *line, uint64_t count, bool both)
{
    snprintf(path, 64, "/tmp/htmt-graph-XXXXXX.edgelist");
    int fd = mkstemps(path, 9);
    cr_assert_geq(fd, 0);
    const struct htmt__graph_list list = {.vertices = vertices,
                                          .weighted = true,
                                          .both = both,
                                          .count = count,
                                          .at = (struct htmt__graph_line *)line};
    FILE *out = fdopen(fd, "w");
    htmt__graph_print(out, &list, HTMT__GRAPH_LIST);
    cr_assert_eq(fclose(out), 0);
}

static double figure(const struct asked *a, const char *name)
{
    for (unsigned i = 0; i < a->outcome.found_count; i++)
        if (strcmp(a->outcome.found[i].name, name) == 0)
            return a->outcome.found[i].value;
    cr_assert_fail("%s was not found", name);
    return 0;
}

static bool is_value(const char *const *given, const char *name, const char *value)
{
    for (; given[0]; given += 2)
        if (!strcmp(given[0], name))
            return !strcmp(given[1], value);
    return false;
}

/* Those of `given` that its program and its placement look at: others are refused. */
static const char *const *looked_at(const char *const *given, const char *kept[40])
{
    const bool ranks = is_value(given, "program", "pagerank"),
               triangles = is_value(given, "program", "triangles"),
               cca = is_value(given, "place", "cca");
    unsigned count = 0;
    for (const char *const *at = given; *at; at += 2)
        if (!strcmp(*at, "iterations") ? ranks
            : !strcmp(*at, "root")     ? !triangles
            : !strcmp(*at, "min-edges") || !strcmp(*at, "max-edges") || !strcmp(*at, "ghosts")
                ? cca && !triangles
                : true) {
            kept[count++] = at[0];
            kept[count++] = at[1];
        }
    kept[count] = NULL;
    return kept;
}

static htmt_time play(const char *machine, uint32_t slices, enum htmt_mode mode,
                      uint32_t clock_threads, const char *const *given, double *messages)
{
    const char *kept[40];
    struct asked a;
    ask_app(&a, &htmt_app_graph, machine, slices, mode, NULL, looked_at(given, kept));
    a.request.emulator.clock_threads = clock_threads;
    cr_assert_eq(run(&a), 0, "%s %s %s: %s", given[1], given[3], given[5], a.fault.text);
    cr_assert_eq(a.outcome.correct, mode == HTMT_RUN ? 1 : -1, "%s %s %s", given[1], given[3],
                 given[5]);
    htmt_time time = htmt_predicted(a.outcome.emulator);
    *messages = figure(&a, "messages");
    /* Each message that was sent was taken, and a run ends when none is left. */
    cr_assert_eq(*messages, figure(&a, "actions_true") + figure(&a, "actions_false"));
    done(&a);
    return time;
}

/* Right with all programs and both algorithms; models say the same. */
static void expect_right(const char *path, const char *machine, uint32_t slices, const char *place,
                         const char *root)
{
    for (int program = 0; program < 4; program++)
        for (int k = 0; k < 2; k++) {
            double messages, again;
            const char *const *given = GIVEN(
                "program", programs[program], "algorithm", algorithms[k], "graph", path, "place",
                place, "root", root, "iterations", "3", "min-edges", "2", "max-edges", "3");
            htmt_time time = play(machine, slices, HTMT_RUN, 1, given, &messages);
            cr_assert_eq(time, play(machine, slices, HTMT_MODEL, 1, given, &again));
            cr_assert_eq(messages, again);
        }
}

static void expect_shape(uint32_t vertices, const struct htmt__graph_line *line, uint64_t count,
                         bool both, const char *root)
{
    char path[64];
    write_graph(path, vertices, line, count, both);
    expect_right(path, "am-cca", 4, "cca", root);
    expect_right(path, "htmt-torus", 3, "cyclic", root);
    unlink(path);
}

Test(graph_app, graphs_without_edges_and_of_one_vertex)
{
    static const struct htmt__graph_line loops[] = {{0, 0, 3}, {0, 0, 0}};
    expect_shape(5, NULL, 0, false, "4");
    expect_shape(1, NULL, 0, false, "0");
    expect_shape(1, loops, 2, false, "0");
}

Test(graph_app, loops_doubles_and_edges_without_weight)
{
    static const struct htmt__graph_line line[] = {{0, 1, 2}, {0, 1, 1}, {1, 1, 0}, {1, 2, 0},
                                                   {2, 0, 0}, {2, 0, 7}, {0, 0, 1}, {2, 1, 0}};
    expect_shape(3, line, 8, false, "0");
    expect_shape(3, line, 8, true, "2");
}

Test(graph_app, two_components_of_which_the_root_has_one_or_no_edge_at_all)
{
    /* A circle of three that nobody else reaches begins by itself in pagerank. */
    static const struct htmt__graph_line line[] = {{0, 1, 1}, {1, 2, 1}, {2, 0, 1}, {3, 4, 5},
                                                   {4, 5, 5}, {5, 3, 5}, {6, 3, 1}};
    expect_shape(8, line, 7, false, "0");
    expect_shape(8, line, 7, false, "3");
    expect_shape(8, line, 7, false, "6");
    expect_shape(8, line, 7, false, "7"); /* without edges */
}

Test(graph_app, fewer_vertices_than_slices)
{
    static const struct htmt__graph_line line[] = {{0, 1, 1}, {1, 2, 2}, {2, 0, 3}};
    char path[64];
    write_graph(path, 3, line, 3, true);
    expect_right(path, "am-cca", 16, "cca", "1");
    expect_right(path, "am-cca-mesh", 25, "random", "2");
    expect_right(path, "htmt-torus", 7, "random", "1");
    expect_right(path, "htmt-torus", 7, "metis", "1");
    unlink(path);
}

static void try_at_random(uint64_t seed)
{
    static const char *const places[] = {"cca", "cyclic", "random", "metis"};
    char path[64], root[16];
    struct htmt__graph_line line[200];
    uint64_t state = htmt__random_of(seed);
    const uint32_t vertices = 1 + (uint32_t)htmt__random_below(htmt__random_next(&state), 50);
    const uint64_t count = htmt__random_below(htmt__random_next(&state), UINT64_C(4) * vertices);
    for (uint64_t i = 0; i < count; i++)
        line[i] = (struct htmt__graph_line){
            (uint32_t)htmt__random_below(htmt__random_next(&state), vertices),
            (uint32_t)htmt__random_below(htmt__random_next(&state), vertices),
            (float)htmt__random_below(htmt__random_next(&state), 10) / 4};
    write_graph(path, vertices, line, count, seed % 2);
    snprintf(root, sizeof root, "%u",
             (unsigned)htmt__random_below(htmt__random_next(&state), vertices));
    const unsigned how = (unsigned)(seed % 8);
    double messages;
    play(seed / 64 % 2 ? "htmt-torus" : "am-cca", seed % 3 ? 4 : 9, HTMT_RUN, 1,
         GIVEN("program", programs[how % 4], "algorithm", algorithms[how / 4], "graph", path,
               "place", places[seed / 8 % 4], "root", root, "iterations", "3", "min-edges", "2",
               "max-edges", "3", "ghosts", seed / 32 % 2 ? "1" : "3"),
         &messages);
    unlink(path);
}

Test(graph_app, answers_on_random_graphs_are_right)
{
    const uint64_t graphs = getenv("HTMT_LONG") ? 10000 : share_of(200);
    for (uint64_t seed = 0; seed < graphs; seed++)
        try_at_random(seed);
}

Test(graph_app, clock_threads_change_nothing)
{
    for (int program = 0; program < 4; program++)
        for (int k = 0; k < 2; k++) {
            double alone, together;
            const char *const *given =
                GIVEN("program", programs[program], "algorithm", algorithms[k], "rmat", "6",
                      "factor", "4", "place", "cyclic", "iterations", "2");
            for (int m = 0; m < 2; m++) {
                const char *machine = m ? "am-cca" : "htmt-torus";
                htmt_time time = play(machine, 9, HTMT_RUN, 1, given, &alone);
                cr_assert_eq(time, play(machine, 9, HTMT_RUN, 3, given, &together));
                cr_assert_eq(alone, together);
            }
        }
}

/* ---- large shapes ---------------------------------------------------------------------------- */

/* In `make check-all` 10^5 vertices, else 2000. */
static uint32_t large(void)
{
    return getenv("HTMT_LONG") ? 100000 : share_of(2000);
}

static void expect_large(bool star)
{
    const uint32_t n = large();
    char path[64];
    struct htmt__graph_line *line = malloc(n * sizeof *line);
    for (uint32_t i = 0; i + 1 < n; i++)
        line[i] = (struct htmt__graph_line){star ? 0 : i, i + 1, 1};
    write_graph(path, n, line, n - 1, true);
    free(line);
    for (int program = 0; program < 4; program++) {
        double messages;
        play("am-cca", 64, HTMT_RUN, 1,
             GIVEN("program", programs[program], "algorithm", "async", "graph", path, "iterations",
                   "2", "place", "cca"),
             &messages);
    }
    unlink(path);
}

Test(graph_app, a_star_is_right)
{
    expect_large(true);
}

Test(graph_app, a_path_is_right)
{
    expect_large(false);
}

/* ---- little room ----------------------------------------------------------------------------- */

/* BFS from vertex 0 of an R-MAT graph by the written rules, cell by cell. */
static struct cell_player_counts search_by_rules(unsigned scale, uint32_t side, uint32_t room)
{
    const struct htmt__graph_recipe recipe = {
        .kind = HTMT__GRAPH_RMAT, .scale = scale, .factor = 16, .seed = 1, .weights = 9};
    const struct cell_player_chip chip = {.side = side,
                                          .torus = true,
                                          .throttle = true,
                                          .buffer = 4,
                                          .action = 2048,
                                          .own = 22,
                                          .diffuse = room,
                                          .cool = 22};
    const struct htmt__place_rules rules = {.kind = HTMT__PLACE_CCA,
                                            .side = side,
                                            .slices = side * side,
                                            .least = 10,
                                            .most = 15,
                                            .ghosts = 3,
                                            .vicinity = 2};
    struct htmt_fault fault = {0};
    struct htmt__graph_list list;
    struct htmt__graph g;
    struct htmt__placed place;
    struct htmt__vertices all = {.program = HTMT__GRAPH_BFS,
                                 .costs = {.of = {{1, 1, 1}}, .ghost = {{1, 1, 1}}},
                                 .place = &place};
    cr_assert_eq(htmt__graph_generate(&recipe, &list, &fault), 0);
    cr_assert_eq(htmt__graph_build(&list, &g, &fault), 0);
    cr_assert_eq(htmt__graph_place(&g, &rules, &place, &fault), 0);
    struct htmt__vertex *state = calloc(g.vertices, sizeof *state);
    struct cell_player *player = cell_player_create(&chip, &all, state);
    cell_player_post(player, (struct htmt__operon){0, HTMT__NOBODY, 0});
    cell_player_run(player);
    const struct cell_player_counts counts = *cell_player_count(player);
    cell_player_destroy(player);
    htmt__placed_clear(&place);
    htmt__graph_destroy(&g);
    free(state);
    return counts;
}

static void expect_rules(unsigned scale, uint32_t side, uint32_t room, bool stuck)
{
    char set[80], number[8], text[80];
    struct asked a;
    struct htmt_cells c = htmt_cells_init();
    const struct cell_player_counts n = search_by_rules(scale, side, room);
    snprintf(set, sizeof set, "layers.cell.processor.queues.diffuse.room=%u", room);
    snprintf(number, sizeof number, "%u", scale);
    ask_app(&a, &htmt_app_graph, "am-cca", side * side, HTMT_MODEL, NULL,
            GIVEN("program", "bfs", "rmat", number));
    htmt_machine_destroy(&a.machine);
    cr_assert_eq(htmt_machine_load("am-cca", (const char *const[]){set}, 1, &a.machine, &a.fault),
                 0, "%s", a.fault.text);
    a.request.machine = a.request.emulator.machine = a.machine;
    a.request.seed = 1;
    cr_expect_eq(n.stuck > 0, stuck, "%u of %u: %u", room, scale, n.stuck);
    cr_expect_eq(run(&a), stuck ? HTMT_EDEADLOCK : 0, "%s", a.fault.text);
    snprintf(text, sizeof text, "%u cells hold posts", n.stuck);
    cr_expect(!stuck || strstr(a.fault.text, text), "%s, expected %s", a.fault.text, text);
    cr_expect(!stuck || strstr(a.fault.text, "the full first queue of cell "), "%s", a.fault.text);
    cr_assert_eq(htmt_cells_of(a.outcome.emulator, &c), 0);
    cr_expect_eq(c.created, n.created);
    cr_expect_eq(c.work, n.work);
    cr_expect_eq(c.unwanted, n.refused);
    cr_expect_eq(c.diffusions, n.diffusions);
    cr_expect_eq(c.done, n.done);
    cr_expect_eq(c.outdated, n.outdated);
    cr_expect_eq(c.filtered, n.filtered);
    cr_expect_eq(c.overlapped, n.overlapped);
    cr_expect_eq(c.hops, n.hops);
    if (!stuck) {
        cr_expect_eq(c.cycles, n.cycles);
        cr_expect_eq(c.active, n.active);
        cr_expect_eq(c.standing, n.standing);
        cr_expect_eq(c.throttled, n.throttled);
    }
    cr_expect_geq(c.cycles, n.cycles); /* cells look through their queues once more */
    done(&a);
}

/* The rules themselves lead to deadlocks, where queues are short for their graph: the run ends in
 * one exactly where a player of the rules does, with the same counts. */
Test(graph_app, cells_end_in_a_deadlock_where_the_written_rules_do)
{
    for (uint32_t room = 2; room <= 16; room *= only_memory() ? 8 : 2)
        expect_rules(9, 2, room, room != 4);
    expect_rules(9, 2, 512, false);
    expect_rules(12, 8, 64, true);
    expect_rules(12, 8, 1024, false);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void expect_refused(int code, const char *found, const char *expected, uint32_t slices,
                           const char *const *given)
{
    struct asked a;
    ask_app(&a, &htmt_app_graph, "htmt-torus", slices, HTMT_MODEL, NULL, given);
    cr_expect_eq(run(&a), code, "%s", a.fault.text);
    cr_expect(strstr(a.fault.text, found) && strstr(a.fault.text, expected), "the line was: %s",
              a.fault.text);
    done(&a);
}

Test(graph_app, mistakes_are_one_line_that_says_what_was_expected)
{
    char path[64];
    static const struct htmt__graph_line line[] = {{0, 1, 1}};
    write_graph(path, 2, line, 1, false);
    expect_refused(HTMT_EUSAGE, "no program", "bfs, sssp", 4, GIVEN("graph", path));
    expect_refused(HTMT_EUSAGE, "no graph", "--graph FILE", 4, GIVEN("program", "bfs"));
    expect_refused(HTMT_EUSAGE, "more than one", "--graph FILE", 4,
                   GIVEN("program", "bfs", "graph", path, "er", "4"));
    expect_refused(HTMT_EUSAGE, "no --graph FILE", "--format", 4,
                   GIVEN("program", "bfs", "format", "list", "er", "4"));
    expect_refused(HTMT_ERANGE, "found 2", "0 to 1", 4,
                   GIVEN("program", "bfs", "graph", path, "root", "2"));
    expect_refused(HTMT_EUSAGE, "found 5 slices", "as 4", 5,
                   GIVEN("program", "bfs", "graph", path));
    expect_refused(HTMT_EUSAGE, "found 'sketch'", "cyclic", 4,
                   GIVEN("program", "bfs", "graph", path, "place", "sketch"));
    expect_refused(HTMT_EUSAGE, "--root", "beside triangles, expected bfs, sssp or pagerank", 4,
                   GIVEN("program", "triangles", "er", "4", "root", "2"));
    expect_refused(HTMT_EUSAGE, "--iterations", "beside bfs, expected pagerank", 4,
                   GIVEN("program", "bfs", "er", "4", "iterations", "2"));
    expect_refused(HTMT_EUSAGE, "--begin", "beside levels, expected pagerank by async", 4,
                   GIVEN("program", "pagerank", "er", "4", "begin", "cca", "algorithm", "levels"));
    expect_refused(HTMT_EUSAGE, "--ghosts", "beside cyclic, expected --place cca", 4,
                   GIVEN("program", "bfs", "er", "4", "ghosts", "2", "place", "cyclic"));
    expect_refused(HTMT_EUSAGE, "--max-edges", "beside triangles, expected --place cca", 4,
                   GIVEN("program", "triangles", "er", "4", "max-edges", "20"));
    expect_refused(HTMT_EUSAGE, "--factor", "beside --graph, expected --graph500, --rmat or --er",
                   4, GIVEN("program", "bfs", "graph", path, "factor", "2"));
    expect_refused(HTMT_EUSAGE, "found 'tables'", "metis", 4,
                   GIVEN("program", "bfs", "graph", path, "format", "tables"));
    unlink(path);
    snprintf(path, sizeof path, "/tmp/htmt-graph-XXXXXX.txt");
    FILE *out = fdopen(mkstemps(path, 4), "w");
    fputs("1 2\n", out);
    fclose(out);
    expect_refused(HTMT_EUSAGE, "without weights", "sssp", 4,
                   GIVEN("program", "sssp", "graph", path));
    unlink(path);
}

Test(graph_app, vertices_beyond_the_memory_are_refused_with_their_slice)
{
    struct asked a;
    static const char *const set[] = {"layers.cram.memory.reserve=1048000 bytes"};
    ask_app(&a, &htmt_app_graph, "htmt-torus", 4, HTMT_MODEL, NULL,
            GIVEN("program", "bfs", "er", "8"));
    htmt_machine_destroy(&a.machine);
    cr_assert_eq(htmt_machine_load("htmt-torus", set, 1, &a.machine, &a.fault), 0, "%s",
                 a.fault.text);
    a.request.machine = a.request.emulator.machine = a.machine;
    cr_expect_eq(htmt_exit_status(run(&a)), 2);
    cr_expect(strstr(a.fault.text, "slice 0: 64 vertices and "), "%s", a.fault.text);
    done(&a);
}
