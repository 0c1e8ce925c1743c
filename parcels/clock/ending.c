/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The end of a run: nothing can move any more. If all parcels and messages are done, what is left
 * (mail that nobody took, slots that were counted down in part) is noted. If some are not, the run
 * has come to a deadlock, and its line names the nearest reason that is known: packets that wait
 * for each other in a circle, or slices that are absent from a round of a collective.
 */
#include "parcels/clock/ending.h"
#include "parcels/clock/partition.h"
#include "parcels/message/cell_clock.h"
#include "parcels/message/mailbox.h"
#include "parcels/message/packet_network.h"
#include "parcels/message/post.h"
#include "parcels/walk/remark.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

/* The first mailbox, and how many others have how much. They are listed last made, first met. */
static void note_mail(struct htmt_emulator *e)
{
    const struct htmt_mailbox *first = NULL;
    uint64_t records = 0, rest = 0, others = 0;
    char more[80] = "";
    for (const struct htmt_mailbox *m = e->mailboxes; m; m = htmt__mailbox_next(m)) {
        uint64_t left = htmt__mailbox_records(m);
        if (!left)
            continue;
        others += first != NULL;
        rest += records;
        records = left;
        first = m;
    }
    if (!first)
        return;
    if (others == 1)
        snprintf(more, sizeof more, ", another one %llu", (unsigned long long)rest);
    else if (others)
        snprintf(more, sizeof more, ", %llu others %llu", (unsigned long long)others,
                 (unsigned long long)rest);
    add(e, "mail is left over: mailbox %s of slice %u holds %llu record%s that nobody took%s",
        htmt__mailbox_name(first), htmt__mailbox_slice(first), (unsigned long long)records,
        records == 1 ? "" : "s", more);
}

/* Types are listed last made, first met: those made before it come first. */
static void note_slots(struct htmt_emulator *e, const struct htmt_type *t)
{
    if (!t)
        return;
    note_slots(e, t->next);
    const struct htmt__half *h = &t->half;
    char fiber[HTMT__STAGE_TEXT];
    if (h->times)
        add(e,
            "signals are left over: type %s, slice %u: %s had got %u of %u signals when its "
            "parcel ended at %.9g s (of %llu such slots the first)",
            t->code.name, h->slice, htmt__stage_text(&t->code, HTMT_FIBER, h->fiber, fiber), h->got,
            h->wanted, (double)h->at * 1e-15, (unsigned long long)h->times);
}

/* ---- rounds of collectives ------------------------------------------------------------------- */

#define ABSENT_NAMED 8u

/* Those that joined least often, as "1, 2 and 30 others". */
void htmt__round_absent(const struct htmt__collective *t, char *text, size_t size)
{
    uint64_t least = UINT64_MAX, most = 0;
    uint32_t absent = 0;
    char slices[160];
    size_t at = 0;
    for (uint32_t i = 0; i < t->emulator->played; i++) {
        uint64_t n = t->operations->part(t, i).joined;
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    if (least >= most)
        return;
    for (uint32_t i = 0; i < t->emulator->played; i++) {
        if (t->operations->part(t, i).joined != least || absent++ >= ABSENT_NAMED)
            continue;
        snprintf(slices + at, sizeof slices - at, "%s%u", absent > 1 ? ", " : "", i);
        at += strlen(slices + at);
    }
    if (absent > ABSENT_NAMED)
        snprintf(slices + at, sizeof slices - at, " and %u others", absent - ABSENT_NAMED);
    snprintf(text, size, "%s %s waits in round %llu for slice%s %s", t->kind, t->name,
             (unsigned long long)least + 1, absent == 1 ? "" : "s", slices);
}

/* ---- all ------------------------------------------------------------------------------------- */

void htmt__ending_kernels(struct htmt_emulator *e)
{
    for (uint32_t slice = 0; slice < e->played; slice++) {
        const struct htmt__slice *s = htmt__slice_at(e, slice);
        for (uint32_t i = 0; s->live && i < s->fresh; i++) {
            struct htmt__entity *p = htmt__entity_at(e, htmt__entity_key(slice, i));
            if (p->serial && p->kind == HTMT__PARCEL && p->closure)
                htmt__data_finish(htmt__data_of(e, slice), p->closure);
        }
    }
}

void htmt__ending_check(struct htmt_emulator *e)
{
    char absent[300] = "", circle[440];
    uint64_t live = 0;
    for (uint32_t i = 0; i < e->played; i++)
        live += htmt__slice_at(e, i)->live;
    for (const struct htmt__collective *t = e->collectives; t && !absent[0]; t = t->next)
        htmt__round_absent(t, absent, sizeof absent);
    if (e->cell_net && e->cell_net->stuck && htmt__cell_net_circle(e, circle, sizeof circle))
        htmt__fail(e, HTMT_EDEADLOCK,
                   "nothing can move, and %u cells hold posts and wait for each other's room in a "
                   "circle: %s",
                   e->cell_net->stuck, circle);
    else if (e->cell_net && e->cell_net->stuck)
        htmt__fail(
            e, HTMT_EDEADLOCK,
            "nothing can move, and %u cells hold posts, of them cell %u: those that it sends "
            "wait for room at its neighbours",
            e->cell_net->stuck, e->cell_net->first_stuck);
    else if (live && htmt__posts_stuck_text(e, circle, sizeof circle))
        htmt__fail(e, HTMT_EDEADLOCK, "full queues of posts wait for each other in a circle: %s",
                   circle);
    else if (live && htmt__fabric_stuck_text(e, circle, sizeof circle))
        htmt__fail(e, HTMT_EDEADLOCK, "packets wait for each other in a circle: %s", circle);
    else if (live)
        htmt__fail(e, HTMT_EDEADLOCK,
                   "nothing can move and %llu parcels and messages are not done%s%s",
                   (unsigned long long)live, absent[0] ? "; " : "", absent);
    else if (absent[0])
        htmt__fail(e, HTMT_EDEADLOCK, "the run is over, but %s", absent);
    if (e->fault.code)
        return;
    note_mail(e);
    note_slots(e, e->types);
}
