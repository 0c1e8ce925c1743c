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
    double weight; /* part of the change, as a positive number */
    unsigned order;
};

struct htmt__matches {
    unsigned count;
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
    struct htmt__input_change *input;
    bool figures; /* the figures of both machines could be read */
    bool explained;
    struct htmt__matches causes;    /* of struct htmt__cause */
    struct htmt__matches resources; /* of struct htmt__resource, those in use */
    struct htmt__matches phases;    /* of struct htmt__stage */
    struct htmt__matches memories;  /* of struct htmt__memory */
    struct htmt__matches insides;   /* of struct htmt__inside_sums */
    struct htmt__matches ports;     /* of struct htmt__port_sums */
    struct htmt__matches routing;   /* of struct htmt__routing_sums */
};

/* Both documents must outlive it. The caller calls htmt__difference_clear(), also after an error.
 * Errors: HTMT_ENOMEM. */
int htmt__difference_make(const struct htmt__document *a, const struct htmt__document *b,
                          struct htmt__difference *x);
void htmt__difference_clear(struct htmt__difference *x);

/* Seconds that a server was busy on average, with this resource or in this phase; 0 of NULL. */
double htmt__busy_of(const struct htmt__resource *r);
double htmt__phase_busy_of(const struct htmt__stage *p);
/* Stall of a slice, in seconds. */
double htmt__stall_of(const struct htmt__memory *m);

/* Seconds that a port was not free, on average; those of one port. 0 of NULL. */
double htmt__inside_held_of(const struct htmt__inside_sums *s);
double htmt__port_held_of(const struct htmt__port_sums *p);
/* Seconds that a processor routed, on average. 0 of NULL. */
double htmt__routing_of(const struct htmt__routing_sums *r);

/* The comparison for people. Errors: HTMT_ENOMEM. */
int htmt__difference_print(const struct htmt__difference *x, FILE *out);
/* For programs (docs/report.md); NULL: out of memory. */
json_t *htmt__difference_json(const struct htmt__difference *x);

#endif
