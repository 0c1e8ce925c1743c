/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt ops`: tapes of operations. An action is a row; each has a file of its own
 * (ops_NAME.c).
 */
#ifndef HTMT_EMUL_COMMAND_OPS_H
#define HTMT_EMUL_COMMAND_OPS_H

#include "emul/command/command.h"
#include "layers/node/tape/tape.h"

struct htmt__ops_action {
    const char *name, *usage, *help;
    /* argv[0] is the action's name; returns the exit status. */
    int (*run)(struct htmt__command *program, int argc, char **argv);
};

extern const struct htmt__ops_action htmt__ops_profile, htmt__ops_record, htmt__ops_show,
    htmt__ops_time;

/* A tape of ours, or lackey's where the name ends in ".lackey"; the caller frees it. */
int htmt__ops_load(const char *path, struct htmt__tape **tape, struct htmt_fault *fault);

#endif
