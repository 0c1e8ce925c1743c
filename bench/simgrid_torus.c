/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Base line: messages of 100 bytes to uniformly drawn hosts of a torus, simulated by SimGrid. Links
 * are full-duplex, of 1 GB/s and 30 ns, as the channels of emulator_torus.c and fabric_hops.c with
 * their switches; by the model CM02 without cross-traffic. A host sends its next message when its
 * last one has come.
 */
#include "bench/clock.h"
#include "bench/options.h"

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/mailbox.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <xbt/config.h>

enum { BYTES = 100, TEXT = 32 };

struct host {
    uint32_t number, hosts, sends, comes;
    uint32_t *target;
};

static sg_mailbox_t mailbox(uint32_t host)
{
    char name[TEXT];
    snprintf(name, sizeof name, "%u", host);
    return sg_mailbox_by_name(name);
}

static void sender(int argc, char **argv)
{
    (void)argc, (void)argv;
    const struct host *h = sg_actor_self_get_data();
    static char message[] = "message";
    for (uint32_t i = 0; i < h->sends; i++)
        sg_mailbox_put(mailbox(h->target[i]), message, BYTES);
}

static void receiver(int argc, char **argv)
{
    (void)argc, (void)argv;
    const struct host *h = sg_actor_self_get_data();
    for (uint32_t i = 0; i < h->comes; i++)
        if (!sg_mailbox_get(mailbox(h->number)))
            bench_fail("an empty message");
}

static void load_platform(uint32_t side)
{
    char path[] = "/tmp/simgrid-XXXXXX.xml";
    int file = mkstemps(path, 4);
    if (file < 0)
        bench_fail("no temporary file");
    int written = dprintf(file,
                          "<?xml version='1.0'?>\n"
                          "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                          "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"h\" suffix=\"\" "
                          "radical=\"0-%u\" speed=\"1Gf\" bw=\"1GBps\" lat=\"30ns\" "
                          "sharing_policy=\"SPLITDUPLEX\" topology=\"TORUS\" "
                          "topo_parameters=\"%u,%u\"/></platform>\n",
                          side * side - 1, side, side);
    if (written < 0 || close(file) != 0)
        bench_fail("no temporary file");
    simgrid_load_platform(path);
    unlink(path);
}

static uint32_t below(uint64_t *seed, uint32_t n)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*seed >> 32) * n >> 32);
}

static struct host *draw(uint32_t hosts, uint32_t sends)
{
    struct host *h = calloc(hosts, sizeof *h);
    uint64_t seed = 1;
    for (uint32_t i = 0; h && i < hosts; i++) {
        h[i].number = i;
        h[i].hosts = hosts;
        h[i].sends = sends;
        if (!(h[i].target = calloc(sends, sizeof *h[i].target)))
            bench_fail("out of memory");
        for (uint32_t k = 0; k < sends; k++) {
            h[i].target[k] = (i + 1 + below(&seed, hosts - 1)) % hosts;
            h[h[i].target[k]].comes++;
        }
    }
    return h;
}

static void start(const char *host, const char *name, void (*code)(int, char **), struct host *h)
{
    sg_actor_t actor = sg_actor_init(name, sg_host_by_name(host));
    sg_actor_set_data(actor, h);
    sg_actor_start_(actor, code, 0, NULL);
}

static void start_actors(struct host *h, uint32_t hosts)
{
    char name[TEXT];
    for (uint32_t i = 0; i < hosts; i++) {
        snprintf(name, sizeof name, "h%u", i);
        start(name, "sender", sender, &h[i]);
        start(name, "receiver", receiver, &h[i]);
    }
}

/* A square torus of that many ends, and messages of each. */
int main(int argc, char **argv)
{
    int simgrid_argc = 1;
    struct bench_options o = bench_options(argc, argv);
    uint32_t side = 1;
    char group[TEXT];

    while (side * side < o.endpoints)
        side++;
    if (side < 2 || side * side != o.endpoints)
        bench_fail("not a square torus");
    struct host *h = draw(o.endpoints, o.rounds);
    if (!h)
        bench_fail("out of memory");
    simgrid_init(&simgrid_argc, argv);
    sg_cfg_set_string("network/model", "CM02");
    sg_cfg_set_boolean("network/crosstraffic", "no");
    load_platform(side);
    start_actors(h, o.endpoints);
    double begin = bench_now();
    simgrid_run();
    double seconds = bench_now() - begin;
    snprintf(group, sizeof group, "torus-%u", o.endpoints);
    bench_report(group, "simgrid_torus", (double)o.endpoints * o.rounds / seconds, "1/s",
                 o.endpoints);
    return 0;
}
