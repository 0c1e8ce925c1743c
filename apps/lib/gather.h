/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who has what in a run of several processes (parcels/ranks.h), for set-up, checks and outputs.
 */
#ifndef HTMT_APPS_LIB_GATHER_H
#define HTMT_APPS_LIB_GATHER_H

#include "parcels/htmt.h"

#include <stdlib.h>

/* Of the first `slices` slices, those that this process plays. */
static inline uint32_t htmt__slices_here(const struct htmt_emulator *e, uint32_t slices)
{
    uint32_t here = 0;
    for (uint32_t i = 0; i < slices; i++)
        here += htmt_slice_here(e, i);
    return here;
}

/* One process, or one of several that play all slices each: it has all results. */
static inline bool htmt__has_all(const struct htmt_emulator *e)
{
    uint32_t slices = htmt_emulator_played(e);
    return htmt__slices_here(e, slices) == slices;
}

/* What htmt_object_fetch() brings is for this process: it has all results, or is rank 0. */
static inline bool htmt__gathers(const struct htmt_emulator *e)
{
    const struct htmt_ranks *ranks = htmt_emulator_options(e)->ranks;
    return htmt__has_all(e) || !ranks || ranks->rank == 0;
}

/* htmt_object_fetch(); a process that has all results gets the bytes, whatever its rank. */
static inline int htmt__fetch(struct htmt_object *object, bool has_all, const void **bytes)
{
    int rc = htmt_object_fetch(object, bytes);
    if (!rc && !*bytes && has_all)
        *bytes = htmt_object_bytes(object);
    return rc;
}

/* A record of the process that plays slice 0, which is rank 0, to all. After the run, in all
 * processes alike. Errors: HTMT_ENOMEM, HTMT_ESYSTEM. */
static inline int htmt__tell_all(struct htmt_emulator *e, void *record, size_t bytes)
{
    uint32_t slices = htmt_emulator_played(e);
    char *of_slice = (char *)calloc(slices, bytes);
    if (!of_slice)
        return HTMT_ENOMEM;
    memcpy(of_slice, record, bytes);
    int rc = htmt_slices_share(e, of_slice, bytes, bytes);
    if (!rc)
        memcpy(record, of_slice, bytes);
    free(of_slice);
    return rc;
}

#endif
