/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt ops show`: what a tape holds.
 */
#include "emul/text/format.h"
#include "emul/verbs/ops.h"
#include "runtime/host/tape.h"

#include <stdio.h>
#include <string.h>

/* Ours, or lackey's when the name ends in ".lackey". */
static int load(const char *path, struct htmt__tape **tape, struct htmt_fault *fault)
{
    static const char suffix[] = ".lackey";
    const size_t n = strlen(path), k = sizeof suffix - 1;
    char error[sizeof fault->text] = "";
    int rc = n > k && strcmp(path + n - k, suffix) == 0
                 ? htmt__tape_load_lackey(tape, path, error, sizeof error)
                 : htmt__tape_load(tape, path, 0, error, sizeof error);
    return rc ? htmt_fault_set(fault, rc, "%s", error) : 0;
}

static void print(const struct htmt__tape *tape)
{
    printf("%s entries\n", htmt__format_count(htmt__tape_entries(tape)).s);
}

static int show(struct htmt__command *program, int argc, char **argv)
{
    struct htmt_fault fault = {0};
    struct htmt__tape *tape = NULL;
    (void)program;
    if (argc != 2)
        htmt_fault_set(&fault, HTMT_EUSAGE, "usage: htmt ops %s", htmt__ops_show.usage);
    else
        load(argv[1], &tape, &fault);
    if (fault.code)
        return htmt__ops_complain(&fault);
    print(tape);
    htmt__tape_free(tape);
    return 0;
}

const struct htmt__ops_action htmt__ops_show = {
    "show", "show FILE", "print a tape's mix of operations, reuse of addresses and code", show};
