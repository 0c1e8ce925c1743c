/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Packets over tori and meshes with the least of a driver: hops and messages of one packet a
 * second, at 16, 256 and 4096 ends. Traffic is uniform; each end sends at times of its own, with
 * a quarter of what its network carries.
 */
#include "bench/clock.h"
#include "layers/network/fabric.h"
#include "parcels/message/packet_queue.h"
#include "runtime/sim/pending.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS    INT64_C(1000000)
#define BYTES 100 /* 100 ns */

struct load {
    struct htmt__topology *t;
    struct htmt__fabric *f;
    struct htmt__fabric_place **place;
    struct htmt__packet_queue queue; /* of the fabric's events */
    struct htmt__pending pending;    /* of those who send: by slice */
    uint64_t seed, left, hops, arrived;
    htmt_time gap;
    struct htmt__fabric_sink sink;
};

static uint32_t below(uint64_t *seed, uint32_t n)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*seed >> 32) * n >> 32);
}

/* ---- Events -------------------------------------------------------------------------------------
 */

static void post(void *user, const struct htmt__fabric_event *e)
{
    struct load *l = user;
    if (htmt__packet_queue_push(&l->queue, e, 0))
        bench_fail("out of memory");
}

static void left(void *user, const struct htmt__packet *p, htmt_time now)
{
    (void)user, (void)p, (void)now;
}

static void head(void *user, const struct htmt__packet *p, htmt_time now, htmt_time tail, bool sure)
{
    struct load *l = user;
    (void)p, (void)now, (void)tail;
    l->arrived += sure;
}

static void arrived(void *user, const struct htmt__packet *p, htmt_time now)
{
    struct load *l = user;
    (void)p, (void)now;
    l->arrived++;
}

static void hop(void *user, const struct htmt__packet *p, uint32_t channel, htmt_time now)
{
    struct load *l = user;
    (void)p, (void)channel, (void)now;
    l->hops++;
}

static void fail(void *user, int code, const char *what)
{
    (void)user, (void)code;
    bench_fail(what);
}

/* ---- Traffic ------------------------------------------------------------------------------------
 */

static void send_next(struct load *l, uint64_t slice, htmt_time now)
{
    if (!l->left)
        return;
    const htmt_time at = now + (htmt_time)below(&l->seed, (uint32_t)(2 * l->gap / 1000)) * 1000;
    if (htmt__pending_push(&l->pending, (struct htmt__event){at, l->left-- << 42 | slice << 22}))
        bench_fail("out of memory");
}

static void send(struct load *l)
{
    struct htmt__event next;
    if (!htmt__pending_pop(&l->pending, &next))
        return;
    const uint32_t ends = l->t->ends, slice = next.key >> 22 & 0xfffff;
    const struct htmt__packet p = {.key = next.key,
                                   .source = slice,
                                   .target = (slice + 1 + below(&l->seed, ends - 1)) % ends,
                                   .count = 1,
                                   .bytes = BYTES,
                                   .channel = UINT32_MAX};
    htmt__fabric_inject(l->f, l->place[slice], &p, next.time, next.time, &l->sink);
    send_next(l, slice, next.time);
}

static void fetch(const void *load, const struct htmt__packet_event *p)
{
    const struct load *l = load;
    htmt__fabric_fetch(l->f, l->place[p->event.slice], &p->event);
}

static void play(struct load *l)
{
    uint32_t at;
    if (htmt__packet_queue_take(&l->queue, &at))
        bench_fail("out of memory");
    struct htmt__fabric_event *e = &htmt__packet_queue_at(&l->queue, at)->event;
    htmt__packet_queue_ahead(&l->queue, fetch, l);
    if (!htmt__fabric_play(l->f, l->place[e->slice], e, &l->sink))
        htmt__packet_queue_forget(&l->queue, at);
    else if (htmt__packet_queue_put(&l->queue, at))
        bench_fail("out of memory");
}

static void run(struct load *l)
{
    for (uint32_t i = 0; i < l->t->ends; i++)
        send_next(l, i, 0);
    for (htmt_time packet, message;;) {
        packet = htmt__packet_queue_next(&l->queue);
        message = htmt__pending_next(&l->pending);
        if (message <= packet && message < HTMT_TIME_MAX)
            send(l);
        else if (packet < HTMT_TIME_MAX)
            play(l);
        else
            return;
    }
}

/* ---- Cases --------------------------------------------------------------------------------------
 */

static const char *only, *only_ends;

struct shape {
    const char *name, *shape;
    uint32_t ends, side;
};

static const struct shape shapes[] = {
    {"16", "4 x 4", 16, 4}, {"256", "16 x 16", 256, 16}, {"4096", "64 x 64", 4096, 64}};

static void create(struct load *l, const struct shape *s, const struct htmt__inside *form)
{
    struct htmt__inside inside = *form;
    struct htmt_fault fault = {0};
    char why[200];
    if (!htmt__topology_shape(s->shape, s->ends, &inside, why, sizeof why) ||
        htmt__topology_create(&inside, NULL, s->ends, NULL, &l->t, &fault) ||
        htmt__fabric_create(l->t, NULL, &l->f))
        bench_fail("no torus");
    l->place = calloc(s->ends, sizeof *l->place);
    if (!l->place)
        bench_fail("out of memory");
    for (uint32_t i = 0; i < s->ends; i++)
        if (!(l->place[i] = htmt__fabric_place_create(l->f, i)))
            bench_fail("out of memory");
    htmt__packet_queue_init(&l->queue);
    htmt__pending_init(&l->pending);
}

static void destroy(struct load *l)
{
    for (uint32_t i = 0; i < l->t->ends; i++)
        htmt__fabric_place_destroy(&l->place[i]);
    htmt__packet_queue_fini(&l->queue);
    htmt__pending_fini(&l->pending);
    htmt__fabric_destroy(&l->f);
    htmt__topology_release(&l->t);
    free(l->place);
}

static void measure(const char *kind, const struct shape *s, const struct htmt__inside *inside)
{
    if ((only && strcmp(only, kind)) || (only_ends && strcmp(only_ends, s->name)))
        return;
    const uint64_t messages = (getenv("FEW") ? 200000 : 4000000) / (s->side + 4);
    struct load l = {.seed = 1, .left = messages};
    char name[64];
    l.sink = (struct htmt__fabric_sink){.user = &l,
                                        .post = post,
                                        .left = left,
                                        .head = head,
                                        .arrived = arrived,
                                        .hop = hop,
                                        .fail = fail};
    create(&l, s, inside);
    /* A quarter of what it carries: 8 / side packets an end and packet time, half of that on a
     * mesh. */
    l.gap = 4 * BYTES * NS * s->side / (inside->topology == HTMT__TORUS ? 8 : 4);
    if (l.gap < 2 * BYTES * NS)
        l.gap = 4 * BYTES * NS;
    const double start = bench_now();
    run(&l);
    const double time = bench_now() - start;
    if (l.arrived != messages)
        bench_fail("a packet was lost");
    snprintf(name, sizeof name, "%s-%s", kind, s->name);
    bench_report("hops", name, (double)l.hops / time, "1/s", 0);
    if (strcmp(kind, "torus") == 0)
        bench_report(name, "fabric", (double)messages / time, "1/s", s->ends);
    destroy(&l);
}

/* Optional arguments: the one kind that is measured, at that many ends. */
int main(int argc, char **argv)
{
    only = argc > 1 ? argv[1] : NULL;
    only_ends = argc > 2 ? argv[2] : NULL;
    struct htmt__inside inside = {.topology = HTMT__TORUS,
                                  .switching = HTMT__CUT_THROUGH,
                                  .routing = HTMT__ROUTE_TORUS,
                                  .byte = {NS, 1},
                                  .copy = {0, 1},
                                  .local_byte = {0, 1},
                                  .wire = 10 * NS,
                                  .turn = 20 * NS,
                                  .control = 10 * NS,
                                  .lanes = 2,
                                  .planes = 1,
                                  .router = -1};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        measure("torus", &shapes[i], &inside);
    inside.buffer = (uint64_t)2 * BYTES;
    measure("torus-buffers", &shapes[1], &inside);
    inside.switching = HTMT__WORMHOLE;
    inside.buffer = 40;
    measure("torus-wormhole", &shapes[1], &inside);
    inside.topology = HTMT__MESH;
    inside.routing = HTMT__ROUTE_XY;
    inside.lanes = 1;
    inside.buffer = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        measure("mesh", &shapes[i], &inside);
    return 0;
}
