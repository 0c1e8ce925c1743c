/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A ring of slices, each of which has one post of 8 bytes under way at any time: its control does
 * nothing but post to the next slice, in a model run. Start-up 10 ns, latency 100 ns, two words of
 * 1 ns: a round takes 112 ns, with in channels or, by --inputs none, without.
 */
#include "bench/clock.h"
#include "bench/options.h"
#include "parcels/htmt.h"

#include <stdio.h>

#define ROUND_FS INT64_C(112000000)

enum { LINKS = 3, INPUTS = 2 };
static const char *const links[LINKS] = {
    "networks.vortex.startup=10 ns",
    "networks.vortex.latency=100 ns",
    "networks.vortex.ports.dram.out-rate=1 Gword/s",
};
static const char *const inputs[INPUTS] = {"networks.vortex.ports.dram.in=1",
                                           "networks.vortex.ports.dram.in-rate=1 Gword/s"};
static const char *const no_inputs[INPUTS] = {"networks.vortex.ports.dram.in=not-modelled",
                                              "networks.vortex.ports.dram.in-rate=not-modelled"};

struct ring {
    struct htmt_type *type;
    uint32_t slices;
};

static void pass(struct htmt_context *c)
{
    const struct ring *r = htmt_user(c);
    const uint64_t left = *(const uint64_t *)htmt_args(c) - 1;
    if (left)
        htmt_post(c, r->type, (htmt_slice(c) + 1) % r->slices, &left);
}

/* The host's own posts take no way: each control but the first comes a round later. */
static void prepare(struct htmt_emulator *e, struct ring *r, uint64_t rounds)
{
    struct htmt_type_desc d = htmt_type_desc_init();
    d.name = "pass";
    d.home = d.exec = "dram";
    d.execute.control = pass;
    d.args_bytes = sizeof rounds;
    d.user = r;
    int rc = htmt_type_create(e, &d, &r->type);
    const uint64_t controls = rounds + 1;
    for (uint32_t i = 0; i < r->slices && !rc; i++)
        rc = htmt_post(htmt_root(e), r->type, i, &controls);
    if (rc)
        bench_fail(htmt_emulator_fault(e)->text);
}

static double run(struct htmt_emulator *e, const struct ring *r, uint64_t rounds)
{
    struct htmt_posts posts = htmt_posts_init();
    const double begin = bench_now();
    if (htmt_emulator_run(e))
        bench_fail(htmt_emulator_fault(e)->text);
    const double seconds = bench_now() - begin;
    htmt_posts_of(r->type, &posts);
    if (posts.served != r->slices * (rounds + 1))
        bench_fail("posts are missing");
    if (htmt_predicted(e) != (htmt_time)rounds * ROUND_FS)
        bench_fail("posts have not arrived when they should");
    return seconds;
}

static struct htmt_machine *machine(bool with_inputs)
{
    const char *settings[LINKS + INPUTS];
    for (unsigned i = 0; i < LINKS; i++)
        settings[i] = links[i];
    for (unsigned i = 0; i < INPUTS; i++)
        settings[LINKS + i] = (with_inputs ? inputs : no_inputs)[i];
    return bench_machine(settings, LINKS + INPUTS);
}

int main(int argc, char **argv)
{
    const struct bench_options o = bench_options(argc, argv);
    struct ring ring = {.slices = o.endpoints};
    struct htmt_machine *m = machine(o.inputs);
    struct htmt_options options = {.machine = m, .slices = o.endpoints, .mode = HTMT_MODEL};
    const uint64_t posts = (uint64_t)o.endpoints * o.rounds;
    struct htmt_emulator *e = NULL;
    char group[32];

    if (o.endpoints < 2)
        bench_fail("a ring needs two slices");
    if (htmt_emulator_create(&e, &options, NULL))
        bench_fail("no emulator");
    prepare(e, &ring, o.rounds);
    const double seconds = run(e, &ring, o.rounds);
    snprintf(group, sizeof group, "posts-%s%u", o.inputs ? "in-" : "", o.endpoints);
    bench_report(group, "emulator_model", (double)posts / seconds, "1/s", posts);
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&m);
    return 0;
}
