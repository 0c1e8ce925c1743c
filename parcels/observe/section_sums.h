/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the sections and their reports: what belongs to each section.
 */
#ifndef HTMT_PARCELS_OBSERVE_SECTION_SUMS_H
#define HTMT_PARCELS_OBSERVE_SECTION_SUMS_H

#include "parcels/clock/engine.h"

#define HTMT__SECTIONS_MAX 256u

struct htmt__section_sum {
    char name[64];
    htmt_time first;               /* when some slice first came to it */
    struct htmt__failure declared; /* whose turn it was */
    htmt_wide time;
};

struct htmt__sections {
    struct htmt__section_sum section[HTMT__SECTIONS_MAX];
    uint32_t count, columns, resources;
    uint32_t joined;               /* of a partition: those that the whole has, too */
    htmt_wide *sum;                /* of each section, its columns */
    struct htmt__changes *changes; /* of each slice */
    struct htmt__slice_time *span; /* not over yet */
    size_t spans, room;
};

#endif
