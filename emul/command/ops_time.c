/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt ops time`: tapes through the inside of machines' processors.
 */
#include "emul/command/ops.h"
#include "emul/command/ops_stack.h"
#include "emul/lib/plugin/plugin.h"
#include "emul/lib/report/json.h"
#include "emul/lib/text/format.h"
#include "layers/machine/nodes.h"
#include "layers/node/replay.h"
#include "runtime/base/output.h"
#include "runtime/base/output_claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETS_MOST       64
#define PROCESSORS_MOST 1024

struct request {
    const char *path[HTMT__OPS_BARS_MAX], *machine[HTMT__OPS_BARS_MAX]; /* each on each */
    unsigned paths, machines;
    const char *layer, *processors, *json, *plot;
    const struct htmt__plot_part *drawing;
    const char *set[SETS_MOST];
    unsigned sets;
    struct htmt__replay_options replay;
};

/* ---- the command line --------------------------------------------------------------------------
 */

static bool take(struct request *q, int argc, char **argv, int *i)
{
    const char *value;
    if (strcmp(argv[*i], "--warm") == 0)
        q->replay.warm = true;
    else if (q->machines < HTMT__OPS_BARS_MAX &&
             (value = htmt__ops_value("--machine", argc, argv, i)))
        q->machine[q->machines++] = value;
    else if ((value = htmt__ops_value("--plot", argc, argv, i)))
        q->plot = value;
    else if ((value = htmt__ops_value("--json", argc, argv, i)))
        q->json = value;
    else if ((value = htmt__ops_value("--layer", argc, argv, i)))
        q->layer = value;
    else if ((value = htmt__ops_value("--processors", argc, argv, i)))
        q->processors = value;
    else if (q->sets < SETS_MOST && (value = htmt__ops_value("--set", argc, argv, i)))
        q->set[q->sets++] = value;
    else if (argv[*i][0] != '-' && q->paths < HTMT__OPS_BARS_MAX)
        q->path[q->paths++] = argv[*i];
    else
        return false;
    return true;
}

static int read_processors(struct request *q, struct htmt_fault *fault)
{
    char *end = NULL;
    long n = q->processors ? strtol(q->processors, &end, 10) : 1;
    if (n < 1 || n > PROCESSORS_MOST || (end && *end))
        return htmt_fault_set(fault, HTMT_EUSAGE, "--processors: found '%.40s', expected 1 to %d",
                              q->processors, PROCESSORS_MOST);
    q->replay.processors = (uint32_t)n;
    return 0;
}

static int claim_outputs(struct request *q, struct htmt_fault *fault)
{
    void *part = NULL;
    int rc = 0;
    if (q->json && !*q->json)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--json: the value is missing, expected FILE|-");
    if (q->json)
        rc = htmt__output_claim_streams(fault);
    if (!rc && q->json && strcmp(q->json, "-") != 0)
        rc = htmt_output_claim("--json", q->json, fault);
    if (rc || !q->plot)
        return rc;
    rc = htmt__plugin_part("plot", HTMT__PLOT_PART, "--plot", &part, fault);
    q->drawing = part;
    rc = rc ? rc : q->drawing->check(q->plot, fault);
    return rc ? rc : htmt_output_claim("--plot", q->plot, fault);
}

static int read_request(struct request *q, int argc, char **argv, struct htmt_fault *fault)
{
    for (int i = 1; i < argc; i++)
        if (!take(q, argc, argv, &i))
            return htmt_fault_set(fault, HTMT_EUSAGE, "found '%.60s'; usage: htmt ops %s", argv[i],
                                  htmt__ops_time.usage);
    if (!q->paths || !q->machines || !*q->machine[0])
        return htmt_fault_set(fault, HTMT_EUSAGE, "%s is missing; usage: htmt ops %s",
                              q->paths ? "--machine" : "the tape", htmt__ops_time.usage);
    const unsigned all = q->paths * q->machines;
    if (all > HTMT__OPS_BARS_MAX || (all > 1 && q->json))
        return htmt_fault_set(
            fault, HTMT_EUSAGE, "found %u tapes on %u machines, expected at most %u%s", q->paths,
            q->machines, q->json ? 1 : HTMT__OPS_BARS_MAX, q->json ? " with --json" : " in all");
    int rc = read_processors(q, fault);
    return rc ? rc : claim_outputs(q, fault);
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

/* ---- the report --------------------------------------------------------------------------------
 */

static double share(uint64_t part, uint64_t of)
{
    return of ? (double)part / (double)of : 0;
}

static void print_head(const struct htmt__ops_timed *t)
{
    const struct htmt_layer *layer = &t->machine->layer[t->layer];
    const struct htmt__replay *r = t->replay;
    printf("%s on %s, %s of layer %s\n", t->path, t->machine->name, layer->processor.name,
           layer->name);
    printf("  services      %s", htmt__format_count(r->services).s);
    if (t->options->processors > 1)
        printf(", %u at a time, which share bus and DRAM", t->options->processors);
    printf("; caches %s\n", t->options->warm ? "stay warm" : "cold at each");
    printf("  time          %s\n", htmt__format_fs(r->time).s);
    if (r->rounds > 1)
        printf("  longest       %s\n", htmt__format_fs(r->longest).s);
}

static void print_stack(const struct htmt__replay *r)
{
    printf("where the time of services went\n");
    for (int i = 0; i < HTMT__NODE_PARTS; i++)
        if (r->account.part[i])
            printf("  %-14s%12s  %7s\n", htmt__ops_part(i), htmt__format_fs(r->account.part[i]).s,
                   htmt__format_share(share((uint64_t)r->account.part[i], (uint64_t)r->sum)).s);
    printf("  %-14s%12s\n", "sum", htmt__format_fs(r->sum).s);
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

static void print_counts(const struct htmt__node_account *a)
{
    uint64_t accesses = a->loads + a->stores, pages = a->page_hits + a->page_misses;
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
}

static void print_misses(const struct htmt__tape *tape, const struct htmt__replay *r)
{
    const struct htmt__tape_region *regions;
    uint64_t all = r->account.l1_misses + r->account.l1_code_misses;
    size_t count = htmt__tape_regions(tape, &regions);
    if (!all)
        return;
    printf("misses by region\n");
    for (size_t i = 0; i <= count; i++)
        if (r->misses[i])
            printf("  %-40s%16s  %7s\n", i < count ? regions[i].name : "elsewhere",
                   htmt__format_count(r->misses[i]).s,
                   htmt__format_share(share(r->misses[i], all)).s);
}

static int complain(const struct htmt_machine *m, uint32_t layer, const char *path, int code,
                    const struct htmt__replay *r, struct htmt_fault *fault)
{
    if (*r->unknown)
        return htmt_fault_set(
            fault, code, "%s: operation %s came up, but layers.%s.inside.%s of %s is not given",
            path, r->unknown, m->layer[layer].name, r->unknown, m->name);
    return htmt_fault_set(fault, code, "%s: %s", path, htmt_strerror(code));
}

static int tell(const struct request *q, const struct htmt__ops_timed *t, struct htmt_fault *fault)
{
    if (!q->json || strcmp(q->json, "-") != 0) {
        print_head(t);
        print_stack(t->replay);
        print_counts(&t->replay->account);
        print_misses(t->tape, t->replay);
    }
    return q->json ? htmt__json_write(htmt__ops_time_json(t), q->json, fault) : 0;
}

static int replay(const struct request *q, const char *path, const struct htmt_machine *m,
                  const struct htmt__tape *tape, struct htmt__ops_stack *stack,
                  struct htmt_fault *fault)
{
    struct htmt__replay r;
    uint32_t layer = 0;
    int rc = find_layer(q, m, &layer, fault);
    if (rc)
        return rc;
    const struct htmt__node_figures *figures = htmt__machine_node(m, layer);
    struct htmt__replay_options options = q->replay;
    options.warm |= figures->warm;
    rc = htmt__replay(figures, tape, &options, &r);
    if (rc)
        return complain(m, layer, path, rc, &r, fault);
    const struct htmt__ops_timed timed = {path, m, layer, &options, tape, &r};
    htmt__ops_stack_add(stack, &timed);
    rc = tell(q, &timed, fault);
    htmt__replay_fini(&r);
    return rc;
}

static int replay_file(const struct request *q, const char *path, const struct htmt_machine *m,
                       struct htmt__ops_stack *stack, struct htmt_fault *fault)
{
    struct htmt__tape *tape = NULL;
    int rc = htmt__ops_load(path, &tape, fault);
    if (!rc && stack->bars)
        fputc('\n', stdout);
    rc = rc ? rc : replay(q, path, m, tape, stack, fault);
    if (tape)
        htmt__tape_free(tape);
    return rc;
}

static int replay_all(const struct request *q, const char *name, struct htmt__ops_stack *stack,
                      struct htmt_fault *fault)
{
    struct htmt_machine *machine = NULL;
    int rc = htmt_machine_load(name, q->set, q->sets, &machine, fault);
    for (unsigned i = 0; i < q->paths && !rc; i++)
        rc = replay_file(q, q->path[i], machine, stack, fault);
    htmt_machine_destroy(&machine);
    return rc;
}

static int run(struct htmt__command *program, int argc, char **argv)
{
    struct request q = {.replay = {.processors = 1}};
    struct htmt__ops_stack stack = {.bars = 0};
    struct htmt_fault fault = {0};
    (void)program;
    int rc = read_request(&q, argc, argv, &fault);
    for (unsigned i = 0; i < q.machines && !rc; i++)
        rc = replay_all(&q, q.machine[i], &stack, &fault);
    if (!rc && q.plot)
        rc = htmt__ops_stack_draw(&stack, q.drawing, q.plot, &fault);
    return rc ? htmt__ops_complain(&fault) : 0;
}

const struct htmt__ops_action htmt__ops_time = {
    "time",
    "time FILE... --machine NAME|FILE [--machine NAME|FILE]... [--layer NAME] [--processors N]"
    " [--warm] [--set KEY=VALUE]... [--json FILE|-] [--plot FILE]",
    "play tapes through the inside of machines' processors", run};
