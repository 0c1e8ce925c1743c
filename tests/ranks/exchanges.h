/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What any struct htmt_ranks must do: exchanges whose bytes each rank can compute, so that it knows
 * what must come.
 */
#ifndef HTMT_TESTS_RANKS_EXCHANGES_H
#define HTMT_TESTS_RANKS_EXCHANGES_H

#include "parcels/ranks.h"

#include <stdbool.h>

/* In turn `turn` each rank hands at most `most` bytes to each, often few, often none. False: what
 * came is not what was handed over, or an exchange failed. */
bool exchanges_agree(const struct htmt_ranks *ranks, unsigned turns, size_t most);

#endif
