/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/clock/ending.h"
#include "parcels/clock/partition_planes.h"
#include "parcels/clock/round.h"
#include "parcels/message/mailbox.h"
#include "parcels/message/network_setup.h"
#include "parcels/walk/remark.h"

#include <stdarg.h>

/* ---- notes ----------------------------------------------------------------------------------- */

static void add(struct htmt_emulator *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = htmt__note_add(e, format, args);
    va_end(args);
    if (text && e->options.checked)
        htmt__fail(e, HTMT_ELEFT, "%s", text);
}

/* ---- what is left over ----------------------------------------------------------------------- */

static void note_mail(struct htmt_emulator *e, const struct htmt_mailbox *first, uint64_t rest,
                      uint64_t others)
{
    uint64_t records = htmt__mailbox_records(first);
    char more[80] = "";
    if (others == 1)
        snprintf(more, sizeof more, ", another one %llu", (unsigned long long)rest);
    else if (others)
        snprintf(more, sizeof more, ", %llu others %llu", (unsigned long long)others,
                 (unsigned long long)rest);
    add(e, "mail is left over: mailbox %s of slice %u holds %llu record%s that nobody took%s",
        htmt__mailbox_name(first), htmt__mailbox_slice(first), (unsigned long long)records,
        records == 1 ? "" : "s", more);
}

/* Mailboxes are listed last made, first met. */
static void check_mail(struct htmt_emulator *e)
{
    const struct htmt_mailbox *first = NULL;
    uint64_t records = 0, boxes = 0;
    for (const struct htmt_mailbox *m = e->mailboxes; m; m = htmt__mailbox_next(m)) {
        uint64_t left = htmt__mailbox_records(m);
        first = left ? m : first;
        records += left;
        boxes += left != 0;
    }
    if (first)
        note_mail(e, first, records - htmt__mailbox_records(first), boxes - 1);
}

/* Types are listed last made, first met. */
static void check_slots(struct htmt_emulator *e, const struct htmt_type *t)
{
    if (!t)
        return;
    check_slots(e, t->next);
    const struct htmt__half *h = &t->half;
    if (h->times)
        add(e,
            "signals are left over: type %s, slice %u: fiber %u had got %u of %u signals when its "
            "parcel ended at %.9g s (of %llu such slots the first)",
            t->code.name, h->slice, h->fiber, h->got, h->wanted, (double)h->at * 1e-15,
            (unsigned long long)h->times);
}

/* ---- all ------------------------------------------------------------------------------------- */

static uint64_t live_entities(const struct htmt_emulator *e)
{
    uint64_t live = 0;
    for (uint32_t i = 0; i < e->played; i++)
        live += htmt__slice_at(e, i)->live;
    return live;
}

static void finish_kernels(struct htmt_emulator *e, uint32_t slice)
{
    for (uint32_t i = 0; i < htmt__slice_at(e, slice)->fresh; i++) {
        struct htmt__entity *p = htmt__entity_at(e, htmt__entity_key(slice, i));
        if (p->serial && p->kind == HTMT__PARCEL && p->closure)
            htmt__data_finish(htmt__data_of(e, slice), p->closure);
    }
}

void htmt__ending_kernels(struct htmt_emulator *e)
{
    for (uint32_t i = 0; i < e->played; i++)
        if (htmt__slice_at(e, i)->live)
            finish_kernels(e, i);
}

void htmt__ending_check(struct htmt_emulator *e)
{
    char absent[300] = "", circle[440];
    uint64_t live = live_entities(e);
    for (const struct htmt__collective *t = e->collectives; t && !absent[0]; t = t->next)
        htmt__round_absent(t, absent, sizeof absent);
    if (live && htmt__fabric_stuck_text(e, circle, sizeof circle))
        htmt__fail(e, HTMT_EDEADLOCK, "packets wait for each other in a circle: %s", circle);
    else if (live)
        htmt__fail(e, HTMT_EDEADLOCK,
                   "nothing can move and %llu parcels and messages are not done%s%s",
                   (unsigned long long)live, absent[0] ? "; " : "", absent);
    else if (absent[0])
        htmt__fail(e, HTMT_EDEADLOCK, "the run is over, but %s", absent);
    if (e->fault.code)
        return;
    check_mail(e);
    check_slots(e, e->types);
}
