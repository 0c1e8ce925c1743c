/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Microbenchmarks of processors in memory banks: copies, operations, streams, single accesses,
 * transfers and launches.
 */
#include "apps/lib/gather.h"
#include "apps/lib/random.h"
#include "apps/lib/request.h"
#include "apps/lib/steps.h"
#include "apps/lib/tasklets.h"
#include "apps/micro/program.h"

#include <inttypes.h>
#include <stdlib.h>

struct work {
    struct htmt__micro_plan plan;
    struct htmt__micro_run run;
    bool unchecked; /* --check none */
};

static uint32_t slices(const struct htmt_request *request)
{
    return htmt_tasklets_slices(request, 1);
}

static int plan(struct htmt_task *task, void *work)
{
    static const char *const checks[] = {"exact", "none", NULL};
    struct work *w = work;
    unsigned kind = 0;
    int rc = htmt__micro_plan(task, &w->plan);
    rc = rc ? rc
            : htmt_request_choice(htmt_task_request(task), "check", checks, &kind,
                                  htmt_task_fault(task));
    w->unchecked = kind != 0;
    return rc;
}

static void describe(struct htmt_task *task, void *work)
{
    const struct htmt__micro_plan *p = &((struct work *)work)->plan;
    const struct htmt_machine *m = htmt_task_machine(task);
    bool levels = p->kind == HTMT__MICRO_COPY || p->kind == HTMT__MICRO_HOST;
    htmt_task_problem(task,
                      "%s%s%s: %" PRIu64 " words, %" PRIu64 " times, on %u slices of %u tasklets",
                      htmt__micro_names[p->kind], levels ? " in " : "",
                      levels ? m->layer[p->in_bank ? p->bank : p->scratch].memory.name : "",
                      p->words, p->repetitions, p->slices, p->tasklets);
}

/* ---- data ------------------------------------------------------------------------------------ */

/* No byte of the source is zero: what never came back differs from it. */
static unsigned char byte_of(const struct htmt__micro_plan *p, uint64_t i)
{
    uint64_t x = (i + p->seed) * HTMT__RANDOM_STEP;
    return (unsigned char)(1 + (x >> 56) % 255);
}

static int prepare(struct htmt_task *task, void *work, struct htmt_options *o)
{
    const struct work *w = work;
    (void)o;
    return htmt__micro_limits(task, &w->plan);
}

static int create(struct htmt_task *task, void *work, struct htmt_emulator *e)
{
    struct work *w = work;
    (void)task;
    w->run.plan = &w->plan;
    w->run.e = e;
    int rc = htmt__micro_create(&w->run);
    unsigned char *source = rc || !w->run.source ? NULL : htmt_object_bytes(w->run.source);
    for (uint64_t i = 0; source && i < htmt_object_size(w->run.source); i++)
        source[i] = byte_of(&w->plan, i);
    return rc;
}

/* Bytes of a slice that come back: those of its blocks; of transfers all. */
static bool *find_copied(const struct htmt__micro_plan *p)
{
    bool *copied = calloc(p->array_bytes, sizeof *copied);
    for (uint64_t i = 0; copied && p->arrays == 1 && p->pushes && i < p->array_bytes; i++)
        copied[i] = true;
    for (uint64_t b = 0; copied && b < p->blocks; b++)
        for (uint64_t i = 0; i < p->block_bytes; i++)
            copied[htmt__micro_place(p, b) + i] = true;
    return copied;
}

static int check(struct htmt_task *task, void *work)
{
    struct work *w = work;
    const struct htmt__micro_plan *p = &w->plan;
    const void *found = NULL;
    uint64_t wrong = 0;
    if (w->unchecked) {
        htmt_task_unchecked(task, "--check none");
        return 0;
    }
    if (!w->run.target) {
        htmt_task_unchecked(task, "%s moves nothing that comes back", htmt__micro_names[p->kind]);
        return 0;
    }
    int rc = htmt_object_fetch(w->run.target, &found);
    bool *copied = rc || !found ? NULL : find_copied(p);
    if (rc || (found && !copied))
        return rc ? rc : HTMT_ENOMEM;
    const bool same = p->mode == HTMT_BROADCAST;
    for (uint64_t i = 0; found && i < p->array_bytes * p->slices; i++) {
        uint64_t from = same ? i % p->array_bytes : i;
        unsigned char wanted = copied[i % p->array_bytes] ? byte_of(p, from) : 0;
        wrong += ((const unsigned char *)found)[i] != wanted;
    }
    free(copied);
    htmt_task_checked(task, "wrong bytes", (double)wrong, 0,
                      !wrong && (found || !htmt_gathers(w->run.e)));
    return 0;
}

/* ---- what a report adds ---------------------------------------------------------------------- */

/* The launch is the machine's; what is left of the time between is the programs'. */
static int conclude(struct htmt_task *task, void *work)
{
    struct work *w = work;
    struct htmt__micro_run *r = &w->run;
    struct htmt_host_commands c = {0};
    int rc = htmt_host_commands(r->e, &c);
    rc = rc ? rc : htmt_tell_all(r->e, &c, sizeof c);
    rc = rc ? rc : htmt_tell_all(r->e, r->time, sizeof r->time);
    if (rc)
        return rc;
    const double launch = 1e-15 * (double)c.launch,
                 kernel = 1e-15 * (double)(r->time[HTMT__MICRO_LAUNCHED] - c.launch);
    htmt_task_found(task, "kernel", kernel, "s");
    htmt_task_found(task, "launch", launch, "s");
    htmt_task_found(task, "to_slices", 1e-15 * (double)r->time[HTMT__MICRO_PUSHED], "s");
    htmt_task_found(task, "from_slices", 1e-15 * (double)r->time[HTMT__MICRO_PULLED], "s");
    htmt_task_note(task, "kernel %.6g us, launch %.6g us, to slices %.6g us, from slices %.6g us",
                   1e6 * kernel, 1e6 * launch, 1e-9 * (double)r->time[HTMT__MICRO_PUSHED],
                   1e-9 * (double)r->time[HTMT__MICRO_PULLED]);
    htmt_tasklets_tell_held(task, r->e);
    htmt_tasklets_tell_memory(task, htmt__micro_counts, &w->plan);
    return 0;
}

static void destroy(struct htmt_task *task, void *work)
{
    struct work *w = work;
    (void)task;
    free(w->run.tasklet);
}

const struct htmt_app htmt_app = {
    HTMT_APP_BEGIN,
    .name = "micro",
    .summary = "microbenchmarks of processors in memory banks that a host leads",
    .options = htmt__micro_options,
    .work_bytes = sizeof(struct work),
    .plan = plan,
    .describe = describe,
    .prepare = prepare,
    .create = create,
    .check = check,
    .conclude = conclude,
    .destroy = destroy,
    .folds = true,
    .ranks = true,
    .slices = slices,
    .slices_why = "--dpus",
    .operand = "program",
    .hosted = true,
};
