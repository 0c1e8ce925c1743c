/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: a round of a collective that not all slices have joined.
 */
#ifndef HTMT_PARCELS_CLOCK_ROUND_H
#define HTMT_PARCELS_CLOCK_ROUND_H

#include "parcels/message/collective.h"

/* If slices have joined more rounds than others: the first such round and who is absent, as text.
 * Else nothing. */
void htmt__round_absent(const struct htmt__collective *t, char *text, size_t size);

#endif
