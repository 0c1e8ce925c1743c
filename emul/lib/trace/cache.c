/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Causes lead through a trace in jumps, but mostly to the block in use or to one used a moment ago.
 * So blocks are kept decoded, and the one that was not asked for the longest leaves. What is kept
 * is bounded by the number of intervals, since blocks are of any length, and by the number of
 * blocks. The block that leaves is found by looking at all of them: that costs a few thousand
 * comparisons where a block is inflated and decoded anyway, and an interval of the block in use
 * costs two comparisons and no look at the others.
 */
#include "emul/lib/trace/cache.h"

#include <inttypes.h>
#include <stdlib.h>

#define ABSENT    UINT32_MAX
#define KEPT_MOST 4096u

/* A block in memory. */
struct kept {
    struct htmt_trace_block block;
    uint64_t index, used; /* used: when it was asked for last */
};

struct htmt__trace_cache {
    struct htmt_trace *trace;
    uint32_t *place; /* of each block of the trace, in `kept`; or ABSENT */
    struct kept *kept;
    struct kept *last;
    uint32_t count;
    uint64_t intervals, clock;
};

int htmt__trace_cache_create(struct htmt__trace_cache **c, struct htmt_trace *t)
{
    uint64_t blocks = htmt_trace_info(t)->blocks;
    struct htmt__trace_cache *made = calloc(1, sizeof *made);
    if (!made)
        return HTMT_ENOMEM;
    made->trace = t;
    made->place = malloc((size_t)(blocks + 1) * sizeof *made->place);
    made->kept = calloc(KEPT_MOST, sizeof *made->kept);
    if (!made->place || !made->kept) {
        htmt__trace_cache_destroy(&made);
        return HTMT_ENOMEM;
    }
    for (uint64_t i = 0; i < blocks; i++)
        made->place[i] = ABSENT;
    *c = made;
    return 0;
}

void htmt__trace_cache_destroy(struct htmt__trace_cache **c)
{
    if (!*c)
        return;
    for (uint32_t i = 0; (*c)->kept && i < (*c)->count; i++)
        htmt_trace_block_clear(&(*c)->kept[i].block);
    free((*c)->kept);
    free((*c)->place);
    free(*c);
    *c = NULL;
}

/* In the memory of the block that was not asked for the longest, or in new one while there is some.
 */
static int read_block(struct htmt__trace_cache *c, uint64_t index, struct htmt_fault *fault)
{
    struct kept *k = &c->kept[0];
    if (c->count < KEPT_MOST && c->intervals < HTMT__TRACE_CACHED) {
        k = &c->kept[c->count++];
    } else {
        for (uint32_t i = 1; i < c->count; i++)
            if (c->kept[i].used < k->used)
                k = &c->kept[i];
        if (k->block.count)
            c->place[k->index] = ABSENT;
        c->intervals -= k->block.count;
    }
    int rc = htmt_trace_block_read(c->trace, index, &k->block, fault);
    if (rc) {
        k->block.count = 0;
        k->used = 0;
        return rc;
    }
    k->index = index;
    c->place[index] = (uint32_t)(k - c->kept);
    c->intervals += k->block.count;
    return 0;
}

int htmt__trace_cache_get(struct htmt__trace_cache *c, htmt_trace_ref ref,
                          struct htmt_trace_interval *interval, struct htmt_fault *fault)
{
    const uint32_t slice = htmt_trace_ref_slice(ref);
    const uint64_t number = htmt_trace_ref_number(ref);
    uint64_t index;
    if (!c->last || c->last->block.slice != slice ||
        number - c->last->block.first >= c->last->block.count) {
        if (htmt_trace_block_of(c->trace, ref, &index))
            return htmt_fault_set(fault, HTMT_EFORMAT,
                                  "the trace refers to interval %" PRIu64
                                  " of slice %u, which it does not have",
                                  number, slice);
        int rc = c->place[index] == ABSENT ? read_block(c, index, fault) : 0;
        if (rc)
            return rc;
        c->last = &c->kept[c->place[index]];
    }
    c->last->used = ++c->clock;
    *interval = c->last->block.interval[number - c->last->block.first];
    return 0;
}
