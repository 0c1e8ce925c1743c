/* SPDX-License-Identifier: BSD-3-Clause
 *
 * 13: resident state and its price. Blocks that come up by parcels are multiplied by a table that
 * stays in the CRAM. That departs from percolation, where parcels bring all that they need. A run
 * with `lint` counts such uses and prices the moves that they save, one by one.
 */
#include <htmt.h>
#include <stdio.h>

enum { BLOCKS = 10, N = 200, BYTES = 8 * N };

struct multiplier {
    struct htmt_object *table;
};

static void multiply(struct htmt_kernel *k)
{
    double *x = htmt_bytes(k, 0);          /* what the parcel brought */
    const double *table = htmt_used(k, 0); /* what the control named */
    for (int i = 0; i < N; i++)
        x[i] *= table[i];
    htmt_count(k, HTMT_FLOP, N);
}

static void name_table(struct htmt_context *c)
{
    const struct multiplier *m = htmt_args(c);
    htmt_use(c, htmt_in(m->table, 0), BYTES, HTMT_READ);
}

int main(void)
{
    /* Nanoseconds. The RTI is the bottleneck, with 200 words a block at 5 words/ns and 20 of
     * latency. The last block is multiplied at 10 flop/ns and goes down. The table costs as much as
     * a block. */
    const double move = N / 5 + 20, ns = BLOCKS * N / 5 + 20 + N / 10 + move, price = BLOCKS * move;
    double x[BLOCKS * N], table[N];
    struct htmt_machine *machine = NULL;
    struct htmt_emulator *e = NULL;
    struct htmt_type *type = NULL;
    struct htmt_object *blocks = NULL;
    struct multiplier m = {0};
    struct htmt_departure_report resident = {0};
    for (int i = 0; i < BLOCKS * N; i++)
        x[i] = table[i % N] = i % N;
    htmt_machine_load("small-htmt", NULL, 0, &machine, NULL);
    struct htmt_options o = {.machine = machine, .threads = 2, .lint = true};
    htmt_emulator_create(&e, &o, NULL);
    uint32_t sram = (uint32_t)htmt_emulator_layer(e, "sram");
    htmt_object_wrap(e, 0, sram, x, sizeof x, BLOCKS * N, "blocks", &blocks);
    htmt_object_wrap(e, 0, sram + 1, table, BYTES, N, "table", &m.table);
    struct htmt_type_desc d = {.name = "multiplier", .home = "sram", .exec = "cram"};
    d.execute = (struct htmt_stage){.kernel = multiply, .control = name_table};
    d.footprint = HTMT_RESIDENT;          /* its kernel uses objects */
    d.departures = HTMT_DEPARTS_RESIDENT; /* the type says so; the run shows how much */
    d.args_bytes = sizeof m;
    htmt_type_create(e, &d, &type);
    struct htmt_blocked block = {.at = htmt_in(blocks, 0), .block = BYTES, .use = HTMT_UPDATE};
    struct htmt_blocks_desc each = {
        .type = type, .blocked = &block, .blocked_count = 1, .args = &m};
    htmt_blocks(htmt_root(e), &each, NULL); /* a parcel for each block, up and down */
    int rc = htmt_emulator_run(e);
    for (uint32_t i = 0; i < htmt_departure_count(e) && resident.kind != HTMT_DEPARTS_RESIDENT; i++)
        htmt_departure_at(e, i, &resident);
    printf("%llu uses of %lld words in all, price %lld fs\npredicted: %lld fs\n",
           (unsigned long long)resident.count, (long long)resident.words, (long long)resident.time,
           (long long)htmt_predicted(e));
    if (rc)
        fprintf(stderr, "%s\n", htmt_emulator_fault(e)->text);
    bool wrong = htmt_predicted(e) != ns * 1e6 || (double)resident.time != price * 1e6;
    for (int i = 0; i < BLOCKS * N; i++)
        wrong |= x[i] != i % N * (i % N);
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&machine);
    return rc ? htmt_exit_status(rc) : wrong;
}
