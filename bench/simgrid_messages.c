/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Base line: messages of equal size between N endpoints in permutations, simulated by SimGrid.
 * In round r endpoint i sends to (i + 1 + r mod (N - 1)) mod N, so never to itself. Every link
 * carries one message at a time, so SimGrid's shared flows and a first-come-first-served link end
 * at the same instants: with --links plain this program asserts those that emulator_messages.c
 * asserts. --links tcp is SimGrid's default, LV08, which corrects latency and rate for TCP.
 */
#include "bench/clock.h"
#include "bench/options.h"

#include <math.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/mailbox.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <xbt/config.h>

#define MESSAGE_BYTES 100000
#define MESSAGE_S     102e-6 /* 10^5 B at 1 GB/s, and twice 1 us */
#define TEXT          32

static sg_mailbox_t mailbox(int endpoint)
{
    char name[TEXT];
    snprintf(name, sizeof name, "%d", endpoint);
    return sg_mailbox_by_name(name);
}

/* Arguments: endpoint, endpoints, rounds. */
static void sender(int argc, char **argv)
{
    (void)argc;
    int self = atoi(argv[1]), endpoints = atoi(argv[2]), rounds = atoi(argv[3]);
    for (int r = 0; r < rounds; r++)
        sg_mailbox_put(mailbox((self + 1 + r % (endpoints - 1)) % endpoints), argv[0],
                       MESSAGE_BYTES);
}

static void receiver(int argc, char **argv)
{
    (void)argc;
    sg_mailbox_t mine = mailbox(atoi(argv[1]));
    for (int r = atoi(argv[3]); r > 0; r--)
        if (!sg_mailbox_get(mine))
            bench_fail("an empty message");
}

/* N hosts, each with a full-duplex link of 1 GB/s and 1 us to a crossbar. */
static void load_platform(unsigned endpoints)
{
    char path[] = "/tmp/simgrid-XXXXXX.xml";
    int file = mkstemps(path, 4);
    if (file < 0)
        bench_fail("no temporary file");
    int written = dprintf(file,
                          "<?xml version='1.0'?>\n"
                          "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                          "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"h\" suffix=\"\" "
                          "radical=\"0-%u\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\" "
                          "sharing_policy=\"SPLITDUPLEX\"/></platform>\n",
                          endpoints - 1);
    if (written < 0 || close(file) != 0)
        bench_fail("no temporary file");
    simgrid_load_platform(path);
    unlink(path);
}

static void start_actors(const struct bench_options *o)
{
    char text[3][TEXT], host[TEXT];
    char actor[] = "actor", *argv[] = {actor, text[0], text[1], text[2]};
    snprintf(text[1], sizeof text[1], "%u", o->endpoints);
    snprintf(text[2], sizeof text[2], "%u", o->rounds);
    for (unsigned i = 0; i < o->endpoints; i++) {
        snprintf(text[0], sizeof text[0], "%u", i);
        snprintf(host, sizeof host, "h%u", i);
        sg_actor_create("sender", sg_host_by_name(host), sender, 4, argv);
        sg_actor_create("receiver", sg_host_by_name(host), receiver, 4, argv);
    }
}

static void set_links(bool plain)
{
    if (!plain)
        return;
    sg_cfg_set_string("network/model", "CM02");
    sg_cfg_set_boolean("network/crosstraffic", "no");
}

/* An actor that could not end would have made SimGrid report a deadlock. */
static void check_end(const struct bench_options *o)
{
    double end = simgrid_get_clock(), plain = o->rounds * MESSAGE_S;
    if (end < o->rounds * (MESSAGE_BYTES / 1e9))
        bench_fail("messages are missing");
    if (o->plain_links && fabs(end - plain) > 1e-9 * plain)
        bench_fail("messages have not ended when they should");
}

int main(int argc, char **argv)
{
    int simgrid_argc = 1;
    struct bench_options o = bench_options(argc, argv);
    char group[32];

    if (o.endpoints < 2)
        bench_fail("a message needs two endpoints");
    simgrid_init(&simgrid_argc, argv);
    set_links(o.plain_links);
    load_platform(o.endpoints);
    start_actors(&o);
    double begin = bench_now();
    simgrid_run();
    double seconds = bench_now() - begin;
    check_end(&o);
    uint64_t messages = (uint64_t)o.endpoints * o.rounds;
    snprintf(group, sizeof group, "messages-%u", o.endpoints);
    bench_report(group, o.plain_links ? "simgrid_plain" : "simgrid_tcp", (double)messages / seconds,
                 "1/s", messages);
    return 0;
}
