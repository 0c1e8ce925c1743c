/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How the predicted time of a run changes when figures of its machine do: the one-sided derivatives
 * along all critical paths of one run.
 *
 * They are exact near the run, as long as events keep their order: a service changes as its counts
 * say, an instant that waited for several things at once with each of them. What they do not tell
 * is how far they hold, and what another order of parcels in a line would do.
 */
#ifndef HTMT_PARCELS_SLOPE_H
#define HTMT_PARCELS_SLOPE_H

#include "parcels/emulator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* After a complete run with htmt_options.slopes, which one thread plays in the order of events
 * whatever threads it has. `toward` is the run's machine with one figure, or several that are one
 * physical figure, multiplied by `factor` (above 0, not 1; 2 is exact for most figures). Each time
 * f that a machine charges is taken as a power of that figure p, with d ln f / d ln p = ln (f of
 * toward / f of the machine) / ln factor: 1 for a time, -1 for what a rate or clock makes of it, 0
 * for what does not depend on it. *larger is d ln T / d ln p of the predicted time T where p
 * grows, *smaller where p falls: derivatives both, positive if T grows and falls with p.
 * Both are 0 where T is 0. Calls for one emulator may come from several threads.
 *
 * Errors: HTMT_EINVAL: there is no such run, no machine, no place for the results, or no such
 * factor. HTMT_ENOENT: there is no derivative, for a model inside a network or a processor decides
 * on the critical path, or the machines differ in a count, a capacity or a structure; *fault (NULL
 * accepted) says which. HTMT_ENOMEM. */
int htmt_slope_find(const struct htmt_emulator *e, const struct htmt_machine *toward, double factor,
                    double *larger, double *smaller, struct htmt_fault *fault);

#ifdef __cplusplus
}
#endif

#endif
