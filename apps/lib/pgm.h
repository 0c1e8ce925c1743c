/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A picture of a field in one call.
 */
#ifndef HTMT_APPS_LIB_PGM_H
#define HTMT_APPS_LIB_PGM_H

#include "runtime/base/error.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes width * height values, the first row on top, as a portable grey map (PGM) of 8 bits, which
 * appears whole or not at all: the least value is black, the largest white; values that are all
 * equal, and what is no finite number, are black. The same values give the same bytes. Errors:
 * HTMT_EINVAL (nothing to draw), HTMT_ENOMEM, those of htmt_whole_file_write(). */
int htmt_pgm_write(const char *path, const double *values, uint32_t width, uint32_t height,
                   struct htmt_fault *fault);

#ifdef __cplusplus
}
#endif

#endif
