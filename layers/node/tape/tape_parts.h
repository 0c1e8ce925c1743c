/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside tapes: what a tape in memory is made of, for its files.
 */
#ifndef HTMT_LAYERS_NODE_TAPE_TAPE_PARTS_H
#define HTMT_LAYERS_NODE_TAPE_TAPE_PARTS_H

#include "layers/node/tape/tape.h"

struct htmt__tape {
    const struct htmt__tape_program *program;
    void *tables; /* the program's, where the tape owns it; NULL: it is the caller's */
    struct htmt__tape_region *region;
    size_t regions;
    uint64_t **chunk; /* each is full, but for the last */
    size_t chunks;
    uint64_t entries;
};

#endif
