/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/walk/log.h"
#include "parcels/clock/event.h"
#include "parcels/walk/fiber.h"

#include <stdlib.h>

struct htmt__entry *htmt__entry_alloc(struct htmt_emulator *e)
{
    struct htmt__entry *entry = malloc(sizeof *entry);
    if (!entry)
        htmt__fail(e, HTMT_ENOMEM, "no host memory for an operation log");
    return entry;
}

void htmt__entries_free(struct htmt_emulator *e)
{
    while (e->entries) {
        struct htmt__entry *next = e->entries->next;
        free(e->entries);
        e->entries = next;
    }
}

void htmt__log_root(struct htmt_emulator *e, struct htmt__entry *entry)
{
    if (entry->kind == HTMT__START)
        htmt__ready(e, entry->start);
    else
        htmt__gate_open(e, entry->parcel, entry->stage);
    htmt__entry_free(e, entry);
}
