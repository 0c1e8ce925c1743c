/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The matching of a cycle: who has which lane, and which wire.
 *
 * One round of iSLIP (McKeown 1999). Each output grants the first input that asks for it, from its
 * pointer on, round all inputs; each input accepts the first grant, from its own pointer on. What
 * is matched moves both pointers behind the partner, so that it is asked last in the next cycle:
 * under full load the pointers of outputs that had the same favourite move apart.
 *
 * By hand, both pointers of all at 0: inputs 0 and 1 ask for outputs 0 and 1. Both outputs grant
 * input 0, which accepts output 0; input 1 goes empty. Then output 0 points to input 1, input 0 to
 * output 1; in the next cycle output 0 grants input 1, output 1 input 0, and all are matched.
 */
#include "layers/network/flit_parts.h"
#include "runtime/base/array.h"

bool htmt__flits_ask(const struct step *k, struct asks *a, struct ask with)
{
    if (!htmt__array_fits(&a->at, &a->room, (size_t)a->count + 1, sizeof *a->at)) {
        k->sink->fail(k->sink->user, HTMT_ENOMEM, "flits");
        return false;
    }
    a->at[a->count++] = with;
    return true;
}

/* Whether a is asked before b, urgent ones first: `of` is the input, or the output, and counts from
 * the pointer on. */
static bool before(const struct htmt__flits *c, const struct ask *a, const struct ask *b,
                   bool by_input, uint32_t pointer)
{
    const uint32_t x = (by_input ? a->in : a->out) - pointer;
    const uint32_t y = (by_input ? b->in : b->out) - pointer;
    if (a->urgent != b->urgent)
        return a->urgent;
    if (c->oldest && a->since != b->since)
        return a->since < b->since;
    return x < y; /* modulo 2^32: those before the pointer come last */
}

void htmt__flits_match(const struct step *k, struct asks *a, uint32_t ins, uint32_t outs,
                       uint32_t *grant_at, uint32_t *accept_at)
{
    struct htmt__flits_place *p = k->place;
    if (!htmt__array_fits(&p->grant, &p->grants, outs, sizeof *p->grant) ||
        !htmt__array_fits(&p->accept, &p->accepts, ins, sizeof *p->accept)) {
        k->sink->fail(k->sink->user, HTMT_ENOMEM, "flits");
        return;
    }
    for (uint32_t i = 0; i < a->count; i++)
        p->grant[a->at[i].out] = p->accept[a->at[i].in] = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        const struct ask *q = &a->at[i];
        uint32_t *grant = &p->grant[q->out];
        if (!*grant || before(k->c, q, &a->at[*grant - 1], true, grant_at[q->out]))
            *grant = i + 1;
    }
    for (uint32_t i = 0; i < a->count; i++) {
        const struct ask *q = &a->at[i];
        uint32_t *accept = &p->accept[q->in];
        if (p->grant[q->out] == i + 1 &&
            (!*accept || before(k->c, q, &a->at[*accept - 1], false, accept_at[q->in])))
            *accept = i + 1;
    }
    for (uint32_t i = 0; i < a->count; i++) {
        struct ask *q = &a->at[i];
        if (p->accept[q->in] != i + 1)
            continue;
        q->match = true;
        grant_at[q->out] = q->in + 1 < ins ? q->in + 1 : 0;
        accept_at[q->in] = q->out + 1 < outs ? q->out + 1 : 0;
    }
}
