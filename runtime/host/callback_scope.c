/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/host/callback_scope.h"

_Thread_local struct htmt__doing htmt__doing;

bool htmt__callback_scope_of(struct htmt__doing *doing, struct htmt__callback_scope *scope,
                             unsigned long *turn)
{
    unsigned long before = atomic_load_explicit(&doing->turn, memory_order_acquire);
    const void *who = atomic_load_explicit(&doing->who, memory_order_acquire);
    htmt__callback_scope_fn *tell = atomic_load_explicit(&doing->tell, memory_order_acquire);
    if (!who || atomic_load_explicit(&doing->turn, memory_order_acquire) != before)
        return false;
    if (turn)
        *turn = before;
    return tell(who, scope) && atomic_load_explicit(&doing->turn, memory_order_acquire) == before;
}
