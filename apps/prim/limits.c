/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a machine with a host does not have, or not in that size, found before anything runs: a
 * transfer in the middle of a run would be refused too, but late, and with the data in memory.
 */
#include "apps/lib/request.h"
#include "apps/prim/program.h"
#include "layers/machine/banks.h"

#include <inttypes.h>

static int check_transfer(struct htmt_task *task, const struct htmt__prim_plan *p, bool push,
                          enum htmt_host_mode mode, uint64_t bytes)
{
    const struct htmt_bank_transfer use = {
        .push = push, .mode = mode, .slices = p->slices, .bytes = bytes};
    struct htmt_fault fault = {0};
    if (!bytes || !htmt_machine_transfer_check(htmt_task_machine(task), &use, &fault))
        return 0;
    return htmt_task_refuse(task, fault.code, "%s: %s",
                            mode == HTMT_SERIAL ? "--fetch serial" : p->program->name, fault.text);
}

/* The output comes back slice by slice, each as large as it is, or in parallel, where all take the
 * largest size. */
static int check_out(struct htmt_task *task, const struct htmt__prim_plan *p)
{
    const bool serial = p->program->kept && p->serial;
    uint64_t most = p->program->kept ? 0 : p->out_bytes;
    int rc = 0;
    for (uint32_t i = 0; i < p->slices && p->program->kept && !rc; i++) {
        uint64_t bytes = p->program->kept(p, i, 0, htmt__prim_elements(p, i)) * p->program->bytes;
        most = bytes > most ? bytes : most;
        if (serial)
            rc = check_transfer(task, p, false, HTMT_SERIAL, bytes);
    }
    return rc || serial ? rc : check_transfer(task, p, false, HTMT_PARALLEL, most);
}

static int check_step(struct htmt_task *task, const struct htmt__prim_plan *p,
                      enum htmt__prim_step step)
{
    const uint32_t result = p->program->result_bytes;
    const bool one_by_one = p->serial && result == HTMT_WORD;
    struct htmt_fault fault = {0};
    switch (step) {
    case HTMT__PRIM_PUSH_FIRST:
        return check_transfer(task, p, true, HTMT_PARALLEL, p->in_bytes);
    case HTMT__PRIM_PUSH_SECOND:
        return check_transfer(task, p, true, HTMT_PARALLEL, p->second_bytes);
    case HTMT__PRIM_BROADCAST_SECOND:
        return check_transfer(task, p, true, HTMT_BROADCAST, p->second_bytes);
    case HTMT__PRIM_LAUNCH:
        return htmt_machine_launch_check(htmt_task_machine(task), p->slices, &fault)
                   ? htmt_task_refuse(task, fault.code, "%s: %s", p->program->name, fault.text)
                   : 0;
    case HTMT__PRIM_PULL_RESULT:
        return check_transfer(task, p, false, one_by_one ? HTMT_SERIAL : HTMT_PARALLEL, result);
    case HTMT__PRIM_PUSH_OFFSET:
        return check_transfer(task, p, true, HTMT_PARALLEL, HTMT_WORD);
    case HTMT__PRIM_PULL_OUT:
        return check_out(task, p);
    default:
        return 0;
    }
}

int htmt__prim_limits(struct htmt_task *task, const struct htmt__prim_plan *p)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    const struct htmt__prim_program *g = p->program;
    if (!p->hosted)
        return 0;

    /* The host's memory has the objects that outer.c creates. */
    const bool writes = g->pass[0].writes || g->pass[g->passes - 1].writes;
    const htmt_uwide room = (htmt_uwide)htmt_machine_room(m, p->outer) * HTMT_WORD;
    htmt_uwide all = (htmt_uwide)p->in_bytes * p->slices;
    all += g->pass[0].reads > 1 ? (htmt_uwide)p->second_bytes * (g->rows ? 1 : p->slices) : 0;
    all += writes ? (htmt_uwide)p->out_bytes * p->slices : 0;
    all += (htmt_uwide)g->result_bytes * p->slices;
    if (all > room)
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "--size: inputs and results take %.6g bytes of %s, expected at "
                                "most %.6g",
                                (double)all, m->layer[p->outer].memory.name, (double)room);

    /* The longest DMA copy: a block, or the sums of hst-s. */
    struct htmt_fault fault = {0};
    uint64_t most = g->rows ? p->columns * g->bytes : p->in_bytes;
    most = most < HTMT__PRIM_BLOCK ? most : HTMT__PRIM_BLOCK;
    most = most > g->result_bytes ? most : g->result_bytes;
    if (htmt_machine_copy_check(m, most, HTMT_WORD, &fault))
        return htmt_task_refuse(task, fault.code, "%s: %s", g->name, fault.text);

    int rc = 0;
    for (unsigned i = 0; g->step[i] && !rc; i++)
        rc = check_step(task, p, (enum htmt__prim_step)g->step[i]);
    return rc;
}
