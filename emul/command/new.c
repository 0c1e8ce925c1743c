/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/command/new.h"

#include "emul/command/new/project.h"
#include "emul/lib/options/options.h"

#include <stdio.h>

static const struct htmt_app_option rows[] = {
    {"template", "NAME", "parcel",
     "parcel: one kernel on blocks of an array; stencil: heat in a plate, whose slices exchange "
     "rows; reduction: a sum over all slices"},
    {NULL, NULL, NULL, NULL}};

static int read_template(int argc, char **argv, const char **name, struct htmt_fault *fault)
{
    static const struct htmt_app_verb verb = {.name = "new", .options = rows};
    struct htmt__options options;
    if (argc < 2 || argv[1][0] == '-')
        return htmt_fault_set(fault, HTMT_EUSAGE, "expected the NAME of a project first");
    int rc = htmt__options_parse_verb(NULL, &verb, argc - 2, argv + 2, &options, fault);
    if (!rc)
        *name = options.own[0];
    return rc;
}

static int run(struct htmt__command *program, int argc, char **argv)
{
    const char *template_name = NULL;
    struct htmt_fault fault = {0};
    (void)program;
    int rc = read_template(argc, argv, &template_name, &fault);
    rc = rc ? rc : htmt__project_create(argv[1], template_name, &fault);
    if (rc)
        return htmt__complain("new", &fault);
    printf("%s: a project from the template %s; 'make -C %s test' builds and tests it\n", argv[1],
           template_name, argv[1]);
    return 0;
}

const struct htmt__verb htmt__verb_row_new = {"new",
                                              "NAME [--template parcel|stencil|reduction]",
                                              "begin an application of your own in a new folder",
                                              run,
                                              rows,
                                              NULL};
