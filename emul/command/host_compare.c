/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/command/host_compare.h"

#include "emul/command/host/host.h"
#include "emul/lib/options/options.h"
#include "emul/lib/text/progress.h"
#include "emul/lib/verbs/hand_over.h"
#include "emul/validate/against_clock.h"
#include "layers/file/search.h"
#include "runtime/base/output.h"
#include "runtime/base/output_claims.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MACHINE, CSV, PLOT, N, SIZES };

static const struct htmt_app_option validate_rows[] = {
    {"host", "FILE|measure", NULL, "a machine file of this host, or measure it now"},
    {"csv", "FILE", NULL, "a line for each size"},
    {"plot", "FILE", NULL, "the errors over N: .svg, .png or .pdf"},
    {"n", "N..M", NULL, "sizes of all kernels; default: from l1 to memory, by kernel"},
    {"sizes", "COUNT", NULL, "how many; default: 20"},
    {NULL, NULL, NULL, NULL}};
static const struct htmt_app_option compare_rows[] = {
    {"machine", "FILE", NULL, "a machine file of this host"},
    {"csv", "FILE", NULL, "a line for each size"},
    {"plot", "FILE", NULL, "the errors over N: .svg, .png or .pdf"},
    {"n", "N..M", NULL, "sizes of all kernels; default: from l1 to memory, by kernel"},
    {"sizes", "COUNT", NULL, "how many; default: 20"},
    {NULL, NULL, NULL, NULL}};

bool htmt__asks_for_host(int argc, char **argv)
{
    bool asks = false;
    for (int i = 2; i < argc; i++)
        asks |= !strcmp(argv[i], "--host") || !strncmp(argv[i], "--host=", strlen("--host="));
    return asks;
}

static void show(void *user, const char *what)
{
    (void)user;
    htmt__progress_line(what);
}

/* ---- the command line ------------------------------------------------------------------------ */

static int read_words(const struct htmt_app_verb *verb, int argc, char **argv,
                      struct htmt__options *options, struct htmt_fault *fault)
{
    int rc = htmt__options_parse_verb(NULL, verb, argc, argv, options, fault);
    const char *const *given = options->own;
    if (rc)
        return rc;
    if (!given[MACHINE])
        return htmt_fault_set(fault, HTMT_EUSAGE, "expected --%s %s", verb->options[MACHINE].name,
                              verb->options[MACHINE].value_name);
    rc = htmt__output_claim_streams(fault);
    if (!rc && given[CSV])
        rc = htmt_output_claim("--csv", given[CSV], fault);
    if (!rc && given[PLOT])
        rc = htmt__against_plot_check(given[PLOT], fault);
    if (!rc && given[PLOT])
        rc = htmt_output_claim("--plot", given[PLOT], fault);
    return rc;
}

static int find_kernels(struct htmt__command *program, const struct htmt_app **app,
                        struct htmt_fault *fault)
{
    return htmt__application_find(&program->apps, "kernels", app, fault);
}

/* ---- work ------------------------------------------------------------------------------------ */

/* A machine file of this host, in a folder of its own, that lasts as long as the command. */
struct measured {
    char folder[HTMT_PATH_MAX], path[HTMT_PATH_MAX + 16];
};

static void forget(const struct measured *m)
{
    unlink(m->path);
    rmdir(m->folder);
}

static int measure(struct measured *m, bool shows, struct htmt_fault *fault)
{
    struct htmt__host_figures f;
    const char *home = getenv("TMPDIR");
    snprintf(m->folder, sizeof m->folder, "%s/htmt-XXXXXX", home && *home ? home : "/tmp");
    if (!mkdtemp(m->folder))
        return htmt_fault_set(fault, HTMT_ESYSTEM, "%s: %s", m->folder, strerror(errno));
    snprintf(m->path, sizeof m->path, "%s/host.yaml", m->folder);
    int rc = htmt__host_measure(&f, shows ? show : NULL, NULL, fault);
    rc = rc ? rc : htmt__host_write(&f, m->path, fault);
    if (rc)
        forget(m);
    return rc;
}

static int tell(const struct htmt__options *options, const struct htmt__against_clock *a,
                struct htmt_fault *fault)
{
    const char *csv = options->own[CSV], *plot = options->own[PLOT];
    htmt__against_print(a, stdout);
    int rc = csv ? htmt__against_csv(a, csv, fault) : 0;
    int drawn = plot ? htmt__against_plot(a, plot, fault) : 0;
    return rc ? rc : drawn;
}

static int compare(const struct htmt_app *app, const struct htmt__options *options, bool all,
                   const char *machine, bool shows, struct htmt_fault *fault)
{
    const struct htmt__against_options o = {
        .machine = machine, .all = all, .n = options->own[N], .sizes = options->own[SIZES]};
    struct htmt__against_clock *a = calloc(1, sizeof *a);
    if (!a)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    int rc = htmt__against_clock(app, &o, shows ? show : NULL, NULL, a, fault);
    if (shows)
        htmt__progress_line("");
    rc = rc ? rc : tell(options, a, fault);
    free(a);
    return rc;
}

static int work(const struct htmt_app *app, const struct htmt__options *options, bool all,
                struct htmt_fault *fault)
{
    struct measured measured;
    const char *machine = options->own[MACHINE];
    const bool shows = isatty(STDERR_FILENO), now = !all && !strcmp(machine, "measure");
    int rc = now ? measure(&measured, shows, fault) : 0;
    if (rc)
        return rc;
    rc = compare(app, options, all, now ? measured.path : machine, shows, fault);
    if (now)
        forget(&measured);
    return rc;
}

static int run(struct htmt__command *program, const struct htmt_app_verb *verb, bool all, int argc,
               char **argv)
{
    struct htmt__options options;
    struct htmt_fault fault = {0};
    const struct htmt_app *app = NULL;
    int rc = read_words(verb, argc - 2, argv + 2, &options, &fault);
    rc = rc ? rc : htmt__hand_over(program, "O2", argv, &fault);
    rc = rc ? rc : find_kernels(program, &app, &fault);
    rc = rc ? rc : work(app, &options, all, &fault);
    if (rc && !fault.code)
        htmt_fault_set(&fault, rc, "%s", htmt_strerror(rc));
    return rc ? htmt__complain(verb->name, &fault) : 0;
}

int htmt__validate_host(struct htmt__command *program, int argc, char **argv)
{
    static const struct htmt_app_verb verb = {.name = "validate mermaid", .options = validate_rows};
    return run(program, &verb, false, argc, argv);
}

int htmt__host_compare(struct htmt__command *program, int argc, char **argv)
{
    static const struct htmt_app_verb verb = {.name = "host compare", .options = compare_rows};
    return run(program, &verb, true, argc, argv);
}
