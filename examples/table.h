/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HTMT_EXAMPLES_TABLE_H
#define HTMT_EXAMPLES_TABLE_H

#include "apps/table.h"

extern const struct htmt_app htmt_app_dot;

#endif
