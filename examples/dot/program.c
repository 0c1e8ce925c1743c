/* SPDX-License-Identifier: BSD-3-Clause */
#include "examples/dot/program.h"

#include "examples/dot/kernels.h"

#include <stdlib.h>

enum { ADD = 1, END, FIBERS = END }; /* fibers of a Sum */

struct htmt__dot_program {
    struct htmt__dot_plan plan;
    struct htmt_type *block, *sum;
    struct htmt_frame *part, *total; /* DRAM: partial sums of a slice; its sum, then all slices' */
    struct htmt_allreduce *all;
};

typedef struct htmt__dot_program program;

static const program *program_of(const void *args)
{
    return *(const program *const *)args;
}

/* ---- costs and controls ---------------------------------------------------------------------- */

static void block_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)user;
    *ops = htmt__dot_multiply_ops(program_of(args)->plan.block);
}

static void add_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)user;
    *ops = htmt__dot_add_ops(program_of(args)->plan.blocks);
}

/* Enabled when the last Block of the slice has ended. */
static void add(struct htmt_context *c)
{
    const program *p = program_of(htmt_args(c));
    uint32_t slice = htmt_slice(c);
    htmt_use(c, htmt_at(p->part, slice, 0), p->plan.blocks * HTMT_WORD, HTMT_READ);
    htmt_use(c, htmt_at(p->total, slice, 0), HTMT_WORD, HTMT_WRITE);
    htmt_work(c);
    htmt_allreduce(c, p->all, htmt_slot(c, END));
}

static void end(struct htmt_context *c)
{
    htmt_retire(c, htmt_self(c));
}

/* ---- set-up ---------------------------------------------------------------------------------- */

static int create_types(program *p, struct htmt_emulator *e)
{
    const struct htmt_machine *m = htmt_emulator_machine(e);
    const char *dram = m->layer[p->plan.outer].name, *cram = m->layer[p->plan.inner].name;
    const struct htmt_stage fibers[FIBERS] = {{.kernel = htmt__dot_add,
                                               .cost = add_cost,
                                               .control = add,
                                               .count = (uint32_t)p->plan.blocks},
                                              {.control = end, .count = 1}};
    int rc = htmt_type_create(
        e,
        &(struct htmt_type_desc){.name = "Block",
                                 .home = dram,
                                 .exec = cram,
                                 .execute = {.kernel = htmt__dot_multiply, .cost = block_cost},
                                 .in_place = true,
                                 .args_bytes = sizeof p},
        &p->block);
    return rc ? rc
              : htmt_type_create(e,
                                 &(struct htmt_type_desc){.name = "Sum",
                                                          .home = dram,
                                                          .exec = dram,
                                                          .footprint = HTMT_RESIDENT,
                                                          .fibers = fibers,
                                                          .fiber_count = FIBERS,
                                                          .gates = HTMT_GATE(HTMT_RETIRE),
                                                          .args_bytes = sizeof p},
                                 &p->sum);
}

static int create_frames(program *p, struct htmt_emulator *e)
{
    uint32_t dram = p->plan.outer;
    int rc = htmt_frame_create(e, dram, p->plan.blocks * HTMT_WORD, "partial sums", &p->part);
    if (!rc)
        rc = htmt_frame_create(e, dram, HTMT_WORD, "sum", &p->total);
    return rc ? rc
              : htmt_allreduce_create(e,
                                      &(struct htmt_allreduce_desc){.frame = p->total,
                                                                    .bytes = HTMT_WORD,
                                                                    .combine = htmt__dot_combine,
                                                                    .ops = {{[HTMT_FLOP] = 1}},
                                                                    .name = "dot product"},
                                      &p->all);
}

/* The parcel of one block; `done` counts it. */
static int start_block(const program *p, struct htmt_emulator *e, uint32_t slice, uint64_t n,
                       struct htmt_object *const vector[2], struct htmt_slot done)
{
    uint64_t bytes = p->plan.block * HTMT_WORD;
    struct htmt_region r[3] = {
        {.from = htmt_in(vector[0], n * bytes), .bytes = bytes, .read_only = true},
        {.from = htmt_in(vector[1], n * bytes), .bytes = bytes, .read_only = true},
        {.to = htmt_at(p->part, slice, n * HTMT_WORD), .bytes = HTMT_WORD, .filled = true}};
    return htmt_assemble(htmt_root(e),
                         &(struct htmt_parcel_desc){.type = p->block,
                                                    .slice = slice,
                                                    .regions = r,
                                                    .region_count = 3,
                                                    .args = &p,
                                                    .on_done = done},
                         NULL);
}

static int start_slice(const program *p, struct htmt_emulator *e, uint32_t slice, double *x,
                       double *y)
{
    uint64_t share = p->plan.blocks * p->plan.block, first = slice * share;
    uint64_t bytes = share * HTMT_WORD;
    struct htmt_object *vector[2];
    struct htmt_ref sum;
    int rc = htmt_object_wrap(e, slice, p->plan.outer, x ? x + first : NULL, bytes, share, "x",
                              &vector[0]);
    if (!rc)
        rc = htmt_object_wrap(e, slice, p->plan.outer, y ? y + first : NULL, bytes, share, "y",
                              &vector[1]);
    if (!rc)
        rc = htmt_assemble(htmt_root(e),
                           &(struct htmt_parcel_desc){.type = p->sum, .slice = slice, .args = &p},
                           &sum);
    for (uint64_t n = 0; n < p->plan.blocks && !rc; n++)
        rc = start_block(p, e, slice, n, vector, htmt_slot_of(sum, ADD));
    return rc;
}

static int fill(program *p, struct htmt_emulator *e, double *x, double *y)
{
    int rc = create_types(p, e);
    if (!rc)
        rc = create_frames(p, e);
    for (uint32_t i = 0; i < p->plan.slices && !rc; i++)
        rc = start_slice(p, e, i, x, y);
    return rc;
}

int htmt__dot_program_create(struct htmt_emulator *e, const struct htmt__dot_plan *plan, double *x,
                             double *y, struct htmt__dot_program **out, struct htmt_fault *fault)
{
    program *p = calloc(1, sizeof *p);
    if (!p)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the program");
    p->plan = *plan;
    int rc = fill(p, e, x, y);
    if (rc) {
        htmt_fault_set(fault, rc, "%s", htmt_emulator_fault(e)->text);
        free(p);
        return rc;
    }
    *out = p;
    return 0;
}

int htmt__dot_program_results(const struct htmt__dot_program *p, double *of_slice)
{
    return htmt_frame_gather(p->total, of_slice, HTMT_WORD);
}

void htmt__dot_program_destroy(struct htmt__dot_program **p)
{
    free(*p);
    *p = NULL;
}
