/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/lib/tasklets.h"
#include "apps/lib/request.h"
#include "parcels/host.h"

#include <inttypes.h>

#define USUAL 16 /* tasklets */

uint32_t htmt_tasklets_layer(const struct htmt_machine *machine)
{
    for (uint32_t l = machine->layer_count; l-- > 0;)
        if (htmt_machine_threads(machine, l))
            return l;
    return 0;
}

uint32_t htmt_tasklets_slices(const struct htmt_request *request, uint32_t all)
{
    struct htmt_fault ignored = {0};
    const uint32_t most = htmt_request_slices(request);
    uint64_t dpus = all;
    if (htmt_request_value(request, "dpus") &&
        htmt_request_whole(request, "dpus", 1, UINT32_MAX, &dpus, &ignored))
        return all;
    return dpus < most ? (uint32_t)dpus : most;
}

int htmt_tasklets_check_slices(struct htmt_task *task)
{
    const uint32_t slices = htmt_task_machine(task)->slices;
    uint64_t dpus = slices;
    int rc = htmt_task_whole(task, "dpus", 1, UINT32_MAX, &dpus);
    return rc || dpus == slices
               ? rc
               : htmt_task_refuse(task, HTMT_EUSAGE,
                                  "--dpus: found %" PRIu64 ", expected at most the %u slices of "
                                  "the machine, and the same as --slices",
                                  dpus, slices);
}

int htmt_tasklets_read(struct htmt_task *task, uint32_t layer, uint32_t most, uint32_t *tasklets)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    const uint32_t threads = htmt_machine_threads(m, layer);
    uint64_t found = threads && threads < USUAL ? threads : USUAL;
    if (htmt_task_value(task, "plot"))
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "--plot: expected 'htmt model' and a range of --tasklets such as "
                                "1..24");
    int rc = htmt_task_whole(task, "tasklets", 1, most, &found);
    if (!rc && threads && found > threads)
        rc = htmt_task_refuse(task, HTMT_EUSAGE,
                              "--tasklets: found %" PRIu64 ", expected at most the %u threads of a "
                              "%s",
                              found, threads, m->layer[layer].processor.name);
    *tasklets = (uint32_t)found;
    return rc;
}

void htmt_tasklets_tell_held(struct htmt_task *task, const struct htmt_emulator *e)
{
    struct htmt_host_commands c;
    if (htmt_host_commands(e, &c) || !c.held)
        return;
    htmt_task_found(task, "bus_held", 1, "1");
    htmt_task_note(task, "the bus was asked for figures outside of its curves, which hold the "
                         "nearest ones");
}
