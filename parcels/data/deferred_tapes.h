/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the data plane: tapes of services that are not played where they are recorded, since their
 * time depends on services before them or beside them. The timing plane plays them when their
 * service starts (parcels/walk/node_services.h). Those that it never asks for end with the list.
 */
#ifndef HTMT_PARCELS_DATA_DEFERRED_TAPES_H
#define HTMT_PARCELS_DATA_DEFERRED_TAPES_H

#include "parcels/data/data.h"

#include <pthread.h>

struct htmt__deferred_tapes {
    pthread_mutex_t lock;
    struct htmt__deferred_tape *first;
};

void htmt__deferred_tapes_init(struct htmt__deferred_tapes *list);
void htmt__deferred_tapes_fini(struct htmt__deferred_tapes *list);

/* Of one service, whose `regions` have these kinds; without entries. NULL: out of memory. */
struct htmt__deferred_tape *htmt__deferred_tape_new(struct htmt__deferred_tapes *list,
                                                    const struct htmt__tape_program *program,
                                                    uint32_t regions);
/* The next one of them. Errors: HTMT_ENOMEM. */
int htmt__deferred_tape_add(struct htmt__deferred_tape *deferred,
                            const struct htmt__tape_region *region, enum htmt_miss_kind kind);
struct htmt__tape *htmt__deferred_tape_entries(struct htmt__deferred_tape *deferred);

#endif
