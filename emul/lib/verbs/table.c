/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verbs. emul/lib/verbs/help.c prints those of a program, so emul/lib/verbs/command.c calls help.
 */
#include "emul/lib/verbs/doctor.h"
#include "emul/lib/verbs/machine.h"
#include "emul/lib/verbs/trace.h"
#include "emul/lib/verbs/verb.h"

#include <string.h>

static int machine_verb(struct htmt__command *program, int argc, char **argv)
{
    (void)program;
    return htmt__verb_machine(argc, argv);
}

static int trace_verb(struct htmt__command *program, int argc, char **argv)
{
    (void)program;
    return htmt__verb_trace(argc, argv);
}

const struct htmt__verb htmt__verb_row_run = {"run",
                                              "APP [options]",
                                              "run the kernels, check the result, predict the time",
                                              htmt__verb_run,
                                              NULL,
                                              NULL};
const struct htmt__verb htmt__verb_row_model = {
    "model",
    "APP [options]",
    "predict by the virtual clock alone, without data or kernels",
    htmt__verb_model,
    NULL,
    NULL};
const struct htmt__verb htmt__verb_row_predict = {"predict",
                                                  "APP [options]",
                                                  "predict by the application's closed form",
                                                  htmt__verb_predict,
                                                  NULL,
                                                  NULL};
const struct htmt__verb htmt__verb_row_machine = {
    "machine",
    "list | show NAME|FILE [--resolved] [--set KEY=VALUE] | check FILE... | diff A B | "
    "picture NAME|FILE -o FILE [--set KEY=VALUE] [--run FILE]",
    "look at machine files",
    machine_verb,
    NULL,
    NULL};
static const struct htmt__verb_action trace_actions[] = {
    {"info", "print what the trace says of its run, its machine and its content"},
    {"sort", "write it again with its blocks in the order of slice and number"},
    {"digest", "print 16 hexadecimal digits that are the same for any order of blocks"},
    {"check", "compare the sums over all intervals with those of the run"},
    {"path", "print the critical path, the slack beside it and what more speed gains"},
    {"export", "write it for Perfetto, for tools that read Paje, or as CSV"},
    {NULL, NULL}};

const struct htmt__verb htmt__verb_row_trace = {
    "trace", HTMT__TRACE_USAGE, "look at traces of runs", trace_verb, NULL, trace_actions};
const struct htmt__verb htmt__verb_row_doctor = {
    "doctor",
    "[--json FILE|-]",
    "tell what this host and this installation have, and test them",
    htmt__verb_doctor,
    htmt__doctor_rows,
    NULL};
const struct htmt__verb htmt__verb_row_help = {
    "help", "[VERB|APP]", "explain the command, a verb or an application", NULL, NULL, NULL};

const struct htmt__verb *htmt__verb_find(const struct htmt__command *program, const char *name)
{
    for (const struct htmt__verb *const *v = program->verbs; *v; v++)
        if (strcmp((*v)->name, name) == 0)
            return *v;
    return NULL;
}

bool htmt__verb_takes_app(const struct htmt__verb *verb)
{
    return strncmp(verb->usage, "APP", 3) == 0;
}
