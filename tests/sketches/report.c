#include "emul/report/htmt_report.h"

#include <stdio.h>

struct numbers {
    double x[8];
};

static void square(struct htmt_kernel *k)
{
    double *x = htmt_bytes(k, 0);
    *x *= *x;
    htmt_count(k, HTMT_FLOP, 1);
}

static int create(struct htmt_emulator *e, void *user) /* from the same input each time */
{
    struct numbers *n = user;
    struct htmt_object *o;
    struct htmt_type *type;
    struct htmt_type_desc d = {
        .name = "square", .home = "dram", .exec = "cram", .execute = {.kernel = square}};
    uint32_t dram = (uint32_t)htmt_emulator_layer(e, "dram");
    int rc = htmt_object_wrap(e, 0, dram, n->x, sizeof n->x, 8, "numbers", &o);
    rc = rc ? rc : htmt_type_create(e, &d, &type);
    for (uint64_t i = 0; i < 8 && !rc; i++) {
        struct htmt_addr at = htmt_in(o, i * sizeof *n->x);
        struct htmt_region region = {.from = at, .to = at, .bytes = sizeof *n->x};
        n->x[i] = (double)i;
        rc = htmt_assemble(
            htmt_root(e),
            &(struct htmt_parcel_desc){.type = type, .regions = &region, .region_count = 1}, NULL);
    }
    return rc;
}

static uint64_t digest(struct htmt_emulator *e, void *user)
{
    uint64_t sum = htmt_event_count(e);
    for (unsigned i = 0; i < 8; i++)
        sum = 31 * sum + (uint64_t)((struct numbers *)user)->x[i];
    return sum;
}

int main(void)
{
    struct numbers n;
    struct htmt_machine *machine = NULL;
    struct htmt_emulator *e = NULL;
    struct htmt_determinism_report same;
    struct htmt_fault fault = {0};
    int rc = htmt_machine_load("small-htmt", NULL, 0, &machine, &fault);
    struct htmt_options options = {.machine = machine, .threads = 2, .explain = true};
    rc = rc ? rc : htmt_emulator_create(&e, &options, &fault);
    rc = rc ? rc : create(e, &n);
    rc = rc ? rc : htmt_emulator_run(e);
    htmt_report_print(e, stdout); /* of a run that failed, too; nothing if none was made */
    htmt_emulator_destroy(&e);
    struct htmt_determinism_desc again = htmt_determinism_desc_init();
    again.options = &options;
    again.create = create;
    again.result = digest;
    again.user = &n;
    rc = rc ? rc : htmt_determinism_check(&again, &same, &fault);
    if (!rc || rc == HTMT_ENONDET)
        htmt_determinism_print(&same, stdout);
    if (fault.code)
        fprintf(stderr, "%s\n", fault.text);
    htmt_machine_destroy(&machine);
    return htmt_exit_status(rc);
}
