/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt analyze`: loops out of C source as a nest file. It becomes the program htmt-analyze, which
 * lies where plug-ins do.
 */
#include "emul/command/command.h"

#include "emul/lib/plugin/folder.h"
#include "emul/loops/analyze_arguments.h"
#include "runtime/base/output.h"
#include "runtime/base/output_claims.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int visit(const char *folder, void *context)
{
    char *path = context;
    return snprintf(path, HTMT_PATH_MAX, "%s/htmt-analyze", folder) < HTMT_PATH_MAX &&
           access(path, X_OK) == 0;
}

static int verb_analyze(struct htmt__command *program, int argc, char **argv)
{
    struct htmt__source_words w;
    struct htmt_fault fault = {0};
    char path[HTMT_PATH_MAX];
    (void)program;
    int rc = htmt__source_words_read(&w, argc, argv, &fault);
    if (rc)
        return htmt__complain("analyze", &fault);
    /* The output could be written: asked before sources are read. */
    rc = htmt__output_claim_streams(&fault);
    if (!rc)
        rc = htmt_output_claim("--nests", w.nests, &fault);
    htmt__source_words_clear(&w);
    if (!rc && !htmt__plugin_homes(visit, path)) {
        htmt_fault_set(&fault, HTMT_ESYSTEM,
                       "this installation lacks htmt-analyze: libclang-19-dev and libisl-dev "
                       "were missing when it was built");
    } else if (!rc) {
        fflush(stdout);
        execv(path, argv);
        htmt_fault_set(&fault, HTMT_ESYSTEM, "%s cannot be started: %s", path, strerror(errno));
    }
    return htmt__complain("analyze", &fault);
}

const struct htmt__verb htmt__verb_row_analyze = {
    "analyze",
    "FILE.c... --nests FILE [-DNAME=VALUE] [-IFOLDER] [options]",
    "read loops out of C source",
    verb_analyze,
    htmt__source_rows,
    NULL};
