/* SPDX-License-Identifier: BSD-3-Clause
 *
 * - `htmt host measure`: this computer as a machine file.
 *
 * - `htmt host predict`: a call of a C function on such a machine.
 *
 * - `htmt host compare` and `htmt validate mermaid --host`: the node model of such a file against
 * the clock.
 */
#define _GNU_SOURCE /* sched_setaffinity */
#include "emul/command/command.h"

#include "emul/command/host/applications.h"
#include "emul/command/host/host.h"
#include "emul/command/host/predict.h"
#include "emul/command/host/shapes.h"
#include "emul/command/host/together.h"
#include "emul/lib/options/options.h"
#include "emul/lib/questions/walls.h"
#include "emul/lib/report/json.h"
#include "emul/lib/text/format.h"
#include "emul/lib/text/progress.h"
#include "emul/lib/verbs/hand_over.h"
#include "emul/validate/against_clock.h"
#include "layers/file/folders.h"
#include "layers/file/search.h"
#include "layers/node/tape/tape_flags.h"
#include "runtime/base/output.h"
#include "runtime/base/output_claims.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define USAGE                                                                                      \
    "measure --out FILE [--cpu N] [--repeat N] [--cores all] [--replace], or predict FILE.c "      \
    "--call CALL "                                                                                 \
    "--machine FILE "                                                                              \
    "[--flags FLAGS] "                                                                             \
    "[--cores N] [--against-clock [--cc CC]] [--json FILE|-], or compare --machine FILE "          \
    "[--kernels SETS] "                                                                            \
    "[--csv FILE] "                                                                                \
    "[--json FILE|-]"                                                                              \
    " [--plot FILE] [--n N..M] [--sizes COUNT] [--flags FLAGS] [--max-error PERCENT]"

static const struct htmt_app_option measure_rows[] = {
    {"out", "FILE", NULL, "the machine file, .yaml"},
    {"cpu", "N", NULL, "measure this processor; default: whichever runs the command"},
    {"replace", NULL, NULL, "write over a machine file that exists"},
    {"repeat", "N", "1", "measure so many times; the least disturbed of each figure counts"},
    {"cores", "all", NULL, "also memory by 1, 2, 4, .. and all processors of the process"},
    {NULL, NULL, NULL, NULL}};

static const struct htmt_app_option rows[] = {
    {"out", "FILE", NULL, "measure: the machine file, .yaml"},
    {"machine", "FILE", NULL, "predict, compare: the machine file of this host"},
    {"call", "CALL", NULL, "predict: a function and its arguments: 'f(n=1000, a[n], b[2*n])'"},
    {"flags", "FLAGS", "-O2", "predict: of the compiler; compare: of the shapes, compiled now"},
    {"against-clock", NULL, NULL, "predict: also time the call on this host"},
    {"cc", "CC", NULL, "predict: the clock times code of this compiler"},
    {"csv", "FILE", NULL, "compare: a line for each size"},
    {"plot", "FILE", NULL, "compare: the errors over N, .svg, .png or .pdf"},
    {"n", "N..M", NULL, "compare: sizes of all kernels; default: from l1 to memory, by kernel"},
    {"sizes", "COUNT", NULL, "compare: how many; default: 8, of a shape 3"},
    {"kernels", "SETS", NULL, "compare: of mermaid,others,shapes,apps; default: mermaid,others"},
    {"json", "FILE|-", NULL, "predict, compare: all figures as JSON"},
    {"cpu", "N", NULL, "measure: this processor; default: whichever runs the command"},
    {"replace", NULL, NULL, "measure: write over a machine file that exists"},
    {"repeat", "N", "1", "measure: so many times; the least disturbed of each figure counts"},
    {"max-error", "PERCENT", NULL, "compare: status 1 where the mean error is above it"},
    {"cores", "all|N", NULL, "measure: memory by several cores; predict: so many at once"},
    {NULL, NULL, NULL, NULL}};

/* ---- measure --------------------------------------------------------------------------------- */

static void show(void *user, const char *what)
{
    (void)user;
    htmt__progress_line(what);
}

/* Who may not choose a processor measures whichever the system gives. */
static int pin(const char *text, struct htmt_fault *fault)
{
    uint64_t cpu = 0;
    cpu_set_t set;
    int rc = htmt__options_number("cpu", text, 0, CPU_SETSIZE - 1, &cpu, fault);
    if (rc)
        return rc;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) == 0)
        return 0;
    if (errno != EPERM && errno != EACCES && errno != ENOSYS)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--cpu: found %" PRIu64 ", expected a processor that is online", cpu);
    fprintf(stderr, "htmt host: no permission to run on processor %" PRIu64 " alone\n", cpu);
    return 0;
}

/* --machine takes another name for that of a shipped machine; calibration reads the file, too. */
static int check_name(const char *path, struct htmt_fault *fault)
{
    size_t n = strlen(path), end = strlen(".yaml");
    if (n > end && strcmp(path + n - end, ".yaml") == 0)
        return 0;
    return htmt_fault_set(fault, HTMT_EUSAGE, "--out: found '%s', expected a name with .yaml",
                          path);
}

/* Figures of another minute are no output that one makes again. */
static int check_new(const char *path, struct htmt_fault *fault)
{
    struct stat at;
    if (stat(path, &at) || !S_ISREG(at.st_mode))
        return 0;
    return htmt_fault_set(fault, HTMT_EUSAGE,
                          "--out: '%s' exists, expected a new file, or --replace", path);
}

/* The processors of the process; NULL: one, or not told which. They are asked for before the
 * process is pinned to one of them. */
static struct htmt__host_crowd *find_crowd(void)
{
    struct htmt__host_crowd *crowd = calloc(1, sizeof *crowd);
    if (crowd)
        htmt__host_crowd_find(crowd);
    if (crowd && crowd->cpus > 1)
        return crowd;
    fputs("htmt host: one processor, so memory by several cores is not measured\n", stderr);
    free(crowd);
    return NULL;
}

static void tell_cores(const struct htmt__host_cores *c, const struct htmt__host_crowd *crowd)
{
    if (!c->steps)
        fprintf(
            stderr,
            "htmt host: no permission to run on %u processors, so memory by several cores is not "
            "measured\n",
            crowd->cpus);
    if (c->differ)
        fprintf(
            stderr,
            "htmt host: whether processors %d and %d share a core: loops say otherwise than the "
            "system\n",
            c->pair[0], c->pair[1]);
}

/* The figures of this host go to the file; *told, unless it is NULL, gets what is said of them. */
static int measure_to(struct htmt__command *program, const char *path, unsigned repeats,
                      struct htmt__host_crowd *crowd, bool shows, char told[200],
                      struct htmt_fault *fault)
{
    struct htmt__host_figures *f = calloc(1, sizeof *f);
    struct htmt__disturbed disturbed;
    if (!f)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    int rc = htmt__host_measure(f, repeats, crowd, shows ? show : NULL, NULL, fault);
    if (shows)
        htmt__progress_line("");
    if (!rc && crowd)
        tell_cores(&f->cores, crowd);
    rc = rc ? rc : htmt__host_write(f, path, fault);
    if (!rc && shows)
        htmt__progress_line("loops");
    if (!rc)
        htmt__host_calibrate(program, f, path);
    rc = rc ? rc : htmt__host_write(f, path, fault);
    if (shows)
        htmt__progress_line("");
    struct htmt_machine *machine = NULL;
    rc = rc ? rc : htmt_machine_load(path, NULL, 0, &machine, fault);
    if (!rc && told) {
        htmt__disturbed_find(machine, true, &disturbed);
        snprintf(told, 200, "%s, %.3f GHz, %u operations, %u levels of memory; %u disturbed",
                 f->topology.processor, 1 / f->cycle.value, f->rates, f->levels, disturbed.count);
    }
    htmt_machine_destroy(&machine);
    free(f);
    return rc;
}

static int measure_host(struct htmt__command *program, int argc, char **argv,
                        struct htmt_fault *fault)
{
    static const struct htmt_app_verb verb = {.name = "host measure", .options = measure_rows};
    struct htmt__options options;
    char told[200];
    uint64_t repeats = 1;
    int rc = htmt__options_parse_verb(NULL, &verb, argc, argv, &options, fault);
    if (rc)
        return rc;
    const char *path = options.own[0];
    if (!path)
        return htmt_fault_set(fault, HTMT_EUSAGE, "measure: expected --out FILE");
    rc = htmt__output_claim_streams(fault);
    rc = rc ? rc : check_name(path, fault);
    if (!rc)
        rc = htmt_output_claim("--out", path, fault);
    if (!rc && !options.own[2])
        rc = check_new(path, fault);
    if (!rc && options.own[3])
        rc = htmt__options_number("repeat", options.own[3], 1, HTMT__HOST_REPEATS_MOST, &repeats,
                                  fault);
    if (!rc && options.own[4] && strcmp(options.own[4], "all") != 0)
        rc =
            htmt_fault_set(fault, HTMT_EUSAGE, "--cores: found '%s', expected all", options.own[4]);
    struct htmt__host_crowd *crowd = !rc && options.own[4] ? find_crowd() : NULL;
    if (!rc && options.own[1])
        rc = pin(options.own[1], fault);
    /* It reads the file back, whose number may be that of the one it takes the place of. */
    if (!rc)
        htmt__outputs_forget();
    rc = rc ? rc
            : measure_to(program, path, (unsigned)repeats, crowd, isatty(STDERR_FILENO), told,
                         fault);
    free(crowd);
    if (!rc)
        printf("%s: %s\n", path, told);
    return rc;
}

/* ---- predict --------------------------------------------------------------------------------- */

static const struct htmt_app_option predict_rows[] = {
    {"machine", "FILE", NULL, "a machine file of this host"},
    {"call", "CALL", NULL, "a function and its arguments: 'f(n=1000, a[n], b[2*n])'"},
    {"flags", "FLAGS", "-O2", "of the compiler"},
    {"against-clock", NULL, NULL, "also time the call on this host"},
    {"cc", "CC", NULL, "time code of this compiler, and not of the one that records"},
    {"json", "FILE|-", NULL, "all figures as JSON"},
    {"cores", "N", NULL, "so many cores call it at once, each on data of its own"},
    {NULL, NULL, NULL, NULL}};

static json_t *time_or_null(bool known, double value)
{
    return known ? json_real(value) : json_null();
}

static json_t *json_shares(const struct htmt__shares *s)
{
    json_t *all = json_object();
    for (int b = 0; b < HTMT__NODE_BOUNDS && all; b++)
        json_object_set_new(all, htmt__node_bound_name((enum htmt__node_bound)b),
                            json_real(s->of[b]));
    json_object_set_new(all, "busy", json_real(s->instructions));
    return all;
}

static int write_predicted(const struct htmt__predict_options *o, const struct htmt__predicted *p,
                           const char *path, struct htmt_fault *fault)
{
    json_t *all = json_pack(
        "{s:s, s:s, s:s, s:s, s:i, s:f, s:i, s:o, s:f, s:f, s:f, s:f, s:o, s:o, s:o, s:o, s:o}",
        "source", o->source, "call", o->call, "flags", o->flags, "machine", o->machine, "cores",
        (int)o->cores, "clock_hz", p->own_hertz, "disturbed", (int)p->disturbed.count,
        "disturbed_figures", htmt__json_disturbed(&p->disturbed), "predicted_ns", p->next,
        "first_ns", p->first, "low_ns", p->expected.low, "high_ns", p->expected.high, "bounds",
        json_shares(&p->shares), "clock_ns", time_or_null(o->clock, p->clock),
        "clock_spread_percent", time_or_null(o->clock, 100 * p->spread), "error_percent",
        time_or_null(o->clock, o->clock ? 100 * (p->next / p->clock - 1) : 0), "free_samples",
        o->clock ? json_integer(p->free) : json_null());
    return htmt__json_write(all, path, fault);
}

static void show_predicted(const struct htmt__predict_options *o, const struct htmt__predicted *p)
{
    htmt__disturbed_print(&p->disturbed, stdout);
    printf("%s, on %s", o->call, o->machine);
    printf(o->cores > 1 ? ", on %u cores at once\n" : "\n", o->cores);
    if (p->threads > 1)
        printf("  %u processors are of %u cores or fewer; what two of one core share is not "
               "modelled\n",
               o->cores, (o->cores + p->threads - 1) / p->threads);
    printf("  predicted  %s a call, %s the first one, in cold caches\n",
           htmt__format_si(1e-9 * p->next, "s").s, htmt__format_si(1e-9 * p->first, "s").s);
    printf("  between    %s and %s a call\n", htmt__format_si(1e-9 * p->expected.low, "s").s,
           htmt__format_si(1e-9 * p->expected.high, "s").s);
    if (!o->clock)
        return;
    printf("  clock      %s a call, code of %s%s; the middle sample takes %.1f %% longer; at %.3f "
           "GHz as the machine, %.3f GHz now\n",
           htmt__format_si(1e-9 * p->clock, "s").s, o->cc ? o->cc : HTMT_CLANG,
           o->cc ? "" : ", loops at lines of code", 100 * p->spread, 1e-9 * p->own_hertz,
           1e-9 * p->hertz);
    if (p->free < HTMT__AGAINST_FREE)
        printf("  (others had the core at %s: the clock may be too slow)\n",
               p->free ? "nearly every sample" : "every sample");
    printf("  error      %+.1f %%\n", 100 * (p->next / p->clock - 1));
}

static int predict_call(struct htmt__command *program, int argc, char **argv,
                        struct htmt_fault *fault)
{
    static const struct htmt_app_verb verb = {.name = "host predict", .options = predict_rows};
    struct htmt__options options;
    struct htmt__predicted predicted;
    if (argc < 1 || argv[0][0] == '-')
        return htmt_fault_set(fault, HTMT_EUSAGE, "predict: expected a C file");
    int rc = htmt__options_parse_verb(NULL, &verb, argc - 1, argv + 1, &options, fault);
    if (rc)
        return rc;
    uint64_t cores = 1;
    struct htmt__predict_options o = {.source = argv[0],
                                      .machine = options.own[0],
                                      .call = options.own[1],
                                      .flags = options.own[2] ? options.own[2] : "-O2",
                                      .clock = options.own[3] != NULL,
                                      .cc = options.own[4]};
    if (options.own[6])
        rc = htmt__options_number("cores", options.own[6], 1, HTMT__HOST_CPUS, &cores, fault);
    if (rc)
        return rc;
    o.cores = (unsigned)cores;
    if (o.cc && !o.clock)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--cc: expected --against-clock beside it");
    if (!o.machine || !o.call)
        return htmt_fault_set(fault, HTMT_EUSAGE, "predict: expected --%s %s",
                              predict_rows[o.machine != NULL].name,
                              predict_rows[o.machine != NULL].value_name);
    const char *json = options.own[5];
    rc = htmt__output_claim_streams(fault);
    if (!rc && json && strcmp(json, "-") != 0)
        rc = htmt_output_claim("--json", json, fault);
    rc = rc ? rc : htmt__predict(program, &o, &predicted, fault);
    if (!rc && (!json || strcmp(json, "-") != 0))
        show_predicted(&o, &predicted);
    return rc || !json ? rc : write_predicted(&o, &predicted, json, fault);
}

/* ---- compare --------------------------------------------------------------------------------- */

enum { MACHINE, CSV, PLOT, N, SIZES, KERNELS, JSON, MAX_ERROR, FLAGS };

static const struct htmt_app_option validate_rows[] = {
    {"host", "FILE|measure", NULL, "a machine file of this host, or measure it now"},
    {"csv", "FILE", NULL, "a line for each size"},
    {"plot", "FILE", NULL, "the errors over N: .svg, .png or .pdf"},
    {"n", "N..M", NULL, "sizes of all kernels; default: from l1 to memory, by kernel"},
    {"sizes", "COUNT", NULL, "how many; default: 8"},
    {NULL, NULL, NULL, NULL}};
static const struct htmt_app_option compare_rows[] = {
    {"machine", "FILE", NULL, "a machine file of this host"},
    {"csv", "FILE", NULL, "a line for each size"},
    {"plot", "FILE", NULL, "the errors over N: .svg, .png or .pdf"},
    {"n", "N..M", NULL, "sizes of all kernels; default: from l1 to memory, by kernel"},
    {"sizes", "COUNT", NULL, "how many; default: 8, of a shape 3"},
    {"kernels", "SETS", NULL, "of mermaid,others,shapes,apps; default: mermaid,others"},
    {"json", "FILE|-", NULL, "all figures as JSON"},
    {"max-error", "PERCENT", NULL, "status 1 where the mean error is above it"},
    {"flags", "FLAGS", NULL, "the shapes, compiled now with these flags"},
    {NULL, NULL, NULL, NULL}};

bool htmt__asks_for_host(int argc, char **argv)
{
    bool asks = false;
    for (int i = 2; i < argc; i++)
        asks |= !strcmp(argv[i], "--host") || !strncmp(argv[i], "--host=", strlen("--host="));
    return asks;
}

static int read_percent(const char *text, double *percent, struct htmt_fault *fault)
{
    char *end;
    *percent = strtod(text, &end);
    return end != text && !*end && *percent > 0
               ? 0
               : htmt_fault_set(fault, HTMT_EUSAGE,
                                "--max-error: found '%s', expected a percentage", text);
}

/* With flags, the shapes alone are compiled, at sizes of their own. */
static int check_shapes(const char *const *given, struct htmt_fault *fault)
{
    uint64_t sizes = 0;
    if (given[KERNELS] && strcmp(given[KERNELS], "shapes") != 0)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--flags: found --kernels %s, expected shapes",
                              given[KERNELS]);
    if (given[N])
        return htmt_fault_set(fault, HTMT_EUSAGE, "--flags: found --n, expected --sizes alone");
    return given[SIZES] ? htmt__options_number("sizes", given[SIZES], 1, 3, &sizes, fault) : 0;
}

static int read_words(const struct htmt_app_verb *verb, int argc, char **argv,
                      struct htmt__options *options, struct htmt_fault *fault)
{
    int rc = htmt__options_parse_verb(NULL, verb, argc, argv, options, fault);
    const char *const *given = options->own;
    double most;
    if (rc)
        return rc;
    if (!given[MACHINE])
        return htmt_fault_set(fault, HTMT_EUSAGE, "expected --%s %s", verb->options[MACHINE].name,
                              verb->options[MACHINE].value_name);
    rc = htmt__output_claim_streams(fault);
    if (!rc && given[CSV])
        rc = htmt_output_claim("--csv", given[CSV], fault);
    if (!rc && given[JSON] && strcmp(given[JSON], "-") != 0)
        rc = htmt_output_claim("--json", given[JSON], fault);
    if (!rc && verb->options == compare_rows && given[FLAGS])
        rc = check_shapes(given, fault);
    if (!rc && given[MAX_ERROR])
        rc = read_percent(given[MAX_ERROR], &most, fault);
    if (!rc && given[PLOT])
        rc = htmt_output_claim("--plot", given[PLOT], fault);
    if (!rc && given[PLOT])
        rc = htmt__against_plot_check(given[PLOT], fault);
    return rc;
}

/* A machine file of this host, in a folder of its own, that lasts as long as the command. */
struct measured {
    char folder[HTMT_PATH_MAX], path[HTMT_PATH_MAX + 16];
};

static void forget(const struct measured *m)
{
    unlink(m->path);
    rmdir(m->folder);
}

static int measure(struct htmt__command *program, struct measured *m, bool shows,
                   struct htmt_fault *fault)
{
    int rc = htmt__folder_temporary(m->folder, sizeof m->folder, fault);
    if (rc)
        return rc;
    snprintf(m->path, sizeof m->path, "%s/host.yaml", m->folder);
    rc = measure_to(program, m->path, 1, NULL, shows, NULL, fault);
    if (rc)
        forget(m);
    return rc;
}

/* A file that cannot be written does not keep the other from being written. */
static int compare(struct htmt__command *program, const struct htmt_app *app,
                   const struct htmt__options *options, bool all, const char *machine, bool shows,
                   struct htmt_fault *fault)
{
    const char *csv = options->own[CSV], *plot = options->own[PLOT];
    const char *json = options->own[JSON], *limit = options->own[MAX_ERROR];
    struct htmt__against_options o = {.machine = machine,
                                      .all = all,
                                      .n = options->own[N],
                                      .sizes = options->own[SIZES],
                                      .sets = options->own[KERNELS]};
    double most = 0;
    struct htmt__against_clock *a = calloc(1, sizeof *a);
    if (!a)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    const char *flags = all ? options->own[FLAGS] : NULL;
    char sets[80] = "";
    const bool apps = htmt__host_applications_asked(o.sets, sets, sizeof sets);
    htmt__against_progress_fn *progress = shows ? show : NULL;
    struct htmt_machine *m = NULL;
    uint64_t sizes = 3;
    struct htmt__walls_host host;
    int rc = all ? htmt_machine_load(machine, NULL, 0, &m, fault) : 0;
    if (!rc && all)
        rc = htmt__walls_of_host(m, machine, "--machine", &host, fault);
    if (!rc && (apps || flags) && o.sizes)
        rc = htmt__options_number("sizes", o.sizes, 1, 3, &sizes, fault);
    if (!rc && apps && !*sets && o.n)
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "--n: applications have sizes of their own");
    o.sets = apps ? sets : o.sets;
    if (!rc && flags)
        rc = htmt__host_shapes(program, machine, flags, (unsigned)sizes, progress, NULL, a, fault);
    else if (!rc && (!apps || *sets))
        rc = htmt__against_clock(app, &o, progress, NULL, a, fault);
    if (apps && !rc)
        rc = htmt__host_applications(m, machine, (unsigned)sizes, progress, NULL, a, fault);
    htmt_machine_destroy(&m);
    if (shows)
        htmt__progress_line("");
    if (!rc) {
        const double mean = htmt__against_sum(a).mean;
        if (!json || strcmp(json, "-") != 0)
            htmt__against_print(a, stdout);
        rc = csv ? htmt__against_csv(a, csv, fault) : 0;
        int drawn = plot ? htmt__against_plot(a, plot, fault) : 0;
        rc = rc ? rc : drawn;
        if (!rc && json)
            rc = htmt__against_json(a, json, fault);
        if (!rc && limit && read_percent(limit, &most, fault) == 0 && mean > most)
            rc = htmt_fault_set(fault, HTMT_EWRONG, "the mean error is %.1f %%, above %s %%", mean,
                                limit);
    }
    free(a);
    return rc;
}

static int run(struct htmt__command *program, const struct htmt_app_verb *verb, bool all, int argc,
               char **argv)
{
    const bool shows = isatty(STDERR_FILENO);
    struct htmt__options options;
    struct htmt_fault fault = {0};
    struct measured measured;
    const struct htmt_app *app = NULL;
    int rc = read_words(verb, argc - 2, argv + 2, &options, &fault);
    if (!rc && !(all && options.own[FLAGS])) /* what is compiled now needs no recorded kernels */
        rc = htmt__hand_over(program, "kernels", "O2", argv, &fault);
    rc = rc ? rc : htmt__application_find(&program->apps, "kernels", &app, &fault);
    if (rc)
        goto complain;
    const char *machine = options.own[MACHINE];
    const bool now = !all && !strcmp(machine, "measure");
    rc = now ? measure(program, &measured, shows, &fault) : 0;
    if (rc)
        goto complain;
    rc = compare(program, app, &options, all, now ? measured.path : machine, shows, &fault);
    if (now)
        forget(&measured);
    if (!rc)
        return 0;
complain:
    if (!fault.code)
        htmt_fault_set(&fault, rc, "%s", htmt_strerror(rc));
    return htmt__complain(verb->name, &fault);
}

int htmt__validate_host(struct htmt__command *program, int argc, char **argv)
{
    static const struct htmt_app_verb verb = {.name = "validate mermaid", .options = validate_rows};
    return run(program, &verb, false, argc, argv);
}

/* ---- the verb -------------------------------------------------------------------------------- */

static int verb_host(struct htmt__command *program, int argc, char **argv)
{
    static const struct htmt_app_verb verb = {.name = "host compare", .options = compare_rows};
    struct htmt_fault fault = {0};
    if (argc > 1 && !strcmp(argv[1], "compare"))
        return run(program, &verb, true, argc, argv);
    int rc;
    if (argc > 1 && !strcmp(argv[1], "measure"))
        rc = measure_host(program, argc - 2, argv + 2, &fault);
    else if (argc > 1 && !strcmp(argv[1], "predict"))
        rc = predict_call(program, argc - 2, argv + 2, &fault);
    else
        rc = htmt_fault_set(&fault, HTMT_EUSAGE, "found '%s', expected measure, predict or compare",
                            argc < 2 ? "" : argv[1]);
    return rc ? htmt__complain("host", &fault) : 0;
}

static const struct htmt__verb_action actions[] = {
    {"measure", "measure this host and write a machine file of it"},
    {"predict", "how long a call of a C function takes on such a machine, and by the clock"},
    {"compare", "the node model of such a file against the clock, for all kernels"},
    {NULL, NULL}};

const struct htmt__verb htmt__verb_row_host = {"host",    USAGE, "measure this host as a machine",
                                               verb_host, rows,  actions};
