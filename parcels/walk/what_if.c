/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What-if moves: what would a program cost that percolated, as the model wants it? With
 * htmt_options.what_if, a model run makes the moves that a program saves by departing from
 * percolation. Without them, the places that ask here test one bit.
 *
 * Exchange. What one SPELL sends another goes round: down from CRAM, over a network between outer
 * memories, up to the other CRAM. In the memories on the way lie copies of the objects at both
 * ends. Room for all of them is taken once, before the first word moves, so no message waits for
 * room while it holds some. The copy at the source is the sender's until the last word has left the
 * slice; the one at the target was granted with the target itself. On dram - sram - cram with
 * networks between the SRAMs, a put of 100 words becomes three legs of 100 words: cram to sram,
 * sram to sram of the other slice, sram to cram. Its signals come when the last leg has ended.
 *
 * Resident, open. What a service finds in the innermost memory would have gone down after its last
 * use and would come up again now. So the control of the service runs when the service asks for a
 * server, to say what it uses. The words go down, then others up, as one message that takes its
 * turns at the networks; when it has come, the service asks for its server with the counts and the
 * log that its control has left.
 */
#include "parcels/walk/what_if.h"
#include "parcels/message/route.h"
#include "parcels/walk/context.h"
#include "parcels/walk/memory.h"
#include "parcels/walk/type.h"

bool htmt__exchanges(const struct htmt_emulator *e, const struct htmt__leg *way)
{
    return way->from == htmt__innermost(e) && way->to == way->from && way->source != way->target;
}

/* ---- the way round --------------------------------------------------------------------------- */

static int next_stop(struct htmt_emulator *e, const struct htmt__message *m, uint32_t *slice,
                     uint32_t *layer)
{
    if (htmt__detour_next(e, m->detour_target, slice, layer))
        return 0;
    return htmt__fail(e, HTMT_EROUTE,
                      "no chain of networks but its own joins %s to that of another"
                      " slice",
                      e->machine->layer[htmt__innermost(e)].name);
}

static int next_leg(struct htmt_emulator *e, struct htmt__message *m, uint32_t source,
                    uint32_t from)
{
    bool pieces = m->kind == HTMT__MESSAGE_BYTES;
    uint32_t target = source, to = from;
    int rc = next_stop(e, m, &target, &to);
    if (rc)
        return rc;
    htmt__leg_set(&m->leg, from, to, source, target, m->leg.words);
    return htmt__message_cross(
        e, m, htmt__message_one_word(m),
        pieces && from == htmt__innermost(e) ? htmt__pieces_count(&m->put.src_pieces) : 1,
        pieces && to == htmt__innermost(e) ? htmt__pieces_count(&m->put.dst_pieces) : 1);
}

int htmt__what_if_route(struct htmt_emulator *e, struct htmt__message *m, uint64_t from_pieces,
                        uint64_t to_pieces)
{
    m->round = htmt__exchanges(e, &m->leg);
    if (!m->round)
        return htmt__message_cross(e, m, htmt__message_one_word(m), from_pieces, to_pieces);
    m->detour_source = m->leg.source;
    m->detour_target = m->leg.target;
    /* Room for the objects of both ends, in the memories between. */
    const uint32_t innermost = htmt__innermost(e);
    uint32_t slice = m->detour_source, layer = innermost;
    bool takes = !htmt__message_one_word(m) && htmt__message_has_put(m->kind);
    int rc = takes ? next_stop(e, m, &slice, &layer) : 0;
    while (takes && !rc && layer != innermost) {
        bool left = slice == m->detour_target;
        rc = htmt__object_copy(e, (left ? m->put.dst : m->put.src).object, layer);
        rc = rc ? rc : next_stop(e, m, &slice, &layer);
    }
    return rc ? rc : next_leg(e, m, m->leg.source, m->leg.from);
}

bool htmt__what_if_next(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__message *m = p->message;
    if (m->leg.to != htmt__innermost(e) || m->leg.target != m->detour_target) {
        if (!next_leg(e, m, m->leg.target, m->leg.to))
            htmt__message_start(e, p);
        return false;
    }
    m->leg.source = m->detour_source;
    m->leg.from = htmt__innermost(e);
    return true;
}

/* ---- state ----------------------------------------------------------------------------------- */

uint64_t htmt__frame_down(const struct htmt__entity *fiber)
{
    return htmt__words(fiber->type->code.args_bytes);
}

uint64_t htmt__frame_up(const struct htmt__entity *fiber)
{
    const struct htmt_type *t = fiber->type;
    return htmt__words(t->code.args_bytes) + t->code_words + t->header_words;
}

static void send(struct htmt_emulator *e, struct htmt__entity *message, bool down, uint64_t words)
{
    uint32_t in = htmt__innermost(e), slice = message->slice;
    htmt__leg_set(&message->message->leg, down ? in : in - 1, down ? in - 1 : in, slice, slice,
                  words);
    if (!htmt__message_route(e, message->message, false, 1, 1))
        htmt__message_start(e, message);
}

/* The service's control runs now, to say what it uses. With a fiber comes its frame, too. */
bool htmt__what_if_fetch(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt_context *c = e->control;
    uint64_t down = 0, up = 0;
    if (!htmt__innermost(e) || p->step->layer != htmt__innermost(e))
        return false;
    if (!(p->brought = htmt__message_create(e, HTMT__MESSAGE_STATE)))
        return true;
    c->down = c->up = 0;
    htmt__control_begin(p);
    htmt__expect_here(e, p, &p->brought->ops);
    if (p->step->code->control)
        htmt__control_run(e, p, NULL);
    if (e->options.what_if & HTMT_DEPARTS_RESIDENT) {
        down = c->down;
        up = c->up;
    }
    if (p->kind == HTMT__FIBER && (e->options.what_if & HTMT_DEPARTS_OPEN)) {
        down += htmt__frame_down(p);
        up += htmt__frame_up(p);
    }
    if (!up || e->fault.code)
        return e->fault.code != 0;
    struct htmt__entity *message = htmt__message_entity(e, p->slice, HTMT__MESSAGE_STATE);
    if (!message)
        return true;
    message->message->whose = p;
    message->message->up = up;
    p->state = HTMT__FOR_STATE;
    send(e, message, down != 0, down ? down : up);
    return true;
}

struct htmt__entity *htmt__what_if_arrives(struct htmt_emulator *e, struct htmt__entity *message)
{
    const struct htmt__message *m = message->message;
    struct htmt__entity *p = m->whose;
    if (m->leg.to != htmt__innermost(e)) {
        send(e, message, false, m->up);
        return NULL;
    }
    htmt__message_end(e, message);
    return p;
}
