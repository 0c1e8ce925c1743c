/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An application against the installed headers alone: each slice squares a number. Other fixtures
 * are this file with a definition: KERNEL, a statement at the beginning of its kernel; CONSTRUCTOR,
 * one that runs when it is loaded; ABI and SIZE of another version; NAME of what it exports; OPTION
 * of one name more; LINKED, a program.
 */
#include <htmt.h>

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef NAME
#define NAME htmt_app
#endif
#ifndef KERNEL
#define KERNEL
#endif
#ifndef ABI
#define ABI HTMT_ABI
#endif
#ifndef SIZE
#define SIZE sizeof(struct htmt_app)
#endif

#ifdef CONSTRUCTOR
__attribute__((constructor)) static void constructor(void)
{
    CONSTRUCTOR;
}
#endif

struct work {
    uint64_t first;
    double *numbers;
    struct htmt_type *square;
};

static const struct htmt_app_option options[] = {
    {"first", "N", "3", "the number of slice 0"},
#ifdef OPTION
    {OPTION, "N", NULL, "nothing"},
#endif
    {NULL, NULL, NULL, NULL},
};

static void square(struct htmt_kernel *k)
{
    KERNEL;
    double *x = (double *)htmt_bytes(k, 0);
    *x *= *x;
    htmt_count(k, HTMT_FLOP, 1);
}

static void cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args;
    (void)user;
    ops->n[HTMT_FLOP] = 1;
}

static int plan(struct htmt_task *t, void *work)
{
    struct work *w = (struct work *)work;
    return htmt_task_whole(t, "first", 1, 1000000, &w->first);
}

static int create(struct htmt_task *t, void *work, struct htmt_emulator *e)
{
#ifdef STEP
    STEP;
#endif
    struct work *w = (struct work *)work;
    uint32_t slices = htmt_emulator_slices(e);
    int dram = htmt_emulator_layer(e, "dram");
    struct htmt_type_desc type = {.name = "square",
                                  .home = "dram",
                                  .exec = "cram",
                                  .execute = {.kernel = square, .cost = cost}};
    (void)t;
    w->numbers = (double *)calloc(slices, sizeof *w->numbers);
    int rc = w->numbers && dram >= 0 ? htmt_type_create(e, &type, &w->square) : HTMT_ENOMEM;
    for (uint32_t s = 0; s < slices && !rc; s++) {
        struct htmt_object *number;
        w->numbers[s] = (double)(w->first + s);
        rc = htmt_object_wrap(e, s, (uint32_t)dram, &w->numbers[s], sizeof *w->numbers, 1, "number",
                              &number);
        if (rc)
            return rc;
        struct htmt_region region = {
            .from = htmt_in(number, 0), .to = htmt_in(number, 0), .bytes = sizeof *w->numbers};
        struct htmt_parcel_desc parcel = {
            .type = w->square, .slice = s, .regions = &region, .region_count = 1};
        rc = htmt_assemble(htmt_root(e), &parcel, NULL);
    }
    return rc;
}

static int check(struct htmt_task *t, void *work)
{
    const struct work *w = (const struct work *)work;
    double wrong = 0;
    for (uint32_t s = 0; s < htmt_emulator_slices(htmt_task_emulator(t)); s++)
        wrong += w->numbers[s] != (double)((w->first + s) * (w->first + s));
    htmt_task_checked(t, "wrong squares", wrong, 0, wrong == 0);
    return 0;
}

static void destroy(struct htmt_task *t, void *work)
{
    struct work *w = (struct work *)work;
    (void)t;
    free(w->numbers);
}

const struct htmt_app NAME = {.abi = ABI,
                              .size = SIZE,
                              .name = "squares",
                              .summary = "a square a slice",
                              .options = options,
                              .work_bytes = sizeof(struct work),
                              .plan = plan,
                              .create = create,
                              .check = check,
                              .destroy = destroy};

#ifdef LINKED
int main(int argc, char **argv)
{
    return htmt_main(argc, argv, &NAME);
}
#endif
