/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is known of traffic without a clock: a message alone, and the bound of the busiest port.
 */
#ifndef HTMT_APPS_TRAFFIC_CLOSED_FORM_H
#define HTMT_APPS_TRAFFIC_CLOSED_FORM_H

#include "apps/lib/steps.h"
#include "apps/traffic/plan.h"

/* fs */
struct htmt__traffic_bound {
    htmt_wide total;    /* no run takes less; ping-pong takes it exactly */
    htmt_wide sender;   /* the busiest channel out, of an iteration */
    htmt_wide receiver; /* the busiest channel in */
    htmt_wide link;     /* the busiest channel inside the network; 0: it has none */
    htmt_wide alone;    /* the longest message, if it meets nobody */
    bool exact;
};

/* Errors: HTMT_EOVERFLOW, HTMT_ENOMEM. */
int htmt__traffic_bound_of(const struct htmt_machine *m, const struct htmt__traffic_plan *p,
                           struct htmt__traffic_bound *bound, struct htmt_fault *fault);

/* The lines of a prediction. */
void htmt__traffic_tell_terms(const struct htmt__traffic_plan *p,
                              const struct htmt__traffic_bound *bound, struct htmt_prediction *out);

#endif
