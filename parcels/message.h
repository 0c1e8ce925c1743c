/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What goes from memory to memory at a control's word: split-phase moves and mailboxes.
 */
#ifndef HTMT_PARCELS_MESSAGE_H
#define HTMT_PARCELS_MESSAGE_H

#include "parcels/object.h"
#include "parcels/parcel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Split-phase move with two ends. `src` is in this slice or, for a get, `dst` is (a word goes there
 * to ask for it). ask: a word does so even when `src` is in this slice. Within one memory of one
 * slice it takes no time: charge it if it should. on_sent: the source may be used again;
 * on_arrived: the destination may be used. handover: the source's content is undefined afterwards;
 * of whole objects of equal size the host swaps pages instead of copying. Charged the same.
 * bytes 0 (and words 0): a message without words, which costs start-up and latency alone; to
 * another slice, over a network that models how it receives (`in` channels, or ports inside). */
struct htmt_put {
    size_t size; /* htmt_put_init(), or 0 */
    struct htmt_addr dst, src;
    uint64_t bytes;
    struct htmt_pieces dst_pieces, src_pieces;
    uint64_t words; /* charged; 0: ceil(bytes / 8) */
    struct htmt_slot on_sent, on_arrived;
    bool handover, ask;
    uint32_t on_arrived_too; /* another fiber of on_arrived's parcel: its slot is signalled next, at
                                the same moment. 0: none */
    uint32_t route;          /* htmt_route_create(), over the network that carries the bytes; 0: the
                                machine's routing. This and what follows count if `size` is set:
                                the first layout ends before it */
    const char *name;        /* for lines that people read; it must outlive the run. NULL: none */
};
static inline struct htmt_put htmt_put_init(void)
{
    struct htmt_put d;
    memset(&d, 0, sizeof d);
    d.size = sizeof d;
    return d;
}
/* From: a control. Never suspends. Errors: HTMT_EINVAL (not from a control, a destroyed object,
 * another emulator's), HTMT_EBOUNDS, HTMT_EROUTE (no network, or both ends elsewhere),
 * HTMT_EOVERFLOW, HTMT_ENOMEM. */
int htmt_put(struct htmt_context *c, const struct htmt_put *put);

/* A way inside a network: the ports that a message leaves by, at each switch in turn. The number in
 * *route may be given to puts of this emulator (htmt_put.route), between two slices that the ports
 * join; they are checked there. From: the host, before the run. Errors: HTMT_EINVAL (no network
 * with ports inside, no place for the number, during the run), HTMT_ENOMEM. */
int htmt_route_create(struct htmt_emulator *e, uint32_t network, const uint16_t *ports,
                      uint32_t count, uint32_t *route);

/* Append `records` records from `src` to a mailbox; waits at the sender (not this fiber) for room,
 * which costs a word there and a word back before the records move. Taking them is free.
 * No records: nothing moves, both ends are signalled. take: hands all that has arrived to this
 * stage's kernel as its next htmt_use() and frees the room at the end of this service; returns the
 * number of records. What nobody took when the run is over is noted (htmt_note_at()).
 * From: a control; to take, one of the mailbox's slice and layer. Never suspend. Errors of send:
 * HTMT_EINVAL (no mailbox of this emulator), HTMT_ECAPACITY (more than the mailbox holds),
 * HTMT_EBOUNDS, HTMT_EROUTE, HTMT_ENOMEM. */
int htmt_send(struct htmt_context *c, struct htmt_mailbox *mailbox, struct htmt_addr src,
              uint64_t records, struct htmt_slot on_sent, struct htmt_slot on_arrived);
uint64_t htmt_take(struct htmt_context *c, struct htmt_mailbox *mailbox);

#ifdef __cplusplus
}
#endif

#endif
