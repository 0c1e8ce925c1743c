/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What programs of memory banks share: how many slices and tasklets take part, and what their
 * reports say of figures that nobody has compared yet.
 */
#include "apps/lib/tasklets.h"
#include "apps/lib/request.h"
#include "parcels/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define USUAL  16 /* tasklets */
#define MEMORY "quoted from memory"
#define TABLE  ".instructions."
#define POINT  ".value." /* of a curve */

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

/* Keys with commas between them, a note for as many as fit. */
struct keys {
    struct htmt_task *task;
    char text[150], last[sizeof((struct htmt_figure){0}.key)];
};

static void tell_keys(struct keys *k)
{
    if (*k->text)
        htmt_task_note(k->task, MEMORY ", reference until compared: %s", k->text);
    k->text[0] = '\0';
}

/* Points of a curve are one key. */
static void put_key(struct keys *k, const char *key)
{
    const char *point = strstr(key, POINT);
    const int length = (int)(point ? (size_t)(point - key) : strlen(key));
    if (strncmp(k->last, key, (size_t)length) == 0 && !k->last[length])
        return;
    if (strlen(k->text) + (size_t)length + sizeof ", " > sizeof k->text)
        tell_keys(k);
    size_t used = strlen(k->text);
    snprintf(k->text + used, sizeof k->text - used, "%s%.*s", used ? ", " : "", length, key);
    snprintf(k->last, sizeof k->last, "%.*s", length, key);
}

void htmt_tasklets_tell_memory(struct htmt_task *task, htmt_tasklets_counts *counts,
                               const void *plan)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    struct keys keys = {.task = task};
    for (uint32_t i = 0; i < m->figure_count; i++) {
        const struct htmt_figure *f = &m->figure[i];
        const char *operation = strstr(f->key, TABLE);
        if (strstr(f->source, MEMORY) && (!operation || counts(plan, operation + strlen(TABLE))))
            put_key(&keys, f->key);
    }
    tell_keys(&keys);
}
