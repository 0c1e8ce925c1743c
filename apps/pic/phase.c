/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One phase of a step: its parcels, so many of them under way at once.
 */
#include "apps/pic/coordinator.h"

static void advance(struct htmt_context *c, const htmt__pic *p, struct htmt__pic_site *s)
{
    const struct htmt__pic_phase *phase = s->phase;
    while (s->begun < s->total && s->begun + s->extra - s->ended < p->window)
        if (!phase->make(c, p, s, s->begun++))
            s->ended++;
    if (s->ended == s->total + s->extra) {
        s->phase = NULL;
        const struct htmt__pic_phase *next = phase->sequel(c, p);
        if (next)
            htmt__pic_begin(c, p, next);
    }
}

void htmt__pic_begin(struct htmt_context *c, const htmt__pic *p,
                     const struct htmt__pic_phase *phase)
{
    struct htmt__pic_site *s = htmt__pic_site(c, p);
    s->phase = phase;
    s->begun = s->ended = s->extra = 0;
    s->total = phase->count(p, s);
    advance(c, p, s);
}

void htmt__pic_flow(struct htmt_context *c)
{
    const htmt__pic *p = htmt__pic_of(c);
    struct htmt__pic_site *s = htmt__pic_site(c, p);
    s->ended++;
    advance(c, p, s);
}
