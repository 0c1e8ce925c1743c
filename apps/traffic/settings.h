/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Options of traffic, and the table or pattern that follows from them.
 */
#ifndef HTMT_APPS_TRAFFIC_SETTINGS_H
#define HTMT_APPS_TRAFFIC_SETTINGS_H

#include "apps/lib/request.h"
#include "apps/traffic/pattern.h"

extern const struct htmt_app_option htmt__traffic_options[];
/* `htmt export traffic`, `htmt traffic export`: the tables of the LANais. */
extern const struct htmt_app_verb htmt__traffic_verbs[];
/* Of Mermaid and of Pauer's HPSC; ends with a NULL row. */
extern const struct htmt_paper_figure htmt__traffic_paper_figures[];

enum htmt__traffic_order { HTMT__LISTED, HTMT__ROTATED };

struct htmt__traffic_settings {
    const char *table, *profile, *layer, *latencies; /* NULL: not given */
    bool has_pattern, has_period, has_order;
    struct htmt__traffic_pattern pattern; /* without nodes */
    enum htmt__traffic_order order;
    uint64_t iterations;
    htmt_time period; /* of all sources, instead of theirs */
    bool measures;    /* messages born in [from, to) */
    htmt_time from, to;
    double load;    /* of a port's rate, instead of pattern.rate; 0: not given */
    bool bernoulli; /* messages begin in a cycle of a port's word, or not */
};

/* Errors: HTMT_EUSAGE, HTMT_ERANGE, HTMT_EUNIT, HTMT_EFORMAT. */
int htmt__traffic_settings_read(const struct htmt_request *r, struct htmt__traffic_settings *s,
                                struct htmt_fault *fault);

/* Slices that a request takes part with: the nodes of its table; of a pattern, all. */
uint32_t htmt__traffic_slices(const struct htmt_request *r);

#endif
