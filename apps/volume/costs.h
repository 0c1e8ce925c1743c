/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cost files of volume rendering: a paper's constants.
 */
#ifndef HTMT_APPS_VOLUME_COSTS_H
#define HTMT_APPS_VOLUME_COSTS_H

#include "apps/lib/request.h"
#include "apps/volume/plan.h"

/* Errors: those of htmt_costs_load(); HTMT_ERANGE (a number that no parcel can have). */
int htmt__volume_costs_read(const struct htmt_request *r, struct htmt__volume_charges *charges,
                            struct htmt_fault *fault);

#endif
