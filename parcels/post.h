/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Posts: small messages that carry operands to where a control runs.
 *
 * A post is a parcel that is assembled in any slice. Its type executes at home and has only a
 * control; its arguments travel with it, over the networks on its way, and the control runs with
 * them on the processor of the slice where they arrive. There is no mailbox, no slot and no object
 * to set up, and what waits for its processor is its payload, some tens of bytes.
 *
 *     struct visit { uint64_t vertex; uint64_t level; };
 *     static void visit(struct htmt_context *c)
 *     {
 *         const struct visit *v = htmt_args(c);
 *         struct vertices *mine = htmt_kept(c, vertices[htmt_slice(c)]);
 *         ...
 *         htmt_post(c, type, owner_of(neighbour), &(struct visit){neighbour, v->level + 1});
 *     }
 *
 * A type can be posted if it executes at home; its `execute` has a control, and beside that at most
 * a kernel, with a steered control; it has no other stage, no fibers, no gates, no code and header
 * words that move; and its arguments are at most HTMT_POST_BYTES bytes. Its members `queue`,
 * `wanted`, `payload_words` and `aggregate` (parcels/parcel.h) are those of posts; a type that sets
 * one of them and cannot be posted is refused (HTMT_EINVAL).
 *
 * Time. A post to another slice is a message of one word and the words of its arguments (or of
 * payload_words in all), from the layer of the control that posts it to the home of the type. It
 * leaves by an out channel, crosses the network, and takes an in channel, as a put does. A post to
 * the own slice and layer takes no network and no time. Posts that arrive at one instant are taken
 * in the order of the clock's keys: as their senders made them, by slice where these are alike.
 * Posts of one slice to another one stay in order over one channel; over several a message with
 * fewer words may pass one that has more.
 *
 * Gathering. With `aggregate` of the type, or of its layer in the machine file, a post to another
 * slice is held back where it would leave. Those for one slice leave together when `bytes` of
 * arguments are there (a post that would make them more begins another message), or when the oldest
 * has waited for `wait`: with 0, those of one instant. Their message has one word, and the words of
 * their arguments. They arrive at one instant, in the order in which they were posted. Posts of the
 * layer that are not gathered take along what waits for their slice. What is held back is under
 * way: all is not quiet. Cells refuse it; so do slopes and what-if moves (HTMT_EINVAL as the run
 * begins).
 *
 * What waits. A processor serves posts among its other services. Each layer has one queue of posts
 * without a limit, or those that the machine file gives it (`queues`, docs/machines.md); when a
 * processor is free, the first post of the first queue that has one is next. As many posts as the
 * layer has processors stand in line with parcels and fibers; the others wait as payloads.
 *
 * Queues with `room`. Room is for what waits. A post that comes to a full queue asks `wanted` of
 * itself and of those that wait there, first come first, until one is not wanted; what that charges
 * the next service takes. If all are wanted it holds the in channel by which it came, and what
 * follows there, of any kind, waits behind it. As soon as there is room it has it, and those that
 * hold channels have it in the order in which they came. A slice that hears of such a post of its
 * own, after the time of a word without its channels (start-up and latency; `control` with ports
 * inside), makes no more messages by generators until it hears that it is over. A generator also
 * waits for room in its own queue. A plain post to the own queue cannot wait: if that is full the
 * run ends with HTMT_ECAPACITY. A network that brings posts to such a layer must have in channels,
 * and bring messages in order (HTMT_EINVAL: of posts between slices of that layer as the run
 * begins, of others when one would wait; and with slopes, what-if moves or a trace). Cells have
 * rules of their own (docs/networks.md).
 *
 * Circles. Slices whose generators wait for each other's full queues, with their processors in use,
 * are a deadlock (HTMT_EDEADLOCK), which names them. `overlap` avoids it.
 *
 * A control is atomic: it runs at the begin of its service, and what it writes to kept objects is
 * there at once. What it posts leaves when its log says so, as all that a control does.
 *
 * Posts want slices that hear of each other: with HTMT_FOLDED or HTMT_INDEPENDENT they are
 * HTMT_ESYMMETRY.
 */
#ifndef HTMT_PARCELS_POST_H
#define HTMT_PARCELS_POST_H

#include "parcels/control.h"
#include "parcels/parcel.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HTMT_POST_BYTES 56u /* of arguments, at most */

/* Post the arguments, args_bytes of them (NULL: zeros), to that type in that slice. Values only: an
 * address of this process means nothing where they arrive. From: a control, or the host before the
 * run with htmt_root() (the post is in its queue at time 0, in any slice). Never suspends.
 * Errors: HTMT_EINVAL (no type of this emulator, one that cannot be posted, no such slice,
 * arguments of a type without), HTMT_EROUTE (no network from here to the type's home),
 * HTMT_ESYMMETRY, HTMT_ECAPACITY (the host's posts are more than the queue holds), HTMT_ENOMEM; in
 * a control they also end the run. */
int htmt_post(struct htmt_context *c, const struct htmt_type *type, uint32_t slice,
              const void *args);

/* A generator: when the control has returned, `next` is called for i = 0 .. count - 1, each when
 * its message can leave: the out port is free, and `stage` time (of the layer's `queues`; else
 * none) has passed since the one before. It computes the operands then and posts once at most, or
 * not at all. It may call what `next` needs: htmt_args(), htmt_user(), htmt_kept(), htmt_slice(),
 * htmt_sender(), htmt_charge(), htmt_post(). The service ends with the last one. Meanwhile its
 * processor is in use, unless the layer's `queues` have `overlap`: then it serves others while the
 * generator waits for the port or for room, and the generator stands in line for it afterwards.
 * From: a control of a post; once a control. Errors: HTMT_EINVAL. */
typedef void htmt_next_fn(struct htmt_context *c, uint64_t i);
int htmt_each(struct htmt_context *c, uint64_t count, htmt_next_fn *next);

/* The slice that posted what this control serves; its own slice in any other control. From: a
 * control. */
uint32_t htmt_sender(const struct htmt_context *c);

/* When no event is left anywhere, `control` runs in every slice, at the latest time played, on the
 * processor of the innermost layer that has one; what it posts to its own slice lies in the queue
 * at once. If anything comes of it the run goes on, and so on; else the run ends, or it is a
 * deadlock if parcels or fibers remain. It has no arguments; htmt_user() is `user`. Finding out
 * that all is quiet is free, unless htmt_options.quiet_by says otherwise. From: the host, before
 * the run; once. Errors: HTMT_EINVAL (no control, a second one, no layer has a processor),
 * HTMT_ESYMMETRY. */
int htmt_quiet(struct htmt_emulator *e, htmt_control_fn *control, const void *user);

/* ---- kept objects ---------------------------------------------------------------------------- */

/* An object whose bytes controls of its slice read and write, cleared: they are there in model
 * runs, too, so that run and model play the same messages. The host fills it before the run and
 * reads it afterwards (htmt_object_bytes(), htmt_object_fetch()). No kernel, region or put touches
 * it (HTMT_EINVAL). Otherwise as htmt_object_create(), with its errors. With htmt_options.checked a
 * control that writes another slice's kept object is named, as of all that belongs to a slice. */
int htmt_object_create_kept(struct htmt_emulator *e, uint32_t slice, uint32_t layer, uint64_t bytes,
                            const char *name, struct htmt_object **object);

/* Its bytes. From: a control of the object's slice, until it returns. Errors (zeros of that size):
 * HTMT_EINVAL (not kept, of another emulator), HTMT_EROUTE (of another slice). */
void *htmt_kept(struct htmt_context *c, const struct htmt_object *object);

/* ---- results --------------------------------------------------------------------------------- */

/* What posts of a type did, over all slices.  */
struct htmt_posts {
    size_t size;       /* htmt_posts_init() */
    uint64_t posted;   /* messages made */
    uint64_t served;   /* controls that ran */
    uint64_t unwanted; /* dropped, since `wanted` said so */
    uint64_t own;      /* of those posted, to the own slice */
    uint64_t most;     /* that waited at once in one slice, the queue's others included */
};
static inline struct htmt_posts htmt_posts_init(void)
{
    struct htmt_posts d;
    memset(&d, 0, sizeof d);
    d.size = sizeof d;
    return d;
}
/* Callable by the host, after the run. Errors: HTMT_EINVAL. */
int htmt_posts_of(const struct htmt_type *type, struct htmt_posts *posts);

#ifdef __cplusplus
}
#endif

#endif
