/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/loops/analyze_arguments.h"

#include "runtime/base/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum option { NESTS, ASSUME, TAKEN, OPTIONS };

const struct htmt_app_option htmt__source_rows[] = {
    [NESTS] = {"nests", "FILE", NULL, "write the loops there, as a nest file"},
    [ASSUME] = {"assume", "TEXT", NULL,
                "what holds of parameters, such as 'nx<=n and ny<=m'; may be repeated"},
    [TAKEN] = {"taken", "LINE=PART", NULL,
               "the part of the cases in which the condition of a branch holds, such as 12=0.25 or "
               "file.c:12=0.25; may be repeated"},
    [OPTIONS] = {NULL, NULL, NULL, NULL}};

/* "--nests FILE" or "--nests=FILE" at *i, which moves on to a value behind it. */
static int take_option(struct htmt__source_words *w, int argc, char *const *argv, int *i,
                       struct htmt_fault *fault)
{
    const char *word = argv[*i] + 2, *known[OPTIONS];
    char name[100];
    size_t length = strcspn(word, "=");
    unsigned option = 0;
    for (unsigned k = 0; k < OPTIONS; k++)
        known[k] = htmt__source_rows[k].name;
    while (option < OPTIONS &&
           (strncmp(word, known[option], length) || strlen(known[option]) != length))
        option++;
    if (option == OPTIONS) {
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1),
                 word);
        return htmt__suggest_refuse("option", name, known, OPTIONS, "'htmt help analyze'", fault);
    }
    const char *value = word[length] ? word + length + 1 : NULL;
    if (!value && *i + 1 < argc)
        value = argv[++*i];
    if (!value || !*value)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--%s: the value is missing",
                              htmt__source_rows[option].name);
    if (option == NESTS && w->nests)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--nests: given twice");
    if (option == NESTS)
        w->nests = value;
    else if (option == ASSUME)
        w->assume[w->assumes++] = value;
    else
        w->taken[w->takens++] = value;
    return 0;
}

int htmt__source_words_read(struct htmt__source_words *w, int argc, char *const *argv,
                            struct htmt_fault *fault)
{
    size_t room = (size_t)argc + 1;
    *w = (struct htmt__source_words){.file = calloc(room, sizeof *w->file),
                                     .assume = calloc(room, sizeof *w->assume),
                                     .taken = calloc(room, sizeof *w->taken),
                                     .compiler = calloc(room, sizeof *w->compiler)};
    int rc = w->file && w->assume && w->taken && w->compiler
                 ? 0
                 : htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the command line");
    for (int i = 1; i < argc && !rc; i++) {
        const char *word = argv[i];
        if (strncmp(word, "--", 2) == 0)
            rc = take_option(w, argc, argv, &i, fault);
        else if ((strncmp(word, "-D", 2) == 0 || strncmp(word, "-I", 2) == 0) && word[2])
            w->compiler[w->compilers++] = word;
        else if (*word == '-')
            rc = htmt_fault_set(fault, HTMT_EUSAGE,
                                "found '%s', expected -DNAME=VALUE, -IFOLDER or an option", word);
        else
            w->file[w->files++] = word;
    }
    if (!rc && !w->files)
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "found no file, expected C sources");
    if (!rc && !w->nests)
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "--nests FILE is missing: where the loops go");
    if (rc)
        htmt__source_words_clear(w);
    return rc;
}

void htmt__source_words_clear(struct htmt__source_words *w)
{
    free(w->file);
    free(w->assume);
    free(w->taken);
    free(w->compiler);
    *w = (struct htmt__source_words){.nests = NULL};
}
