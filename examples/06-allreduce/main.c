/* SPDX-License-Identifier: BSD-3-Clause
 *
 * 06: all-reduce. Every slice learns the sum over all slices and divides its numbers by it. No
 * slice can divide before all have added: an all-reduce is a barrier, too.
 */
#include <htmt.h>
#include <stdio.h>

enum { SLICES = 4, N = 500, BYTES = 8 * (N + 1), DIVIDE = 1 };

struct mean {
    struct htmt_frame *x; /* the sum, then N numbers */
    struct htmt_allreduce *sum;
};

static void add(void *into, const void *from, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes / 8; i++)
        ((double *)into)[i] += ((const double *)from)[i];
}

static void visit(struct htmt_kernel *k) /* of both fibers */
{
    double *x = htmt_used(k, 0);
    for (int i = 1; i <= N; i++)
        htmt_kernel_fiber(k) == DIVIDE ? (x[i] /= x[0]) : (x[0] += x[i]);
    htmt_count(k, HTMT_FLOP, N);
}

static void both(struct htmt_context *c)
{
    const struct mean *m = htmt_args(c);
    htmt_use(c, htmt_at(m->x, htmt_slice(c), 0), BYTES, HTMT_UPDATE);
    htmt_work(c); /* what follows happens when the kernel has ended */
    if (htmt_fiber(c) == DIVIDE)
        htmt_retire(c, htmt_self(c));
    else
        htmt_allreduce(c, m->sum, htmt_slot(c, DIVIDE));
}

int main(void)
{
    /* Nanoseconds: twice 500 flop; between them two exchanges of a word, each with an addition. */
    const double ns = 50 + 2 * (0.5 + 20 + 0.1) + 50, total = 2000 * 2001 / 2;
    double x[SLICES][N + 1] = {{0}};
    struct htmt_machine *machine = NULL;
    struct htmt_emulator *e = NULL;
    struct htmt_type *type = NULL;
    struct mean m = {0};
    for (int i = 0; i < SLICES * N; i++)
        x[i / N][1 + i % N] = i + 1;
    htmt_machine_load("small-htmt", NULL, 0, &machine, NULL);
    htmt_emulator_create(&e, &(struct htmt_options){.machine = machine, .threads = 2}, NULL);
    htmt_frame_create(e, (uint32_t)htmt_emulator_layer(e, "cram"), BYTES, "x", &m.x);
    htmt_frame_load(m.x, x, BYTES); /* x[i] to slice i */
    struct htmt_allreduce_desc sum = {.frame = m.x, .bytes = 8, .combine = add, .ops = {{0, 1}}};
    htmt_allreduce_create(e, &sum, &m.sum);
    struct htmt_stage stage = {.kernel = visit, .control = both, .count = 1};
    struct htmt_type_desc d = {.name = "mean", .home = "cram", .exec = "cram", .execute = stage};
    d.fibers = &stage;
    d.fiber_count = 1;
    d.footprint = HTMT_RESIDENT; /* its kernels use objects */
    d.args_bytes = sizeof m;
    htmt_type_create(e, &d, &type);
    struct htmt_parcel_desc p = {.type = type, .args = &m};
    for (p.slice = 0; p.slice < SLICES; p.slice++)
        htmt_assemble(htmt_root(e), &p, NULL);
    int rc = htmt_emulator_run(e);
    htmt_frame_gather(m.x, x, BYTES);
    printf("sum: %g, last: %g\n", x[0][0], x[3][N]);
    printf("predicted: %lld fs\n", (long long)htmt_predicted(e));
    if (rc)
        fprintf(stderr, "%s\n", htmt_emulator_fault(e)->text);
    bool wrong = x[3][0] != total || x[3][N] != SLICES * N / total || htmt_predicted(e) != ns * 1e6;
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&machine);
    return rc ? htmt_exit_status(rc) : wrong;
}
