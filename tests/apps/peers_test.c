/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Nodes that go through phases: nobody begins a round before all have ended the one before, a
 * barrier takes its start-ups and latencies, and a put of no bytes takes no words.
 */
#include "apps/peers/peers.h"

#include "tests/apps/nodes.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define NS INT64_C(1000000)

enum { ROUNDS = 5, NODES_MOST = 33 };

struct log {
    bool equal; /* all work as long */
    htmt_time began[NODES_MOST][ROUNDS], ended[NODES_MOST][ROUNDS];
};

struct node {
    struct log *log;
    uint32_t node, round;
};

static void tell_number(void *args, uint32_t number)
{
    ((struct node *)args)->node = number;
}

/* Node i works 100 i ns in even rounds and as much less in odd ones, or all 100 ns. */
static void work(struct htmt_context *c, struct htmt_slot done)
{
    struct node *n = htmt_args(c);
    const uint32_t much = n->log->equal ? 1 : n->round % 2 ? NODES_MOST - n->node : n->node;
    (void)done;
    n->log->began[n->node][n->round] = htmt_began(c);
    n->log->ended[n->node][n->round] = htmt_began(c) + 100 * (htmt_time)much * NS;
    htmt_delay(c, 100 * (htmt_time)much * NS);
    n->round++;
}

static uint32_t again(struct htmt_context *c, uint32_t over)
{
    (void)over;
    return ((const struct node *)htmt_args(c))->round < ROUNDS ? 0 : HTMT__PEERS_END;
}

static void go(const struct nodes *machine, uint32_t nodes, struct log *log, uint32_t threads,
               htmt_time *barrier)
{
    struct htmt_machine *m = nodes_load(machine, nodes);
    struct htmt_emulator *e;
    struct htmt__peers *peers;
    const struct htmt__phase phase = {.name = "work", .act = work, .barrier = true};
    const struct node args = {.log = log};
    cr_assert_eq(htmt_emulator_create(&e,
                                      &(struct htmt_options){.machine = m,
                                                             .slices = nodes,
                                                             .mode = HTMT_MODEL,
                                                             .clock_threads = threads},
                                      NULL),
                 0);
    const struct htmt__peers_desc d = {.e = e,
                                       .type = "node",
                                       .place = htmt__peer_place(m),
                                       .phases = &phase,
                                       .count = 1,
                                       .next = again,
                                       .args = &args,
                                       .args_bytes = sizeof args,
                                       .each = tell_number};
    cr_assert_eq(htmt__peers_create(&d, &peers), 0, "%s", htmt_emulator_fault(e)->text);
    cr_assert_eq(htmt_emulator_run(e), 0, "%s", htmt_emulator_fault(e)->text);
    *barrier = htmt__peers_barrier(m, d.place);
    htmt_emulator_destroy(&e);
    htmt__peers_destroy(&peers);
    htmt_machine_destroy(&m);
}

/* All begin a round when the last one has ended the round before and the barrier has passed it. */
Test(peers, a_round_begins_everywhere_when_the_slowest_has_ended_the_one_before)
{
    for (uint32_t nodes = 1; nodes <= NODES_MOST; nodes += nodes < 9 ? 1 : 8) {
        struct log *log = calloc(1, sizeof *log);
        htmt_time barrier;
        go(&(struct nodes){"0 s", "0 s", "1 Gword/s", false}, nodes, log, 1, &barrier);
        cr_expect_eq(barrier, 0);
        for (uint32_t round = 1; round < ROUNDS; round++) {
            htmt_time last = 0;
            for (uint32_t i = 0; i < nodes; i++)
                last = log->ended[i][round - 1] > last ? log->ended[i][round - 1] : last;
            for (uint32_t i = 0; i < nodes; i++)
                cr_expect_eq(log->began[i][round], last, "%u nodes, round %u, node %u", nodes,
                             round, i);
        }
        free(log);
    }
}

/* ceil(log2 nodes) rounds of a start-up of 7 us and 3 us on the way; where nodes are not modelled
 * as they receive, and of a word of 1 ns, too. */
Test(peers, a_barrier_takes_start_ups_and_latencies_of_its_rounds_on_any_threads)
{
    static const struct {
        uint32_t nodes, rounds;
    } cases[] = {{1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {16, 4}, {17, 5}, {33, 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int words = 0; words < 2; words++)
            for (uint32_t threads = 1; threads <= 2; threads++) {
                struct log *log = calloc(1, sizeof *log);
                log->equal = true;
                const uint32_t nodes = cases[i].nodes;
                const htmt_time wanted = (htmt_time)cases[i].rounds * (10000 + words) * NS;
                htmt_time barrier;
                go(&(struct nodes){"7 us", "3 us", "1 Gword/s", words}, nodes, log, threads,
                   &barrier);
                cr_expect_eq(barrier, wanted);
                for (uint32_t node = 0; node < nodes; node++)
                    cr_expect_eq(log->began[node][1] - log->ended[node][0], wanted,
                                 "%u nodes, %d words, %u threads", nodes, words, threads);
                free(log);
            }
}
