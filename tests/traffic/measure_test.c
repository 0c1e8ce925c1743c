/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Measured patterns against queues that this file plays by itself, and latencies against their own
 * file. small-htmt: a port sends a word a nanosecond, its last word comes 100 ns later.
 */
#define _GNU_SOURCE /* mkstemps */
#include "tests/traffic/asked.h"

#include <inttypes.h>
#include <math.h>

enum { NODES = 4, MOST = 20000 };

struct line {
    uint32_t source, target;
    htmt_time born, came;
};

struct measured {
    struct asked asked;
    struct line line[MOST];
    unsigned lines;
};

static void measure(struct measured *m, const char *pattern, const char *load, const char *window,
                    const char *arrivals)
{
    char path[64], text[200];
    snprintf(path, sizeof path, "/tmp/htmt-measure-XXXXXX.csv");
    int fd = mkstemps(path, 4);
    cr_assert_geq(fd, 0);
    close(fd);
    ask(&m->asked, "small-htmt", NODES, HTMT_MODEL,
        GIVEN("pattern", pattern, "bytes", "80", "load", load, "measure", window, "arrivals",
              arrivals, "latencies", path));
    cr_assert_eq(run(&m->asked), 0, "%s", m->asked.fault.text);
    FILE *in = fopen(path, "r");
    cr_assert_not_null(in);
    for (m->lines = 0; fgets(text, sizeof text, in);) {
        struct line *l = &m->line[m->lines];
        cr_assert_lt(m->lines, MOST);
        m->lines += sscanf(text, "message,0,%" SCNu32 ",%" SCNu32 ",%*u,80,%" SCNd64 ",%" SCNd64,
                           &l->source, &l->target, &l->born, &l->came) == 4;
    }
    fclose(in);
    unlink(path);
}

static int compare(const void *a, const void *b)
{
    const htmt_time x = *(const htmt_time *)a, y = *(const htmt_time *)b;
    return (x > y) - (x < y);
}

/* Lindley's recursion, from a window that begins at 0: one source's messages leave one by one. */
Test(measure, each_message_waits_for_those_born_before_it_at_its_source)
{
    static struct measured m;
    measure(&m, "neighbour", "0.8", "0ns..20us", "poisson");
    htmt_time free[NODES] = {0};
    cr_assert_gt(m.lines, 5000);
    for (unsigned i = 0; i < m.lines; i++) {
        const struct line *l = &m.line[i];
        const htmt_time start = l->born > free[l->source] ? l->born : free[l->source];
        cr_assert_eq(l->target, (l->source + 1) % NODES);
        cr_assert(l->born >= 0 && l->born < 20000 * NS);
        free[l->source] = start + 10 * NS;
        cr_assert_eq(l->came, start + 110 * NS);
    }
    done(&m.asked);
}

/* ... and what a report says is what the lines of the file say. */
Test(measure, percentiles_and_loads_are_those_of_the_messages)
{
    static struct measured m;
    static htmt_time sorted[MOST];
    double sum = 0, batch[10] = {0}, count[10] = {0}, of = 0, squares = 0;
    measure(&m, "uniform", "0.6", "5us..25us", "poisson");
    for (unsigned i = 0; i < m.lines; i++) {
        const struct line *l = &m.line[i];
        cr_assert(l->born >= 5000 * NS && l->born < 25000 * NS);
        sorted[i] = l->came - l->born;
        sum += (double)sorted[i];
        batch[(l->born - 5000 * NS) / (2000 * NS)] += (double)sorted[i];
        count[(l->born - 5000 * NS) / (2000 * NS)]++;
    }
    qsort(sorted, m.lines, sizeof *sorted, compare);
    for (unsigned b = 0; b < 10; b++)
        of += batch[b] / count[b] / 10;
    for (unsigned b = 0; b < 10; b++)
        squares += (batch[b] / count[b] - of) * (batch[b] / count[b] - of);
    const double n = m.lines;
    cr_assert_eq(found(&m.asked, "messages"), n);
    cr_assert_float_eq(found(&m.asked, "message_latency_mean"), 1e-15 * sum / n, 1e-15);
    cr_assert_eq(found(&m.asked, "message_latency_median"),
                 1e-15 * (double)sorted[(m.lines + 1) / 2 - 1]);
    cr_assert_eq(found(&m.asked, "message_latency_p95"),
                 1e-15 * (double)sorted[(unsigned)ceil(0.95 * n) - 1]);
    cr_assert_eq(found(&m.asked, "message_latency_p99"),
                 1e-15 * (double)sorted[(unsigned)ceil(0.99 * n) - 1]);
    cr_assert_eq(found(&m.asked, "message_latency_max"), 1e-15 * (double)sorted[m.lines - 1]);
    cr_assert_float_eq(found(&m.asked, "message_latency_half_interval"),
                       1e-15 * 2.262 * sqrt(squares / 90), 1e-15);
    cr_assert_float_eq(found(&m.asked, "offered_load"), n * 10 / 20000 / NODES, 1e-12);
    /* stable: what is born in the window comes in the window, but for a few at its ends */
    cr_assert_float_eq(found(&m.asked, "accepted_load"), n * 10 / 20000 / NODES, 0.01);
    cr_assert_float_eq(found(&m.asked, "sent_load"), n * 10 / 20000 / NODES, 0.01);
    cr_assert_eq(found(&m.asked, "messages_late"), 0);
    done(&m.asked);
}

/* A window between births, and one in which nodes send and nobody hears, have plain zeros. */
Test(measure, a_window_without_messages_has_no_latencies)
{
    static struct measured m;
    measure(&m, "uniform", "0.000001", "0ns..1ns", "poisson");
    cr_assert_eq(m.lines, 0);
    cr_assert_eq(found(&m.asked, "messages"), 0);
    cr_assert_eq(found(&m.asked, "accepted_load"), 0);
    cr_assert_eq(found(&m.asked, "accepted_load_min"), 0);
    for (unsigned i = 0; i < m.asked.outcome.found_count; i++)
        cr_assert_null(strstr(m.asked.outcome.found[i].name, "latency"));
    done(&m.asked);
}

/* Three nodes offer 0.9 of a port each to node 0, which takes 1 and sends 0.9 to the others: four
 * nodes hear 1.9 / 4 in the mean. Behind 9 us of that, messages have waited for 1.7 / 2.7 of it. */
Test(measure, an_overloaded_target_hears_what_its_port_takes)
{
    static struct measured m;
    struct asked *a = &m.asked;
    ask(a, "small-htmt", NODES, HTMT_MODEL,
        GIVEN("pattern", "hotspot", "hot", "1", "bytes", "80", "load", "0.9", "measure",
              "9us..10us"));
    cr_assert_eq(run(a), 0, "%s", a->fault.text);
    cr_assert_float_eq(found(a, "accepted_load"), 1.9 / 4, 0.02);
    cr_assert_gt(found(a, "message_latency_max"), 9e-6 * 1.7 / 2.7);
    done(a);
}

/* A longer window, whose sources also go on for longer, tells the same of the same messages. */
Test(measure, latencies_do_not_depend_on_when_sources_stop)
{
    static struct measured shorter, longer;
    measure(&shorter, "uniform", "0.95", "4us..6us", "bernoulli");
    measure(&longer, "uniform", "0.95", "0us..15us", "bernoulli");
    unsigned same = 0;
    for (unsigned i = 0; i < longer.lines; i++) {
        const struct line *l = &longer.line[i];
        cr_assert_eq(l->born % NS, 0);
        if (l->born < 4000 * NS || l->born >= 6000 * NS)
            continue;
        cr_assert_lt(same, shorter.lines);
        cr_assert_eq(memcmp(l, &shorter.line[same++], sizeof *l), 0);
    }
    cr_assert_eq(same, shorter.lines);
    cr_assert_gt(same, 500);
    done(&shorter.asked);
    done(&longer.asked);
}

/* The last message of the window has come when the last source stops; what was sent still comes. */
Test(measure, the_run_ends_soon_behind_the_last_message_of_the_window)
{
    static struct measured m;
    measure(&m, "hotspot", "0.5", "1us..2us", "poisson");
    htmt_time last = 0;
    for (unsigned i = 0; i < m.lines; i++)
        last = m.line[i].came > last ? m.line[i].came : last;
    const htmt_time end = htmt_predicted(m.asked.outcome.emulator);
    cr_assert(end >= last && end < last + 1000 * NS);
    done(&m.asked);
}
