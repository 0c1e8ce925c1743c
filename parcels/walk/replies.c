/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Captured runs.
 *
 * What a control can see that a model run has not. A control is a function of its arguments, of its
 * program's data and of what calls tell it. Arguments come from controls. So in a run two things
 * come from bytes: the result area of a steered stage (htmt_result()), and what the program took
 * from its input when it was set up, such as how many particles each cell holds. The clock sees one
 * thing more, the operations of kernels without a cost function. Whoever has these three has the
 * run: sizes, targets and numbers of messages and parcels all follow, since the same controls
 * compute them again. So the file has these three and no sizes. What has a cost function is asked
 * again, too: it says the same of the same arguments.
 *
 * The clock of a model run must then wait as that of a run does. A service whose length or control
 * depends on kernels is put off to the end of its instant (service.c), which changes the order of
 * events. So a captured run goes the same way, and where the run awaits a job it looks up the
 * reply.
 *
 * Names of services. A reply must be found on another machine, where other parcels come first. What
 * stays is who made whom. The key of a parcel is a hash of
 *
 *     its assembler's key, the assembler's stage or fiber, how many children that had before,
 *     its type, its slice, and the bytes of its regions;
 *
 * that of a root is a hash of its number. A service has its parcel's key, its stage or fiber, and
 * how many services awaited kernels there before. For example, in the program of a lane (a root)
 * whose fiber 2 assembles a subcube each time it is served:
 *
 *     lane                       K = h(root, 1)
 *     its 3rd service of fiber 2 h(K, fiber 2, 2)
 *     its 3rd subcube            L = h(K, fiber 2, 2, type, slice, bytes)
 *     which is cast              h(L, execute, 0)
 *
 * Counters are of one fiber, since the order of two fibers may change with the machine. Where even
 * that is not enough, because two lanes share the bundles of a slice and the faster one takes more,
 * the program names the bundle: htmt_item() makes the key h(item, type, slice), and counts anew.
 *
 * Why it is right. By induction over the services of a model run in their order: if all controls
 * before saw what they saw in the run, the next service has the key that it had there, and gets
 * what it got. On the machine of the run the order is the same, so it is the run, event by event.
 * On another machine it is the run there, as long as kernels reply the same there: each one's bytes
 * are the same if each piece of data has one writer, or writers that commute. A program whose
 * kernels meet data in another order (particles that come by mail) may reply otherwise there.
 *
 * What goes wrong is told. A key that is not there, as of a program with another plan, ends the
 * model run, and so do replies that nobody asked for, and another time or history on the machine of
 * the run. A reply found for another service would need
 * two equal hashes: of n services with a chance of n^2 / 2^65, for a million 3e-8. The bytes of the
 * regions are in the key for programs that deal work and do not name it: other work mostly has
 * other sizes.
 *
 * What it costs. A parcel has 16 bytes more and 8 for each fiber, and its making one hash; a run
 * that captures writes some 20 bytes for each service that has a reply, which the clock awaits
 * anyway. Without replies two tests of a flag that are made for other reasons, too.
 */
#include "parcels/walk/replies.h"

#include "parcels/walk/context.h"
#include "parcels/walk/permit.h"
#include "parcels/walk/reply_file.h"
#include "runtime/base/fnv.h"
#include "runtime/sim/history.h"

#include <stdlib.h>
#include <string.h>

enum { ROOT = 1, CHILD, ITEM, SERVICE, POSTED }; /* what a key is of */

struct htmt__replies {
    struct htmt__reply_writer *writer; /* of a run, */
    struct htmt__reply_reader *reader; /* of a model run; the other one is NULL */
    uint64_t item;                     /* of the next parcel that a control assembles, */
    uint64_t names;                    /* that of the entity of this serial; 0: none names one */
    uint64_t plan;
    _Alignas(max_align_t) char result[HTMT__RESULT_MAX];
    char path[];
};

/* ---- keys ------------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t key, uint64_t value)
{
    key = (key ^ value) * UINT64_C(0xff51afd7ed558ccd);
    key = (key ^ key >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return key ^ key >> 29;
}

static struct htmt__lineage *lineage_of(const struct htmt__entity *parcel)
{
    return (struct htmt__lineage *)(void *)((char *)parcel->body + parcel->type->lineage_at);
}

/* Its stage; stages and fibers are told apart. */
static uint64_t stage_of(const struct htmt__entity *p)
{
    return p->step->stage | (uint64_t)htmt__fiber_number(p) << 8;
}

static uint64_t item_key(const struct htmt__entity *parcel, uint64_t item)
{
    return mix(mix(mix(ITEM, item), parcel->type->number), parcel->slice);
}

static void set_key(const struct htmt__entity *parcel, uint64_t key)
{
    struct htmt__lineage *l = lineage_of(parcel);
    l->key = key;
    memset(l->of, 0, (parcel->type->fiber_count + 1) * sizeof *l->of);
}

/* During a run the parcels of collectives are nobody's children; they have cost functions. */
void htmt__lineage_begin(struct htmt_context *c, struct htmt__entity *p,
                         const struct htmt_parcel_desc *desc)
{
    struct htmt__replies *r = c->e->replies;
    uint64_t key, bytes = 0;
    for (uint32_t i = 0; i < desc->region_count; i++)
        bytes += desc->regions[i].bytes;
    if (!c->p) {
        key = mix(ROOT, p->serial);
    } else if (r->names == c->p->serial) {
        key = item_key(p, r->item);
        r->names = 0;
    } else {
        struct htmt__lineage *l = lineage_of(c->self);
        key = mix(mix(mix(l->key, CHILD), stage_of(c->p)), l->of[htmt__fiber_number(c->p)].made++);
        key = mix(mix(key, p->type->number), p->slice);
    }
    set_key(p, mix(key, bytes));
}

void htmt__lineage_posted(const struct htmt__entity *p)
{
    set_key(p, mix(mix(mix(POSTED, p->serial), p->type->number), p->body->sender));
}

/* The next service of the same stage has another. A control that names an item while a kernel is
 * under way does not rename its reply. */
uint64_t htmt__reply_name(struct htmt__entity *p)
{
    struct htmt__lineage *l = lineage_of(htmt__self(p));
    return mix(mix(mix(l->key, SERVICE), stage_of(p)), l->of[htmt__fiber_number(p)].served++);
}

void htmt_item(struct htmt_context *c, uint64_t item)
{
    if (htmt__permit(c, "htmt_item()") && htmt__goes_aside(c->e, HTMT__BY_REPLIES))
        set_key(c->self, mix(item_key(c->self, item), ITEM));
}

void htmt_next_item(struct htmt_context *c, uint64_t item)
{
    if (!htmt__permit(c, "htmt_next_item()") || !htmt__goes_aside(c->e, HTMT__BY_REPLIES))
        return;
    c->e->replies->item = item;
    c->e->replies->names = c->p->serial;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static void hash_text(uint64_t *hash, const char *text)
{
    htmt__hash_bytes(hash, text, strlen(text) + 1);
}

static void hash_stage(uint64_t *hash, const struct htmt_stage *s)
{
    const bool has[] = {s->kernel != NULL, s->cost != NULL, s->control != NULL, s->steered};
    htmt__hash_bytes(hash, has, sizeof has);
}

/* What the program has made of its options for this machine: slices, types and objects. Figures of
 * the machine that change none of these change only times. */
static uint64_t plan_of(const struct htmt_emulator *e)
{
    uint64_t hash = HTMT__HASH_BASIS;
    htmt__hash_u64(&hash, e->slices);
    htmt__hash_u64(&hash, e->parcels);
    for (const struct htmt_type *t = e->types; t; t = t->next) {
        const uint64_t of[] = {
            t->home,       t->code.exec,    t->fiber_count,     t->gates,
            t->code_words, t->header_words, t->code.args_bytes, t->code.result_bytes};
        hash_text(&hash, t->code.name);
        for (size_t i = 0; i < sizeof of / sizeof *of; i++)
            htmt__hash_u64(&hash, of[i]);
        for (int i = 0; i < HTMT_STAGES; i++)
            hash_stage(&hash, &t->code.stage[i]);
        for (uint32_t i = 0; i < t->fiber_count; i++)
            hash_stage(&hash, &t->code.fiber[i]);
    }
    for (const struct htmt_object *o = e->objects; o; o = o->next) {
        hash_text(&hash, o->name);
        htmt__hash_u64(&hash, o->slice);
        htmt__hash_u64(&hash, o->layer);
        htmt__hash_u64(&hash, o->bytes);
    }
    return hash;
}

/* ---- files ----------------------------------------------------------------------------------- */

const char *htmt__replies_refused(const struct htmt_options *o)
{
    const struct htmt_replies *r = o->replies;
    const bool captures = r->capture, plays = r->captured;
    if (r->size && r->size < sizeof *r)
        return "a struct htmt_replies of no size that there is";
    if (captures && (plays || o->mode != HTMT_RUN))
        return "a run is captured, and nothing else";
    if (plays && (o->mode != HTMT_MODEL || o->what_if || o->symmetry == HTMT_FOLDED))
        return "a captured run is played by a model run of all slices without what-if moves";
    if (captures && o->operations)
        return "services that take what their own operations take are not captured";
    return o->ranks && o->ranks->count > 1 ? "a captured run is one process" : NULL;
}

int htmt__replies_create(struct htmt_emulator *e, struct htmt_fault *fault)
{
    const struct htmt_replies *o = e->options.replies;
    const char *path = o ? o->capture ? o->capture : o->captured : NULL;
    if (!path)
        return 0;
    struct htmt__replies *r = e->replies = calloc(1, sizeof *r + strlen(path) + 1);
    if (!r)
        return HTMT_ENOMEM;
    strcpy(r->path, path);
    e->options.replies = NULL;
    const char *about = o->about ? o->about : "";
    return o->capture ? htmt__reply_writer_open(&r->writer, path, about, fault)
                      : htmt__reply_reader_open(&r->reader, path, about, fault);
}

void htmt__replies_destroy(struct htmt_emulator *e)
{
    struct htmt__replies *r = e->replies;
    if (!r)
        return;
    htmt__reply_writer_abandon(&r->writer);
    htmt__reply_reader_destroy(&r->reader);
    free(r);
    e->replies = NULL;
}

bool htmt_is_captured(const struct htmt_emulator *e)
{
    return e && e->replies && e->replies->reader;
}

static int refuse(struct htmt_emulator *e, const char *found)
{
    return htmt__fail(e, HTMT_EFORMAT,
                      "%s: %s; expected the application, options and machine capacities of the run "
                      "that was captured",
                      e->replies->path, found);
}

int htmt_keep(struct htmt_emulator *e, void *table, size_t bytes)
{
    int rc = htmt__permit_setup(e, "htmt_keep()");
    rc = rc ? rc : htmt__given(e, table, "htmt_keep()", "table");
    if (rc || !e->replies)
        return rc;
    struct htmt__replies *r = e->replies;
    if (r->writer)
        rc = htmt__reply_write_kept(r->writer, table, bytes, &e->fault);
    else if (!htmt__reply_kept(r->reader, table, bytes))
        rc = refuse(e, "found other tables of the input than the program keeps");
    return rc;
}

void htmt__replies_begin(struct htmt_emulator *e)
{
    struct htmt__replies *r = e->replies;
    if (e->fault.code)
        return;
    r->plan = plan_of(e);
    if (r->reader &&
        (htmt__reply_end(r->reader).plan != r->plan || !htmt__reply_kept_all(r->reader)))
        refuse(e, "found another plan");
}

/* On the machine of the run a model run that is not it says so: the program decides by something
 * beside its replies and what it keeps. */
static void compare_ends(struct htmt_emulator *e, const struct htmt__reply_end *was,
                         const struct htmt__reply_end *is)
{
    if (!is->machine || was->machine != is->machine ||
        (was->predicted == is->predicted && (was->history == is->history || !was->compares)))
        return;
    htmt__fail(e, HTMT_EFORMAT,
               "%s: found %llu fs on the machine of the run, which took %llu fs there; expected a "
               "program that keeps what else it decides by (htmt_keep())",
               e->replies->path, (unsigned long long)is->predicted,
               (unsigned long long)was->predicted);
}

void htmt__replies_end(struct htmt_emulator *e)
{
    struct htmt__replies *r = e->replies;
    const bool profiled = e->options.profiles && e->options.profiles->count;
    const struct htmt__reply_end end = {r->plan, profiled ? 0 : e->machine->hash, (uint64_t)e->now,
                                        htmt__history_hash(e->history, e->played), true};
    if (e->fault.code)
        return;
    if (r->writer) {
        htmt__reply_writer_commit(&r->writer, &end, &e->fault);
    } else if (htmt__reply_left(r->reader)) {
        refuse(e, "found replies of kernels that nobody awaits");
    } else {
        const struct htmt__reply_end was = htmt__reply_end(r->reader);
        compare_ends(e, &was, &end);
    }
}

/* ---- replies --------------------------------------------------------------------------------- */

void htmt__reply_keep(struct htmt_emulator *e, const struct htmt__entity *p, uint64_t name,
                      const struct htmt_ops *ops, const void *result)
{
    const struct htmt__reply reply = {ops, result, p->type->code.result_bytes};
    if ((ops || result) && e->replies->writer)
        htmt__reply_write(e->replies->writer, name, &reply, &e->fault);
}

const void *htmt__reply_take(struct htmt_emulator *e, const struct htmt__entity *p, uint64_t name,
                             struct htmt_ops *ops, bool looked_at)
{
    struct htmt__replies *r = e->replies;
    const size_t bytes = p->type->code.result_bytes;
    void *result = looked_at && bytes ? r->result : NULL;
    char stage[HTMT__STAGE_TEXT];
    if (!ops && !result)
        return NULL;
    if (!htmt__reply_find(r->reader, name, ops, result, bytes))
        htmt__fail(e, HTMT_EFORMAT,
                   "%s: found no reply for %s of type %s in slice %u at %lld fs; expected the "
                   "application, options and machine capacities of the run that was captured",
                   r->path, htmt__entity_stage(p, false, stage), p->type->code.name, p->slice,
                   (long long)e->now);
    return result;
}
