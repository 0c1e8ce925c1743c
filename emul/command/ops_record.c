/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt ops record`: the tape of services of an application, by htmt-rec or htmt-rec-O3.
 */
#include "emul/command/ops.h"
#include "emul/lib/text/format.h"
#include "emul/lib/verbs/hand_over.h"
#include "runtime/base/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The words of "run APP ...", with one thread of the host: services come in the same order always.
 */
struct words {
    const char *type, *out, *tape, *service;
    uint64_t number; /* of the service; 0: all */
    int count;
    char **word;
    char run[8], option[16], one[4], quiet[12];
};

/* Words of the action are taken; the others belong to the run. */
static int read_words(struct words *w, int argc, char **argv, struct htmt_fault *fault)
{
    const char *value;
    char *end = NULL;
    w->word = calloc((size_t)argc + 5, sizeof *w->word);
    if (!w->word)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the command line");
    w->word[w->count++] = w->run;
    for (int i = 1; i < argc; i++)
        if ((value = htmt__command_value("--type", argc, argv, &i)))
            w->type = value;
        else if ((value = htmt__command_value("--out", argc, argv, &i)))
            w->out = value;
        else if ((value = htmt__command_value("--tape", argc, argv, &i)))
            w->tape = value;
        else if ((value = htmt__command_value("--service", argc, argv, &i)))
            w->service = value;
        else if (strcmp(argv[i], "--quiet") != 0)
            w->word[w->count++] = argv[i];
    w->word[w->count++] = w->option;
    w->word[w->count++] = w->one;
    w->word[w->count++] = w->quiet;
    if (!w->out || !*w->out)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--out FILE is missing: where the tape goes");
    if (!w->type || !*w->type)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--type TYPE is missing: a type of parcels of the application");
    const bool all = strcmp(w->service, "all") == 0;
    w->number = all ? 0 : strtoull(w->service, &end, 10);
    if (!all && (*w->service < '0' || *w->service > '9' || *end || !w->number))
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--service: found '%.40s', expected 1, 2, .. or all", w->service);
    return htmt_output_claim("--out", w->out, fault);
}

/* The run tells what is wrong with it itself. */
static int run_and_save(struct htmt__command *program, const struct words *w,
                        struct htmt_fault *fault)
{
    struct htmt__tape *tape = NULL;
    char error[sizeof fault->text] = "";
    int rc = htmt__tape_new(&tape, NULL);
    if (rc)
        return htmt_fault_set(fault, rc, "no memory for a tape");
    const struct htmt_operations operations = {.type = w->type, .tape = tape, .service = w->number};
    int status = htmt__verb_recorded(program, w->count, w->word, &operations);
    if (status)
        goto free_tape;
    if (!htmt__tape_entries(tape))
        rc = htmt_fault_set(fault, HTMT_EINVAL,
                            "found no service%s%s of type %s whose kernel is recorded",
                            w->number > 1 ? " " : "", w->number > 1 ? w->service : "", w->type);
    else if ((rc = htmt__tape_save(tape, w->out, error, sizeof error)))
        htmt_fault_set(fault, rc, "%s", error);
    else
        fprintf(stderr, "%s: %s entries of %s of %s, tape %s\n", w->out,
                htmt__format_count(htmt__tape_entries(tape)).s,
                w->number ? "one service" : "all services", w->type,
                htmt__tape_program(tape)->name);
free_tape:
    htmt__tape_free(tape);
    return status;
}

static int record(struct htmt__command *program, int argc, char **argv)
{
    struct words w = {.run = "run",
                      .option = "--threads",
                      .one = "1",
                      .quiet = "--quiet",
                      .tape = "O2",
                      .service = "1"};
    struct htmt_fault fault = {0};
    int status = 0;
    if (!read_words(&w, argc, argv, &fault) &&
        !htmt__hand_over(program, w.word[1], w.tape, argv - 1, &fault))
        status = run_and_save(program, &w, &fault);
    free(w.word);
    return fault.code ? htmt__complain("ops", &fault) : status;
}

const struct htmt__ops_action htmt__ops_record = {
    "record", "record APP --type TYPE --out FILE [--service N|all] [--tape O2|O3] [options]",
    "run an application with recorded kernels, and keep the tape of a service of a type", record};
