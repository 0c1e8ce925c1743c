/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Times of tables by hand, from the figures of small-htmt: a message of n words leaves its channel
 * in n ns, and its last word comes 100 ns later.
 */
#define _GNU_SOURCE /* mkstemps */
#include "tests/traffic/asked.h"

/* ---- tables and programs --------------------------------------------------------------------- */

Test(traffic_program, nodes_wait_for_what_their_table_says_and_for_nothing_else)
{
    static const struct {
        const char *claim;
        uint32_t slices;
        const char *iterations;
        htmt_time ns;
        const char *nodes;
    } rows[] = {
        {"blocks leave one after another, and a node starts when all are in", 2, "1",
         100 + 50 + 100 + 1000,
         "  - send: [{to: 1, bytes: 800}, {to: 1, bytes: 400}]\n"
         "  - {clock: 1 GHz, cycles: 1000, receive: [800, 400]}\n"},
        {"stages chain", 3, "1", 200 + 1000 + 110 + 20,
         "  - send: [{to: 1, bytes: 800}]\n"
         "  - {clock: 1 GHz, cycles: 1000, send: [{to: 2, bytes: 80}]}\n"
         "  - {clock: 500 MHz, cycles: 10}\n"},
        {"a source begins when its period is over", 2, "4", 3 * 5000 + 1200,
         "  - {period: 5 us, send: [{to: 1, bytes: 800}]}\n"
         "  - {clock: 1 GHz, cycles: 1000}\n"},
        {"a source without a period begins when its messages have left", 2, "5", 5 * 200 + 100,
         "  - send: [{to: 1, bytes: 800}, {to: 1, bytes: 800}]\n"
         "  - {}\n"},
        /* The blocks of source 0 run ahead by iterations; none of them stands for one of source 1.
         */
        {"a block of a later iteration completes no earlier one", 3, "3", 2 * 3000 + 101 + 100,
         "  - {period: 100 ns, send: [{to: 2, bytes: 8}]}\n"
         "  - {period: 3 us, send: [{to: 2, bytes: 8}]}\n"
         "  - {clock: 1 GHz, cycles: 100}\n"},
        {"a node works on one iteration at a time", 2, "3", 101 + 3 * 1000,
         "  - {period: 100 ns, send: [{to: 1, bytes: 8}]}\n"
         "  - {clock: 1 GHz, cycles: 1000}\n"},
        /* It comes at 110, is received at 1000, a word says so at 1101; then comes the next. */
        {"a synchronous send returns when the message was received", 2, "1", 1000 + 101 + 110,
         "  - program: [{send: 1, bytes: 80}, {asend: 1, bytes: 80}]\n"
         "  - program: [{compute: 1 us}, {rcv: 0}, {rcv: 0}]\n"},
        /* A processor more than one: the receive is told while the node computes. */
        {"a receive that does not wait takes it when it comes", 2, "1", 1000,
         "  - program: [{send: 1, bytes: 80}, {asend: 1, bytes: 80}]\n"
         "  - program: [{arecv: 0}, {compute: 1 us}, {rcv: 0}]\n"},
        {"a receive takes the next message of its source alone", 3, "1", 2000 + 101 + 1000,
         "  - program: [{compute: 2 us}, {asend: 2, bytes: 8}]\n"
         "  - program: [{asend: 2, bytes: 8}]\n"
         "  - program: [{rcv: 0}, {rcv: 1}, {compute: 1 us}]\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(time_of_table(rows[i].slices, rows[i].nodes, rows[i].iterations),
                     rows[i].ns * NS, "%s", rows[i].claim);
}

Test(traffic_program, a_deadlock_names_nodes_operations_and_the_cycle)
{
    static const struct {
        uint32_t slices;
        const char *iterations, *nodes, *line;
    } rows[] = {
        {2, "1",
         "  - program: [{rcv: 1}, {asend: 1, bytes: 8}]\n"
         "  - program: [{rcv: 0}, {asend: 0, bytes: 8}]\n",
         "nodes wait for each other: node 0 waits for node 1 at its operation 1 {rcv: 1}, node 1 "
         "waits for node 0 at its operation 1 {rcv: 0}: a cycle"},
        {4, "1",
         "  - {name: a, program: [{rcv: 1}]}\n"
         "  - {name: b, program: [{rcv: 2}, {asend: 0, bytes: 64}, {asend: 2, bytes: 64}]}\n"
         "  - {name: c, program: [{rcv: 1}, {asend: 1, bytes: 64}, {asend: 3, bytes: 64}]}\n"
         "  - {name: d, program: [{rcv: 2}, {compute: 1 us}]}\n",
         "nodes wait for each other: b waits for c at its operation 1 {rcv: 2}, c waits for b at "
         "its operation 1 {rcv: 1}: a cycle; 2 more wait: a, d"},
        {2, "1",
         "  - {name: a, program: [{compute: 1 us}, {send: 1, bytes: 64}, {rcv: 1}]}\n"
         "  - {name: b, program: [{send: 0, bytes: 64}, {rcv: 0}]}\n",
         "nodes wait for each other: a waits for b at its operation 2 {send: 1}, b waits for a at "
         "its operation 1 {send: 0}: a cycle"},
        /* Stages in a ring: nobody begins. */
        {6, "3",
         "  - send: [{to: 1, bytes: 8}]\n  - send: [{to: 2, bytes: 8}]\n"
         "  - send: [{to: 3, bytes: 8}]\n  - send: [{to: 4, bytes: 8}]\n"
         "  - send: [{to: 5, bytes: 8}]\n  - send: [{to: 0, bytes: 8}]\n",
         "node 0 waits for node 5 to send it a block, node 5 waits for node 4 to send it a block, "
         "node 4 waits for node 3 to send it a block, node 3 waits for node 2 to send it a block, "
         "and so on: a cycle of 6 nodes"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[64];
        struct asked a;
        write_table(path, rows[i].nodes);
        ask(&a, "small-htmt", rows[i].slices, HTMT_MODEL,
            GIVEN("table", path, "iterations", rows[i].iterations));
        cr_expect_eq(run(&a), HTMT_EDEADLOCK, "%zu", i);
        const char *found = strstr(a.fault.text, rows[i].line);
        cr_expect(found && strlen(found) == strlen(rows[i].line), "%zu: %s", i, a.fault.text);
        done(&a);
        unlink(path);
    }
}

/* Packets that hold channels of each other: the table has no part in it. */
Test(traffic_program, a_deadlock_of_packets_is_not_told_as_one_of_nodes)
{
    struct asked a;
    ask(&a, "hpsc-wrap", 16, HTMT_MODEL, GIVEN("table", "hpsc-grid"));
    cr_assert_eq(run(&a), HTMT_EDEADLOCK);
    cr_expect(!strstr(a.fault.text, "nodes wait for each other"), "%s", a.fault.text);
    done(&a);
}

/* ---- options --------------------------------------------------------------------------------- */

Test(traffic_program, more_work_spreads_from_the_first_node_to_the_last)
{
    /* node 0: 1 us, node 3: 4 us before they send 128 words to each other */
    cr_assert_eq(
        time_of(4, GIVEN("pattern", "unequal-distance", "bytes", "8", "compute", "1us,4us")),
        4000 * NS + 3 * NS + 100 * NS);
}

Test(traffic_program, the_sources_of_a_table_may_have_another_period)
{
    cr_assert_eq(time_of(3, GIVEN("table", "stages", "iterations", "3", "period", "100us")),
                 2 * 100000 * NS + 16450 * NS);
}

Test(traffic_program, a_rotated_table_has_the_same_messages_in_another_order)
{
    struct asked a;
    ask(&a, "htmt-oct98", 16, HTMT_RUN, GIVEN("table", "hpsc-grid", "order", "rotated"));
    cr_assert_eq(run(&a), 0, "%s", a.fault.text);
    cr_assert_eq(a.outcome.correct, 1);
    cr_assert_eq(found(&a, "messages"), 64);
    /* each node hears one source at a time: 2000 words at 10 Gword/s, 85 ns */
    cr_assert_eq(htmt_predicted(a.outcome.emulator), (8 * 200 + 85 + 100000) * NS);
    done(&a);
}

/* ---- results --------------------------------------------------------------------------------- */

Test(traffic_program, latencies_are_those_of_messages_and_iterations)
{
    struct asked a;
    ask(&a, "small-htmt", 3, HTMT_MODEL, GIVEN("table", "stages", "iterations", "6"));
    cr_assert_eq(run(&a), 0, "%s", a.fault.text);
    cr_assert_float_eq(found(&a, "message_latency_min"), 350e-9, 1e-15);
    cr_assert_float_eq(found(&a, "message_latency_max"), 1100e-9, 1e-15);
    cr_assert_float_eq(found(&a, "message_latency_mean"), (600 + 1100 + 350) / 3e9, 1e-15);
    cr_assert_float_eq(found(&a, "iteration_latency_max"), 16.45e-6, 1e-15);
    cr_assert_float_eq(found(&a, "iteration_apart"), 20e-6, 1e-15);
    /* the filter works so long */
    cr_assert(found(&a, "least_period") >= 10e-6 && found(&a, "least_period") < 10.01e-6);
    done(&a);
}

/* Two sources of a node: its channel takes 2 x 100 ns an iteration, more than either source. */
Test(traffic_program, the_least_period_is_that_of_the_busiest_place)
{
    struct asked a;
    char path[64];
    write_table(path, "  - {period: 10 us, send: [{to: 2, bytes: 800}]}\n"
                      "  - {period: 10 us, send: [{to: 2, bytes: 800}]}\n"
                      "  - {}\n");
    ask(&a, "small-htmt", 3, HTMT_MODEL, GIVEN("table", path, "iterations", "100"));
    cr_assert_eq(run(&a), 0, "%s", a.fault.text);
    cr_assert_float_eq(found(&a, "iteration_apart"), 10e-6, 1e-15);
    cr_assert(found(&a, "least_period") >= 200e-9 && found(&a, "least_period") < 200.2e-9);
    done(&a);
    unlink(path);
}
