/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Host memory of closures: their records, out of the plane's slab, and their bytes, which count
 * against the bytes that kernels may run ahead with. A closure gets its bytes when it first needs
 * them: a fused one mostly never does.
 */
#include "parcels/data/closure.h"

#include <string.h>

struct htmt__closure *htmt__closure_create(struct htmt__data *d, uint32_t regions, size_t behind)
{
    size_t size = sizeof(struct htmt__closure) + regions * sizeof(struct htmt__region) + behind;
    struct htmt__closure *c = htmt__slab_take(&d->slab, size);
    if (!c)
        return NULL;
    memset(c, 0, sizeof *c);
    c->size = size;
    c->count = regions;
    return c;
}

bool htmt__closure_storage(struct htmt__data *d, struct htmt__closure *c)
{
    if (c->storage || !c->bytes)
        return true;
    c->storage = htmt__storage_create(d->host, c->bytes, false, true);
    if (!c->storage)
        htmt_fault_set(d->fault, HTMT_ENOMEM, "no host memory for a closure of %llu bytes",
                       (unsigned long long)c->bytes);
    return c->storage != NULL;
}
