/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A run's time explained, as plain data: the critical path by cause (parcels/path.h), and what
 * parts the virtual clock from the closed form. All in femtoseconds, and all sums are exact:
 *
 *     predicted = work + fill + queue + stall + overhead + drain
 *     predicted - closed form = fill + queue + stall + overhead + drain - beside
 *
 * where `beside` is what the closed form counts beside the work of the path's principal resource.
 * Where it tells its own parts by cause, and counts the same work, cause is compared with cause.
 */
#ifndef HTMT_EMUL_QUESTIONS_EXPLANATION_H
#define HTMT_EMUL_QUESTIONS_EXPLANATION_H

#include "apps/lib/app.h"

struct htmt__cause {
    const char *cause;              /* "stall" */
    char of[2 * HTMT_NAME_MAX + 8]; /* of a queue or work the resource, of a stall the memory */
    char type[64];
    const char *stage;
    char used[2 * HTMT_NAME_MAX + 8]; /* the resource in use, or "in flight" */
    uint64_t intervals;
    htmt_time time;
};

struct htmt__explanation {
    bool made;
    htmt_time predicted, sum[HTMT_PATH_CAUSES];
    bool has_closed_form;
    htmt_time closed_form, gap, beside;
    bool has_parts;                        /* of the closed form, by cause */
    htmt_time more[HTMT_PATH_CAUSES];      /* then sum - part; they add up to gap */
    char principal[2 * HTMT_NAME_MAX + 8]; /* "": the path used no resource */
    uint64_t intervals;
    unsigned count;
    struct htmt__cause *cause;
};

/* Of an emulator that ran with htmt_options.explain; `closed`: whose closed form, NULL: there is
 * none. The caller gives *x to htmt__explanation_clear(). Errors: HTMT_EINVAL (it ran without),
 * HTMT_ENOMEM. */
int htmt__explanation_make(const struct htmt_emulator *e, const struct htmt_outcome *closed,
                           struct htmt__explanation *x);
void htmt__explanation_clear(struct htmt__explanation *x);

#endif
