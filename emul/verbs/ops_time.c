/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt ops time`: a tape through the inside of a machine's processors.
 */
#include "emul/report/json.h"
#include "emul/text/format.h"
#include "emul/verbs/ops.h"
#include "emul/verbs/ops_time_json.h"
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
    const char *path, *machine, *layer, *processors, *json;
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
    else if ((value = htmt__ops_value("--machine", argc, argv, i)))
        q->machine = value;
    else if ((value = htmt__ops_value("--json", argc, argv, i)))
        q->json = value;
    else if ((value = htmt__ops_value("--layer", argc, argv, i)))
        q->layer = value;
    else if ((value = htmt__ops_value("--processors", argc, argv, i)))
        q->processors = value;
    else if (q->sets < SETS_MOST && (value = htmt__ops_value("--set", argc, argv, i)))
        q->set[q->sets++] = value;
    else if (argv[*i][0] != '-' && !q->path)
        q->path = argv[*i];
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

static int read_request(struct request *q, int argc, char **argv, struct htmt_fault *fault)
{
    for (int i = 1; i < argc; i++)
        if (!take(q, argc, argv, &i))
            return htmt_fault_set(fault, HTMT_EUSAGE, "found '%.60s'; usage: htmt ops %s", argv[i],
                                  htmt__ops_time.usage);
    if (!q->path || !q->machine || !*q->machine)
        return htmt_fault_set(fault, HTMT_EUSAGE, "%s is missing; usage: htmt ops %s",
                              q->path ? "--machine" : "the tape", htmt__ops_time.usage);
    if (q->json && !*q->json)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--json: the value is missing, expected FILE|-");
    int rc = read_processors(q, fault);
    if (!rc && q->json)
        rc = htmt__output_claim_streams(fault);
    if (!rc && q->json && strcmp(q->json, "-") != 0)
        rc = htmt_output_claim("--json", q->json, fault);
    return rc;
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

static void print_head(const struct request *q, const struct htmt_machine *m, uint32_t layer,
                       const struct htmt__replay *r)
{
    printf("%s on %s, %s of layer %s\n", q->path, m->name, m->layer[layer].processor.name,
           m->layer[layer].name);
    printf("  services      %s", htmt__format_count(r->services).s);
    if (q->replay.processors > 1)
        printf(", %u at a time, which share bus and DRAM", q->replay.processors);
    printf("; caches %s\n", q->replay.warm ? "stay warm" : "cold at each");
    printf("  time          %s\n", htmt__format_fs(r->time).s);
    if (r->rounds > 1)
        printf("  longest       %s\n", htmt__format_fs(r->longest).s);
}

static void print_stack(const struct htmt__replay *r)
{
    printf("where the time of services went\n");
    for (int i = 0; i < HTMT__NODE_PARTS; i++)
        if (r->account.part[i])
            printf("  %-14s%12s  %7s\n", parts[i], htmt__format_fs(r->account.part[i]).s,
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
        print_head(q, t->machine, t->layer, t->replay);
        print_stack(t->replay);
        print_counts(&t->replay->account);
        print_misses(t->tape, t->replay);
    }
    return q->json ? htmt__json_write(htmt__ops_time_json(t), q->json, fault) : 0;
}

static int replay(struct request *q, const struct htmt_machine *m, const struct htmt__tape *tape,
                  struct htmt_fault *fault)
{
    struct htmt__replay r;
    uint32_t layer = 0;
    int rc = find_layer(q, m, &layer, fault);
    if (rc)
        return rc;
    const struct htmt__node_figures *figures = htmt__machine_node(m, layer);
    q->replay.warm |= figures->warm;
    rc = htmt__replay(figures, tape, &q->replay, &r);
    if (rc)
        return complain(m, layer, q->path, rc, &r, fault);
    rc = tell(q, &(struct htmt__ops_timed){q->path, m, layer, &q->replay, tape, &r}, fault);
    htmt__replay_fini(&r);
    return rc;
}

static int run(struct htmt__command *program, int argc, char **argv)
{
    struct request q = {.replay = {.processors = 1}};
    struct htmt_fault fault = {0};
    struct htmt_machine *machine = NULL;
    struct htmt__tape *tape = NULL;
    (void)program;
    int rc = read_request(&q, argc, argv, &fault);
    if (!rc)
        rc = htmt_machine_load(q.machine, q.set, q.sets, &machine, &fault);
    if (!rc)
        rc = htmt__ops_load(q.path, &tape, &fault);
    if (!rc)
        rc = replay(&q, machine, tape, &fault);
    if (tape)
        htmt__tape_free(tape);
    htmt_machine_destroy(&machine);
    return rc ? htmt__ops_complain(&fault) : 0;
}

const struct htmt__ops_action htmt__ops_time = {
    "time",
    "time FILE --machine NAME|FILE [--layer NAME] [--processors N] [--warm] [--set KEY=VALUE]..."
    " [--json FILE|-]",
    "play a tape through the inside of a machine's processors", run};
