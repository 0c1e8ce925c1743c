/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compiled as they stand, and recorded.
 */
#define LOOP(name) htmt__kernels_plain_##name
#include "apps/kernels/shapes_text.h"
