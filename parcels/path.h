/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Why a run took as long as it did: the critical path, followed backwards from the last event.
 *
 * Every interval of the path is a service, a channel in use, or a message in flight; it began where
 * the one before it ended, because that one brought its parcel, freed the server or channel that it
 * waited for, or gave back the words that it waited for. So the intervals add up to the predicted
 * time, exactly.
 *
 * The resource with the most time on the path is its principal one. Between two of its services
 * something else held the path: a parcel's way that began when space became free is a stall, and so
 * is what went on until then; another parcel's service that was waited for is a queue; what remains
 * are stages, latencies and signals one after another.
 */
#ifndef HTMT_PARCELS_PATH_H
#define HTMT_PARCELS_PATH_H

#include "parcels/emulator.h"

#ifdef __cplusplus
extern "C" {
#endif

enum htmt_path_cause {
    HTMT_PATH_WORK,     /* services of the principal resource */
    HTMT_PATH_FILL,     /* before the first of them */
    HTMT_PATH_QUEUE,    /* between them: another resource served others first */
    HTMT_PATH_STALL,    /* between them: a memory, or a mailbox in it, was full */
    HTMT_PATH_OVERHEAD, /* between them: stages, latencies and signals one after another */
    HTMT_PATH_DRAIN,    /* after the last of them */
    HTMT_PATH_BLOCKED,  /* a head waited for a port inside a network, whatever was before and after
                         */
    HTMT_PATH_CAUSES
};
const char *htmt_path_cause_name(enum htmt_path_cause cause); /* "stall" */

enum htmt_path_place {
    HTMT_PATH_SERVED,
    HTMT_PATH_SENT,
    HTMT_PATH_FLYING,
    HTMT_PATH_RECEIVED,
    HTMT_PATH_PAUSED
};

/* Time of one cause that went by in one stage of one type. */
struct htmt_path_part {
    enum htmt_path_cause cause;
    uint32_t of; /* QUEUE: a resource, of htmt_resource_at(). STALL: a layer. BLOCKED: a channel, of
                    htmt_port_at(). Else UINT32_MAX */
    char type[64];
    enum htmt_stage_id stage;
    enum htmt_path_place place; /* a server; a channel out; in flight; a channel in; htmt_pause() */
    uint32_t resource;          /* that was in use; UINT32_MAX in flight, and in a pause */
    const char *inside;         /* in flight: what the network has inside, "hub", or its name; NULL:
                                   not known */
    uint64_t count;             /* intervals */
    htmt_time time;
    char port[96];           /* BLOCKED: "myrinet 1.e"; who had it when a head of all of the run
                                waited longest for it: */
    uint32_t source, target; /* slices */
};

struct htmt_path {
    htmt_time total;             /* of all parts: htmt_predicted() */
    uint32_t principal;          /* resource; UINT32_MAX: the path used none */
    uint64_t length;             /* intervals */
    uint32_t count;              /* of parts */
    struct htmt_path_part *part; /* by cause, resource or layer, the longest first */
};

/* After a run with htmt_options.explain, complete or not. The caller gives *path to
 * htmt_path_clear(). Errors: HTMT_EINVAL (it was not asked for, before the run), HTMT_ENOMEM. */
int htmt_path_find(const struct htmt_emulator *e, struct htmt_path *path);
void htmt_path_clear(struct htmt_path *path);
/* Sum of a cause. */
htmt_time htmt_path_sum(const struct htmt_path *path, enum htmt_path_cause cause);

#ifdef __cplusplus
}
#endif

#endif
