/* SPDX-License-Identifier: BSD-3-Clause
 *
 * 05: reduction. Every slice sums the squares of its numbers; a tree over the slices adds the sums
 * in a fixed order and leaves the total in slice 0.
 */
#include <htmt.h>
#include <stdio.h>

enum { SLICES = 4, N = 500, BYTES = 8 * N };

struct norm {
    struct htmt_frame *numbers, *sum; /* a frame: the same object in every slice */
    struct htmt_tree *tree;
};

static void square(struct htmt_kernel *k)
{
    const double *x = htmt_used(k, 0);
    double *sum = htmt_used(k, 1);
    for (int i = 0; i < N; i++)
        *sum += x[i] * x[i];
    htmt_count(k, HTMT_FLOP, 2 * N);
}

static void begin(struct htmt_context *c)
{
    const struct norm *s = htmt_args(c);
    htmt_use(c, htmt_at(s->numbers, htmt_slice(c), 0), BYTES, HTMT_READ);
    htmt_use(c, htmt_at(s->sum, htmt_slice(c), 0), 8, HTMT_UPDATE);
    htmt_work(c);
    /* Every slice joins, here when its kernel has ended. A slot could tell when its part of the
     * frame is its own again; nobody waits for that here. */
    htmt_reduce(c, s->tree, (struct htmt_slot){0});
}

static void add(void *into, const void *from, uint64_t bytes)
{
    (void)bytes;
    *(double *)into += *(const double *)from;
}

int main(void)
{
    /* Nanoseconds: 1000 flop at 10 flop/ns; two levels of the tree, each a word and an addition. */
    const double ns = 100 + 2 * (0.5 + 20 + 0.1), total = 2000. * 2001 * 4001 / 6;
    double numbers[SLICES][N], sum[SLICES] = {0};
    struct htmt_machine *machine = NULL;
    struct htmt_emulator *e = NULL;
    struct htmt_type *type = NULL;
    struct norm s = {0};
    for (int i = 0; i < SLICES * N; i++)
        numbers[i / N][i % N] = i + 1;
    htmt_machine_load("small-htmt", NULL, 0, &machine, NULL);
    htmt_emulator_create(&e, &(struct htmt_options){.machine = machine, .threads = 2}, NULL);
    uint32_t cram = (uint32_t)htmt_emulator_layer(e, "cram");
    htmt_frame_create(e, cram, BYTES, "numbers", &s.numbers);
    htmt_frame_create(e, cram, 8, "sum", &s.sum);
    htmt_frame_load(s.numbers, numbers, BYTES); /* numbers[i] to slice i */
    struct htmt_tree_desc tree = {.frame = s.sum, .bytes = 8, .combine = add, .name = "total"};
    tree.ops.n[HTMT_FLOP] = 1;
    htmt_tree_create(e, &tree, &s.tree);
    struct htmt_type_desc d = {.name = "norm", .home = "cram", .exec = "cram"};
    d.execute = (struct htmt_stage){.kernel = square, .control = begin};
    d.footprint = HTMT_RESIDENT; /* its kernel uses objects */
    d.args_bytes = sizeof s;
    htmt_type_create(e, &d, &type);
    struct htmt_parcel_desc p = {.type = type, .args = &s};
    for (p.slice = 0; p.slice < SLICES; p.slice++)
        htmt_assemble(htmt_root(e), &p, NULL);
    int rc = htmt_emulator_run(e);
    htmt_frame_gather(s.sum, sum, 8);
    printf("sum: %g\npredicted: %lld fs\n", sum[0], (long long)htmt_predicted(e));
    if (rc)
        fprintf(stderr, "%s\n", htmt_emulator_fault(e)->text);
    bool wrong = sum[0] != total || htmt_predicted(e) != (htmt_time)(ns * 1e6 + 0.5);
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&machine);
    return rc ? htmt_exit_status(rc) : wrong;
}
