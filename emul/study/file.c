/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* dladdr */
#include "emul/study/file.h"

#include "emul/lib/options/provenance.h"
#include "emul/lib/plugin/folder.h"
#include "layers/file/folders.h"
#include "layers/file/schema.h"
#include "runtime/base/array.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* A result goes to one place, and a question is answered once: the study's. */
static int check_options(const struct htmt_app *app, char *const *argv, int argc,
                         struct htmt_fault *fault)
{
    static const enum htmt__option others[] = {
        HTMT__JSON, HTMT__TRACE,   HTMT__TABLE,   HTMT__SUMMARY,    HTMT__LINT,
        HTMT__TERM, HTMT__LARGEST, HTMT__EXPLAIN, HTMT__QUIET,      HTMT__CHECK_DETERMINISM,
        HTMT__MPI,  HTMT__TIMING,  HTMT__CAPTURE, HTMT__OLD_HISTORY};
    struct htmt__options o;
    int rc = htmt__options_parse(app, argc, argv, &o, fault);
    for (unsigned i = 0; i < sizeof others / sizeof *others && !rc; i++)
        if (o.common_given[others[i]])
            rc = htmt_fault_set(fault, HTMT_EUSAGE, "--%s: of one run; a study has its own files",
                                htmt__common_rows[others[i]].name);
    for (const char *const *out = app->outputs; out && *out && !rc; out++)
        for (unsigned i = 0; o.rows[i].name && !rc; i++)
            if (strcmp(o.rows[i].name, *out) == 0 && o.own_given[i])
                rc = htmt_fault_set(fault, HTMT_EUSAGE,
                                    "--%s: all points would write the same file", *out);
    return rc;
}

/* The plug-in of a path or of HTMT_APP_PATH is built by its user: no commit stands for its bytes.
 */
static uint64_t hash_plugin(const char *word, const struct htmt_app *app)
{
    Dl_info file;
    uint64_t hash = 0;
    if ((strpbrk(word, "./") || htmt__plugin_given(word)) && dladdr(app->name, &file))
        (void)htmt__provenance_input(file.dli_fname, &hash);
    return hash;
}

int htmt__sweep_case(struct htmt__sweep *w, struct htmt__applications *apps, const char *name,
                     const char *verb, const char *app, char *words, char **argv, int argc,
                     struct htmt_fault *fault)
{
    static const char *const verbs[] = {"predict", "model", "run"};
    struct htmt__study *s = &w->study;
    struct htmt__study_case c = {.words = words, .argv = argv, .argc = argc};
    for (unsigned i = 0; i < 3; i++)
        if (strcmp(verb, verbs[i]) == 0)
            c.verb = verbs[i];
    snprintf(c.name, sizeof c.name, "%s", name);
    int rc = c.verb ? htmt__application_find(apps, app, &c.app, fault)
                    : htmt_fault_set(fault, HTMT_EUSAGE,
                                     "found '%.40s', expected predict, model or run", verb);
    rc = rc ? rc : check_options(c.app, argv, argc, fault);
    if (!rc)
        c.plugin = hash_plugin(app, c.app);
    if (!rc && !htmt__array_fits(&s->cases, &s->case_room, s->case_count + 1u, sizeof *s->cases))
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for the cases");
    if (!rc)
        s->cases[s->case_count++] = c;
    else if (words) {
        free(words);
        free(argv);
    }
    return rc;
}

/* "predict cannon --size 64 --set 'layers.cram.processor.flop=3 ps'": words as a shell cuts them;
 * quotes of either kind keep blanks. */
static int cut(const char *text, char **words, char ***argv, int *argc)
{
    const size_t length = strlen(text);
    *argc = 0;
    *words = malloc(length + 1);
    *argv = calloc(length / 2 + 2, sizeof **argv);
    if (!*words || !*argv) {
        free(*words);
        free(*argv);
        return HTMT_ENOMEM;
    }
    char *to = *words, quote = 0;
    bool within = false;
    for (const char *c = text; *c; c++) {
        const bool blank = !quote && isspace((unsigned char)*c);
        if (!blank && !within)
            (*argv)[(*argc)++] = to;
        if (blank && within)
            *to++ = '\0';
        within = !blank;
        if (quote ? *c == quote : *c == '\'' || *c == '"')
            quote = quote ? 0 : *c;
        else if (!blank)
            *to++ = *c;
    }
    *to = '\0';
    return quote ? HTMT_EFORMAT : 0;
}

static int read_case(struct htmt__sweep *w, struct htmt__applications *apps,
                     const struct htmt_yaml *at, struct htmt_fault *fault)
{
    struct htmt_fault why = {0};
    char *words, **argv;
    int argc, rc = htmt_yaml_expect(at, HTMT_YAML_SCALAR, at->key, fault);
    if (rc)
        return rc;
    rc = cut(at->text, &words, &argv, &argc);
    if (rc == HTMT_ENOMEM)
        return htmt_fault_set(fault, rc, "out of memory for the cases");
    if (rc || argc < 2) {
        free(words);
        free(argv);
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s:%d: %s: found '%.60s', expected VERB APP and its options",
                              at->file, at->line, at->key, at->text);
    }
    char *verb = argv[0], *app = argv[1];
    memmove(argv, argv + 2, (size_t)(argc - 1) * sizeof *argv);
    rc = htmt__sweep_case(w, apps, at->key, verb, app, words, argv, argc - 2, &why);
    return rc ? htmt_fault_set(fault, rc, "%s:%d: %s", at->file, at->line, why.text) : 0;
}

/* A list of texts. */
static int read_list(const struct htmt_yaml *at, const char **text, char (*place)[128],
                     unsigned most, unsigned *count, struct htmt_fault *fault)
{
    int rc = htmt_yaml_expect(at, HTMT_YAML_SEQUENCE, at->key, fault);
    for (const struct htmt_yaml *c = at->first; c && !rc; c = c->next) {
        rc = htmt_yaml_expect(c, HTMT_YAML_SCALAR, at->key, fault);
        if (!rc && *count == most)
            rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: more than %u", c->file, c->line, most);
        if (!rc && place)
            snprintf(place[*count], sizeof place[0], "%.100s:%d", c->file, c->line);
        if (!rc)
            text[(*count)++] = c->text;
    }
    return rc;
}

int htmt__sweep_read(struct htmt__sweep *w, struct htmt__applications *apps, const char *path,
                     struct htmt_fault *fault)
{
    static const char *const keys[] = {"htmt-study", "about",  "cases", "vary", "columns",
                                       "store",      "csv",    "json",  "plot", "front",
                                       "jobs",       "sample", "seed"};
    const struct {
        const char *key, **value;
    } texts[] = {{"store", &w->store},   {"csv", &w->csv},     {"json", &w->json},
                 {"plot", &w->plot},     {"front", &w->front}, {"jobs", &w->jobs},
                 {"sample", &w->sample}, {"seed", &w->seed}};
    const struct htmt_yaml *cases, *at;
    int rc = htmt_schema_open(path, &w->tree, fault);
    if (!rc)
        rc = htmt_yaml_keys(w->tree, keys, sizeof keys / sizeof *keys, "a study file", fault);
    if (!rc)
        rc = htmt__schema_version(w->tree, "htmt-study", "a study file", fault);
    if (!rc)
        rc = htmt_yaml_need(w->tree, "cases", "a study file", &cases, fault);
    if (!rc)
        rc = htmt_yaml_expect(cases, HTMT_YAML_MAPPING, "cases", fault);
    for (at = rc ? NULL : cases->first; at && !rc; at = at->next)
        rc = read_case(w, apps, at, fault);
    for (unsigned i = 0; i < sizeof texts / sizeof *texts && !rc; i++)
        if ((at = htmt_yaml_get(w->tree, texts[i].key))) {
            rc = htmt_yaml_expect(at, HTMT_YAML_SCALAR, texts[i].key, fault);
            if (!rc && !*texts[i].value) /* the command line's comes first */
                *texts[i].value = at->text;
        }
    const unsigned before = w->axes;
    if (!rc && (at = htmt_yaml_get(w->tree, "vary")))
        rc = read_list(at, w->vary, w->place, HTMT__STUDY_AXES, &w->axes, fault);
    for (unsigned i = before; i < w->axes; i++)
        w->where[i] = w->place[i];
    if (!rc && (at = htmt_yaml_get(w->tree, "columns")))
        rc = read_list(at, w->column, NULL, HTMT__COLUMNS_MOST, &w->columns, fault);
    return rc;
}

int htmt__sweep_words(struct htmt__sweep *w, struct htmt__applications *apps, const char *verb,
                      int count, char **words, struct htmt_fault *fault)
{
    const char *first = count ? words[0] : "";
    const bool file = strpbrk(first, "./") || htmt__path_exists(first);
    if (file && count > 1)
        return htmt_fault_set(
            fault, HTMT_EUSAGE,
            "found '%.60s' behind the study file; 'htmt help %s' lists its options", words[1],
            verb);
    if (file)
        return htmt__sweep_read(w, apps, first, fault);
    if (count < 2)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "%s%.60s%sexpected predict, model or run, an application and its "
                              "options, or a study file",
                              count ? "found '" : "", first, count ? "' alone, " : "");
    return htmt__sweep_case(w, apps, words[1], first, words[1], NULL, words + 2, count - 2, fault);
}
