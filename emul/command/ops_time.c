/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt ops time`: tapes through the inside of machines' processors; as a report, as JSON, and as a
 * picture with a bar for each tape and machine.
 */
#include "apps/formats/plot.h"
#include "emul/command/ops.h"
#include "emul/lib/plugin/plugin.h"
#include "emul/lib/report/json.h"
#include "emul/lib/text/format.h"
#include "layers/machine/machine.h"
#include "layers/machine/nodes.h"
#include "layers/node/replay.h"
#include "runtime/base/jansson.h"
#include "runtime/base/output.h"
#include "runtime/base/output_claims.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETS_MOST       64
#define PROCESSORS_MOST 1024
#define BARS_MOST       16u

struct request {
    const char *path[BARS_MOST], *machine[BARS_MOST]; /* each on each */
    unsigned paths, machines;
    const char *layer, *processors, *json, *plot;
    const struct htmt__plot_part *drawing;
    const char *set[SETS_MOST];
    unsigned sets;
    struct htmt__replay_options replay;
};

/* ---- the command line ------------------------------------------------------------------------ */

static int read_words(struct request *q, int argc, char **argv, struct htmt_fault *fault)
{
    const char *value;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--warm") == 0)
            q->replay.warm = true;
        else if (q->machines < BARS_MOST &&
                 (value = htmt__command_value("--machine", argc, argv, &i)))
            q->machine[q->machines++] = value;
        else if ((value = htmt__command_value("--plot", argc, argv, &i)))
            q->plot = value;
        else if ((value = htmt__command_value("--json", argc, argv, &i)))
            q->json = value;
        else if ((value = htmt__command_value("--layer", argc, argv, &i)))
            q->layer = value;
        else if ((value = htmt__command_value("--processors", argc, argv, &i)))
            q->processors = value;
        else if (q->sets < SETS_MOST && (value = htmt__command_value("--set", argc, argv, &i)))
            q->set[q->sets++] = value;
        else if (argv[i][0] != '-' && q->paths < BARS_MOST)
            q->path[q->paths++] = argv[i];
        else
            return htmt_fault_set(fault, HTMT_EUSAGE, "found '%.60s'; usage: htmt ops %s", argv[i],
                                  htmt__ops_time.usage);
    return 0;
}

/* What goes together, and whether the outputs can be written. */
static int check_request(struct request *q, struct htmt_fault *fault)
{
    if (!q->paths || !q->machines || !*q->machine[0])
        return htmt_fault_set(fault, HTMT_EUSAGE, "%s is missing; usage: htmt ops %s",
                              q->paths ? "--machine" : "the tape", htmt__ops_time.usage);
    const unsigned all = q->paths * q->machines;
    if (all > BARS_MOST || (all > 1 && q->json))
        return htmt_fault_set(
            fault, HTMT_EUSAGE, "found %u tapes on %u machines, expected at most %u%s", q->paths,
            q->machines, q->json ? 1 : BARS_MOST, q->json ? " with --json" : " in all");
    char *end = NULL;
    long n = q->processors ? strtol(q->processors, &end, 10) : 1;
    if (n < 1 || n > PROCESSORS_MOST || (end && *end))
        return htmt_fault_set(fault, HTMT_EUSAGE, "--processors: found '%.40s', expected 1 to %d",
                              q->processors, PROCESSORS_MOST);
    q->replay.processors = (uint32_t)n;
    if (q->json && !*q->json)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--json: the value is missing, expected FILE|-");
    int rc = q->json ? htmt__output_claim_streams(fault) : 0;
    if (!rc && q->json && strcmp(q->json, "-") != 0)
        rc = htmt_output_claim("--json", q->json, fault);
    if (rc || !q->plot)
        return rc;
    void *part = NULL;
    rc = htmt__plugin_part("plot", HTMT__PLOT_PART, "--plot", &part, fault);
    q->drawing = part;
    rc = rc ? rc : q->drawing->check(q->plot, fault);
    return rc ? rc : htmt_output_claim("--plot", q->plot, fault);
}

/* The layer that was asked for, or the first whose processors have an inside. */
static int find_layer(const struct request *q, const struct htmt_machine *m, uint32_t *layer,
                      struct htmt_fault *fault)
{
    int named = q->layer ? htmt_machine_layer(m, q->layer) : 0;
    if (named < 0)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--layer: %s has no layer '%.40s'", m->name,
                              q->layer);
    for (*layer = (uint32_t)named; *layer < m->layer_count; ++*layer)
        if (htmt__machine_node(m, *layer))
            return 0;
        else if (q->layer)
            break;
    return htmt_fault_set(fault, HTMT_EINVAL,
                          "%s%s%s has no processor with operations inside, expected "
                          "layers.NAME.inside (docs/nodes.md)",
                          m->name, q->layer ? ", layer " : "", q->layer ? q->layer : "");
}

/* A replay, and what was replayed. */
struct timed {
    const char *path;
    const struct htmt_machine *machine;
    uint32_t layer;
    const struct htmt__replay_options *options;
    const struct htmt__tape *tape;
    const struct htmt__replay *replay;
};

/* Where the time went: a bar for each tape and machine. */
struct stack {
    unsigned bars;
    char tape[BARS_MOST][80], machine[BARS_MOST][80];
    double part[HTMT__NODE_PARTS][BARS_MOST]; /* s */
};

/* ---- the report ------------------------------------------------------------------------------ */

static const char *const parts[HTMT__NODE_PARTS] = {
    [HTMT__NODE_ISSUE] = "issue",      [HTMT__NODE_UNITS] = "units",
    [HTMT__NODE_CHAIN] = "chains",     [HTMT__NODE_L1] = "l1",
    [HTMT__NODE_L2] = "l2, l3",        [HTMT__NODE_BUS] = "bus",
    [HTMT__NODE_PAGES] = "DRAM pages", [HTMT__NODE_REFRESH] = "DRAM refresh",
    [HTMT__NODE_BRANCHES] = "branches"};

static double share(uint64_t part, uint64_t of)
{
    return of ? (double)part / (double)of : 0;
}

static void print_count(const char *name, uint64_t n, uint64_t of, const char *what)
{
    if (!of)
        return;
    printf("  %-14s%16s", name, htmt__format_count(n).s);
    if (what)
        printf("  %7s of %s", htmt__format_share(share(n, of)).s, what);
    fputc('\n', stdout);
}

static void print(const struct timed *t)
{
    const struct htmt_layer *layer = &t->machine->layer[t->layer];
    const struct htmt__replay *r = t->replay;
    const struct htmt__node_account *a = &r->account;
    printf("%s on %s, %s of layer %s\n", t->path, t->machine->name, layer->processor.name,
           layer->name);
    printf("  services      %s", htmt__format_count(r->services).s);
    if (t->options->processors > 1)
        printf(", %u at a time, which share bus and DRAM", t->options->processors);
    printf("; caches %s\n", t->options->warm ? "stay warm" : "cold at each");
    printf("  time          %s\n", htmt__format_fs(r->time).s);
    if (r->rounds > 1)
        printf("  longest       %s\n", htmt__format_fs(r->longest).s);
    printf("where the time of services went\n");
    for (int i = 0; i < HTMT__NODE_PARTS; i++)
        if (a->part[i])
            printf("  %-14s%12s  %7s\n", parts[i], htmt__format_fs(a->part[i]).s,
                   htmt__format_share(share((uint64_t)a->part[i], (uint64_t)r->sum)).s);
    printf("  %-14s%12s\n", "sum", htmt__format_fs(r->sum).s);
    const uint64_t accesses = a->loads + a->stores, pages = a->page_hits + a->page_misses;
    printf("counts\n");
    print_count("instructions", a->instructions, a->instructions, NULL);
    print_count("loads", a->loads, accesses, NULL);
    print_count("stores", a->stores, accesses, NULL);
    print_count("data misses", a->l1_misses, accesses, "accesses");
    print_count("code misses", a->l1_code_misses, a->l1_code_misses, NULL);
    print_count("l2, l3 misses", a->l2_misses, a->l2_misses, NULL);
    print_count("write-backs", a->write_backs, a->write_backs, NULL);
    print_count("page hits", a->page_hits, pages, "DRAM accesses");
    print_count("refreshes", a->refreshes, a->refreshes, NULL);
    print_count("missed guesses", a->branches_missed, a->branches_missed, NULL);
    const struct htmt__tape_region *regions;
    const uint64_t misses = a->l1_misses + a->l1_code_misses;
    const size_t count = htmt__tape_regions(t->tape, &regions);
    if (!misses)
        return;
    printf("misses by region\n");
    for (size_t i = 0; i <= count; i++)
        if (r->misses[i])
            printf("  %-40s%16s  %7s\n", i < count ? regions[i].name : "elsewhere",
                   htmt__format_count(r->misses[i]).s,
                   htmt__format_share(share(r->misses[i], misses)).s);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

#define SCHEMA "htmt-ops-time-1"

/* Objects with the names and the values, in order. */
static json_t *numbers(const char *const *name, const uint64_t *value, size_t count)
{
    json_t *all = json_object();
    for (size_t i = 0; i < count && all; i++)
        if (json_object_set_new(all, name[i], json_integer((json_int_t)value[i]))) {
            json_decref(all);
            all = NULL;
        }
    return all;
}

/* An object for each region with misses. */
static json_t *misses(const struct timed *t)
{
    const struct htmt__tape_region *regions;
    size_t count = htmt__tape_regions(t->tape, &regions);
    json_t *all = json_array();
    for (size_t i = 0; i <= count && all; i++) {
        if (!t->replay->misses[i])
            continue;
        json_t *one = json_pack("{s:o,s:I}", "region",
                                htmt__json_text(i < count ? regions[i].name : "elsewhere"),
                                "misses", (json_int_t)t->replay->misses[i]);
        if (json_array_append_new(all, one)) {
            json_decref(all);
            all = NULL;
        }
    }
    return all;
}

static json_t *to_json(const struct timed *t)
{
    static const char *const counted[] = {
        "instructions", "loads",     "stores",      "l1_misses", "l1_code_misses", "l2_misses",
        "write_backs",  "page_hits", "page_misses", "refreshes", "branches_missed"};
    static const char *const keys[] = {"issue", "units", "chain",   "l1",      "l2",
                                       "bus",   "pages", "refresh", "branches"};
    static const int part[] = {HTMT__NODE_ISSUE, HTMT__NODE_UNITS,   HTMT__NODE_CHAIN,
                               HTMT__NODE_L1,    HTMT__NODE_L2,      HTMT__NODE_BUS,
                               HTMT__NODE_PAGES, HTMT__NODE_REFRESH, HTMT__NODE_BRANCHES};
    const struct htmt_layer *layer = &t->machine->layer[t->layer];
    const struct htmt__replay *r = t->replay;
    const struct htmt__node_account *a = &r->account;
    const uint64_t counts[] = {a->instructions,   a->loads,     a->stores,         a->l1_misses,
                               a->l1_code_misses, a->l2_misses, a->write_backs,    a->page_hits,
                               a->page_misses,    a->refreshes, a->branches_missed};
    uint64_t times[sizeof part / sizeof *part];
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        times[i] = (uint64_t)a->part[part[i]];
    return json_pack("{s:s,s:o,s:o,s:o,s:o,s:I,s:I,s:s,s:I,s:I,s:I,s:o,s:o,s:o}", "schema", SCHEMA,
                     "tape", htmt__json_text(t->path), "machine", htmt__json_text(t->machine->name),
                     "layer", htmt__json_text(layer->name), "processor",
                     htmt__json_text(layer->processor.name), "services", (json_int_t)r->services,
                     "processors", (json_int_t)t->options->processors, "caches",
                     t->options->warm ? "warm" : "cold", "time_fs", (json_int_t)r->time,
                     "longest_fs", (json_int_t)r->longest, "services_fs", (json_int_t)r->sum,
                     "parts_fs", numbers(keys, times, sizeof part / sizeof *part), "counts",
                     numbers(counted, counts, sizeof counts / sizeof *counts), "misses", misses(t));
}

static void add_bar(struct stack *s, const struct timed *t)
{
    const unsigned bar = s->bars++;
    const char *slash = strrchr(t->path, '/');
    snprintf(s->tape[bar], sizeof s->tape[bar], "%s", slash ? slash + 1 : t->path);
    snprintf(s->machine[bar], sizeof s->machine[bar], "%s", t->machine->name);
    for (int i = 0; i < HTMT__NODE_PARTS; i++)
        s->part[i][bar] = (double)t->replay->account.part[i] / (double)HTMT_SECOND;
}

/* ---- the picture ----------------------------------------------------------------------------- */

/* Times above, shares of them below: stacks of the parts that any bar has. */
static int draw(const struct stack *s, const struct htmt__plot_part *plot, const char *path,
                struct htmt_fault *fault)
{
    double x[BARS_MOST], sum[BARS_MOST] = {0}, percent[HTMT__NODE_PARTS][BARS_MOST];
    struct htmt__plot_curve time[HTMT__NODE_PARTS], of[HTMT__NODE_PARTS];
    char name[BARS_MOST][164];
    const char *names[BARS_MOST + 1] = {NULL};
    unsigned curves = 0;
    for (unsigned bar = 0; bar < s->bars; bar++) {
        x[bar] = bar + 1;
        snprintf(name[bar], sizeof name[bar], "%s\n%s", s->tape[bar], s->machine[bar]);
        names[bar] = name[bar];
        for (int i = 0; i < HTMT__NODE_PARTS; i++)
            sum[bar] += s->part[i][bar];
    }
    for (int i = 0; i < HTMT__NODE_PARTS; i++) {
        bool any = false;
        for (unsigned bar = 0; bar < s->bars; bar++) {
            percent[i][bar] = sum[bar] > 0 ? 100 * s->part[i][bar] / sum[bar] : 0;
            any |= s->part[i][bar] > 0;
        }
        if (!any)
            continue;
        time[curves] =
            (struct htmt__plot_curve){parts[i], HTMT__PLOT_STACK, s->bars, x, s->part[i]};
        of[curves] = time[curves];
        of[curves].name = NULL;
        of[curves++].y = percent[i];
    }
    const struct htmt__plot shares = {.y_label = "share of the time, %",
                                      .x_least = 0.5,
                                      .x_most = s->bars + 0.5,
                                      .y_most = 100,
                                      .height = 320,
                                      .curves = of,
                                      .count = curves,
                                      .bars = names};
    struct htmt__plot times = shares;
    times.title = "where the time of services went (virtual clock)";
    times.y_label = "time of services, s";
    times.y_most = 0;
    times.height = 380;
    times.curves = time;
    times.below = &shares;
    return plot->write(path, &times, fault);
}

/* ---- replays --------------------------------------------------------------------------------- */

static int replay(const struct request *q, const char *path, const struct htmt_machine *m,
                  struct stack *stack, struct htmt_fault *fault)
{
    struct htmt__tape *tape = NULL;
    struct htmt__replay r;
    uint32_t layer = 0;
    int rc = htmt__ops_load(path, &tape, fault);
    if (!rc && stack->bars)
        fputc('\n', stdout);
    if (!rc)
        rc = find_layer(q, m, &layer, fault);
    if (rc)
        goto free_tape;
    const struct htmt__node_figures *figures = htmt__machine_node(m, layer);
    struct htmt__replay_options options = q->replay;
    options.warm |= figures->warm;
    rc = htmt__replay(figures, tape, &options, &r);
    if (rc) {
        if (*r.unknown)
            htmt_fault_set(fault, rc,
                           "%s: operation %s came up, but layers.%s.inside.%s of %s is not given",
                           path, r.unknown, m->layer[layer].name, r.unknown, m->name);
        else
            htmt_fault_set(fault, rc, "%s: %s", path, htmt_strerror(rc));
        goto free_tape;
    }
    const struct timed timed = {path, m, layer, &options, tape, &r};
    add_bar(stack, &timed);
    if (!q->json || strcmp(q->json, "-") != 0)
        print(&timed);
    if (q->json)
        rc = htmt__json_write(to_json(&timed), q->json, fault);
    htmt__replay_fini(&r);
free_tape:
    if (tape)
        htmt__tape_free(tape);
    return rc;
}

static int run(struct htmt__command *program, int argc, char **argv)
{
    struct request q = {.replay = {.processors = 1}};
    struct stack stack = {.bars = 0};
    struct htmt_fault fault = {0};
    (void)program;
    int rc = read_words(&q, argc, argv, &fault);
    if (!rc)
        rc = check_request(&q, &fault);
    for (unsigned i = 0; i < q.machines && !rc; i++) {
        struct htmt_machine *machine = NULL;
        rc = htmt_machine_load(q.machine[i], q.set, q.sets, &machine, &fault);
        for (unsigned k = 0; k < q.paths && !rc; k++)
            rc = replay(&q, q.path[k], machine, &stack, &fault);
        htmt_machine_destroy(&machine);
    }
    if (!rc && q.plot)
        rc = draw(&stack, q.drawing, q.plot, &fault);
    return rc ? htmt__complain("ops", &fault) : 0;
}

const struct htmt__ops_action htmt__ops_time = {
    "time",
    "time FILE... --machine NAME|FILE [--machine NAME|FILE]... [--layer NAME] [--processors N]"
    " [--warm] [--set KEY=VALUE]... [--json FILE|-] [--plot FILE]",
    "play tapes through the inside of machines' processors", run};
