/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Posts: the call, what it checks, the message, the queue, and the parcel that serves.
 *
 * The idea. A post is a parcel that is assembled in another slice. Where it is assembled nothing of
 * it is needed but its arguments, so what crosses the networks and what waits is a payload: the
 * number of its type, the slice that sent it, the arguments. Only when a processor is about to
 * serve it does it become a parcel, with an entity and a body, and walks as any parcel whose home
 * is where it executes: a service, and its end. So sections, traces, the critical path, kernels and
 * steered controls meet nothing new.
 *
 *     htmt_post()      a message (HTMT__MESSAGE_POST) with the payload; a line START in the log
 *     message.c        out channel, latency, in channel, as of a put
 *     play.c           arrive(): its event; then htmt__post_arrives()
 *     here             a parcel, if fewer are there than processors; else the payload waits
 *     walk.c           the service; end(): htmt__post_over() makes the next one
 *
 * How many parcels. The bank of a layer has a line of its own, in which parcels and fibers wait,
 * and posts must take their turns with them. So posts of a slice are parcels up to the number of
 * its processors; these stand in the bank's line as others do. Were there fewer, a processor could
 * be idle while a payload waits; were there more, posts would wait as entities. With posts alone
 * the line is empty, and the first payload is next when a service ends.
 *
 * Order. Arrivals are events of messages, whose keys are births in their slices: at one instant the
 * older one is first, then the lower slice. A queue is first come, first served. Nothing else
 * decides, so threads and ranks cannot.
 *
 * By hand: one processor, controls of 10 ns; posts arrive at 0, 4 and 5 ns. The first is a parcel
 * and served until 10. The second and third are payloads of 8 bytes and their arguments. At 10 the
 * second becomes a parcel, until 20; at 20 the third.
 *
 * What it costs. A post whose control only posts on takes 600 instructions of the host (callgrind,
 * a ring of 16 slices without in channels), most of them the message's way. Under way it is an
 * entity and a record; waiting, 8 bytes and the arguments.
 */
#include "parcels/message/post.h"
#include "layers/machine/queues.h"
#include "layers/network/topology.h"
#include "parcels/clock/event.h"
#include "parcels/clock/partition.h"
#include "parcels/clock/probe.h"
#include "parcels/clock/rank.h"
#include "parcels/message/gather.h"
#include "parcels/message/inlet.h"
#include "parcels/message/message.h"
#include "parcels/message/packet_network.h"
#include "parcels/walk/context.h"
#include "parcels/walk/permit.h"
#include "parcels/walk/replies.h"
#include "parcels/walk/service.h"
#include "runtime/base/array.h"

#include <stdlib.h>
#include <string.h>

/* What runs a control that has no parcel, for a server. */
struct runner {
    struct htmt__entity p;
    _Alignas(max_align_t) unsigned char body[sizeof(struct htmt__body) + 16 + HTMT_POST_BYTES];
};

/* ---- types ----------------------------------------------------------------------------------- */

static bool has(const struct htmt_stage *s)
{
    return s->kernel || s->cost || s->control;
}

/* Why such a type cannot be posted; NULL: it can. */
static const char *refusal(const struct htmt_type *t)
{
    const struct htmt_stage *x = &t->code.stage[HTMT_EXECUTE];
    bool others = false;
    for (int i = 0; i < HTMT_STAGES; i++)
        others |= i != HTMT_EXECUTE && has(&t->code.stage[i]);
    if (t->hops)
        return "it executes elsewhere than at home: closures do not cross slices";
    if (others)
        return "it has another stage than execute";
    if (!x->control)
        return "its execute has no control";
    if (x->kernel && !x->steered)
        return "its execute has a kernel and is not steered: nothing would look at what it leaves";
    if (t->fiber_count || t->gates)
        return "it has fibers or gates: nothing could signal or call what is posted";
    if (t->code.args_bytes > HTMT_POST_BYTES)
        return "it has more than 56 bytes of arguments";
    for (uint32_t l = 0; l < t->emulator->layers; l++)
        if ((l == t->home) != (t->emulator->processors_of[l] == t->home))
            return "its processors serve several layers: a queue of posts needs some of its own";
    return NULL;
}

/* The control of a type with `wanted`. */
static void serve_wanted(struct htmt_context *c)
{
    struct htmt_type *t = c->self->type;
    if (c->self->posted) { /* what asking for room took meanwhile */
        struct htmt__post_box *box = htmt__post_box_at(c->e, t->home, c->p->slice);
        c->p->before += box->asked;
        box->asked = 0;
    }
    if (!c->self->posted || !t->post->wanted || t->post->wanted(c)) {
        t->post->control(c);
        return;
    }
    t->posts.served--;
    t->posts.unwanted++;
}

/* Behind its own steps: the same for what was posted, which ends otherwise. Without a kernel
 * nothing is between service and end. */
static int add_way(struct htmt_type *t, bool plain)
{
    struct htmt__step *step = realloc(t->step, (2 * t->steps + 2) * sizeof *step);
    if (!step)
        return HTMT_ENOMEM;
    t->step = step;
    uint32_t count = t->steps;
    for (uint32_t i = 0; i < t->steps; i++)
        if (!plain || step[i].op == HTMT__SERVE || step[i].op == HTMT__END)
            step[count++] = step[i];
    step[count - 1].op = HTMT__POST_END;
    step[count] = step[count + 1] = step[count - 1];
    step[count].op = HTMT__POST_ZERO;
    t->steps = count + 2;
    return 0;
}

/* The number of the named queue among those of the type's layer. A layer that names none has one,
 * whatever a program calls it. */
static int queue_of(struct htmt_emulator *e, const struct htmt_type *t, const char *name,
                    uint16_t *number)
{
    *number = 0;
    if (!name)
        return 0;
    const struct htmt__layer_queues q = htmt__layer_queues(e->machine, t->home);
    if (!q.count)
        return 0;
    while (*number < q.count && strcmp(q.at[*number].name, name) != 0)
        ++*number;
    return *number < q.count
               ? 0
               : htmt__fail(e, HTMT_EINVAL,
                            "type %s: layer %s has no queue '%s', its first is '%s'", t->code.name,
                            e->machine->layer[t->home].name, name, q.at[0].name);
}

static bool make_boxes(const struct htmt_emulator *e, struct htmt__posts *all, uint32_t layer)
{
    struct htmt__post_layer *l = &all->layer[layer];
    const struct htmt__layer_queues q = htmt__layer_queues(e->machine, layer);
    if (l->box)
        return true;
    l->queues = q.count ? q.count : 1;
    l->stage = q.stage;
    l->overlap = q.overlap;
    for (uint32_t i = 0; i < l->queues; i++) {
        const bool limited = i < q.count && q.at[i].room != UINT32_MAX;
        l->limited |= limited;
        l->limit[i][0] = limited ? q.at[i].room : UINT64_MAX;
        l->limit[i][1] = limited ? (uint64_t)q.at[i].room + q.at[i].own : UINT64_MAX;
    }
    l->stride = sizeof(struct htmt__post_box) + l->queues * sizeof(struct htmt__post_line);
    l->box = calloc(e->played, l->stride);
    return l->box != NULL;
}

static int make(struct htmt_emulator *e, struct htmt_type *t, const struct htmt_type_desc *desc)
{
    struct htmt__posts *all = e->posts ? e->posts : calloc(1, sizeof *all);
    struct htmt__post_type *post = calloc(1, sizeof *post);
    e->posts = all;
    bool enough = post && all && make_boxes(e, all, t->home) && all->types < UINT16_MAX &&
                  htmt__array_fits(&all->type, &all->room, all->types + 1u, sizeof *all->type);
    if (!enough)
        goto no_memory;
    struct htmt_stage *x = &t->code.stage[HTMT_EXECUTE];
    post->number = (uint16_t)all->types;
    post->bytes = (uint16_t)t->code.args_bytes;
    post->plain = !x->kernel && !x->steered;
    e->steered_posts |= x->steered;
    post->first = t->steps;
    if (add_way(t, post->plain))
        goto no_memory;
    post->serve = post->first;
    while (t->step[post->serve].op != HTMT__SERVE)
        post->serve++;
    post->serve_at = post->serve * sizeof *t->step;
    post->aggregate = desc->aggregate;
    if (!desc->aggregate.bytes) {
        const struct htmt__layer_aggregate whole = htmt__layer_aggregate(e->machine, t->home);
        post->aggregate = (struct htmt_aggregate){whole.bytes, whole.wait};
    }
    all->layer[t->home].gathers |= post->aggregate.bytes != 0;
    all->gathers |= post->aggregate.bytes != 0;
    post->words = desc->payload_words ? desc->payload_words : 1 + htmt__words(desc->args_bytes);
    if (e->options.quiet_by == HTMT_QUIET_ACKS && !all->acks && htmt__acks_create(e))
        goto no_memory;
    post->brief = post->plain && !all->acks && !x->cost && !t->step[post->serve].profiled;
    post->control = x->control;
    post->wanted = desc->wanted;
    if (desc->wanted || all->layer[t->home].limited)
        x->control = serve_wanted;
    all->type[all->types++] = t;
    t->post = post;
    return 0;
no_memory:
    free(post);
    return htmt__fail(e, HTMT_ENOMEM, "no host memory for a type that can be posted");
}

int htmt__post_type_make(struct htmt_emulator *e, struct htmt_type *t,
                         const struct htmt_type_desc *desc)
{
    const bool said = desc->queue || desc->wanted || desc->payload_words || desc->aggregate.bytes;
    t->no_post = refusal(t);
    if (t->no_post && said)
        return htmt__fail(e, HTMT_EINVAL, "type %s says how it is posted, but %s", t->code.name,
                          t->no_post);
    if (t->no_post)
        return 0;
    if (desc->aggregate.bytes > HTMT__AGGREGATE_MOST || desc->aggregate.wait < 0 ||
        desc->aggregate.wait > HTMT_TIME_MAX / 4 ||
        (desc->aggregate.wait && !desc->aggregate.bytes))
        return htmt__fail(e, HTMT_EINVAL,
                          "type %s: aggregate of %llu bytes and %lld fs, expected 1 to %llu bytes "
                          "and 0 to %lld fs",
                          t->code.name, (unsigned long long)desc->aggregate.bytes,
                          (long long)desc->aggregate.wait, (unsigned long long)HTMT__AGGREGATE_MOST,
                          (long long)(HTMT_TIME_MAX / 4));
    uint16_t queue;
    int rc = queue_of(e, t, desc->queue, &queue);
    rc = rc ? rc : make(e, t, desc);
    if (!rc)
        ((struct htmt__post_type *)t->post)->queue = queue;
    return rc;
}

/* Why full queues cannot hold the in channels of that network; NULL: they can. */
static const char *holds_none(const struct htmt_emulator *e, uint32_t network, uint32_t layer)
{
    if (!e->machine->network[network].port[layer].in)
        return "whose in channels have no limit";
    if (e->net[network].fabric && e->net[network].fabric->reorders)
        return "which puts messages in order again behind its in channels";
    return NULL;
}

static void refuse_network(struct htmt_emulator *e, uint32_t network, uint32_t layer,
                           uint32_t queue, const char *why)
{
    const struct htmt__layer_queues q = htmt__layer_queues(e->machine, layer);
    htmt__fail(e, HTMT_EINVAL,
               "queue %s of layer %s has room for %u posts, and network %s, %s, brings them: "
               "nothing keeps them out",
               q.at[queue].name, e->machine->layer[layer].name, q.at[queue].room,
               e->machine->network[network].name, why);
}

/* A queue with a limit wants in channels that it can hold, on the network that brings what other
 * slices post from that layer. That of others is asked when a post waits there. */
static void check_inputs(struct htmt_emulator *e, uint32_t layer)
{
    const struct htmt__layer_queues q = htmt__layer_queues(e->machine, layer);
    const char *name = e->machine->layer[layer].name, *why;
    const uint32_t n = e->way[0][1][layer][layer].network;
    uint32_t i = 0;
    while (q.at[i].room == UINT32_MAX)
        i++;
    if (e->options.slopes || e->options.what_if || e->options.recording)
        htmt__fail(e, HTMT_EINVAL,
                   "queue %s of layer %s has room for %u posts: expected a run without %s",
                   q.at[i].name, name, q.at[i].room,
                   e->options.slopes    ? "slopes"
                   : e->options.what_if ? "what-if moves"
                                        : "a trace");
    if (n != HTMT__NO_NETWORK && (why = holds_none(e, n, layer)))
        refuse_network(e, n, layer, i, why);
}

/* Its processors route packets, whose times belong to the service that has the processor. */
static bool routes(const struct htmt_emulator *e, uint32_t layer)
{
    bool some = false;
    for (uint32_t n = 0; n < e->networks; n++)
        some |= e->net[n].fabric && e->net[n].fabric->topology->inside.router == (int)layer;
    return some;
}

/* See post_aside(). */
static void find_ordinary(const struct htmt_emulator *e)
{
    for (uint32_t i = 0; i < e->posts->types; i++) {
        struct htmt_type *t = e->posts->type[i];
        const struct htmt__post_layer *layer = &e->posts->layer[t->home];
        t->ordinary = !e->posts->acks && !layer->server.post && !layer->gathers &&
                      !e->options.lint && !e->options.what_if;
    }
}

void htmt__posts_begin(struct htmt_emulator *e)
{
    find_ordinary(e);
    for (uint32_t l = 0; l < e->layers && e->posts && !e->fault.code; l++) {
        const struct htmt__post_layer *layer = &e->posts->layer[l];
        if (layer->server.post && e->posts->acks)
            htmt__fail(e, HTMT_EINVAL,
                       "quiet is asked for by answers: the cells of layer %s send none",
                       e->machine->layer[l].name);
        else if (layer->server.post && layer->gathers)
            htmt__fail(e, HTMT_EINVAL,
                       "posts of layer %s are to leave together (aggregate): its cells send them "
                       "one by one",
                       e->machine->layer[l].name);
        else if (layer->server.post && (layer->stage || layer->overlap))
            htmt__fail(e, HTMT_EINVAL,
                       "layers.%s.processor.queues.%s: its cells stage a message each cycle, and "
                       "take no such figure",
                       e->machine->layer[l].name, layer->stage ? "stage" : "overlap");
        else if (layer->gathers && (e->options.slopes || e->options.what_if))
            htmt__fail(e, HTMT_EINVAL,
                       "posts of layer %s leave together (aggregate): expected a run without %s",
                       e->machine->layer[l].name, e->options.slopes ? "slopes" : "what-if moves");
        if (layer->box && layer->overlap && routes(e, l))
            htmt__fail(e, HTMT_EINVAL,
                       "layer %s: found overlap in its queues, expected none where its processors "
                       "route packets",
                       e->machine->layer[l].name);
        if (!layer->box || layer->server.post || !layer->limited)
            continue;
        check_inputs(e, l);
        if (!e->fault.code && htmt__inlets_create(e, l))
            htmt__fail(e, HTMT_ENOMEM, "no host memory for the in channels of a layer");
    }
}

bool htmt__post_known(const struct htmt_emulator *e, const struct htmt__post *post)
{
    const struct htmt__posts *all = e->posts;
    return all && post->type < all->types && post->sender < e->played &&
           post->bytes == all->type[post->type]->code.args_bytes;
}

void htmt__posts_destroy(struct htmt_emulator *e)
{
    struct htmt__posts *all = e->posts;
    for (uint32_t l = 0; all && l < e->layers; l++) {
        for (uint32_t i = 0; all->layer[l].box && i < e->played; i++)
            for (uint32_t q = 0; q < all->layer[l].queues; q++)
                htmt__post_line_free(e, &htmt__post_box_at(e, l, i)->line[q]);
        free(all->layer[l].box);
        free(all->layer[l].others);
    }
    for (uint32_t i = 0; all && i < all->types; i++)
        free((struct htmt__post_type *)all->type[i]->post);
    if (all)
        free(all->type);
    if (all)
        free(all->acks);
    free(all);
    e->posts = NULL;
    htmt__post_chunks_free(e);
    free(e->post_runner);
}

/* ---- controls without a parcel --------------------------------------------------------------- */

static struct htmt_type *type_of(const struct htmt_emulator *e, const struct htmt__post *post)
{
    return htmt__type_here(e, e->posts->type[post->type]);
}

/* Payloads and arguments have room for whole words; most have one or two. */
static inline void copy_words(void *to, const unsigned char *from, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i += 8)
        memcpy((char *)to + i, from + i, 8);
}

__attribute__((cold, noinline)) static struct runner *make_runner(struct htmt_emulator *e)
{
    struct runner *r = calloc(1, sizeof *r);
    if (!r) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for controls of posts");
        return NULL;
    }
    r->p.kind = HTMT__PARCEL;
    r->p.posted = true;
    r->p.body = (struct htmt__body *)(void *)r->body;
    e->post_runner = r;
    return r;
}

/* The context of a control that has no parcel, of that type. `word`: behind the payload there is a
 * word at least, whatever arguments the type has. NULL: out of memory (latched). */
static inline struct htmt_context *open_as(struct htmt_emulator *e, struct htmt_type *t,
                                           uint32_t slice, const struct htmt__post *post, bool word)
{
    struct runner *r = e->post_runner ? e->post_runner : make_runner(e);
    struct htmt_context *c = e->control;
    if (__builtin_expect(!r, 0))
        return NULL;
    r->p.type = t;
    r->p.step =
        (const struct htmt__step *)(const void *)((const char *)t->step + t->post->serve_at);
    r->p.slice = slice;
    r->p.log = NULL;
    r->p.body->sender = post->sender;
    if (word)
        memcpy(htmt__args(&r->p), post->args, 8);
    for (uint32_t i = word ? 8 : 0; i < post->bytes; i += 8)
        memcpy((char *)htmt__args(&r->p) + i, post->args + i, 8);
    htmt__control_begin(&r->p);
    c->p = c->self = &r->p;
    c->layer = t->home;
    c->result = NULL;
    c->uses = 0;
    c->log_end = &r->p.log;
    c->each = 0;
    htmt__caller.control = c;
    htmt__control_says(&e->controls, &r->p);
    return c;
}

static struct htmt_context *open(struct htmt_emulator *e, uint32_t slice,
                                 const struct htmt__post *post)
{
    return open_as(e, type_of(e, post), slice, post, false);
}

static inline void silence(struct htmt_emulator *e)
{
    htmt__control_says(&e->controls, NULL);
    htmt__caller.control = HTMT__NO_CONTROL;
}

/* Returns what it charged. Only posts leave it. */
static htmt_time shut(struct htmt_emulator *e, struct htmt_context *c)
{
    struct htmt__entity *p = c->p;
    silence(e);
    c->turn = false;
    if (p->log)
        htmt__fail(e, HTMT_EINVAL,
                   "type %s: its control does more than charge and post, which is all that the "
                   "processors of %s take",
                   p->type->code.name, e->machine->layer[c->layer].name);
    htmt__log_finish(e, p);
    return p->before + p->after;
}

/* ---- the parcel that serves ------------------------------------------------------------------ */

/* In a run, of a type with a kernel. */
__attribute__((noinline)) static bool close(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt_parcel_desc d = {.type = p->type, .slice = p->slice};
    if (!e->data)
        return true;
    p->closure =
        htmt__data_closure(e->data, &p->type->code, p->slice, p->serial, htmt__args(p), &d);
    if (p->closure)
        p->ways = htmt__data_ways(p->closure);
    return p->closure != NULL;
}

/* NULL: out of memory (latched). */
static struct htmt__entity *parcel_of(struct htmt_emulator *e, uint32_t slice,
                                      const struct htmt__post *post)
{
    struct htmt_type *t = type_of(e, post);
    struct htmt__entity *p = htmt__entity_create(e, slice, HTMT__PARCEL);
    if (!p)
        return NULL;
    p->type = t;
    p->cost = t->post->plain ? NULL : htmt__cost_plain(e, t, slice);
    p->step = t->step + t->post->first;
    p->posted = true;
    p->body = htmt__body_create(e, t, slice);
    if (!p->body || (!p->cost && !t->post->plain))
        goto no_memory;
    p->body->sender = post->sender;
    p->body->on_ready = p->body->on_done = (struct htmt_slot){0};
    copy_words(htmt__args(p), post->args, post->bytes);
    if (htmt__goes_aside(e, HTMT__BY_REPLIES))
        htmt__lineage_posted(p);
    if (t->post->plain || close(e, p))
        return p;
no_memory:
    htmt__fail(e, HTMT_ENOMEM, "no host memory for a post of type %s", t->code.name);
    return NULL;
}

/* The post becomes a parcel, which asks for a processor. */
static void serve(struct htmt_emulator *e, struct htmt__post_box *box, uint32_t slice,
                  const struct htmt__post *post)
{
    struct htmt__entity *p = parcel_of(e, slice, post);
    if (!p)
        return;
    e->parcels++;
    p->type->posts.served += e->partition || htmt__rank_plays(e, slice);
    box->serving++;
    htmt__ready(e, p);
}

/* A control that takes no time needs neither an entity nor an event: it runs where its post
 * arrives, what it says happens, and the service is counted and recorded. If it turns out that it
 * takes time, the parcel is made then, with the number that the service has got. Where somebody
 * watches, or services depend on more than operations, all goes the long way, to the same effect.
 */
static inline bool may_be_brief(const struct htmt_emulator *e, const struct htmt_type *t)
{
    const unsigned easy = HTMT__BY_PARTITION | HTMT__BY_CALENDAR | HTMT__BY_BYTES;
    return t->post->brief && !htmt__goes_aside(e, ~easy);
}

/* The parcel of a service that has begun. */
static __attribute__((noinline)) void serve_on(struct htmt_emulator *e, struct htmt__post_box *box,
                                               struct htmt_context *c,
                                               const struct htmt__post *post)
{
    struct htmt__entity *begun = c->p;
    struct htmt__slice *s = htmt__slice_at(e, begun->slice);
    const uint64_t born = s->serial;
    s->serial = begun->serial - 1;
    struct htmt__entity *p = parcel_of(e, begun->slice, post);
    s->serial = born;
    if (!p)
        return;
    p->log = begun->log;
    p->before = begun->before;
    p->after = begun->after;
    p->worked = begun->worked;
    p->pauses = begun->pauses;
    box->serving++;
    c->p = c->self = p;
    htmt__bank_enter(htmt__bank_at(e, p->slice, p->step->layer));
    if (!p->worked) {
        for (struct htmt__log_line *line = p->log; line; line = line->next)
            line->after = true;
        p->after = p->before;
        p->before = 0;
    }
    htmt__service_begun(e, p);
}

/* A log of messages alone. */
static inline bool only_sends(const struct htmt__log_line *line)
{
    for (; line; line = line->next)
        if (line->kind != HTMT__START ||
            htmt__log_starts((struct htmt__log_line *)line)->kind != HTMT__MESSAGE)
            return false;
    return true;
}

/* What the control says beside posts that have left by themselves. */
__attribute__((noinline)) static void take_log(struct htmt_emulator *e, struct htmt__entity *p)
{
    if (e->ready.head || !only_sends(p->log)) {
        htmt__log_finish(e, p);
        return;
    }
    for (struct htmt__log_line *line = p->log, *next; line; line = next) {
        next = line->next; /* nobody is ready before them: they need not wait for their turn */
        htmt__message_start(e, htmt__log_starts(line));
    }
}

static inline void serve_briefly(struct htmt_emulator *e, struct htmt_type *t,
                                 struct htmt__post_box *box, uint32_t slice,
                                 const struct htmt__post *post)
{
    struct htmt_context *c = open_as(e, t, slice, post, true);
    if (__builtin_expect(!c, 0))
        return;
    struct htmt__entity *p = c->p;
    const struct htmt__step *step = p->step;
    p->serial = ++htmt__slice_at(e, slice)->serial;
    t->posts.served++;
    e->parcels++;
    c->direct = !t->sends_nowhere;
    step->code->control(c);
    c->direct = false;
    silence(e);
    if (__builtin_expect(((uint64_t)(p->before | p->after) | c->each) != 0, 0)) {
        serve_on(e, box, c, post);
        return;
    }
    step->stats->count++;
    step->stats->tally->served++;
    htmt__record(e, slice, step->stats, p->serial, 0);
    if (p->log)
        take_log(e, p);
}

/* ---- queues (post_room.c) ---------------------------------------------------------------------
 */

/* The processor has it, or it lies in the queue. `runs`: the run has begun; `came`: by that leg,
 * alone, as an event, behind which nobody is ready yet; who answers is told here. */
static inline void deliver_as(struct htmt_emulator *e, uint32_t slice,
                              const struct htmt__post *post, bool runs,
                              const struct htmt__leg *came)
{
    struct htmt_type *t = type_of(e, post);
    struct htmt__post_box *box = htmt__post_box_at(e, t->home, slice);
    const struct htmt__bank *bank = htmt__bank_at(e, slice, t->home);
    const bool is_free = box->serving < bank->servers;
    if (is_free && runs && bank->busy < bank->servers && may_be_brief(e, t) &&
        (came || !e->ready.head)) {
        serve_briefly(e, t, box, slice, post);
        return;
    }
    if (came && e->posts->acks)
        htmt__acks_came(e, came, 1);
    if (is_free)
        serve(e, box, slice, post);
    else if (htmt__post_line_push(e, &box->line[t->post->queue], post) &&
             ++box->waiting > t->posts.most)
        t->posts.most = box->waiting;
}

static void deliver(struct htmt_emulator *e, uint32_t slice, const struct htmt__post *post)
{
    deliver_as(e, slice, post, true, NULL);
}

void htmt__post_arrives(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__message *m = p->message;
    deliver_as(e, m->leg.target, &m->post, true, &m->leg);
    htmt__message_end(e, p);
}

/* The post of a message that enters next. */
static inline const struct htmt__post *next_of(const struct htmt__message *m)
{
    return m->kind == HTMT__MESSAGE_POSTS ? htmt__bundle_next(m->bundle) : &m->post;
}

/* The bundle has nothing more to bring. */
static void bundle_over(struct htmt_emulator *e, struct htmt__entity *p)
{
    free(p->message->bundle);
    p->message->bundle = NULL;
    htmt__message_end(e, p);
}

/* They have come; once. */
static void bundle_came(struct htmt_emulator *e, const struct htmt__entity *p)
{
    const struct htmt__message *m = p->message;
    if (m->bundle->came)
        return;
    m->bundle->came = true;
    if (htmt__explained(e))
        e->explain->finds(e, p);
    if (e->posts->acks)
        htmt__acks_came(e, &m->leg, m->bundle->count);
}

void htmt__posts_arrive(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__message *m = p->message;
    struct htmt__bundle *b = m->bundle;
    bundle_came(e, p);
    while (b->next < b->used && !e->fault.code) {
        const struct htmt__post *post = htmt__bundle_next(b);
        b->next += (uint32_t)htmt__post_size(post);
        deliver(e, m->leg.target, post);
    }
    bundle_over(e, p);
}

/* Of those that wait in the queue the first that is not wanted goes. */
static bool make_room(struct htmt_emulator *e, struct htmt__post_box *box, uint32_t slice,
                      uint32_t queue)
{
    struct htmt__post_line *line = &box->line[queue], kept = {0};
    bool found = false, enough = true;
    while (line->count && enough) {
        const struct htmt__post *post = htmt__post_line_first(line);
        if (!found && !htmt__post_wanted(e, slice, post, &box->asked)) {
            found = true;
            if (e->posts->acks)
                htmt__acks_over(e, slice);
        } else
            enough = htmt__post_line_push(e, &kept, post);
        htmt__post_line_pop(e, line);
    }
    *line = kept;
    box->waiting -= found;
    return found;
}

/* The slice from which the post came hears that it holds a channel, or does no more. */
static void tell_sender(struct htmt_emulator *e, const struct htmt__message *m, bool holds)
{
    const struct htmt__leg *g = &m->leg;
    const struct htmt__fabric_net *fabric = e->net[g->network].fabric;
    const htmt_time takes = fabric ? fabric->topology->inside.control
                                   : e->net[g->network].startup + e->net[g->network].latency;
    if (g->source == g->target || !e->posts->layer[g->from].box)
        return;
    struct htmt__entity *news = htmt__message_entity(e, g->target, HTMT__MESSAGE_HOLD);
    if (!news)
        return;
    htmt__leg_set(&news->message->leg, g->to, g->from, g->target, g->source, 1);
    news->message->leg.network = HTMT__NO_NETWORK;
    news->message->down = holds;
    news->message->leg.stats = g->stats;
    news->tail = htmt__later(e->now, takes);
    if (htmt__explained(e))
        e->explain->flying(e, &news->message->leg);
    htmt__schedule(e, news, news->tail);
}

void htmt__post_hold_arrives(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__message *m = p->message;
    struct htmt__post_box *box = htmt__post_box_at(e, m->leg.to, m->leg.target);
    const uint32_t slice = m->leg.target, layer = m->leg.to;
    box->stopped += m->down ? 1 : UINT32_MAX;
    htmt__message_end(e, p);
    if (!box->stopped)
        e->posts->calls->may(e, slice, layer);
}

/* There may be room: those that hold channels have it, then generators of the slice. */
static void admit(struct htmt_emulator *e, struct htmt__post_box *box, uint32_t slice,
                  uint32_t layer)
{
    struct htmt__list all = box->held;
    box->held = (struct htmt__list){NULL, NULL};
    for (struct htmt__entity *p = all.head, *next; p; p = next) {
        next = p->queue;
        struct htmt__message *m = p->message;
        if (!htmt__post_fits(e, box, slice, type_of(e, next_of(m)), false)) {
            htmt__post_list_add(&box->held, p);
            continue;
        }
        m->down = true;
        box->coming++;
        p->state = HTMT__PENDING;
        tell_sender(e, m, false);
        htmt__schedule(e, p, e->now);
    }
    e->posts->calls->may(e, slice, layer);
}

__attribute__((cold, noinline)) static int refuse_own(struct htmt_emulator *e, uint32_t slice,
                                                      const struct htmt_type *t, const char *whose)
{
    const struct htmt__layer_queues q = htmt__layer_queues(e->machine, t->home);
    return htmt__fail(e, HTMT_ECAPACITY,
                      "slice %u: queue %s of layer %s is full of %llu posts, and one more of type "
                      "%s comes from %s",
                      slice, q.at[t->post->queue].name, e->machine->layer[t->home].name,
                      (unsigned long long)e->posts->layer[t->home].limit[t->post->queue][1],
                      t->code.name, whose);
}

/* The queue is full. true: there is room now, or the post is not wanted any more. */
static bool ask_for_room(struct htmt_emulator *e, uint32_t slice, const struct htmt__post *post,
                         bool own, bool *dropped)
{
    const struct htmt_type *t = type_of(e, post);
    struct htmt__post_box *box = htmt__post_box_at(e, t->home, slice);
    *dropped = !htmt__post_wanted(e, slice, post, &box->asked);
    if (*dropped)
        return true;
    if (make_room(e, box, slice, t->post->queue) && !own)
        admit(e, box, slice, t->home);
    return htmt__post_fits(e, box, slice, t, own) && (own || !box->held.head);
}

/* There is room for the post of p that enters next, or it is dropped. */
static bool has_room(struct htmt_emulator *e, struct htmt__entity *p, bool own, bool *dropped)
{
    struct htmt__message *m = p->message;
    const struct htmt__post *post = next_of(m);
    const struct htmt_type *t = type_of(e, post);
    struct htmt__post_box *box = htmt__post_box_at(e, t->home, m->leg.target);
    *dropped = false;
    if (m->down) {
        box->coming--;
        m->down = false;
        return true;
    }
    return !e->posts->layer[t->home].limited ||
           (htmt__post_fits(e, box, m->leg.target, t, own) && (own || !box->held.head)) ||
           ask_for_room(e, m->leg.target, post, own, dropped);
}

/* It waits in its in channel; one of the own slice cannot. */
static bool hold(struct htmt_emulator *e, struct htmt__entity *p, bool own)
{
    const struct htmt__message *m = p->message;
    const struct htmt_type *t = type_of(e, next_of(m));
    if (own) {
        refuse_own(e, m->leg.target, t,
                   "a control of its own, which cannot wait: htmt_each() does");
        return true;
    }
    const char *why = holds_none(e, m->leg.network, t->home);
    if (why)
        refuse_network(e, m->leg.network, t->home, t->post->queue, why);
    p->state = HTMT__FOR_QUEUE;
    htmt__post_list_add(&htmt__post_box_at(e, t->home, m->leg.target)->held, p);
    tell_sender(e, m, true);
    return false;
}

bool htmt__post_enters(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__message *m = p->message;
    struct htmt__bundle *b = m->kind == HTMT__MESSAGE_POSTS ? m->bundle : NULL;
    const uint32_t slice = m->leg.target, layer = m->leg.to;
    struct htmt__post_box *box = htmt__post_box_at(e, layer, slice);
    const bool own = m->leg.network == HTMT__NO_NETWORK;
    if (b)
        bundle_came(e, p);
    for (bool more = true, dropped; more && !e->fault.code;) {
        if (!has_room(e, p, own, &dropped))
            return hold(e, p, own);
        const struct htmt__post *post = next_of(m);
        if (b)
            b->next += (uint32_t)htmt__post_size(post);
        else if (e->posts->acks)
            htmt__acks_came(e, &m->leg, 1);
        if (!dropped)
            deliver(e, slice, post);
        else if (e->posts->acks)
            htmt__acks_over(e, slice);
        more = b && b->next < b->used;
        if (!more && b)
            bundle_over(e, p);
        else if (!more)
            htmt__message_end(e, p);
        if (box->held.head || box->generators.head) /* it may have been served at once */
            admit(e, box, slice, layer);
    }
    return true;
}

void htmt__post_over(struct htmt_emulator *e, uint32_t slice, uint32_t layer)
{
    if (__builtin_expect(e->posts->acks != NULL, 0))
        htmt__acks_over(e, slice);
    htmt__post_follow(e, slice, layer);
}

void htmt__post_follow(struct htmt_emulator *e, uint32_t slice, uint32_t layer)
{
    struct htmt__post_box *box = htmt__post_box_at(e, layer, slice);
    struct htmt__post_line *line = box->line;
    box->serving--;
    if (box->waiting && htmt__post_free(e, box, slice, layer)) {
        while (!line->count)
            line++;
        box->waiting--;
        serve(e, box, slice, htmt__post_line_first(line));
        htmt__post_line_pop(e, line);
    }
    if (__builtin_expect(e->posts->layer[layer].limited, 0))
        admit(e, box, slice, layer);
}

/* ---- the call -------------------------------------------------------------------------------- */

/* 0: nothing is wrong. */
__attribute__((cold, noinline)) static int
refuse(struct htmt_context *c, const struct htmt_type *type, uint32_t slice, const void *args)
{
    struct htmt_emulator *e = c->e;
    int rc = htmt__given(e, type, "htmt_post()", "type");
    if (rc)
        return rc;
    const char *name = type->code.name;
    if (type->emulator != e->whole)
        return htmt__refuse(e, HTMT_EINVAL,
                            "htmt_post() of type %s, which belongs to another emulator", name);
    if (!type->post)
        return htmt__refuse(e, HTMT_EINVAL, "htmt_post() of type %s: %s", name, type->no_post);
    if (slice >= e->slices)
        return htmt__refuse(e, HTMT_EINVAL, "htmt_post() to slice %u, expected one of 0 to %u",
                            slice, e->slices - 1);
    if (args && !type->code.args_bytes)
        return htmt__refuse(
            e, HTMT_EINVAL,
            "htmt_post() of type %s with arguments, which it does not have: set args_bytes", name);
    if (e->options.symmetry != HTMT_NO_SYMMETRY)
        return htmt__refuse(e, HTMT_ESYMMETRY,
                            "htmt_post() of type %s where slices are %s: posts want slices that "
                            "hear of each other",
                            name, e->options.symmetry == HTMT_FOLDED ? "folded" : "independent");
    return 0;
}

static inline bool is_right(const struct htmt_emulator *e, const struct htmt_type *type,
                            uint32_t slice, const void *args)
{
    return type && type->emulator == e->whole && type->post && slice < e->slices &&
           (!args || type->code.args_bytes) && e->options.symmetry == HTMT_NO_SYMMETRY;
}

static inline void fill(struct htmt__post *post, const struct htmt__post_type *type,
                        uint32_t sender, const void *args)
{
    post->sender = sender;
    post->type = type->number;
    post->bytes = type->bytes;
    if (!args)
        memset(post->args, 0, sizeof post->args);
    else if (post->bytes == 8) /* as those of most posts */
        memcpy(post->args, args, 8);
    else if (post->bytes == 16)
        memcpy(post->args, args, 16);
    else
        memcpy(post->args, args, post->bytes);
}

/* Of the host, before the run: in the queue at time 0; or a server takes it. */
__attribute__((cold, noinline)) static int
post_root(struct htmt_context *c, const struct htmt_type *type, uint32_t slice, const void *args)
{
    struct htmt_emulator *e = c->e;
    const struct htmt__post_server *server = &e->posts->layer[type->home].server;
    struct htmt__post post;
    fill(&post, type->post, slice, args);
    const struct htmt__post_box *box =
        server->post ? NULL : htmt__post_box_at(e, type->home, slice);
    if (box && e->posts->layer[type->home].limited && !htmt__post_fits(e, box, slice, type, true))
        return refuse_own(e, slice, type, "the host");
    if (e->posts->acks)
        htmt__acks_sent(e, slice, slice);
    ((struct htmt_type *)type)->posts.posted += htmt__rank_plays(e, slice);
    ((struct htmt_type *)type)->posts.own += htmt__rank_plays(e, slice);
    if (server->post)
        server->post(e, server->whose, slice, slice, &post, false);
    else
        deliver_as(e, slice, &post, false, NULL);
    return e->fault.code;
}

/* From a layer that a server has, or to one. */
__attribute__((noinline)) static int hand_over(struct htmt_context *c, const struct htmt_type *type,
                                               uint32_t slice, const void *args)
{
    struct htmt_emulator *e = c->e;
    const struct htmt__post_server *server = &e->posts->layer[type->home].server;
    struct htmt__post post;
    if (c->layer != type->home)
        return htmt__fail(e, HTMT_EROUTE, "htmt_post() from layer %s to type %s of layer %s",
                          e->machine->layer[c->layer].name, type->code.name,
                          e->machine->layer[type->home].name);
    fill(&post, type->post, c->p->slice, args);
    e->came = true;
    server->post(e, server->whose, c->p->slice, slice, &post, c->turn);
    return e->fault.code;
}

/* It finds its way when it leaves, by itself or with others (gather.c); that there is one is known
 * now. */
__attribute__((noinline)) static int make_gathered(struct htmt_emulator *e, struct htmt__message *m)
{
    m->leg.network = e->way[0][m->leg.source != m->leg.target][m->leg.from][m->leg.to].network;
    if (m->leg.network == HTMT__NO_NETWORK && htmt__gather_takes(m))
        return htmt__message_route(e, m, false, 1, 1);
    m->leg.network = HTMT__NO_NETWORK;
    return 0;
}

/* The host posts, or something is asked about the post, or it is refused. */
__attribute__((noinline)) static int
post_aside(struct htmt_context *c, const struct htmt_type *type, uint32_t slice, const void *args)
{
    struct htmt_emulator *e = c->e;
    int rc = is_right(e, type, slice, args) ? 0 : refuse(c, type, slice, args);
    if (rc)
        return rc;
    if (!c->p)
        return post_root(c, type, slice, args);
    rc = htmt__may_send(c, slice, "htmt_post()");
    if (rc)
        return rc;
    struct htmt__post_sums *sums = &htmt__type_here(e, type)->posts;
    sums->posted++;
    sums->own += slice == c->p->slice;
    if (e->posts->acks)
        htmt__acks_sent(e, c->p->slice, slice);
    if (e->posts->layer[type->home].server.post)
        return hand_over(c, type, slice, args);
    struct htmt__entity *p = htmt__message_entity(e, c->p->slice, HTMT__MESSAGE_POST);
    if (!p)
        return HTMT_ENOMEM;
    fill(&p->message->post, type->post, c->p->slice, args);
    htmt__leg_set(&p->message->leg, c->layer, type->home, c->p->slice, slice, type->post->words);
    if (htmt__linted(e))
        e->lint->message(e, c->self->type, &p->message->leg);
    rc = e->posts->layer[type->home].gathers ? make_gathered(e, p->message)
                                             : htmt__message_route(e, p->message, false, 1, 1);
    if (!rc && !c->turn) {
        htmt__log_start(c, p);
        return 0;
    }
    if (!rc && c->sent)
        rc = htmt__refuse(e, HTMT_EINVAL, "type %s: its generator posts twice in one turn",
                          c->self->type->code.name);
    c->sent = p;
    return rc;
}

/* A control without a parcel posts, and nothing is to be asked: the run is such a one, and so is
 * the call. */
static inline bool is_ordinary(const struct htmt_context *c, const struct htmt_type *type,
                               uint32_t slice, const void *args)
{
    return c == htmt__caller.control && c->direct && type && type->emulator == c->e->whole &&
           type->ordinary && slice < c->e->slices && (!args || type->post->bytes);
}

/* Where nothing was said or charged before, what the control's log says next is done now, since
 * nobody is ready when such a control begins: the message need not go through the log, over a
 * network that calls no control of others at once. */
static inline bool may_leave(const struct htmt_context *c, const struct htmt__leg *g)
{
    return !c->p->log && !(c->p->before | c->p->after) && g->network != HTMT__NO_NETWORK &&
           c->e->net[g->network].plain;
}

int htmt_post(struct htmt_context *c, const struct htmt_type *type, uint32_t slice,
              const void *args)
{
    if (__builtin_expect(!is_ordinary(c, type, slice, args), 0))
        return htmt__permit_start(c, "htmt_post()") ? post_aside(c, type, slice, args)
                                                    : HTMT_EINVAL;
    struct htmt_emulator *e = c->e;
    const struct htmt__post_type *post = type->post;
    const uint32_t from = c->p->slice;
    struct htmt__post_sums *sums = &htmt__type_here(e, type)->posts;
    struct htmt__slice *s = htmt__slice_at(e, from);
    struct htmt__entity *p = __builtin_expect(s->free != NULL, 1)
                                 ? htmt__entity_begin(s, htmt__entity_take(s), HTMT__MESSAGE)
                                 : htmt__entity_create_other(e, from, HTMT__MESSAGE);
    struct htmt__message *m = p ? htmt__message_create(e, HTMT__MESSAGE_POST) : NULL;
    if (__builtin_expect(!m, 0))
        return HTMT_ENOMEM;
    p->message = m;
    sums->posted++;
    if (slice == from)
        sums->own++;
    fill(&m->post, post, from, args);
    htmt__leg_set(&m->leg, c->layer, type->home, from, slice, post->words);
    const int rc = htmt__message_cross(e, m, false, 1, 1);
    if (__builtin_expect(rc, 0))
        return rc;
    if (may_leave(c, &m->leg))
        htmt__channel_out_plain(e, p, &m->leg);
    else
        htmt__log_start(c, p);
    return 0;
}

int htmt_each(struct htmt_context *c, uint64_t count, htmt_next_fn *next)
{
    if (!htmt__permit(c, "htmt_each()"))
        return HTMT_EINVAL;
    const char *why = NULL;
    if (!next)
        why = "found no function (NULL)";
    else if (!c->self->posted)
        why = "in a control that serves no post";
    else if (c->each || c->turn)
        why = "twice: a control has one generator";
    if (why)
        return htmt__refuse(c->e, HTMT_EINVAL, "htmt_each(): %s", why);
    c->each = count;
    c->next = next;
    c->p->worked |= count != 0; /* so that its service is like no other one */
    return 0;
}

uint32_t htmt_sender(const struct htmt_context *c)
{
    if (!htmt__permit(c, "htmt_sender()"))
        return 0;
    return c->self->posted ? c->self->body->sender : c->self->slice;
}

int htmt_posts_of(const struct htmt_type *type, struct htmt_posts *posts)
{
    static const struct htmt__sized sized = {.name = "htmt_posts",
                                             .known = sizeof(struct htmt_posts),
                                             .first = sizeof(struct htmt_posts),
                                             .least = offsetof(struct htmt_posts, served)};
    static const char call[] = "htmt_posts_of()";
    struct htmt_posts whole;
    struct htmt_emulator *e = type ? type->emulator : NULL;
    int rc = htmt__given(e, type, call, "type");
    rc = rc ? rc : htmt__given(e, posts, call, "place for the result");
    rc = rc ? rc : htmt__permit_host(e, call);
    rc = rc ? rc : htmt__sized_take(e, &sized, posts, &whole, call);
    if (rc)
        return rc;
    const struct htmt__post_sums *s = &type->posts;
    const size_t size = posts->size ? posts->size : sizeof whole;
    whole.posted = s->posted;
    whole.served = s->served;
    whole.unwanted = s->unwanted;
    whole.own = s->own;
    whole.most = s->most;
    memcpy((char *)posts + sizeof size, (char *)&whole + sizeof size, size - sizeof size);
    return 0;
}

/* ---- a server of a layer --------------------------------------------------------------------- */

int htmt__posts_serve(struct htmt_emulator *e, uint32_t layer, const struct htmt__post_server *s)
{
    struct htmt__posts *all = e->posts ? e->posts : calloc(1, sizeof *all);
    if (!all)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for posts");
    e->posts = all;
    all->layer[layer].server = *s;
    return 0;
}

uint32_t htmt__post_queue(const struct htmt_emulator *e, const struct htmt__post *post)
{
    return e->posts->type[post->type]->post->queue;
}

bool htmt__post_wanted(struct htmt_emulator *e, uint32_t slice, const struct htmt__post *post,
                       htmt_time *charged)
{
    struct htmt_type *t = type_of(e, post);
    struct htmt_context *c = t->post->wanted ? open(e, slice, post) : NULL;
    if (!c)
        return true;
    const bool wanted = t->post->wanted(c);
    t->posts.unwanted += !wanted;
    *charged += shut(e, c);
    return wanted;
}

struct htmt__stage_stats *htmt__post_stats(const struct htmt_emulator *e,
                                           const struct htmt__post *post)
{
    const struct htmt_type *t = type_of(e, post);
    return t->step[t->post->serve].stats;
}

void htmt__post_serve(struct htmt_emulator *e, uint32_t slice, const struct htmt__post *post,
                      htmt_time more, struct htmt__post_said *said)
{
    *said = (struct htmt__post_said){0};
    struct htmt_context *c = open(e, slice, post);
    if (!c)
        return;
    struct htmt_type *t = c->p->type;
    t->post->control(c);
    said->each = c->each;
    said->next = c->next;
    c->each = 0;
    said->charged = shut(e, c);
    struct htmt__stage_stats *stats = c->p->step->stats;
    struct htmt__bank *bank = htmt__bank_at(e, slice, t->home);
    const htmt_time all = more + said->charged;
    stats->count++;
    stats->busy += all;
    if (all > stats->longest)
        stats->longest = all;
    bank->busy++;
    htmt__bank_free(bank, stats->tally, all);
    t->posts.served++;
    e->parcels++;
    htmt__record(e, slice, stats,
                 (uint64_t)slice << HTMT__SERIAL_BITS | ++htmt__slice_at(e, slice)->serial, 0);
}

void htmt__post_shorten(struct htmt_emulator *e, uint32_t slice, uint32_t layer,
                        struct htmt__stage_stats *stats, htmt_time by)
{
    stats->busy -= by;
    stats->tally->busy -= by;
    htmt__bank_at(e, slice, layer)->in_use -= (uint64_t)by;
}

void htmt__post_next(struct htmt_emulator *e, uint32_t slice, const struct htmt__post *post,
                     htmt_next_fn *next, uint64_t i, htmt_time *charged)
{
    struct htmt_context *c = open(e, slice, post);
    if (!c)
        return;
    c->turn = true;
    next(c, i);
    *charged += shut(e, c);
}
