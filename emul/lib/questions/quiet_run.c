/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Validation, sweeps and tests name a run by one line, as a person would type it, and want its
 * outcome as data; a point of a study brings options and machine of its own. The line is split at
 * " --": names have no blanks, values may. Whatever the line says, the run is a model run on one
 * host thread, so that a hundred of them cost little.
 */
#include "emul/lib/questions/quiet_run.h"

#include "layers/file/search.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TWICE "+2cram"
#define CRAM  "cram"

/* ---- options -------------------------------------------------------------------------------- */

/* Splits "--name value" into two words; a value may contain blanks. Returns the number of words. */
static int cut(char *text, char **argv, int most)
{
    int argc = 0;
    for (char *at = strstr(text, "--"), *next; at && argc + 2 <= most; at = next) {
        next = strstr(at, " --");
        if (next) {
            *next = '\0';
            next++;
        }
        argv[argc++] = at;
        char *value = strchr(at, ' ');
        if (value && value < at + strcspn(at, "=")) {
            *value = '\0';
            argv[argc++] = value + 1;
        }
    }
    return argc;
}

static int read_options(const struct htmt_app *app, const char *text, struct htmt__quiet_run *t,
                        struct htmt_fault *fault)
{
    *t = (struct htmt__quiet_run){.words = strdup(text)};
    if (!t->words)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    int argc = cut(t->words, t->argv, sizeof t->argv / sizeof *t->argv);
    return htmt__options_parse(app, argc, t->argv, &t->options, fault);
}

/* ---- machine -------------------------------------------------------------------------------- */

int htmt__quiet_run_machine(const char *name, const char *const *set, unsigned set_count,
                            struct htmt_machine **machine, struct htmt_fault *fault)
{
    const char *sets[2 * HTMT__SETS_MAX + 1];
    char base[HTMT_PATH_MAX], twice[80];
    unsigned count = 0;
    if (!strcmp(name, "-"))
        return 0;
    snprintf(base, sizeof base, "%s", name);
    char *suffix = strstr(base, TWICE);
    if (suffix) {
        struct htmt_machine *m = NULL;
        *suffix = '\0';
        int rc = htmt_machine_load(base, NULL, 0, &m, fault);
        int layer = rc ? -1 : htmt_machine_layer(m, CRAM);
        if (!rc && layer < 0)
            rc = htmt_fault_set(fault, HTMT_EINVAL, "machine %s has no " CRAM, base);
        if (!rc)
            snprintf(twice, sizeof twice, "layers.cram.memory.capacity=%" PRIu64 " word",
                     2 * m->layer[layer].memory.capacity);
        htmt_machine_destroy(&m);
        if (rc)
            return rc;
        sets[count++] = twice;
    }
    for (unsigned i = 0; i < set_count && count < sizeof sets / sizeof *sets; i++)
        sets[count++] = set[i];
    return htmt_machine_load(base, sets, count, machine, fault);
}

/* ---- all ------------------------------------------------------------------------------------ */

static int resolve(struct htmt__quiet_run *run, const struct htmt_machine *machine,
                   struct htmt_fault *fault)
{
    run->request.machine = machine;
    run->request.emulator.mode = HTMT_MODEL;
    run->options.common[HTMT__THREADS] = "1";
    int rc = htmt__options_resolve(&run->options, &run->request, fault);
    return rc ? rc
              : htmt__captured_make("model", &run->options, &run->request, &run->captured, fault);
}

int htmt__quiet_run_prepare(const struct htmt_app *app, const char *options, const char *machine,
                            const char *const *set, unsigned set_count, struct htmt__quiet_run *run,
                            struct htmt_fault *fault)
{
    const char *sets[2 * HTMT__SETS_MAX];
    unsigned count = 0;
    int rc = read_options(app, options, run, fault);
    if (rc)
        return rc;
    if (!machine || !strcmp(machine, "-"))
        machine = run->options.common[HTMT__MACHINE];
    for (unsigned i = 0; i < run->options.set_count; i++)
        sets[count++] = run->options.set[i];
    for (unsigned i = 0; i < set_count && i < HTMT__SETS_MAX; i++)
        sets[count++] = set[i];
    rc = htmt__quiet_run_machine(machine, sets, count, &run->machine, fault);
    return rc ? rc : resolve(run, run->machine, fault);
}

int htmt__quiet_run_prepare_on(const struct htmt_app *app, const char *options,
                               const struct htmt_machine *machine, struct htmt__quiet_run *run,
                               struct htmt_fault *fault)
{
    int rc = read_options(app, options, run, fault);
    return rc ? rc : resolve(run, machine, fault);
}

static int explain(int rc, struct htmt_fault *fault)
{
    if (rc && fault && !fault->code)
        htmt_fault_set(fault, rc, "%s", htmt_strerror(rc));
    return rc;
}

int htmt__quiet_run_predict(struct htmt__quiet_run *run, struct htmt_fault *fault)
{
    const struct htmt_app *app = run->options.app;
    if (run->prediction)
        return 0;
    struct htmt_prediction *p = malloc(sizeof *p);
    if (!p)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    int rc = app->tell ? explain(htmt__app_predict(app, &run->request, p, fault), fault)
                       : htmt_fault_set(fault, HTMT_EUSAGE, "%s has no closed form", app->name);
    if (rc)
        free(p);
    else
        run->prediction = p;
    return rc;
}

int htmt__quiet_run_emulate(struct htmt__quiet_run *run, struct htmt_fault *fault)
{
    if (run->outcome.emulator)
        return 0;
    int rc = explain(htmt__app_run(run->options.app, &run->request, &run->outcome, fault), fault);
    if (!rc)
        rc = htmt_audit(run->outcome.emulator, fault);
    if (rc)
        htmt_emulator_destroy(&run->outcome.emulator);
    return rc;
}

void htmt__quiet_run_clear(struct htmt__quiet_run *run)
{
    free(run->words);
    htmt__captured_clear(&run->captured);
    free(run->prediction);
    htmt_emulator_destroy(&run->outcome.emulator);
    htmt_machine_destroy(&run->machine);
    *run = (struct htmt__quiet_run){0};
}
