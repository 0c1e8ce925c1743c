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

#include "emul/lib/trace/path.h"

enum htmt__gain_kind {
    HTMT__GAIN_RESOURCE,
    HTMT__GAIN_SPACE, /* of a memory: only on_path, intervals (waits) and gain */
    HTMT__GAIN_TYPE,
    HTMT__GAIN_KINDS
};
const char *htmt__gain_kind_name(enum htmt__gain_kind kind); /* "resource" */

struct htmt__gain_row {
    enum htmt__gain_kind kind;
    uint32_t of; /* the resource or layer; of a type UINT32_MAX */
    char name[2 * HTMT_NAME_MAX + 8];
    htmt_time on_path;            /* time of the path that its services take */
    uint64_t intervals, critical; /* critical: without slack */
    htmt_time least, median;      /* slack; of an even count the smaller one of both */
    htmt_time gain;
};

/* Resources, then memories, then types; those without intervals are left out. */
struct htmt__gains {
    struct htmt__gain_row *row;
    uint32_t count;
    uint64_t cut; /* references left out: they lead to intervals that ended later, or in a circle */
};

/* Takes 34 to 42 bytes for each interval of the trace: 10^7 intervals take 340 MB. The caller gives
 * *gains to htmt__gains_clear(), after an error, too. Errors: HTMT_ENOMEM, HTMT_EHOSTFIT (2^32 - 1
 * intervals or more, 2^16 steps or more), HTMT_EFORMAT, those of htmt_trace_block_read(). */
int htmt__gains_find(struct htmt_trace *t, const struct htmt__trace_path *path,
                     struct htmt__gains *gains, struct htmt_fault *fault);
void htmt__gains_clear(struct htmt__gains *gains);

#endif
