/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt traffic record`: what an application sends, as a table for the application traffic.
 *
 * The run is listened to: each message between two slices is kept with the time at which it came.
 * The table wants to know when it was sent, so what the message takes alone (the link out of its
 * sender, then its way through the network) is taken away again. Then each slice is a node whose
 * program computes between its messages and sends them without a wait; what a message waited for in
 * the run counts as computing. A message that came at 500 ns and takes 80 ns alone was sent at 420
 * ns; if the one before it left at 300 ns, the node's program says "compute 120 ns, asend".
 *
 * `export` belongs to the application.
 */
#include "emul/command/command.h"
#include "emul/lib/options/provenance.h"
#include "emul/lib/text/format.h"
#include "layers/machine/way.h"
#include "parcels/emulator.h"
#include "runtime/base/array.h"
#include "runtime/base/output.h"
#include "runtime/base/suggest.h"
#include "runtime/base/whole_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct message {
    htmt_time at; /* it came; later: it was sent */
    uint64_t words, number;
    uint32_t source, target, resource;
};

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
    struct message *sent;
    size_t count, room;
    bool failed;      /* no memory */
    uint32_t network; /* UINT32_MAX: any */
};

/* ---- the run --------------------------------------------------------------------------------- */

/* "traffic record APP ...": the words of "model APP ...". */
static int read_words(struct recording_words *w, int argc, char **argv, struct htmt_fault *fault)
{
    const char *value;
    w->word = calloc((size_t)argc + 1, sizeof *w->word);
    if (!w->word)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the command line");
    w->count = 1;
    for (int i = 2; i < argc; i++)
        if ((value = htmt__command_value("--out", argc, argv, &i)))
            w->out = value;
        else if ((value = htmt__command_value("--network", argc, argv, &i)))
            w->network = value;
        else if (strcmp(argv[i], "--run") == 0)
            w->run = true;
        else
            w->word[w->count++] = argv[i];
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

/* Keeps a message to another slice; an event of another kind is none. */
static void hear(void *user, const struct htmt_event *event)
{
    struct traffic_recording *r = user;
    if (event->target == event->slice || !event->words)
        return;
    if (!htmt__array_fits(&r->sent, &r->room, r->count + 1, sizeof *r->sent)) {
        r->failed = true;
        return;
    }
    r->sent[r->count] = (struct message){.at = event->time,
                                         .words = event->words,
                                         .number = r->count,
                                         .source = event->slice,
                                         .target = event->target,
                                         .resource = event->resource};
    r->count++;
}

/* ---- the table ------------------------------------------------------------------------------- */

static int by_source(const void *a, const void *b)
{
    const struct message *x = a, *y = b;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Messages over the network that was asked for, or any. Their times become those at which they were
 * sent, and r->count the number of those that are written. */
static int write_table(struct traffic_recording *r, const struct htmt_emulator *e,
                       const char *about, struct htmt_fault *fault)
{
    const struct htmt_machine *machine = htmt_emulator_machine(e);
    struct htmt_whole_file *f = NULL;
    size_t kept = 0, next = 0;
    if (r->failed)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the messages of a run");
    for (size_t i = 0; i < r->count; i++) {
        struct message *m = &r->sent[i];
        struct htmt_resource_report of;
        if (htmt_resource_at(e, m->resource, &of) || of.kind != HTMT_LINK_OUT ||
            (r->network != UINT32_MAX && of.network != r->network))
            continue;
        htmt_time out =
            htmt_machine_out_time(machine, of.network, of.layer, of.layer, m->words, 1, 1);
        htmt_time way = htmt_machine_alone(machine, of.network, m->source, m->target, 8 * m->words);
        htmt_time length = out < 0 || way < 0 ? 0 : out + way;
        m->at = m->at > length ? m->at - length : 0;
        r->sent[kept++] = *m;
    }
    r->count = kept;
    if (kept)
        qsort(r->sent, kept, sizeof *r->sent, by_source);
    int rc = htmt_whole_file_open(r->words->out, &f, fault);
    if (rc)
        return rc;
    FILE *out = htmt_whole_file_stream(f);
    fprintf(out, "htmt-traffic: 1\nabout: \"%s\"\nnodes:\n", about);
    for (uint32_t node = 0; node < htmt_emulator_slices(e); node++) {
        htmt_time since = 0;
        fputs(next < kept && r->sent[next].source == node ? "  - program:\n" : "  - {}\n", out);
        for (; next < kept && r->sent[next].source == node; next++) {
            const struct message *m = &r->sent[next];
            if (m->at > since)
                fprintf(out, "      - {compute: %" PRId64 " fs}\n", m->at - since);
            fprintf(out, "      - {asend: %" PRIu32 ", bytes: %" PRIu64 "}\n", m->target,
                    m->words * 8);
            since = m->at;
        }
    }
    return htmt_whole_file_commit(&f, fault);
}

/* The run is over. */
static int ended(void *user, const struct htmt_emulator *e, const struct htmt__provenance *record)
{
    struct traffic_recording *r = user;
    struct htmt_fault fault = {0};
    char about[120];
    const struct htmt_machine *m = htmt_emulator_machine(e);
    snprintf(about, sizeof about, "what %s sent on %s, between slices%s%s",
             record->options->app->name, m->name, r->words->network ? " over " : "",
             r->words->network ? r->words->network : "");
    if (write_table(r, e, about, &fault))
        return htmt__complain("traffic", &fault);
    fprintf(stderr, "%s: %s messages of %u nodes\n", r->words->out, htmt__format_count(r->count).s,
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
        rc ? htmt__complain("traffic", &fault)
           : htmt__verb_listened(program, w.count, w.word, w.run ? HTMT_RUN : HTMT_MODEL, &heard);
    free(r.sent);
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
    return htmt__complain("traffic", &fault);
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
