/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/verbs/machine_picture.h"

#include "emul/lib/picture/machine.h"
#include "emul/lib/verbs/verb.h"

#include "runtime/base/output.h"
#include "runtime/base/output_claims.h"
#include "runtime/base/suggest.h"

#include <stdlib.h>
#include <string.h>

struct picture_request {
    const char *machine, *out, *run;
    const char **set;
    unsigned sets;
};

/* ---- command line --------------------------------------------------------------------------- */

static int take_machine(struct picture_request *r, const char *name, struct htmt_fault *fault)
{
    if (r->machine)
        return htmt_fault_set(fault, HTMT_EUSAGE, "found a second machine '%s', expected one",
                              name);
    r->machine = name;
    return 0;
}

/* "-o FILE", "--run FILE" or "--run=FILE"; advances *i if the value is the next word. */
static int take_option(struct picture_request *r, int argc, char **argv, int *i,
                       struct htmt_fault *fault)
{
    static const char *const known[] = {"-o", "--set", "--run"};
    const char **place[] = {&r->out, &r->set[r->sets], &r->run};
    const char *word = argv[*i];
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        size_t length = strlen(known[k]);
        if (strncmp(word, known[k], length) != 0 || (word[length] && word[length] != '='))
            continue;
        if (*place[k])
            return htmt_fault_set(fault, HTMT_EUSAGE, "%s: given twice", known[k]);
        *place[k] = word[length] ? word + length + 1 : *i + 1 < argc ? argv[++*i] : "";
        r->sets += k == 1;
        return **place[k]
                   ? 0
                   : htmt_fault_set(fault, HTMT_EUSAGE, "%s: the value is missing, expected %s",
                                    known[k], k == 1 ? "KEY=VALUE" : "FILE");
    }
    return htmt__suggest_refuse("option", word, known, sizeof known / sizeof *known,
                                "'htmt help machine'", fault);
}

static int read_words(struct picture_request *r, int argc, char **argv, struct htmt_fault *fault)
{
    int rc = 0;
    for (int i = 0; i < argc && !rc; i++)
        rc = argv[i][0] == '-' ? take_option(r, argc, argv, &i, fault)
                               : take_machine(r, argv[i], fault);
    if (!rc && !r->machine)
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "picture needs a machine");
    if (!rc && !r->out)
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "picture needs -o FILE");
    if (!rc)
        rc = htmt__sheet_check(r->out, "-o", fault);
    return rc ? rc : htmt_output_claim("-o", r->out, fault);
}

/* ---- work ----------------------------------------------------------------------------------- */

static int draw(const struct picture_request *r, const struct htmt_machine *m,
                struct htmt_fault *fault)
{
    struct htmt__machine_run *run = NULL;
    struct htmt__sheet sheet = {0};
    int rc = r->run ? htmt__machine_run_open(&run, r->run, m, fault) : 0;
    if (!rc)
        rc = htmt__picture_machine(m, run, &sheet);
    if (!rc)
        rc = htmt__sheet_write(&sheet, r->out, "-o", fault);
    htmt__sheet_clear(&sheet);
    htmt__machine_run_close(&run);
    return rc;
}

static int load_and_draw(const struct picture_request *r, struct htmt_fault *fault)
{
    struct htmt_machine *m = NULL;
    int rc = htmt_machine_load(r->machine, r->set, r->sets, &m, fault);
    if (!rc)
        rc = draw(r, m, fault);
    htmt_machine_destroy(&m);
    return rc;
}

int htmt__machine_picture(int argc, char **argv)
{
    struct htmt_fault fault = {0};
    struct picture_request r = {.set = calloc((size_t)argc + 1, sizeof *r.set)};
    int rc = r.set ? read_words(&r, argc, argv, &fault) : HTMT_ENOMEM;
    if (!rc)
        rc = load_and_draw(&r, &fault);
    free(r.set);
    if (rc && !fault.code)
        htmt_fault_set(&fault, rc, "%s", htmt_strerror(rc));
    return rc ? htmt__complain("machine", &fault) : 0;
}
