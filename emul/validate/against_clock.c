/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The application compares and writes its table; it is read from there.
 */
#include "emul/validate/against_clock.h"

#include "emul/lib/questions/quiet_run.h"
#include "layers/file/search.h"
#include "layers/machine/nodes.h"
#include "runtime/base/input.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZES "20"

static const struct {
    const char *name, *n;
    bool judged, mermaid, doubled; /* doubled: only powers of two, one after the other */
} kernels[HTMT__AGAINST_KERNELS] = {
    {"ddot", "512..4194304", true, true, false},   {"ddot4", "512..4194304", true, true, false},
    {"daxpy", "512..4194304", true, true, false},  {"dipole", "64..262144", true, true, false},
    {"triad", "512..4194304", true, false, false}, {"dgemm", "16..256", false, false, false},
    {"fft", "64..262144", false, false, true}};

/* ---- the table of the application ------------------------------------------------------------ */

static int take_line(char *line, struct htmt__against_kernel *k)
{
    struct htmt__against_size *s = &k->size[k->sizes];
    char *at = strchr(line, ',');
    double *const value[] = {&s->n, &s->model, &s->clock, &s->spread, &s->vectors, &s->error};
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
        if (!at || k->sizes == HTMT__AGAINST_SIZES)
            return HTMT_EFORMAT;
        *value[i] = strtod(at + 1, &at);
    }
    k->sizes++;
    return 0;
}

static int read_table(const char *path, struct htmt__against_kernel *k, struct htmt_fault *fault)
{
    char line[300];
    FILE *file = NULL;
    int rc = htmt_input_stream(path, HTMT_INPUT_TEXT, &file, fault);
    if (rc)
        return rc;
    rc = fgets(line, sizeof line, file) ? 0 : HTMT_EFORMAT;
    while (!rc && fgets(line, sizeof line, file))
        rc = take_line(line, k);
    fclose(file);
    return rc ? htmt_fault_set(fault, rc, "%s: not the table of the kernels", path) : 0;
}

static void sum_up(struct htmt__against_kernel *k)
{
    for (unsigned i = 0; i < k->sizes; i++) {
        k->mean += fabs(k->size[i].error) / k->sizes;
        k->worst = fmax(k->worst, fabs(k->size[i].error));
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

static bool has_inside(const struct htmt_machine *m)
{
    bool found = false;
    for (uint32_t l = 0; l < m->layer_count; l++)
        found |= htmt__machine_node(m, l) != NULL;
    return found;
}

/* A run by its own operations; the run prepares itself as one of a model. */
static int run_recorded(struct htmt__quiet_run *run, struct htmt_fault *fault)
{
    static const struct htmt_operations no_tape = {.type = NULL};
    if (!has_inside(run->machine))
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "no processor of machine %s has an inside (docs/nodes.md)",
                              run->machine->name);
    run->request.emulator.mode = HTMT_RUN;
    run->request.emulator.operations = &no_tape;
    int rc = htmt__quiet_run_emulate(run, fault);
    if (!rc && run->outcome.correct == 0)
        rc = htmt_fault_set(fault, HTMT_EWRONG, "%s: the result is wrong", run->outcome.problem);
    return rc;
}

static int compare(const struct htmt_app *app, const struct htmt__against_options *o, unsigned i,
                   const char *table, struct htmt__against_clock *a, struct htmt_fault *fault)
{
    struct htmt__against_kernel *k = &a->kernel[a->kernels];
    char words[HTMT_PATH_MAX + 216], count[40] = "";
    struct htmt__quiet_run *run = calloc(1, sizeof *run);
    if (!run)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    if (!kernels[i].doubled)
        snprintf(count, sizeof count, " --sizes %s", o->sizes ? o->sizes : SIZES);
    snprintf(words, sizeof words, "--kernel %s --n %s%s --rounds 1 --csv %s", kernels[i].name,
             o->n ? o->n : kernels[i].n, count, table);
    *k = (struct htmt__against_kernel){.name = kernels[i].name, .judged = kernels[i].judged};
    int rc = htmt__quiet_run_prepare(app, words, o->machine, NULL, 0, run, fault);
    if (!rc)
        snprintf(a->machine, sizeof a->machine, "%s", run->machine->name);
    rc = rc ? rc : run_recorded(run, fault);
    rc = rc ? rc : read_table(table, k, fault);
    if (!rc)
        sum_up(k);
    htmt__quiet_run_clear(run);
    free(run);
    return rc;
}

/* The application's table of one kernel lasts until it is read. */
static int compare_by(const struct htmt_app *app, const struct htmt__against_options *o, unsigned i,
                      const char *folder, struct htmt__against_clock *a, struct htmt_fault *fault)
{
    char table[HTMT_PATH_MAX + 16];
    snprintf(table, sizeof table, "%s/%s.csv", folder, kernels[i].name);
    int rc = compare(app, o, i, table, a, fault);
    unlink(table);
    a->kernels += !rc;
    return rc;
}

int htmt__against_clock(const struct htmt_app *app, const struct htmt__against_options *options,
                        htmt__against_progress_fn *progress, void *user,
                        struct htmt__against_clock *against, struct htmt_fault *fault)
{
    const char *home = getenv("TMPDIR");
    char folder[HTMT_PATH_MAX];
    snprintf(folder, sizeof folder, "%s/htmt-XXXXXX", home && *home ? home : "/tmp");
    if (!mkdtemp(folder))
        return htmt_fault_set(fault, HTMT_ESYSTEM, "%s: %s", folder, strerror(errno));
    *against = (struct htmt__against_clock){.kernels = 0};
    int rc = 0;
    for (unsigned i = 0; i < HTMT__AGAINST_KERNELS && !rc; i++) {
        if (!options->all && !kernels[i].mermaid)
            continue;
        if (progress)
            progress(user, kernels[i].name);
        rc = compare_by(app, options, i, folder, against, fault);
    }
    rmdir(folder);
    return rc;
}
