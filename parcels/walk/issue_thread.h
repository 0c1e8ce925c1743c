/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: what threads of an issue port do between services of a launch. The DMA engine
 * copies for a thread, and after that it waits for others.
 */
#ifndef HTMT_PARCELS_WALK_ISSUE_THREAD_H
#define HTMT_PARCELS_WALK_ISSUE_THREAD_H

#include "parcels/walk/issue.h"

/* A launch begins, or ends: what threads do in between counts. */
void htmt__threads_launched(struct htmt__issuing *s, htmt_time now);
void htmt__threads_ended(struct htmt__issuing *s, htmt_time now);
/* A service of the thread begins. */
void htmt__thread_serves(struct htmt__issuing *s, uint32_t thread, htmt_time now);
/* The engine copies for the thread until then; HTMT__NO_THREAD: for none. */
void htmt__thread_copies(struct htmt__issuing *s, uint32_t thread, htmt_time until);

#endif
