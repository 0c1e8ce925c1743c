/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: sums a critical path by cause. A run that explains itself (path.c) and a
 * trace file (emul/lib/trace/path.c) each find the path in their own data; both give it here.
 */
#ifndef HTMT_PARCELS_OBSERVE_PATH_SUMS_H
#define HTMT_PARCELS_OBSERVE_PATH_SUMS_H

#include "parcels/path.h"

#include <stdint.h>

#define HTMT__PATH_BEGIN UINT64_MAX

enum htmt__path_why {
    HTMT__PATH_CAME,    /* its parcel came */
    HTMT__PATH_CALLED,  /* another parcel, fiber or message set it off */
    HTMT__PATH_LINE,    /* a server or channel of the resource `of` became free */
    HTMT__PATH_SPACE,   /* words of the layer `of` became free */
    HTMT__PATH_BLOCKED, /* the port `of` inside a network became free */
};

/* One interval of the path. */
struct htmt__path_interval {
    htmt_time time;  /* its length */
    uint64_t before; /* the interval that ended when it began; HTMT__PATH_BEGIN: it is the first */
    uint32_t row;    /* the type and the stage that it is counted under */
    uint32_t resource;  /* that it occupied; UINT32_MAX: none */
    uint32_t of;        /* of `why` */
    uint8_t place, why; /* enum htmt_path_place, enum htmt__path_why */
};

/* A path, followed from its last interval to its first. */
struct htmt__path_chain {
    const void *user;
    struct htmt__path_interval (*at)(const void *user, uint64_t index);
    /* Sets type, stage, resource and inside of a part; its place is set already. */
    void (*name)(const void *user, uint32_t row, struct htmt_path_part *part);
    /* Sets port, source and target of a part that a port caused. NULL: there are no ports. */
    void (*name_port)(const void *user, struct htmt_path_part *part);
    uint64_t last;
    uint32_t rows, resources, layers, ports; /* counts */
};

/* The caller gives *path to htmt_path_clear(), after an error, too. Errors: HTMT_ENOMEM. */
int htmt__path_sum(const struct htmt__path_chain *chain, struct htmt_path *path);

#endif
