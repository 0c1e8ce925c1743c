/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The dot product of two vectors as an application of the htmt command.
 */
#include "apps/lib/request.h"
#include "apps/lib/steps.h"
#include "examples/dot/closed_form.h"
#include "examples/dot/program.h"
#include "examples/dot/reference.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define SIZE_MOST (UINT64_C(1) << 40)
#define BLOCKS    64 /* of a slice, unless --size is given */

struct work {
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

static int plan(struct htmt_task *task, void *work)
{
    struct work *w = work;
    const struct htmt_machine *m = htmt_task_machine(task);
    struct htmt_fault *fault = htmt_task_fault(task);
    uint64_t size = 0, block = 0;
    int rc = htmt_task_whole(task, "block", 1, UINT32_MAX, &block);
    size = BLOCKS * block * m->slices;
    if (!rc)
        rc = htmt_task_whole(task, "size", 1, SIZE_MOST, &size);
    if (!rc)
        rc = htmt__dot_plan(m, size, block, &w->plan, fault);
    return rc ? rc : htmt__dot_closed_form(m, &w->plan, &w->closed, NULL, fault);
}

/* For the report of a run and for that of a prediction. */
static void name_problem(struct htmt_task *task, const struct htmt__dot_plan *p)
{
    htmt_task_problem(
        task, "x . y, %" PRIu64 " elements; %" PRIu64 " blocks of %" PRIu64 " in each slice",
        p->size, p->blocks, p->block);
    htmt_task_flops(task, 2.0 * (double)p->size);
}

static int tell(struct htmt_task *task, void *work, struct htmt_prediction *out)
{
    struct work *w = work;
    htmt_prediction_total_fs(out, w->closed);
    name_problem(task, &w->plan);
    return htmt__dot_closed_form(htmt_task_machine(task), &w->plan, &w->closed, out,
                                 htmt_task_fault(task));
}

static void describe(struct htmt_task *task, void *work)
{
    struct work *w = work;
    htmt_task_precision(task, "double");
    htmt_task_closed_form(task, w->closed, "a pipeline and an all-reduce");
    name_problem(task, &w->plan);
}

/* ---- data ------------------------------------------------------------------------------------ */

/* Uniform in [-1, 1), from the seed. */
static double draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)*state * 0x1p-63;
}

static int input(struct htmt_task *task, void *work)
{
    struct work *w = work;
    uint64_t n = w->plan.size, state = htmt_request_seed(htmt_task_request(task));
    double gib = 16.0 * (double)n;
    int rc = htmt_task_fits(task, gib, "vectors %.2f GiB", gib / HTMT_GIB);
    if (rc)
        return rc;
    w->x = calloc(n, sizeof *w->x);
    w->y = calloc(n, sizeof *w->y);
    if (!w->x || !w->y)
        return htmt_task_refuse(task, HTMT_ENOMEM, "no host memory for the vectors");
    for (uint64_t i = 0; i < n; i++) {
        w->x[i] = draw(&state);
        w->y[i] = draw(&state);
    }
    return 0;
}

/* ---- emulation ------------------------------------------------------------------------------- */

static int create(struct htmt_task *task, void *work, struct htmt_emulator *e)
{
    struct work *w = work;
    return htmt__dot_program_create(e, &w->plan, w->x, w->y, &w->program, htmt_task_fault(task));
}

static int collect(struct htmt_task *task, void *work)
{
    struct work *w = work;
    if (htmt_task_is_model(task))
        return 0;
    double *of_slice = calloc(w->plan.slices, sizeof *of_slice);
    if (!of_slice)
        return htmt_task_refuse(task, HTMT_ENOMEM, "no host memory for the results");
    int rc = htmt__dot_program_results(w->program, of_slice);
    w->result = of_slice[0];
    w->same = true;
    for (uint32_t i = 1; i < w->plan.slices; i++)
        w->same = w->same && of_slice[i] == w->result;
    free(of_slice);
    return rc;
}

static int check(struct htmt_task *task, void *work)
{
    struct work *w = work;
    double bound, reference = htmt__dot_reference(w->x, w->y, w->plan.size, &bound);
    double error = fabs(w->result - reference);
    htmt_task_checked(task, "error", error, bound, w->same && error <= bound);
    htmt_task_found(task, "dot_product", w->result, "1");
    return 0;
}

static void destroy(struct htmt_task *task, void *work)
{
    struct work *w = work;
    (void)task;
    htmt__dot_program_destroy(&w->program);
    free(w->x);
    free(w->y);
}

const struct htmt_app htmt_app = {
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
    .ranks = true,
};
