/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt ops record`: the tape of one service of an application, by htmt-rec.
 */
#include "emul/text/format.h"
#include "emul/verbs/hand_over.h"
#include "emul/verbs/ops.h"
#include "runtime/base/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The words of "run APP ...", with one thread of the host: the first service is always the same. */
struct words {
    const char *type, *out;
    int count;
    char **word;
    char run[8], option[16], one[4], quiet[12];
};

static void take_word(struct words *w, int argc, char **argv, int *i)
{
    const char *type = htmt__ops_value("--type", argc, argv, i);
    const char *out = type ? NULL : htmt__ops_value("--out", argc, argv, i);
    if (type)
        w->type = type;
    else if (out)
        w->out = out;
    else
        w->word[w->count++] = argv[*i];
}

static int read_words(struct words *w, int argc, char **argv, struct htmt_fault *fault)
{
    w->word = calloc((size_t)argc + 5, sizeof *w->word);
    if (!w->word)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the command line");
    w->word[w->count++] = w->run;
    for (int i = 1; i < argc; i++)
        take_word(w, argc, argv, &i);
    w->word[w->count++] = w->option;
    w->word[w->count++] = w->one;
    w->word[w->count++] = w->quiet;
    if (!w->out || !*w->out)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--out FILE is missing: where the tape goes");
    if (!w->type || !*w->type)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--type TYPE is missing: a type of parcels of the application");
    return htmt_output_claim("--out", w->out, fault);
}

static int save(const struct htmt__tape *tape, const struct words *w, struct htmt_fault *fault)
{
    char error[sizeof fault->text] = "";
    if (!htmt__tape_entries(tape))
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "found no service of type %s whose kernel is recorded", w->type);
    int rc = htmt__tape_save(tape, w->out, error, sizeof error);
    if (rc)
        return htmt_fault_set(fault, rc, "%s", error);
    fprintf(stderr, "%s: %s entries of one service of %s\n", w->out,
            htmt__format_count(htmt__tape_entries(tape)).s, w->type);
    return 0;
}

/* The run tells what is wrong with it itself. */
static int run(struct htmt__command *program, const struct words *w, struct htmt_fault *fault)
{
    struct htmt__tape *tape = NULL;
    int rc = htmt__tape_new(&tape, NULL);
    if (rc)
        return htmt_fault_set(fault, rc, "no memory for a tape");
    const struct htmt_operations operations = {.type = w->type, .tape = tape};
    int status = htmt__verb_recorded(program, w->count, w->word, &operations);
    if (!status)
        status = save(tape, w, fault) ? htmt_exit_status(fault->code) : 0;
    htmt__tape_free(tape);
    return status;
}

static int record(struct htmt__command *program, int argc, char **argv)
{
    struct words w = {.run = "run", .option = "--threads", .one = "1", .quiet = "--quiet"};
    struct htmt_fault fault = {0};
    int status = 0;
    if (!htmt__hand_over(program, argv - 1, &fault) && !read_words(&w, argc, argv, &fault))
        status = run(program, &w, &fault);
    free(w.word);
    return fault.code ? htmt__ops_complain(&fault) : status;
}

const struct htmt__ops_action htmt__ops_record = {
    "record", "record APP --type TYPE --out FILE [options]",
    "run an application by htmt-rec, and keep the tape of the first service of a type", record};
