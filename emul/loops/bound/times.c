/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a loop's work, its references and its words take, whatever the order of its blocks.
 */
#include "emul/loops/bound/bound.h"

/* The work of all cells on all processors. Beside it, the words between registers and the innermost
 * memory: of a cell each array, component and offset once, in vectors. Loads and stores have ways
 * of their own, so the longer one counts. */
int htmt__bound_work(const struct htmt__bounds *b, struct htmt__bound_loop *loop)
{
    const struct htmt__bound_rates *r = b->rates;
    const struct htmt__nest_plan *plan = loop->run->plan;
    const struct htmt__nest_number cells = htmt__nest_whole(loop->cells);
    struct htmt__nest_number loads = cells, stores = cells;
    htmt_wide in = 0, out = 0;
    int rc = htmt__nest_multiply(loop->flops, cells, &loop->work);
    if (!rc)
        rc = htmt__bound_time(loop->work, r->flop, r->processors, &loop->compute_fs);
    if (!rc)
        rc = htmt__nest_multiply(cells, htmt__nest_whole((htmt_wide)plan->distinct_reads), &loads);
    if (!rc)
        rc =
            htmt__nest_multiply(cells, htmt__nest_whole((htmt_wide)plan->distinct_writes), &stores);
    if (!rc)
        rc = htmt__bound_time(loads, r->load, r->processors, &in);
    if (!rc)
        rc = htmt__bound_time(stores, r->store, r->processors, &out);
    loop->references_fs = in > out ? in : out;
    return rc;
}

int htmt__bound_pass_time(const struct htmt__bound_link *link, struct htmt__nest_number read,
                          struct htmt__nest_number written, htmt_wide *fs)
{
    htmt_wide in = 0, out = 0;
    int rc = htmt__bound_time(read, link->inward, HTMT_WORD, &in);
    if (!rc)
        rc = htmt__bound_time(written, link->outward, HTMT_WORD, &out);
    *fs = rc ? 0 : link->duplex ? (in > out ? in : out) : in + out;
    return rc;
}

int htmt__bound_pass(const struct htmt__bound_link *link, htmt_wide unit,
                     struct htmt__bound_traffic *t)
{
    t->bytes = (t->read + t->written) * unit;
    return htmt__bound_pass_time(link, htmt__nest_whole(t->read * unit),
                                 htmt__nest_whole(t->written * unit), &t->fs);
}
