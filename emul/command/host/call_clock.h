/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the host's clock says of predicted calls, on one core or on several at once.
 */
#ifndef HTMT_EMUL_COMMAND_HOST_CALL_CLOCK_H
#define HTMT_EMUL_COMMAND_HOST_CALL_CLOCK_H

#include "emul/command/host/call_files.h"

/* `predicted`: of each call; of several cores there is one. */
int htmt__call_clock(const struct htmt__call_files *f, struct htmt__predicted *predicted);

#endif
