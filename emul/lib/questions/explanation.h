/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Explains the time of a run: the critical path by cause (parcels/path.h), and the difference
 * between virtual clock and closed form. All times are in femtoseconds, and all sums are exact:
 *
 *     predicted = work + fill + queue + stall + overhead + drain
 *     predicted - closed form = fill + queue + stall + overhead + drain - beside
 *
 * `beside` is the part of the closed form that is not work of the principal resource of the path.
 * If the closed form has parts by cause and counts the same work, the causes are compared one by
 * one.
 */
#ifndef HTMT_EMUL_LIB_QUESTIONS_EXPLANATION_H
#define HTMT_EMUL_LIB_QUESTIONS_EXPLANATION_H

#include "apps/lib/task_parts.h"

#define HTMT__IN_PAUSE  "paused"
#define HTMT__IN_FLIGHT "in flight" /* and behind a comma the network, or what it has inside */

struct htmt__cause {
    const char *cause; /* "stall" */
    char of[160]; /* queue, work: the resource; stall: the memory; blocked: the port, and who had it
                   */
    char type[64];
    const char *stage;
    char used[2 * HTMT_NAME_MAX + 8]; /* the resource in use, "in flight, vortex" */
    uint64_t intervals;
    htmt_time time;
};

/* What the intervals of the path have in common: "network" (in its channels or in flight), "layer"
 * (at its processors), "memory" (a stall for its space) or "phase". Networks and layers add up to
 * the path; so do phases. */
struct htmt__path_share {
    const char *of;
    char name[160]; /* "vortex"; of a phase type and stage */
    htmt_time time;
};

struct htmt__results;

struct htmt__explanation {
    bool made;
    htmt_time predicted, sum[HTMT_PATH_CAUSES];
    bool has_closed_form;
    htmt_time closed_form, gap, beside;
    bool has_parts;                        /* the closed form has parts by cause */
    htmt_time more[HTMT_PATH_CAUSES];      /* with parts: sum - part; their sum is gap */
    char principal[2 * HTMT_NAME_MAX + 8]; /* "": the path used no resource */
    uint64_t intervals;
    unsigned count;
    struct htmt__cause *cause;
    unsigned shares;
    struct htmt__path_share *share; /* by `of`, the longest first */
};

/* Explains an emulator that ran with htmt_options.explain. `closed` has the closed form; NULL:
 * there is none. The caller calls htmt__explanation_clear(). Errors: HTMT_EINVAL (it ran without
 * explain), HTMT_ENOMEM. */
int htmt__explanation_make(const struct htmt_emulator *e, const struct htmt_outcome *closed,
                           struct htmt__explanation *x);
/* Fills in the shares, once results and causes are there. Errors: HTMT_ENOMEM. */
int htmt__explanation_share(struct htmt__explanation *x, const struct htmt__results *r);

/* Tables show so many rows of a cause, and of a kind of shares. */
#define HTMT__CAUSES_SHOWN 64u
/* The rows of a table of causes, from *at = 0 on: of each cause the longest ones, then one for what
 * the others add up to, whose type is how many. False: there are no more. */
bool htmt__explanation_next(const struct htmt__explanation *x, unsigned *at,
                            struct htmt__cause *row);

/* The network that messages were in flight in; "": in none. NULL: nothing was in flight. */
const char *htmt__cause_network(const struct htmt__cause *c);

void htmt__explanation_clear(struct htmt__explanation *x);

#endif
