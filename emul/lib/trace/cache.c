/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/trace/cache.h"

#include <inttypes.h>
#include <stdlib.h>

#define NO_SEAT UINT32_MAX
#define SEATS   4096u

/* A block in memory. */
struct seat {
    struct htmt_trace_block block;
    uint64_t index, used; /* used: when it was asked for last */
};

struct htmt__trace_cache {
    struct htmt_trace *trace;
    uint32_t *seat_of; /* of each block; NO_SEAT: it is not in memory */
    struct seat *seat;
    struct seat *last;
    uint32_t seats;
    uint64_t intervals, clock;
};

int htmt__trace_cache_create(struct htmt__trace_cache **c, struct htmt_trace *t)
{
    uint64_t blocks = htmt_trace_info(t)->blocks;
    struct htmt__trace_cache *made = calloc(1, sizeof *made);
    if (!made)
        return HTMT_ENOMEM;
    made->trace = t;
    made->seat_of = malloc((size_t)(blocks + 1) * sizeof *made->seat_of);
    made->seat = calloc(SEATS, sizeof *made->seat);
    if (!made->seat_of || !made->seat) {
        htmt__trace_cache_destroy(&made);
        return HTMT_ENOMEM;
    }
    for (uint64_t i = 0; i < blocks; i++)
        made->seat_of[i] = NO_SEAT;
    *c = made;
    return 0;
}

void htmt__trace_cache_destroy(struct htmt__trace_cache **c)
{
    if (!*c)
        return;
    for (uint32_t i = 0; (*c)->seat && i < (*c)->seats; i++)
        htmt_trace_block_clear(&(*c)->seat[i].block);
    free((*c)->seat);
    free((*c)->seat_of);
    free(*c);
    *c = NULL;
}

static bool holds(const struct seat *s, htmt_trace_ref ref)
{
    return s->block.slice == htmt_trace_ref_slice(ref) &&
           htmt_trace_ref_number(ref) - s->block.first < s->block.count;
}

static struct seat *oldest(struct htmt__trace_cache *c)
{
    struct seat *s = &c->seat[0];
    for (uint32_t i = 1; i < c->seats; i++)
        if (c->seat[i].used < s->used)
            s = &c->seat[i];
    return s;
}

/* A seat for one more block: a new one while there is room, else that of the oldest block, which
 * leaves. */
static struct seat *free_seat(struct htmt__trace_cache *c)
{
    if (c->seats < SEATS && c->intervals < HTMT__TRACE_CACHED)
        return &c->seat[c->seats++];
    struct seat *s = oldest(c);
    if (s->block.count)
        c->seat_of[s->index] = NO_SEAT;
    c->intervals -= s->block.count;
    return s;
}

static int read_block(struct htmt__trace_cache *c, uint64_t index, struct htmt_fault *fault)
{
    struct seat *s = free_seat(c);
    int rc = htmt_trace_block_read(c->trace, index, &s->block, fault);
    if (rc) {
        s->block.count = 0;
        s->used = 0;
        return rc;
    }
    s->index = index;
    c->seat_of[index] = (uint32_t)(s - c->seat);
    c->intervals += s->block.count;
    return 0;
}

static int find_block(struct htmt__trace_cache *c, htmt_trace_ref ref, struct htmt_fault *fault)
{
    uint64_t index;
    if (htmt_trace_block_of(c->trace, ref, &index))
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "the trace refers to interval %" PRIu64
                              " of slice %u, which it does not have",
                              htmt_trace_ref_number(ref), htmt_trace_ref_slice(ref));
    int rc = c->seat_of[index] == NO_SEAT ? read_block(c, index, fault) : 0;
    if (!rc)
        c->last = &c->seat[c->seat_of[index]];
    return rc;
}

int htmt__trace_cache_get(struct htmt__trace_cache *c, htmt_trace_ref ref,
                          struct htmt_trace_interval *interval, struct htmt_fault *fault)
{
    int rc = c->last && holds(c->last, ref) ? 0 : find_block(c, ref, fault);
    if (rc)
        return rc;
    c->last->used = ++c->clock;
    *interval = c->last->block.interval[htmt_trace_ref_number(ref) - c->last->block.first];
    return 0;
}
