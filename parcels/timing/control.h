/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the functions of a stage that the clock's thread calls: control and cost.
 */
#ifndef HTMT_PARCELS_TIMING_CONTROL_H
#define HTMT_PARCELS_TIMING_CONTROL_H

#include "parcels/timing/context.h"
#include "runtime/host/deed.h"

/* Nothing of the service is charged yet. */
static inline void htmt__control_begin(struct htmt__entity *p)
{
    p->before = p->after = 0;
    p->worked = p->ran = false;
}
/* Operations of the service's kernel by its cost function; none without one. */
void htmt__expect(struct htmt_emulator *e, struct htmt__entity *p, struct htmt_ops *ops);
/* What an emulator's control or cost function does at the moment: a htmt__deed_fn. */
bool htmt__control_deed(const void *emulator, struct htmt__deed *deed);
/* The service's control writes its log; `result`: what its kernels left. The emulator's context
 * holds what it said until the next control runs. */
void htmt__control_run(struct htmt_emulator *e, struct htmt__entity *p, const void *result);
/* Both, where no kernel has to run before: all is known at once. */
void htmt__control(struct htmt_emulator *e, struct htmt__entity *p, struct htmt_ops *ops);

#endif
