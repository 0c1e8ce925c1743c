/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the lines of an operation log take effect.
 */
#ifndef HTMT_PARCELS_WALK_LOG_REPLAY_H
#define HTMT_PARCELS_WALK_LOG_REPLAY_H

#include "parcels/walk/log.h"

/* The length of p's service, which began at `began`, is known, `work` of it the kernel's: do what
 * happens now, keep what happens at its end, and give the lines between a moment each. */
void htmt__log_unroll(struct htmt_emulator *e, struct htmt__entity *p, htmt_time began,
                      htmt_time work);
/* p's service begins, its length is not known: the same of what comes before its kernel. */
void htmt__log_begin(struct htmt_emulator *e, struct htmt__entity *p);
/* Of an issue port: do what lines say up to p->before, but for those at the end, p->after. */
void htmt__log_pass(struct htmt_emulator *e, struct htmt__entity *p);
/* The service has ended: do what is left. */
void htmt__log_finish(struct htmt_emulator *e, struct htmt__entity *p);
/* The event of a moment. */
void htmt__moment(struct htmt_emulator *e, struct htmt__entity *moment);

#endif
