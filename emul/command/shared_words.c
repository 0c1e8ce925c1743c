/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What verbs share: values of options that they read themselves, and tapes.
 */
#include "emul/command/ops.h"

#include <string.h>

const char *htmt__command_value(const char *option, int argc, char **argv, int *i)
{
    const size_t length = strlen(option);
    const char *word = argv[*i];
    if (strncmp(word, option, length) != 0 || (word[length] && word[length] != '='))
        return NULL;
    return word[length] ? word + length + 1 : *i + 1 < argc ? argv[++*i] : "";
}

int htmt__ops_load(const char *path, struct htmt__tape **tape, struct htmt_fault *fault)
{
    static const char suffix[] = ".lackey";
    const size_t n = strlen(path), k = sizeof suffix - 1;
    char error[sizeof fault->text] = "";
    int rc = n > k && strcmp(path + n - k, suffix) == 0
                 ? htmt__tape_load_lackey(tape, path, error, sizeof error)
                 : htmt__tape_load(tape, path, 0, error, sizeof error);
    return rc ? htmt_fault_set(fault, rc, "%s", error) : 0;
}
