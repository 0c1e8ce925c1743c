/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/timing/control.h"
#include "parcels/timing/log.h"

#include <string.h>

void htmt__control_run(struct htmt_emulator *e, struct htmt__entity *p, const void *result)
{
    p->step->code->control(htmt__context_open(e, p, result));
    htmt__context_close();
    if (!p->worked) /* it acts after its kernel: what it charged, and all it wrote */
        for (struct htmt__entry *entry = p->log; entry; entry = entry->next)
            entry->after = true;
    if (!p->worked) {
        p->after = p->before;
        p->before = 0;
    }
}

void htmt__expect(struct htmt__entity *p, struct htmt_ops *ops)
{
    memset(ops, 0, sizeof *ops);
    if (p->step->code->cost)
        p->step->code->cost(htmt__args(htmt__self(p)), p->type->code.user, ops);
}

void htmt__control(struct htmt_emulator *e, struct htmt__entity *p, struct htmt_ops *ops)
{
    htmt__control_begin(p);
    htmt__expect(p, ops);
    if (p->step->code->control)
        htmt__control_run(e, p, NULL);
}
