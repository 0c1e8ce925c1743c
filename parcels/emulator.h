/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An emulator: one machine, one run. Any number may live in one process, each on its own thread.
 *
 * Life: create, set up (objects, types, root parcels), run once, look at results, destroy. Handles
 * of an emulator (objects, types, mailboxes, contexts) are good until it is destroyed.
 *
 * Without an emulator (NULL) a call returns HTMT_EINVAL, -1, 0 or nothing, and
 * htmt_emulator_fault() a line that says so.
 */
#ifndef HTMT_PARCELS_EMULATOR_H
#define HTMT_PARCELS_EMULATOR_H

#include "layers/machine/machine.h"
#include "parcels/parcel.h"
#include "parcels/ranks.h"
#include "parcels/recording.h"
#include "parcels/replies.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum htmt_mode {
    HTMT_RUN,  /* kernels run, bytes move */
    HTMT_MODEL /* costs only */
};

/* A promise is checked: what breaks it ends the run with HTMT_ESYMMETRY. */
enum htmt_symmetry {
    HTMT_NO_SYMMETRY,
    /* Slices send each other nothing. They are played one after another, each to its end: the same
     * events and times (an observer sees them slice by slice), from memories that hold one. */
    HTMT_INDEPENDENT,
    /* All slices do the same at the same time, and slice 0 stands for all; model runs only. The
     * program is set up as ever, with the objects, the same mailboxes and the same root parcels on
     * every slice, in the same order, slice 0 first. What slice 0 sends to another slice comes to
     * itself, as if from the slice that is placed to it as it is to the receiver. Reports are those
     * of all slices; events are those that were played. Trees are refused, all-reduces over other
     * numbers of slices than powers of two, too. */
    HTMT_FOLDED
};

/* One event of the history: something ended at `time`. */
struct htmt_event {
    htmt_time time;
    uint32_t resource; /* index into htmt_resource_at() */
    uint32_t slice;
    uint64_t serial; /* of the parcel: slice of origin << 40 | its own counter there */
    uint32_t stage;  /* enum htmt_stage_id */
    uint32_t target; /* slice where the words of a message arrived; else `slice` */
    uint64_t words;  /* moved; 0 for services */
};

/* How the clock goes through virtual time. Nothing that is predicted depends on it. */
enum htmt_clock {
    HTMT_CLOCK_AUTO,       /* in windows where `clock_threads` or `ranks` are several, else
                              sequential; one slice after another where no slice hears of another.
                              On one thread of thousands of slices windows may be faster */
    HTMT_CLOCK_SEQUENTIAL, /* from event to event over all slices */
    HTMT_CLOCK_WINDOWS,    /* partition by partition in windows of lookahead; sequential where the
                              machine has none, or what is asked for needs the order of all events
                              (docs/api.md) */
    HTMT_CLOCK_SHARED      /* the same, and all `clock_threads` play in every window, gain they or
                              lose: tests of threads ask for it */
};

/* Profiles of kernels (docs/profiles.md), each of the type that it names and, of several of a type,
 * of another shape, which is what a service counts: its services take as long as operations that
 * are made of the profile take in the inside of their processor. */
struct htmt__profile;
struct htmt_profiles {
    const struct htmt__profile *const *profile;
    uint32_t count;
};

/* Services of kernels that htmt-cc compiled, or that are annotated, take as long as their own
 * operations in the inside of the processor (docs/nodes.md); the others what they count. */
struct htmt__tape;
struct htmt_operations {
    const char *type;        /* the tape of a service of this type is wanted; NULL: of none */
    struct htmt__tape *tape; /* it goes here; HTMT_EINVAL with several threads of the host */
    uint64_t service; /* its number, from 1, in the order in which they run; 0: all of them */
};

/* How slices find out that all is quiet (parcels/post.h: htmt_quiet()). */
enum htmt_quiet_by {
    HTMT_QUIET_FREE, /* they know, at no cost */
    HTMT_QUIET_ACKS  /* each post to another slice is answered by a word, as by Dijkstra and
                        Scholten: at once, but the first one of a slice that has nothing to do when
                        all that came of it is over, whether a program calls htmt_quiet() or not.
                        Answers never wait behind posts that full queues hold. Not with cells
                        (HTMT_EINVAL) */
};

struct htmt_options {
    size_t size;                        /* htmt_options_init(), or 0 */
    const struct htmt_machine *machine; /* copied */
    uint32_t slices;                    /* 0: as many as the machine has */
    enum htmt_mode mode;
    uint32_t threads;                        /* host threads in all, the clock's included; 0: 1 */
    uint32_t layer_threads[HTMT_LAYERS_MAX]; /* workers of each layer's pool instead; all 0: by
                                                `threads` */
    uint64_t run_ahead_bytes;                /* host memory of closures in flight; 0: 256 MiB */
    enum htmt_symmetry symmetry;             /* what the application promises of its slices */
    bool explain;                            /* keep what htmt_path_find() needs (parcels/path.h) */
    bool lint;                               /* count what htmt_departure_at() reports */
    bool slopes; /* keep what htmt_slope_find() needs (parcels/slope.h): one thread plays all */
    unsigned what_if; /* enum htmt_departure, or'ed: what percolation would move for these is moved,
                       charged and has room; model runs without `explain`, `slopes`, `recording`.
                       RESIDENT: a parcel carries a copy of what its closure names in the innermost
                       memory, in and, unless it only reads it, out. What a service uses there
                       otherwise (htmt_use()), and nothing brought since the last use, comes before
                       it begins; it went down first if it was changed.
                       OPEN: so do the arguments of an activation, before each later fiber; header
                       and code words come up with them.
                       EXCHANGE: what goes from the innermost memory of one slice to that of another
                       goes round by the outer ones, signals included. */
    /* Mail and signals that are left over are an error, no note (htmt_note_at()).
     * What a kernel did not declare is unreadable while it runs, and the state of each slice while
     * another slice plays (not with what_if). A touch of either ends the process by a segmentation
     * fault at the place that is wrong. A kernel that writes next to what it sees (up to 256 bytes
     * before and behind a region, use or result), or what it may only read, its arguments included,
     * ends the run with HTMT_EINVAL. Each cost function is asked twice: one that answers otherwise,
     * or writes its arguments, ends the run with HTMT_ECOST. Of a run's accesses to the same bytes,
     * the first two that nothing orders (docs/api.md) are noted, and end it with HTMT_EORDER. */
    bool checked;
    /* A kernel, control or cost function that raises SIGSEGV, SIGBUS, SIGFPE, SIGILL or SIGABRT is
     * named by a line on standard error: type, slice, stage, fiber, for the latter two the virtual
     * time. Then the handler that was there before is called, or the signal does what it did.
     * While such an emulator lives, the process has handlers for these signals. (One that calls
     * exit() or pthread_exit() is named without this option, and the process ends with status 4.)
     */
    bool diagnose;
    uint8_t quiet_by; /* enum htmt_quiet_by: how it is found out that all is quiet (htmt_quiet()) */
    uint32_t watchdog; /* seconds, at most 10^6: a kernel, control or cost function that runs longer
                          is named in the same way, and the process ends with status 4. 0: never */
    uint64_t delay_seed; /* not 0: random host delays before kernels (tests of determinism) */
    /* Every event, in the order of the sequential clock; in windows, when a window is over. */
    void (*observe)(void *user, const struct htmt_event *event);
    void (*progress)(void *user, htmt_time now, uint64_t events); /* now and then */
    bool (*cancelled)(void *user); /* asked now and then; true ends the run with HTMT_ECANCELLED,
                                      or a failure that has come before */
    void *user;
    const struct htmt_recording *recording; /* write a trace file (parcels/recording.h); copied;
                                               NULL: none */
    enum htmt_clock clock;
    htmt_time window_most;        /* fs: windows no wider than that; 0: as wide as the lookahead */
    uint32_t clock_threads;       /* that play slices, the caller's included, at most 1024; 0: 1.
                                     Controls and cost functions run on any of them: what those of
                                     several slices write beside their arguments must be safe there.
                                     Of a model run, the others play where that was measured to
                                     gain, and never more than there are processors for */
    uint32_t clock_partitions;    /* of slices, which the threads play; 0: some a thread */
    const uint32_t *partition_of; /* of each slice, modulo their number; copied; NULL, or slices are
                                     independent: neighbours go together */
    const struct htmt_ranks *ranks; /* the processes of this run (parcels/ranks.h), which outlives
                                       the emulator; NULL: it is alone */
    const struct htmt_operations *operations; /* outlives the emulator; NULL: services take what
                                                 their kernels counted */
    const struct htmt_profiles *profiles; /* outlive the emulator; NULL: none. One that no type has
                                             is refused when the run begins (HTMT_EINVAL) */
    const struct htmt_replies *replies;   /* capture the run, or play a captured one (parcels/
                                             replies.h); copied; NULL: neither */
    bool cold_caches;  /* with `operations`: each service begins with cold caches, whatever the
                          machine's file says */
    bool time_kernels; /* tell how long kernels take on this host */
};

/* Zeros and the size. */
static inline struct htmt_options htmt_options_init(void)
{
    struct htmt_options d;
    memset(&d, 0, sizeof d);
    d.size = sizeof d;
    return d;
}

/* Errors: HTMT_EINVAL, HTMT_ENOMEM, HTMT_ESYSTEM; the line is in *fault, which may be NULL. */
int htmt_emulator_create(struct htmt_emulator **emulator, const struct htmt_options *options,
                         struct htmt_fault *fault);
/* Clears it; NULL accepted. During its run it is refused: *emulator stays, the run ends with
 * HTMT_EINVAL. */
void htmt_emulator_destroy(struct htmt_emulator **emulator);

/* Run until nothing is left to do. Once. The calling thread is the clock's. htmt_root() closes.
 * Errors: HTMT_EDEADLOCK (see htmt_deadlock_print()), HTMT_ELIVELOCK (no time passes), HTMT_ELEFT
 * and HTMT_EORDER (checked), HTMT_EOVERFLOW, HTMT_ECOST, HTMT_EBOUNDS, HTMT_ECAPACITY, HTMT_EROUTE,
 * HTMT_EINVAL, HTMT_ESYMMETRY, HTMT_EPAST, HTMT_ENOMEM, HTMT_ESYSTEM (a thread is refused, other
 * ranks are gone), HTMT_ECANCELLED; the line is in htmt_emulator_fault(). The emulator may be
 * looked at and destroyed after any of them. */
int htmt_emulator_run(struct htmt_emulator *e);

const struct htmt_fault *htmt_emulator_fault(const struct htmt_emulator *e);
const struct htmt_machine *htmt_emulator_machine(const struct htmt_emulator *e); /* its copy */
/* As it was created, with the machine's copy; all zero of NULL. */
const struct htmt_options *htmt_emulator_options(const struct htmt_emulator *e);
/* Whether its run is over, complete or not: its results do not change any more. */
bool htmt_emulator_ended(const struct htmt_emulator *e);
uint32_t htmt_emulator_slices(const struct htmt_emulator *e);
/* Slices whose controls run, the first of them: all, or 1 when folded; and, behind them, the host
 * of a machine that has one (parcels/host.h). */
uint32_t htmt_emulator_played(const struct htmt_emulator *e);
/* Index of a layer by name; the machine's. */
int htmt_emulator_layer(const struct htmt_emulator *e, const char *name);

/* ---- results -------------------------------------------------------------------------------- */

htmt_time htmt_predicted(const struct htmt_emulator *e); /* virtual time of the last event */
uint64_t htmt_event_count(const struct htmt_emulator *e);
uint64_t htmt_parcel_count(const struct htmt_emulator *e);
/* Over (time, resource, slice, serial, stage, words) of every event, and its number among those of
 * the slice; format in runtime/sim/history.h. */
uint64_t htmt_history_hash(const struct htmt_emulator *e);

/* Host time in which the clock could not go on for want of a kernel, and other host figures. */
struct htmt_host_report {
    uint64_t jobs, helped;
    uint64_t layer_jobs[HTMT_LAYERS_MAX];
    uint64_t run_ahead_peak_bytes;
    uint32_t workers;
};
void htmt_host_report(const struct htmt_emulator *e, struct htmt_host_report *report);

/* Whether this process plays the slice: in a run of several ranks (htmt_options.ranks) one of them
 * does. The host may ask from the creation of the emulator on. */
bool htmt_slice_here(const struct htmt_emulator *e, uint32_t slice);
/* What controls wrote for their slices, `bytes` at `first` + slice * `stride` for each slice that
 * is played, comes from the rank that plays a slice to all ranks. The host calls it after the run,
 * in all ranks alike, with the same `bytes`; in one process it does nothing. Errors: HTMT_EINVAL:
 * no emulator, nothing at `first`, or before the end of the run; HTMT_ENOMEM; HTMT_ESYSTEM: other
 * ranks are gone, or gave other bytes. */
int htmt_slices_share(struct htmt_emulator *e, void *first, size_t bytes, size_t stride);

/* Services that a profile times (htmt_options.profiles). */
struct htmt_profiled {
    const char *type; /* the emulator's */
    int fiber;        /* -1: the stage execute */
    uint32_t layer;
    htmt_time least, most; /* fs: of the sixteen variants of a service */
};
uint32_t htmt_profiled_count(const struct htmt_emulator *e);
/* In the order in which the types were made. Errors: HTMT_EINVAL (there is none). */
int htmt_profiled_at(const struct htmt_emulator *e, uint32_t index, struct htmt_profiled *profiled);

/* How the clock went. */
struct htmt_clock_report {
    const char *in_order; /* why it was sequential; NULL: it went by windows. The emulator's */
    htmt_time lookahead;  /* fs: width of a window; HTMT_TIME_MAX: no slice hears of another */
    uint64_t windows;     /* in which there were events */
    uint32_t partitions;  /* of slices; 1: one clock has played all */
    uint32_t threads;     /* that played them, in each process */
    uint32_t ranks;       /* processes that played them; 1 where each has played all */
    uint64_t shared;      /* windows that several threads played: the others had few events */
    int64_t awaited;      /* ns of host time in which the caller's thread awaited the others, ranks
                             included */
};
void htmt_clock_report(const struct htmt_emulator *e, struct htmt_clock_report *report);

enum htmt_resource_kind { HTMT_BANK, HTMT_LINK_OUT, HTMT_LINK_IN };

/* A kind of resource, summed over the slices. */
struct htmt_resource_report {
    char name[2 * HTMT_NAME_MAX + 8]; /* "SPELL", "vortex dram out", "rti cram out" */
    enum htmt_resource_kind kind;
    uint32_t layer, network;                /* network: of links */
    uint32_t count;                         /* servers or channels of one slice */
    uint64_t served;                        /* services or messages */
    uint64_t words;                         /* moved; of links */
    htmt_wide busy, waited, queue_integral; /* fs; fs; fs * items: equals waited */
    uint64_t max_queue;                     /* in any one slice */
};
uint32_t htmt_resource_count(const struct htmt_emulator *e);
int htmt_resource_at(const struct htmt_emulator *e, uint32_t index,
                     struct htmt_resource_report *report);
/* Places that have this resource, over which its sums are: the slices; 1 of a host's processor and
 * its bus. 0: there is no such resource. */
uint32_t htmt_resource_places(const struct htmt_emulator *e, uint32_t index);

/* What is inside a network whose machine says so: sums over its ports. */
struct htmt_inside_report {
    uint32_t network;
    uint32_t channels, planes;        /* ports: channels * planes */
    uint64_t packets, hops;           /* sent by slices; entries into a channel */
    htmt_uwide bytes;                 /* sent, headers included */
    uint64_t contentions;             /* packets that found a port not free and queued */
    htmt_wide busy, blocked, waiting; /* fs of all ports: in use, held and idle, for a packet that
                                         comes again */
    htmt_uwide queued;                /* fs * packets */
};
/* Errors: HTMT_EINVAL: the network has no ports inside, or the run is not over. */
int htmt_inside_at(const struct htmt_emulator *e, uint32_t network,
                   struct htmt_inside_report *report);

/* One port: where packets leave an element for a channel. */
struct htmt_port_report {
    char name[64]; /* "switch 3 port 2", "end 7" */
    uint32_t network, channel, plane;
    uint64_t packets, bytes, contentions;
    htmt_wide busy, blocked, waiting, idle; /* fs; together htmt_predicted() */
    htmt_uwide queued;                      /* fs * packets */
    uint64_t max_queue;
};
/* By plane, then channel. Errors as above. */
int htmt_port_at(const struct htmt_emulator *e, uint32_t network, uint32_t index,
                 struct htmt_port_report *report);

/* A layer whose processors route and copy packets (inside.router), over all slices. */
struct htmt_routing_report {
    char name[HTMT_NAME_MAX]; /* "T805" */
    uint32_t layer, count;    /* processors of a slice */
    uint64_t packets;         /* that came to a router */
    htmt_wide route, copy;    /* fs */
    htmt_wide put_off;        /* of this, fs that services were put off by */
    htmt_wide busy;           /* fs: services, which are as long as without, and routing */
};
/* Errors: HTMT_EINVAL: no router is in the layer, or it takes no time. */
int htmt_routing_at(const struct htmt_emulator *e, uint32_t layer,
                    struct htmt_routing_report *report);

/* Over (time, channel, slice, packet, plane) of every entry of a packet's head into a channel, by
 * the slices that the ports belong to. 0: no network has ports inside. */
uint64_t htmt_network_history(const struct htmt_emulator *e);

struct htmt_memory_report {
    char name[HTMT_NAME_MAX]; /* "CRAM" */
    uint32_t layer;
    uint64_t capacity;                 /* words a slice, reserve not included */
    uint64_t peak;                     /* in the fullest slice */
    uint64_t resident;                 /* of objects, in that slice */
    htmt_wide stalled, queue_integral; /* fs waited for space, over all slices; equal */
    uint64_t max_queue;
    htmt_uwide taken, given; /* words, over all slices */
};
int htmt_memory_at(const struct htmt_emulator *e, uint32_t layer,
                   struct htmt_memory_report *report);
/* Places that have this layer's memory: the slices; 1 of a host's layer. 0: there is no such layer.
 */
uint32_t htmt_memory_places(const struct htmt_emulator *e, uint32_t layer);

/* One stage of one parcel type, over all slices. */
struct htmt_phase_report {
    char type[64];
    enum htmt_stage_id stage;
    uint32_t resource; /* of htmt_resource_at() */
    uint64_t count;    /* services or moves */
    htmt_uwide words;  /* moved */
    htmt_uwide ops[HTMT_OP_CLASSES];
    htmt_wide busy;        /* fs of service */
    htmt_wide waited;      /* fs for the resource (space not included) */
    htmt_wide stalled;     /* fs for space, before a move */
    htmt_time longest;     /* service */
    htmt_time first, last; /* end of the first and of the last one; 0: none has ended */
};
uint32_t htmt_phase_count(const struct htmt_emulator *e);
int htmt_phase_at(const struct htmt_emulator *e, uint32_t index, struct htmt_phase_report *report);

/* Places that a kernel's accesses go to; regions and uses beyond the eighth count as the eighth. */
enum htmt_miss_kind {
    HTMT_MISS_REGION,
    HTMT_MISS_USE = 8,
    HTMT_MISS_ARGUMENTS = 16,
    HTMT_MISS_RESULT,
    HTMT_MISS_STACK,
    HTMT_MISS_IMAGE,
    HTMT_MISS_CONSTANTS,
    HTMT_MISS_OTHER,
    HTMT_MISS_KINDS
};

/* Where the time of a stage's services went that took what their own operations took
 * (htmt_options.operations), over all slices. */
enum htmt_operations_part {
    HTMT_OPERATIONS_ISSUE,
    HTMT_OPERATIONS_UNITS,
    HTMT_OPERATIONS_CHAIN,
    HTMT_OPERATIONS_L1,
    HTMT_OPERATIONS_L2,
    HTMT_OPERATIONS_BUS,
    HTMT_OPERATIONS_PAGES,
    HTMT_OPERATIONS_REFRESH,
    HTMT_OPERATIONS_BRANCHES,
    HTMT_OPERATIONS_PARTS
};
struct htmt_operations_report {
    char type[64];
    enum htmt_stage_id stage;
    uint32_t resource;                     /* of htmt_resource_at() */
    uint64_t services;                     /* timed so */
    uint64_t counted;                      /* the others of the stage */
    char why[200];                         /* why those were not; empty: there are none, or
                                              their processor has no inside */
    htmt_wide part[HTMT_OPERATIONS_PARTS]; /* fs; their sum is the services' time */
    uint64_t instructions, loads, stores, l1_misses, l1_code_misses, l2_misses, write_backs,
        page_hits, page_misses, branches_missed;
    uint64_t misses[HTMT_MISS_KINDS]; /* of the first cache, those of code as well */
};
/* Of the stages with kernels, without htmt_options.operations none. Errors: HTMT_EINVAL. */
uint32_t htmt_operations_count(const struct htmt_emulator *e);
int htmt_operations_at(const struct htmt_emulator *e, uint32_t index,
                       struct htmt_operations_report *report);

/* One kind of departure (parcels/parcel.h) of one type, over all slices; with htmt_options.lint. */
struct htmt_departure_report {
    char type[64];
    enum htmt_departure kind;
    bool declared;
    uint64_t count;   /* uses of resident state, later fibers, messages; 0: it did not depart */
    htmt_uwide words; /* that percolation would move in and out, or that were sent */
    htmt_wide time;   /* fs: charges of moving them by the memories before, one by one */
};
uint32_t htmt_departure_count(const struct htmt_emulator *e);
int htmt_departure_at(const struct htmt_emulator *e, uint32_t index,
                      struct htmt_departure_report *report);

/* What belongs to one section (htmt_section()), over all slices. An interval belongs to the section
 * of the slice whose server, channel or memory it is: of a message to the source's while it has or
 * awaits a channel out, to the target's for a channel in. Sums over all sections equal `busy` and
 * `waited` of htmt_resource_at() and `stalled` of htmt_memory_at(), each, once the run is over. In
 * the order in which the sections began, of those that began at once by name; section "" first. */
struct htmt_section_report {
    char name[64];
    htmt_wide busy;    /* fs of services, and of messages in channels */
    htmt_wide waited;  /* fs for servers and channels */
    htmt_wide stalled; /* fs for space */
    htmt_wide time;    /* fs of virtual time that the slices spent in it; of all sections: slices
                          times htmt_predicted() */
};
/* 0: the program declared none. */
uint32_t htmt_section_count(const struct htmt_emulator *e);
int htmt_section_at(const struct htmt_emulator *e, uint32_t index,
                    struct htmt_section_report *report);
/* Of one resource in that section; either may be NULL. */
int htmt_section_resource_at(const struct htmt_emulator *e, uint32_t index, uint32_t resource,
                             htmt_wide *busy, htmt_wide *waited);

/* Conservation, in 128-bit integers: words and busy time of the phases are those of the resources;
 * queue integrals equal sums of waits; busy <= servers * makespan; words taken = given + resident;
 * sums over sections equal totals. Inside networks, once a run is complete: packets and bytes that
 * came into an element are those that left it, but for headers' ports; packets of all ports are the
 * hops.
 * Errors: HTMT_EAUDIT, with the line in *fault. */
int htmt_audit(const struct htmt_emulator *e, struct htmt_fault *fault);

/* What a run that succeeded left over though its program seems to have meant otherwise, a line
 * each: mail that nobody took, signals that did not count a slot down to zero. In a checked run
 * they end it with HTMT_ELEFT. Before them, types whose services a profile times. NULL: no such
 * note. The emulator owns the text. */
uint32_t htmt_note_count(const struct htmt_emulator *e);
const char *htmt_note_at(const struct htmt_emulator *e, uint32_t index);

/* After HTMT_EDEADLOCK: every parcel and fiber that waits, for which memory, gate or slot, who
 * holds it (of many the first) or was to signal it, the collectives that some slices have not
 * joined, and the cycle if there is one. Errors: HTMT_EINVAL (it is none), HTMT_EIO, HTMT_ENOMEM.
 */
int htmt_deadlock_print(const struct htmt_emulator *e, FILE *out);

#ifdef __cplusplus
}
#endif

#endif
