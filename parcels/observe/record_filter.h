/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: what a recording leaves out.
 */
#ifndef HTMT_PARCELS_OBSERVE_RECORD_FILTER_H
#define HTMT_PARCELS_OBSERVE_RECORD_FILTER_H

#include "parcels/observe/recorder.h"

/* "(send)": who waits for room of a mailbox. */
#define HTMT__RECORD_SEND "(send)"

/* Copies the recording, also those it points to; *copy is to be given to
 * htmt__record_filter_free(). Errors, latched in e->fault: HTMT_EINVAL (what does not exist is
 * named, or nothing is left), HTMT_ENOMEM. */
int htmt__record_filter_copy(struct htmt_emulator *e, const struct htmt_recording *given,
                             struct htmt_recording *copy);
void htmt__record_filter_free(struct htmt_recording *copy);
/* All types are known: each that the recording names is one of them. Errors (latched):
 * HTMT_EINVAL. */
int htmt__record_filter_types(struct htmt_emulator *e, const struct htmt_recording *o);

bool htmt__record_filter_slice(const struct htmt_recording *o, uint32_t slice);
bool htmt__record_filter_step(const struct htmt_emulator *e, const struct htmt_recording *o,
                              const struct htmt__record_step *s);
bool htmt__record_filtered(const struct htmt_recording *o);

/* The layer and the resource of a step; UINT32_MAX: none. */
uint32_t htmt__record_layer(const struct htmt_emulator *e, const struct htmt__record_step *s);
uint32_t htmt__record_resource(const struct htmt__record_step *s);

#endif
