/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/loops/analyze_arguments.h"

#include "runtime/base/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum option { NESTS, FUNCTION, STRICT, ASSUME, TAKEN, OPTIONS };

const struct htmt_app_option htmt__source_rows[] = {
    [NESTS] = {"nests", "FILE", NULL, "write the loops there, as a nest file"},
    [FUNCTION] = {"function", "NAME", NULL,
                  "read this function alone, with what it calls; may be repeated"},
    [STRICT] = {"strict", NULL, NULL, "refuse sources of which something is left out"},
    [ASSUME] = {"assume", "TEXT", NULL,
                "what holds of parameters, such as 'nx<=n and ny<=m'; may be repeated"},
    [TAKEN] = {"taken", "LINE=PART", NULL,
               "the part of the cases in which the condition of a branch holds, such as 12=0.25 or "
               "file.c:12=0.25; may be repeated"},
    [OPTIONS] = {NULL, NULL, NULL, NULL}};

/* ---- compilers -------------------------------------------------------------------------------
 */

enum htmt__source_flag htmt__source_flag(const char *word, const char **flag, const char **value)
{
    /* Longer words before those that they begin with. */
    static const struct {
        const char *flag;
        enum htmt__source_flag kind; /* JOINED, PAIR, LEFT_PAIR: the value may be joined */
        bool exact;
    } known[] = {{"-isystem", HTMT__FLAG_PAIR, false},
                 {"-iquote", HTMT__FLAG_PAIR, false},
                 {"-idirafter", HTMT__FLAG_PAIR, false},
                 {"-include", HTMT__FLAG_PAIR, false},
                 {"-imacros", HTMT__FLAG_PAIR, false},
                 {"-D", HTMT__FLAG_JOINED, false},
                 {"-U", HTMT__FLAG_JOINED, false},
                 {"-I", HTMT__FLAG_JOINED, false},
                 {"-x", HTMT__FLAG_PAIR, false},
                 {"-std=", HTMT__FLAG_WORD, false},
                 {"-ansi", HTMT__FLAG_WORD, true},
                 {"-nostdinc", HTMT__FLAG_WORD, false},
                 {"-m32", HTMT__FLAG_WORD, true},
                 {"-fsigned-char", HTMT__FLAG_WORD, true},
                 {"-funsigned-char", HTMT__FLAG_WORD, true},
                 {"-o", HTMT__FLAG_LEFT_PAIR, false},
                 {"-MF", HTMT__FLAG_LEFT_PAIR, false},
                 {"-MT", HTMT__FLAG_LEFT_PAIR, false},
                 {"-MQ", HTMT__FLAG_LEFT_PAIR, false},
                 {"-L", HTMT__FLAG_LEFT_PAIR, false},
                 {"-l", HTMT__FLAG_LEFT_PAIR, false},
                 {"-O", HTMT__FLAG_LEFT, false},
                 {"-g", HTMT__FLAG_LEFT, false},
                 {"-W", HTMT__FLAG_LEFT, false},
                 {"-w", HTMT__FLAG_LEFT, true},
                 {"-f", HTMT__FLAG_LEFT, false},
                 {"-m", HTMT__FLAG_LEFT, false},
                 {"-M", HTMT__FLAG_LEFT, false},
                 {"-c", HTMT__FLAG_LEFT, true},
                 {"-s", HTMT__FLAG_LEFT, true},
                 {"-pedantic", HTMT__FLAG_LEFT, false},
                 {"-pthread", HTMT__FLAG_LEFT, true},
                 {"-pipe", HTMT__FLAG_LEFT, true}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const size_t length = strlen(known[i].flag);
        if (strncmp(word, known[i].flag, length) != 0 || (known[i].exact && word[length]))
            continue;
        *flag = known[i].flag;
        *value = word[length] ? word + length : NULL;
        return known[i].kind;
    }
    return HTMT__FLAG_NONE;
}

static const char *kept(struct htmt__source_words *w, const char *flag, const char *value)
{
    const size_t length = strlen(flag) + strlen(value) + 1;
    char *text = malloc(length);
    if (!text)
        return NULL;
    snprintf(text, length, "%s%s", flag, value);
    return w->own[w->owns++] = text;
}

/* A word of the compiler at *i, which moves on to a value behind it. */
static int take_flag(struct htmt__source_words *w, int argc, char *const *argv, int *i,
                     struct htmt_fault *fault)
{
    const char *word = argv[*i], *flag = word, *value = NULL;
    const enum htmt__source_flag kind = htmt__source_flag(word, &flag, &value);
    if (kind == HTMT__FLAG_NONE)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "found '%s', expected an option, or one of a compiler such as "
                              "-DNAME=VALUE or -I FOLDER",
                              word);
    if (kind == HTMT__FLAG_WORD)
        w->compiler[w->compilers++] = word;
    if (kind == HTMT__FLAG_WORD || kind == HTMT__FLAG_LEFT)
        return 0;
    if (!value && *i + 1 < argc)
        value = argv[++*i];
    if (!value || !*value)
        return htmt_fault_set(fault, HTMT_EUSAGE, "%s: the value is missing", flag);
    if (kind == HTMT__FLAG_PAIR) {
        w->compiler[w->compilers++] = flag;
        w->compiler[w->compilers++] = value;
    } else if (kind == HTMT__FLAG_JOINED) {
        w->compiler[w->compilers++] = kept(w, flag, value);
        if (!w->compiler[w->compilers - 1])
            return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the command line");
    }
    return 0;
}

/* ---- options ---------------------------------------------------------------------------------
 */

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
    if (option == STRICT) {
        w->strict = true;
        return value ? htmt_fault_set(fault, HTMT_EUSAGE, "--strict: found a value, expected none")
                     : 0;
    }
    if (!value && *i + 1 < argc)
        value = argv[++*i];
    if (!value || !*value)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--%s: the value is missing",
                              htmt__source_rows[option].name);
    if (option == NESTS && w->nests)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--nests: given twice");
    if (option == NESTS)
        w->nests = value;
    else if (option == FUNCTION)
        w->function[w->functions++] = value;
    else if (option == ASSUME)
        w->assume[w->assumes++] = value;
    else
        w->taken[w->takens++] = value;
    return 0;
}

/* "-p FILE", as tools of compilers take it. */
static int take_database(struct htmt__source_words *w, int argc, char *const *argv, int *i,
                         struct htmt_fault *fault)
{
    if (w->database)
        return htmt_fault_set(fault, HTMT_EUSAGE, "-p: given twice");
    if (*i + 1 == argc || !*argv[*i + 1])
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "-p: the value is missing, expected compile_commands.json");
    w->database = argv[++*i];
    return 0;
}

int htmt__source_words_read(struct htmt__source_words *w, int argc, char *const *argv,
                            struct htmt_fault *fault)
{
    size_t room = 2 * (size_t)argc + 1;
    *w = (struct htmt__source_words){.file = calloc(room, sizeof *w->file),
                                     .assume = calloc(room, sizeof *w->assume),
                                     .taken = calloc(room, sizeof *w->taken),
                                     .function = calloc(room, sizeof *w->function),
                                     .compiler = calloc(room, sizeof *w->compiler),
                                     .own = calloc(room, sizeof *w->own)};
    int rc = w->file && w->assume && w->taken && w->function && w->compiler && w->own
                 ? 0
                 : htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the command line");
    for (int i = 1; i < argc && !rc; i++) {
        const char *word = argv[i];
        if (strncmp(word, "--", 2) == 0)
            rc = take_option(w, argc, argv, &i, fault);
        else if (strcmp(word, "-p") == 0)
            rc = take_database(w, argc, argv, &i, fault);
        else if (*word == '-')
            rc = take_flag(w, argc, argv, &i, fault);
        else
            w->file[w->files++] = word;
    }
    if (!rc && !w->files)
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "found no file, expected sources of C or Fortran");
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
    free(w->function);
    free(w->compiler);
    for (unsigned i = 0; i < w->owns; i++)
        free(w->own[i]);
    free(w->own);
    *w = (struct htmt__source_words){.nests = NULL};
}
