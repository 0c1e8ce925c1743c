/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/walk/banked.h"
#include "parcels/walk/controller.h"
#include "parcels/walk/issue.h"

#include <stdlib.h>

int htmt__banked_create(struct htmt_emulator *e)
{
    const struct htmt__bank_host *b = htmt__machine_bank_host(e->machine);
    if (!b)
        return 0;
    e->banked = calloc(1, sizeof *e->banked);
    if (!e->banked)
        return HTMT_ENOMEM;
    e->banked->machine = b;
    e->banked->issuing = calloc(e->played, sizeof(struct htmt__issuing *));
    return e->banked->issuing ? htmt__hosting_create(e) : HTMT_ENOMEM;
}

int htmt__banked_slices(struct htmt_emulator *e)
{
    const struct htmt__bank_host *b = e->banked->machine;
    for (uint32_t i = 0; i < e->host; i++) {
        e->banked->issuing[i] = htmt__slice_memory(e, i, sizeof(struct htmt__issuing));
        if (!e->banked->issuing[i])
            return HTMT_ENOMEM;
        htmt__bank_at(e, i, b->scratch)->servers = b->issue.threads;
    }
    e->net[b->dma].engine = true;
    e->net[b->bus].bus = true;
    return 0;
}

void htmt__banked_destroy(struct htmt_emulator *e)
{
    if (!e->banked)
        return;
    for (uint32_t i = 0; e->banked->issuing && i < e->played; i++)
        if (e->banked->issuing[i])
            free(e->banked->issuing[i]->claims);
    htmt__hosting_destroy(e);
    free(e->banked->issuing);
    free(e->banked);
}
