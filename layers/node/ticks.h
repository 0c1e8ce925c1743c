/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A node counts in ticks, so that sums of its figures are exact: a tick is one part of `scale` of a
 * femtosecond, and `scale` the least common multiple of the figures' denominators, where it is
 * small; else each figure is rounded once.
 */
#ifndef HTMT_LAYERS_NODE_TICKS_H
#define HTMT_LAYERS_NODE_TICKS_H

#include "layers/node/figures.h"

/* Ticks that a service may take. */
#define HTMT__TICKS_MOST (INT64_C(1) << 61)

uint64_t htmt__ticks_scale(const struct htmt__node_figures *figures);
/* Ticks of n times the ratio, rounded half up; HTMT__TICKS_MOST where it is more. */
htmt_time htmt__ticks(struct htmt_ratio ratio, uint64_t n, uint64_t scale);
/* Femtoseconds, rounded half up. */
htmt_time htmt__ticks_time(htmt_time ticks, uint64_t scale);

#endif
