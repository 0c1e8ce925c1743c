/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Results of a run or model run as plain data: report and JSON need no emulator. Shares are shares
 * of the predicted virtual time.
 */
#ifndef HTMT_EMUL_LIB_QUESTIONS_RESULTS_H
#define HTMT_EMUL_LIB_QUESTIONS_RESULTS_H

#include "apps/lib/task_parts.h"
#include "emul/report/htmt_report.h"

#include <stdbool.h>

extern const char *const htmt__op_names[HTMT_OP_CLASSES];   /* "loads" */
extern const char *const htmt__op_figures[HTMT_OP_CLASSES]; /* "load": key of the rate in a machine
                                                               file's processor */

/* A longest queue that is not known. */
#define HTMT__UNTOLD UINT64_MAX

/* One stage of one parcel type. */
struct htmt__stage {
    char type[64];
    const char *stage;
    char resource[2 * HTMT_NAME_MAX + 8];
    uint64_t parcels; /* services or moves */
    double quantity;  /* words moved, or operations of the most frequent class; else parcels */
    const char *unit; /* "words", "cycles", "flop", ..., "parcels" */
    struct htmt__classes {
        double of[HTMT_OP_CLASSES]; /* operations, by class */
    } classes;
    double mean_s;        /* of a service or move */
    double mean_wait_s;   /* for the resource */
    double mean_stall_s;  /* for space */
    double mean_pause_s;  /* behind a service, which its server waited for */
    double kernels_s;     /* that its kernels took on this host; 0: nobody asked */
    uint64_t parallelism; /* servers or channels of all slices */
    double utilization;
};

struct htmt__resource {
    char name[2 * HTMT_NAME_MAX + 8];
    const char *kind;                     /* "bank", "link out", "link in" */
    uint32_t layer;                       /* index of its memory */
    char layer_name[HTMT_NAME_MAX];       /* "cram" */
    struct htmt__peak {                   /* a second, of all servers or channels; 0: no bound */
        double of_class[HTMT_OP_CLASSES]; /* operations; of banks */
        double words;                     /* of links */
    } peak;
    uint64_t count; /* servers or channels of all slices */
    uint64_t served;
    double words, busy_s, utilization, mean_wait_s;
    double paused_s; /* that servers were held and not in use */
    /* What sets the pace of a link: "rate", "DRAM access", "start-up", "inside of the network"; "":
     * nothing does, or it is no link. */
    char term[HTMT_NAME_MAX + 16];
    double mean_queue; /* items waiting, averaged over time and slices */
    uint64_t max_queue;
};

struct htmt__memory {
    char name[HTMT_NAME_MAX];
    uint64_t count; /* one per slice */
    uint64_t capacity_words, peak_words, resident_words;
    double stall_s;    /* sum of waits for space over all slices */
    double mean_queue; /* moves waiting for space, averaged over time and slices */
    uint64_t max_queue;
};

/* What held the run back. */
struct htmt__limit {
    struct htmt_limit_report report;
    bool latency;      /* of a network: messages in flight */
    double path_share; /* of the critical path; not a number: the run was not explained */
};

/* Messages of a network that are in flight in a slice, averaged over time and slices. */
struct htmt__in_flight {
    char name[2 * HTMT_NAME_MAX + 8]; /* "vortex latency" */
    double mean;
    double most; /* in the slice that sends most, if messages are alike: as its channels are busy */
};

/* Operations of a class for which a processor has no rate: they took no time. */
struct htmt__unpriced {
    char text[300]; /* a line for people */
};

/* How the slices share the use of a resource, or the waits for space in a memory. A mean over
 * slices says nothing of the one that all others wait for. */
#define HTMT__SPREAD_RANGES 64
struct htmt__spread {
    char name[2 * HTMT_NAME_MAX + 8];  /* of the resource, or "CRAM space" */
    uint64_t slices, idle;             /* idle: in which nobody used it, or waited for space */
    uint64_t busiest;                  /* the first of the slices that used it most */
    double mean_share, busiest_share;  /* of the predicted time that a server was in use; not a
                                          number: of a memory */
    uint64_t queued;                   /* the first of the slices in which most waited */
    double mean_queue, most_queue;     /* waiting, averaged over time: in all slices, in that one */
    unsigned ranges;                   /* 0: all slices are alike */
    double range[HTMT__SPREAD_RANGES]; /* as many equal ranges of slices: the largest share, of a
                                          memory the longest mean queue, in each */
};

/* What the program named by htmt_section(); sums over all slices. */
struct htmt__section_time {
    char name[64];
    double time_s; /* virtual time that slices spent in it */
    double share;  /* of the virtual time of all slices */
    double busy_s, wait_s, stall_s;
};

/* What is inside a network whose machine says so: sums over its ports. */
struct htmt__inside_sums {
    char name[HTMT_NAME_MAX];
    uint64_t ports, packets, hops, contentions;
    double bytes; /* sent, headers included */
    double busy_s, blocked_s, waiting_s;
    double mean_queue; /* packets waiting at a port, averaged over time and ports */
    uint64_t lane_classes, lanes, lanes_added; /* of `classes: auto`; else zeros */
    unsigned adds_lanes;                       /* they are there */
};

/* A port that packets passed. */
struct htmt__port_sums {
    char network[HTMT_NAME_MAX], name[64];
    uint64_t plane, packets, bytes, contentions, max_queue;
    double busy_s, blocked_s, waiting_s, idle_s;
    double busy_share, blocked_share, waiting_share, idle_share; /* of the predicted time */
    double mean_queue;
};

/* A layer whose processors route packets, over all slices. */
struct htmt__routing_sums {
    char name[HTMT_NAME_MAX], layer[HTMT_NAME_MAX]; /* "T805", "node" */
    uint64_t count, packets;                        /* count: processors */
    double route_s, copy_s;
    double put_off_s;   /* of this: services were put off by it */
    double busy_s;      /* services, which are as long as without, and routing */
    double utilization; /* by both */
};

/* A Data Vortex: packets on their way, and in front of it. */
struct htmt__vortex_sums {
    char network[HTMT_NAME_MAX];
    uint64_t packets, deflections; /* that entered */
    uint64_t waited;               /* of them, to enter; until then, in all and in the mean: */
    double wait_s, mean_wait_s;
};

/* One of its cylinders, the outer one first. */
struct htmt__cylinder_sums {
    char network[HTMT_NAME_MAX];
    uint64_t cylinder, nodes;
    uint64_t packets; /* moves out of its nodes: each takes a slot */
    uint64_t deflections;
    double load; /* of its nodes' slots */
};

/* A stage with kernels under --timing operations: where the time of its services went. */
struct htmt__operations_sums {
    char type[64];
    const char *stage;
    char resource[2 * HTMT_NAME_MAX + 8];
    uint64_t services, counted; /* timed by operations; by counts */
    char why[200];              /* why by counts; "": none were */
    double part_s[HTMT_OPERATIONS_PARTS], time_s;
    uint64_t instructions, loads, stores, l1_misses, l1_code_misses, l2_misses, write_backs,
        page_hits, page_misses, branches_missed;
};

/* Misses of the first cache, data and code, by what the accesses went to. */
struct htmt__miss_sums {
    char type[64];
    const char *stage;
    char place[32]; /* "region 0", "stack" */
    uint64_t misses;
};

/* How the clock went. Strings are the emulator's, or of what the results were read from. */
struct htmt__clock_kind {
    const char *kind;    /* "windows", "sequential"; NULL: not told */
    const char *reason;  /* why it was sequential; else NULL */
    htmt_time lookahead; /* width of a window; HTMT_TIME_MAX: there is one window of all time */
    uint64_t windows;    /* in which there were events; 0: sequential */
    uint64_t partitions; /* of slices; 0: not told */
    uint64_t threads;    /* that played them, in each process */
    uint64_t ranks;      /* processes that played them; 0: not told */
    uint64_t shared;     /* windows that several threads played */
    double awaited_s;    /* host time in which the clock's first thread awaited the others */
};

struct htmt__results {
    uint32_t slices;
    htmt_time predicted;
    bool steered; /* a model run of a program that goes by data; not read back: there is a note */
    uint64_t parcels, events, history_hash;
    unsigned old_histories;   /* 1: asked for by --old-history */
    uint64_t old_history;     /* emul/lib/questions/old_history.h */
    uint64_t network_history; /* of hops; 0: no network has ports inside */
    unsigned phase_count, resource_count, memory_count, section_count, limit_count, inside_count,
        port_count, routing_count, vortex_count, cylinder_count, spread_count, unpriced_count,
        flight_count;
    struct htmt__stage *phase;
    struct htmt__resource *resource;
    struct htmt__memory *memory;        /* outermost first */
    struct htmt__section_time *section; /* in the order in which they began */
    struct htmt__unpriced *unpriced;    /* by processor, then class; not read back: a document has
                                           them as warnings */
    struct htmt__spread *spread;    /* resources that were used, then memories that were waited for;
                                       none if slices were folded, or there is one */
    struct htmt__in_flight *flight; /* networks with any; for the limits, not read back */
    struct htmt__inside_sums *inside;
    struct htmt__routing_sums *routing; /* by layer */
    struct htmt__vortex_sums *vortex;   /* by network; its cylinders stand together */
    struct htmt__cylinder_sums *cylinder;
    unsigned operations_count, miss_count;
    struct htmt__operations_sums *operations; /* in the order of phases */
    struct htmt__miss_sums *miss;             /* of them, none with 0 */
    struct htmt__port_sums *port; /* network by network, in the order of their numbers */
    struct htmt__limit *limit;    /* the worst first (rule: emul/lib/questions/bottleneck.c) */
    struct htmt_host_report host;
    struct htmt__clock_kind clock;
};

extern const char htmt__clock_windows[], htmt__clock_sequential[]; /* kinds */

/* What the report of a model run says of it. */
#define HTMT__STEERED                                                                              \
    "the program goes by data, which a model run does not have: counts such as iterations "        \
    "are its own bounds, and the time is that of these counts"

/* Collects all results from an emulator that ran, completely or not. Errors: HTMT_ENOMEM. On
 * success the caller calls htmt__results_clear(). */
int htmt__results_collect(const struct htmt_emulator *e, struct htmt__results *results);
void htmt__results_clear(struct htmt__results *results);

/* 0: there was no window. */
double htmt__events_per_window(const struct htmt__results *r);

/* Adds one; `share` is NULL of a memory. Both have a figure for each slice, by its number: the
 * share of time in which a server was in use, and the mean number of those that waited. There is
 * room. */
void htmt__results_spread(struct htmt__results *r, const char *name, uint32_t slices,
                          const double *share, const double *queue);
/* Whether the busiest slice says something else than the mean: by more than a twentieth. */
bool htmt__results_busier(const struct htmt__spread *s);
/* The same, or the slice where most wait does, and a tenth of one waits there. */
bool htmt__results_uneven(const struct htmt__spread *s);
/* The share of the predicted time that the servers of the resource were held by pauses, and not in
 * use; whether any resource has one. */
double htmt__results_paused(const struct htmt__results *r, const struct htmt__resource *of);
bool htmt__results_pause(const struct htmt__results *r);
/* NULL: nothing is known. */
const struct htmt__spread *htmt__results_spread_of(const struct htmt__results *r, const char *name);

/* Fills limit[], with room for 2 * resource_count + memory_count entries. `x`: the critical path,
 * if it was asked for; else NULL, or one that was not made. */
struct htmt__explanation;
void htmt__results_rank(struct htmt__results *results, const struct htmt__explanation *x);
/* The name of the first entry; not `by_path`: by use, as it is without an explanation, for who
 * compares with a run that has none. NULL: there is no entry. */
const char *htmt__results_worst(const struct htmt__results *r, bool by_path);

#endif
