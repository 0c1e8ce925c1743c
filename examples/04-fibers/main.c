/* SPDX-License-Identifier: BSD-3-Clause
 *
 * 04: fibers and sync slots. fib(n) as Threaded-C has it: an activation whose first fiber starts
 * fib(n - 1) and fib(n - 2), and whose second one runs when both have told its slot.
 *
 *   THREADED fib(SPTR done, int *GLOBAL to, int n)    struct call
 *   INIT_SYNC(0, 2, 2, 1)                             htmt_slot_set()
 *   TOKEN(fib, SLOT_ADR(0), TO_GLOBAL(&r1), n - 1)    htmt_assemble()
 *   DATA_SYNC(r1 + r2, to, done)                      the kernel writes, htmt_signal()
 *   END_FUNCTION()                                    htmt_retire()
 */
#include <htmt.h>
#include <stdio.h>

enum { N = 10, ADD = 1 }; /* number of the second fiber */
struct call {
    struct htmt_type *type;
    struct htmt_object *results;
    struct htmt_slot done; /* of the root: none */
    uint64_t to, n;        /* result number `to` is the sum of results 2 to and 2 to + 1 */
};

static void begin(struct htmt_context *c)
{
    const struct call *own = htmt_args(c);
    htmt_slot_set(c, ADD, own->n < 2 ? 1 : 2, 0);
    if (own->n < 2)
        htmt_signal(c, htmt_slot(c, ADD));
    for (uint64_t i = 0; i < 2 && own->n >= 2; i++) {
        struct call child = {own->type, own->results, htmt_slot(c, ADD), 2 * own->to + i,
                             own->n - 1 - i};
        htmt_assemble(c, &(struct htmt_parcel_desc){.type = own->type, .args = &child}, NULL);
    }
}

static void add(struct htmt_kernel *k)
{
    const struct call *own = htmt_kernel_args(k);
    const uint64_t *of = own->n < 2 ? NULL : htmt_used(k, 1);
    *(uint64_t *)htmt_used(k, 0) = of ? of[0] + of[1] : own->n;
    htmt_count(k, HTMT_CYCLE, 20);
}
static void added(struct htmt_context *c)
{
    const struct call *own = htmt_args(c);
    htmt_use(c, htmt_in(own->results, 8 * own->to), 8, HTMT_WRITE);
    if (own->n >= 2)
        htmt_use(c, htmt_in(own->results, 8 * 2 * own->to), 8 * 2, HTMT_READ);
    htmt_work(c); /* the kernel runs here: what follows happens when it has ended */
    htmt_signal(c, own->done);
    htmt_retire(c, htmt_self(c));
}

int main(void)
{
    struct htmt_machine *machine = NULL;
    struct htmt_emulator *e = NULL;
    struct call root = {.n = N, .to = 1};
    htmt_machine_load("small-htmt", NULL, 0, &machine, NULL);
    htmt_emulator_create(&e, &(struct htmt_options){.machine = machine, .threads = 2}, NULL);
    uint32_t cram = (uint32_t)htmt_emulator_layer(e, "cram");
    htmt_object_create(e, 0, cram, 8 << N, "results", &root.results);
    struct htmt_stage fiber = {.kernel = add, .control = added};
    struct htmt_type_desc d = {.name = "fib", .home = "cram", .exec = "cram", .fibers = &fiber};
    d.fiber_count = 1;
    d.execute.control = begin;
    d.args_bytes = sizeof root;
    htmt_type_create(e, &d, &root.type);
    htmt_assemble(htmt_root(e), &(struct htmt_parcel_desc){.type = root.type, .args = &root}, NULL);
    int rc = htmt_emulator_run(e);
    const uint64_t found = ((const uint64_t *)htmt_object_bytes(root.results))[1];
    const htmt_time fs = htmt_predicted(e), wanted = 177 * 20 * 100000; /* calls, cycles, 10 GHz */
    printf("fib(%d) = %llu\npredicted: %lld fs\n", N, (unsigned long long)found, (long long)fs);
    if (rc)
        fprintf(stderr, "%s\n", htmt_emulator_fault(e)->text);
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&machine);
    return rc ? htmt_exit_status(rc) : found != 55 || fs != wanted;
}
