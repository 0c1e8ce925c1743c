/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Irregular networks: what a graph file says, its boards taken apart.
 */
#ifndef HTMT_LAYERS_NETWORK_SWITCH_GRAPH_H
#define HTMT_LAYERS_NETWORK_SWITCH_GRAPH_H

#include "layers/network/topology.h"

#define HTMT__ELEMENT_NAME 64 /* characters with the NUL: "apu0.left.s" */

/* Two elements that are joined: ends are 0 .. ends - 1, switches follow. */
struct htmt__graph_link {
    uint32_t from, to;
    uint32_t port, to_port;
    bool one_way;
    bool own_byte, own_wire; /* the link's figures; else the network's */
    struct htmt_ratio byte;
    htmt_time wire;
};

struct htmt__graph_links {
    struct htmt__graph_link *at;
    uint32_t count;
    size_t room;
    bool failed; /* out of memory */
};

struct htmt__switch {
    char name[HTMT__ELEMENT_NAME];
    uint32_t ports;
    uint32_t first_name; /* of its ports, in port_name */
    bool placed;
    int32_t at[2];
};

struct htmt__switch_graph {
    uint32_t ends, switches, names;
    char (*end_name)[HTMT__ELEMENT_NAME];
    struct htmt__switch *at;
    char (*port_name)[HTMT_NAME_MAX];
    struct htmt__graph_links links;
};

void htmt__graph_links_add(struct htmt__graph_links *links, struct htmt__graph_link link);

/* By the name of machines/graphs/NAME.yaml, or a path; `beside`: the machine file. On success the
 * caller owns *graph. Errors: HTMT_ENOENT, HTMT_EIO, HTMT_EFORMAT, HTMT_EUNIT, HTMT_ERANGE,
 * HTMT_ENOMEM. */
int htmt__topology_graph_load(const char *name, const char *beside,
                              struct htmt__switch_graph **graph, struct htmt_fault *fault);
/* The same of a text; `name` stands for the file, and boards are looked for beside it. */
int htmt__topology_graph_parse(const char *name, const char *text,
                               struct htmt__switch_graph **graph, struct htmt_fault *fault);
/* NULL: out of memory, or none. */
struct htmt__switch_graph *htmt__topology_graph_copy(const struct htmt__switch_graph *graph);
void htmt__topology_graph_destroy(struct htmt__switch_graph **graph);

/* Number of the end of that name or number, UINT32_MAX: none. */
uint32_t htmt__topology_graph_end(const struct htmt__switch_graph *graph, const char *name);

#endif
