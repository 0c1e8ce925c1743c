/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/walk/control_call.h"
#include "parcels/walk/log.h"
#include "runtime/base/fnv.h"

#include <string.h>

bool htmt__control_deed(const void *emulator, struct htmt__deed *deed)
{
    const struct htmt_emulator *e = emulator;
    const struct htmt__entity *p = atomic_load_explicit(&e->controls, memory_order_acquire);
    const char *what = p ? "control" : "cost function";
    p = p ? p : atomic_load_explicit(&e->asked, memory_order_acquire);
    const struct htmt__step *step = p ? p->step : NULL;
    if (!step)
        return false;
    *deed = (struct htmt__deed){.what = what,
                                .type = p->type->code.name,
                                .stage = htmt_stage_name((enum htmt_stage_id)step->stage),
                                .slice = p->slice,
                                .fiber = htmt__fiber_number(p),
                                .now = e->now};
    return true;
}

void htmt__control_run(struct htmt_emulator *e, struct htmt__entity *p, const void *result)
{
    struct htmt_context *c = htmt__context_open(e, p, result);
    htmt__control_says(&e->controls, p);
    p->step->code->control(c);
    htmt__control_says(&e->controls, NULL);
    htmt__context_close();
    if (!p->worked) /* it acts after its kernel: what it charged, and all it wrote */
        for (struct htmt__entry *entry = p->log; entry; entry = entry->next)
            entry->after = true;
    if (!p->worked) {
        p->after = p->before;
        p->before = 0;
    }
}

/* ---- costs ----------------------------------------------------------------------------------- */

static void say_unsteady(struct htmt_emulator *e, const struct htmt__entity *p, const char *what)
{
    char fiber[16] = "";
    if (p->kind == HTMT__FIBER)
        snprintf(fiber, sizeof fiber, " %u", htmt__fiber_number(p));
    htmt__fail(e, HTMT_ECOST, "type %s, slice %u, %s%s, at %lld fs: the cost function %s",
               p->type->code.name, p->slice, htmt_stage_name((enum htmt_stage_id)p->step->stage),
               fiber, (long long)e->now, what);
}

static uint64_t hash_args(struct htmt__entity *p)
{
    uint64_t h = HTMT__HASH_BASIS;
    htmt__hash_bytes(&h, htmt__args(htmt__self(p)), p->type->code.args_bytes);
    return h;
}

/* It says the same again, and writes nothing. */
void htmt__expect_checked(struct htmt_emulator *e, struct htmt__entity *p, struct htmt_ops *ops)
{
    struct htmt_ops again = {{0}};
    uint64_t before = hash_args(p);
    htmt__ask_cost(p, ops);
    htmt__ask_cost(p, &again);
    if (memcmp(ops, &again, sizeof again) != 0)
        say_unsteady(e, p,
                     "says something else when it is asked again; let it depend on "
                     "arguments and user alone");
    const struct htmt__alike *last = p->step->alike;
    if (p->step->code->constant && last->time >= 0 && memcmp(ops, &last->ops, sizeof *ops) != 0)
        say_unsteady(e, p, "says something else than of the parcel before, though it is constant");
    if (before != hash_args(p))
        say_unsteady(e, p, "changed its arguments, which it may only read");
}
