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

/* ---- tapes that begin when others are on their way ---------------------------------------------
 */

struct htmt__node_team;

/* Errors: HTMT_ENOMEM. */
int htmt__team_new(struct htmt__node_team **team, uint32_t processors, htmt__team_source *source,
                   void *user);
void htmt__team_free(struct htmt__node_team *team);
/* The node of a processor without a tape has started, or joined: its tape plays up to its first
 * request. Errors: those of htmt__node_play(), which end the tape. */
int htmt__team_enter(struct htmt__node_team *team, uint32_t processor, struct htmt__node *node);
/* All requests before `until` (htmt__node_request_time()). Errors: those of htmt__node_play(), of
 * the processor *failed. */
int htmt__team_until(struct htmt__node_team *team, htmt_time until, uint32_t *failed);
/* When the next request comes; HTMT_TIME_MAX: all tapes have ended. */
htmt_time htmt__team_next(const struct htmt__node_team *team);
/* It has a tape whose end has not come. */
bool htmt__team_plays(const struct htmt__node_team *team, uint32_t processor);

#endif
