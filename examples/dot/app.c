/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The dot product of two vectors as an application of the htmt command.
 */
#include "apps/lib/request.h"
#include "apps/lib/steps.h"
#include "examples/dot/closed_form.h"
#include "examples/dot/program.h"
#include "examples/dot/reference.h"
#include "examples/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define SIZE_MOST (UINT64_C(1) << 40)
#define BLOCKS    64 /* of a slice, unless --size is given */

struct work {
    struct htmt_task task;
    struct htmt__dot_plan plan;
    htmt_wide closed; /* fs */
    double *x, *y, result;
    bool same; /* in all slices */
    struct htmt__dot_program *program;
};

static const struct htmt_app_option options[] = {
    {"size", "N", NULL, "elements of a vector; default: 64 blocks in each slice"},
    {"block", "B", "256", "elements of each vector in a parcel"},
    {NULL, NULL, NULL, NULL}};

/* ---- plan ------------------------------------------------------------------------------------ */

static int plan(void *work)
{
    struct work *w = work;
    struct htmt_fault *fault = w->task.fault;
    uint64_t size = 0, block = 0;
    int rc = htmt_request_whole(w->task.request, "block", 1, UINT32_MAX, &block, fault);
    size = BLOCKS * block * w->task.machine.slices;
    if (!rc)
        rc = htmt_request_whole(w->task.request, "size", 1, SIZE_MOST, &size, fault);
    if (!rc)
        rc = htmt__dot_plan(&w->task.machine, size, block, &w->plan, fault);
    return rc ? rc : htmt__dot_closed_form(&w->task.machine, &w->plan, &w->closed, NULL, fault);
}

static void name_problem(const struct htmt__dot_plan *p, char *text, size_t room)
{
    snprintf(text, room,
             "x . y, %" PRIu64 " elements; %" PRIu64 " blocks of %" PRIu64 " in each slice",
             p->size, p->blocks, p->block);
}

static int tell(void *work, struct htmt_prediction *out)
{
    struct work *w = work;
    out->total_s = 1e-15 * (double)w->closed;
    out->flops = 2.0 * (double)w->plan.size;
    name_problem(&w->plan, out->problem, sizeof out->problem);
    return htmt__dot_closed_form(&w->task.machine, &w->plan, &w->closed, out, w->task.fault);
}

static void describe(void *work)
{
    struct work *w = work;
    w->task.out->precision = "double";
    w->task.out->flops = 2.0 * (double)w->plan.size;
    htmt_task_closed_form(&w->task, w->closed, "a pipeline and an all-reduce");
    name_problem(&w->plan, w->task.out->problem, sizeof w->task.out->problem);
}

/* ---- data ------------------------------------------------------------------------------------ */

/* Uniform in [-1, 1), from the seed. */
static double draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)*state * 0x1p-63;
}

static int input(void *work)
{
    struct work *w = work;
    uint64_t n = w->plan.size, state = w->task.request->seed;
    double gib = 16.0 * (double)n;
    int rc = htmt_task_fits(&w->task, gib, "vectors %.2f GiB", gib / HTMT_GIB);
    if (rc)
        return rc;
    w->x = calloc(n, sizeof *w->x);
    w->y = calloc(n, sizeof *w->y);
    if (!w->x || !w->y)
        return htmt_fault_set(w->task.fault, HTMT_ENOMEM, "no host memory for the vectors");
    for (uint64_t i = 0; i < n; i++) {
        w->x[i] = draw(&state);
        w->y[i] = draw(&state);
    }
    return 0;
}

/* ---- emulation ------------------------------------------------------------------------------- */

static int create(void *work, struct htmt_emulator *e)
{
    struct work *w = work;
    return htmt__dot_program_create(e, &w->plan, w->x, w->y, &w->program, w->task.fault);
}

static int collect(void *work)
{
    struct work *w = work;
    w->same = true;
    if (w->task.model)
        return 0;
    w->result = htmt__dot_program_result(w->program, 0);
    for (uint32_t i = 1; i < w->plan.slices; i++)
        w->same = w->same && htmt__dot_program_result(w->program, i) == w->result;
    return 0;
}

static int check(void *work)
{
    struct work *w = work;
    double bound, reference = htmt__dot_reference(w->x, w->y, w->plan.size, &bound);
    double error = fabs(w->result - reference);
    htmt_task_checked(&w->task, "error", error, bound, w->same && error <= bound);
    htmt_outcome_found(w->task.out, "dot_product", w->result, "1");
    return 0;
}

static void destroy(void *work)
{
    struct work *w = work;
    htmt__dot_program_destroy(&w->program);
    free(w->x);
    free(w->y);
}

const struct htmt_app htmt_app_dot = {
    HTMT_APP_BEGIN,
    .name = "dot",
    .summary = "dot product of two vectors",
    .options = options,
    .work_bytes = sizeof(struct work),
    .plan = plan,
    .tell = tell,
    .input = input,
    .describe = describe,
    .create = create,
    .collect = collect,
    .check = check,
    .destroy = destroy,
    .folds = true,
};
