/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The DMA engine of a bank, and what threads do between their services.
 *
 * A program copies between bank and scratch memory by htmt_put(); the network between both is the
 * engine, one for both directions. It refuses what the real one cannot copy: sizes and addresses
 * that are not aligned, more bytes than a command has, pieces.
 *
 * In a checked run the engine owns the scratch end of a put from the call on until it is over.
 * Meanwhile nothing may use what it fills, or write what it reads: a real program would race with
 * the engine. What it owns are claims, a short list for each slice; every put and every use of a
 * kernel is compared with them.
 *
 * A thread that has no service waits for something. The time up to the end of the engine's copies
 * for it counts as copying, the rest as waiting for others; both only within a launch of the host.
 */
#include "parcels/message/message.h"
#include "parcels/walk/context.h"
#include "parcels/walk/issue.h"
#include "runtime/base/array.h"

#include <stdlib.h>

/* ---- threads between services ---------------------------------------------------------------- */

void htmt__threads_launched(struct htmt__issuing *s, htmt_time now)
{
    s->launched = now;
    for (uint32_t i = 0; i < HTMT__ISSUE_THREADS_MAX; i++)
        s->between[i].free = now;
}

void htmt__threads_ended(struct htmt__issuing *s, htmt_time now)
{
    for (uint32_t i = 0; i < HTMT__ISSUE_THREADS_MAX; i++)
        if (s->taken >> i & 1 && !s->on[i])
            htmt__thread_serves(s, i, now);
    s->ran += now - s->launched;
    s->launch = 0;
}

void htmt__thread_serves(struct htmt__issuing *s, uint32_t thread, htmt_time now)
{
    const htmt_time free = s->between[thread].free, until = s->between[thread].copies,
                    end = until < now ? until : now, copied = end > free ? end - free : 0;
    if (!s->launch)
        return;
    s->copying += copied;
    s->waiting += now - free - copied;
}

void htmt__thread_copies(struct htmt__issuing *s, uint32_t thread, htmt_time until)
{
    if (thread != HTMT__NO_THREAD && s->between[thread].copies < until)
        s->between[thread].copies = until;
}

/* ---- what the engine owns -------------------------------------------------------------------- */

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

/* 0: what somebody wants meets nothing that the engine owns. */
static int check_claims(struct htmt_emulator *e, uint32_t slice, const struct htmt__claim *wanted,
                        const char *what)
{
    const struct htmt__issuing *s = htmt__issuing_at(e, slice);
    for (uint32_t i = 0; i < s->claim_count; i++) {
        const struct htmt__claim *c = &s->claims[i];
        if (c->object == wanted->object && c->first < wanted->end && wanted->first < c->end &&
            (c->fills || wanted->fills))
            return htmt__fail(
                e, HTMT_EINVAL, "%s %s + %llu, %llu bytes, which the DMA engine %s: wait for %s",
                what, wanted->object->name, (unsigned long long)wanted->first,
                (unsigned long long)(wanted->end - wanted->first),
                c->fills ? "is about to fill" : "still reads", c->fills ? "on_arrived" : "on_sent");
    }
    return 0;
}

/* 0: the engine can make it. */
static int check_figures(struct htmt_emulator *e, const struct htmt_put *put)
{
    const struct htmt__bank_machine *b = e->banked->machine;
    uint64_t bound = 0;
    bool fills = put->dst.object->layer == b->scratch;
    uint64_t bank = fills ? put->src.offset : put->dst.offset,
             scratch = fills ? put->dst.offset : put->src.offset;
    if (htmt__pieces_count(&put->dst_pieces) > 1 || htmt__pieces_count(&put->src_pieces) > 1)
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
    const struct htmt_put *put = &p->message->put;
    if (!is_dma(e, &p->message->leg))
        return 0;
    p->message->thread = htmt__self(service)->body->thread;
    int rc = check_figures(e, put);
    if (rc || !e->options.checked)
        return rc;
    const bool fills = p->message->leg.to == e->banked->machine->scratch;
    const struct htmt_addr at = fills ? put->dst : put->src;
    const struct htmt__claim new = {p, at.object, at.offset, at.offset + put->bytes, fills};
    struct htmt__issuing *s = htmt__issuing_at(e, p->slice);
    rc = check_claims(e, p->slice, &new, "htmt_put() of");
    if (rc)
        return rc;
    if (!htmt__array_fits(&s->claims, &s->claim_room, s->claim_count + 1u, sizeof new))
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for what the DMA engine owns");
    s->claims[s->claim_count++] = new;
    return 0;
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
    if (!c->e->options.checked || c->p->slice == c->e->controller)
        return 0;
    const struct htmt__claim use = {NULL, at.object, at.offset, at.offset + bytes, writes};
    return check_claims(c->e, c->p->slice, &use, "a kernel uses");
}
