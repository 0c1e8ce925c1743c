/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/walk/dma.h"
#include "parcels/message/message.h"
#include "parcels/walk/issue.h"

#include <stdlib.h>

struct htmt__claim {
    const struct htmt__entity *message;
    const struct htmt_object *object;
    uint64_t first, end;
    bool fills; /* else reads */
};

static bool is_dma(const struct htmt_emulator *e, const struct htmt__leg *g)
{
    return g->network != HTMT__NO_NETWORK && e->net[g->network].engine;
}

static bool meets(const struct htmt__claim *c, const struct htmt__claim *other)
{
    return c->object == other->object && c->first < other->end && other->first < c->end &&
           (c->fills || other->fills);
}

/* What somebody wants meets nothing that the engine owns. */
static int check_claims(struct htmt_emulator *e, uint32_t slice, const struct htmt__claim *wanted,
                        const char *what)
{
    const struct htmt__issuing *s = htmt__issuing_at(e, slice);
    for (uint32_t i = 0; i < s->claim_count; i++)
        if (meets(&s->claims[i], wanted))
            return htmt__fail(e, HTMT_EINVAL,
                              "%s %s + %llu, %llu bytes, which the DMA engine %s: wait for %s",
                              what, wanted->object->name, (unsigned long long)wanted->first,
                              (unsigned long long)(wanted->end - wanted->first),
                              s->claims[i].fills ? "is about to fill" : "still reads",
                              s->claims[i].fills ? "on_arrived" : "on_sent");
    return 0;
}

static int claim(struct htmt_emulator *e, uint32_t slice, const struct htmt__claim *new)
{
    struct htmt__issuing *s = htmt__issuing_at(e, slice);
    uint32_t room = s->claim_room ? 2 * s->claim_room : 16;
    if (s->claim_count == s->claim_room) {
        struct htmt__claim *more = realloc(s->claims, room * sizeof *more);
        if (!more)
            return htmt__fail(e, HTMT_ENOMEM, "no host memory for what the DMA engine owns");
        s->claims = more;
        s->claim_room = room;
    }
    s->claims[s->claim_count++] = *new;
    return 0;
}

static struct htmt__claim claim_of(const struct htmt_emulator *e, const struct htmt__entity *p)
{
    const struct htmt_put *put = &p->message->put;
    bool fills = p->message->leg.to == e->banked->machine->scratch;
    struct htmt_addr at = fills ? put->dst : put->src;
    return (struct htmt__claim){p, at.object, at.offset, at.offset + put->bytes, fills};
}

/* 0: the engine can make it. */
static int check_figures(struct htmt_emulator *e, const struct htmt_put *put)
{
    const struct htmt__bank_host *b = e->banked->machine;
    uint64_t bound = 0;
    bool fills = put->dst.object->layer == b->scratch;
    uint64_t bank = fills ? put->src.offset : put->dst.offset,
             scratch = fills ? put->dst.offset : put->src.offset;
    if (put->dst_pieces.count > 1 || put->src_pieces.count > 1)
        return htmt__fail(e, HTMT_EINVAL,
                          "htmt_put() of %s in pieces: the DMA engine copies one piece",
                          put->src.object->name);
    const char *why = htmt__dma_refusal(&b->engine, bank, scratch, put->bytes, &bound);
    if (!why)
        return 0;
    return htmt__fail(e, HTMT_EINVAL,
                      "htmt_put() from %s + %llu to %s + %llu, %llu bytes: for the DMA engine that "
                      "is %s %llu bytes",
                      put->src.object->name, (unsigned long long)put->src.offset,
                      put->dst.object->name, (unsigned long long)put->dst.offset,
                      (unsigned long long)put->bytes, why, (unsigned long long)bound);
}

int htmt__dma_check(struct htmt_emulator *e, struct htmt__entity *p, struct htmt__entity *service)
{
    if (!is_dma(e, &p->message->leg))
        return 0;
    p->message->thread = htmt__self(service)->body->thread;
    int rc = check_figures(e, &p->message->put);
    if (rc || !e->options.checked)
        return rc;
    const struct htmt__claim new = claim_of(e, p);
    rc = check_claims(e, p->slice, &new, "htmt_put() of");
    return rc ? rc : claim(e, p->slice, &new);
}

void htmt__dma_release(struct htmt_emulator *e, const struct htmt__entity *p)
{
    if (!is_dma(e, &p->message->leg))
        return;
    struct htmt__issuing *s = htmt__issuing_at(e, p->slice);
    uint32_t i = 0;
    while (i < s->claim_count && s->claims[i].message != p)
        i++;
    if (i < s->claim_count)
        s->claims[i] = s->claims[--s->claim_count];
}

int htmt__dma_use(struct htmt_context *c, struct htmt_addr at, uint64_t bytes, bool writes)
{
    if (!c->e->options.checked || c->p->slice == c->e->host)
        return 0;
    const struct htmt__claim use = {NULL, at.object, at.offset, at.offset + bytes, writes};
    return check_claims(c->e, c->p->slice, &use, "a kernel uses");
}
