/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists of plug-ins shall not end with the first one that crashes: each is loaded first in a
 * process of its own.
 */
#ifndef HTMT_EMUL_LIB_PLUGIN_TRIAL_H
#define HTMT_EMUL_LIB_PLUGIN_TRIAL_H

#include "runtime/base/error.h"

/* How long a plug-in may take then. */
#define HTMT__TRIAL_SECONDS 10

/* Whether this process would survive htmt__plugin_load(); whether it succeeds is not asked. Errors:
 * HTMT_EFORMAT (a constructor raises a signal, ends the process, or takes too long), HTMT_ESYSTEM
 * (no process). */
int htmt__plugin_try(const char *word, struct htmt_fault *fault);

#endif
