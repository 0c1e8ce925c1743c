/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/lib/gather.h"
#include "parcels/htmt.h"

#include <stdlib.h>
#include <string.h>

uint32_t htmt_slices_here(const struct htmt_emulator *e, uint32_t slices)
{
    uint32_t here = 0;
    for (uint32_t i = 0; i < slices; i++)
        here += htmt_slice_here(e, i);
    return here;
}

bool htmt_has_all(const struct htmt_emulator *e)
{
    const uint32_t slices = htmt_emulator_played(e);
    return htmt_slices_here(e, slices) == slices;
}

bool htmt_gathers(const struct htmt_emulator *e)
{
    const struct htmt_ranks *ranks = htmt_emulator_options(e)->ranks;
    return !ranks || ranks->rank == 0 || htmt_has_all(e);
}

int htmt_tell_all(struct htmt_emulator *e, void *record, size_t bytes)
{
    const uint32_t slices = htmt_emulator_played(e);
    char *of_slice = calloc(slices, bytes);
    if (!of_slice)
        return HTMT_ENOMEM;
    memcpy(of_slice, record, bytes);
    int rc = htmt_slices_share(e, of_slice, bytes, bytes);
    if (!rc)
        memcpy(record, of_slice, bytes);
    free(of_slice);
    return rc;
}
