/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt fit prim`: constants of programs out of measured rows.
 */
#include "emul/command/command.h"

#include "emul/lib/options/options.h"
#include "emul/validate/pim/fit.h"
#include "runtime/base/output.h"

#include <stdio.h>
#include <string.h>

enum { DATA, ROWS, OUT };

static const struct htmt_app_option rows[] = {
    {"data", "DIR", NULL, "measured rows of another folder"},
    {"rows", "ID,ID...", NULL, "two kernels of each program: a large one, a small one"},
    {"out", "FILE", NULL, "the cost file to write"},
    {NULL, NULL, NULL, NULL}};

static int run(struct htmt__command *program, int argc, char **argv)
{
    static const struct htmt_app_verb verb = {.name = "fit", .options = rows};
    struct htmt__options o;
    struct htmt_fault fault = {0};
    const struct htmt_app *const *apps;
    if (argc < 2 || strcmp(argv[1], "prim") != 0) {
        htmt_fault_set(&fault, HTMT_EUSAGE, "found '%.40s', expected 'prim' first",
                       argc < 2 ? "" : argv[1]);
        return htmt__complain("fit", &fault);
    }
    int rc = htmt__options_parse_verb(NULL, &verb, argc - 2, argv + 2, &o, &fault);
    if (!rc && (!o.own[ROWS] || !o.own[OUT]))
        rc = htmt_fault_set(&fault, HTMT_EUSAGE, "expected --rows ID,ID and --out FILE");
    if (!rc)
        rc = htmt_output_claim("--out", o.own[OUT], &fault);
    if (!rc)
        rc = htmt__application_all(&program->apps, &apps, &fault);
    if (!rc)
        rc = htmt__pim_fit(o.own[DATA], o.own[ROWS], o.own[OUT], apps, &fault);
    if (rc)
        return htmt__complain("fit", &fault);
    printf("%s: constants fitted to %s\n", o.own[OUT], o.own[ROWS]);
    return 0;
}

const struct htmt__verb htmt__verb_row_fit = {"fit",
                                              "prim --rows ID,ID... --out FILE [--data DIR]",
                                              "fit two constants of a program to measured kernels",
                                              run,
                                              rows,
                                              NULL};
