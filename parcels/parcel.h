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
 * - control: says what the stage sets off (puts, signals, parcels). It runs in the virtual-time
 *   order of its slice on a thread of the clock, in model runs too, and is short. What it does is
 *   an operation log: each entry takes effect at the virtual moment of the service at which it was
 *   written. It writes nothing but what belongs to its slice (parcels/control.h).
 *
 * A call that fails within a control ends the run with that error, so a control may ignore what
 * calls return.
 *
 * Who may call, in every header: what takes a struct htmt_context, the control that was given it,
 * until it returns, and where it says so the host with htmt_root() until the run starts. What takes
 * a struct htmt_kernel, the kernel that was given it, until it returns. What creates, the host
 * before the run. A call by anybody else, one without what it needs (NULL), and one of another
 * emulator's things change nothing and end the run with HTMT_EINVAL and a line. A call that returns
 * a pointer then returns zeros, never NULL.
 *
 * Structs that begin with `size` can grow: a program tells by it which of their members it knows.
 * struct htmt_put p = htmt_put_init() is all zeros but for its size. What a program that was built
 * for an older libhtmt does not know counts as zero; a size that libhtmt does not know is
 * HTMT_EINVAL. 0, as designated initializers leave it, stands for the layout of HTMT_ABI 2.
 */
#ifndef HTMT_PARCELS_PARCEL_H
#define HTMT_PARCELS_PARCEL_H

#include "layers/machine/machine.h"
#include "parcels/object.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

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
/* The slice that the parcel belongs to. */
static inline uint32_t htmt_ref_slice(struct htmt_ref ref)
{
    return (uint32_t)(ref.serial >> 40);
}

/* A sync slot: of an activation, the one that gates its fiber number `fiber`. */
struct htmt_slot {
    struct htmt_ref owner; /* none: no slot; signalling it does nothing */
    uint32_t fiber;
};

/* The same slot in another slice: that of the parcel with the same number there. Where every slice
 * assembles its first parcels alike before the run, these are each other's twins. */
static inline struct htmt_slot htmt_slot_in(struct htmt_slot slot, uint32_t slice)
{
    const uint64_t number = slot.owner.serial & ((UINT64_C(1) << 40) - 1);
    if (!htmt_ref_none(slot.owner))
        slot.owner.serial = (uint64_t)slice << 40 | number;
    return slot;
}

/* ---- what a stage is ------------------------------------------------------------------------ */

typedef void htmt_kernel_fn(struct htmt_kernel *k);
/* Of its arguments and `user` alone, and it writes neither: a checked run asks twice. */
typedef void htmt_cost_fn(const void *args, const void *user, struct htmt_ops *ops);
typedef void htmt_control_fn(struct htmt_context *c);
typedef bool htmt_wanted_fn(struct htmt_context *c);

struct htmt_stage {
    htmt_kernel_fn *kernel;
    htmt_cost_fn *cost;
    htmt_control_fn *control;
    uint32_t parts; /* of the kernel, which is called once for each (htmt_kernel_part()); none
                       touches what another writes, so that the host may run them side by side.
                       0: one */
    bool steered;   /* control waits for all kernels of its parcel issued so far, this stage's too,
                       and may look at the htmt_result() they left; it may not htmt_use() */
    bool constant;  /* cost gives the same for all parcels of the type: it is asked once */
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

/* Whether parcels of a type reach other slices. Predictions do not depend on it. Where all types of
 * an emulator say HTMT_SENDS_NOWHERE, the clock plays one slice after another, each to its end,
 * which is faster with many pending events; elsewhere slices wait for what others may send.
 *
 * Parcels of a type that says so reach nobody in another slice, and make no parcel of a type that
 * may. Their controls put, get, send and post within the slice, and name no slot of another one;
 * they take no mail and join no collective, since both send words to others; nor do they launch,
 * push, pull or tell the host (host.h). Their on_ready and on_done lie in their slice. A call that
 * does it, of the control or, for its slots, of htmt_assemble(), is HTMT_EINVAL. */
enum htmt_sends {
    HTMT_SENDS_ANYWHERE, /* it may */
    HTMT_SENDS_NOWHERE,
};

/* Posts for one slice leave together (parcels/post.h). */
struct htmt_aggregate {
    uint64_t bytes; /* of arguments, at most 2^20: when so many are there; 0: as the layer says */
    htmt_time wait; /* fs: or when the first of them has waited so long */
};

struct htmt_type_desc {
    size_t size;             /* htmt_type_desc_init(), or 0 */
    const char *name;        /* copied; not NULL; of one type: reports and traces know it by this */
    const char *home, *exec; /* layer names: "dram", "cram" */
    struct htmt_stage assemble, dispatch, execute, retire, scatter;
    enum htmt_footprint footprint;   /* of execute */
    const struct htmt_stage *fibers; /* fiber i + 1 is fibers[i]; fiber 0 is execute itself */
    uint32_t fiber_count;            /* copied */
    uint32_t gates;        /* HTMT_GATE(...) of the stages before which a parcel waits for its call:
                              DISPATCH, EXECUTE, RETIRE, SCATTER. A type with fibers has the gate
                              RETIRE. A type that executes at home has neither DISPATCH nor
                              SCATTER. A call for a gate that the type lacks is HTMT_EINVAL. */
    uint64_t code_words;   /* move inward with every parcel... */
    bool code_resident;    /* ...unless the code stays in each memory (then it is not charged) */
    uint64_t header_words; /* move inward with every parcel */
    bool in_place;         /* assembled where the data lies: no image in the home memory */
    unsigned departures;   /* of enum htmt_departure, or'ed */
    size_t args_bytes;     /* of a parcel's arguments, <= 512 */
    size_t result_bytes;   /* of what a kernel leaves for a steered control, <= 256 */
    const void *user;      /* handed to cost functions; kernels and controls ask for it by
                              htmt_kernel_user() and htmt_user(). Must outlive the emulator */
    const char *const *fiber_names; /* of fiber i + 1, for lines that people read: copied. NULL, or
                                       NULL in it: its number. Counts if `size` is set, as what
                                       follows: the first layout ends before it */
    /* Of a type that is posted (parcels/post.h): */
    const char *queue; /* of the layer, as the machine file names it: copied. NULL: the first one */
    htmt_wanted_fn *wanted; /* asked before the control; false drops the post. It writes nothing,
                               and may charge. Cells ask it of waiting posts, too, when room is
                               short. NULL: all are wanted */
    uint64_t payload_words; /* of its message; 0: one and those of its arguments */
    enum htmt_sends sends;  /* whether its controls send to other slices */
    struct htmt_aggregate aggregate; /* of a type that is posted */
};
#define HTMT_GATE(stage) (1u << (stage))
/* Zeros and the size. */
static inline struct htmt_type_desc htmt_type_desc_init(void)
{
    struct htmt_type_desc d;
    memset(&d, 0, sizeof d);
    d.size = sizeof d;
    return d;
}

/* Errors: HTMT_EINVAL (with a line in htmt_emulator_fault()), HTMT_EROUTE (no network on the way),
 * HTMT_ENOMEM. The emulator owns the type. From: host thread, before the run. */
int htmt_type_create(struct htmt_emulator *e, const struct htmt_type_desc *desc,
                     struct htmt_type **type);

/* ---- closures ------------------------------------------------------------------------------- */

/* One region of a closure. It joins the closure where `from` lies and leaves it where `to` lies:
 * in the parcel's own slice, at its home or at a layer on its way.
 *
 * - A fresh region (no `into`) is read at the start of the first service behind the place where it
 *   joins; without such a service, at the end of the move that takes it. It is written at the end
 *   of the move or service that puts it down. Fresh regions that go to one layer are written in
 *   their order.
 * - A region into a resident object is read when the move that brings it ends, and written when the
 *   move that ejects it ends.
 * - A region with none of the three addresses is scratch: space at the layer of execution. Nothing
 *   moves.
 *
 * Places may overlap: the kernel sees each region as it was before. Outputs and scratch are
 * cleared. A kernel on the way finds a region empty that has not joined yet, or that lies in a
 * resident object. If in_words of the layer of execution exceed `bytes`, the kernel sees all of
 * these words, zeros beyond the bytes that came; only the first `bytes` go back. */
struct htmt_region {
    size_t size;           /* htmt_region_init(), or 0 */
    struct htmt_addr from; /* nowhere: nothing comes in (an output) */
    struct htmt_addr to;   /* nowhere: nothing goes back */
    struct htmt_addr into; /* nowhere: fresh space, freed when it leaves; else resident there,
                              at the layer of execution */
    uint64_t bytes;        /* the same at all addresses; an output's largest size */
    struct htmt_pieces from_pieces, to_pieces;
    bool read_only; /* the kernel only reads it (a checked run compares) */
    bool filled;    /* the kernel writes all of it: an output need not be cleared */
    bool handover; /* between two resident objects: the one it leaves is undefined afterwards; whole
                      objects of equal size swap pages on the host. Charged the same */
    uint64_t in_words[HTMT_LAYERS_MAX];  /* moved into and held in layer i; 0: ceil(bytes / 8);
                                            fewer: charged so, though the host moves all bytes */
    uint64_t out_words[HTMT_LAYERS_MAX]; /* moved out of layer i; 0: in_words of the exec layer */
};

/* Zeros, with the size: how a program begins. */
static inline struct htmt_region htmt_region_init(void)
{
    struct htmt_region d;
    memset(&d, 0, sizeof d);
    d.size = sizeof d;
    return d;
}

struct htmt_parcel_desc {
    const struct htmt_type *type;
    uint32_t slice;
    const struct htmt_region *regions; /* copied; all of one size */
    uint32_t region_count;
    const void *args;          /* type->args_bytes bytes, copied; NULL: zeros */
    struct htmt_slot on_ready; /* signalled when it comes to its first closed gate */
    struct htmt_slot on_done;  /* signalled when its life is over */
};

#ifdef __cplusplus
}
#endif

#endif
