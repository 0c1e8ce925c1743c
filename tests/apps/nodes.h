/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A machine of equal nodes of one memory: 1 ns for a flop, a load and a store, one after the other;
 * 4 MiB; one channel out and one in.
 */
#ifndef HTMT_TESTS_APPS_NODES_H
#define HTMT_TESTS_APPS_NODES_H

#include "layers/machine/machine.h"

#include <criterion/criterion.h>
#include <stdio.h>

struct nodes {
    const char *startup, *latency, *rate; /* as in a machine file */
    bool deaf;                            /* how they receive is not modelled */
};

/* A machine of so many; the caller destroys it. */
static inline struct htmt_machine *nodes_load(const struct nodes *n, uint32_t count)
{
    struct htmt_machine *m;
    struct htmt_fault f = {0};
    char text[2000];
    snprintf(text, sizeof text,
             "htmt-machine: 1\n"
             "about: nodes\n"
             "slices: {value: %u, source: test}\n"
             "layers:\n"
             "  node:\n"
             "    processor:\n"
             "      name: CPU\n"
             "      count: {value: 1, source: test}\n"
             "      clock: {value: 1 GHz, source: test}\n"
             "      flop: {value: 1 ns, source: test}\n"
             "      iop: {value: not-modelled, source: test}\n"
             "      load: {value: 1 ns, source: test}\n"
             "      store: {value: 1 ns, source: test}\n"
             "      lambda: {value: 0, source: test}\n"
             "    memory:\n"
             "      name: node-memory\n"
             "      capacity: {value: 4 MiB, source: test}\n"
             "      reserve: {value: not-modelled, source: test}\n"
             "      access-words: {value: not-modelled, source: test}\n"
             "      access: {value: not-modelled, source: test}\n"
             "      ports: {value: not-modelled, source: test}\n"
             "networks:\n"
             "  net:\n"
             "    scope: machine\n"
             "    startup: {value: %s, source: test}\n"
             "    latency: {value: %s, source: test}\n"
             "    ports:\n"
             "      node:\n"
             "        out: {value: 1, source: test}\n"
             "        out-rate: {value: %s, source: test}\n"
             "        in: {value: %s, source: test}\n"
             "        in-rate: {value: %s, source: test}\n",
             count, n->startup, n->latency, n->rate, n->deaf ? "not-modelled" : "1",
             n->deaf ? "not-modelled" : n->rate);
    cr_assert_eq(htmt_machine_parse("nodes.yaml", text, &m, &f), 0, "%s", f.text);
    return m;
}

#endif
