/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the machine does not have, or not in that size, found before anything runs.
 */
#include "apps/micro/plan.h"
#include "layers/machine/banks.h"

static int refuse(struct htmt_task *task, const struct htmt__micro_plan *p,
                  const struct htmt_fault *fault)
{
    return htmt_task_refuse(task, fault->code, "%s: %s", htmt__micro_names[p->kind], fault->text);
}

static int check_transfer(struct htmt_task *task, const struct htmt__micro_plan *p, bool push)
{
    const bool broadcast = p->mode == HTMT_BROADCAST;
    const struct htmt_bank_transfer use = {.push = push,
                                           .to_scratch = htmt__micro_layer(p) == p->scratch,
                                           .mode = broadcast && !push ? HTMT_PARALLEL : p->mode,
                                           .slices = p->slices,
                                           .bytes = p->array_bytes};
    struct htmt_fault fault = {0};
    if (!use.bytes || !htmt_machine_transfer_check(htmt_task_machine(task), &use, &fault))
        return 0;
    return refuse(task, p, &fault);
}

/* Arrays of all slices (program.c). */
static int check_host(struct htmt_task *task, const struct htmt__micro_plan *p)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    const htmt_uwide room = (htmt_uwide)htmt_machine_room(m, p->host) * HTMT_WORD,
                     all = (htmt_uwide)p->array_bytes * p->slices * (p->pushes + p->pulls);
    if (all <= room)
        return 0;
    return htmt_task_refuse(task, HTMT_EUSAGE,
                            "--words: arrays of all slices take %.6g bytes of %s, expected at most "
                            "%.6g",
                            (double)all, m->layer[p->host].memory.name, (double)room);
}

int htmt__micro_limits(struct htmt_task *task, const struct htmt__micro_plan *p)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    struct htmt_fault fault = {0};
    int rc = check_host(task, p);
    if (!rc && p->block_bytes && htmt_machine_copy_check(m, p->block_bytes, p->block_bytes, &fault))
        rc = refuse(task, p, &fault);
    if (!rc && p->pushes)
        rc = check_transfer(task, p, true);
    if (!rc && p->launches && htmt_machine_launch_check(m, p->slices, &fault))
        rc = refuse(task, p, &fault);
    return rc || !p->pulls ? rc : check_transfer(task, p, false);
}
