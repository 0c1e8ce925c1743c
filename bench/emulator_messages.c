/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The messages of simgrid_messages.c as puts from DRAM to DRAM over the vortex, in a model run. Its
 * fibers have the rate of SimGrid's links, its latency is that of the two links of a way. A slice
 * starts its next message when its last one has left and one has arrived.
 */
#include "bench/clock.h"
#include "bench/options.h"
#include "parcels/htmt.h"

#include <stdio.h>
#include <stdlib.h>

#define MESSAGE_BYTES 100000u
#define MESSAGE_FS    INT64_C(102000000000) /* 10^5 B at 1 GB/s, and 2 us */

static const char *const links[] = {
    "networks.vortex.latency=2 us",
    "networks.vortex.ports.dram.out-rate=1 GB/s",
    "networks.vortex.ports.dram.in-rate=1 GB/s",
};

struct world {
    struct htmt_emulator *e;
    struct htmt_frame *out, *in;
    struct htmt_ref *node; /* of each slice */
    uint32_t endpoints, rounds;
};

struct node {
    const struct world *w;
    uint32_t sent;
};

enum { NEXT = 1 };

static void send(struct htmt_context *c)
{
    struct node *n = htmt_args(c);
    const struct world *w = n->w;
    uint32_t self = htmt_slice(c);
    if (n->sent == w->rounds) {
        htmt_retire(c, htmt_self(c));
        return;
    }
    uint32_t to = (self + 1 + n->sent++ % (w->endpoints - 1)) % w->endpoints;
    struct htmt_put put = {.dst = htmt_at(w->in, to, 0),
                           .src = htmt_at(w->out, self, 0),
                           .bytes = MESSAGE_BYTES,
                           .on_sent = htmt_slot(c, NEXT),
                           .on_arrived = htmt_slot_of(w->node[to], NEXT)};
    htmt_put(c, &put);
}

static void prepare(struct world *w)
{
    struct htmt_stage next = {.control = send, .count = 2, .reset = 2};
    struct htmt_type_desc d = {.name = "node",
                               .home = "dram",
                               .exec = "dram",
                               .execute = {.control = send},
                               .fibers = &next,
                               .fiber_count = 1,
                               .gates = HTMT_GATE(HTMT_RETIRE),
                               .args_bytes = sizeof(struct node)};
    struct node n = {w, 0};
    struct htmt_parcel_desc p = {.args = &n};
    struct htmt_type *type = NULL;
    uint32_t dram = (uint32_t)htmt_emulator_layer(w->e, "dram");
    int rc = htmt_type_create(w->e, &d, &type);
    if (!rc)
        rc = htmt_frame_create(w->e, dram, MESSAGE_BYTES, "out", &w->out);
    if (!rc)
        rc = htmt_frame_create(w->e, dram, MESSAGE_BYTES, "in", &w->in);
    p.type = type;
    for (; p.slice < w->endpoints && !rc; p.slice++)
        rc = htmt_assemble(htmt_root(w->e), &p, &w->node[p.slice]);
    if (rc)
        bench_fail(htmt_emulator_fault(w->e)->text);
}

static uint64_t messages_carried(const struct htmt_emulator *e)
{
    struct htmt_phase_report r;
    uint64_t carried = 0;
    for (uint32_t i = 0; i < htmt_phase_count(e); i++)
        if (!htmt_phase_at(e, i, &r) && r.stage == HTMT_PUT &&
            r.words == (htmt_uwide)r.count * MESSAGE_BYTES / HTMT_WORD)
            carried += r.count;
    return carried;
}

static double run(struct world *w)
{
    double begin = bench_now();
    int rc = htmt_emulator_run(w->e);
    double seconds = bench_now() - begin;
    if (rc)
        bench_fail(htmt_emulator_fault(w->e)->text);
    if (messages_carried(w->e) != (uint64_t)w->endpoints * w->rounds)
        bench_fail("messages are missing");
    if (htmt_predicted(w->e) != w->rounds * MESSAGE_FS)
        bench_fail("messages have not ended when they should");
    return seconds;
}

int main(int argc, char **argv)
{
    struct bench_options o = bench_options(argc, argv);
    struct world w = {
        .endpoints = o.endpoints, .rounds = o.rounds, .node = calloc(o.endpoints, sizeof *w.node)};
    struct htmt_machine *m = bench_machine(links, sizeof links / sizeof *links);
    struct htmt_options options = {.machine = m, .slices = o.endpoints, .mode = HTMT_MODEL};
    uint64_t messages = (uint64_t)o.endpoints * o.rounds;
    char group[32];

    if (!w.node)
        bench_fail("out of memory");
    if (o.endpoints < 2)
        bench_fail("a message needs two endpoints");
    if (htmt_emulator_create(&w.e, &options, NULL))
        bench_fail("no emulator");
    prepare(&w);
    double seconds = run(&w);

    snprintf(group, sizeof group, "messages-%u", o.endpoints);
    bench_report(group, "emulator_model", (double)messages / seconds, "1/s", messages);
    htmt_emulator_destroy(&w.e);
    htmt_machine_destroy(&m);
    free(w.node);
    return 0;
}
