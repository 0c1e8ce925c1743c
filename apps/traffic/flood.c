/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A pattern of many nodes as a parcel program.
 *
 * All-to-all on 4096 nodes is 16 million messages a slot. No table of them is kept: a node asks the
 * pattern for the target of its next message when the one before has left, so the emulator holds
 * one put a node, whatever the size of the pattern.
 *
 * A node ends a slot when it has heard as many messages as it sends. Its partners may be a slot
 * ahead, but not two, since each of them waits for this node, too. So two fibers count what comes,
 * one for even and one for odd slots. Of slots that differ, which no node waits for, EVEN counts
 * single messages.
 */
#include "apps/traffic/flood.h"

#include "apps/lib/per_slice.h"

#include <stdlib.h>

/* Fibers: the next message; all messages of an even slot, of an odd one have come. */
enum { NEXT = 1, EVEN, ODD, FIBERS = ODD };

/* Of a slice. */
struct state {
    HTMT_PER_SLICE uint64_t slot; /* that it sends */
    uint64_t heard, hears;        /* slots, or messages, that have come; that will */
    uint32_t sent, sends;         /* messages of the slot */
    bool waits, worked, done, retired;
};

struct htmt__traffic_flood {
    const struct htmt__traffic_pattern *p;
    uint32_t layer;
    uint32_t together; /* messages that EVEN and ODD count */
    struct htmt_type *type;
    struct htmt_frame *out, *in;
    struct htmt_ref *ref;
    struct state *state;
};

typedef struct htmt__traffic_flood flood;

static const flood *flood_of(struct htmt_context *c)
{
    return *(const flood *const *)htmt_args(c);
}

static void retire(struct htmt_context *c, struct state *s)
{
    if (!s->done || s->retired || s->heard < s->hears)
        return;
    s->retired = true;
    htmt_retire(c, htmt_self(c));
}

/* ---- sending --------------------------------------------------------------------------------- */

static void send(struct htmt_context *c, const flood *f, struct state *s)
{
    uint32_t me = htmt_slice(c), to = htmt__traffic_pattern_target(f->p, me, s->slot, s->sent++);
    bool even = !htmt__traffic_pattern_repeats(f->p) || s->slot % 2 == 0;
    struct htmt_put put = htmt_put_init();
    put.src = htmt_at(f->out, me, 0);
    put.dst = htmt_at(f->in, to, 0);
    put.bytes = f->p->bytes;
    put.on_arrived =
        f->p->synchronous ? htmt_slot(c, NEXT) : htmt_slot_of(f->ref[to], even ? EVEN : ODD);
    if (f->p->rate > 0)
        htmt_pause(c, htmt__traffic_pattern_gap(f->p, me, s->slot * s->sends + s->sent - 1));
    else if (!f->p->synchronous)
        put.on_sent = htmt_slot(c, NEXT);
    htmt_put(c, &put);
    if (f->p->rate > 0 && !f->p->synchronous)
        htmt_signal(c, htmt_slot(c, NEXT));
}

static void next(struct htmt_context *c)
{
    const flood *f = flood_of(c);
    struct state *s = &f->state[htmt_slice(c)];
    htmt_time work = htmt__traffic_pattern_work(f->p, htmt_slice(c));
    while (s->slot < f->p->slots && s->sends) {
        bool works = work > 0 && !s->worked;
        s->worked = true;
        if (works) {
            htmt_delay(c, work);
            htmt_signal(c, htmt_slot(c, NEXT));
            return;
        }
        if (s->sent < s->sends) {
            send(c, f, s);
            return;
        }
        if (s->hears && htmt__traffic_pattern_repeats(f->p) && s->heard <= s->slot) {
            s->waits = true;
            return;
        }
        s->slot++;
        s->sent = 0;
        s->worked = false;
    }
    s->done = true;
    retire(c, s);
}

/* Fibers wait for the end of the first one, which takes no time therefore. */
static void begin(struct htmt_context *c)
{
    htmt_signal(c, htmt_slot(c, NEXT));
}

static void heard(struct htmt_context *c)
{
    const flood *f = flood_of(c);
    struct state *s = &f->state[htmt_slice(c)];
    s->heard++;
    if (s->waits) {
        s->waits = false;
        htmt_signal(c, htmt_slot(c, NEXT));
    }
    retire(c, s);
}

/* ---- set-up ---------------------------------------------------------------------------------- */

/* Of slots that are alike a node hears as many as it sends; who is told of synchronous messages is
 * their sender. */
static int count_messages(flood *f)
{
    const bool alike = htmt__traffic_pattern_repeats(f->p);
    uint64_t *heard = calloc(f->p->nodes, sizeof *heard);
    if (!heard)
        return HTMT_ENOMEM;
    htmt__traffic_pattern_heard(f->p, heard);
    f->together = 1;
    for (uint32_t i = 0; i < f->p->nodes; i++) {
        struct state *s = &f->state[i];
        s->sends = htmt__traffic_pattern_sends(f->p, i);
        s->hears = f->p->synchronous ? 0 : !alike ? heard[i] : s->sends ? f->p->slots : 0;
        if (alike && s->sends)
            f->together = s->sends;
    }
    free(heard);
    return 0;
}

static int fill(flood *f, struct htmt_emulator *e)
{
    const flood *args = f;
    int rc = count_messages(f);
    const uint32_t n = f->together;
    const struct htmt_stage fibers[FIBERS] = {{.control = next, .count = 1, .reset = 1},
                                              {.control = heard, .count = n, .reset = n},
                                              {.control = heard, .count = n, .reset = n}};
    static const char *const names[FIBERS] = {"next", "even", "odd"};
    struct htmt_type_desc d = htmt_type_desc_init();
    d.name = "Node";
    d.home = d.exec = htmt_emulator_machine(e)->layer[f->layer].name;
    d.execute.control = begin;
    d.footprint = HTMT_RESIDENT;
    d.fibers = fibers;
    d.fiber_count = FIBERS;
    d.fiber_names = names;
    d.gates = HTMT_GATE(HTMT_RETIRE);
    d.args_bytes = sizeof f;
    if (!rc)
        rc = htmt_type_create(e, &d, &f->type);
    if (!rc)
        rc = htmt_frame_create(e, f->layer, f->p->bytes, "out", &f->out);
    if (!rc)
        rc = htmt_frame_create(e, f->layer, f->p->bytes, "in", &f->in);
    for (uint32_t i = 0; i < f->p->nodes && !rc; i++)
        rc = htmt_assemble(htmt_root(e),
                           &(struct htmt_parcel_desc){.type = f->type, .slice = i, .args = &args},
                           &f->ref[i]);
    return rc;
}

int htmt__traffic_flood_create(struct htmt_emulator *e, const struct htmt__traffic_pattern *p,
                               uint32_t layer, struct htmt__traffic_flood **out,
                               struct htmt_fault *fault)
{
    flood *f = calloc(1, sizeof *f);
    if (f) {
        f->p = p;
        f->layer = layer;
        f->ref = calloc(p->nodes, sizeof *f->ref);
        f->state = htmt_per_slice_create(p->nodes, sizeof *f->state);
    }
    int rc = f && f->ref && f->state ? fill(f, e) : HTMT_ENOMEM;
    *out = f;
    if (!rc)
        return 0;
    const struct htmt_fault *why = htmt_emulator_fault(e);
    htmt_fault_set(fault, rc, "%s", why->code ? why->text : htmt_strerror(rc));
    htmt__traffic_flood_destroy(out);
    return rc;
}

void htmt__traffic_flood_destroy(struct htmt__traffic_flood **f)
{
    if (*f) {
        free((*f)->ref);
        free((*f)->state);
    }
    free(*f);
    *f = NULL;
}
