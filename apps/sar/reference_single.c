/* SPDX-License-Identifier: BSD-3-Clause */
#define REAL    float
#define PROGRAM htmt__sar_reference_single

#include "apps/sar/reference_program.h"
