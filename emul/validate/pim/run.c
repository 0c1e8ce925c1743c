/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/validate/pim/run.h"

#include "emul/questions/quiet_run.h"

#include <stdlib.h>
#include <string.h>

#define TASKLETS 16 /* of the PrIM runs; inferred, as their blocks of 1 KiB are */
#define COLUMNS  64 /* of gemv: with more, its transfers would pass what the bus can do */

int htmt__pim_application(const struct htmt_app *const *apps, const char *name,
                          const struct htmt_app **app, struct htmt_fault *fault)
{
    while (*apps && strcmp((*apps)->name, name) != 0)
        apps++;
    *app = *apps;
    return *app ? 0 : htmt_fault_set(fault, HTMT_ENOENT, "no application '%s'", name);
}

static double found(const struct htmt_outcome *o, const char *name)
{
    for (unsigned i = 0; i < o->found_count; i++)
        if (!strcmp(o->found[i].name, name))
            return o->found[i].value;
    return 0;
}

/* A command line of the application; on success its outcome is in *run. The caller clears *run
 * always. */
static int emulate(const struct htmt_app *app, const char *options, const char *machine,
                   struct htmt__quiet_run *run, const struct htmt__pim_command *c,
                   struct htmt_fault *fault)
{
    int rc = htmt__quiet_run_prepare(app, options, machine, NULL, 0, run, fault);
    run->request.cost_set = c ? c->set : NULL;
    run->request.cost_set_count = c ? c->set_count : 0;
    return rc ? rc : htmt__quiet_run_emulate(run, fault);
}

static int run_program(const struct htmt_app *app, const struct htmt__pim_command *c, bool folded,
                       struct htmt__pim_times *times, struct htmt_fault *fault)
{
    char options[400], costs[200] = "", columns[40] = "";
    struct htmt__quiet_run *run = calloc(1, sizeof *run);
    if (!run)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    if (c->costs)
        snprintf(costs, sizeof costs, " --costs %s", c->costs);
    if (!strcmp(c->program, "gemv"))
        snprintf(columns, sizeof columns, " --columns %d", COLUMNS);
    snprintf(options, sizeof options, "--program %s --dpus %u --tasklets %d --size %llu%s%s%s",
             c->program, c->dpus, TASKLETS, (unsigned long long)c->size, columns, costs,
             folded ? " --fold" : "");
    int rc = emulate(app, options, c->machine, run, c, fault);
    if (!rc)
        *times = (struct htmt__pim_times){
            found(&run->outcome, "kernel"), found(&run->outcome, "to_slices"),
            found(&run->outcome, "from_slices"), found(&run->outcome, "between_slices")};
    htmt__quiet_run_clear(run);
    free(run);
    return rc;
}

int htmt__pim_run(const struct htmt_app *app, const struct htmt__pim_command *c,
                  struct htmt__pim_times *times, struct htmt_fault *fault)
{
    struct htmt_fault folded = {0};
    if (c->size % c->dpus == 0 && !run_program(app, c, true, times, &folded))
        return 0;
    return run_program(app, c, false, times, fault);
}

int htmt__pim_copy(const struct htmt_app *app, const char *machine, const char *level,
                   uint32_t tasklets, uint64_t words, uint64_t repetitions, double *seconds,
                   struct htmt_fault *fault)
{
    char options[200];
    struct htmt__quiet_run *run = calloc(1, sizeof *run);
    if (!run)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    snprintf(options, sizeof options,
             "--program copy --level %s --tasklets %u --words %llu --repetitions %llu", level,
             tasklets, (unsigned long long)words, (unsigned long long)repetitions);
    int rc = emulate(app, options, machine, run, NULL, fault);
    if (!rc)
        *seconds = found(&run->outcome, "kernel");
    htmt__quiet_run_clear(run);
    free(run);
    return rc;
}
