/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns of a loop that are alike. A turn in which all accesses hit leaves the caches so that the
 * same lines, asked for in the same order, hit again and change nothing: such turns take the same
 * time, and need no look at the caches.
 */
#ifndef HTMT_LAYERS_NODE_LOOP_REPEAT_H
#define HTMT_LAYERS_NODE_LOOP_REPEAT_H

#include "runtime/base/ratio.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct htmt__node;

#define HTMT__TURN_ENTRIES 64 /* of the longest turn that is looked at */

/* The turn that goes on. */
struct htmt__node_turn {
    const uint64_t *from;   /* its entries, from the block that it began with */
    htmt_time start, chain; /* when it began, what chains had added until then */
    bool alike;             /* so far, another one with its lines would take as long */
};

/* A turn ends where `entries` begins with its first block again: entries of the next ones that are
 * like it, among those that end before `count`. */
size_t htmt__turn_like(const struct htmt__node *node, const uint64_t *entries, size_t count);
/* So many entries of turns like it have passed since. */
void htmt__turn_repeat(struct htmt__node *node, const uint64_t *entries, size_t like);

#endif
