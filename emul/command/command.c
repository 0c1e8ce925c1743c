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

/* Into the word's place, of which there may be several. */
static int keep(const struct htmt__command_word *w, const char *value, struct htmt_fault *fault)
{
    if (w->most == HTMT__COMMAND_SWITCH ? *value : !*value || strncmp(value, "--", 2) == 0)
        return htmt_fault_set(fault, HTMT_EUSAGE, "%s: %s", w->option,
                              *value ? "it takes no value" : "the value is missing");
    if (w->count && *w->count == w->most)
        return htmt_fault_set(fault, HTMT_EUSAGE, "%s: more than %u of them", w->option, w->most);
    if (!w->count && *w->value)
        return htmt_fault_set(fault, HTMT_EUSAGE, "%s: given twice", w->option);
    w->value[w->count ? (*w->count)++ : 0] = value;
    return 0;
}

int htmt__command_take(const struct htmt__command_word *word, unsigned words, int *argc,
                       char **argv, struct htmt_fault *fault)
{
    int kept = 0, rc = 0;
    for (int i = 0; i < *argc && !rc; i++) {
        const char *value = NULL;
        unsigned k = 0;
        for (; k < words && !value; k += !value)
            if (word[k].most == HTMT__COMMAND_SWITCH && strcmp(argv[i], word[k].option) == 0)
                value = "";
            else
                value = htmt__command_value(word[k].option, *argc, argv, &i);
        if (value)
            rc = keep(&word[k], value, fault);
        else
            argv[kept++] = argv[i];
    }
    *argc = kept;
    return rc;
}
