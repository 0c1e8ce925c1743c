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

static int emulate(const struct htmt_app *app, const struct htmt__pim_command *c, bool folded,
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
    int rc = htmt__quiet_run_prepare(app, options, c->machine, NULL, 0, run, fault);
    run->request.cost_set = c->set;
    run->request.cost_set_count = c->set_count;
    if (!rc)
        rc = htmt__quiet_run_emulate(run, fault);
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
    if (c->size % c->dpus == 0 && !emulate(app, c, true, times, &folded))
        return 0;
    return emulate(app, c, false, times, fault);
}
