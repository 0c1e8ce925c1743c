/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How slices share a resource. A mean over slices cannot tell a resource that all use a little from
 * one that a single slice uses all the time, and the latter is what everybody else waits for. So
 * the busiest slice stands beside the mean, with the number of slices that are idle.
 *
 * For pictures the slices are cut into at most 64 equal ranges, each with its largest figure: of
 * 4096 slices range 0 has slices 0 to 63. The largest, not the mean of a range, so that no hot
 * slice disappears however many slices there are.
 */
#include "emul/lib/questions/results.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define UNEVEN 1.05 /* so many times the mean are told apart from it */

void htmt__results_spread(struct htmt__results *r, const char *name, uint32_t slices,
                          const double *share, const double *queue)
{
    const double *figure = share ? share : queue;
    struct htmt__spread *to = &r->spread[r->spread_count++];
    *to = (struct htmt__spread){.slices = slices};
    snprintf(to->name, sizeof to->name, "%s", name);
    double sum = 0, queues = 0;
    bool alike = true;
    for (uint32_t i = 0; i < slices; i++) {
        sum += figure[i];
        queues += queue[i];
        to->idle += !(figure[i] > 0);
        to->busiest = figure[i] > figure[to->busiest] ? i : to->busiest;
        to->queued = queue[i] > queue[to->queued] ? i : to->queued;
        alike &= figure[i] == figure[0];
    }
    to->mean_share = share ? sum / slices : (double)NAN;
    to->busiest_share = share ? share[to->busiest] : (double)NAN;
    to->mean_queue = queues / slices;
    to->most_queue = queue[to->queued];
    to->ranges = alike ? 0 : slices < HTMT__SPREAD_RANGES ? slices : HTMT__SPREAD_RANGES;
    for (uint32_t i = 0; i < slices && to->ranges; i++) {
        double *range = &to->range[(uint64_t)i * to->ranges / slices];
        *range = figure[i] > *range ? figure[i] : *range;
    }
}

bool htmt__results_busier(const struct htmt__spread *s)
{
    return s->busiest_share > UNEVEN * s->mean_share;
}

bool htmt__results_uneven(const struct htmt__spread *s)
{
    return htmt__results_busier(s) ||
           (s->most_queue > UNEVEN * s->mean_queue && s->most_queue > 0.1);
}

const struct htmt__spread *htmt__results_spread_of(const struct htmt__results *r, const char *name)
{
    for (unsigned i = 0; i < r->spread_count; i++)
        if (strcmp(r->spread[i].name, name) == 0)
            return &r->spread[i];
    return NULL;
}
