/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Topologies with several ways: what they have by formula, where their ways lead, and why packets
 * on them never wait for each other in a circle.
 */
#include "tests/layers/network.h"

#include "layers/network/routing.h"
#include "tests/layers/machines.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

struct shape {
    enum htmt__topology_kind topology;
    const char *text;
    uint32_t ends, switches, links, diameter; /* links of two switches; hops between them at most */
    uint32_t halves;                          /* links between the first half and the rest; 0: - */
    bool other;                               /* links: number, detours: switch, datelines: keep */
};

/* Of a fat tree k ^ n: n k ^ (n - 1) switches, (n - 1) k ^ n links; from one half up and over the
 * roots, whose k / 2 ports down to a half each carry half of k ^ n / 2. Of a dragonfly p, a, h:
 * g = a h + 1 groups, g a switches, g a (a - 1) / 2 links in and g a h / 2 between groups. */
static const struct shape shapes[] = {
    {HTMT__FAT_TREE, "4 ^ 3", 64, 48, 128, 4, 0, false},
    {HTMT__FAT_TREE, "2 ^ 5", 32, 80, 128, 8, 0, false},
    {HTMT__FAT_TREE, "3 ^ 2", 9, 6, 9, 2, 0, false},
    {HTMT__FAT_TREE, "4, 4, 4; 2, 2", 64, 16 + 8 + 4, 32 + 16, 4, 0, false},
    {HTMT__FAT_TREE, "3, 2; 5", 6, 2 + 5, 10, 2, 0, false},
    {HTMT__FAT_TREE, "2, 3, 2, 2; 3, 1, 2", 24, 12 + 12 + 6 + 6, 36 + 12 + 12, 6, 0, false},
    {HTMT__DRAGONFLY, "2, 4, 2", 72, 36, 9 * (6 + 4), 3, 0, false},
    {HTMT__DRAGONFLY, "1, 2, 1", 6, 6, 3 + 3, 3, 0, false},
    {HTMT__DRAGONFLY, "4, 8, 4", 1056, 264, 33 * (28 + 16), 3, 0, false},
    {HTMT__DRAGONFLY, "2, 4, 2", 72, 36, 9 * (6 + 4), 3, 0, true},
    {HTMT__DRAGONFLY, "1, 2, 1", 6, 6, 3 + 3, 3, 0, true},
    {HTMT__TORUS, "5 x 4", 20, 20, 40, 4, 0, false},
    {HTMT__TORUS, "5 x 4", 20, 20, 40, 4, 0, true},
    {HTMT__FLAT_BUTTERFLY, "4 x 4 x 4", 64, 16, 48, 2, 16, false},
    {HTMT__FLAT_BUTTERFLY, "2 x 3 x 5 x 2", 60, 30, 30 * (2 + 4 + 1) / 2, 3, 15, false},
    {HTMT__HYPERCUBE, "6", 64, 64, 192, 6, 32, false},
    {HTMT__CONCENTRATED_MESH, "4 x 4 x 4", 64, 16, 24, 6, 4, false},
};

enum { SHAPES = sizeof shapes / sizeof *shapes };

static enum htmt__routing first_routing(enum htmt__topology_kind topology)
{
    return topology == HTMT__FAT_TREE            ? HTMT__ROUTE_D_MOD_K
           : topology == HTMT__CONCENTRATED_MESH ? HTMT__ROUTE_XY
           : topology == HTMT__TORUS             ? HTMT__ROUTE_TORUS
                                                 : HTMT__ROUTE_MINIMAL;
}

static struct htmt__topology *make(const struct shape *s, enum htmt__routing routing)
{
    struct htmt__inside in = t_inside(s->topology, routing, s->text, 1);
    in.by_number = in.by_switch = in.keep_class = s->other;
    in.lanes = htmt__route_classes(&in);
    return t_make(&in, NULL, htmt__topology_ends(&in));
}

/* Hops between switches at most, by breadth from each of them. */
static uint32_t diameter_of(const struct htmt__topology *t)
{
    uint32_t *queue = calloc(t->switches, sizeof *queue), *hops = calloc(t->switches, 4), most = 0;
    for (uint32_t from = 0; from < t->switches; from++) {
        bool is_leaf = false;
        memset(hops, 0xff, t->switches * sizeof *hops);
        hops[from] = 0;
        queue[0] = from;
        for (uint32_t c = t->first[t->ends + from]; c < t->first[t->ends + from + 1]; c++)
            is_leaf |= htmt__wire(t, c)->to < t->ends;
        for (uint32_t taken = 0, put = 1; taken < put && is_leaf; taken++) {
            const uint32_t e = t->ends + queue[taken];
            for (uint32_t c = t->first[e]; c < t->first[e + 1]; c++) {
                const uint32_t to = htmt__wire(t, c)->to;
                if (to < t->ends) {
                    most = hops[queue[taken]] > most ? hops[queue[taken]] : most;
                } else if (hops[to - t->ends] == UINT32_MAX) {
                    hops[to - t->ends] = hops[queue[taken]] + 1;
                    queue[put++] = to - t->ends;
                }
            }
        }
    }
    free(queue);
    free(hops);
    return most;
}

Test(many_ways, shapes_have_what_their_formulas_say)
{
    for (uint32_t i = 0; i < SHAPES; i++) {
        const struct shape *s = &shapes[i];
        struct htmt__topology *t = make(s, first_routing(s->topology));
        uint32_t links = 0, halves = 0;
        for (uint32_t c = 0; c < t->channels; c++) {
            const struct htmt__wire *w = htmt__wire(t, c), *back = htmt__wire(t, w->back);
            cr_assert(back->from == w->to && back->to == w->from && back->back == c, "%s", s->text);
            cr_assert(back->port == w->to_port && back->to_port == w->port);
            const uint32_t half = t->ends + t->switches / 2;
            links += w->from >= t->ends && w->from < w->to;
            halves += w->from >= t->ends && w->from < half && w->to >= half;
        }
        cr_expect(t->ends == s->ends && t->switches == s->switches && links == s->links,
                  "%s: %u ends, %u switches, %u links", s->text, t->ends, t->switches, links);
        cr_expect_eq(diameter_of(t), s->diameter, "%s: diameter %u", s->text, diameter_of(t));
        if (s->halves)
            cr_expect_eq(halves, s->halves, "%s: %u links between its halves", s->text, halves);
        htmt__topology_release(&t);
    }
}

/* A level of m ports down and w up has the product of all m above it, and of all w below it,
 * switches. Lists that say what an arity says make the same tree, channel by channel. */
Test(many_ways, a_fat_tree_by_lists_of_one_arity_is_that_of_the_arity)
{
    struct htmt__topology *a = t_shape(HTMT__FAT_TREE, HTMT__ROUTE_D_MOD_K, "3 ^ 3");
    struct htmt__topology *b = t_shape(HTMT__FAT_TREE, HTMT__ROUTE_D_MOD_K, "3, 3, 3; 3, 3");
    cr_assert(a->channels == b->channels && a->switches == b->switches);
    for (uint32_t c = 0; c < a->channels; c++) {
        const struct htmt__wire *x = htmt__wire(a, c), *y = htmt__wire(b, c);
        cr_assert(x->from == y->from && x->to == y->to && x->port == y->port &&
                  x->to_port == y->to_port && x->back == y->back);
    }
    for (uint32_t i = 0; i < 27 * 27; i++) {
        uint32_t x[8], y[8];
        const uint32_t n = htmt__route_path(a, i / 27, i % 27, NULL, x, 8);
        cr_assert_eq(htmt__route_path(b, i / 27, i % 27, NULL, y, 8), n);
        cr_assert_eq(memcmp(x, y, (n + 1) * sizeof *x), 0);
    }
    htmt__topology_release(&a);
    htmt__topology_release(&b);
}

/* ---- ways ------------------------------------------------------------------------------------ */

static const struct {
    enum htmt__topology_kind topology;
    enum htmt__routing routing;
    uint32_t most; /* switches, of the longest way between two ends; 0: diameter + 1 */
} ways[] = {{HTMT__FAT_TREE, HTMT__ROUTE_D_MOD_K, 0},
            {HTMT__FAT_TREE, HTMT__ROUTE_UP_RANDOM, 0},
            {HTMT__FAT_TREE, HTMT__ROUTE_UP_ADAPTIVE, 0},
            {HTMT__DRAGONFLY, HTMT__ROUTE_MINIMAL, 4},
            {HTMT__DRAGONFLY, HTMT__ROUTE_VALIANT, 6},
            {HTMT__DRAGONFLY, HTMT__ROUTE_UGAL, 6},
            {HTMT__TORUS, HTMT__ROUTE_TORUS, 0},
            {HTMT__TORUS, HTMT__ROUTE_MINIMAL_ADAPTIVE, 0},
            {HTMT__FLAT_BUTTERFLY, HTMT__ROUTE_MINIMAL, 0},
            {HTMT__FLAT_BUTTERFLY, HTMT__ROUTE_VALIANT, 7},
            {HTMT__FLAT_BUTTERFLY, HTMT__ROUTE_UGAL, 7},
            {HTMT__HYPERCUBE, HTMT__ROUTE_MINIMAL, 0},
            {HTMT__HYPERCUBE, HTMT__ROUTE_VALIANT, 13},
            {HTMT__CONCENTRATED_MESH, HTMT__ROUTE_XY, 0},
            {HTMT__CONCENTRATED_MESH, HTMT__ROUTE_O1TURN, 0},
            {HTMT__CONCENTRATED_MESH, HTMT__ROUTE_MINIMAL_ADAPTIVE, 0}};

/* Which lane waits for which: by lane of a channel, those of the next channels. */
struct waits {
    uint8_t *after; /* a matrix of lanes of channels */
    uint32_t lanes;
};

/* All ways that a packet may take from here on, each lane of which then depends on the one before.
 */
static void follow(const struct htmt__topology *t, struct htmt__bound b, uint32_t element,
                   uint32_t most, struct waits *waits)
{
    struct htmt__allowed way[HTMT__WAYS_MOST];
    const uint32_t n = htmt__route_ways(t, element, &b, way);
    if (!n) {
        cr_assert_eq(element, b.target);
        return;
    }
    cr_assert_leq(b.hops, most, "a way has more than %u switches", most);
    for (uint32_t i = 0; i < n; i++) {
        const struct htmt__next next = way[i].next;
        cr_assert_eq(htmt__wire(t, next.channel)->from, element);
        cr_assert_lt(next.lane, waits->lanes);
        if (b.hops && way[i].waits) {
            uint8_t *after = &waits->after[((size_t)b.channel * waits->lanes + b.lane) *
                                               t->channels * waits->lanes +
                                           next.channel * waits->lanes + next.lane];
            if (*after && b.draw == 0)
                continue; /* those behind were followed */
            *after = 1;
        }
        struct htmt__bound on = b;
        on.channel = next.channel;
        on.lane = next.lane;
        on.hops++;
        follow(t, on, htmt__wire(t, next.channel)->to, most, waits);
    }
}

/* Lanes that wait for none but those that are gone go, until none is left. */
static bool has_circle(const struct waits *waits, uint32_t n)
{
    uint32_t *waiting = calloc(n, sizeof *waiting), *gone = calloc(n, sizeof *gone), put = 0;
    cr_assert(waiting && gone);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < n; k++)
            waiting[i] += waits->after[(size_t)i * n + k];
        if (!waiting[i])
            gone[put++] = i;
    }
    for (uint32_t taken = 0; taken < put; taken++)
        for (uint32_t i = 0; i < n; i++)
            if (waits->after[(size_t)i * n + gone[taken]] && --waiting[i] == 0)
                gone[put++] = i;
    free(waiting);
    free(gone);
    return put < n;
}

Test(many_ways, every_way_leads_to_its_target_and_no_lanes_wait_in_a_circle)
{
    uint64_t state = 5;
    for (uint32_t i = 0; i < SHAPES; i++)
        for (uint32_t r = 0; r < sizeof ways / sizeof *ways; r++) {
            if (ways[r].topology != shapes[i].topology || shapes[i].ends > 200)
                continue;
            struct htmt__topology *t = make(&shapes[i], ways[r].routing);
            struct waits waits = {.lanes = t->inside.lanes};
            uint32_t most = ways[r].most ? ways[r].most : shapes[i].diameter + 1;
            most += ways[r].most == 6 && shapes[i].other;
            const uint32_t n = t->channels * waits.lanes;
            waits.after = calloc((size_t)n * n, 1);
            cr_assert_not_null(waits.after);
            for (uint32_t k = 0; k < 2000; k++) {
                struct htmt__bound b = {.source = draw_below(&state, t->ends),
                                        .target = draw_below(&state, t->ends),
                                        .channel = UINT32_MAX,
                                        .draw = k + 1};
                follow(t, b, b.source, most, &waits);
            }
            cr_expect_not(has_circle(&waits, n), "%s, routing %u", shapes[i].text, ways[r].routing);
            cr_expect_leq(t->longest, most, "%s: longest %u", shapes[i].text, t->longest);
            free(waits.after);
            htmt__topology_release(&t);
        }
}

/* ---- circles, found when a machine is loaded --------------------------------------------------
 */

/* All pairs of ends, and each way of a packet, lane by lane: another search, in a matrix. */
static bool has_circle_of_all(const struct htmt__topology *t)
{
    struct waits waits = {.lanes = t->inside.lanes};
    const uint32_t n = t->channels * waits.lanes;
    waits.after = calloc((size_t)n * n, 1);
    cr_assert_not_null(waits.after);
    for (uint32_t a = 0; a < t->ends; a++)
        for (uint32_t b = 0; b < t->ends; b++) {
            const struct htmt__bound bound = {
                .source = a, .target = b, .channel = UINT32_MAX, .draw = 1};
            follow(t, bound, a, t->switches + 1, &waits);
        }
    const bool found = has_circle(&waits, n);
    free(waits.after);
    return found;
}

/* What is found is a circle: each channel begins where the one before ends. */
static bool finds_circle(const struct htmt__topology *t)
{
    uint32_t circle[4096], count;
    cr_assert_eq(htmt__lane_circle(t, circle, 4096, &count), 0);
    for (uint32_t i = 0; i < count; i++)
        cr_assert_eq(htmt__wire(t, circle[i])->to, htmt__wire(t, circle[(i + 1) % count])->from);
    return count != 0;
}

Test(many_ways, circles_of_grids_are_those_that_a_walk_of_all_pairs_finds)
{
    static const struct {
        enum htmt__topology_kind topology;
        enum htmt__routing routing;
        const char *shape;
        bool circle;
    } grids[] = {{HTMT__MESH, HTMT__ROUTE_GEOMETRIC, "2 x 2", false},
                 {HTMT__MESH, HTMT__ROUTE_GEOMETRIC, "2 x 3", false},
                 {HTMT__MESH, HTMT__ROUTE_GEOMETRIC, "1 x 9", false},
                 {HTMT__MESH, HTMT__ROUTE_GEOMETRIC, "2 x 2 x 2", false},
                 {HTMT__MESH, HTMT__ROUTE_GEOMETRIC, "2 x 2 x 3", false},
                 {HTMT__MESH, HTMT__ROUTE_GEOMETRIC, "2 x 4", true},
                 {HTMT__MESH, HTMT__ROUTE_GEOMETRIC, "3 x 3", true},
                 {HTMT__MESH, HTMT__ROUTE_GEOMETRIC, "6 x 5", true},
                 {HTMT__MESH, HTMT__ROUTE_SHORTEST, "4 x 4", false},
                 {HTMT__MESH, HTMT__ROUTE_XY, "4 x 4", false},
                 {HTMT__TORUS, HTMT__ROUTE_GEOMETRIC, "3 x 3", false},
                 {HTMT__TORUS, HTMT__ROUTE_GEOMETRIC, "3 x 3 x 3", false},
                 {HTMT__TORUS, HTMT__ROUTE_GEOMETRIC, "2 x 4", true},
                 {HTMT__TORUS, HTMT__ROUTE_SHORTEST, "3 x 3", false},
                 {HTMT__TORUS, HTMT__ROUTE_SHORTEST, "3 x 2 x 5", true},
                 {HTMT__TORUS, HTMT__ROUTE_SHORTEST, "4", true},
                 {HTMT__TORUS, HTMT__ROUTE_TORUS, "5 x 4", false}};
    for (uint32_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        struct htmt__topology *t = t_shape(grids[i].topology, grids[i].routing, grids[i].shape);
        cr_expect_eq(has_circle_of_all(t), grids[i].circle, "%u: %s", i, grids[i].shape);
        cr_expect_eq(finds_circle(t), grids[i].circle, "%u: %s", i, grids[i].shape);
        htmt__topology_release(&t);
    }
    static const char *const large[] = {"2 x 2 x 200", "30 x 30", "9 x 9 x 9", "1 x 600"};
    for (uint32_t i = 0; i < 4; i++) { /* what a box of them says; a line has none */
        struct htmt__topology *t = t_shape(HTMT__MESH, HTMT__ROUTE_GEOMETRIC, large[i]);
        cr_expect_eq(finds_circle(t), i < 3, "%s", large[i]);
        htmt__topology_release(&t);
    }
}

Test(many_ways, circles_of_random_graphs_are_those_that_a_walk_of_all_pairs_finds)
{
    uint64_t state = 11;
    uint32_t circles = 0;
    for (uint32_t i = 0; i < 150; i++) {
        const enum htmt__routing routing = i % 3 ? HTMT__ROUTE_SHORTEST : HTMT__ROUTE_UP_DOWN;
        struct htmt__inside in = t_inside(HTMT__GRAPH, routing, NULL, 1);
        const uint32_t switches = 3 + draw_below(&state, 10);
        struct htmt__switch_graph *g = t_random_graph(&state, switches, draw_below(&state, 8));
        struct htmt__topology *t = t_make(&in, g, switches);
        const bool circle = has_circle_of_all(t);
        cr_expect_eq(finds_circle(t), circle, "graph %u", i);
        cr_expect(!circle || routing == HTMT__ROUTE_SHORTEST);
        circles += circle;
        htmt__topology_release(&t);
    }
    cr_expect(circles > 20 && circles < 100, "%u graphs have circles", circles);
}

/* Of all four ways up from a switch each is taken alike: a fourth of n draws, and four times their
 * standard error. */
Test(many_ways, drawn_ways_are_taken_alike)
{
    enum { DRAWS = 40000 };
    struct htmt__topology *t = make(&shapes[0], HTMT__ROUTE_UP_RANDOM);
    uint32_t count[4] = {0};
    for (uint32_t k = 0; k < DRAWS; k++) {
        const struct htmt__bound b = {.source = 0,
                                      .target = 63,
                                      .hops = 1,
                                      .channel = t->first[0],
                                      .draw = htmt__route_draw(0, k, k, 0)};
        const struct htmt__next next = htmt__route_next(t, t->ends, &b);
        const uint32_t port = htmt__wire(t, next.channel)->port;
        cr_assert(port >= 4 && port < 8);
        count[port - 4]++;
    }
    for (uint32_t i = 0; i < 4; i++) /* sqrt(40000 * 3 / 16) = 87 */
        cr_expect(count[i] > DRAWS / 4 - 350 && count[i] < DRAWS / 4 + 350, "%u", count[i]);
    htmt__topology_release(&t);
}

/* Bit by bit round a cube, to the same end by the digits of d-mod-k: by hand. */
Test(many_ways, ways_by_hand)
{
    uint32_t channel[8];
    struct htmt__topology *t = make(&shapes[0], HTMT__ROUTE_D_MOD_K);
    cr_expect_eq(htmt__route_path(t, 0, 27, NULL, channel, 8), 5); /* 27 is 1 2 3 to the base 4 */
    const uint32_t tree[] = {0, 4 + 3, 4 + 2, 1, 2, 3};
    for (uint32_t i = 1; i < 6; i++)
        cr_expect_eq(htmt__wire(t, channel[i])->port, tree[i], "%u: port %u", i,
                     htmt__wire(t, channel[i])->port);
    htmt__topology_release(&t);
    t = make(&shapes[15], HTMT__ROUTE_MINIMAL);
    cr_expect_eq(htmt__route_path(t, 5, 12, NULL, channel, 8), 3); /* 5 ^ 12 = 1001b */
    cr_expect_eq(htmt__wire(t, channel[1])->port, 1);
    cr_expect_eq(htmt__wire(t, channel[2])->port, 4);
    htmt__topology_release(&t);
}

/* ---- what machine files may not say ---------------------------------------------------------- */

#define KEY "networks.net.inside."
static const struct {
    const char *machine, *set[2], *line;
} refused[] = {
    {"dragonfly-72",
     {KEY "classes=within"},
     "lanes: routing 'ugal' needs 3 classes of lanes, expected at least 3, or classes: auto"},
    {"dragonfly-72", {KEY "lanes=60"}, "lanes: 3 classes of lanes make 180, expected at most 64"},
    {"dragonfly-72",
     {KEY "routing=up-random"},
     "routing: found 'up-random', expected 'minimal', 'valiant' or 'ugal'"},
    {"dragonfly-72",
     {KEY "shape=2 x 4"},
     "shape: found '2 x 4', expected ends of a switch, switches of a group, links of a switch, "
     "as "
     "in '2, 4, 2'"},
    {"dragonfly-72",
     {KEY "shape=2, 9000, 9000"},
     "shape: a network of more than 8388608 channels is too large"},
    {"dragonfly-72",
     {KEY "shape=2, 2, 2"},
     "shape: 20 ends do not hold the 72 slices of the machine"},
    {"dragonfly-72",
     {KEY "order=keep"},
     "order: found 'keep', but what waits at a switch decides for each packet, expected "
     "'free'"},
    {"dragonfly-72",
     {KEY "header.hop=1 B"},
     "header.hop: ways differ in length, expected no part for each switch"},
    {"fat-tree-64", {KEY "routing=d-mod-k", KEY "order=keep"}, NULL},
    {"fat-tree-64",
     {KEY "routing=ugal"},
     "routing: found 'ugal', expected 'd-mod-k', 'up-random' or 'up-adaptive'"},
    {"fat-tree-64",
     {KEY "shape=4 x 3"},
     "shape: found '4 x 3', expected arity and levels such as '4 ^ 3', or the arity alone"},
    {"fat-tree-64",
     {KEY "shape=4, 4, 4; 2"},
     "shape: found '4, 4, 4; 2', expected ports down of 2 to 4 levels, then those up of all but "
     "the last one, as in '4, 4, 4; 2, 2'"},
    {"fat-tree-64",
     {KEY "shape=8, 8; 9000000"},
     "shape: a network of more than 8388608 channels is too large"},
    {"fat-tree-64",
     {KEY "global-wire=3 ns"},
     "global-wire: no links of groups, expected a dragonfly"},
    {"fat-tree-64",
     {KEY "ties=balanced"},
     "ties: found 'balanced', but no packet goes round a ring"},
    {"fat-tree-64",
     {KEY "blocked=source"},
     "routing: packets that start again at their senders (blocked: source) have one way"},
    {"fat-tree-64",
     {KEY "topology=hypercube", KEY "shape=21"},
     "shape: found '21', expected dimensions from 1 to 20"},
    {"fat-tree-64",
     {KEY "topology=flattened-butterfly", KEY "shape=4"},
     "shape: found '4', expected ends of a switch and extents, as in '4 x 4 x 4'"},
};

Test(many_ways, what_does_not_fit_is_refused_in_a_line)
{
    for (uint32_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct htmt_machine *m = NULL;
        struct htmt_fault fault = {0};
        const int rc = htmt_machine_load(refused[i].machine, refused[i].set,
                                         refused[i].set[1] ? 2 : 1, &m, &fault);
        const char *found = strstr(fault.text, KEY);
        cr_expect_neq(rc, 0, "%u", i);
        if (refused[i].line)
            cr_expect(found && strcmp(found + strlen(KEY), refused[i].line) == 0, "%s", fault.text);
        htmt_machine_destroy(&m);
    }
}

/* Classes of lanes that are added: 1 lane of each of three. 4096 ends load at once. */
Test(many_ways, automatic_classes_multiply_the_lanes)
{
    struct htmt_machine *m = machine_load("dragonfly-72", NULL);
    cr_expect_eq(htmt__topology(&m->network[0])->inside.lanes, 3);
    cr_expect_eq(htmt__topology(&m->network[0])->inside.global_wire, 100 * INT64_C(1000000));
    htmt_machine_destroy(&m);
    const char *const sets[] = {KEY "shape=8 ^ 4", "slices=4096"};
    m = machine_load_sets("fat-tree-64", sets, 2);
    cr_expect_eq(htmt__topology(&m->network[0])->switches, 4 * 512);
    htmt_machine_destroy(&m);
}
