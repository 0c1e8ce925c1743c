/* SPDX-License-Identifier: BSD-3-Clause
 *
 * 02: regions. Parcels take their data along: here every other number of a row of a matrix in DRAM
 * comes up, and their sum goes down to another place.
 */
#include <htmt.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 64, COLUMNS = 100, EVEN = COLUMNS / 2 };

/* The kernel sees what its parcel brought, packed: region 0, and region 1, which goes back. */
static void sum_row(struct htmt_kernel *k)
{
    const double *row = htmt_bytes(k, 0);
    double *sum = htmt_bytes(k, 1);
    for (int i = 0; i < EVEN; i++)
        *sum += row[i]; /* what only goes back begins as zeros */
    htmt_count(k, HTMT_FLOP, EVEN);
}

static void set_up(struct htmt_emulator *e, double *matrix, double *sums)
{
    uint32_t dram = (uint32_t)htmt_emulator_layer(e, "dram");
    struct htmt_object *m = NULL, *s = NULL; /* the host's arrays, in the DRAM of slice 0 */
    struct htmt_type *type = NULL;
    htmt_object_wrap(e, 0, dram, matrix, ROWS * COLUMNS * 8, ROWS * COLUMNS, "matrix", &m);
    htmt_object_wrap(e, 0, dram, sums, ROWS * 8, ROWS, "sums", &s);
    struct htmt_type_desc d = {.name = "summer", .home = "dram", .exec = "cram"};
    d.execute.kernel = sum_row;
    htmt_type_create(e, &d, &type);
    for (uint64_t i = 0; i < ROWS; i++) {
        struct htmt_region up = {.from = htmt_in(m, i * COLUMNS * 8), .bytes = EVEN * 8};
        up.from_pieces = (struct htmt_pieces){.bytes = 8, .count = EVEN, .stride = 16};
        up.read_only = true;
        struct htmt_region down = {.to = htmt_in(s, i * 8), .bytes = 8};
        struct htmt_region regions[] = {up, down};
        struct htmt_parcel_desc p = {.type = type, .regions = regions, .region_count = 2};
        htmt_assemble(htmt_root(e), &p, NULL);
    }
}

static int check(const struct htmt_emulator *e, const double *sums)
{
    /* Nanoseconds: the Vortex is the bottleneck, 50 words a row at 1 word/ns. Then the last parcel
     * goes on: 100 of latency; 50 words at 5 words/ns, 20; 50 flop at 10 flop/ns; one word home. */
    double ns = ROWS * 50 + 100 + (50 / 5.0 + 20) + 50 / 10.0 + (1 / 5.0 + 20) + (1 + 100);
    int wrong = htmt_predicted(e) != (htmt_time)(ns * 1e6 + 0.5);
    for (int i = 0; i < ROWS; i++) /* of 0, 2, 4, ... 98, each plus 1000 i */
        wrong += sums[i] != EVEN * (EVEN - 1) + 1000.0 * i * EVEN;
    printf("sum of row 63: %g\n", sums[ROWS - 1]);
    printf("predicted: %lld fs\n", (long long)htmt_predicted(e));
    return wrong ? HTMT_EWRONG : 0;
}

int main(int argc, char **argv)
{
    static double matrix[ROWS * COLUMNS], sums[ROWS];
    struct htmt_machine *machine = NULL;
    struct htmt_emulator *e = NULL;
    struct htmt_fault fault = {0};
    for (int i = 0; i < ROWS * COLUMNS; i++)
        matrix[i] = 1000 * (i / COLUMNS) + i % COLUMNS;
    htmt_machine_load("small-htmt", NULL, 0, &machine, &fault);
    struct htmt_options o = {.machine = machine, .threads = argc > 1 ? (uint32_t)atoi(argv[1]) : 1};
    htmt_emulator_create(&e, &o, &fault);
    set_up(e, matrix, sums);
    int rc = htmt_emulator_run(e);
    if (rc)
        fprintf(stderr, "%s\n", e ? htmt_emulator_fault(e)->text : fault.text);
    rc = rc ? rc : check(e, sums);
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&machine);
    return htmt_exit_status(rc);
}
