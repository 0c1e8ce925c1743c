/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which kernel, which sizes, how many turns of each.
 */
#ifndef HTMT_APPS_KERNELS_PLAN_H
#define HTMT_APPS_KERNELS_PLAN_H

#include "apps/kernels/loops.h"
#include "apps/lib/request.h"
#include "apps/lib/steps.h"

#define HTMT__KERNELS_SIZES 32

extern const struct htmt_app_option htmt__kernels_options[];

struct htmt__kernels_plan {
    const struct htmt__kernels_loop *loop;
    uint64_t number;                         /* of the loop */
    enum htmt__kernels_loop_variant variant; /* of the kernels of the run */
    uint32_t layer;
    bool clock; /* measured beside: each size has two services, of its turns and of twice as many */
    const char *plot, *csv; /* NULL: none */
    unsigned sizes;
    uint64_t n[HTMT__KERNELS_SIZES], turns[HTMT__KERNELS_SIZES];
};

/* Errors: HTMT_EUSAGE, HTMT_ERANGE, HTMT_EINVAL (no such layer). */
int htmt__kernels_plan(const struct htmt_request *r, struct htmt__kernels_plan *plan,
                       struct htmt_fault *fault);

/* What `turns` turns over n count. */
struct htmt_ops htmt__kernels_ops(const struct htmt__kernels_plan *plan, uint64_t n,
                                  uint64_t turns);
/* Turns of the longer service of a size. */
uint64_t htmt__kernels_all(const struct htmt__kernels_plan *plan, unsigned i);

/* Counted operations of all services, one after another: *total in fs; `tell` may be NULL. Errors:
 * HTMT_EOVERFLOW. */
int htmt__kernels_closed_form(const struct htmt_machine *m, const struct htmt__kernels_plan *p,
                              htmt_wide *total, struct htmt_prediction *tell,
                              struct htmt_fault *fault);

#endif
