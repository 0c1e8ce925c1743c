/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the functions of a stage that the clock's thread calls: control and cost.
 */
#ifndef HTMT_PARCELS_WALK_CONTROL_CALL_H
#define HTMT_PARCELS_WALK_CONTROL_CALL_H

#include "parcels/clock/statistics.h"
#include "parcels/walk/context.h"
#include "runtime/host/deed.h"

/* Nothing of the service is charged yet. */
static inline void htmt__control_begin(struct htmt__entity *p)
{
    p->before = p->after = 0;
    p->worked = p->ran = false;
}
/* What an emulator's control or cost function does at the moment: a htmt__deed_fn. */
bool htmt__control_deed(const void *emulator, struct htmt__deed *deed);
/* The service's control writes its log; `result`: what its kernels left. The emulator's context
 * holds what it said until the next control runs. */
void htmt__control_run(struct htmt_emulator *e, struct htmt__entity *p, const void *result);
/* Whose function it is that runs from now on: e->asked, or e->controls. */
static inline void htmt__control_says(_Atomic(const struct htmt__entity *) *who,
                                      const struct htmt__entity *p)
{
    atomic_store_explicit(who, p, memory_order_release);
}
static inline void htmt__ask_cost(struct htmt__entity *p, struct htmt_ops *ops)
{
    p->step->code->cost(htmt__args(htmt__self(p)), p->type->code.user, ops);
}
/* In a checked run. Errors (latched): HTMT_ECOST. */
__attribute__((cold)) void htmt__expect_checked(struct htmt_emulator *e, struct htmt__entity *p,
                                                struct htmt_ops *ops);
/* Operations of the service's kernel by its cost function; none without one. They are in `ops`, or,
 * when they are the same for all, those of the service before. */
static inline const struct htmt_ops *htmt__expect(struct htmt_emulator *e, struct htmt__entity *p,
                                                  struct htmt_ops *ops)
{
    const struct htmt_stage *code = p->step->code;
    htmt__deed_turn();
    if (code->constant && p->step->alike->time >= 0 && !e->options.checked)
        return &p->step->alike->ops;
    *ops = (struct htmt_ops){{0}};
    if (!code->cost)
        return ops;
    htmt__control_says(&e->asked, p);
    if (__builtin_expect(e->options.checked, 0))
        htmt__expect_checked(e, p, ops);
    else
        htmt__ask_cost(p, ops);
    htmt__control_says(&e->asked, NULL);
    return ops;
}
/* The same, in `ops`. */
static inline void htmt__expect_here(struct htmt_emulator *e, struct htmt__entity *p,
                                     struct htmt_ops *ops)
{
    const struct htmt_ops *said = htmt__expect(e, p, ops);
    if (said != ops)
        *ops = *said;
}
/* Both, where no kernel has to run before: all is known at once. */
static inline void htmt__control(struct htmt_emulator *e, struct htmt__entity *p,
                                 struct htmt_ops *ops)
{
    htmt__control_begin(p);
    htmt__expect_here(e, p, ops);
    if (p->step->code->control)
        htmt__control_run(e, p, NULL);
}

#endif
