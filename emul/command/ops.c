/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/command/ops.h"

#include "runtime/base/suggest.h"

#include <string.h>

#define COUNT_OF(table) (sizeof(table) / sizeof(table)[0])

static const struct htmt__ops_action *const rows[] = {
    &htmt__ops_record,
    &htmt__ops_show,
    &htmt__ops_profile,
    &htmt__ops_time,
};

static int verb_ops(struct htmt__command *program, int argc, char **argv)
{
    const char *known[COUNT_OF(rows)];
    struct htmt_fault fault = {0};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        known[i] = rows[i]->name;
        if (argc > 1 && strcmp(argv[1], known[i]) == 0)
            return rows[i]->run(program, argc - 1, argv + 1);
    }
    if (argc > 1)
        htmt__suggest_refuse("action", argv[1], known, COUNT_OF(rows), "'htmt help ops'", &fault);
    else
        htmt_fault_set(&fault, HTMT_EUSAGE, "what to do is missing; 'htmt help ops' lists it");
    return htmt__complain("ops", &fault);
}

/* In the order of `rows`. */
static const struct htmt__verb_action actions[] = {
    {"record", "run an application, and keep the tape of a service of a type"},
    {"show", "print a tape's mix of operations, reuse of addresses and code"},
    {"profile", "write what the operations of a tape are like, for a generator"},
    {"time", "play tapes through the inside of machines' processors"},
    {NULL, NULL}};

const struct htmt__verb htmt__verb_row_ops = {
    "ops",
    "record APP --type TYPE --out FILE [options] | show FILE | profile FILE --out PROFILE | "
    "time FILE... --machine NAME|FILE",
    "tapes of operations: the operations of a kernel, one by one",
    verb_ops,
    NULL,
    actions};
