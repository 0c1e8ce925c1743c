/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How the times of a block's parts become the block's.
 */
#ifndef HTMT_LAYERS_NODE_COMBINE_H
#define HTMT_LAYERS_NODE_COMBINE_H

#include "layers/node/parts.h"

/* Whether it is code: its time is part of the issue. */
bool htmt__node_is_code(const struct htmt__node *n, unsigned operation);
/* Whether the machine knows the operation's time, or it has none beside its issue. */
bool htmt__node_given(const struct htmt__node *n, unsigned operation, unsigned type);
/* Of `count` operations on their unit. */
htmt_time htmt__node_units(const struct htmt__node *n, unsigned operation, unsigned type,
                           uint64_t count);
/* max(issue, f(units, memory, branches)) */
htmt_time htmt__node_time(const struct htmt__node *n, const struct htmt__node_work *work,
                          htmt_time memory, htmt_time branch);
/* What a block's conditional branch costs: `right`, the guess was right. */
htmt_time htmt__node_branch(const struct htmt__node *n, const struct htmt__node_block *block,
                            bool right);

#endif
