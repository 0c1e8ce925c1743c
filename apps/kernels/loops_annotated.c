/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compiled for a tape.
 */
#define HTMT_ANNOTATED
#define LOOP(name) htmt__kernels_annotated_##name
#include "apps/kernels/loops_text.h"
