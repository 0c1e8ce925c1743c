/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What collectives have in common: reductions, broadcasts (reduction_tree.c), all-reduces and
 * barriers (allreduce.c).
 *
 * A slice joins at a line of a control's log. What comes from another slice lies in an inbox, an
 * object of the slice that receives, and is combined with the slice's part of the frame by a
 * parcel: so combining takes a processor, and the time that desc->ops are charged. When its service
 * ends the line FOLDED of its log calls operations->folded(), and the collective goes on.
 */
#include "parcels/message/collective.h"
#include "parcels/clock/probe.h"
#include "parcels/walk/context.h"
#include "parcels/walk/memory.h"
#include "parcels/walk/permit.h"
#include "parcels/walk/type.h"
#include "parcels/walk/what_if.h"

#include <stdio.h>
#include <stdlib.h>

struct fold_args {
    struct htmt__collective *collective;
    struct htmt_object *inbox;
};

/* ---- the fold parcel ------------------------------------------------------------------------- */

static void fold_kernel(struct htmt_kernel *k)
{
    const struct htmt__collective *t = ((const struct fold_args *)htmt_kernel_args(k))->collective;
    t->combine(htmt_used(k, 0), htmt_used(k, 1), t->bytes);
}

static void fold_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)user;
    *ops = ((const struct fold_args *)args)->collective->ops;
}

static void fold_control(struct htmt_context *c)
{
    const struct fold_args *a = htmt_args(c);
    struct htmt__collective *t = a->collective;
    htmt_use(c, htmt_at(t->frame, htmt_slice(c), 0), t->bytes, HTMT_UPDATE);
    htmt_use(c, htmt_in(a->inbox, 0), t->bytes, HTMT_READ);
    htmt_work(c);
    struct htmt__entry *entry = htmt__entry_create(c->e, HTMT__FOLDED);
    if (!entry)
        return;
    entry->collective = t;
    htmt__log_write(c, entry);
}

void htmt__collective_fold(struct htmt_emulator *e, struct htmt__collective *t, uint32_t slice,
                           struct htmt_object *inbox)
{
    struct fold_args args = {t, inbox};
    struct htmt_parcel_desc d = {.type = t->fold, .slice = slice, .args = &args};
    htmt__assemble(e->root, &d, NULL);
}

/* ---- creation -------------------------------------------------------------------------------- */

int htmt__collective_create(struct htmt_emulator *e, const struct htmt_tree_desc *desc,
                            const char *what, const struct htmt__collective_operations *operations,
                            size_t size, struct htmt__collective **collective)
{
    const char *name = desc->name ? desc->name : what;
    if (desc->frame && desc->frame->object[0]->emulator != e)
        return htmt__refuse(e, HTMT_EINVAL, "%s %s: its frame belongs to another emulator", what,
                            name);
    const struct htmt_object *first = desc->frame ? desc->frame->object[0] : NULL;
    if (!first || !desc->bytes || desc->bytes > first->bytes)
        return htmt__fail(e, HTMT_EINVAL,
                          "%s %s: found %llu bytes of a frame of %llu, expected 1 to "
                          "all of one that is given",
                          what, name, (unsigned long long)desc->bytes,
                          (unsigned long long)(first ? first->bytes : 0));
    struct htmt__collective *t = calloc(1, size);
    if (!t)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for %s %s", what, name);
    *t = (struct htmt__collective){.next = e->collectives,
                                   .operations = operations,
                                   .emulator = e,
                                   .number = e->collectives ? e->collectives->number + 1 : 0,
                                   .kind = what,
                                   .frame = desc->frame,
                                   .bytes = desc->bytes,
                                   .layer = first->layer,
                                   .combine = desc->combine,
                                   .ops = desc->ops};
    snprintf(t->name, sizeof t->name, "%s", name);
    e->collectives = t;
    *collective = t;
    if (!t->combine)
        return 0;
    /* The type of the parcels that combine: resident, at the frame's layer. */
    const char *layer = e->machine->layer[t->layer].name;
    const bool innermost = t->layer && t->layer == e->layers - 1;
    const struct htmt_stage fold = {
        .kernel = fold_kernel, .cost = fold_cost, .control = fold_control};
    const struct htmt_type_desc d = {
        .name = t->name,
        .home = layer,
        .exec = layer,
        .execute = fold,
        .footprint = HTMT_RESIDENT,
        .departures = innermost ? HTMT_DEPARTS_RESIDENT | HTMT_DEPARTS_EXCHANGE : 0,
        .args_bytes = sizeof(struct fold_args)};
    return htmt__type_create_own(e, &d, &t->fold);
}

int htmt__collective_inbox(struct htmt__collective *t, uint32_t slice, uint32_t number,
                           struct htmt_object **inbox)
{
    char name[96];
    snprintf(name, sizeof name, "%s inbox %u", t->name, number);
    return htmt__object_create(t->emulator, slice, t->layer, t->bytes, name, inbox);
}

void htmt__collectives_destroy(struct htmt_emulator *e)
{
    while (e->collectives) {
        struct htmt__collective *next = e->collectives->next;
        free(e->collectives->slots);
        free(e->collectives);
        e->collectives = next;
    }
}

int htmt__collective_setup(struct htmt_emulator *e, const void *desc, const void *out,
                           const char *call)
{
    int rc = htmt__permit_setup(e, call);
    if (!rc)
        rc = htmt__given(e, desc, call, "description");
    return rc ? rc : htmt__given(e, out, call, "place for the result");
}

int htmt__collective_call(struct htmt_context *c, const struct htmt__collective *t,
                          const char *call)
{
    int rc = htmt__permit(c, call) ? 0 : HTMT_EINVAL;
    if (!rc)
        rc = htmt__given(c->e, t, call, "collective");
    if (!rc && t->emulator != c->e->whole)
        rc = htmt__refuse(c->e, HTMT_EINVAL, "%s: %s belongs to another emulator", call, t->name);
    return rc ? rc : htmt__may_reach(c, call);
}

/* ---- messages and calls ---------------------------------------------------------------------- */

struct htmt__entity *htmt__collective_message(struct htmt_emulator *e, struct htmt__collective *t,
                                              uint32_t from, uint32_t to, struct htmt_addr dst)
{
    struct htmt__entity *p = htmt__message_entity(e, from, HTMT__MESSAGE_COLLECTIVE);
    if (!p)
        return NULL;
    struct htmt__message *m = p->message;
    m->collective = t;
    m->slots = NULL;
    m->put = (struct htmt_put){.src = htmt_at(t->frame, from, 0), .dst = dst, .bytes = t->bytes};
    htmt__leg_set(&m->leg, t->layer, t->layer, from, to, htmt__put_words(&m->put));
    if (htmt__linted(e) && t->fold)
        e->lint->message(e, t->fold, &m->leg);
    return htmt__message_route(e, m, false, 1, 1) ? NULL : p;
}

int htmt__collective_join(struct htmt_context *c, struct htmt__collective *t)
{
    struct htmt__entry *entry = htmt__entry_create(c->e, HTMT__JOIN);
    if (!entry)
        return HTMT_ENOMEM;
    entry->collective = t;
    htmt__log_write(c, entry);
    return 0;
}
