/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Queues whose means are known, and the busiest link of a mesh.
 */
#include "tests/fabric/player.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NS      INT64_C(1000000)
#define SERVICE (1000 * NS)

static const struct htmt__inside plain = {
    .switching = HTMT__CUT_THROUGH, .byte = {SERVICE, 1}, .lanes = 1, .planes = 1};

static double unit(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(*seed >> 11) + 0.5) * 0x1p-53;
}

/* ---- One port, Poisson arrivals
 * ------------------------------------------------------------------- */

enum { RING = 4096, BATCHES = 20 };

struct arrivals {
    uint64_t seed;
    double gap; /* mean, in services */
    uint32_t left;
    double mean[BATCHES]; /* wait in each batch, in services */
    uint32_t each;
    htmt_uwide queued;
};

static double waited(struct player *p, struct arrivals *a)
{
    struct htmt__port_account account;
    cr_assert(htmt__fabric_account(p->f, p->place[0], 0, 0, p->now, &account));
    const double wait = (double)(account.queued - a->queued) / (double)SERVICE / a->each;
    a->queued = account.queued;
    return wait;
}

static void next_arrival(struct player *p, uint32_t number)
{
    struct arrivals *a = p->user;
    if (number && number % a->each == 0)
        a->mean[number / a->each - 1] = waited(p, a);
    if (!a->left--)
        return;
    p->sent[(number + 1) % RING] = (struct sent){.source = 0, .target = 1, .bytes = 1};
    const double gap = -a->gap * log(unit(&a->seed)) * (double)SERVICE;
    player_send(p, number + 1, p->now + (htmt_time)gap);
}

/* The mean wait lies within four standard errors of what is known, and they are small. */
static void wait_at(double rho)
{
    static struct sent sent[RING];
    struct graph *g = graph_line(1, &plain);
    const bool is_long = getenv("HTMT_LONG");
    struct arrivals a = {.seed = 7, .gap = 1 / rho, .each = is_long ? 500000 : 15000};
    struct player p;
    a.left = a.each * BATCHES;
    sent[0] = (struct sent){.source = 0, .target = 1, .bytes = 1};
    player_create(&p, g, sent, RING);
    for (uint32_t i = 1; i < RING; i++)
        sent[i].at = -1;
    p.sends = next_arrival;
    p.user = &a;
    player_run(&p);
    double mean = 0, square = 0;
    for (int i = 0; i < BATCHES; i++) {
        mean += a.mean[i] / BATCHES;
        square += a.mean[i] * a.mean[i] / BATCHES;
    }
    const double error = sqrt((square - mean * mean) / (BATCHES - 1));
    const double known = rho / (2 - 2 * rho);
    fprintf(stderr, "rho %.1f: mean wait %.4f +- %.4f services, known %.4f\n", rho, mean, error,
            known);
    cr_expect_lt(fabs(mean - known), 4 * error);
    cr_expect_lt(error, 0.03 * known);
    if (is_long)
        cr_expect_lt(fabs(mean - known), 0.01 * known);
    player_destroy(&p);
    graph_destroy(g);
}

Test(queues, a_port_with_poisson_arrivals_is_an_m_d_1_queue)
{
    wait_at(0.5);
    wait_at(0.8);
}

/* ---- Saturated inputs
 * ----------------------------------------------------------------------------- */

static void choose(struct player *p, uint32_t number)
{
    p->sent[number].target = (uint32_t)(unit(p->user) * p->g->t.ends);
}

static double throughput(uint32_t outputs)
{
    enum { SLOTS = 12000 };
    struct htmt__inside inside = plain;
    inside.buffer = 2;
    struct graph *g = graph_star(outputs, &inside);
    struct player p;
    uint64_t seed = 3;
    const uint32_t n = SLOTS * outputs;
    struct sent *sent = calloc(n, sizeof *sent);
    cr_assert_not_null(sent);
    for (uint32_t i = 0; i < n; i++)
        sent[i] = (struct sent){.source = i % outputs, .bytes = 1};
    player_create(&p, g, sent, n);
    p.sends = choose;
    p.user = &seed;
    player_run(&p);
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += sent[i].tail <= SLOTS / 2 * SERVICE && sent[i].tail > SLOTS / 10 * SERVICE;
    player_destroy(&p);
    graph_destroy(g);
    free(sent);
    return count / (0.4 * n);
}

Test(queues, saturated_inputs_lose_what_is_known_to_heads_of_line)
{
    static const double known[] = {0.750, 0.655, 0.618};
    for (int i = 0; i < 3; i++) {
        const double found = throughput(2U << i);
        fprintf(stderr, "%u outputs: %.4f of %.3f\n", 2U << i, found, known[i]);
        cr_expect_lt(fabs(found - known[i]), 0.008);
    }
}

/* ---- All to all on a mesh
 * ------------------------------------------------------------------------- */

static double all_to_all(enum htmt__switching switching, bool rotated)
{
    enum { N = 64 };
    static struct sent sent[N * N];
    struct htmt__inside inside = plain;
    inside.switching = switching;
    struct graph *g = graph_mesh(8, 8, &inside);
    struct player p;
    uint32_t n = 0;
    for (uint32_t k = 0; k < N; k++)
        for (uint32_t i = 0; i < N; i++) {
            const uint32_t to = rotated ? (i + k) % N : k;
            if (to != i)
                sent[n++] = (struct sent){.source = i, .target = to, .bytes = 1};
        }
    player_create(&p, g, sent, n);
    player_run(&p);
    const double time = (double)p.last / (double)SERVICE;
    cr_expect_eq(player_missing(&p), 0);
    player_destroy(&p);
    graph_destroy(g);
    return time;
}

Test(queues, all_to_all_on_a_mesh_is_bound_by_its_middle)
{
    const double rotated = all_to_all(HTMT__WORMHOLE, true);
    const double same = all_to_all(HTMT__WORMHOLE, false);
    fprintf(stderr, "all to all: %.0f from the next one on, %.0f from 0 on\n", rotated, same);
    cr_expect(rotated >= 128 && rotated <= 150);
    cr_expect(same >= 170 && same <= 185);
}
