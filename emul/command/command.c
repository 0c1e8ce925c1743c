/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/command/command.h"

#include <string.h>

const struct htmt__verb *const htmt__command_verbs[] = {
    &htmt__verb_row_run,      &htmt__verb_row_model,
    &htmt__verb_row_predict,  &htmt__verb_row_report,
    &htmt__verb_row_timeline, &htmt__verb_row_pipeline,
    &htmt__verb_row_validate, &htmt__verb_row_fit,
    &htmt__verb_row_analyze,  &htmt__verb_row_bound,
    &htmt__verb_row_machine,  &htmt__verb_row_trace,
    &htmt__verb_row_traffic,  &htmt__verb_row_ops,
    &htmt__verb_row_host,     &htmt__verb_row_doctor,
    &htmt__verb_row_new,      &htmt__verb_row_completion,
    &htmt__verb_row_help,     NULL};

const char *htmt__command_value(const char *option, int argc, char **argv, int *i)
{
    const size_t length = strlen(option);
    const char *word = argv[*i];
    if (strncmp(word, option, length) != 0 || (word[length] && word[length] != '='))
        return NULL;
    return word[length] ? word + length + 1 : *i + 1 < argc ? argv[++*i] : "";
}
