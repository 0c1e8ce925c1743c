/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/lib/task_parts.h"
#include "emul/lib/options/options.h"
#include "tests/apps/table.h"
#include "tests/fuzz/input.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 32 };

/* Lines to words, in place. */
static int split(char *text, char **word)
{
    int count = 0;
    for (char *at = strtok(text, "\n"); at && count < WORDS_MAX; at = strtok(NULL, "\n"))
        word[count++] = at;
    return count;
}

/* The first byte chooses the application, lines are words: they are parsed, resolved against the
 * shipped machine, and planned. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt_request request = {0};
    struct htmt__options options;
    struct htmt_machine *machine = NULL;
    char *word[WORDS_MAX];
    unsigned apps = 0;
    if (!size)
        return 0;
    while (htmt_apps[apps])
        apps++;
    char *text = fuzz_text(bytes + 1, size - 1);
    const struct htmt_app *app = htmt_apps[bytes[0] % apps];
    int rc = htmt__options_parse(app, split(text, word), word, &options, &fault);
    fuzz_judge(rc, &fault);
    if (rc)
        goto out;
    rc = htmt_machine_load("small-htmt", options.set, options.set_count, &machine, &fault);
    fuzz_judge(rc, &fault);
    if (rc)
        goto out;
    request.machine = machine;
    fuzz_judge(htmt__options_resolve(&options, &request, &fault), &fault);
out:
    htmt_machine_destroy(&machine);
    free(text);
    return 0;
}
