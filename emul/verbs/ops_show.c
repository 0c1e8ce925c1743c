/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt ops show`: what a tape holds.
 */
#include "emul/text/format.h"
#include "emul/verbs/ops.h"
#include "runtime/host/tape.h"

#include <stdio.h>

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
        htmt__ops_load(argv[1], &tape, &fault);
    if (fault.code)
        return htmt__ops_complain(&fault);
    print(tape);
    htmt__tape_free(tape);
    return 0;
}

const struct htmt__ops_action htmt__ops_show = {
    "show", "show FILE", "print a tape's mix of operations, reuse of addresses and code", show};
