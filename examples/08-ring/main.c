/* SPDX-License-Identifier: BSD-3-Clause
 *
 * 08: a ring. Every body pulls every other one by a spring. The slices hand blocks of bodies round;
 * each adds up the forces of the block that visits, then puts it into the next slice.
 */
#include <htmt.h>
#include <stdio.h>

enum { SLICES = 4, N = 50, BYTES = 8 * N };
struct ring {
    struct htmt_frame *f; /* a slice's bodies, their forces, visitors of even and of odd steps */
    uint32_t step;
};
static void pull(struct htmt_kernel *k)
{
    double *x = htmt_used(k, 0), *force = htmt_used(k, 1), *visitor = htmt_used(k, 2);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            force[i] += visitor[j] - x[i];
    htmt_count(k, HTMT_FLOP, 2 * N * N);
}
static void turn(struct htmt_context *c)
{
    struct ring *r = htmt_args(c);
    uint32_t i = htmt_slice(c), odd = r->step++ % 2;
    struct htmt_put put = {.src = htmt_at(r->f, i, BYTES * (2 + odd)), .bytes = BYTES};
    htmt_use(c, htmt_at(r->f, i, 0), BYTES, HTMT_READ);
    htmt_use(c, htmt_at(r->f, i, BYTES), BYTES, HTMT_COMMUTE); /* forces, in any order */
    htmt_use(c, put.src, BYTES, HTMT_READ);
    htmt_work(c); /* what follows happens when the kernel has ended */
    /* A step waits for two signals: its block has come, and the next slice has passed on the block
     * that this step will replace. As a slice may be late, even and odd steps have slots each. */
    struct htmt_slot slot = htmt_slot(c, 2 - odd);
    put.dst = htmt_at(r->f, (i + 1) % SLICES, BYTES * (3 - odd));
    put.on_arrived = htmt_slot_in(slot, (i + 1) % SLICES); /* the same slot in the other slice */
    put.on_sent = htmt_slot_in(slot, (i + SLICES - 1) % SLICES);
    if (r->step < SLICES)
        htmt_put(c, &put);
    else
        htmt_retire(c, htmt_self(c));
}

int main(void)
{
    /* Nanoseconds: 10 flop/ns; 50 words leave at 2 words/ns, then a word says so, 20 of latency. */
    const double ns = SLICES * 2 * N * N / 10 + (SLICES - 1) * (N / 2 + 0.5 + 20);
    double b[SLICES][4][N] = {0}, sum = 0;
    struct htmt_machine *machine = NULL;
    struct htmt_emulator *e = NULL;
    struct htmt_type *type = NULL;
    struct ring r = {0};
    for (int i = 0; i < SLICES * N; i++)
        sum += b[i / N][0][i % N] = b[i / N][2][i % N] = i * i;
    htmt_machine_load("small-htmt", NULL, 0, &machine, NULL);
    htmt_emulator_create(&e, &(struct htmt_options){.machine = machine, .threads = 2}, NULL);
    htmt_frame_create(e, (uint32_t)htmt_emulator_layer(e, "cram"), 4 * BYTES, "bodies", &r.f);
    htmt_frame_load(r.f, b, 4 * BYTES);
    struct htmt_stage stage = {.kernel = pull, .control = turn, .count = 2, .reset = 2};
    struct htmt_type_desc d = {.name = "ring", .home = "cram", .exec = "cram", .execute = stage};
    d.fibers = (struct htmt_stage[]){stage, stage};
    d.fiber_count = 2;
    d.footprint = HTMT_RESIDENT; /* its kernels use objects */
    d.args_bytes = sizeof r;
    htmt_type_create(e, &d, &type);
    struct htmt_parcel_desc p = {.type = type, .args = &r};
    for (p.slice = 0; p.slice < SLICES; p.slice++)
        htmt_assemble(htmt_root(e), &p, NULL);
    int rc = htmt_emulator_run(e);
    htmt_frame_gather(r.f, b, 4 * BYTES);
    bool wrong = htmt_predicted(e) != ns * 1e6;
    for (int i = 0; i < SLICES * N; i++)
        wrong |= b[i / N][1][i % N] != sum - SLICES * N * b[i / N][0][i % N];
    printf("last: %g\npredicted: %lld fs\n", b[3][1][N - 1], (long long)htmt_predicted(e));
    if (rc)
        fprintf(stderr, "%s\n", htmt_emulator_fault(e)->text);
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&machine);
    return rc ? htmt_exit_status(rc) : wrong;
}
