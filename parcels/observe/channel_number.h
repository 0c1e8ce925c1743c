/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the channels of all links by number, for those who keep something of each.
 */
#ifndef HTMT_PARCELS_OBSERVE_CHANNEL_NUMBER_H
#define HTMT_PARCELS_OBSERVE_CHANNEL_NUMBER_H

#include "parcels/clock/probe.h"

/* Those of slice 0, of slice 1, ...: each slice has as many. */
size_t htmt__channel_count(const struct htmt_emulator *e);
/* The channel of that number among those of its link, or HTMT__FIRST_FREE: the one that the next
 * message of the link will occupy. */
size_t htmt__channel_of(const struct htmt_emulator *e, struct htmt__link *l, uint32_t number);

#endif
