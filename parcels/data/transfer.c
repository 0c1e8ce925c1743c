/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/data/transfer.h"
#include "parcels/data/batch.h"

#define LITTLE ((uint64_t)16 << 10) /* bytes: about as long as a job's way to a worker */

static bool may_be_made(const struct htmt__transfer *t, const struct htmt__copy_op *copy,
                        const struct htmt__end *dst, const struct htmt__end *src)
{
    struct htmt__host *host = t->d->host;
    return copy->bytes <= LITTLE &&
           htmt__storage_free(host, dst->storage, HTMT__WRITE, &dst->part) &&
           htmt__storage_free(host, src->storage, HTMT__READ, &src->part);
}

static bool open_job(struct htmt__transfer *t)
{
    t->job = htmt__job_create(t->d->host, t->pool, htmt__copies_do,
                              sizeof(struct htmt__copies) + t->most * sizeof(struct htmt__copy_op),
                              2 * t->most);
    if (t->job)
        ((struct htmt__copies *)htmt__job_payload(t->job))->count = 0;
    else
        htmt_fault_set(t->d->fault, HTMT_ENOMEM, "no host memory for a move");
    return t->job != NULL;
}

static void leave_to_job(struct htmt__transfer *t, const struct htmt__copy_op *copy,
                         const struct htmt__end *dst, const struct htmt__end *src)
{
    struct htmt__copies *copies = htmt__job_payload(t->job);
    copies->copy[copies->count++] = *copy;
    htmt__job_use_part(t->job, dst->storage, HTMT__WRITE, dst->part);
    htmt__job_use_part(t->job, src->storage, HTMT__READ, src->part);
}

void htmt__transfer_add(struct htmt__transfer *t, const struct htmt__copy_op *copy,
                        struct htmt__end dst, struct htmt__end src)
{
    struct htmt__copy_op now = *copy;
    htmt__batches_issue(t->d);
    if (!t->job && (t->d->direct || may_be_made(t, copy, &dst, &src))) {
        htmt__copy_do(&now);
        t->made = true;
    } else if (t->job || open_job(t)) {
        leave_to_job(t, copy, &dst, &src);
    }
}

void htmt__transfer_end(struct htmt__transfer *t)
{
    if (t->job)
        htmt__issue(t->d, t->job, false);
    else if (t->made)
        htmt__host_did(t->d->host, t->pool);
}
