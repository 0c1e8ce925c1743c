/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt analyze`: loops out of C and Fortran as a nest file, by the program htmt-analyze, which
 * lies where plug-ins do. libclang ends it where the source is hostile (thousands of nested loops,
 * macros that grow without end), so it runs with limits of time and memory, and a signal becomes
 * one line. What libclang itself prints is left out: all lines of htmt-analyze begin with its name.
 */
#define _GNU_SOURCE /* memfd_create */
#include "emul/command/command.h"

#include "emul/lib/plugin/folder.h"
#include "emul/loops/analyze_arguments.h"
#include "runtime/base/output.h"
#include "runtime/base/output_claims.h"
#include "runtime/base/supervised.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PREFIX "htmt analyze: "

static int visit(const char *folder, void *context)
{
    char *path = context;
    return snprintf(path, HTMT_PATH_MAX, "%s/htmt-analyze", folder) < HTMT_PATH_MAX &&
           access(path, X_OK) == 0;
}

/* Lines of the program's own, from its standard error. */
static void print_lines(int errors)
{
    FILE *in = lseek(errors, 0, SEEK_SET) == 0 ? fdopen(dup(errors), "r") : NULL;
    char *line = NULL;
    size_t room = 0;
    while (in && getline(&line, &room, in) > 0)
        if (strncmp(line, PREFIX, strlen(PREFIX)) == 0)
            fputs(line, stderr);
    free(line);
    if (in)
        fclose(in);
}

static int start(const char *path, char **argv, int *status, struct htmt_fault *fault)
{
    static const struct htmt_limits limits = {.seconds = 300, .bytes = UINT64_C(2) << 30};
    const int errors = memfd_create("htmt-analyze", MFD_CLOEXEC);
    if (errors < 0)
        return htmt_fault_set(fault, HTMT_ESYSTEM, "no room for the lines of htmt-analyze: %s",
                              strerror(errno));
    fflush(stdout);
    setenv("LIBCLANG_DISABLE_CRASH_RECOVERY", "1", 1);
    int rc = htmt_supervise_program("reading the source by libclang", &limits, path, argv, errors,
                                    status, fault);
    if (!rc)
        print_lines(errors);
    close(errors);
    return rc;
}

static int verb_analyze(struct htmt__command *program, int argc, char **argv)
{
    struct htmt__source_words w;
    struct htmt_fault fault = {0};
    char path[HTMT_PATH_MAX];
    int status = 0;
    (void)program;
    int rc = htmt__source_words_read(&w, argc, argv, &fault);
    if (rc)
        return htmt__complain("analyze", &fault);
    /* The output could be written: asked before sources are read. */
    rc = htmt__output_claim_streams(&fault);
    if (!rc)
        rc = htmt_output_claim("--nests", w.nests, &fault);
    htmt__source_words_clear(&w);
    if (!rc && !htmt__plugin_homes(visit, path))
        rc = htmt_fault_set(&fault, HTMT_ESYSTEM,
                            "this installation lacks htmt-analyze: libclang-19-dev and libisl-dev "
                            "were missing when it was built");
    if (!rc)
        rc = start(path, argv, &status, &fault);
    return rc ? htmt__complain("analyze", &fault) : status;
}

const struct htmt__verb htmt__verb_row_analyze = {
    "analyze",
    "FILE.c... --nests FILE [-p FILE.json] [-DNAME=VALUE] [-IFOLDER] [options]",
    "read loops out of C or Fortran source",
    verb_analyze,
    htmt__source_rows,
    NULL};
