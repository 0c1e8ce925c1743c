/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What changed from run A to run B, by cause.
 *
 * Three views of the change of the predicted time, each of which adds up to it:
 *  - causes: the critical paths of both runs, exactly, in fs (both ran with --explain);
 *  - a resource: the change of its busy time a server, plus that of its time at rest;
 *  - phases: those of one resource add up to the change of its busy time a server.
 * Rows come in the order of their part in the change, the largest first.
 */
#ifndef HTMT_EMUL_LIB_REPORT_DIFFERENCE_H
#define HTMT_EMUL_LIB_REPORT_DIFFERENCE_H

#include "emul/lib/report/document.h"

/* One thing of both runs; NULL: that run has none. */
struct htmt__match {
    const void *a, *b;
    double from,
        to;        /* its time in both, 0 where there is none; what time, struct difference says */
    double weight; /* part of the change, as a positive number */
    unsigned order;
};

struct htmt__matches {
    unsigned count;
    size_t room;
    struct htmt__match *match;
};

/* Something that was put in. */
struct htmt__input_change {
    const char *kind; /* "figure of the machine", "option", ... */
    char name[120], a[120], b[120];
};

struct htmt__difference {
    const struct htmt__document *a, *b;
    htmt_time change; /* of the predicted time, B - A */
    unsigned inputs;
    size_t room; /* of them */
    struct htmt__input_change *input;
    bool figures; /* the figures of both machines could be read */
    bool explained;
    /* Of struct htmt__cause: fs on the path. */
    struct htmt__matches causes;
    /* Of struct htmt__resource, those in use, and htmt__stage: seconds that a server was busy. */
    struct htmt__matches resources, phases;
    /* Of struct htmt__memory: stall of a slice, in seconds. */
    struct htmt__matches memories;
    /* Of struct htmt__inside_sums and htmt__port_sums: seconds that a port was not free. */
    struct htmt__matches insides, ports;
    /* Of struct htmt__routing_sums: seconds that a processor routed. */
    struct htmt__matches routing;
};

/* Both documents must outlive it. The caller calls htmt__difference_clear(), also after an error.
 * Errors: HTMT_ENOMEM. */
int htmt__difference_make(const struct htmt__document *a, const struct htmt__document *b,
                          struct htmt__difference *x);
void htmt__difference_clear(struct htmt__difference *x);

/* A sum over the ports of a network as that of a port on average; 0 of no network. */
double htmt__inside_busy_of(const struct htmt__inside_sums *s);
double htmt__inside_blocked_of(const struct htmt__inside_sums *s);

/* The comparison for people. Errors: HTMT_ENOMEM. */
int htmt__difference_print(const struct htmt__difference *x, FILE *out);
/* For programs (docs/report.md); NULL: out of memory. */
json_t *htmt__difference_json(const struct htmt__difference *x);

#endif
