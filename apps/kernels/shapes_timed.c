/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Once more, for the clock: where the plain ones are recorded, these are not. The same compiler
 * makes them, where it is there.
 */
#define LOOP(name) htmt__kernels_timed_##name
#include "apps/kernels/shapes_text.h"
