/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Load curves, as a flit simulator measures them: Bernoulli packets of 4 flits from each end, some
 * cycles to warm up, then a window. A byte stands for a flit, a picosecond for a cycle; a router
 * takes two cycles, a link one (of a dragonfly 10, or 100 between groups), a credit one more than
 * the link.
 */
#ifndef HTMT_TESTS_NETWORK_OFFERED_LOAD_H
#define HTMT_TESTS_NETWORK_OFFERED_LOAD_H

#include "tests/layers/network.h"

enum pattern { UNIFORM, COMPLEMENT, TRANSPOSE, NEXT_GROUP }; /* groups of 8 ends */

struct network {
    const char *name;
    enum htmt__topology_kind topology;
    enum htmt__routing routing;
    const char *shape;
    uint32_t lanes;
    uint64_t buffer, bias; /* flits; 0: 16, and none */
    bool dynamic;
    uint32_t
        speedup; /* routers of flits, with so many of an input in a cycle; 0: packets as lines */
    bool oldest;
    uint64_t urgent; /* flits of a packet that goes first; 0: none */
};

struct load {
    const struct network *of;
    enum pattern pattern;
    double offered;        /* flits an end and cycle */
    uint32_t warm, window; /* cycles */
    bool drains;           /* until all have arrived; else to the end of the window */
    bool in_windows;       /* slice by slice */
};

/* latency: in cycles, of packets of the window. */
struct found {
    double accepted, latency;
    uint64_t digest;
    uint32_t missing;
};

struct htmt__inside offered_inside(const struct network *n);
struct found offered_load(const struct load *load);

#endif
