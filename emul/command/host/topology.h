/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the operating system says of the computer: its processor and its caches, by hwloc.
 */
#ifndef HTMT_EMUL_COMMAND_HOST_TOPOLOGY_H
#define HTMT_EMUL_COMMAND_HOST_TOPOLOGY_H

#include "runtime/base/error.h"

#include <stdint.h>

#define HTMT__HOST_CACHES 3

struct htmt__host_cache {
    uint64_t bytes;
    uint32_t line, ways; /* ways 0: not told */
};

struct htmt__host_topology {
    char processor[80]; /* "AMD EPYC" */
    uint32_t cores;     /* that the process may use */
    uint64_t memory;    /* bytes */
    uint32_t caches;
    struct htmt__host_cache cache[HTMT__HOST_CACHES]; /* of data, l1 first */
    uint32_t sharing;                                 /* processors that have the last cache */
    struct htmt__host_cache code;                     /* bytes 0: l1 serves code, too */
};

/* What topology.so exports, so that the command links no hwloc. */
#define HTMT__HOST_PART "htmt_topology"

struct htmt__host_part {
    /* Errors: HTMT_ESYSTEM (hwloc finds no cache). */
    int (*find)(struct htmt__host_topology *topology, struct htmt_fault *fault);
};
extern const struct htmt__host_part htmt_topology __attribute__((visibility("default")));

#endif
