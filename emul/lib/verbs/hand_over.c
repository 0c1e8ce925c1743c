/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels that are recorded are compiled by htmt-cc, for one tape each, which needs LLVM. htmt
 * itself has none: where a command line needs them, it replaces itself in this process by the
 * program that was built for that tape, with the same words. The environment, the folder and the
 * open files stay as they are. A plug-in of somebody else has its own kernels for a tape, so htmt
 * records it itself.
 */
#include "emul/lib/verbs/hand_over.h"

#include "emul/lib/plugin/folder.h"
#include "layers/file/folders.h"
#include "layers/file/own_path.h"
#include "layers/file/search.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int begin(const char *path, char **words, struct htmt_fault *fault)
{
    size_t n = 0;
    while (words[n])
        n++;
    char **all = calloc(n + 2, sizeof *all), *name = strdup("htmt");
    if (all && name) {
        all[0] = name;
        memcpy(all + 1, words, n * sizeof *all);
        execv(path, all);
        htmt_fault_set(fault, HTMT_ESYSTEM, "%s: cannot start it: %s", path, strerror(errno));
    } else {
        htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the command line");
    }
    free(name);
    free(all);
    return fault->code;
}

int htmt__hand_over(const struct htmt__command *program, const char *app, const char *tape,
                    char **words, struct htmt_fault *fault)
{
    char path[HTMT_PATH_MAX] = "";
    const char *other = strcmp(tape, "O2") == 0   ? "htmt-rec"
                        : strcmp(tape, "O3") == 0 ? "htmt-rec-O3"
                                                  : NULL;
    if (!other)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--tape: found '%.40s', expected O2 or O3", tape);
    if (program->single || (app && (strchr(app, '/') || htmt__plugin_given(app))) ||
        (program->records && strcmp(program->records, tape) == 0))
        return 0;
    if (htmt__own_program(path, HTMT_PATH_MAX)) { /* beside this program */
        char *name = strrchr(path, '/') + 1;
        const size_t room = HTMT_PATH_MAX - (size_t)(name - path);
        if ((size_t)snprintf(name, room, "%s", other) < room && htmt__path_exists(path))
            return begin(path, words, fault);
    }
    return htmt_fault_set(fault, HTMT_EUSAGE,
                          "recorded kernels are in %s, which this installation lacks: LLVM 14 was "
                          "missing when it was built (.ci/deps .ci/packages-tape.txt)",
                          other);
}
