/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: what a trace says of its run, as a JSON object.
 */
#ifndef HTMT_PARCELS_OBSERVE_RECORD_FOOTER_H
#define HTMT_PARCELS_OBSERVE_RECORD_FOOTER_H

#include "parcels/observe/recorder.h"

/* 0: the text is a JSON object. Errors: HTMT_EINVAL, HTMT_ENOMEM. */
int htmt__record_footer_about(const char *text);
/* The run is over. The caller frees it; NULL: out of memory. */
char *htmt__record_footer(const struct htmt_emulator *e);

#endif
