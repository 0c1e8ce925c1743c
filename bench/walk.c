/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One parcel, put or packet in a model run that nobody watches, or the same run without it:
 *
 *     walk parcel|put|packet 0|1
 *
 * bench/walks.sh lists the files whose lines only the run with it executes.
 */
#include "parcels/htmt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 64, FIBER = 1 };

struct walk {
    struct htmt_object *from;
    struct htmt_frame *to;
    struct htmt_ref target;
    bool puts;
};

static void work(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args, (void)user;
    ops->n[HTMT_FLOP] = 10;
}

/* An activation whose fiber retires it. */
static void retire(struct htmt_context *c)
{
    htmt_retire(c, htmt_self(c));
}

static void enable(struct htmt_context *c)
{
    htmt_signal(c, htmt_slot(c, FIBER));
}

static void send(struct htmt_context *c)
{
    const struct walk *w = htmt_args(c);
    if (w->puts)
        htmt_put(c, &(struct htmt_put){.src = htmt_in(w->from, 0),
                                       .dst = htmt_at(w->to, 1, 0),
                                       .bytes = BYTES,
                                       .on_arrived = htmt_slot_of(w->target, FIBER)});
}

/* All services, a gate and a fiber. */
static void parcel(struct htmt_emulator *e, struct walk *w)
{
    const struct htmt_stage stage = {.cost = work};
    struct htmt_type_desc d = {.name = "parcel",
                               .home = "dram",
                               .exec = "cram",
                               .assemble = stage,
                               .dispatch = stage,
                               .execute = {.cost = work, .control = enable},
                               .retire = stage,
                               .scatter = stage,
                               .gates = HTMT_GATE(HTMT_DISPATCH),
                               .fibers = &(struct htmt_stage){.control = retire, .count = 1},
                               .fiber_count = 1};
    struct htmt_region region = {
        .from = htmt_in(w->from, 0), .to = htmt_in(w->from, 0), .bytes = BYTES};
    struct htmt_type *type;
    struct htmt_ref ref;
    if (!w->puts)
        return;
    htmt_type_create(e, &d, &type);
    htmt_assemble(htmt_root(e),
                  &(struct htmt_parcel_desc){.type = type, .regions = &region, .region_count = 1},
                  &ref);
    htmt_dispatch(htmt_root(e), ref);
}

/* From the DRAM of slice 0 to that of slice 1, where a fiber waits for it. */
static void put(struct htmt_emulator *e, struct walk *w)
{
    struct htmt_stage fiber = {.control = retire, .count = 1};
    struct htmt_type_desc d = {.name = "put",
                               .home = "dram",
                               .exec = "dram",
                               .execute.control = send,
                               .args_bytes = sizeof *w},
                          waits = {.name = "target",
                                   .home = "dram",
                                   .exec = "dram",
                                   .fibers = &fiber,
                                   .fiber_count = 1};
    struct htmt_type *type, *target;
    fiber.count = w->puts;
    if (!w->puts) /* it is enabled by nobody */
        waits.fiber_count = 0;
    htmt_type_create(e, &d, &type);
    htmt_type_create(e, &waits, &target);
    htmt_assemble(htmt_root(e), &(struct htmt_parcel_desc){.type = target, .slice = 1}, &w->target);
    htmt_assemble(htmt_root(e), &(struct htmt_parcel_desc){.type = type, .args = w}, NULL);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "",
               *set[] = {"slices=4", "networks.vortex.inside.lanes=1"};
    struct htmt_machine *machine = NULL;
    struct htmt_emulator *e = NULL;
    struct htmt_fault fault = {0};
    struct walk w = {.puts = argc > 2 && atoi(argv[2])};
    if (htmt_machine_load(strcmp(what, "packet") ? "small-htmt" : "htmt-torus", set,
                          strcmp(what, "packet") ? 1 : 2, &machine, &fault) ||
        htmt_emulator_create(&e, &(struct htmt_options){.machine = machine, .mode = HTMT_MODEL},
                             &fault)) {
        fprintf(stderr, "%s\n", fault.text);
        return 2;
    }
    const uint32_t dram = (uint32_t)htmt_emulator_layer(e, "dram");
    htmt_object_create(e, 0, dram, BYTES, "from", &w.from);
    htmt_frame_create(e, dram, BYTES, "to", &w.to);
    (strcmp(what, "parcel") ? put : parcel)(e, &w);
    int rc = htmt_emulator_run(e);
    printf("%lld fs, %llu events\n", (long long)htmt_predicted(e),
           (unsigned long long)htmt_event_count(e));
    if (rc)
        fprintf(stderr, "%s\n", htmt_emulator_fault(e)->text);
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&machine);
    return rc ? htmt_exit_status(rc) : 0;
}
