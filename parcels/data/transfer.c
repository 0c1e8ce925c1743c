/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A copy of 16 KiB takes about as long as a job's way to a worker and back. If no unfinished job
 * writes what it reads, or touches what it writes, the clock's thread does it at once: the order is
 * the same, for jobs are ordered by the storages that they declare, and no job is in its way. From
 * the first copy on that must wait, all that follow go into one job, so they keep their order.
 */
#include "parcels/data/transfer.h"
#include "parcels/data/batch.h"

#define LITTLE ((uint64_t)16 << 10) /* bytes: about as long as a job's way to a worker */

void htmt__transfer_add(struct htmt__transfer *t, const struct htmt__copy_op *copy,
                        struct htmt__end dst, struct htmt__end src)
{
    struct htmt__host *host = t->d->host;
    htmt__batches_issue(t->d);
    if (!t->job &&
        (t->d->direct ||
         (copy->bytes <= LITTLE && htmt__storage_free(host, dst.storage, HTMT__WRITE, &dst.part) &&
          htmt__storage_free(host, src.storage, HTMT__READ, &src.part)))) {
        struct htmt__copy_op now = *copy;
        htmt__copy_do(&now);
        t->made = true;
        return;
    }
    if (!t->job) {
        t->job = htmt__job_create(
            host, t->pool, htmt__copies_do,
            sizeof(struct htmt__copies) + t->most * sizeof(struct htmt__copy_op), 2 * t->most);
        if (!t->job) {
            htmt_fault_set(t->d->fault, HTMT_ENOMEM, "no host memory for a move");
            return;
        }
        ((struct htmt__copies *)htmt__job_payload(t->job))->count = 0;
    }
    struct htmt__copies *copies = htmt__job_payload(t->job);
    copies->copy[copies->count++] = *copy;
    htmt__job_use_part(t->job, dst.storage, HTMT__WRITE, dst.part);
    htmt__job_use_part(t->job, src.storage, HTMT__READ, src.part);
}

void htmt__transfer_end(struct htmt__transfer *t)
{
    if (t->job)
        htmt__issue(t->d, t->job, false);
    else if (t->made)
        htmt__host_did(t->d->host, t->pool);
}
