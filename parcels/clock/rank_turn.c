/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/clock/rank_turn.h"
#include "runtime/base/monotonic.h"

void htmt__rank_turn_begin(struct htmt__rank *r, const struct htmt__rank_word *own,
                           const struct htmt_fault *fault, struct htmt__failure failure)
{
    for (uint32_t i = 0; i < r->ranks->count; i++) {
        struct htmt__buffer *b = &r->out[i];
        b->size = 0;
        htmt__buffer_add(b, own, sizeof *own);
        if (!own->failed)
            continue;
        htmt__buffer_add(b, fault, sizeof *fault);
        htmt__buffer_add(b, &failure, sizeof failure);
    }
}

/* The first one of all: at equal turns, which only failures outside of any have, the first rank's.
 */
static void hear_failure(struct htmt__rank *r, struct htmt__cursor *c)
{
    struct htmt_fault fault;
    struct htmt__failure failure;
    htmt__cursor_take(c, &fault, sizeof fault);
    htmt__cursor_take(c, &failure, sizeof failure);
    if (r->fault.code && !htmt__fails_before(failure, r->failure))
        return;
    r->fault = fault;
    r->failure = failure;
}

static int lose(struct htmt_emulator *e)
{
    e->windows->rank->lost = true;
    return htmt__fail(e, HTMT_ESYSTEM, "rank %u has lost the other ranks of the run",
                      e->windows->rank->ranks->rank);
}

int htmt__rank_turn_end(struct htmt_emulator *e, struct htmt__cursor *cursor)
{
    struct htmt__rank *r = e->windows->rank;
    bool lacking = false;
    if (r->lost)
        return HTMT_ESYSTEM;
    for (uint32_t i = 0; i < r->ranks->count; i++) {
        r->to[i] = (struct htmt_bytes){r->out[i].at, r->out[i].size};
        lacking |= r->out[i].lacking;
    }
    r->lost = lacking;
    if (lacking)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for what goes to other ranks");
    int64_t begin = htmt__monotonic_ns();
    int rc = r->ranks->exchange(r->ranks->self, r->to, r->from);
    e->windows->awaited += htmt__monotonic_ns() - begin;
    if (rc)
        return lose(e);
    for (uint32_t i = 0; i < r->ranks->count; i++) {
        struct htmt__cursor c = {r->from[i].at, (const char *)r->from[i].at + r->from[i].size,
                                 false};
        htmt__cursor_take(&c, &r->word[i], sizeof r->word[i]);
        if (r->word[i].failed)
            hear_failure(r, &c);
        if (c.broken)
            return lose(e);
        cursor[i] = c;
    }
    return 0;
}
