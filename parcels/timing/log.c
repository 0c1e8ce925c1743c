/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/timing/log.h"
#include "parcels/timing/context.h"
#include "parcels/timing/event.h"
#include "parcels/timing/fiber.h"

#include <stdlib.h>

struct htmt__entry *htmt__entry_alloc(struct htmt_emulator *e)
{
    struct htmt__entry *entry = malloc(sizeof *entry);
    if (!entry)
        htmt__fail(e, HTMT_ENOMEM, "no host memory for an operation log");
    return entry;
}

static void at_once(struct htmt_emulator *e, struct htmt__entry *entry)
{
    if (entry->kind == HTMT__START)
        htmt__ready(e, entry->start);
    else
        htmt__gate_open(e, entry->parcel, entry->stage);
    htmt__entry_free(e, entry);
}

void htmt__log_write(struct htmt_context *c, struct htmt__entry *entry)
{
    struct htmt__entity *p = c->p;
    if (!p) {
        at_once(c->e, entry);
        return;
    }
    entry->after = p->worked;
    entry->at = p->worked ? p->after : p->before;
    if (c->log_tail)
        c->log_tail->next = entry;
    else
        p->log = entry;
    c->log_tail = entry;
}

int htmt__log_start(struct htmt_context *c, struct htmt__entity *p)
{
    struct htmt__entry *entry = htmt__entry_create(c->e, HTMT__START);
    if (!entry)
        return HTMT_ENOMEM;
    entry->start = p;
    htmt__log_write(c, entry);
    return 0;
}
