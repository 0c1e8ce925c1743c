/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/lib/app.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *htmt_request_value(const struct htmt_request *r, const char *name)
{
    for (unsigned i = 0; r->rows[i].name; i++)
        if (strcmp(r->rows[i].name, name) == 0)
            return r->values[i];
    return NULL;
}

void htmt_outcome_found(struct htmt_outcome *o, const char *name, double value, const char *unit)
{
    assert(o->found_count < HTMT_FOUND_MAX);
    struct htmt_found *f = &o->found[o->found_count++];
    snprintf(f->name, sizeof f->name, "%s", name);
    snprintf(f->unit, sizeof f->unit, "%s", unit);
    f->value = value;
}
