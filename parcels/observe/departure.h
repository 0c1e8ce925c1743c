/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: where a program departs from percolation; htmt_options.lint.
 */
#ifndef HTMT_PARCELS_OBSERVE_DEPARTURE_H
#define HTMT_PARCELS_OBSERVE_DEPARTURE_H

struct htmt_emulator;

/* The emulator has a lint probe from now on. */
void htmt__lint_watch(struct htmt_emulator *e);

#endif
