/* SPDX-License-Identifier: BSD-3-Clause
 *
 * 03: split-phase get. The SPELL of slice 0 sums blocks from the CRAM of slice 1. It asks for one
 * and goes on; a slot tells when it is there. So one block is on its way while another is summed.
 */
#include <htmt.h>
#include <stdio.h>

enum { BLOCKS = 8, WORDS = 400, BYTES = 8 * WORDS, SUM = 2 * WORDS };
struct getter {
    struct htmt_object *far, *near; /* blocks; buffers and the sum */
    uint32_t asked, summed;
};

/* The next block for a buffer. A get is a put whose destination is here and its source is not. */
static void ask(struct htmt_context *c, struct getter *g, uint32_t buffer)
{
    struct htmt_put get = {.src = htmt_in(g->far, BYTES * g->asked++), .bytes = BYTES};
    get.dst = htmt_in(g->near, BYTES * buffer);
    get.on_arrived = htmt_slot(c, 1 + buffer);
    htmt_put(c, &get);
}
static void begin(struct htmt_context *c) /* of the activation, which stays until it retires */
{
    ask(c, htmt_args(c), 0);
    ask(c, htmt_args(c), 1);
}
static void add(struct htmt_kernel *k)
{
    const double *block = htmt_used(k, 0); /* in the order of htmt_use() */
    for (int i = 0; i < WORDS; i++)
        *(double *)htmt_used(k, 1) += block[i];
    htmt_count(k, HTMT_FLOP, WORDS);
}
static void arrived(struct htmt_context *c) /* a fiber for each buffer: its block is there */
{
    struct getter *g = htmt_args(c);
    htmt_use(c, htmt_in(g->near, BYTES * (htmt_fiber(c) - 1)), BYTES, HTMT_READ);
    htmt_use(c, htmt_in(g->near, 8 * SUM), 8, HTMT_COMMUTE); /* either buffer may be first */
    htmt_work(c); /* the kernel runs here: what follows happens when it has ended */
    if (g->asked < BLOCKS)
        ask(c, g, htmt_fiber(c) - 1);
    if (++g->summed == BLOCKS)
        htmt_retire(c, htmt_self(c));
}

int main(void)
{
    /* Nanoseconds: a word asks and the block comes, at 2 words/ns and 20 of latency; 10 flop/ns. */
    const double ns = BLOCKS / 2 * ((0.5 + 20) + (WORDS / 2 + 20) + WORDS / 10) + WORDS / 10;
    double numbers[BLOCKS * WORDS], buffers[SUM + 1] = {0}, sum = 0;
    struct htmt_machine *machine = NULL;
    struct htmt_emulator *e = NULL;
    struct htmt_type *type = NULL;
    struct getter g = {0};
    for (int i = 0; i < BLOCKS * WORDS; i++)
        sum += numbers[i] = 7 * i % 10;
    htmt_machine_load("small-htmt", NULL, 0, &machine, NULL);
    htmt_emulator_create(&e, &(struct htmt_options){.machine = machine, .threads = 2}, NULL);
    uint32_t cram = (uint32_t)htmt_emulator_layer(e, "cram");
    htmt_object_wrap(e, 1, cram, numbers, sizeof numbers, BLOCKS * WORDS, "far", &g.far);
    htmt_object_wrap(e, 0, cram, buffers, sizeof buffers, SUM + 1, "near", &g.near);
    struct htmt_stage get = {.kernel = add, .control = arrived, .count = 1, .reset = 1};
    struct htmt_type_desc d = {.name = "getter", .home = "cram", .exec = "cram"};
    d.fibers = (struct htmt_stage[]){get, get};
    d.fiber_count = 2;
    d.execute.control = begin;
    d.args_bytes = sizeof g;
    htmt_type_create(e, &d, &type);
    htmt_assemble(htmt_root(e), &(struct htmt_parcel_desc){.type = type, .args = &g}, NULL);
    int rc = htmt_emulator_run(e);
    const htmt_time fs = htmt_predicted(e);
    printf("sum: %g\npredicted: %lld fs\n", buffers[SUM], (long long)fs);
    if (rc)
        fprintf(stderr, "%s\n", htmt_emulator_fault(e)->text);
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&machine);
    return rc ? htmt_exit_status(rc) : buffers[SUM] != sum || fs != ns * 1e6;
}
