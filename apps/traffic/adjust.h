/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A table with other orders, periods and work than its file says.
 */
#ifndef HTMT_APPS_TRAFFIC_ADJUST_H
#define HTMT_APPS_TRAFFIC_ADJUST_H

#include "apps/traffic/io/table.h"

struct htmt__traffic_changes {
    bool rotates;          /* source number i begins its list with entry i */
    bool has_period;       /* of all sources */
    htmt_time period;      /* 0: as fast as their messages leave */
    htmt_time least, most; /* more work of each node before it sends, from the first to the last */
};

/* A changed copy, completed; `t` is completed too. Errors: HTMT_ENOMEM. */
int htmt__traffic_adjust(const struct htmt__traffic_table *t,
                         const struct htmt__traffic_changes *changes,
                         struct htmt__traffic_table *changed, struct htmt_fault *fault);

#endif
