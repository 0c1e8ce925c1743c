/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a report adds: phases of the outer program, how long processors of slices issue, what their
 * tasklets do meanwhile, and which memory is filled. Each process knows its own slices; figures are
 * shared before any is told, so that all processes say the same.
 */
#include "apps/lib/gather.h"
#include "apps/lib/tasklets.h"
#include "apps/prim/program.h"
#include "layers/machine/banks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS(fs) (1e-12 * (double)(fs))

void htmt__prim_describe(struct htmt_task *task, const struct htmt__prim_plan *p)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    char columns[40] = "";
    if (p->program->rows)
        snprintf(columns, sizeof columns, " of %" PRIu64 " columns", p->columns);
    htmt_task_problem(task,
                      "%s, %s: %" PRIu64 " %s%s, %u slices, %u tasklets each; blocks of %u bytes "
                      "between %s and %s",
                      p->program->name, p->program->summary, p->size,
                      p->program->rows ? "rows" : "elements", columns, p->slices, p->tasklets,
                      HTMT__PRIM_BLOCK, m->layer[p->bank].memory.name,
                      m->layer[p->scratch].memory.name);
    htmt_task_precision(task, p->program->bytes == 8 ? "uint64" : "uint32");
}

/* ---- after the run --------------------------------------------------------------------------- */

struct processor {
    struct htmt_issue_report issue;
    struct htmt_threads_report threads;
};

static void tell_busy(struct htmt_task *task, const struct htmt__prim_run *r,
                      const struct processor *of)
{
    const uint32_t count = r->plan->hosted ? r->plan->slices : 0;
    double least = 0, most = 0, sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        double busy = (double)of[i].issue.busy;
        least = !i || busy < least ? busy : least;
        most = busy > most ? busy : most;
        sum += busy;
    }
    if (!count)
        return;
    double mean = sum / count;
    htmt_task_found(task, "dpu_busy_min", 1e-15 * least, "s");
    htmt_task_found(task, "dpu_busy_mean", 1e-15 * mean, "s");
    htmt_task_found(task, "dpu_busy_max", 1e-15 * most, "s");
    htmt_task_found(task, "dpu_imbalance", mean > 0 ? most / mean - 1 : 0, "1");
    htmt_task_note(task,
                   "processors of slices issue for %.6g ms (least), %.6g ms (mean), %.6g ms "
                   "(most); imbalance %.3g %%",
                   MS(least), MS(mean), MS(most), mean > 0 ? 100 * (most / mean - 1) : 0);
}

/* Of the time in which slices run, start and launches left out, the shares of a tasklet's. Who has
 * ended waits for the other slices. */
static void tell_shares(struct htmt_task *task, const struct htmt__prim_run *r,
                        const struct processor *of)
{
    const struct htmt__prim_plan *p = r->plan;
    struct htmt_host_commands c = {0};
    htmt_wide issuing = 0, copying = 0, waiting = 0, ran = 0;
    if (!p->hosted || htmt_host_commands(r->e, &c))
        return;
    for (uint32_t i = 0; i < p->slices; i++) {
        issuing += of[i].threads.issuing;
        copying += of[i].threads.copying;
        waiting += of[i].threads.waiting;
        ran += of[i].threads.ran;
    }
    const htmt_wide run = r->time[HTMT__PRIM_KERNEL] - p->start - c.launch;
    waiting += (run * p->slices - ran) * p->tasklets;
    if (run <= 0)
        return;
    const double all = (double)run * p->tasklets * p->slices, issue = (double)issuing / all,
                 dma = (double)copying / all, barrier = (double)waiting / all;
    htmt_task_found(task, "tasklet_issue_share", issue, "1");
    htmt_task_found(task, "tasklet_dma_share", dma, "1");
    htmt_task_found(task, "tasklet_barrier_share", barrier, "1");
    htmt_task_note(
        task,
        "a tasklet issues or awaits its turn to issue for %.3g %%, copies for %.3g %%, "
        "and waits for other tasklets and slices for %.3g %% of the kernel without start "
        "and launch (means)",
        100 * issue, 100 * dma, 100 * barrier);
}

/* A constant stands for all operations. */
static bool counts(const void *plan, const char *operation)
{
    const struct htmt__prim_plan *p = plan;
    for (unsigned i = 0; !htmt__prim_constant(p) && i < p->program->passes; i++)
        for (unsigned k = 0; k < HTMT__PRIM_OPS && p->program->pass[i].op[k]; k++)
            if (strcmp(p->program->pass[i].op[k], operation) == 0)
                return true;
    return false;
}

int htmt__prim_conclude(struct htmt_task *task, struct htmt__prim_run *r)
{
    static const char *const name[HTMT__PRIM_PHASES] = {"to_slices", "kernel", "from_slices",
                                                        "between_slices"};
    const struct htmt__prim_plan *p = r->plan;
    const struct htmt_machine *m = htmt_task_machine(task);
    const char *scratch = m->layer[p->scratch].memory.name;
    char code[80] = "code is not given";
    htmt_wide all = 0;
    struct processor *of = calloc(p->slices + 1, sizeof *of);
    if (!of)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < p->slices; i++)
        if (htmt_issue_at(r->e, i, &of[i].issue) == 0)
            htmt_threads_at(r->e, i, &of[i].threads);
    int rc = htmt_slices_share(r->e, of, sizeof *of, sizeof *of);
    rc = rc ? rc : htmt_tell_all(r->e, r->time, sizeof r->time);
    for (int i = 0; i < HTMT__PRIM_PHASES && !rc; i++) {
        htmt_task_found(task, name[i], 1e-15 * (double)r->time[i], "s");
        all += r->time[i];
    }
    if (!rc && all > 0)
        htmt_task_note(task,
                       "to slices %.6g ms, kernel %.6g ms, between slices %.6g ms, from slices "
                       "%.6g ms; transfers are %.3g %% of the whole",
                       MS(r->time[HTMT__PRIM_TO]), MS(r->time[HTMT__PRIM_KERNEL]),
                       MS(r->time[HTMT__PRIM_OTHER]), MS(r->time[HTMT__PRIM_FROM]),
                       100 * (double)(all - r->time[HTMT__PRIM_KERNEL]) / (double)all);
    if (!rc) {
        tell_busy(task, r, of);
        tell_shares(task, r, of);
    }
    free(of);
    if (rc)
        return rc;
    if (p->code)
        snprintf(code, sizeof code, "code: %" PRIu64 " of %" PRIu64 " bytes", p->code,
                 htmt_machine_code_bytes(m));
    if (p->hosted) {
        htmt_task_note(task,
                       "%s: %" PRIu64 " of %" PRIu64 " bytes; %s: heap %" PRIu64 ", stacks %" PRIu64
                       " of %" PRIu64 " bytes; %s",
                       m->layer[p->bank].memory.name, p->at.bank_bytes,
                       htmt_machine_room(m, p->bank) * HTMT_WORD, scratch,
                       p->tasklets * p->at.scratch_bytes + 2 * HTMT_WORD, p->tasklets * p->stack,
                       htmt_machine_room(m, p->scratch) * HTMT_WORD, code);
        htmt_task_note(task,
                       "not modelled: conflicts of %s, DRAM rows and refresh, host caches, NUMA, "
                       "power; the host's merge costs nothing",
                       scratch);
    }
    htmt_tasklets_tell_held(task, r->e);
    htmt_tasklets_tell_memory(task, counts, p);
    return 0;
}
