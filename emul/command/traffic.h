/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt traffic`: what an application sends as a table of the application traffic; the tables of
 * the LANais.
 */
#ifndef HTMT_EMUL_COMMAND_TRAFFIC_H
#define HTMT_EMUL_COMMAND_TRAFFIC_H

#include "emul/lib/verbs/verb.h"

extern const struct htmt__verb htmt__verb_row_traffic;

#endif
