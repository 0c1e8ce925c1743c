/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: whose time it was, section by section. There is nothing of this, and nothing
 * is timed by it, until a program declares its first section.
 */
#ifndef HTMT_PARCELS_OBSERVE_SECTION_H
#define HTMT_PARCELS_OBSERVE_SECTION_H

#include "parcels/clock/rank.h"

/* Over all sections and slices. */
htmt_wide htmt__sections_busy(const struct htmt_emulator *e, uint32_t resource);
htmt_wide htmt__sections_waited(const struct htmt_emulator *e, uint32_t resource);
htmt_wide htmt__sections_stalled(const struct htmt_emulator *e, uint32_t layer);
htmt_wide htmt__sections_time(const struct htmt_emulator *e);
/* In the order in which they were declared, "" first; NULL: there are no more. */
const char *htmt__section_name(const struct htmt_emulator *e, uint32_t number);
/* The number of the section that the slice came to last; 0: "". */
uint32_t htmt__section_of(const struct htmt_emulator *e, uint32_t slice);
/* Those of all partitions are declared in the whole, in the order of turns. Errors (latched):
 * HTMT_ENOMEM. */
void htmt__sections_join(struct htmt_emulator *whole);
/* The number in the whole of one of a partition. */
uint32_t htmt__section_number(const struct htmt_emulator *whole, const struct htmt_emulator *part,
                              uint32_t number);
void htmt__sections_destroy(struct htmt_emulator *e);
/* Of every emulator. */
extern const struct htmt__section_operations htmt__section_operations;

#endif
