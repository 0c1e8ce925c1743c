/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Kernels run on the host as soon as their closure is complete, not when the inner memory has room.
 */
#include "parcels/htmt.h"
#include "tests/layers/machines.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#define PARCELS 2
#define SECONDS 10

struct meeting {
    atomic_uint come;
    bool met[PARCELS];
};

struct guest {
    struct meeting *meeting;
    uint32_t number;
};

static void meet(struct htmt_kernel *k)
{
    const struct guest *g = htmt_kernel_args(k);
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    atomic_fetch_add(&g->meeting->come, 1);
    do {
        sched_yield();
        clock_gettime(CLOCK_MONOTONIC, &now);
        g->meeting->met[g->number] = atomic_load(&g->meeting->come) == PARCELS;
    } while (!g->meeting->met[g->number] && now.tv_sec - begin.tv_sec < SECONDS);
    htmt_count(k, HTMT_CYCLE, 1000);
}

static void short_work(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args;
    (void)user;
    ops->n[HTMT_CYCLE] = 10;
}

/* Each parcel fills CRAM alone. */
Test(ahead, kernels_of_parcels_that_wait_for_cram_run_side_by_side)
{
    const char *set[] = {"slices=1", "layers.cram.memory.capacity=128 words"};
    struct htmt_emulator *e = NULL;
    struct htmt_type *type = NULL;
    struct htmt_object *data = NULL;
    struct meeting meeting = {.come = 0};
    struct htmt_machine *m = machine_load_sets("htmt-oct98", set, 2);
    cr_assert_eq(htmt_emulator_create(&e, &(struct htmt_options){.machine = m, .threads = 3}, NULL),
                 0);
    struct htmt_type_desc d = {.name = "meet",
                               .home = "dram",
                               .exec = "cram",
                               .dispatch = {.cost = short_work},
                               .execute = {.kernel = meet},
                               .args_bytes = sizeof(struct guest)};
    cr_assert_eq(htmt_type_create(e, &d, &type), 0);
    uint32_t dram = (uint32_t)htmt_emulator_layer(e, "dram");
    cr_assert_eq(htmt_object_create(e, 0, dram, 1024 * PARCELS, "data", &data), 0);
    for (uint32_t i = 0; i < PARCELS; i++) {
        struct guest g = {&meeting, i};
        struct htmt_region r = {.from = htmt_in(data, i * 1024ul), .bytes = 1024};
        r.to = r.from;
        struct htmt_parcel_desc p = {.type = type, .regions = &r, .region_count = 1, .args = &g};
        cr_assert_eq(htmt_assemble(htmt_root(e), &p, NULL), 0);
    }
    cr_assert_eq(htmt_emulator_run(e), 0, "%s", htmt_emulator_fault(e)->text);
    for (uint32_t i = 0; i < PARCELS; i++)
        cr_expect(meeting.met[i]);
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&m);
}
