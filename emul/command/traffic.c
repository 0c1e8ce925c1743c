/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/command/traffic.h"

#include "emul/command/traffic_messages.h"
#include "emul/lib/options/provenance.h"
#include "emul/lib/text/format.h"
#include "runtime/base/output.h"
#include "runtime/base/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- record ---------------------------------------------------------------------------------- */

/* What the words say beside those of the run. */
struct recording_words {
    const char *out, *network;
    bool run;
    int count;
    char **word;                     /* of the run */
    char model_verb[8], run_verb[8]; /* its first one */
};

struct traffic_recording {
    const struct recording_words *words;
    struct htmt__sent_messages sent;
    uint32_t network; /* UINT32_MAX: any */
};

static int complain(const struct htmt_fault *fault)
{
    return htmt__complain("traffic", fault);
}

/* The value of an option of this verb: "--out FILE" or "--out=FILE"; advances *i. NULL: it is
 * another word. */
static const char *value_of(const char *option, int argc, char **argv, int *i)
{
    size_t length = strlen(option);
    if (strncmp(argv[*i], option, length) != 0)
        return NULL;
    if (argv[*i][length] == '=')
        return argv[*i] + length + 1;
    if (argv[*i][length])
        return NULL;
    return *i + 1 < argc ? argv[++*i] : "";
}

static void take_word(struct recording_words *w, int argc, char **argv, int *i)
{
    const char *out = value_of("--out", argc, argv, i);
    const char *network = out ? NULL : value_of("--network", argc, argv, i);
    if (out)
        w->out = out;
    else if (network)
        w->network = network;
    else if (strcmp(argv[*i], "--run") == 0)
        w->run = true;
    else
        w->word[w->count++] = argv[*i];
}

/* "traffic record APP ...": the words of "model APP ...". */
static int read_words(struct recording_words *w, int argc, char **argv, struct htmt_fault *fault)
{
    w->word = calloc((size_t)argc + 1, sizeof *w->word);
    if (!w->word)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the command line");
    w->count = 1;
    for (int i = 2; i < argc; i++)
        take_word(w, argc, argv, &i);
    w->word[0] = w->run ? w->run_verb : w->model_verb;
    if (!w->out || !*w->out)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--out FILE is missing: where the table goes");
    if (w->network && !*w->network)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--network: the value is missing");
    return htmt_output_claim("--out", w->out, fault);
}

static int begins(void *user, const struct htmt_machine *m, struct htmt_fault *fault)
{
    struct traffic_recording *r = user;
    const char *name = r->words->network;
    int found = name ? htmt_machine_network(m, name) : -1;
    r->network = found < 0 ? UINT32_MAX : (uint32_t)found;
    if (!name || found >= 0)
        return 0;
    return htmt_fault_set(fault, HTMT_EUSAGE, "--network: machine %s has no network '%s'", m->name,
                          name);
}

static void hear(void *user, const struct htmt_event *event)
{
    struct traffic_recording *r = user;
    htmt__sent_messages_hear(&r->sent, event);
}

/* The run is over. */
static int ended(void *user, const struct htmt_emulator *e, const struct htmt__provenance *record)
{
    struct traffic_recording *r = user;
    struct htmt_fault fault = {0};
    uint64_t written = 0;
    char about[120];
    const struct htmt_machine *m = htmt_emulator_machine(e);
    snprintf(about, sizeof about, "what %s sent on %s, between slices%s%s",
             record->options->app->name, m->name, r->words->network ? " over " : "",
             r->words->network ? r->words->network : "");
    int rc =
        htmt__sent_messages_write(&r->sent, e, r->network, about, r->words->out, &written, &fault);
    if (rc)
        return complain(&fault);
    fprintf(stderr, "%s: %s messages of %u nodes\n", r->words->out, htmt__format_count(written).s,
            htmt_emulator_slices(e));
    return 0;
}

static int record(struct htmt__command *program, int argc, char **argv)
{
    struct recording_words w = {.model_verb = "model", .run_verb = "run"};
    struct traffic_recording r = {.words = &w};
    struct htmt_fault fault = {0};
    const struct htmt__run_listener heard = {{hear, &r}, begins, ended};
    int rc = read_words(&w, argc, argv, &fault);
    int status =
        rc ? complain(&fault)
           : htmt__verb_listened(program, w.count, w.word, w.run ? HTMT_RUN : HTMT_MODEL, &heard);
    htmt__sent_messages_clear(&r.sent);
    free(w.word);
    return status;
}

/* ---- the verb -------------------------------------------------------------------------------- */

static int verb_traffic(struct htmt__command *program, int argc, char **argv)
{
    static const char *const known[] = {"record", "export"};
    struct htmt_fault fault = {0};
    if (argc > 1 && strcmp(argv[1], "record") == 0)
        return record(program, argc, argv);
    if (argc < 2)
        htmt_fault_set(&fault, HTMT_EUSAGE, "what to do is missing: record or export");
    else
        htmt__suggest_refuse("action", argv[1], known, 2, "'htmt help traffic'", &fault);
    return complain(&fault);
}

static const struct htmt__verb_action actions[] = {
    {"record", "play an application, and write what its slices sent as a table"},
    {"export", "print the tables of the LANais of a table"},
    {NULL, NULL}};

const struct htmt__verb htmt__verb_row_traffic = {
    "traffic",
    "record APP --out FILE [--network NAME] [--run] [options] | export --table NAME [options]",
    "tables of messages: of an application, of LANais",
    verb_traffic,
    NULL,
    actions};
