/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plain serial program of each PrIM program, from its definition: no parcels, none of the
 * kernels' code.
 */
#ifndef HTMT_APPS_PRIM_REFERENCE_H
#define HTMT_APPS_PRIM_REFERENCE_H

#include "apps/prim/plan.h"

/* Bytes of the result. */
uint64_t htmt__prim_result_bytes(const struct htmt__prim_plan *plan);
/* Of the whole inputs; the second one may be NULL. Returns the number of elements of the result, of
 * which there is room for. */
uint64_t htmt__prim_reference(const struct htmt__prim_plan *plan, const void *first,
                              const void *second, void *result);

#endif
