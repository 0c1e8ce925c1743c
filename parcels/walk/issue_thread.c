/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/walk/issue_thread.h"

void htmt__threads_launched(struct htmt__issuing *s, htmt_time now)
{
    s->launched = now;
    for (uint32_t i = 0; i < HTMT__ISSUE_THREADS_MAX; i++)
        s->between[i].free = now;
}

void htmt__threads_ended(struct htmt__issuing *s, htmt_time now)
{
    for (uint32_t i = 0; i < HTMT__ISSUE_THREADS_MAX; i++)
        if (s->taken >> i & 1 && !s->on[i])
            htmt__thread_serves(s, i, now);
    s->ran += now - s->launched;
    s->launch = 0;
}

void htmt__thread_serves(struct htmt__issuing *s, uint32_t thread, htmt_time now)
{
    const htmt_time free = s->between[thread].free, until = s->between[thread].copies,
                    end = until < now ? until : now, copied = end > free ? end - free : 0;
    if (!s->launch)
        return;
    s->copying += copied;
    s->waiting += now - free - copied;
}

void htmt__thread_copies(struct htmt__issuing *s, uint32_t thread, htmt_time until)
{
    if (thread != HTMT__NO_THREAD && s->between[thread].copies < until)
        s->between[thread].copies = until;
}
