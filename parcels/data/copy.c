/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A copy goes from pieces to pieces, of different sizes on both sides: each step is as long as what
 * is left of the piece on either side. 3 pieces of 8 bytes to 2 of 12 are steps of 8, 4, 4, 8.
 */
#include "parcels/data/copy.h"

#include <string.h>

static void step(struct htmt__span *s, uint64_t n)
{
    s->done += n;
    if (s->done < s->piece)
        return;
    s->done = 0;
    if (s->count && ++s->used == s->count) {
        s->used = 0;
        s->at += s->turn;
    } else {
        s->at += s->stride;
    }
}

void htmt__copy_do(struct htmt__copy_op *c)
{
    while (c->bytes) {
        uint64_t n = c->bytes;
        if (n > c->dst.piece - c->dst.done)
            n = c->dst.piece - c->dst.done;
        if (n > c->src.piece - c->src.done)
            n = c->src.piece - c->src.done;
        memmove(c->dst.at + c->dst.done, c->src.at + c->src.done, n); /* within one object */
        step(&c->dst, n);
        step(&c->src, n);
        c->bytes -= n;
    }
    if (c->clear)
        memset(c->rest, 0, c->clear);
}

void htmt__copies_do(void *copies)
{
    struct htmt__copies *c = copies;
    for (uint32_t i = 0; i < c->count; i++)
        htmt__copy_do(&c->copy[i]);
}
