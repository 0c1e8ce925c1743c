/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Graph files: names, boards in boards, and every mistake with its line. Runs in the source folder.
 */
#include "layers/network/switch_graph.h"
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOP "htmt-graph: 1\nends: [a, b]\n" /* 1, 2 */
#define TWO                                                                                        \
    "switches:\n"                                  /* 3 */                                         \
    "  1: {ports: [n, e, s, w]}\n"                 /* 4 */                                         \
    "  2: {ports: 4, at: [1, 0]}\n"                /* 5 */
#define LINKS "links:\n  - a - 1.w\n  - b - 2.1\n" /* 6-8 */
#define WHOLE TOP TWO LINKS "  - 1.e - 2.3\n"      /* 9 */

static struct htmt__switch_graph *good(const char *text)
{
    struct htmt__switch_graph *g = NULL;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__topology_graph_parse("g.yaml", text, &g, &fault), 0, "%s", fault.text);
    return g;
}

static void refused(const char *text, const char *message)
{
    struct htmt__switch_graph *g = NULL;
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt__topology_graph_parse("g.yaml", text, &g, &fault), HTMT_EFORMAT, "%s",
                 message);
    cr_expect_str_eq(fault.text, message);
    cr_expect_null(g);
}

Test(graph, switches_ports_ends_and_links_have_the_numbers_of_their_order)
{
    struct htmt__switch_graph *g = good(WHOLE);
    cr_expect_eq(g->ends, 2);
    cr_expect_eq(g->switches, 2);
    cr_expect_str_eq(g->end_name[1], "b");
    cr_expect_str_eq(g->at[0].name, "1");
    cr_expect_eq(g->at[0].ports, 4);
    cr_expect_str_eq(g->port_name[g->at[0].first_name + 1], "e");
    cr_expect_str_eq(g->port_name[g->at[1].first_name + 3], "3");
    cr_expect_not(g->at[0].placed);
    cr_expect(g->at[1].placed && g->at[1].at[0] == 1 && g->at[1].at[1] == 0);
    cr_assert_eq(g->links.count, 3);
    const struct htmt__graph_link *j = &g->links.at[2];
    cr_expect(j->from == 2 && j->port == 1 && j->to == 3 && j->to_port == 3);
    cr_expect_eq(htmt__topology_graph_end(g, "b"), 1);
    cr_expect_eq(htmt__topology_graph_end(g, "0"), 0);
    cr_expect_eq(htmt__topology_graph_end(g, "c"), UINT32_MAX);
    htmt__topology_graph_destroy(&g);
}

Test(graph, a_link_may_have_a_rate_and_a_wire_with_their_sources)
{
    struct htmt__switch_graph *g =
        good(TOP TWO LINKS "  - join: 1.e - 2.3\n    rate: {value: 80 MB/s, source: s}\n"
                           "    wire: {value: 3 ns, source: s}\n");
    const struct htmt__graph_link *j = &g->links.at[2];
    cr_expect(j->own_byte && j->own_wire && !g->links.at[0].own_byte);
    cr_expect(j->byte.num == 12500000 && j->byte.den == 1);
    cr_expect_eq(j->wire, 3000000);
    htmt__topology_graph_destroy(&g);
}

Test(graph, mistakes_are_one_line_with_file_and_line)
{
    static const char *const rows[][2] = {
        {"htmt-graph: 2\n", "g.yaml:1: htmt-graph: found version '2', expected '1'"},
        {"ends: [a]\n", "g.yaml:1: a graph: key 'htmt-graph' is missing"},
        {TOP TWO LINKS "  - 1.e - 2.1\n", "g.yaml:9: '2.1' has two links"},
        {TOP TWO LINKS "  - 1.e - 2.3\n  - a - 2.2\n", "g.yaml:10: 'a' has two links"},
        {TOP TWO "links:\n  - a - 1.w\n  - 1.e - 2.3\n", "g.yaml:2: end 'b' has no link"},
        {TOP TWO LINKS, "g.yaml:1: the graph is in pieces: no links lead from 'a' to 'b'"},
        {TOP TWO LINKS "  - 1.e - 2.4\n", "g.yaml:9: switch '2' has no port '4'"},
        {TOP TWO LINKS "  - 1.e - 3.n\n",
         "g.yaml:9: found '3.n', expected an end, SWITCH.PORT or BOARD.PORT of this graph"},
        {TOP TWO LINKS "  - 1.e -\n",
         "g.yaml:9: found link '1.e -', expected two points such as '1.e - 3.w'"},
        {TOP TWO LINKS "  - 1.e - 1.n\n", "g.yaml:9: a link joins a switch to itself"},
        {TOP TWO "links:\n  - a - b\n",
         "g.yaml:7: a link joins two ends, expected a switch at one side"},
        {TOP "switches:\n  1: {ports: [n, n]}\n", "g.yaml:4: switch '1' has two ports 'n'"},
        {TOP "switches:\n  1: {ports: 0}\n",
         "g.yaml:4: ports: found '0', expected a number up to 1024 or a list of names"},
        {TOP "switches:\n  1: {ports: 2, at: [0]}\n",
         "g.yaml:4: at: found 'another list', expected a place such as 0,1 within 30000"},
        {TOP "switches:\n  a: {ports: 2}\n",
         "g.yaml:4: the name 'a' stands for another element already"},
        {TOP "switches:\n  a.b: {ports: 2}\n",
         "g.yaml:4: found name 'a.b', expected letters, digits, '-', '_' and '+', fewer than 32"},
        {"htmt-graph: 1\nswitches:\n  1: {ports: 2}\n", "g.yaml:1: the graph has no ends"},
        {TOP TWO LINKS "  - join: 1.e - 2.3\n    rate: {value: 80 MB/s}\n",
         "g.yaml:10: rate: key 'source' is missing"},
        {TOP TWO LINKS "  - join: 1.e - 2.3\n    wire: 3 ns\n",
         "g.yaml:10: wire: found '3 ns' without a source, expected {value: ..., source: ...}"},
        {WHOLE "open: {x: 1.e}\n", "g.yaml:10: '1.e' has two links"},
        {WHOLE "open: {x: 1.n, y: 1.n}\n", "g.yaml:10: '1.n' has two links"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        refused(rows[i][0], rows[i][1]);
}

/* ---- boards ---------------------------------------------------------------------------------- */

#define CHIP                                                                                       \
    "htmt-graph: 1\nends: [c]\nswitches:\n  s: {ports: 3, at: [0, 0]}\nlinks: [c - s.0]\n"         \
    "open: {left: s.1, right: s.2}\n"
#define PAIR                                                                                       \
    "htmt-graph: 1\nboards:\n  one: {graph: chip, at: [1, 0]}\n  two: {graph: chip, at: [2, 0]}\n" \
    "links: [one.right - two.left]\nopen: {left: one.left, right: two.right}\n"

static int load(const struct place *p, const char *name, struct htmt__switch_graph **g,
                struct htmt_fault *fault)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s.yaml", p->folder, name);
    return htmt__topology_graph_load(path, NULL, g, fault);
}

static struct place with_boards(void)
{
    struct place p = place("");
    place_put(&p, "chip.yaml", CHIP);
    place_put(&p, "pair.yaml", PAIR);
    return p;
}

Test(graph, boards_come_in_with_their_names_and_places_to_any_depth)
{
    struct place p = with_boards();
    struct htmt__switch_graph *g = NULL;
    struct htmt_fault fault = {0};
    place_put(&p, "four.yaml",
              "htmt-graph: 1\nends: [x]\nboards:\n  p: pair\n  q: {graph: pair, at: [10, 5]}\n"
              "switches:\n  hub: {ports: 3, at: [0, 9]}\n"
              "links: [x - hub.0, p.right - q.left, hub.1 - p.left, hub.2 - q.right]\n");
    cr_assert_eq(load(&p, "four", &g, &fault), 0, "%s", fault.text);
    static const char *const ends[] = {"x", "p.one.c", "p.two.c", "q.one.c", "q.two.c"};
    cr_assert_eq(g->ends, 5);
    for (unsigned i = 0; i < 5; i++)
        cr_expect_str_eq(g->end_name[i], ends[i]);
    cr_assert_eq(g->switches, 5);
    cr_expect_str_eq(g->at[4].name, "q.two.s");
    cr_expect(g->at[4].at[0] == 12 && g->at[4].at[1] == 5);
    cr_expect_eq(g->links.count, 5 + 2 + 3);
    htmt__topology_graph_destroy(&g);
    place_remove(&p);
}

static void expect_refused(const struct place *p, const char *name, const char *text,
                           const char *tail)
{
    struct htmt__switch_graph *g = NULL;
    struct htmt_fault fault = {0};
    char file[64];
    snprintf(file, sizeof file, "%s.yaml", name);
    place_put(p, file, text);
    cr_expect_eq(load(p, name, &g, &fault), HTMT_EFORMAT);
    cr_expect_str_eq(fault.text + strlen(p->folder) + 1, tail);
}

Test(graph, mistaken_boards_are_refused)
{
    struct place p = with_boards();
    expect_refused(&p, "loop", "htmt-graph: 1\nboards:\n  me: loop\n",
                   "loop.yaml:3: board 'loop' is inside itself");
    place_put(&p, "far.yaml", "htmt-graph: 1\nboards: {m: middle}\n");
    expect_refused(&p, "middle", "htmt-graph: 1\nboards:\n  back: far\n",
                   "far.yaml:2: board 'middle' is inside itself");
    expect_refused(&p, "top",
                   "htmt-graph: 1\nboards: {p: pair}\nends: [x]\n"
                   "links: [x - p.lef]\n",
                   "top.yaml:4: board 'p' opens no port 'lef'");
    expect_refused(&p, "twice",
                   "htmt-graph: 1\nboards: {p: pair}\nends: [x, y]\n"
                   "switches: {h: {ports: 4}}\n"
                   "links:\n  - h.0 - p.left\n  - h.1 - p.left\n",
                   "twice.yaml:7: 'p.left' has two links");
    expect_refused(&p, "inner",
                   "htmt-graph: 1\nboards: {p: pair}\nends: [x]\n"
                   "links: [x - p.one.left]\n",
                   "inner.yaml:4: found 'p.one.left', expected an end, SWITCH.PORT or BOARD.PORT "
                   "of this graph");
    place_remove(&p);
}

Test(graph, a_board_that_is_not_there_is_refused)
{
    struct htmt__switch_graph *g = NULL;
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt__topology_graph_parse("g.yaml", "htmt-graph: 1\nboards:\n  x: hpsc-simpel\n",
                                            &g, &fault),
                 HTMT_ENOENT);
    cr_expect_not_null(strstr(fault.text, "g.yaml:3: no graph 'hpsc-simpel'"), "%s", fault.text);
}
