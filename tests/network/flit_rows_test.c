/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Routers that send flits (`pipeline: per-flit`) against load curves of a flit simulator (booksim2,
 * commit 28f43299). HTMT_MEASURED names a folder with all its rows (booksim-curves.csv); a few of
 * them are here.
 */
#include "apps/formats/plot.h"
#include "tests/fabric/player.h"
#include "tests/network/offered_load.h"
#include "tests/runtime/share.h"

#include <math.h>

/* Of a topology of that table: our names, and what is set. */
static const struct network of_rows[] = {
    {"mesh dor", HTMT__MESH, HTMT__ROUTE_XY, "8 x 8", .buffer = 16},
    {"fattree nca", HTMT__FAT_TREE, HTMT__ROUTE_UP_RANDOM, "4 ^ 3", .buffer = 16},
    {"torus dim_order", HTMT__TORUS, HTMT__ROUTE_TORUS, "8 x 8", .buffer = 16},
    {"dragonflynew min", HTMT__DRAGONFLY, HTMT__ROUTE_MINIMAL, "2, 4, 2", .buffer = 256},
    {"dragonflynew ugal", HTMT__DRAGONFLY, HTMT__ROUTE_UGAL, "2, 4, 2", .buffer = 256, .bias = 30},
    {"flatfly ran_min", HTMT__FLAT_BUTTERFLY, HTMT__ROUTE_MINIMAL, "4 x 4 x 4", .buffer = 16},
    {"flatfly ugal", HTMT__FLAT_BUTTERFLY, HTMT__ROUTE_UGAL, "4 x 4 x 4", .buffer = 16, .bias = 2}};

enum { KINDS = sizeof of_rows / sizeof *of_rows };

static const struct network *find(const char *topology, const char *routing)
{
    char name[64];
    snprintf(name, sizeof name, "%s %s", topology, routing);
    for (unsigned i = 0; i < KINDS; i++)
        if (strcmp(of_rows[i].name, name) == 0)
            return &of_rows[i];
    cr_assert_fail("%s", name);
    return NULL;
}

static struct network with(const char *topology, const char *routing, uint32_t lanes,
                           uint32_t speedup)
{
    struct network n = *find(topology, routing);
    /* By a switch of another group needs a class more than the flit simulator has. */
    n.lanes = n.topology == HTMT__DRAGONFLY && n.routing == HTMT__ROUTE_UGAL ? 4 : lanes;
    n.dynamic = true;
    n.speedup = speedup;
    return n;
}

struct row {
    const char *topology, *routing;
    uint32_t lanes, speedup;
    enum pattern pattern;
    double offered, accepted, latency; /* 0: not compared */
};

static void compare(const struct row *row, unsigned count)
{
    if (only_memory())
        cr_skip_test("numbers alone");
    const uint32_t part = getenv("HTMT_LONG") ? 1 : 4;
    for (const struct row *r = row; r < row + count; r++) {
        const struct network n = with(r->topology, r->routing, r->lanes, r->speedup);
        const bool dragonfly = n.topology == HTMT__DRAGONFLY;
        const struct found f = offered_load(&(struct load){.of = &n,
                                                           .pattern = r->pattern,
                                                           .offered = r->offered,
                                                           .warm = dragonfly ? 5000 : 3000 / part,
                                                           .window = dragonfly ? 4500 : 4500 / part,
                                                           .drains = r->latency != 0});
        fprintf(stderr, "%s %s, %u lanes, offered %.2f: accepted %.4f of %.4f, %.2f of %.2f\n",
                r->topology, r->routing, r->lanes, r->offered, f.accepted, r->accepted, f.latency,
                r->latency);
        if (r->accepted != 0)
            cr_expect_lt(fabs(f.accepted / r->accepted - 1), 0.05, "%s", n.name);
        if (r->latency != 0)
            cr_expect_lt(fabs(f.latency / r->latency - 1), 0.04, "%s", n.name);
    }
}

Test(flit_rows, routers_of_flits_accept_what_a_flit_simulator_accepts)
{
    static const struct row rows[] = {{"mesh", "dor", 4, 4, UNIFORM, 0.6, 0.4705, 0},
                                      {"fattree", "nca", 4, 1, UNIFORM, 0.9, 0.6739, 0},
                                      {"torus", "dim_order", 8, 4, UNIFORM, 0.9, 0.774, 0},
                                      {"dragonflynew", "ugal", 3, 4, UNIFORM, 0.75, 0.6173, 0},
                                      {"dragonflynew", "ugal", 3, 4, NEXT_GROUP, 0.3, 0.249, 0},
                                      {"flatfly", "ugal", 4, 4, COMPLEMENT, 0.45, 0.316, 0}};
    compare(rows, sizeof rows / sizeof *rows);
}

Test(flit_rows, packets_take_as_long_as_in_a_flit_simulator)
{
    static const struct row rows[] = {{"mesh", "dor", 4, 4, UNIFORM, 0.2011, 0, 28.645},
                                      {"fattree", "nca", 4, 4, UNIFORM, 0.3016, 0, 23.161},
                                      {"torus", "dim_order", 2, 1, UNIFORM, 0.2011, 0, 23.245},
                                      {"flatfly", "ran_min", 4, 4, UNIFORM, 0.2011, 0, 14.875}};
    compare(rows, sizeof rows / sizeof *rows);
}

/* Alone a packet passes R routers in 2 R cycles, its links (1, 10 or 100 each) and its 4 flits. The
 * time of the links follows from the channels of its way. */
Test(flit_rows, a_packet_alone_takes_its_wires_its_switches_and_its_flits)
{
    for (unsigned i = 0; i < KINDS; i++) {
        struct network n = of_rows[i];
        n.lanes = 4;
        n.speedup = 1;
        const struct htmt__inside in = offered_inside(&n);
        struct htmt__topology *t = t_make(&in, NULL, htmt__topology_ends(&in));
        struct graph g = {.t = *t};
        struct sent sent[200];
        uint64_t state = 3;
        for (uint32_t k = 0; k < 200; k++)
            sent[k] = (struct sent){.source = draw_below(&state, t->ends),
                                    .target = draw_below(&state, t->ends),
                                    .bytes = 4,
                                    .at = k * 1000000};
        struct player p;
        player_create(&p, &g, sent, 200);
        player_run(&p);
        for (uint32_t k = 0; k < 200; k++) {
            const htmt_time cycles = (sent[k].tail - sent[k].at) / 1000;
            const uint32_t links = sent[k].hops, routers = links - 1;
            const htmt_time far = n.topology == HTMT__DRAGONFLY ? cycles - 2 * routers - 2 - 4 : 0;
            if (n.topology == HTMT__DRAGONFLY) /* local and global ones between routers */
                cr_expect_eq(far / 100 + far % 100 / 10, routers - 1);
            else
                cr_expect_eq(cycles, 2 * routers + links + 4, "%s", n.name);
        }
        player_destroy(&p);
        htmt__topology_release(&t);
    }
}

/* Oldest first and in turn carry alike; slices in any order find the same. */
Test(flit_rows, flits_do_not_depend_on_whose_turn_it_is)
{
    static const char *const nets[][2] = {{"mesh", "dor"},
                                          {"torus", "dim_order"},
                                          {"fattree", "nca"},
                                          {"dragonflynew", "ugal"},
                                          {"flatfly", "ugal"}};
    for (unsigned i = 0; i < sizeof nets / sizeof *nets; i++)
        for (unsigned oldest = 0; oldest < 2; oldest++) {
            struct network n = with(nets[i][0], nets[i][1], 4, 1 + i % 2);
            n.oldest = oldest;
            struct load l = {&n, UNIFORM, 0.6, 60, 60, true, false};
            const struct found a = offered_load(&l);
            l.in_windows = true;
            const struct found b = offered_load(&l);
            cr_expect_eq(a.missing + b.missing, 0);
            cr_expect_eq(a.digest, b.digest, "%s", n.name);
        }
}

/* ---- all rows -------------------------------------------------------------------------------- */

#define COLUMNS 32

/* The worst of a topology's rows: of accepted load at overload, of latency up to half of that, and
 * of latency of all stable rows. */
struct worst {
    char name[64];
    unsigned rows[3];
    double off[3];
};

static void note(struct worst *w, unsigned what, double off)
{
    w->rows[what]++;
    w->off[what] = fabs(off) > fabs(w->off[what]) ? off : w->off[what];
}

static enum pattern pattern_of(const char *name)
{
    return strcmp(name, "bitcomp") == 0      ? COMPLEMENT
           : strcmp(name, "transpose") == 0  ? TRANSPOSE
           : strcmp(name, "bad_dragon") == 0 ? NEXT_GROUP
                                             : UNIFORM;
}

/* Columns of a row, by the order of the table's first line. */
enum {
    ID,
    TOPOLOGY,
    K,
    N,
    ROUTING,
    VCS,
    BUFFER,
    PACKET,
    SPEEDUP,
    DELAYS,
    TRAFFIC,
    OFFERED,
    ACCEPTED,
    LATENCY,
    HOPS,
    SAMPLES,
    SEED,
    CONFIG,
    COMMIT,
    STATE,
    ACTUAL
};

static void play_row(char *const *c, struct worst *w, FILE *csv)
{
    struct network n =
        with(c[TOPOLOGY], c[ROUTING], (uint32_t)atoi(c[VCS]), (uint32_t)atoi(c[SPEEDUP]));
    const bool stable = strcmp(c[STATE], "stable") == 0;
    const bool dragonfly = n.topology == HTMT__DRAGONFLY;
    if (n.topology == HTMT__TORUS && atoi(c[K]) == 7)
        n.shape = "7 x 7";
    const struct found f =
        offered_load(&(struct load){.of = &n,
                                    .pattern = pattern_of(c[TRAFFIC]),
                                    .offered = atof(c[stable ? ACTUAL : OFFERED]),
                                    .warm = dragonfly ? 5000 : 3000,
                                    .window = dragonfly ? 7500 : 4500,
                                    .drains = stable});
    const double theirs = atof(c[stable ? LATENCY : ACCEPTED]);
    const double ours = stable ? f.latency : f.accepted, off = ours / theirs - 1;
    snprintf(w->name, sizeof w->name, "%s %s", c[TOPOLOGY], c[ROUTING]);
    note(w, stable ? 2 : 0, off);
    /* Half of what the least network of the table carries, or of its busiest link. */
    if (stable && atof(c[OFFERED]) <= 0.2 && atof(c[LATENCY]) > 0)
        note(w, 1, off);
    if (csv)
        fprintf(csv, "%s,%s,%s,%s,%s,%.4f,%s,%.3f,%.2f\n", c[ID], n.name, c[STATE],
                c[stable ? ACTUAL : OFFERED], c[ACCEPTED], f.accepted, stable ? c[LATENCY] : "nan",
                stable ? f.latency : (double)NAN, 100 * off);
}

/* HTMT_ROWS names a file for all of them, as CSV; off: of the latency, or of what an overload
 * accepts. */
Test(flit_rows, every_row_of_the_flit_simulator_that_is_at_hand_is_met, .timeout = 7200)
{
    const char *folder = getenv("HTMT_MEASURED"), *out = getenv("HTMT_ROWS");
    char path[512], line[4096], *c[COLUMNS];
    struct worst worst[KINDS] = {0};
    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/booksim-curves.csv", folder);
    FILE *f = fopen(path, "r"), *csv = out ? fopen(out, "w") : NULL;
    cr_assert(f && fgets(line, sizeof line, f) && (!out || csv));
    if (csv)
        fprintf(csv,
                "id,network,state,offered,their_accepted,accepted,their_latency,latency,off\n");
    while (fgets(line, sizeof line, f)) {
        char *rest = line;
        unsigned n = 0;
        while (n < COLUMNS && (c[n] = strsep(&rest, ",\n")))
            n++;
        cr_assert_geq(n, ACTUAL + 1);
        if (strcmp(c[STATE], "marginal") != 0)
            play_row(c, &worst[find(c[TOPOLOGY], c[ROUTING]) - of_rows], csv);
    }
    fclose(f);
    if (csv)
        cr_assert_eq(fclose(csv), 0);
    fprintf(stderr, "%-18s  accepted, worst    latency up to 0.2     all latencies\n", "");
    for (unsigned i = 0; i < KINDS; i++) {
        const struct worst *w = &worst[i];
        fprintf(stderr, "%-18s %4u rows %+6.1f %%  %4u rows %+6.1f %%  %4u rows %+6.1f %%\n",
                w->name, w->rows[0], 100 * w->off[0], w->rows[1], 100 * w->off[1], w->rows[2],
                100 * w->off[2]);
        cr_expect_lt(fabs(w->off[1]), 0.04, "%s", w->name);
    }
}

/* ---- the picture ----------------------------------------------------------------------------- */

/* A line of a panel: rows whose id begins so. */
struct series {
    const char *id, *name;
};

#define LINES  3
#define POINTS 32

struct panel {
    const char *title;
    struct series of[LINES];
    struct htmt__plot_curve curves[LINES + 1];
    double x[LINES][POINTS], y[LINES][POINTS], their_x[LINES * POINTS], their_y[LINES * POINTS];
};

/* Points of a line stand by what was offered, as rows of a second seed do not in the table. */
static void add_row(struct panel *p, const char *id, const double *xy)
{
    for (unsigned i = 0; i < LINES; i++) {
        struct htmt__plot_curve *ours = &p->curves[i], *theirs = &p->curves[LINES];
        const size_t n = strlen(p->of[i].id);
        if (strncmp(id, p->of[i].id, n) != 0 || strncmp(id + n, "-o", 2) != 0)
            continue;
        size_t at = ours->count++;
        cr_assert_lt(at, POINTS);
        for (; at > 0 && p->x[i][at - 1] > xy[0]; at--) {
            p->x[i][at] = p->x[i][at - 1];
            p->y[i][at] = p->y[i][at - 1];
        }
        p->x[i][at] = xy[0];
        p->y[i][at] = xy[2];
        p->their_x[theirs->count] = xy[0];
        p->their_y[theirs->count++] = xy[1];
    }
}

/* HTMT_PICTURE names a picture (.svg, .png, .pdf) of some rows of the file HTMT_ROWS. */
Test(flit_rows, rows_at_hand_are_drawn)
{
    static struct panel panels[] = {
        {.title = "8 x 8 mesh, uniform",
         .of = {{"bs-mesh8-uniform-v4-s4", "4 lanes"},
                {"bs-mesh8-uniform-v4-s1", "4 lanes, input-speedup 1"},
                {"bs-mesh8-uniform-v1-s1", "1 lane"}}},
        {.title = "fat tree 4 ^ 3, up-random, uniform",
         .of = {{"bs-ft4x3-uniform-v4-s4", "4 lanes"},
                {"bs-ft4x3-uniform-v4-s1", "4 lanes, input-speedup 1"},
                {"bs-ft4x3-uniform-v1-s1", "1 lane"}}},
        {.title = "dragonfly 2, 4, 2",
         .of = {{"bs-df72-ugal-uniform-v3-s4", "ugal, uniform"},
                {"bs-df72-min-uniform-v2-s4", "minimal, uniform"},
                {"bs-df72-min-bad_dragon-v2-s4", "minimal, to the next group"}}}};
    enum { PANELS = sizeof panels / sizeof *panels };
    const char *rows = getenv("HTMT_ROWS"), *picture = getenv("HTMT_PICTURE");
    struct htmt__plot plots[PANELS];
    struct htmt_fault fault = {0};
    char line[512], id[128];
    double xy[3];
    if (!rows || !picture)
        return;
    for (unsigned i = 0; i < PANELS; i++) {
        struct panel *p = &panels[i];
        for (unsigned k = 0; k < LINES; k++)
            p->curves[k] =
                (struct htmt__plot_curve){p->of[k].name, HTMT__PLOT_LINE, 0, p->x[k], p->y[k]};
        p->curves[LINES] = (struct htmt__plot_curve){"flit simulator", HTMT__PLOT_POINTS, 0,
                                                     p->their_x, p->their_y};
        plots[i] = (struct htmt__plot){.title = p->title,
                                       .x_label = "offered, flits an end and cycle",
                                       .y_label = "accepted",
                                       .x_most = 1,
                                       .y_most = 1,
                                       .width = 640,
                                       .height = 340,
                                       .curves = p->curves,
                                       .count = LINES + 1,
                                       .below = i + 1 < PANELS ? &plots[i + 1] : NULL};
    }
    FILE *f = fopen(rows, "r");
    cr_assert(f && fgets(line, sizeof line, f));
    while (fgets(line, sizeof line, f)) {
        cr_assert_eq(sscanf(line, "%127[^,],%*[^,],%*[^,],%lf,%lf,%lf", id, xy, xy + 1, xy + 2), 4);
        for (unsigned i = 0; i < PANELS; i++)
            add_row(&panels[i], id, xy);
    }
    fclose(f);
    cr_assert_eq(htmt__plot_write(picture, plots, &fault), 0, "%s", fault.text);
}
