/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One line of progress on standard error, a terminal, written over by the next one and cut to the
 * terminal's width.
 */
#ifndef HTMT_EMUL_TEXT_PROGRESS_H
#define HTMT_EMUL_TEXT_PROGRESS_H

#include "runtime/base/ratio.h"

/* An empty text erases the line. */
void htmt__progress_line(const char *text);

/* The clock runs since `wall` seconds. `share` of its time is over, as far as is known; 0: nothing
 * is known. */
void htmt__progress_clock(htmt_wide now, uint64_t events, double wall, double share);

#endif
