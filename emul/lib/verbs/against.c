/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernels of a plug-in ./mine.so without hooks are in ./mine-plain.so, those of a program of
 * one's own ./mine in ./mine-plain, and those of the shipped applications in htmt-plain, beside
 * this program. They are run with the options that decide what is computed; what else the command
 * line asks for, files, tables and checks, belongs to the run that is predicted.
 */
#include "emul/lib/verbs/against.h"

#include "emul/lib/options/provenance.h"
#include "emul/lib/plugin/folder.h"
#include "layers/file/folders.h"
#include "layers/file/own_path.h"

#include <stdio.h>
#include <string.h>

#define ENDING ".so"

static int check(const struct htmt__options *o, const struct htmt_request *r,
                 struct htmt__walls_host *host, struct htmt_fault *fault)
{
    if (strcmp(o->common[HTMT__TIMING], "operations") != 0)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--against-clock: found --timing %.40s, expected --timing operations",
                              o->common[HTMT__TIMING]);
    if (r->emulator.ranks && r->emulator.ranks->count > 1)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--against-clock: found %u processes, expected one",
                              r->emulator.ranks->count);
    return htmt__walls_of_host(r->machine, o->common[HTMT__MACHINE], "--against-clock", host,
                               fault);
}

/* The program, the application where it has several, and their number. */
static unsigned find_code(const struct htmt__command *program, const char *word,
                          struct htmt__against *a)
{
    char own[HTMT_PATH_MAX] = "";
    const size_t n = strlen(word), end = strlen(ENDING);
    if (!htmt__own_program(own, sizeof own))
        *own = '\0';
    a->word[0] = a->program;
    snprintf(a->program, sizeof a->program, "%s%s", own, program->single ? "-plain" : "");
    if (program->single)
        return 2;
    a->word[2] = a->plugin;
    if (strchr(word, '/') || (n > end && strcmp(word + n - end, ENDING) == 0)) {
        const size_t base = n > end && strcmp(word + n - end, ENDING) == 0 ? n - end : n;
        snprintf(a->plugin, sizeof a->plugin, "%.*s-plain%s", (int)base, word, word + base);
    } else if (htmt__plugin_given(word)) {
        snprintf(a->plugin, sizeof a->plugin, "%s-plain", word);
    } else {
        char *name = strrchr(a->program, '/');
        snprintf(name ? name : a->program, 16, "/htmt-plain");
        a->word[2] = word;
    }
    return 3;
}

static int check_code(const struct htmt__against *a, unsigned n, struct htmt_fault *fault)
{
    const bool own = n == 3 && a->word[2] == a->plugin;
    const char *path = own ? a->plugin : a->program;
    if (own && !strchr(path, '/') ? htmt__plugin_given(path) : htmt__path_exists(path))
        return 0;
    if (n == 3 && !own)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--against-clock needs htmt-plain, which this installation lacks: "
                              "LLVM 14 was missing when it was built (.ci/deps "
                              ".ci/packages-tape.txt)");
    return htmt_fault_set(fault, HTMT_EUSAGE,
                          "--against-clock: there is no %s, expected the same kernels of 'htmt-cc "
                          "--plain' (docs/recording-kernels.md)",
                          path);
}

/* The words so far. */
struct adding {
    struct htmt__against *a;
    unsigned n, options;
};

static void add(struct adding *w, const char *name, const char *value)
{
    if (w->options == HTMT__AGAINST_WORDS)
        return;
    snprintf(w->a->option[w->options], sizeof *w->a->option, "--%s", name);
    w->a->word[w->n++] = w->a->option[w->options++];
    if (*value)
        w->a->word[w->n++] = value;
}

/* The options of a run without hooks. */
static void add_options(struct adding *w, const struct htmt__options *o)
{
    static const enum htmt__option kept[] = {HTMT__MACHINE, HTMT__COSTS,    HTMT__SLICES,
                                             HTMT__SEED,    HTMT__QUIET_BY, HTMT__RUN_AHEAD};
    for (unsigned i = 0; i < sizeof kept / sizeof *kept; i++)
        if (o->common_given[kept[i]])
            add(w, htmt__common_rows[kept[i]].name, o->common[kept[i]]);
    for (unsigned i = 0; i < o->set_count; i++)
        add(w, htmt__common_rows[HTMT__SET].name, o->set[i]);
    for (unsigned i = 0; i < HTMT__ROWS_MAX && o->app->options[i].name; i++)
        if (o->own_given[i] && !htmt__provenance_output(o->app, o->app->options[i].name))
            add(w, o->app->options[i].name, o->own[i]);
    add(w, htmt__common_rows[HTMT__THREADS].name, "1");
}

int htmt__against_prepare(const struct htmt__command *program, const char *word,
                          const struct htmt__options *o, const struct htmt_request *r,
                          struct htmt__against *a, struct htmt_fault *fault)
{
    int rc = check(o, r, &a->host, fault);
    if (rc)
        return rc;
    struct adding w = {.a = a, .n = find_code(program, word, a)};
    rc = check_code(a, w.n, fault);
    if (rc)
        return rc;
    add_options(&w, o);
    a->word[w.n] = NULL;
    return w.options < HTMT__AGAINST_WORDS
               ? 0
               : htmt_fault_set(fault, HTMT_EUSAGE, "--against-clock: expected fewer options");
}
