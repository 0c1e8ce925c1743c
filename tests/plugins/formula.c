/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One parcel, whose time stands in docs/machines.md: words from the host's memory to the device, or
 * operations of a PIM.
 */
#include <htmt.h>

#include <stdlib.h>

struct work {
    uint64_t words, flop, load;
    double *data;
    struct htmt_type *type;
};

static const struct htmt_app_option options[] = {{"words", "N", "0", "that come to the device"},
                                                 {"flop", "N", "0", "operations there"},
                                                 {"load", "N", "0", "operations there"},
                                                 {NULL, NULL, NULL, NULL}};

static void kernel(struct htmt_kernel *k)
{
    (void)k;
}

static void cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct work *w = (const struct work *)user;
    (void)args;
    ops->n[HTMT_FLOP] = w->flop;
    ops->n[HTMT_LOAD] = w->load;
}

static int plan(struct htmt_task *t, void *work)
{
    struct work *w = (struct work *)work;
    int rc = htmt_task_whole(t, "words", 0, 1000, &w->words);
    rc = rc ? rc : htmt_task_whole(t, "flop", 0, 1000, &w->flop);
    return rc ? rc : htmt_task_whole(t, "load", 0, 1000, &w->load);
}

static int create(struct htmt_task *t, void *work, struct htmt_emulator *e)
{
    struct work *w = (struct work *)work;
    struct htmt_object *object = NULL;
    struct htmt_type_desc type = {.name = "formula",
                                  .home = "host",
                                  .exec = "device",
                                  .user = w,
                                  .execute = {.kernel = kernel, .cost = cost}};
    (void)t;
    w->data = (double *)calloc(1000, sizeof *w->data);
    int rc = w->data ? htmt_type_create(e, &type, &w->type) : HTMT_ENOMEM;
    if (!rc)
        rc = htmt_object_wrap(e, 0, 0, w->data, 1000 * sizeof *w->data, 1, "data", &object);
    if (rc)
        return rc;
    struct htmt_region region = {.from = htmt_in(object, 0), .bytes = 8 * w->words};
    struct htmt_parcel_desc parcel = {
        .type = w->type, .regions = &region, .region_count = w->words != 0};
    return htmt_assemble(htmt_root(e), &parcel, NULL);
}

static void destroy(struct htmt_task *t, void *work)
{
    struct work *w = (struct work *)work;
    (void)t;
    free(w->data);
}

const struct htmt_app htmt_app = {.abi = HTMT_ABI,
                                  .size = sizeof(struct htmt_app),
                                  .name = "formula",
                                  .summary = "one parcel",
                                  .options = options,
                                  .work_bytes = sizeof(struct work),
                                  .plan = plan,
                                  .create = create,
                                  .destroy = destroy};
