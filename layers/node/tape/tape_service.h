/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The services of a tape in memory, one after another.
 */
#ifndef HTMT_LAYERS_NODE_TAPE_TAPE_SERVICE_H
#define HTMT_LAYERS_NODE_TAPE_TAPE_SERVICE_H

#include "layers/node/tape/tape.h"

/* An entry of a tape; chunk SIZE_MAX: its service has ended. */
struct htmt__tape_spot {
    size_t chunk, entry;
};

/* Where each service begins, to be freed by the caller. Errors: HTMT_ENOMEM. */
int htmt__tape_services(const struct htmt__tape *tape, struct htmt__tape_spot **start,
                        uint64_t *services);
/* What the service that begins there counts, as its end says; 0: unknown. */
uint64_t htmt__tape_service_counts(const struct htmt__tape *tape, struct htmt__tape_spot start);
/* The next entries of the service, up to the end of their chunk; NULL: it has ended. */
const uint64_t *htmt__tape_service_next(const struct htmt__tape *tape, struct htmt__tape_spot *at,
                                        size_t *count);

/* So many entries of a service, which begins anew where it ends. */
struct htmt__tape_reading {
    const struct htmt__tape *tape;
    struct htmt__tape_spot first, at;
    uint64_t left;
};

/* The service whose first entry has this number in the tape. */
void htmt__tape_read(struct htmt__tape_reading *reading, const struct htmt__tape *tape,
                     uint64_t first, uint64_t entries);
/* The next of them; NULL: there are no more, or the service has none. */
const uint64_t *htmt__tape_reading_next(struct htmt__tape_reading *reading, size_t *count);

#endif
