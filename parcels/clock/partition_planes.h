/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the data planes of a run, which share their threads. There is one; where the
 * slices are dealt to partitions, each of those that this process plays has one beside it, with the
 * bytes of its slices. So a partition meets no other one's jobs: what it has of another slice comes
 * by messages.
 */
#ifndef HTMT_PARCELS_CLOCK_PARTITION_PLANES_H
#define HTMT_PARCELS_CLOCK_PARTITION_PLANES_H

#include "parcels/clock/partition.h"

/* That of a slice; NULL in a model run. */
static inline struct htmt__data *htmt__data_of(const struct htmt_emulator *e, uint32_t slice)
{
    const struct htmt__windows *w = e->windows;
    const struct htmt_emulator *copy =
        w && slice < e->played ? w->partition[w->partition_of[slice]].e : NULL;
    return copy && copy->data ? copy->data : e->data;
}

/* For a copy of the emulator, with diagnostics of its own. Errors: HTMT_ENOMEM, HTMT_ESYSTEM. */
int htmt__plane_create(struct htmt_emulator *copy, const struct htmt_emulator *whole);
void htmt__plane_destroy(struct htmt_emulator *copy);

/* Until all that was asked for is done. */
void htmt__planes_drain(const struct htmt_emulator *e);
/* After it. Errors (latched): HTMT_ENOMEM if some job found no room. */
void htmt__planes_check(struct htmt_emulator *e);
void htmt__planes_report(const struct htmt_emulator *e, struct htmt_host_report *report);

#endif
