/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A small application for tests of the command: parcels square numbers, and options make it fail in
 * every way that the command must tell apart. Included once per test program.
 */
#ifndef HTMT_TESTS_EMUL_SQUARES_H
#define HTMT_TESTS_EMUL_SQUARES_H

#include "apps/lib/request.h"
#include "apps/lib/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SQUARES_COUNT,
    SQUARES_WRONG,
    SQUARES_STUCK,
    SQUARES_RACY,
    SQUARES_REFUSE,
    SQUARES_STEEP,
    SQUARES_LEAVE
};

static const struct htmt_app_option squares_rows[] = {
    {"count", "N", "8", "numbers to square"},
    {"wrong", NULL, NULL, "spoil one result"},
    {"stuck", NULL, NULL, "leave a gate closed"},
    {"racy", NULL, NULL, "let the host's threads decide the work of the third parcel"},
    {"refuse", NULL, NULL, "find the input bad"},
    {"steep", NULL, NULL, "let the data of a run decide the work of the third parcel"},
    {"leave", NULL, NULL, "leave a signal of two"},
    {NULL, NULL, NULL, NULL},
};

static const char *squares_asked(const struct htmt_request *r, unsigned row)
{
    return htmt_request_value(r, squares_rows[row].name);
}

static void squares_kernel(struct htmt_kernel *k)
{
    double *x = htmt_bytes(k, 0);
    const uint64_t *flops = htmt_kernel_args(k);
    *x *= *x;
    htmt_count(k, HTMT_FLOP, *flops);
}

static void squares_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)user;
    ops->n[HTMT_FLOP] = *(const uint64_t *)args;
}

static int squares_assemble(const struct htmt_request *r, struct htmt_emulator *e,
                            const struct htmt_type *type, struct htmt_object *numbers, uint64_t i)
{
    uint64_t flops = 1 + (squares_asked(r, SQUARES_RACY) && i == 2 ? htmt_request_threads(r) : 0);
    if (squares_asked(r, SQUARES_STEEP) && i == 2 && htmt_request_mode(r) == HTMT_RUN)
        flops += 1000000;
    struct htmt_addr at = htmt_in(numbers, i * sizeof(double));
    struct htmt_region region = {.from = at, .to = at, .bytes = sizeof(double)};
    struct htmt_parcel_desc p = {
        .type = type, .regions = &region, .region_count = 1, .args = &flops};
    return htmt_assemble(htmt_root(e), &p, NULL);
}

static void squares_signal(struct htmt_context *c)
{
    htmt_slot_set(c, 1, 2, 0);
    htmt_signal(c, htmt_slot(c, 1));
    htmt_retire(c, htmt_self(c));
}

static int squares_leave(struct htmt_emulator *e)
{
    static const struct htmt_stage fiber = {.control = squares_signal};
    struct htmt_type *type;
    struct htmt_type_desc d = {.name = "leaver",
                               .home = "cram",
                               .exec = "cram",
                               .execute = {.control = squares_signal},
                               .fibers = &fiber,
                               .fiber_count = 1};
    int rc = htmt_type_create(e, &d, &type);
    return rc ? rc : htmt_assemble(htmt_root(e), &(struct htmt_parcel_desc){.type = type}, NULL);
}

static int squares_set_up(const struct htmt_request *r, struct htmt_emulator *e, double *x,
                          uint64_t count)
{
    uint32_t dram = (uint32_t)htmt_emulator_layer(e, "dram");
    struct htmt_object *numbers;
    struct htmt_type *type;
    struct htmt_type_desc d = {.name = "square",
                               .home = "dram",
                               .exec = "cram",
                               .execute = {.kernel = squares_kernel, .cost = squares_cost},
                               .args_bytes = sizeof(uint64_t)};
    if (squares_asked(r, SQUARES_STUCK))
        d.gates = HTMT_GATE(HTMT_EXECUTE);
    int rc = htmt_object_wrap(e, 0, dram, x, count * sizeof *x, 8, "numbers", &numbers);
    rc = rc ? rc : htmt_type_create(e, &d, &type);
    for (uint64_t i = 0; i < count && !rc; i++)
        rc = squares_assemble(r, e, type, numbers, i);
    return rc || !squares_asked(r, SQUARES_LEAVE) ? rc : squares_leave(e);
}

/* ---- steps ---------------------------------------------------------------------------------- */

struct squares_work {
    double *x;
    uint64_t count;
};

static int squares_plan(struct htmt_task *task, void *work)
{
    struct squares_work *w = work;
    w->count = strtoull(squares_asked(htmt_task_request(task), SQUARES_COUNT), NULL, 10);
    return 0;
}

static int squares_tell(struct htmt_task *task, void *work, struct htmt_prediction *p)
{
    const struct squares_work *w = work;
    (void)task;
    htmt_prediction_flops(p, (double)w->count);
    htmt_prediction_total(p, (double)w->count * 1e-9);
    htmt_prediction_term(p, &(struct htmt_term){.name = "T",
                                                .meaning = "square all",
                                                .value = (double)w->count * 1e-9,
                                                .unit = "s",
                                                .expression = "n t_flop",
                                                .inputs = "n = 8; t_flop = 1 ns"});
    return 0;
}

static void squares_describe(struct htmt_task *task, void *work)
{
    const struct squares_work *w = work;
    htmt_task_precision(task, "double");
    htmt_task_flops(task, (double)w->count);
    htmt_task_kernel_set(task, "plain C");
    htmt_task_problem(task, "%s squares", squares_asked(htmt_task_request(task), SQUARES_COUNT));
}

static int squares_prepare(struct htmt_task *task, void *work, struct htmt_options *options)
{
    struct squares_work *w = work;
    (void)options;
    if (squares_asked(htmt_task_request(task), SQUARES_REFUSE))
        return htmt_fault_set(htmt_task_fault(task), HTMT_EFORMAT, "the input is bad");
    w->x = calloc(w->count + 1, sizeof *w->x);
    for (uint64_t i = 0; i < w->count && w->x; i++)
        w->x[i] = (double)i;
    return w->x ? 0 : htmt_fault_set(htmt_task_fault(task), HTMT_ENOMEM, "no host memory");
}

static int squares_create(struct htmt_task *task, void *work, struct htmt_emulator *e)
{
    const struct squares_work *w = work;
    int rc = squares_set_up(htmt_task_request(task), e, w->x, w->count);
    return rc ? htmt_fault_set(htmt_task_fault(task), rc, "%s", htmt_emulator_fault(e)->text) : 0;
}

static int squares_collect(struct htmt_task *task, void *work)
{
    const struct squares_work *w = work;
    double off = squares_asked(htmt_task_request(task), SQUARES_WRONG) ? 1 : 0;
    for (uint64_t i = 0; i < w->count; i++)
        off += w->x[i] == (double)(i * i) ? 0 : 1;
    if (!htmt_task_is_model(task))
        htmt_task_checked(task, "squares that differ", off, 0, !(off > 0));
    htmt_task_found(task, "largest", w->count ? w->x[w->count - 1] : 0, "1");
    return 0;
}

static void squares_destroy(struct htmt_task *task, void *work)
{
    (void)task;
    free(((struct squares_work *)work)->x);
}

static const struct htmt_app_option squares_table_rows[] = {
    {"most", "N", "3", "the last number of the table"},
    {"seed", "N", NULL, "is printed"},
    {NULL, NULL, NULL, NULL},
};

static int squares_table(const struct htmt_request *r, FILE *out, struct htmt_fault *fault)
{
    int most = atoi(htmt_request_value(r, "most"));
    if (most > 9)
        return htmt_fault_set(fault, HTMT_ERANGE, "--most: found %d, expected 1 to 9", most);
    for (int i = 1; i <= most; i++)
        fprintf(out, "%d squared is %d\n", i, i * i);
    fprintf(out, "seed %d\n", (int)htmt_request_seed(r));
    return 0;
}

static const struct htmt_app_verb squares_verbs[] = {
    {"table", "print a table of squares", squares_table_rows, squares_table},
    {NULL, NULL, NULL, NULL},
};

static const struct htmt_app squares = {
    HTMT_APP_BEGIN,
    .name = "squares",
    .summary = "square numbers",
    .options = squares_rows,
    .work_bytes = sizeof(struct squares_work),
    .plan = squares_plan,
    .tell = squares_tell,
    .describe = squares_describe,
    .prepare = squares_prepare,
    .create = squares_create,
    .collect = squares_collect,
    .destroy = squares_destroy,
    .verbs = squares_verbs,
};

#endif
