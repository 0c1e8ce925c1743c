/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: remarks of a run, for htmt_note_at().
 */
#ifndef HTMT_PARCELS_WALK_REMARK_H
#define HTMT_PARCELS_WALK_REMARK_H

#include "parcels/clock/engine.h"

#include <stdarg.h>

/* Behind those that are there; the text that stays. NULL: no memory, the run has failed. */
const char *htmt__note_add(struct htmt_emulator *e, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
void htmt__note(struct htmt_emulator *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void htmt__notes_destroy(struct htmt_emulator *e);

#endif
