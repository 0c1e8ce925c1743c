/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The bytes of messages: a function of source, target, index at the target, and position.
 */
#ifndef HTMT_APPS_TRAFFIC_CONTENTS_H
#define HTMT_APPS_TRAFFIC_CONTENTS_H

#include "apps/traffic/io/table.h"

void htmt__traffic_fill(const struct htmt__traffic_message *m, unsigned char *bytes);
/* Bytes that are not what they should be. */
uint64_t htmt__traffic_wrong(const struct htmt__traffic_message *m, const unsigned char *bytes);

#endif
