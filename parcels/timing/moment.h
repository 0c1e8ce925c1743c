/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the lines of an operation log take effect.
 */
#ifndef HTMT_PARCELS_TIMING_MOMENT_H
#define HTMT_PARCELS_TIMING_MOMENT_H

#include "parcels/timing/log.h"

/* The length of p's service is known, `work` of it the kernel's: do what happens at its start, keep
 * what happens at its end, and give the lines between a moment each. */
void htmt__log_unroll(struct htmt_emulator *e, struct htmt__entity *p, htmt_time work);
/* Of an issue port: do what lines say up to p->before, but for those at the end, p->after. */
void htmt__log_pass(struct htmt_emulator *e, struct htmt__entity *p);
/* The service has ended: do what is left. */
void htmt__log_finish(struct htmt_emulator *e, struct htmt__entity *p);
/* The event of a moment. */
void htmt__moment(struct htmt_emulator *e, struct htmt__entity *moment);

#endif
