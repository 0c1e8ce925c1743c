/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: with htmt_options.checked each slice's state lies in pages of its own, which
 * are unreadable while another slice plays: its resources, entities, arguments, mailboxes and nodes
 * of collectives. What is on its way between slices belongs to none. Bytes of objects, state of the
 * models inside networks and data of the program are not guarded, and a run with what-if moves,
 * which take room at both ends of a message at once, is not. A touch of another slice's
 * state ends the process by a segmentation fault at the place that is wrong.
 */
#ifndef HTMT_PARCELS_CLOCK_PAGE_GUARD_H
#define HTMT_PARCELS_CLOCK_PAGE_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct htmt__guard;

#define HTMT__GUARD_BYTES ((size_t)1 << 26) /* of address space for a slice's pages */

/* Everything may be touched at first. Errors: HTMT_ENOMEM. */
int htmt__guard_create(struct htmt__guard **guard, uint32_t slices);
/* Clears *guard; NULL accepted. */
void htmt__guard_destroy(struct htmt__guard **guard);
/* The pages of slice 0; those of slice i begin i * HTMT__GUARD_BYTES further. */
char *htmt__guard_pages(const struct htmt__guard *guard);
/* Cleared memory of a slice, to be touched now; freed with the guard. NULL: no room. */
void *htmt__guard_alloc(struct htmt__guard *guard, uint32_t slice, size_t size);
/* The slice whose pages hold that address; false: none does. */
bool htmt__guard_slice(const struct htmt__guard *guard, const void *at, uint32_t *slice);
/* That slice plays, all others are shut; all are open. */
void htmt__guard_enter(struct htmt__guard *guard, uint32_t slice);
void htmt__guard_open(struct htmt__guard *guard);

#endif
