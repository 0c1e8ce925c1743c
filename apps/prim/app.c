/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs of the PrIM suite as an application, each written anew from its definition: tasklets
 * that copy blocks by DMA, barriers, handshakes, and what an outer processor merges.
 */
#include "apps/lib/gather.h"
#include "apps/lib/request.h"
#include "apps/lib/steps.h"
#include "apps/lib/tasklets.h"
#include "apps/prim/program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct work {
    struct htmt__prim_plan plan;
    struct htmt__prim_run run;
    void *first, *second, *wanted;
    bool unchecked; /* --check none */
};

static const struct htmt_app_option options[] = {
    {"program", "NAME", NULL,
     "va, gemv, red, sel, uni, scan-ssa, scan-rss or hst-s; also as the word behind prim"},
    {"dpus", "N", NULL, "slices of the machine that take part; as --slices"},
    HTMT_TASKLETS_OPTIONS,
    {"size", "N", "65536", "elements in all; of gemv rows"},
    {"columns", "N", "64", "of the matrix of gemv"},
    {"fetch", "MODE", "serial",
     "what sel and uni keep, and results of a few bytes: serial or parallel"},
    {"check", "KIND", "exact", "exact: compare every element with the serial program; or none"},
    {"code", "BYTES", "0",
     "of the program, in code memory, where processors have threads; 0: not given"},
    {"stack", "BYTES", "512", "of a tasklet, in scratch memory, where processors have threads"},
    {NULL, NULL, NULL, NULL}};

/* ---- plan ------------------------------------------------------------------------------------ */

static uint32_t slices(const struct htmt_request *request)
{
    return htmt_tasklets_slices(request, htmt_request_slices(request));
}

static int plan(struct htmt_task *task, void *work)
{
    static const char *const checks[] = {"exact", "none", NULL};
    struct work *w = work;
    unsigned kind = 0;
    int rc = htmt__prim_plan(task, &w->plan);
    rc = rc ? rc
            : htmt_request_choice(htmt_task_request(task), "check", checks, &kind,
                                  htmt_task_fault(task));
    w->unchecked = kind != 0;
    return rc ? rc : htmt_tasklets_check_slices(task);
}

static void describe(struct htmt_task *task, void *work)
{
    const struct work *w = work;
    htmt__prim_describe(task, &w->plan);
}

static int tell(struct htmt_task *task, void *work, struct htmt_prediction *prediction)
{
    const struct work *w = work;
    htmt__prim_describe(task, &w->plan);
    return htmt__prim_tell(task, &w->plan, prediction);
}

/* ---- data ------------------------------------------------------------------------------------ */

static int input(struct htmt_task *task, void *work)
{
    struct work *w = work;
    const struct htmt__prim_plan *p = &w->plan;
    const uint64_t first = p->in_bytes * p->slices,
                   second = p->program->rows ? p->second_bytes : first,
                   result = htmt__prim_result_bytes(p);
    double all = 3.0 * (double)first + 2.0 * (double)second + 2.0 * (double)result;
    int rc = htmt_task_fits(task, all, "inputs and results, at both ends %.2f GiB", all / HTMT_GIB);
    if (rc)
        return rc;
    w->first = calloc(1, first);
    w->second = calloc(1, second);
    w->wanted = calloc(1, result);
    if (!w->first || !w->second || !w->wanted)
        return HTMT_ENOMEM;
    htmt__prim_fill(p, 0, w->first);
    if (p->program->pass[0].reads > 1)
        htmt__prim_fill(p, 1, w->second);
    return 0;
}

static int prepare(struct htmt_task *task, void *work, struct htmt_options *o)
{
    const struct work *w = work;
    if (o->symmetry == HTMT_FOLDED && !htmt__prim_even(&w->plan))
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "--fold: slices have %" PRIu64 " elements each, and the last ones "
                                "fewer: choose --size %" PRIu64,
                                w->plan.each, w->plan.each * w->plan.slices);
    if (o->symmetry == HTMT_FOLDED && !htmt__prim_alike(&w->plan))
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "--fold: slices have %" PRIu64 " elements each, of which %s keeps "
                                "another number in every second one: choose a --size of an even "
                                "number each",
                                w->plan.each, w->plan.program->name);
    if (o->symmetry == HTMT_FOLDED && !w->plan.hosted)
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "--fold: without a host slice 0 leads the others");
    return htmt__prim_limits(task, &w->plan);
}

/* What the outer program has from the beginning. */
static void load(struct htmt_object *object, const void *bytes)
{
    void *to = object ? htmt_object_bytes(object) : NULL;
    if (to)
        memcpy(to, bytes, htmt_object_size(object));
}

static int create(struct htmt_task *task, void *work, struct htmt_emulator *e)
{
    struct work *w = work;
    (void)task;
    w->run.plan = &w->plan;
    w->run.e = e;
    int rc = htmt__prim_tasklets_create(&w->run);
    rc = rc ? rc : htmt__prim_outer_create(&w->run);
    if (rc || !w->first)
        return rc;
    load(w->run.in[0], w->first);
    load(w->run.in[1], w->second);
    return 0;
}

/* ---- results --------------------------------------------------------------------------------- */

static int check(struct htmt_task *task, void *work)
{
    struct work *w = work;
    const struct htmt__prim_plan *p = &w->plan;
    const void *found = NULL;
    if (w->unchecked) {
        htmt_task_unchecked(task, "--check none");
        return 0;
    }
    uint64_t count = htmt__prim_reference(p, w->first, w->second, w->wanted), wrong = 0;
    const unsigned char *wanted = w->wanted;
    struct htmt_object *object = w->run.out ? w->run.out : w->run.result;
    int rc = htmt_object_fetch(object, &found);
    if (rc)
        return rc;
    for (uint64_t i = 0; i < count && found; i++)
        wrong += memcmp((const unsigned char *)found + i * p->program->bytes,
                        wanted + i * p->program->bytes, p->program->bytes) != 0;
    htmt_task_checked(task, "wrong elements", (double)wrong, 0,
                      !wrong && (found || !htmt_gathers(w->run.e)));
    htmt_task_found(task, "elements_checked", (double)count, "1");
    return 0;
}

static int conclude(struct htmt_task *task, void *work)
{
    struct work *w = work;
    return htmt__prim_conclude(task, &w->run);
}

static void destroy(struct htmt_task *task, void *work)
{
    struct work *w = work;
    (void)task;
    free(w->run.tasklet);
    free(w->run.kept);
    free(w->first);
    free(w->second);
    free(w->wanted);
}

const struct htmt_app htmt_app = {
    HTMT_APP_BEGIN,
    .name = "prim",
    .summary = "programs of the PrIM suite: processors in memory banks, led by a host",
    .options = options,
    .work_bytes = sizeof(struct work),
    .plan = plan,
    .tell = tell,
    .input = input,
    .describe = describe,
    .prepare = prepare,
    .create = create,
    .check = check,
    .conclude = conclude,
    .destroy = destroy,
    .folds = true,
    .ranks = true,
    .reads_costs = true,
    .slices = slices,
    .slices_why = "--dpus",
    .operand = "program",
    .hosted = true,
};
