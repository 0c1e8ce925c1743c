/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the resources and the types of a trace mean for the end of the run.
 *
 * Slack: how much later an interval could end, and the run would still end when it did, if all
 * causes and lines stayed as recorded.
 *
 * Gain: how much earlier the run would end, by the same causes and lines, if the services of that
 * resource or type took no time, or the memory had room for all. It is a bound of what a faster
 * one gains, as far as the recorded order tells: a faster run may serve in another order, and need
 * other resources at other times. An interval that did not wait has no line; so one that came
 * later may find its server busy, which neither figure knows.
 */
#ifndef HTMT_EMUL_LIB_TRACE_SLACK_H
#define HTMT_EMUL_LIB_TRACE_SLACK_H

#include "emul/lib/trace/graph.h"
#include "emul/lib/trace/path.h"

enum htmt__share_kind {
    HTMT__SHARE_RESOURCE,
    HTMT__SHARE_SPACE, /* of a memory: only on_path, intervals (waits) and gain */
    HTMT__SHARE_TYPE,
    HTMT__SHARE_KINDS
};
const char *htmt__share_kind_name(enum htmt__share_kind kind); /* "resource" */

struct htmt__share {
    enum htmt__share_kind kind;
    char name[2 * HTMT_NAME_MAX + 8];
    htmt_time on_path;            /* time of the path that its services take */
    uint64_t intervals, critical; /* critical: without slack */
    htmt_time least, median;      /* slack; of an even count the smaller one of both */
    htmt_time gain;
};

/* Resources, then memories, then types; those without intervals are left out. */
struct htmt__shares {
    struct htmt__share *share;
    uint32_t count;
    uint64_t cut; /* struct htmt__graph */
};

/* Memory as htmt__graph_load() says. The caller gives *shares to htmt__shares_clear(), after an
 * error, too. Errors: those of htmt__graph_load(). */
int htmt__shares_find(struct htmt_trace *t, const struct htmt__trace_path *path,
                      struct htmt__shares *shares, struct htmt_fault *fault);
void htmt__shares_clear(struct htmt__shares *shares);

#endif
