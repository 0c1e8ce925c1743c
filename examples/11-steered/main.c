/* SPDX-License-Identifier: BSD-3-Clause
 *
 * 11: steered by data. Newton's method for a square root in every slice, a step to a parcel. The
 * control at home looks at the result of the kernel and assembles another parcel, or none.
 */
#include <htmt.h>
#include <math.h>
#include <stdio.h>

enum { SLICES = 4, FLOPS = 100 };

struct newton {
    struct htmt_type *type;
    struct htmt_frame *x; /* a number, and its root so far */
};
static void step(struct htmt_kernel *k)
{
    double *x = htmt_bytes(k, 0), last = x[1];
    x[1] = (last + x[0] / last) / 2;
    *(bool *)htmt_kernel_result(k) = x[1] == last;
    htmt_count(k, HTMT_FLOP, FLOPS);
}

static void start(struct htmt_context *c, const struct newton *n, uint32_t slice)
{
    struct htmt_region x = {.from = htmt_at(n->x, slice, 0), .bytes = 16};
    x.to = x.from;
    struct htmt_parcel_desc p = {.type = n->type, .slice = slice, .regions = &x, .args = n};
    p.region_count = 1;
    htmt_assemble(c, &p, NULL);
}

static void steer(struct htmt_context *c) /* steered: when its parcel's kernels have run */
{
    const bool *done = htmt_result(c); /* NULL in a model run, which has no data */
    if (done && !*done)
        start(c, htmt_args(c), htmt_slice(c));
}

int main(void)
{
    double x[SLICES][2] = {{2, 2}, {9, 9}, {1e6, 1e6}, {1e9, 1e9}};
    struct htmt_machine *machine = NULL;
    struct htmt_emulator *e = NULL;
    struct newton n = {0};
    htmt_time most = 0;
    htmt_machine_load("small-htmt", NULL, 0, &machine, NULL);
    htmt_emulator_create(&e, &(struct htmt_options){.machine = machine, .threads = 2}, NULL);
    htmt_frame_create(e, (uint32_t)htmt_emulator_layer(e, "dram"), 16, "x", &n.x);
    htmt_frame_load(n.x, x, 16);
    struct htmt_type_desc d = {.name = "newton", .home = "dram", .exec = "cram"};
    d.execute.kernel = step;
    d.scatter = (struct htmt_stage){.control = steer, .steered = true};
    d.args_bytes = sizeof n;
    d.result_bytes = sizeof(bool);
    htmt_type_create(e, &d, &n.type);
    for (uint32_t i = 0; i < SLICES; i++)
        start(htmt_root(e), &n, i);
    int rc = htmt_emulator_run(e);
    bool wrong = false;
    htmt_frame_gather(n.x, x, 16);
    for (int i = 0; i < SLICES; i++) {
        htmt_time steps = 1;
        for (double last = x[i][0], r; (r = (last + x[i][0] / last) / 2) != last; last = r)
            steps++;
        most = steps > most ? steps : most;
        wrong |= fabs(x[i][1] - sqrt(x[i][0])) > 1e-15 * x[i][1];
        printf("root of %g: %.12g in %d steps\n", x[i][0], x[i][1], (int)steps);
    }
    /* Nanoseconds a step: two words up and down, over two networks; 100 flop at 10 flop/ns. */
    wrong |= htmt_predicted(e) != most * (2 * (2 + 100) * 10 + 2 * 204 + 100) * 100000;
    printf("predicted: %lld fs\n", (long long)htmt_predicted(e));
    if (rc)
        fprintf(stderr, "%s\n", htmt_emulator_fault(e)->text);
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&machine);
    return rc ? htmt_exit_status(rc) : wrong;
}
