/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values of options that choose a part of a trace: slices and a stretch of virtual time.
 */
#ifndef HTMT_EMUL_LIB_OPTIONS_RANGES_H
#define HTMT_EMUL_LIB_OPTIONS_RANGES_H

#include "parcels/recording.h"
#include "runtime/base/error.h"
#include "runtime/base/ratio.h"

#include <stdint.h>

#define HTMT__RANGES_MAX 64

/* "0-3,7": at most HTMT__RANGES_MAX of them, of slices below `slices`. `name` is for the message.
 * Errors: HTMT_EUSAGE, HTMT_ERANGE. */
int htmt__options_ranges(const char *name, const char *text, uint32_t slices,
                         struct htmt_slice_range *range, uint32_t *count, struct htmt_fault *fault);

/* "10us..20us": from < to. Errors: HTMT_EUSAGE, HTMT_ERANGE. */
int htmt__options_window(const char *name, const char *text, htmt_time *from, htmt_time *to,
                         struct htmt_fault *fault);

#endif
