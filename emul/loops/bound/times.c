/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a loop's work, its references and its words take, whatever the order of its blocks.
 */
#include "emul/loops/bound/bound.h"

uint64_t htmt__bound_number(const struct htmt__bounds *b, const struct htmt__nest_plan *plan)
{
    return b->rates->vector > 1 && plan->unit < HTMT_WORD ? plan->unit : HTMT_WORD;
}

/* So many numbers of the plan, as parts of numbers of 8 bytes. */
static int share(const struct htmt__bounds *b, const struct htmt__nest_plan *plan,
                 struct htmt__nest_number count, struct htmt__nest_number *numbers)
{
    const htmt_wide bytes = (htmt_wide)htmt__bound_number(b, plan);
    int rc = htmt__nest_multiply(count, htmt__nest_whole(bytes), numbers);
    return rc ? rc : htmt__nest_divide(*numbers, htmt__nest_whole(HTMT_WORD), numbers);
}

/* The work of all cells on all processors. Beside it, the words between registers and the innermost
 * memory: of a cell each array, component and offset once, in vectors. Loads and stores have ways
 * of their own, so the longer one counts. */
int htmt__bound_work(const struct htmt__bounds *b, struct htmt__bound_loop *loop)
{
    const struct htmt__bound_rates *r = b->rates;
    const struct htmt__nest_plan *plan = loop->run->plan;
    const struct htmt__nest_number cells = htmt__nest_whole(loop->cells);
    const uint64_t distinct[] = {plan->distinct_reads, plan->distinct_writes};
    const struct htmt_ratio each[] = {r->load, r->store};
    struct htmt__nest_number numbers = cells;
    int rc = htmt__nest_multiply(loop->flops, cells, &loop->work);
    if (!rc)
        rc = share(b, plan, loop->work, &numbers);
    if (!rc)
        rc = htmt__bound_time(numbers, r->flop, r->processors, &loop->compute_fs);
    loop->references_fs = 0;
    for (int i = 0; i < 2 && !rc; i++) {
        htmt_wide fs = 0;
        rc = htmt__nest_multiply(cells, htmt__nest_whole((htmt_wide)distinct[i]), &numbers);
        if (!rc)
            rc = share(b, plan, numbers, &numbers);
        if (!rc)
            rc = htmt__bound_time(numbers, each[i], r->processors, &fs);
        loop->references_fs = fs > loop->references_fs ? fs : loop->references_fs;
    }
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
