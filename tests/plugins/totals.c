/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An application: each slice adds its blocks of numbers, an all-reduce adds the sums, and the total
 * goes to the next slice. It uses each struct that may grow, with its size and without. PUT_SIZE is
 * what a later version might store; LINKED makes a program of it.
 */
#include <htmt.h>

#include <stdlib.h>

enum { ADD = 1, END, FIBERS = END, BLOCK = 32 };
enum { SUM, BEFORE, PARTS }; /* words of a frame: its sum, that of the slice before, of blocks */

#ifndef PUT_SIZE
#define PUT_SIZE sizeof(struct htmt_put)
#endif

struct work {
    uint32_t slices;
    uint64_t blocks, numbers; /* of a slice */
    double *x;
    struct htmt_frame *sums;
    struct htmt_allreduce *all;
    struct htmt_type *block, *sum;
};

static const struct htmt_app_option options[] = {{"blocks", "N", "4", "blocks of a slice"},
                                                 {"twice", NULL, NULL, "numbers twice as large"},
                                                 {NULL, NULL, NULL, NULL}};

/* ---- kernels ----------------------------------------------------------------------------------
 */

static void add_block(struct htmt_kernel *k)
{
    const double *x = htmt_bytes(k, 0);
    double *sum = htmt_bytes(k, 1);
    *sum = 0;
    for (int i = 0; i < BLOCK; i++)
        *sum += x[i];
    htmt_count(k, HTMT_FLOP, BLOCK);
}

static void block_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args;
    (void)user;
    ops->n[HTMT_FLOP] = BLOCK;
}

static void add_parts(struct htmt_kernel *k)
{
    const struct work *w = *(struct work *const *)htmt_kernel_args(k);
    const double *parts = htmt_used(k, 0);
    double *sum = htmt_used(k, 1);
    *sum = 0;
    for (uint64_t i = 0; i < w->blocks; i++)
        *sum += parts[i];
    htmt_count(k, HTMT_FLOP, w->blocks);
}

static void parts_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)user;
    ops->n[HTMT_FLOP] = (*(struct work *const *)args)->blocks;
}

static void combine(void *into, const void *from, uint64_t bytes)
{
    (void)bytes;
    *(double *)into += *(const double *)from;
}

/* ---- program ----------------------------------------------------------------------------------
 */

static struct htmt_addr word(const struct work *w, uint32_t slice, uint64_t number)
{
    return htmt_at(w->sums, slice, number * HTMT_WORD);
}

static void add(struct htmt_context *c)
{
    const struct work *w = *(struct work *const *)htmt_args(c);
    uint32_t slice = htmt_slice(c);
    htmt_section(c, "sum");
    htmt_use(c, word(w, slice, PARTS), w->blocks * HTMT_WORD, HTMT_READ);
    htmt_use(c, word(w, slice, SUM), HTMT_WORD, HTMT_WRITE);
    htmt_work(c);
    htmt_allreduce(c, w->all, htmt_slot(c, END));
}

static void end(struct htmt_context *c)
{
    const struct work *w = *(struct work *const *)htmt_args(c);
    uint32_t slice = htmt_slice(c), next = (slice + 1) % w->slices;
    struct htmt_put put = htmt_put_init();
    put.size = PUT_SIZE;
    put.src = word(w, slice, SUM);
    put.dst = word(w, next, BEFORE);
    put.bytes = HTMT_WORD;
    htmt_put(c, &put);
    htmt_retire(c, htmt_self(c));
}

static int create_types(struct work *w, struct htmt_emulator *e)
{
    const struct htmt_stage fibers[FIBERS] = {
        {.kernel = add_parts, .cost = parts_cost, .control = add, .count = (uint32_t)w->blocks},
        {.control = end, .count = 1}};
    struct htmt_type_desc block = {.name = "Block",
                                   .home = "dram",
                                   .exec = "cram",
                                   .execute = {.kernel = add_block, .cost = block_cost},
                                   .in_place = true};
    struct htmt_type_desc sum = htmt_type_desc_init();
    sum.name = "Sum";
    sum.home = sum.exec = "dram";
    sum.footprint = HTMT_RESIDENT;
    sum.fibers = fibers;
    sum.fiber_count = FIBERS;
    sum.gates = HTMT_GATE(HTMT_RETIRE);
    sum.args_bytes = sizeof w;
    int rc = htmt_type_create(e, &block, &w->block);
    return rc ? rc : htmt_type_create(e, &sum, &w->sum);
}

static int start_blocks(struct work *w, struct htmt_emulator *e, uint32_t slice,
                        struct htmt_ref sum)
{
    struct htmt_object *x;
    struct htmt_region r[2] = {htmt_region_init(), htmt_region_init()};
    struct htmt_parcel_desc parcel = {.type = w->block,
                                      .slice = slice,
                                      .regions = r,
                                      .region_count = 2,
                                      .on_done = htmt_slot_of(sum, ADD)};
    int rc = htmt_object_wrap(e, slice, (uint32_t)htmt_emulator_layer(e, "dram"),
                              w->x ? w->x + slice * w->numbers : NULL, w->numbers * HTMT_WORD,
                              w->numbers, "x", &x);
    for (uint64_t i = 0; i < w->blocks && !rc; i++) {
        r[0].from = htmt_in(x, i * BLOCK * HTMT_WORD);
        r[0].bytes = BLOCK * HTMT_WORD;
        r[0].read_only = r[1].filled = true;
        r[1].to = word(w, slice, PARTS + i);
        r[1].bytes = HTMT_WORD;
        rc = htmt_assemble(htmt_root(e), &parcel, NULL);
    }
    return rc;
}

/* ---- steps ------------------------------------------------------------------------------------
 */

static int plan(struct htmt_task *t, void *work)
{
    struct work *w = work;
    int rc = htmt_task_whole(t, "blocks", 1, 1000, &w->blocks);
    w->numbers = w->blocks * BLOCK;
    w->slices = htmt_task_machine(t)->slices;
    return rc;
}

static int tell(struct htmt_task *t, void *work, struct htmt_prediction *p)
{
    const struct work *w = work;
    (void)t;
    htmt_prediction_problem(p, "%llu blocks", (unsigned long long)w->blocks);
    htmt_prediction_total(p, 1e-9 * w->slices);
    return 0;
}

static int input(struct htmt_task *t, void *work)
{
    struct work *w = work;
    uint64_t count = w->numbers * w->slices;
    if (htmt_task_is_model(t))
        return 0;
    w->x = malloc(count * sizeof *w->x);
    for (uint64_t i = 0; w->x && i < count; i++)
        w->x[i] = (double)(i % 100) * (htmt_task_value(t, "twice") ? 2 : 1);
    return w->x ? 0
                : htmt_task_refuse(t, HTMT_ENOMEM, "no room for %llu numbers",
                                   (unsigned long long)count);
}

static int prepare(struct htmt_task *t, void *work, struct htmt_options *o)
{
    (void)t;
    (void)work;
    o->lint = true;
    return 0;
}

static int create(struct htmt_task *t, void *work, struct htmt_emulator *e)
{
    struct work *w = work;
    struct htmt_allreduce_desc all = {
        .bytes = HTMT_WORD, .combine = combine, .ops = {{[HTMT_FLOP] = 1}}, .name = "total"};
    (void)t;
    int rc = create_types(w, e);
    rc = rc ? rc
            : htmt_frame_create(e, (uint32_t)htmt_emulator_layer(e, "dram"),
                                (PARTS + w->blocks) * HTMT_WORD, "sums", &w->sums);
    all.frame = w->sums;
    rc = rc ? rc : htmt_allreduce_create(e, &all, &w->all);
    for (uint32_t s = 0; s < htmt_emulator_slices(e) && !rc; s++) {
        struct htmt_ref sum;
        rc = htmt_assemble(
            htmt_root(e), &(struct htmt_parcel_desc){.type = w->sum, .slice = s, .args = &w}, &sum);
        rc = rc ? rc : start_blocks(w, e, s, sum);
    }
    return rc;
}

static int check(struct htmt_task *t, void *work)
{
    const struct work *w = work;
    uint32_t slices = htmt_emulator_slices(htmt_task_emulator(t));
    double total = 0, wrong = 0;
    for (uint64_t i = 0; i < w->numbers * slices; i++)
        total += w->x[i];
    for (uint32_t s = 0; s < slices; s++) {
        const double *sums = htmt_object_bytes(word(w, s, SUM).object);
        wrong += (sums[SUM] != total) + (sums[BEFORE] != total);
    }
    htmt_task_checked(t, "wrong totals", wrong, 0, wrong == 0);
    htmt_task_found(t, "total", total, "1");
    htmt_task_note(t, "%u slices", slices);
    return 0;
}

static void destroy(struct htmt_task *t, void *work)
{
    (void)t;
    free(((struct work *)work)->x);
}

const struct htmt_app htmt_app = {HTMT_APP_BEGIN,
                                  .name = "total",
                                  .summary = "a sum over all slices",
                                  .options = options,
                                  .work_bytes = sizeof(struct work),
                                  .plan = plan,
                                  .tell = tell,
                                  .input = input,
                                  .prepare = prepare,
                                  .create = create,
                                  .check = check,
                                  .destroy = destroy};

#ifdef LINKED
int main(int argc, char **argv)
{
    return htmt_main(argc, argv, &htmt_app);
}
#endif
