/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A host beside the slices: of a machine whose file has a layer of `scope: machine`.
 *
 * Such a machine's slices are memory banks with processors of their own; nothing joins them but the
 * host. The host is a place of its own, numbered htmt_host(). Its layer, with its processor and its
 * memory, exists there and in no slice, and the slices' layers do not exist there. Objects and root
 * parcels of the host's layer are created in "slice" htmt_host(), all others in slices.
 *
 * Nothing percolates between the host and slices: the host's controls push bytes to slices, launch
 * their programs and pull bytes back. These commands are queued in the order in which they were
 * given; each begins when the one before is over. `on_done` is a slot of the host, signalled then.
 *
 *     push, pull    over after the time that the machine's bus takes for it
 *     launch        over when the launch was made or, with `wait`, when all have ended
 *
 * A launch signals a slot of each slice's program, half of its time after it began (half of the
 * time rounded up), and the host hears of the end the other half after the last slice said
 * htmt_ended(). Together these are the machine's time of a launch.
 *
 * In a folded run slice 0 stands for all: commands go to all slices, with one size.
 */
#ifndef HTMT_PARCELS_HOST_H
#define HTMT_PARCELS_HOST_H

#include "parcels/object.h"
#include "parcels/parcel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Its place; UINT32_MAX: the machine has none. Callable anywhere. */
uint32_t htmt_host(const struct htmt_emulator *e);

enum htmt_host_mode {
    HTMT_SERIAL,   /* one slice after another */
    HTMT_PARALLEL, /* all at once, of one size */
    HTMT_BROADCAST /* push: the same bytes to all */
};

/* Between an object of the host and the parts of a frame in `count` slices from `first` on. */
struct htmt_transfer {
    size_t size;           /* htmt_transfer_init(), or 0 */
    struct htmt_addr host; /* the first slice's bytes; nowhere: none move, the time is charged, */
    uint64_t stride;       /* the next one's so many further; broadcast: not read */
    struct htmt_frame *frame;
    uint64_t offset; /* in each part */
    uint32_t first, count;
    uint64_t bytes;       /* a slice */
    const uint64_t *each; /* serial: bytes of each slice instead, from `first` on, read at once;
                             parallel: they must be equal. 0: that slice has none */
    enum htmt_host_mode mode;
    struct htmt_slot on_done;
};
static inline struct htmt_transfer htmt_transfer_init(void)
{
    struct htmt_transfer d;
    memset(&d, 0, sizeof d);
    d.size = sizeof d;
    return d;
}
/* From: a control of the host. Never suspend. Errors: HTMT_EINVAL (not the host's, no such slices,
 * unequal sizes in parallel, a frame of the host's layer; when the command begins: a slice's
 * program runs), HTMT_EBOUNDS, HTMT_EROUTE (the machine has no such transfer), HTMT_ERANGE (outside
 * of its curves), HTMT_ESYMMETRY (folded: not all slices), HTMT_EOVERFLOW, HTMT_ENOMEM. */
int htmt_push(struct htmt_context *c, const struct htmt_transfer *transfer);
int htmt_pull(struct htmt_context *c, const struct htmt_transfer *transfer);

/* Signal the slot `slot` (of slice 0's program; in other slices htmt_slot_in()) in `count` slices
 * from `first` on. */
struct htmt_launch {
    size_t size; /* htmt_launch_init(), or 0 */
    struct htmt_slot slot;
    uint32_t first, count;
    bool wait;                /* the next command begins when all have ended */
    struct htmt_slot on_done; /* when all have ended */
};
static inline struct htmt_launch htmt_launch_init(void)
{
    struct htmt_launch d;
    memset(&d, 0, sizeof d);
    d.size = sizeof d;
    return d;
}
/* From: a control of the host. Never suspends. Errors: as above; a slice that still runs. */
int htmt_launch(struct htmt_context *c, const struct htmt_launch *launch);
/* The program of this slice has ended. From: a control of a slice that was launched. Errors:
 * HTMT_EINVAL (it was not). */
int htmt_ended(struct htmt_context *c);

/* What the host's queue did, in fs; of transfers the bytes of all slices. */
struct htmt_host_commands {
    uint64_t pushes, pulls, launches;
    htmt_uwide pushed, pulled;
    htmt_wide push, pull, launch;
    bool held; /* a curve was asked outside of its points, and held */
};
/* Errors: HTMT_EINVAL: no host, or the run is not over. */
int htmt_host_commands(const struct htmt_emulator *e, struct htmt_host_commands *commands);

/* What a slice's processor did: instructions, and the fs that they took. */
struct htmt_issue_report {
    uint64_t instructions;
    htmt_time busy;
};
/* Errors: HTMT_EINVAL: no issue port, another process plays the slice, or the run is not over. */
int htmt_issue_at(const struct htmt_emulator *e, uint32_t slice, struct htmt_issue_report *report);

/* What its threads did, of all threads: in services they issue, or wait for their turn at the port.
 * Between services of a launch the DMA engine copies for a thread, or it waits for others. Where no
 * service outlasts its launch, the three add up to the threads times `ran`. And the code memory, of
 * whose bytes types take those that they give (code_words). */
struct htmt_threads_report {
    htmt_wide issuing, copying, waiting; /* fs */
    htmt_wide ran;                       /* fs from the beginning of launches to their ends */
    uint64_t code_bytes, code_memory;    /* code_memory 0: it is not modelled */
};
/* Errors: as above. */
int htmt_threads_at(const struct htmt_emulator *e, uint32_t slice,
                    struct htmt_threads_report *report);

#ifdef __cplusplus
}
#endif

#endif
