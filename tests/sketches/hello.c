/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/htmt.h"

#include <stdio.h>

static void square(struct htmt_kernel *k) /* on the SPELL, on what its parcel brought */
{
    double *x = htmt_bytes(k, 0);
    *x *= *x;
    htmt_count(k, HTMT_FLOP, 1);
}

int main(void)
{
    double x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct htmt_machine *machine = NULL;
    struct htmt_emulator *e = NULL;
    struct htmt_object *numbers;
    struct htmt_type *type;
    struct htmt_fault fault = {0}; /* the line that says what is wrong */
    int rc = htmt_machine_load("small-htmt", NULL, 0, &machine, &fault);
    rc = rc ? rc : htmt_emulator_create(&e, &(struct htmt_options){.machine = machine}, &fault);
    uint32_t dram = rc ? 0 : (uint32_t)htmt_emulator_layer(e, "dram");
    rc = rc ? rc : htmt_object_wrap(e, 0, dram, x, sizeof x, 8, "numbers", &numbers);
    struct htmt_type_desc d = {.name = "sq", .home = "dram", .exec = "cram", .execute = {square}};
    rc = rc ? rc : htmt_type_create(e, &d, &type);
    for (uint64_t i = 0; i < 8 && !rc; i++) { /* a parcel carries one number up, and down again */
        struct htmt_addr at = htmt_in(numbers, i * sizeof *x);
        struct htmt_region region = {.from = at, .to = at, .bytes = sizeof *x};
        struct htmt_parcel_desc p = {.type = type, .regions = &region, .region_count = 1};
        rc = htmt_assemble(htmt_root(e), &p, NULL);
    }
    rc = rc ? rc : htmt_emulator_run(e);
    rc ? fprintf(stderr, "%s\n", e ? htmt_emulator_fault(e)->text : fault.text)
       : printf("8 squared is %g, after %lld fs\n", x[7], (long long)htmt_predicted(e));
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&machine);
    return htmt_exit_status(rc);
}
