/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Why integers. A thread that shares the port with n - 1 others advances by 1 / max(slots, n) of an
 * instruction a cycle, and n changes at every enter and leave. With floating point the sum of such
 * steps would depend on how often somebody looked. So the port counts progress in units so fine
 * that a femtosecond of any number of threads is a whole number of them: with `parts` P a multiple
 * of each rate's denominator and a cycle of num / den fs, an instruction has P * num units, and n
 * threads advance by den * P / max(slots, n) units a femtosecond. All ready threads advance alike,
 * so one sum serves all: a thread that enters is done when the sum has grown by the units of its
 * instructions. Only the instant of a completion is rounded, and never carried on.
 *
 * By hand, slots 2, at most 3 threads, a cycle of 1 fs: parts = 6 and an instruction has 6 units.
 * One thread with 10 instructions enters at 0: done at 60, and 6 / 2 = 3 units a fs let it end at
 * 20. At 10 (sum 30) two others enter, and each advances by 6 / 3 = 2 units a fs: the first one is
 * done at 10 + 30 / 2 = 25.
 */
#include "layers/bank/issue_port.h"

#include "runtime/base/error.h"

/* Keeps the progress of HTMT_TIME_MAX below 2^127. */
#define STEP_MAX (UINT64_C(1) << 62)

int htmt__issue_prepare(struct htmt__issue_figures *f)
{
    uint64_t step;
    f->parts = 1;
    if (f->threads == 0 || f->threads > HTMT__ISSUE_THREADS_MAX || f->slots == 0 ||
        f->cycle.num == 0)
        return HTMT_ERANGE;
    for (uint64_t n = f->slots; n <= f->threads || n == f->slots; n++)
        if (__builtin_mul_overflow(f->parts, n / htmt__gcd(f->parts, n), &f->parts))
            return HTMT_ERANGE;
    if (__builtin_mul_overflow(f->parts / f->slots, f->cycle.den, &step) || step > STEP_MAX)
        return HTMT_ERANGE;
    f->instruction = (htmt_uwide)f->parts * f->cycle.num;
    for (uint32_t n = 0; n <= f->threads; n++)
        f->step[n] = f->parts / (n > f->slots ? n : f->slots) * f->cycle.den;
    return 0;
}

static void advance(const struct htmt__issue_figures *f, struct htmt__issue_port *port,
                    htmt_time now)
{
    if (port->inside == 0)
        port->progress = 0;
    else
        port->progress += (htmt_uwide)(now - port->at) * f->step[port->ready];
    port->at = now;
}

int htmt__issue_enter(const struct htmt__issue_figures *f, struct htmt__issue_port *port,
                      htmt_time now, uint32_t thread, uint64_t instructions)
{
    htmt_uwide units, done;
    advance(f, port, now);
    if (__builtin_mul_overflow(f->instruction, (htmt_uwide)instructions, &units) ||
        __builtin_add_overflow(port->progress, units, &done) ||
        __builtin_add_overflow(port->issued, instructions, &port->issued))
        return HTMT_EOVERFLOW;
    port->done[thread] = done;
    if (!port->inside || done < port->done[port->first] ||
        (done == port->done[port->first] && thread < port->first))
        port->first = thread;
    port->inside |= UINT32_C(1) << thread;
    port->ready++;
    return 0;
}

htmt_time htmt__issue_earliest(const struct htmt__issue_figures *f,
                               const struct htmt__issue_port *port, uint32_t *thread)
{
    if (port->inside == 0)
        return -1;
    *thread = port->first;
    const htmt_uwide done = port->done[port->first];
    const uint64_t step = f->step[port->ready];
    const htmt_uwide units = (done > port->progress ? done - port->progress : 0) + step / 2;
    /* Most quotients fit 64 bits, where a division is short. */
    const htmt_uwide wait = units <= UINT64_MAX ? (uint64_t)units / step : units / step;
    return wait <= (htmt_uwide)(HTMT_TIME_MAX - port->at) ? port->at + (htmt_time)wait : -1;
}

void htmt__issue_leave(const struct htmt__issue_figures *f, struct htmt__issue_port *port,
                       htmt_time now, uint32_t thread)
{
    advance(f, port, now);
    port->inside &= ~(UINT32_C(1) << thread);
    port->ready--;
    if (!port->inside || thread != port->first)
        return;
    uint32_t first = (uint32_t)__builtin_ctz(port->inside);
    for (uint32_t rest = port->inside; rest; rest &= rest - 1) {
        const uint32_t t = (uint32_t)__builtin_ctz(rest);
        first = port->done[t] < port->done[first] ? t : first; /* of equal ones the lowest */
    }
    port->first = first;
}
