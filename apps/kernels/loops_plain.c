/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compiled as they stand: no vectors.
 */
#define LOOP(name) htmt__kernels_plain_##name
#include "apps/kernels/loops_text.h"
