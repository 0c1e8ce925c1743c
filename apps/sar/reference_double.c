/* SPDX-License-Identifier: BSD-3-Clause */
#define REAL    double
#define PROGRAM htmt__sar_reference_double

#include "apps/sar/reference_program.h"
