/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plain kernels once more, for the clock: where the plain ones are recorded, these are not.
 */
#define LOOP(name) htmt__kernels_timed_##name
#include "apps/kernels/loops_text.h"
