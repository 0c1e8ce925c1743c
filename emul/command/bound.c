/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt bound`: what the loops of a nest file do, move and need, and the least time that takes on a
 * machine.
 *
 * The verb reads the words, has the program made of the file for the values of --param, fuses the
 * nests of --fuse, and asks the bounds (emul/loops/bound) for one capacity of the innermost memory,
 * or for a curve over capacities. A curve has a row for each capacity at which something changes;
 * what belongs to one capacity (workbook, graph, cost file, traffic) is refused with it.
 */
#include "emul/command/command.h"

#include "emul/lib/options/options.h"
#include "emul/lib/report/json.h"
#include "emul/lib/text/format.h"
#include "emul/lib/text/table.h"
#include "emul/loops/bound/exasat.h"
#include "emul/loops/bound/outputs.h"
#include "emul/loops/bound/report.h"
#include "emul/loops/bound/search.h"
#include "layers/file/search.h"
#include "runtime/base/output.h"
#include "runtime/base/output_claims.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARAMETERS_MAX 64
#define SETS_MAX       64
#define LEAST_RATE     0.0011 /* writes of an array, of all references: the paper's limit */

enum row {
    MACHINE,
    SET,
    PARAM,
    BLOCK,
    CACHE,
    FUSE,
    ORDER,
    RULE,
    OVERLAP,
    REGISTERS,
    VECTOR,
    LINES,
    BYPASS,
    WRITE_COST,
    STREAM_READS,
    LOCAL_STORE,
    ALONE,
    WRITE_RATE,
    CSV,
    JSON,
    SHEET,
    GRAPH,
    COSTS_OUT,
    PATTERN
};

static const struct htmt_app_option rows[] = {
    [MACHINE] = {"machine", "NAME|FILE", "htmt-oct98", "the machine on which loops are bounded"},
    [SET] = {"set", "KEY=VALUE,..", NULL, "change figures of the machine"},
    [PARAM] = {"param", "NAME=N,..", NULL, "values of the nest file's parameters"},
    [BLOCK] = {"block", "N,N,..|auto", NULL,
               "cut loops into blocks, the one that moves word by word first; 0: whole; auto: the "
               "best of all powers of two"},
    [CACHE] = {"cache", "BYTES[..BYTES]", NULL,
               "capacity of the innermost memory; two of them: a curve from one to the other"},
    [FUSE] = {"fuse", "A+B,..", NULL, "nests that run as one"},
    [ORDER] = {"order", "KIND", "loops",
               "loops: each over all blocks; blocks: all loops on a block before the next one"},
    [RULE] = {"rule", "NAME", "lru",
              "lru: words in a least recently used memory, exactly; exasat: boxes of words, as the "
              "authors' sheets count"},
    [OVERLAP] = {"overlap", "KIND", NULL,
                 "all: the longest of operations and levels counts; operations: they or the sum of "
                 "the levels; none: all add up; without it, as the machine's lambda says"},
    [REGISTERS] = {"registers", "N", NULL,
                   "state variables beyond the N most used ones are spilled"},
    [VECTOR] = {"vector", "N", NULL, "divisions and functions cost an N-th"},
    [LINES] = {"lines", "BYTES", NULL,
               "what is kept and moved at once, a power of two; without it, as the machine says"},
    [BYPASS] = {"bypass", NULL, NULL, "arrays that are only written go around the memory"},
    [WRITE_COST] = {"write-cost", "BYTES", NULL,
                    "with --rule exasat: bytes that a word moves that is written first; without "
                    "it 16"},
    [STREAM_READS] = {"stream-reads", NULL, NULL, "so do arrays that a cell reads at one offset"},
    [LOCAL_STORE] = {"local-store", NULL, NULL,
                     "the program manages the innermost memory: spans alone must fit"},
    [ALONE] = {"alone", NULL, NULL, "each loop, and each block, begins with an empty memory"},
    [WRITE_RATE] =
        {"write-rate", "SHARE", NULL,
         "name the arrays to which at most this share of references writes; alone: 0.0011"},
    [CSV] = {"csv", "FILE", NULL, "a line for each loop, or each capacity of a curve"},
    [JSON] = {"json", "FILE|-", NULL, "everything as one JSON object; - replaces the report"},
    [SHEET] = {"sheet", "FILE", NULL, "a workbook (.xlsx) with formulas that compute again"},
    [GRAPH] = {"graph", "FILE", NULL, "arrays and loops for dot; .svg: drawn by dot"},
    [COSTS_OUT] = {"costs-out", "FILE", NULL, "what a cell of each loop costs, as a cost file"},
    [PATTERN] = {"pattern", "FILE", NULL, "the messages as a table for 'htmt run traffic'"},
    {NULL, NULL, NULL, NULL}};

/* What the command line says. */
struct bound_command {
    const char *nests, *const *own; /* values of rows */
    char *text;                     /* of lists that are cut */
    struct htmt__nest_given_value parameter[PARAMETERS_MAX];
    const char *set[SETS_MAX];
    unsigned parameters, sets;
    struct htmt__bound_request request;
    bool search, curve, exasat;
    uint64_t write_cost;   /* bytes; 0: the rule's */
    htmt_wide first, last; /* words, of a curve */
    uint64_t line;         /* words; 0: the machine's */
    char alone[32];        /* --write-rate without a value */
    double write_rate;
    struct htmt_fault *fault;
};

/* ---- command line ------------------------------------------------------------------------------
 */

static int refuse(struct bound_command *c, const char *option, const char *found,
                  const char *expected)
{
    return htmt_fault_set(c->fault, HTMT_EUSAGE, "--%s: found '%.60s', expected %s", option, found,
                          expected);
}

/* Words divided by commas, in a copy that lives as long as the command. */
static int cut_list(struct bound_command *c, const char *list,
                    int (*take)(struct bound_command *, char *))
{
    char *rest = c->text + strlen(c->text) + 1, *word;
    int rc = 0;
    memcpy(rest, list, strlen(list) + 1);
    c->text = rest + strlen(rest);
    *c->text = '\0';
    while (!rc && (word = strsep(&rest, ",")))
        rc = take(c, word);
    return rc;
}

static int take_parameter(struct bound_command *c, char *word)
{
    char *equals = strchr(word, '='), *end = NULL;
    if (!equals || equals == word || !equals[1])
        return refuse(c, "param", word, "NAME=N");
    *equals = '\0';
    errno = 0;
    long long value = strtoll(equals + 1, &end, 10);
    if (errno || *end)
        return refuse(c, "param", equals + 1, "a whole number");
    for (unsigned i = 0; i < c->parameters; i++)
        if (!strcmp(c->parameter[i].name, word))
            return refuse(c, "param", word, "each parameter once");
    if (c->parameters == PARAMETERS_MAX)
        return htmt_fault_set(c->fault, HTMT_EUSAGE, "--param: more than %d", PARAMETERS_MAX);
    c->parameter[c->parameters++] = (struct htmt__nest_given_value){word, value};
    return 0;
}

static int take_set(struct bound_command *c, char *word)
{
    if (c->sets == SETS_MAX)
        return htmt_fault_set(c->fault, HTMT_EUSAGE, "--set: more than %d", SETS_MAX);
    c->set[c->sets++] = word;
    return 0;
}

static int read_block(struct bound_command *c, const char *text)
{
    const char *at = text;
    c->search = !strcmp(text, "auto");
    for (unsigned axis = 0; !c->search; axis++) {
        char *end;
        errno = 0;
        long long length = strtoll(at, &end, 10);
        bool good = end != at && !errno && length >= 0 && axis < HTMT__NEST_DEPTH;
        if (!good || (*end && *end != ','))
            return refuse(c, "block", text, "lengths such as 16,16,0, or auto");
        c->request.block[axis] = length;
        if (!*end)
            break;
        at = end + 1;
    }
    return 0;
}

static int read_cache(struct bound_command *c, const char *text)
{
    const char *dots = strstr(text, "..");
    const size_t length = dots ? (size_t)(dots - text) : strlen(text);
    htmt_wide words[2] = {0};
    char first[32];
    if (length >= sizeof first)
        return refuse(c, "cache", text, "BYTES or BYTES..BYTES");
    memcpy(first, text, length);
    first[length] = '\0';
    for (int i = 0; i < (dots ? 2 : 1); i++) {
        const char *one = i ? dots + 2 : first;
        uint64_t bytes;
        int rc = htmt__options_bytes("cache", one, &bytes, c->fault);
        if (rc)
            return rc;
        words[i] = (htmt_wide)bytes / HTMT_WORD;
        if (words[i] < 1)
            return refuse(c, "cache", one, "at least 8 bytes");
    }
    if (dots && words[1] < words[0])
        return refuse(c, "cache", text, "the smaller one first");
    c->curve = dots;
    c->first = c->request.capacity = words[0];
    c->last = words[1];
    return 0;
}

static int read_overlap(struct bound_command *c, const char *text)
{
    static const char *const words[] = {[HTMT__BOUND_HIDES_ALL] = "all",
                                        [HTMT__BOUND_HIDES_OPERATIONS] = "operations",
                                        [HTMT__BOUND_HIDES_NONE] = "none"};
    unsigned i = HTMT__BOUND_HIDES_ALL;
    while (i <= HTMT__BOUND_HIDES_NONE && strcmp(text, words[i]) != 0)
        i++;
    if (i > HTMT__BOUND_HIDES_NONE)
        return refuse(c, "overlap", text, "all, operations or none");
    c->request.hiding = (enum htmt__bound_hiding)i;
    return 0;
}

/* "0.0011" or "0.11%"; "": the option stands alone. */
static int read_rate(struct bound_command *c, const char *text)
{
    char *end;
    c->write_rate = *text ? strtod(text, &end) : LEAST_RATE;
    if (*text && !strcmp(end, "%")) {
        c->write_rate /= 100;
        end++;
    }
    bool good = !*text || (end != text && !*end);
    return good && c->write_rate >= 0 && c->write_rate <= 1
               ? 0
               : refuse(c, "write-rate", text, "a share such as 0.0011 or 0.11%");
}

static int read_values(struct bound_command *c)
{
    const char *const *own = c->own;
    struct htmt__bound_request *r = &c->request;
    uint64_t bytes = 0;
    int rc = own[PARAM] ? cut_list(c, own[PARAM], take_parameter) : 0;
    if (!rc && own[SET])
        rc = cut_list(c, own[SET], take_set);
    if (!rc && own[BLOCK])
        rc = read_block(c, own[BLOCK]);
    if (!rc && own[CACHE])
        rc = read_cache(c, own[CACHE]);
    const bool blocks = own[ORDER] && !strcmp(own[ORDER], "blocks");
    r->order = blocks ? HTMT__BOUND_BLOCKS : HTMT__BOUND_LOOPS;
    if (!rc && own[ORDER] && !blocks && strcmp(own[ORDER], "loops") != 0)
        rc = refuse(c, "order", own[ORDER], "loops or blocks");
    c->exasat = own[RULE] && !strcmp(own[RULE], "exasat");
    if (!rc && own[RULE] && !c->exasat && strcmp(own[RULE], "lru") != 0)
        rc = refuse(c, "rule", own[RULE], "lru or exasat");
    if (!rc && own[WRITE_COST])
        rc = htmt__options_number("write-cost", own[WRITE_COST], 1, 1 << 10, &c->write_cost,
                                  c->fault);
    if (!rc && own[WRITE_COST] && !c->exasat)
        rc = htmt_fault_set(c->fault, HTMT_EUSAGE, "--write-cost: only with --rule exasat");
    if (!rc && own[OVERLAP])
        rc = read_overlap(c, own[OVERLAP]);
    if (!rc && own[LINES])
        rc = htmt__options_bytes("lines", own[LINES], &bytes, c->fault);
    if (!rc && own[LINES] && (bytes < HTMT_WORD || bytes > 65536 || bytes & (bytes - 1)))
        rc = refuse(c, "lines", own[LINES], "a power of two from 8B to 64KiB");
    c->line = rc ? 0 : bytes / HTMT_WORD;
    if (!rc && own[WRITE_RATE])
        rc = read_rate(c, own[WRITE_RATE]);
    r->keeping.bypass = own[BYPASS];
    r->keeping.stream_reads = own[STREAM_READS];
    r->local_store = own[LOCAL_STORE];
    r->alone = own[ALONE];
    if (!rc && own[REGISTERS])
        rc = htmt__options_number("registers", own[REGISTERS], 1, 1 << 20, &r->registers, c->fault);
    if (!rc && own[VECTOR])
        rc = htmt__options_number("vector", own[VECTOR], 1, 1 << 20, &r->vector, c->fault);
    return rc;
}

/* ---- bounds ---------------------------------------------------------------------------------- */

static int bound_once(struct bound_command *c, struct htmt__nest_program *program,
                      const struct htmt__bound_rates *rates)
{
    const char *const *own = c->own;
    struct htmt__bounds bound;
    struct htmt__nest_occupancy occupancy;
    int rc = c->search ? htmt__bound_best_block(program, rates, &c->request, c->fault) : 0;
    if (!rc)
        rc = htmt__bound_make(program, rates, &c->request, &bound, c->fault);
    if (rc)
        return rc;
    if (own[PATTERN] && !bound.program->exchanges) {
        rc = htmt_fault_set(c->fault, HTMT_EUSAGE, "--pattern: the program exchanges nothing");
        goto clear;
    }
    rc = htmt__nest_occupancy_make(bound.program, &occupancy);
    if (rc) {
        htmt_fault_set(c->fault, rc, "out of memory");
        goto clear;
    }
    struct htmt__bound_report report = {c->nests, &bound, &occupancy, c->write_rate};
    if (!own[JSON] || strcmp(own[JSON], "-") != 0)
        rc = htmt__bound_print(&report, stdout);
    if (!rc && own[CSV])
        rc = htmt__bound_csv(&report, own[CSV], c->fault);
    if (!rc && own[JSON])
        rc = htmt__json_write(htmt__bound_json(&report), own[JSON], c->fault);
    if (!rc && own[SHEET])
        rc = htmt__bound_sheet(&report, own[SHEET], c->fault);
    if (!rc && own[GRAPH])
        rc = htmt__bound_graph_write(&report, own[GRAPH], c->fault);
    if (!rc && own[COSTS_OUT])
        rc = htmt__bound_costs(&report, own[COSTS_OUT], c->fault);
    if (!rc && own[PATTERN])
        rc = htmt__bound_pattern(&report, own[PATTERN], c->fault);
    htmt__nest_occupancy_clear(&occupancy);
clear:
    htmt__bound_clear(&bound);
    return rc;
}

/* A curve as text, CSV and JSON. */
static int tell_curve(struct bound_command *c, const struct htmt__bound_point *point,
                      unsigned points)
{
    int rc = 0;
    if (!c->own[JSON] || strcmp(c->own[JSON], "-") != 0)
        rc = htmt__bound_curve_print(point, points, stdout);
    if (!rc && c->own[CSV])
        rc = htmt__bound_curve_csv(point, points, c->own[CSV], c->fault);
    if (!rc && c->own[JSON])
        rc = htmt__json_write(htmt__bound_curve_json(point, points), c->own[JSON], c->fault);
    return rc;
}

static int check_curve(struct bound_command *c)
{
    static const enum row others[] = {SHEET, GRAPH, COSTS_OUT, PATTERN, WRITE_RATE};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (c->own[others[i]])
            return htmt_fault_set(c->fault, HTMT_EUSAGE,
                                  "--%s: belongs to one capacity, but --cache has a range",
                                  rows[others[i]].name);
    return 0;
}

static int trace_curve(struct bound_command *c, struct htmt__nest_program *program,
                       const struct htmt__bound_rates *rates)
{
    unsigned points = 0;
    int rc = check_curve(c);
    if (rc)
        return rc;
    struct htmt__bound_point *point = calloc(HTMT__BOUND_POINTS, sizeof *point);
    if (!point)
        return htmt_fault_set(c->fault, HTMT_ENOMEM, "out of memory");
    rc = htmt__bound_curve(program, rates, &c->request, c->search, c->first, c->last, point,
                           &points, c->fault);
    if (!rc)
        rc = tell_curve(c, point, points);
    free(point);
    return rc;
}

/* ---- the rule of the ExaSAT sheets -------------------------------------------------------------
 */

/* What the options say to that rule; others belong to the exact one. */
static int read_exasat(struct bound_command *c, const struct htmt__bound_rates *rates,
                       struct htmt__exasat_request *request)
{
    static const enum row others[] = {OVERLAP, STREAM_READS, LOCAL_STORE, ALONE,
                                      GRAPH,   COSTS_OUT,    PATTERN};
    const struct htmt__nest_number vector = htmt__nest_whole((htmt_wide)c->request.vector);
    int rc = 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (c->own[others[i]])
            return htmt_fault_set(c->fault, HTMT_EUSAGE, "--%s: not with --rule exasat",
                                  rows[others[i]].name);
    if (c->request.order == HTMT__BOUND_BLOCKS)
        return refuse(c, "order", c->own[ORDER], "loops with --rule exasat");
    htmt__exasat_request_of(rates, request);
    for (unsigned a = 0; a < HTMT__NEST_DEPTH; a++)
        if (a >= HTMT__EXASAT_AXES && c->request.block[a])
            return refuse(c, "block", c->own[BLOCK], "three lengths with --rule exasat");
    memcpy(request->block, c->request.block, sizeof request->block);
    request->bypass = c->own[BYPASS];
    request->cache = c->request.capacity >= 0 ? c->request.capacity * HTMT_WORD : request->cache;
    request->line = c->line ? (htmt_wide)c->line : request->line;
    request->write_cost = c->write_cost ? (htmt_wide)c->write_cost : request->write_cost;
    if (c->request.vector)
        rc = htmt__nest_divide(request->divide, vector, &request->divide);
    if (!rc && c->request.vector)
        rc = htmt__nest_divide(request->function, vector, &request->function);
    return rc;
}

/* A block that passes the box of every loop is a mistake. */
static int check_exasat(struct bound_command *c, const struct htmt__exasat *rule)
{
    for (int a = 0; a < HTMT__EXASAT_AXES; a++) {
        htmt_wide most = 0;
        for (unsigned i = 0; i < rule->loops; i++)
            most = rule->loop[i].extent[a] > most ? rule->loop[i].extent[a] : most;
        if (c->request.block[a] > most)
            return htmt_fault_set(c->fault, HTMT_EUSAGE,
                                  "--block: found %lld, but the longest loop there has %lld "
                                  "iterations",
                                  (long long)c->request.block[a], (long long)most);
    }
    return 0;
}

static int trace_exasat(struct bound_command *c, const struct htmt__exasat *rule,
                        const struct htmt__exasat_request *request)
{
    unsigned points = 0;
    int rc = check_curve(c);
    if (rc)
        return rc;
    struct htmt__bound_point *point = calloc(HTMT__BOUND_POINTS, sizeof *point);
    if (!point)
        return HTMT_ENOMEM;
    rc = htmt__exasat_curve(rule, request, c->search, c->first * HTMT_WORD, c->last * HTMT_WORD,
                            point, &points);
    if (!rc)
        rc = tell_curve(c, point, points);
    free(point);
    return rc;
}

static int bound_exasat(struct bound_command *c, struct htmt__nest_program *program,
                        const struct htmt__bound_rates *rates)
{
    const char *const *own = c->own;
    struct htmt__exasat_request request;
    struct htmt__exasat_bound total, *each = NULL;
    struct htmt__exasat rule = {0};
    int rc = read_exasat(c, rates, &request);
    if (!rc)
        rc = htmt__exasat_make(program, &rule, c->fault);
    if (!rc)
        rc = check_exasat(c, &rule);
    if (!rc && c->curve) {
        rc = trace_exasat(c, &rule, &request);
        goto clear;
    }
    if (!rc && c->search)
        rc = htmt__exasat_best_block(&rule, &request);
    if (!rc && !(each = calloc((size_t)rule.loops + 1, sizeof *each)))
        rc = HTMT_ENOMEM;
    if (!rc)
        rc = htmt__exasat_sum(&rule, &request, each, &total);
    const struct htmt__exasat_report report = {
        c->nests, &rule, rates, &request, each, &total, c->request.registers, c->write_rate};
    if (!rc && (!own[JSON] || strcmp(own[JSON], "-") != 0))
        rc = htmt__exasat_print(&report, stdout);
    if (!rc && own[CSV])
        rc = htmt__exasat_csv(&report, own[CSV], c->fault);
    if (!rc && own[JSON])
        rc = htmt__json_write(htmt__exasat_json(&report), own[JSON], c->fault);
    if (!rc && own[SHEET])
        rc = htmt__exasat_sheet(&report, own[SHEET], c->fault);
clear:
    free(each);
    htmt__exasat_clear(&rule);
    if (rc == HTMT_EOVERFLOW && !c->fault->code)
        rc = htmt_fault_set(c->fault, HTMT_ERANGE, "a number passes 128 bits");
    return rc;
}

/* ---- the verb ----------------------------------------------------------------------------------
 */

/* --write-rate may stand without a value. */
static int read_words(struct bound_command *c, int argc, char **argv, struct htmt__options *o)
{
    static const struct htmt_app_verb verb = {.name = "bound", .options = rows};
    static const enum row files[] = {CSV, JSON, SHEET, GRAPH, COSTS_OUT, PATTERN};
    char option[32];
    if (argc < 2 || (argv[1][0] == '-' && argv[1][1]))
        return htmt_fault_set(c->fault, HTMT_EUSAGE, "expected the nest file first");
    for (int i = 2; i < argc; i++)
        if (!strcmp(argv[i], "--write-rate") && (i + 1 == argc || !strncmp(argv[i + 1], "--", 2)))
            argv[i] = c->alone;
    int rc = htmt__options_parse_verb(NULL, &verb, argc - 2, argv + 2, o, c->fault);
    if (rc)
        return rc;
    c->nests = argv[1];
    c->own = o->own;
    rc = read_values(c);
    if (!rc)
        rc = htmt__output_claim_streams(c->fault);
    for (size_t i = 0; i < sizeof files / sizeof *files && !rc; i++) {
        const char *path = c->own[files[i]];
        snprintf(option, sizeof option, "--%s", rows[files[i]].name);
        if (path && !(files[i] == JSON && !strcmp(path, "-")))
            rc = htmt_output_claim(option, path, c->fault);
    }
    return rc;
}

/* Reads the nest file and the machine, makes the program, and bounds it. */
static int work(struct bound_command *c)
{
    struct htmt__nest_file *file = NULL;
    struct htmt_machine *machine = NULL;
    struct htmt__nest_program *program = NULL;
    struct htmt__bound_rates rates;
    char path[HTMT_PATH_MAX];
    int rc = htmt_search_path(&htmt__bound_search, c->nests, NULL, path, c->fault);
    if (!rc)
        rc = htmt__nest_file_read(path, &file, c->fault);
    if (!rc)
        rc = htmt_machine_load(c->own[MACHINE], c->set, c->sets, &machine, c->fault);
    if (!rc)
        rc = htmt__bound_rates_read(machine, &rates, c->fault);
    if (!rc && !c->exasat && !c->line && rates.line & (rates.line - 1))
        rc = htmt_fault_set(c->fault, HTMT_EINVAL,
                            "machine %s: lines of layer %s: found %llu B, expected a power of two",
                            machine->name, rates.layer, (unsigned long long)rates.line * HTMT_WORD);
    if (!rc)
        rc = htmt__nest_program_make(file, c->parameter, c->parameters,
                                     c->line ? c->line : rates.line, &program, c->fault);
    if (!rc && c->own[FUSE]) {
        char *list = strdup(c->own[FUSE]), *rest = list, *names;
        rc = list ? 0 : htmt_fault_set(c->fault, HTMT_ENOMEM, "out of memory");
        while (!rc && (names = strsep(&rest, ",")))
            rc = htmt__nest_program_fuse(program, names, c->fault);
        free(list);
    }
    if (!rc)
        rc = (c->exasat ? bound_exasat : c->curve ? trace_curve : bound_once)(c, program, &rates);
    if (!rc && file->skips)
        rc = htmt_fault_set(c->fault, HTMT_EWRONG, "%u loops of the source could not be read",
                            file->skips);
    htmt__nest_program_destroy(&program);
    htmt_machine_destroy(&machine);
    htmt__nest_file_destroy(&file);
    return rc;
}

static int run(struct htmt__command *program, int argc, char **argv)
{
    struct htmt_fault fault = {0};
    struct htmt__options o;
    struct bound_command c = {
        .request.capacity = -1, .write_rate = -1, .fault = &fault, .alone = "--write-rate=0.0011"};
    size_t length = 2;
    (void)program;
    for (int i = 0; i < argc; i++)
        length += strlen(argv[i]) + 2;
    char *text = c.text = calloc(length, 1);
    int rc = text ? read_words(&c, argc, argv, &o)
                  : htmt_fault_set(&fault, HTMT_ENOMEM, "out of memory");
    if (!rc)
        rc = work(&c);
    free(text);
    if (rc && !fault.code)
        htmt_fault_set(&fault, rc, "%s", htmt_strerror(rc));
    return rc ? htmt__complain("bound", &fault) : 0;
}

const struct htmt__verb htmt__verb_row_bound = {
    "bound",
    "NESTS [--machine NAME|FILE] [--param NAME=N,..] [--block N,N,..|auto] [--cache "
    "BYTES[..BYTES]] "
    "[--fuse A+B,..] [--order loops|blocks] [--rule lru|exasat] [--overlap all|operations|none] "
    "[--registers N] [--vector N] "
    "[--lines BYTES] "
    "[--bypass] [--write-cost BYTES] "
    "[--stream-reads] [--local-store] [--alone] [--write-rate SHARE] [--csv FILE] [--json FILE|-] "
    "[--sheet FILE] [--graph FILE] [--costs-out FILE] [--pattern FILE] [--set KEY=VALUE,..]",
    "bound the time of loops: operations, traffic, working sets",
    run,
    rows,
    NULL};
