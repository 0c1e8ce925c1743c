/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/validate/pim/run.h"

#include "emul/lib/questions/quiet_run.h"

#include <stdlib.h>
#include <string.h>

/* Of the PrIM runs; inferred, as their blocks of 1 KiB are. A machine with fewer threads has all.
 */
#define TASKLETS 16
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

/* What a command line of the application finds. */
static int emulate(const struct htmt_app *app, const struct htmt_machine *machine,
                   const char *options, const struct htmt__pim_command *c,
                   struct htmt__pim_times *times, struct htmt_fault *fault)
{
    struct htmt__quiet_run *run = calloc(1, sizeof *run);
    if (!run)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    int rc = htmt__quiet_run_prepare_on(app, options, machine, run, fault);
    run->request.cost_set = c ? c->set : NULL;
    run->request.cost_set_count = c ? c->set_count : 0;
    rc = rc ? rc : htmt__quiet_run_emulate(run, fault);
    if (!rc)
        *times = (struct htmt__pim_times){.kernel = found(&run->outcome, "kernel"),
                                          .launch = found(&run->outcome, "launch"),
                                          .to_slices = found(&run->outcome, "to_slices"),
                                          .from_slices = found(&run->outcome, "from_slices"),
                                          .between_slices = found(&run->outcome, "between_slices"),
                                          .held = found(&run->outcome, "bus_held") > 0};
    htmt__quiet_run_clear(run);
    free(run);
    return rc;
}

static int run_program(const struct htmt_app *app, const struct htmt__pim_command *c, bool folded,
                       struct htmt__pim_times *times, struct htmt_fault *fault)
{
    char options[400], costs[200] = "", columns[40] = "";
    const uint32_t threads = htmt_machine_threads(c->machine, c->machine->layer_count - 1);
    if (c->costs)
        snprintf(costs, sizeof costs, " --costs %s", c->costs);
    if (!strcmp(c->program, "gemv"))
        snprintf(columns, sizeof columns, " --columns %d", COLUMNS);
    snprintf(options, sizeof options, "--program %s --dpus %u --tasklets %u --size %llu%s%s%s",
             c->program, c->dpus, threads < TASKLETS ? threads : TASKLETS,
             (unsigned long long)c->size, columns, costs, folded ? " --fold" : "");
    return emulate(app, c->machine, options, c, times, fault);
}

int htmt__pim_run(const struct htmt_app *app, const struct htmt__pim_command *c,
                  struct htmt__pim_times *times, struct htmt_fault *fault)
{
    struct htmt_fault folded = {0};
    if (c->size % c->dpus == 0 && !run_program(app, c, true, times, &folded))
        return 0;
    return run_program(app, c, false, times, fault);
}

int htmt__pim_micro(const struct htmt_app *app, const struct htmt_machine *machine, uint32_t dpus,
                    const char *options, struct htmt__pim_times *times, struct htmt_fault *fault)
{
    char all[300];
    snprintf(all, sizeof all, "%s --dpus %u --fold", options, dpus);
    return emulate(app, machine, all, NULL, times, fault);
}
