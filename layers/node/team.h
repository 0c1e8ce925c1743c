/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Processors of a slice that share bus and DRAM: their requests come in virtual order, ties by
 * number.
 */
#ifndef HTMT_LAYERS_NODE_TEAM_H
#define HTMT_LAYERS_NODE_TEAM_H

#include "layers/node/node.h"

/* The next entries of a processor's tape; NULL: it has ended. */
typedef const uint64_t *htmt__team_source(void *user, uint32_t processor, size_t *n);

/* Plays all tapes to their ends. The nodes have started and share bus and DRAM, or do not.
 * Errors: HTMT_ENOMEM, and those of htmt__node_play(); *failed, when not NULL, is the processor. */
int htmt__team_play(struct htmt__node *const *node, uint32_t processors, htmt__team_source *source,
                    void *user, uint32_t *failed);

#endif
