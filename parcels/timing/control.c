/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/timing/control.h"
#include "parcels/timing/log.h"
#include "runtime/base/fnv.h"

#include <string.h>

void htmt__control_run(struct htmt_emulator *e, struct htmt__entity *p, const void *result,
                       struct htmt_context *c)
{
    htmt__context_begin(c, e, p, result);
    p->step->code->control(c);
    if (!p->worked) /* it acts after its kernel: what it charged, and all it wrote */
        for (struct htmt__entry *entry = p->log; entry; entry = entry->next)
            entry->after = true;
    if (!p->worked) {
        p->after = p->before;
        p->before = 0;
    }
}

static void say_unsteady(const struct htmt__entity *p, const char *what)
{
    struct htmt_emulator *e = p->type->emulator;
    char fiber[16] = "";
    if (p->kind == HTMT__FIBER)
        snprintf(fiber, sizeof fiber, " %u", htmt__fiber_number(p));
    htmt__fail(e, HTMT_ECOST, "type %s, slice %u, %s%s, at %lld fs: the cost function %s",
               p->type->code.name, p->slice, htmt_stage_name((enum htmt_stage_id)p->step->stage),
               fiber, (long long)e->now, what);
}

static void expect(struct htmt__entity *p, const void *args, struct htmt_ops *ops)
{
    memset(ops, 0, sizeof *ops);
    p->step->code->cost(args, p->type->code.user, ops);
}

/* Checked: it says the same twice, and writes nothing. */
static void expect_twice(struct htmt__entity *p, const void *args, struct htmt_ops *ops)
{
    struct htmt_ops again;
    size_t bytes = p->type->code.args_bytes;
    uint64_t before = HTMT__HASH_BASIS, after = HTMT__HASH_BASIS;
    htmt__hash_bytes(&before, args, bytes);
    expect(p, args, ops);
    expect(p, args, &again);
    htmt__hash_bytes(&after, args, bytes);
    if (memcmp(ops, &again, sizeof again) != 0)
        say_unsteady(p, "says something else when it is asked again; let it depend on arguments "
                        "and user alone");
    if (before != after)
        say_unsteady(p, "changed its arguments, which it may only read");
}

void htmt__expect(struct htmt__entity *p, struct htmt_ops *ops)
{
    const void *args = htmt__args(htmt__self(p));
    if (!p->step->code->cost)
        memset(ops, 0, sizeof *ops);
    else if (p->type->emulator->options.checked)
        expect_twice(p, args, ops);
    else
        expect(p, args, ops);
}

void htmt__control(struct htmt_emulator *e, struct htmt__entity *p, struct htmt_ops *ops,
                   struct htmt_context *c)
{
    htmt__control_begin(p);
    htmt__expect(p, ops);
    if (p->step->code->control)
        htmt__control_run(e, p, NULL, c);
}
