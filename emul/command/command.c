/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/command/command.h"

#include <string.h>

const char *htmt__command_value(const char *option, int argc, char **argv, int *i)
{
    const size_t length = strlen(option);
    const char *word = argv[*i];
    if (strncmp(word, option, length) != 0 || (word[length] && word[length] != '='))
        return NULL;
    return word[length] ? word + length + 1 : *i + 1 < argc ? argv[++*i] : "";
}
