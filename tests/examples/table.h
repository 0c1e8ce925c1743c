/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HTMT_TESTS_EXAMPLES_TABLE_H
#define HTMT_TESTS_EXAMPLES_TABLE_H

#include "tests/apps/table.h"

extern const struct htmt_app htmt_app_dot;

#endif
