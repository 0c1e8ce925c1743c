/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parcels: code and data that percolate towards the fast processors, and what they do there.
 *
 * The life of a parcel whose home is DRAM and which executes in CRAM:
 *
 *   assemble   service on a DPIM         waits for a processor and DRAM space for its image
 *   gather     move DRAM -> SRAM         waits for SRAM space (all of it), fibers
 *   dispatch   service on a SPIM         waits for a processor
 *   inject     move SRAM -> CRAM         waits for CRAM space, the RTI
 *   execute    service on the SPELL      waits for it; an activation's fibers are served here too
 *   eject      move CRAM -> SRAM         into the space that the parcel still holds; frees CRAM
 *   retire     service on a SPIM
 *   scatter    move SRAM -> DRAM         frees SRAM; then a service on a DPIM if the type has one
 *
 * A type names the layer where its parcels begin (home) and where they execute; the stages between
 * follow from the machine's chain of layers. home == exec: execute only. A service stage that the
 * type leaves empty, and a move of no words, are skipped and cost nothing.
 *
 * A service that has only a control runs and takes no time but what the control charges.
 *
 * A stage has up to three functions, which never see a clock:
 *
 * - kernel: computes on real bytes, on a host thread, perhaps long before its virtual turn; it
 *   touches only what the parcel declared. Not called in a model run.
 * - cost: operations as a function of the arguments. With it the same type serves model runs and
 *   the clock need not wait for the kernel. Without it the kernel's own counts are charged.
 * - control: says what the stage sets off (puts, signals, parcels). It runs in virtual-time order
 *   on the clock's thread, in model runs too, and is short. What it does is an operation log: each
 *   entry takes effect at the virtual moment of the service at which it was written.
 *
 * A call that fails within a control ends the run with that error, so a control may ignore what
 * calls return.
 */
#ifndef HTMT_PARCELS_PARCEL_H
#define HTMT_PARCELS_PARCEL_H

#include "layers/machine/machine.h"
#include "parcels/object.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct htmt_emulator;
struct htmt_type;
struct htmt_kernel;  /* what a kernel sees */
struct htmt_context; /* what a control sees */

enum htmt_stage_id {
    HTMT_ASSEMBLE,
    HTMT_GATHER,
    HTMT_DISPATCH,
    HTMT_INJECT,
    HTMT_EXECUTE,
    HTMT_EJECT,
    HTMT_RETIRE,
    HTMT_SCATTER,
    HTMT_PLACE, /* the service at home after the scatter */
    HTMT_FIBER, /* a later fiber of an activation */
    HTMT_PUT,   /* split-phase moves and remote signals */
    HTMT_STAGES
};
const char *htmt_stage_name(enum htmt_stage_id stage);

/* A parcel while it lives: numbers, which may be copied, stored in arguments and sent. A reference
 * to a parcel that is gone is detected, never followed. All zero: none (htmt_ref_none()). */
struct htmt_ref {
    uint64_t serial; /* slice << 40 | number of the parcel in its slice, from 1; 0: none */
    uint32_t index;  /* where the emulator keeps it */
    uint32_t layer;  /* where it executes */
};
static inline bool htmt_ref_none(struct htmt_ref ref)
{
    return ref.serial == 0;
}
static inline uint32_t htmt_ref_slice(struct htmt_ref ref)
{
    return (uint32_t)(ref.serial >> 40);
}

/* A sync slot: of an activation, the one that gates its fiber number `fiber`. */
struct htmt_slot {
    struct htmt_ref owner; /* none: no slot; signalling it does nothing */
    uint32_t fiber;
};

/* ---- what a stage is ------------------------------------------------------------------------ */

typedef void htmt_kernel_fn(struct htmt_kernel *k);
typedef void htmt_cost_fn(const void *args, const void *user, struct htmt_ops *ops);
typedef void htmt_control_fn(struct htmt_context *c);

struct htmt_stage {
    htmt_kernel_fn *kernel;
    htmt_cost_fn *cost;
    htmt_control_fn *control;
    uint32_t parts; /* of the kernel, which is called once for each (htmt_kernel_part()); none
                       touches what another writes, so that the host may run them side by side.
                       0: one */
    bool steered;   /* control waits for all kernels of its parcel issued so far, this stage's too,
                       and may look at the htmt_result() they left; it may not htmt_use() */
    uint32_t count,
        reset; /* of a fiber: its slot from the assembly of the parcel on; see
                  htmt_slot_set(). A fiber enabled early waits until fiber 0 has ended */
};

/* What a stage may touch, and so how early its kernel may run. */
enum htmt_footprint {
    HTMT_CLOSURE,  /* its closure and objects that nobody writes meanwhile: as soon as the closure
                      is complete */
    HTMT_RESIDENT, /* resident objects that it names: issued at its virtual start, in that order.
                      What it writes is there for whoever reads after that start: slots keep others
                      off until it has ended */
};

/* What a type does in the innermost memory that percolation would not, where a parcel comes with
 * all that it needs and leaves with all that it made. Nothing depends on what a type declares; a
 * run with htmt_options.lint compares it with what the type did. */
enum htmt_departure {
    HTMT_DEPARTS_RESIDENT = 1, /* uses state that stays there */
    HTMT_DEPARTS_OPEN = 2,     /* waits there for what did not come with it: later fibers */
    HTMT_DEPARTS_EXCHANGE = 4, /* sends to that memory of another slice */
};
#define HTMT_DEPARTURES 3u

struct htmt_type_desc {
    const char *name;
    const char *home, *exec; /* layer names: "dram", "cram" */
    struct htmt_stage assemble, dispatch, execute, retire, scatter;
    enum htmt_footprint footprint;   /* of execute */
    const struct htmt_stage *fibers; /* fiber i + 1 is fibers[i]; fiber 0 is execute itself */
    uint32_t fiber_count;            /* copied */
    uint32_t gates;        /* HTMT_GATE(...) of the stages before which a parcel waits for its call:
                              DISPATCH, EXECUTE, RETIRE, SCATTER. An activation with fibers that
                              outlives its first has the gate RETIRE. */
    uint64_t code_words;   /* move inward with every parcel... */
    bool code_resident;    /* ...unless the code stays in each memory (then it is not charged) */
    uint64_t header_words; /* move inward with every parcel */
    bool in_place;         /* assembled where the data lies: no image in the home memory */
    unsigned departures;   /* of enum htmt_departure, or'ed */
    size_t args_bytes;     /* of a parcel's arguments, <= 512 */
    size_t result_bytes;   /* of what a kernel leaves for a steered control, <= 256 */
    const void *user;      /* handed to cost functions; must outlive the emulator */
};
#define HTMT_GATE(stage) (1u << (stage))

/* Errors: HTMT_EINVAL (with a line in htmt_emulator_fault()), HTMT_EROUTE (no network on the way),
 * HTMT_ENOMEM. The emulator owns the type. From: host thread, before the run. */
int htmt_type_create(struct htmt_emulator *e, const struct htmt_type_desc *desc,
                     struct htmt_type **type);

/* ---- closures ------------------------------------------------------------------------------- */

/* One region of a closure. `from` and `to` lie in the parcel's own slice at its home or at a layer
 * on its way: it joins and leaves there. Fresh regions are read at the start of the first service
 * that follows where they join, or else at the end of the move that takes them, and written at the
 * end of what puts them down. Regions into a resident object are read and written in one, at the
 * end of the move that brings or ejects them. A region with none of the three addresses is scratch:
 * space at the layer of execution, nothing moves. Outputs and scratch are cleared. To a
 * kernel on the way a region that has not joined yet, or lies in a resident object, is empty. Where
 * in_words of the layer of execution exceed `bytes`, the kernel sees them all, zeros beyond what
 * came; only the first `bytes` go back. */
struct htmt_region {
    struct htmt_addr from; /* nowhere: nothing comes in (an output) */
    struct htmt_addr to;   /* nowhere: nothing goes back */
    struct htmt_addr into; /* nowhere: fresh space, freed when it leaves; else resident there,
                              at the layer of execution */
    uint64_t bytes;        /* where all three are given; an output's largest size */
    struct htmt_pieces from_pieces, to_pieces;
    bool read_only; /* the kernel only reads it (a checked run compares) */
    bool filled;    /* the kernel writes all of it: an output need not be cleared */
    bool handover; /* between two resident objects: the one it leaves is undefined afterwards; whole
                      objects of equal size swap pages on the host. Charged the same */
    uint64_t in_words[HTMT_LAYERS_MAX];  /* moved into and held in layer i; 0: ceil(bytes / 8) */
    uint64_t out_words[HTMT_LAYERS_MAX]; /* moved out of layer i; 0: in_words of the exec layer */
};

struct htmt_parcel_desc {
    const struct htmt_type *type;
    uint32_t slice;
    const struct htmt_region *regions; /* copied */
    uint32_t region_count;
    const void *args;          /* type->args_bytes bytes, copied; NULL: zeros */
    struct htmt_slot on_ready; /* signalled when it comes to its first closed gate */
    struct htmt_slot on_done;  /* signalled when its life is over */
};

/* ---- the five calls ------------------------------------------------------------------------- */

/* Assemble a parcel: from here on it percolates by itself, up to a gate of its type.
 * From: a control of the same slice (it starts at the moment of the log; in another slice signal a
 * fiber that assembles there), or the host thread before the run with
 * htmt_root() (it starts at time 0). Never suspends. `ref` may be NULL.
 * Errors: HTMT_EINVAL, HTMT_EBOUNDS, HTMT_EROUTE, HTMT_ECAPACITY (larger than an empty memory),
 * HTMT_ENOMEM; in a control they also end the run, so a control may ignore them. */
int htmt_assemble(struct htmt_context *c, const struct htmt_parcel_desc *desc,
                  struct htmt_ref *ref);
/* Of a parcel of the same slice. Let it pass the gate before that stage, whether it waits there
 * already or comes later. htmt_retire() of the activation itself says that it is done. Errors:
 * HTMT_EINVAL (gone). */
int htmt_dispatch(struct htmt_context *c, struct htmt_ref parcel);
int htmt_execute(struct htmt_context *c, struct htmt_ref parcel);
int htmt_retire(struct htmt_context *c, struct htmt_ref parcel);
int htmt_scatter(struct htmt_context *c, struct htmt_ref parcel);
/* A parcel that is not wanted any more: at the gate where it waits, or at its next one, it gives
 * back its space and ends; nothing goes out, on_done is signalled. Errors: HTMT_EINVAL (gone). */
int htmt_discard(struct htmt_context *c, struct htmt_ref parcel);

/* ---- in a control --------------------------------------------------------------------------- */

struct htmt_context *htmt_root(struct htmt_emulator *e);
struct htmt_emulator *htmt_emulator_of(struct htmt_context *c);
void *htmt_args(struct htmt_context *c); /* of this parcel; kernels issued later see changes */
uint32_t htmt_slice(const struct htmt_context *c);
uint32_t htmt_fiber(const struct htmt_context *c); /* which runs; 0: a stage of the parcel */
struct htmt_ref htmt_self(const struct htmt_context *c);
bool htmt_is_model(const struct htmt_context *c);
const void *htmt_result(const struct htmt_context *c); /* steered; NULL in a model run */

/* What the program cannot go on from: the run ends with this error and this line. An earlier error
 * stays. Returns the code. */
int htmt_fail(struct htmt_context *c, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Operations of the control itself: what follows in the log happens later by their time. */
void htmt_charge(struct htmt_context *c, enum htmt_op op, uint64_t n);
/* The kernel runs here in the log: what was written before happens at its start, what follows at
 * its end. A control that never says so acts after its kernel. At most once. */
void htmt_work(struct htmt_context *c);
/* Footprint of this stage's kernel beyond the closure: at most 8, before htmt_work(). Not in an
 * `execute` of footprint HTMT_CLOSURE, whose kernel may have run by then. */
enum htmt_use { HTMT_READ = 1, HTMT_WRITE = 2, HTMT_UPDATE = 3 };
void htmt_use(struct htmt_context *c, struct htmt_addr at, uint64_t bytes, enum htmt_use use);

/* Sync slots. A slot counts down; at zero its fiber is enabled once more (no enabling is lost) and
 * the count is set to `reset` (0: disarmed; a signal to a disarmed slot ends the run with
 * HTMT_EINVAL). Fibers of one layer's processors are served first enabled, first served. Setting an
 * own slot happens at once and is free. Signalling a slot of the same slice and layer is free;
 * elsewhere it is a message of one word over each network on its way. */
struct htmt_slot htmt_slot(const struct htmt_context *c, uint32_t fiber);
struct htmt_slot htmt_slot_of(struct htmt_ref parcel, uint32_t fiber);
void htmt_slot_set(struct htmt_context *c, uint32_t fiber, uint32_t count, uint32_t reset);
void htmt_signal(struct htmt_context *c, struct htmt_slot slot);

/* Split-phase move with two ends. `src` is in this slice or, for a get, `dst` is (a word goes there
 * to ask for it). ask: a word does so even when `src` is in this slice. Within one memory of one
 * slice it takes no time: charge it if it should. on_sent: the source may be used again;
 * on_arrived: the destination may be used. handover: the source's content is undefined afterwards;
 * of whole objects of equal size the host swaps pages instead of copying. Charged the same. */
struct htmt_put {
    struct htmt_addr dst, src;
    uint64_t bytes;
    struct htmt_pieces dst_pieces, src_pieces;
    uint64_t words; /* charged; 0: ceil(bytes / 8) */
    struct htmt_slot on_sent, on_arrived;
    bool handover, ask;
};
/* From: a control. Never suspends. Errors: HTMT_EINVAL (from the root), HTMT_EBOUNDS, HTMT_EROUTE
 * (no network, or both ends elsewhere), HTMT_EOVERFLOW, HTMT_ENOMEM. */
int htmt_put(struct htmt_context *c, const struct htmt_put *put);

/* Append `records` records from `src` to a mailbox; waits at the sender (not this fiber) for room.
 * No records: nothing moves, both ends are signalled. take: hands all that has arrived to this
 * stage's kernel as its next htmt_use() and frees the room at the end of this service; returns the
 * number of records.
 * From: a control; to take, one of the mailbox's slice and layer. Never suspend. Errors of send:
 * HTMT_ECAPACITY (more than the mailbox holds), HTMT_EBOUNDS, HTMT_EROUTE, HTMT_ENOMEM. */
int htmt_send(struct htmt_context *c, struct htmt_mailbox *mailbox, struct htmt_addr src,
              uint64_t records, struct htmt_slot on_sent, struct htmt_slot on_arrived);
uint64_t htmt_take(struct htmt_context *c, struct htmt_mailbox *mailbox);

/* Collectives over one frame, along a binomial tree rooted at slice 0 in slice order.
 * broadcast: slice 0's first `bytes` go to every slice's frame.
 * reduce: every slice joins once; combine(into, from, bytes) folds in the fixed order of the tree,
 * so sums do not depend on arrival; the result lies in slice 0's frame.
 * A broadcast signals arrived[slice] in every slice (may be NULL; copied): the bytes are there, and
 * the frame is the slice's own again. With slots of its own the next one waits until all those of
 * the last were signalled (HTMT_EINVAL). A reduction signals each slice's slot when its frame is
 * its own again; in slice 0 it holds the result then; the n-th join of a slice belongs to the n-th
 * round. `ops` are charged to the layer's processor for each combination. combine NULL: a tree for
 * broadcasts.
 * Create from the host thread, before the run; the emulator owns the tree. Errors: HTMT_EINVAL,
 * HTMT_ECAPACITY (the inboxes of a fold take words of the layer), HTMT_ENOMEM. Join from a control;
 * never suspends. Errors: HTMT_EINVAL (the wrong kind of tree, a slice that may not, or too early),
 * HTMT_EROUTE, HTMT_ENOMEM. */
struct htmt_tree_desc {
    struct htmt_frame *frame;
    uint64_t bytes;
    void (*combine)(void *into, const void *from, uint64_t bytes);
    struct htmt_ops ops;
    const char *name;
};
struct htmt_tree;
int htmt_tree_create(struct htmt_emulator *e, const struct htmt_tree_desc *desc,
                     struct htmt_tree **tree);
int htmt_broadcast(struct htmt_context *c, struct htmt_tree *tree, const struct htmt_slot *arrived);
int htmt_reduce(struct htmt_context *c, struct htmt_tree *tree, struct htmt_slot arrived);

/* All slices combine their frames' first `bytes`, and every slice holds the result: by recursive
 * doubling, as deep as a tree, and the same for every slice, so that it can be folded. Of s slices
 * the first c, the largest power of two, exchange in round r with the one whose number differs in
 * bit r; a slice i >= c gives its part to slice i - c before and hears the result from it.
 * `combine` must be commutative: then all slices get the same bits, in an order that does not
 * depend on arrival. Every slice joins each time; `arrived` is signalled in that slice when its
 * frame holds the result and is its own again, before which it may not join again (HTMT_EINVAL).
 * `ops` are charged to the layer's processor for each combination. Errors as with trees; folded, s
 * must be a power of two (HTMT_ESYMMETRY). */
struct htmt_allreduce_desc {
    struct htmt_frame *frame;
    uint64_t bytes;
    void (*combine)(void *into, const void *from, uint64_t bytes);
    struct htmt_ops ops;
    const char *name;
};
struct htmt_allreduce;
int htmt_allreduce_create(struct htmt_emulator *e, const struct htmt_allreduce_desc *desc,
                          struct htmt_allreduce **allreduce);
int htmt_allreduce(struct htmt_context *c, struct htmt_allreduce *a, struct htmt_slot arrived);

/* ---- in a kernel (any host thread) ---------------------------------------------------------- */

void *htmt_bytes(const struct htmt_kernel *k, uint32_t region);
uint64_t htmt_size(const struct htmt_kernel *k, uint32_t region);
void *htmt_used(const struct htmt_kernel *k, uint32_t use); /* in the order of htmt_use() */
uint64_t htmt_used_size(const struct htmt_kernel *k, uint32_t use);
const void *htmt_kernel_args(const struct htmt_kernel *k);
uint32_t htmt_kernel_slice(const struct htmt_kernel *k);
uint32_t htmt_kernel_fiber(const struct htmt_kernel *k);
uint32_t htmt_kernel_part(const struct htmt_kernel *k); /* from 0 */
void *htmt_kernel_result(struct htmt_kernel *k); /* type->result_bytes of the parcel, shared by its
                                                    kernels; cleared when it was assembled */
/* What it did. With a cost function the two must agree, or the run ends with HTMT_ECOST; a kernel
 * that counts nothing leaves it to the cost function. */
void htmt_count(struct htmt_kernel *k, enum htmt_op op, uint64_t n);

#endif
