/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/app.h"

#include <stddef.h>
#include <string.h>

const struct htmt_app *const htmt_apps[] = {&htmt_app_cannon, &htmt_app_sar, &htmt_app_pic,
                                            &htmt_app_volume, NULL};

const char *htmt_request_value(const struct htmt_request *r, const char *name)
{
    for (unsigned i = 0; r->rows[i].name; i++)
        if (strcmp(r->rows[i].name, name) == 0)
            return r->values[i];
    return NULL;
}
