/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests to Cannon's multiply as its tests make them.
 */
#ifndef HTMT_TESTS_CANNON_ASKED_H
#define HTMT_TESTS_CANNON_ASKED_H

#include "tests/apps/asked.h"
#include "tests/apps/table.h"

#define ask(a, machine, slices, mode, costs, given)                                                \
    ask_app(a, &htmt_app_cannon, machine, slices, mode, costs, given)

#endif
