/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the probes of an emulator. Each hears what the clock tells, in the order in
 * which they were added.
 */
#ifndef HTMT_PARCELS_OBSERVE_PROBES_H
#define HTMT_PARCELS_OBSERVE_PROBES_H

#include "parcels/clock/probe.h"

/* From now on the probe hears it, too. Errors: HTMT_ENOMEM. */
int htmt__probes_add(struct htmt_emulator *e, const struct htmt__explain_probe *probe);
void htmt__probes_destroy(struct htmt_emulator *e);

#endif
