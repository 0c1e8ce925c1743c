/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Emulators of a machine with a host: upmem-p21 at 1 GHz, so that a cycle is a nanosecond.
 */
#ifndef HTMT_TESTS_PARCELS_BANKED_H
#define HTMT_TESTS_PARCELS_BANKED_H

#include "parcels/htmt.h"
#include "tests/layers/machines.h"

#include <criterion/criterion.h>

#define NS INT64_C(1000000)

struct banked {
    struct htmt_emulator *e;
    uint32_t host, bank, scratch;
};

static inline struct banked banked_load(struct htmt_options o, const char *file,
                                        const char *const *set, unsigned count)
{
    struct htmt_fault fault = {0};
    struct banked b = {0};
    struct htmt_machine *m = machine_load_sets(file, set, count);
    o.size = sizeof o;
    o.machine = m;
    cr_assert_eq(htmt_emulator_create(&b.e, &o, &fault), 0, "%s", fault.text);
    htmt_machine_destroy(&m);
    b.host = (uint32_t)htmt_emulator_layer(b.e, "host");
    b.bank = (uint32_t)htmt_emulator_layer(b.e, "mram");
    b.scratch = (uint32_t)htmt_emulator_layer(b.e, "wram");
    return b;
}

static inline struct banked banked_open(struct htmt_options o, const char *more)
{
    static const char *const base[] = {"layers.wram.processor.clock=1 GHz",
                                       "networks.dma.latency.read=42.4 cycles",
                                       "networks.dma.latency.write=42.4 cycles"};
    const char *set[4] = {base[0], base[1], base[2], more};
    return banked_load(o, "machines/upmem-p21.yaml", set, more ? 4 : 3);
}

static inline struct htmt_type *banked_type(const struct banked *b, struct htmt_type_desc d)
{
    struct htmt_type *type = NULL;
    d.size = sizeof d;
    cr_assert_eq(htmt_type_create(b->e, &d, &type), 0, "%s", htmt_emulator_fault(b->e)->text);
    return type;
}

/* A type of threads: TASKLET(&b, .execute = {.control = run}). */
#define TASKLET(b, ...)                                                                            \
    banked_type(b, (struct htmt_type_desc){                                                        \
                       .name = "tasklet", .home = "wram", .exec = "wram", __VA_ARGS__})

static inline struct htmt_ref banked_start(const struct banked *b, uint32_t slice,
                                           const struct htmt_type *type, const void *args)
{
    struct htmt_ref ref = {0};
    const struct htmt_parcel_desc d = {.type = type, .slice = slice, .args = args};
    cr_assert_eq(htmt_assemble(htmt_root(b->e), &d, &ref), 0, "%s",
                 htmt_emulator_fault(b->e)->text);
    return ref;
}

static inline htmt_time banked_run(const struct banked *b)
{
    struct htmt_fault audit = {0};
    cr_assert_eq(htmt_emulator_run(b->e), 0, "%s", htmt_emulator_fault(b->e)->text);
    cr_assert_eq(htmt_audit(b->e, &audit), 0, "%s", audit.text);
    return htmt_predicted(b->e);
}

#endif
