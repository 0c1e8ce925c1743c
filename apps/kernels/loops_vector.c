/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compiled as the host computes fastest: with vectors.
 */
#define LOOP(name) htmt__kernels_vector_##name
#include "apps/kernels/loops_text.h"
