/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt ops`: tapes of operations. An action is a row; each has a file of its own
 * (emul/lib/verbs/ops_NAME.c).
 */
#ifndef HTMT_EMUL_COMMAND_OPS_H
#define HTMT_EMUL_COMMAND_OPS_H

#include "emul/lib/verbs/verb.h"
#include "layers/node/tape/tape.h"

struct htmt__ops_action {
    const char *name, *usage, *help;
    /* argv[0] is the action's name; returns the exit status. */
    int (*run)(struct htmt__command *program, int argc, char **argv);
};

extern const struct htmt__ops_action htmt__ops_profile, htmt__ops_record, htmt__ops_show,
    htmt__ops_time;

extern const struct htmt__verb htmt__verb_row_ops;

/* "htmt ops: text" on standard error; returns the exit status of the fault. */
int htmt__ops_complain(const struct htmt_fault *fault);
/* The value of an option, "--out FILE" or "--out=FILE", at argv[*i]; advances *i. NULL: it is
 * another word; "": the value is missing. */
const char *htmt__ops_value(const char *option, int argc, char **argv, int *i);

/* A tape of ours, or lackey's where the name ends in ".lackey"; the caller frees it. */
int htmt__ops_load(const char *path, struct htmt__tape **tape, struct htmt_fault *fault);

#endif
