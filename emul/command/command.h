/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The htmt command: what it offers beside what every program does (emul/program.h). A verb is a
 * row, and each has a file of its own.
 */
#ifndef HTMT_EMUL_COMMAND_COMMAND_H
#define HTMT_EMUL_COMMAND_COMMAND_H

#include "emul/lib/verbs/verb.h"

/* Ends with NULL. */
extern const struct htmt__verb *const htmt__command_verbs[];

extern const struct htmt__verb htmt__verb_row_analyze, htmt__verb_row_bound, htmt__verb_row_compare,
    htmt__verb_row_completion, htmt__verb_row_fit, htmt__verb_row_host, htmt__verb_row_new,
    htmt__verb_row_ops, htmt__verb_row_pipeline, htmt__verb_row_report, htmt__verb_row_sensitivity,
    htmt__verb_row_graph, htmt__verb_row_sweep, htmt__verb_row_timeline, htmt__verb_row_traffic,
    htmt__verb_row_validate;

/* The value of an option, "--out FILE" or "--out=FILE", at argv[*i]; advances *i. NULL: it is
 * another word; "": the value is missing. */
const char *htmt__command_value(const char *option, int argc, char **argv, int *i);

/* An option of a verb among the words of an application's command line. */
struct htmt__command_word {
    const char *option; /* "--csv" */
    const char **value; /* as many as *count says; one, if count is NULL */
    unsigned *count, most;
};
#define HTMT__COMMAND_SWITCH (~0u) /* most: it has no value; then *value is "" */

/* Takes them out of argv. Errors: HTMT_EUSAGE. */
int htmt__command_take(const struct htmt__command_word *word, unsigned words, int *argc,
                       char **argv, struct htmt_fault *fault);

/* host.c answers `htmt validate mermaid --host`, too: whether the words behind `validate` ask for
 * this host, and the answer. argv: the words from the verb on, two of them before the options.
 * Returns the exit status. */
bool htmt__asks_for_host(int argc, char **argv);
int htmt__validate_host(struct htmt__command *program, int argc, char **argv);

/* Whether the words ask for an application in Python, `htmt run app.py`; then this process becomes
 * Python, or the exit status says why not. argv as main() gets it; signals are not blocked. */
bool htmt__python_asked(int argc, char **argv);
int htmt__python_run(int argc, char **argv);

#endif
