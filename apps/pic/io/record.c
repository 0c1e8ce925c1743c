/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/pic/io/record.h"

#include <stdlib.h>

int htmt__pic_fields_create(struct htmt__pic_fields *f, const uint32_t n[3],
                            struct htmt_fault *fault)
{
    uint64_t cells = (uint64_t)n[0] * n[1] * n[2];
    double *at = calloc(cells, HTMT__PIC_FIELDS * sizeof *at);
    if (!at)
        return htmt_fault_set(fault, HTMT_ENOMEM,
                              "no host memory for the fields of %u x %u x %u cells", n[0], n[1],
                              n[2]);
    *f = (struct htmt__pic_fields){{n[0], n[1], n[2]}, at};
    return 0;
}

void htmt__pic_fields_destroy(struct htmt__pic_fields *f)
{
    free(f->at);
    *f = (struct htmt__pic_fields){0};
}
