/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the data plane, which computes. It holds the bytes of objects and closures,
 * moves them and runs kernels on host threads (runtime/host/host.h). The timing plane decides when
 * something happens and says so here, in the order of virtual time; nothing here is timed. This
 * header is all that the timing plane knows of the data plane. A model run has none of it: the
 * timing plane's pointer is NULL and its steps for bytes are not compiled into a type.
 *
 * What fails is latched in the emulator's fault; a call then does nothing more.
 */
#ifndef HTMT_PARCELS_DATA_DATA_H
#define HTMT_PARCELS_DATA_DATA_H

#include "layers/node/node.h"
#include "parcels/htmt.h"

#include <stdio.h>
#include <string.h>

struct htmt__data;
struct htmt__closure;
struct htmt__storage;
struct htmt__job;
struct htmt__watchdog;
struct htmt__diagnostics;
struct htmt__op_recorder;

#define HTMT__USES_MAX   8u
#define HTMT__ARGS_MAX   512u
#define HTMT__RESULT_MAX 256u

/* Pieces of all planes, as they are charged. */
static inline uint64_t htmt__pieces_count(const struct htmt_pieces *p)
{
    const uint64_t count = p->count ? p->count : 1;
    uint64_t all = count;
    return p->planes > 1 && __builtin_mul_overflow(count, p->planes, &all) ? UINT64_MAX : all;
}

static inline bool htmt__same_pieces(const struct htmt_pieces *a, const struct htmt_pieces *b)
{
    return a->bytes == b->bytes && a->count == b->count && a->stride == b->stride &&
           a->planes == b->planes && a->plane_stride == b->plane_stride;
}

/* ---- who calls ------------------------------------------------------------------------------- */

/* What this host thread runs: set around each control and each kernel, so one comparison tells
 * whether a call may be made here. */
struct htmt__caller {
    const struct htmt_context *control; /* that is open, or HTMT__NO_CONTROL */
    const struct htmt_kernel *kernel;   /* NULL: none */
    struct htmt_fault *fault;           /* of the emulator whose run is on here */
};
/* Its place is known when the program starts, or from what the C library keeps free for libraries
 * that come later: calls of the API read it often. */
extern _Thread_local struct htmt__caller htmt__caller __attribute__((tls_model("initial-exec")));
/* Differs from every context, and from NULL, which a wrong call may be given. */
#define HTMT__NO_CONTROL ((const struct htmt_context *)1)

/* What is wrong with kernels, and with what other threads than the clock's called. Works on any
 * thread. create: NULL: no memory. */
struct htmt__diagnostics *htmt__diagnostics_create(void);
void htmt__diagnostics_destroy(struct htmt__diagnostics *f);
/* A call that may not be made by the kernel that runs here, or else by this thread. Returns the
 * code. */
int htmt__diagnose(struct htmt__diagnostics *f, int code, const char *text);
/* Kernels whose turns have come failed or were wrong: the run need not go on, and has a fault.
 * Which of them it is, the check says. */
bool htmt__diagnostics_look(struct htmt__diagnostics *f, struct htmt_fault *fault);
/* Once all jobs are done: the line of the kernel whose turn came first stands for all that happened
 * later. Returns its code, 0: none. */
int htmt__diagnostics_check(struct htmt__diagnostics *f, struct htmt_fault *fault);
/* Of planes beside each other, once all jobs are done: what is found in one of them joins the
 * other's. */
void htmt__diagnostics_gather(struct htmt__diagnostics *f, struct htmt__diagnostics *from);
struct htmt__turn;
/* false: nothing is wrong. *turn: of the first kernel; never: HTMT_TIME_MAX and its birth. */
bool htmt__diagnostics_first(struct htmt__diagnostics *f, struct htmt__turn *turn);
void htmt__diagnostics_forget(struct htmt__diagnostics *f);
/* Where a wrong call asked for a pointer: at least so many zeros (fewer when the host has none),
 * which this thread may write. */
void *htmt__dummy(struct htmt__diagnostics *f, uint64_t bytes);

/* ---- the plane ------------------------------------------------------------------------------- */

/* `clocks`: threads of the clock, of those that the options allow. `watchdog`: of the threads, or
 * NULL. `fault`: where failures are latched; those of kernels go to
 * the diagnostics. Errors: HTMT_ENOMEM, HTMT_ESYSTEM, HTMT_EINVAL. */
int htmt__data_create(struct htmt__data **data, const struct htmt_options *options, uint32_t clocks,
                      struct htmt__watchdog *watchdog, uint32_t layers, uint32_t slices,
                      struct htmt_fault *fault, struct htmt__diagnostics *diagnostics);
/* One of `planes` beside the first one, whose threads and pages it shares and which outlives it:
 * for some of the slices, on a thread of their clock. Errors: HTMT_ENOMEM, HTMT_ESYSTEM. */
int htmt__data_create_beside(struct htmt__data **data, const struct htmt__data *first,
                             uint32_t slices, uint32_t planes, struct htmt_fault *fault,
                             struct htmt__diagnostics *diagnostics);
/* Kernels are timed by their own operations from now on (parcels/data/op_recorder.h); planes beside
 * it, which are made later, too. */
void htmt__data_record(struct htmt__data *d, struct htmt__op_recorder *recorder);
/* All jobs must have been drained. Clears *data; NULL accepted. */
void htmt__data_destroy(struct htmt__data **data);
/* The run is over: a kernel whose turn has come runs, though nobody waited for it yet. */
void htmt__data_finish(struct htmt__data *d, struct htmt__closure *c);
/* Until all that was asked for is done. */
void htmt__data_drain(struct htmt__data *d);
/* After it: HTMT_ENOMEM, also in *fault, if some job found no room. */
int htmt__data_check(const struct htmt__data *d, struct htmt_fault *fault);
/* Adds to what is there. */
void htmt__data_report(const struct htmt__data *d, uint32_t layers, struct htmt_host_report *r);

/* ---- objects --------------------------------------------------------------------------------- */

/* A resident object: its words lie in a store of the timing plane, its bytes here. */
struct htmt_object {
    struct htmt_object *next, *prev;
    struct htmt_emulator *emulator; /* NULL: it stands for an address of nothing */
    uint32_t slice, layer, number;  /* number: as they were made, from 1 */
    uint64_t bytes, words;
    uint64_t model; /* address in the memory of its slice's layer, with htmt_options.operations */
    struct htmt__storage *storage; /* NULL in a model run */
    struct htmt_frame *frame;      /* that it is a part of; NULL: none */
    void *kept; /* its bytes, of `kept_bytes`, which controls alone touch; `bytes` is 0. NULL:
                   it is not kept, or not here */
    uint64_t kept_bytes; /* 0: it is not kept */
    bool wrapped;
    bool destroyed;          /* it stays as a handle that is refused, of no bytes */
    bool awaited;            /* a root parcel needs it in the run */
    bool outside;            /* it stands for the slices that a frame does not have */
    bool delivered, changed; /* since its last use in place; with lint or what-if */
    uint8_t copies;          /* layers where a copy on its way has room; what-if */
    char name[64];
};

/* `outside`: what htmt_at() gives of a slice that is not there, with the slice as the offset. */
struct htmt_frame {
    struct htmt_frame *next;
    uint32_t slices;
    struct htmt_object outside;
    struct htmt_object *object[];
};

/* Bytes for a new object: cleared, or the caller's. */
int htmt__data_object(struct htmt__data *d, struct htmt_object *o, void *memory);
/* The object goes; whoever has yet to read it does so first. */
void htmt__data_object_end(struct htmt__data *d, struct htmt_object *o);
/* Before the run: its bytes go from one plane to another. */
void htmt__data_object_move(struct htmt__data *from, struct htmt__data *to, struct htmt_object *o);
/* All writes included. */
void *htmt__data_object_bytes(struct htmt__data *d, struct htmt_object *o);

/* ---- closures -------------------------------------------------------------------------------- */

/* How long kernels took on this host, over all threads. Each is read between two readings of the
 * clock, of which one is in its time. */
struct htmt__took {
    _Atomic int64_t ns, kernels;
};

/* What the data plane knows of a type. */
struct htmt__code {
    char name[64];
    uint32_t exec;                 /* layer */
    int8_t place[HTMT_LAYERS_MAX]; /* of each layer on the parcel's way; -1: off it */
    struct htmt_stage stage[HTMT_STAGES];
    struct htmt_stage *fiber; /* fiber i + 1 */
    char **fiber_name;        /* the same; NULL: none has one */
    enum htmt_footprint footprint;
    bool fusible; /* gather, kernel and scatter of a parcel may be one job */
    size_t args_bytes, result_bytes;
    const void *user;
    struct htmt__took *took[HTMT_STAGES]; /* NULL: nobody asks */
};

/* NULL: it has none. */
static inline const char *htmt__fiber_name(const struct htmt__code *code, uint32_t fiber)
{
    return fiber && code->fiber_name ? code->fiber_name[fiber - 1] : NULL;
}
/* "execute"; of a fiber "fiber halo" or, without a name, "fiber 2" (where no number was told:
 * "fiber"). */
#define HTMT__STAGE_TEXT 80
static inline const char *htmt__stage_text(const struct htmt__code *code, enum htmt_stage_id stage,
                                           uint32_t fiber, char text[HTMT__STAGE_TEXT])
{
    const char *name = htmt__fiber_name(code, fiber);
    if (name)
        snprintf(text, HTMT__STAGE_TEXT, "%s %.60s", htmt_stage_name(stage), name);
    else if (fiber)
        snprintf(text, HTMT__STAGE_TEXT, "%s %u", htmt_stage_name(stage), fiber);
    else
        snprintf(text, HTMT__STAGE_TEXT, "%s", htmt_stage_name(stage));
    return text;
}

/* The bytes of a new parcel; `args` are its arguments as long as it lives. NULL: no memory. */
struct htmt__closure *htmt__data_closure(struct htmt__data *d, const struct htmt__code *code,
                                         uint32_t slice, uint64_t serial, const void *args,
                                         const struct htmt_parcel_desc *desc);
/* Before the run: as htmt__data_object_move(). */
void htmt__data_closure_move(struct htmt__data *from, struct htmt__data *to,
                             struct htmt__closure *c);
/* Layers whose bytes enter the closure, and that its bytes reach: a bit each. Elsewhere the four
 * calls below have nothing to do. */
struct htmt__ways {
    uint8_t comes, goes;
};
struct htmt__ways htmt__data_ways(const struct htmt__closure *c);
/* Bytes of fresh regions from objects of the layer enter the closure. */
void htmt__data_fetch(struct htmt__data *d, struct htmt__closure *c, uint32_t layer);
/* Bytes of regions into resident objects arrive there. */
void htmt__data_land(struct htmt__data *d, struct htmt__closure *c);
/* Nothing joins the closure any more, or where !last nothing but what the innermost memory adds:
 * the kernel of execute may start. */
void htmt__data_closed(struct htmt__data *d, struct htmt__closure *c, bool last);
/* Bytes of resident regions leave. */
void htmt__data_depart(struct htmt__data *d, struct htmt__closure *c);
/* Bytes of fresh regions reach objects of the layer. */
void htmt__data_store(struct htmt__data *d, struct htmt__closure *c, uint32_t layer);
/* What a parcel touches of objects when its bytes move as above, or when a kernel of that stage and
 * layer runs, region by region: who looks for races asks. */
enum htmt__motion {
    HTMT__FETCHES,
    HTMT__LANDS,
    HTMT__DEPARTS,
    HTMT__STORES,
    HTMT__COMPUTES,
};
typedef void htmt__touches_fn(void *user, struct htmt_addr at, uint64_t bytes,
                              struct htmt_pieces pieces, bool write);
void htmt__data_touches(const struct htmt__closure *c, enum htmt__motion motion,
                        enum htmt_stage_id stage, uint32_t layer, htmt__touches_fn *touch,
                        void *user);
/* The parcel's life is over; or (discard) it never got here. */
void htmt__data_end(struct htmt__data *d, struct htmt__closure *c);
void htmt__data_discard(struct htmt__data *d, struct htmt__closure *c);

/* ---- kernels --------------------------------------------------------------------------------- */

/* When a service's turn came. */
struct htmt__turn {
    uint64_t number; /* of all services of the plane which, from 1; 0: it is still to come */
    htmt_time at;
    uint64_t phase, key; /* at that instant, among those of other planes */
};

/* Model address of what a service took out of a mailbox. */
#define HTMT__TAKEN_MODEL (UINT64_C(1) << 43)

/* What a kernel uses beside its closure. */
struct htmt__touch {
    struct htmt__storage *storage;
    uint64_t offset, bytes;
    unsigned use;   /* enum htmt_use */
    uint64_t model; /* address, as struct htmt_object has it */
};

/* The operations of a service whose time depends on other services. */
struct htmt__deferred_tape;
/* Its one service, its regions. */
const struct htmt__tape *htmt__deferred_tape_whole(const struct htmt__deferred_tape *deferred);
/* Misses by region, as htmt__node_misses() has them, become those by kind. */
void htmt__deferred_tape_misses(const struct htmt__deferred_tape *deferred, const uint64_t *misses,
                                uint64_t kinds[HTMT_MISS_KINDS]);
/* NULL accepted. */
void htmt__deferred_tape_free(struct htmt__deferred_tape *deferred);

/* What a kernel's own operations took. */
struct htmt__timed {
    htmt_time length; /* -1: none were recorded, its counts or cost function tell */
    struct htmt__node_account account;
    uint64_t misses[HTMT_MISS_KINDS]; /* by enum htmt_miss_kind */
    const char *why;                  /* why none were recorded; NULL: nobody asked */
    struct htmt__deferred_tape
        *deferred; /* they are to be played, from now on by who has this; else NULL */
};

/* One service of a closure's parcel. */
struct htmt__call {
    const struct htmt_stage *code;
    enum htmt_stage_id stage;
    uint32_t layer, fiber;
    uint64_t serial; /* of the parcel or fiber that is served */
    const struct htmt__touch *uses;
    uint32_t use_count;
    bool keep; /* its counts are wanted: to be given to htmt__data_need() or _release() */
    struct htmt__turn turn; /* the timing plane says when, the data plane numbers it */
};

/* The kernel's turn has come: it begins, or has begun ahead of it. Returns the job if it is kept.
 */
struct htmt__job *htmt__data_use(struct htmt__data *d, struct htmt__closure *c,
                                 const struct htmt__call *call);
/* Waits for the job and releases it; `counts` and `timed`, if not NULL, get what its kernel counted
 * and what its operations took. */
void htmt__data_need(struct htmt__data *d, struct htmt__job *job, struct htmt_ops *counts,
                     struct htmt__timed *timed);
void htmt__data_release(struct htmt__data *d, struct htmt__job *job);
/* Waits for all kernels of the parcel issued so far; what they left, or NULL. */
const void *htmt__data_result(struct htmt__data *d, struct htmt__closure *c);

/* ---- messages -------------------------------------------------------------------------------- */

/* The bytes of a put as they were when the last word left. */
struct htmt__held;

/* The last word leaves now. NULL: out of memory (latched). */
struct htmt__held *htmt__data_capture(struct htmt__data *d, const struct htmt_put *put,
                                      uint32_t layer);
/* The bytes reach their destination now: from `held`, which is used up, or if NULL from the source.
 */
void htmt__data_deliver(struct htmt__data *d, const struct htmt_put *put, uint32_t layer,
                        struct htmt__held *held);
/* Nobody will deliver them. */
void htmt__data_drop(struct htmt__data *d, struct htmt__held *held);
/* As htmt__data_capture(), for another plane: that one may have them when they are settled. */
struct htmt__held *htmt__data_capture_away(struct htmt__data *d, const struct htmt_put *put,
                                           uint32_t layer);
void htmt__data_settle(struct htmt__data *d, struct htmt__held *held);
/* The bytes of one that is settled; and one of such bytes. NULL: out of memory (latched). */
const void *htmt__data_held_bytes(const struct htmt__held *held);
struct htmt__held *htmt__data_hold(struct htmt__data *d, const void *bytes, uint64_t size);
/* Bytes that a kernel took are not wanted any more. */
void htmt__data_untake(struct htmt__data *d, struct htmt__storage *taken);
/* The bytes of the object as they lie become `*taken`, whose last content goes; the object gets
 * fresh ones. */
int htmt__data_take(struct htmt__data *d, struct htmt_object *o, struct htmt__storage **taken);

#endif
