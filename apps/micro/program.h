/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parcel program: tasklets in each slice, and the host, which pushes the source, launches, and
 * pulls the destination.
 */
#ifndef HTMT_APPS_MICRO_PROGRAM_H
#define HTMT_APPS_MICRO_PROGRAM_H

#include "apps/micro/plan.h"

enum htmt__micro_phase {
    HTMT__MICRO_PUSHED,
    HTMT__MICRO_LAUNCHED,
    HTMT__MICRO_PULLED,
    HTMT__MICRO_PHASES
};

struct htmt__micro_run {
    const struct htmt__micro_plan *plan;
    struct htmt_emulator *e;
    struct htmt_frame *arrays, *scratch;
    struct htmt_object *source, *target; /* the host's */
    struct htmt_ref *tasklet;            /* of slice 0 */
    /* The host's own. */
    unsigned at;
    htmt_time since, time[HTMT__MICRO_PHASES];
};

int htmt__micro_create(struct htmt__micro_run *run);

#endif
