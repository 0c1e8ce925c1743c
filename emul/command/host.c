/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/command/host.h"

#include "emul/command/host/host.h"
#include "emul/command/host_compare.h"
#include "emul/lib/options/options.h"
#include "emul/lib/text/progress.h"
#include "runtime/base/output.h"
#include "runtime/base/output_claims.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define USAGE                                                                                      \
    "measure --out FILE, or compare --machine FILE [--csv FILE] [--plot FILE] [--n N..M]"          \
    " [--sizes COUNT]"

static const struct htmt_app_option measure_rows[] = {
    {"out", "FILE", NULL, "the machine file, .yaml"}, {NULL, NULL, NULL, NULL}};

static const struct htmt_app_option rows[] = {
    {"out", "FILE", NULL, "measure: the machine file, .yaml"},
    {"machine", "FILE", NULL, "compare: the machine file of this host"},
    {"csv", "FILE", NULL, "compare: a line for each size"},
    {"plot", "FILE", NULL, "compare: the errors over N, .svg, .png or .pdf"},
    {"n", "N..M", NULL, "compare: sizes of all kernels; default: from l1 to memory, by kernel"},
    {"sizes", "COUNT", NULL, "compare: how many; default: 20"},
    {NULL, NULL, NULL, NULL}};

static void show(void *user, const char *what)
{
    (void)user;
    htmt__progress_line(what);
}

static int read_measure(int argc, char **argv, const char **out, struct htmt_fault *fault)
{
    static const struct htmt_app_verb verb = {.name = "host measure", .options = measure_rows};
    struct htmt__options options;
    int rc = htmt__options_parse_verb(NULL, &verb, argc, argv, &options, fault);
    if (rc)
        return rc;
    *out = options.own[0];
    if (!*out)
        return htmt_fault_set(fault, HTMT_EUSAGE, "measure: expected --out FILE");
    rc = htmt__output_claim_streams(fault);
    return rc ? rc : htmt_output_claim("--out", *out, fault);
}

static void tell(const struct htmt__host_figures *f, const char *path)
{
    unsigned disturbed = 0;
    for (unsigned i = 0; i < f->rates; i++)
        disturbed += f->rate[i].latency.disturbed || f->rate[i].every.disturbed;
    for (unsigned i = 0; i < f->levels; i++)
        disturbed += f->level[i].latency.disturbed || f->level[i].read[0].disturbed;
    printf("%s: %s, %.3f GHz, %u operations, %u levels of memory", path, f->topology.processor,
           1 / f->cycle.value, f->rates, f->levels);
    printf(disturbed ? "; %u disturbed\n" : "\n", disturbed);
}

static int measure(int argc, char **argv, struct htmt_fault *fault)
{
    struct htmt__host_figures f;
    const char *path = NULL;
    bool shows = isatty(STDERR_FILENO);
    int rc = read_measure(argc, argv, &path, fault);
    if (rc)
        return rc;
    rc = htmt__host_measure(&f, shows ? show : NULL, NULL, fault);
    if (shows)
        htmt__progress_line("");
    rc = rc ? rc : htmt__host_write(&f, path, fault);
    if (!rc)
        tell(&f, path);
    return rc;
}

static int run(struct htmt__command *program, int argc, char **argv)
{
    struct htmt_fault fault = {0};
    if (argc > 1 && !strcmp(argv[1], "compare"))
        return htmt__host_compare(program, argc, argv);
    int rc = argc < 2 || strcmp(argv[1], "measure") != 0
                 ? htmt_fault_set(&fault, HTMT_EUSAGE, "found '%s', expected measure or compare",
                                  argc < 2 ? "" : argv[1])
                 : measure(argc - 2, argv + 2, &fault);
    return rc ? htmt__complain("host", &fault) : 0;
}

static const struct htmt__verb_action actions[] = {
    {"measure", "measure this host and write a machine file of it"},
    {"compare", "the node model of such a file against the clock, for all kernels"},
    {NULL, NULL}};

const struct htmt__verb htmt__verb_row_host = {"host", USAGE, "measure this host as a machine",
                                               run,    rows,  actions};
