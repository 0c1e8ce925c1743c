/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The port counts progress in units so fine that a femtosecond of any number of threads is a whole
 * number of them: with `parts` P a multiple of each rate's denominator and a cycle of num / den fs,
 * an instruction has P * num units, and n threads advance by den * P / max(slots, n) units a
 * femtosecond.
 */
#include "layers/bank/issue_port.h"

#include "runtime/base/error.h"

/* Keeps the progress of HTMT_TIME_MAX below 2^127. */
#define STEP_MAX (UINT64_C(1) << 62)

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int htmt__issue_prepare(struct htmt__issue_figures *f)
{
    uint64_t step;
    f->parts = 1;
    if (f->threads == 0 || f->threads > HTMT__ISSUE_THREADS_MAX || f->slots == 0 ||
        f->cycle.num == 0)
        return HTMT_ERANGE;
    for (uint64_t n = f->slots; n <= f->threads || n == f->slots; n++)
        if (__builtin_mul_overflow(f->parts, n / gcd(f->parts, n), &f->parts))
            return HTMT_ERANGE;
    if (__builtin_mul_overflow(f->parts / f->slots, f->cycle.den, &step) || step > STEP_MAX)
        return HTMT_ERANGE;
    f->instruction = (htmt_uwide)f->parts * f->cycle.num;
    for (uint32_t n = 0; n <= f->threads; n++)
        f->step[n] = f->parts / (n > f->slots ? n : f->slots) * f->cycle.den;
    return 0;
}

uint32_t htmt__issue_ready(const struct htmt__issue_port *port)
{
    return port->ready;
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
    port->generation++;
    return 0;
}

/* Of several that are done at once, the lowest. */
static void find_first(struct htmt__issue_port *port)
{
    uint32_t first = (uint32_t)__builtin_ctz(port->inside);
    for (uint32_t rest = port->inside; rest; rest &= rest - 1) {
        uint32_t t = (uint32_t)__builtin_ctz(rest);
        first = port->done[t] < port->done[first] ? t : first;
    }
    port->first = first;
}

/* Units until the first thread is done, which may be none. */
static htmt_uwide left_of_first(const struct htmt__issue_port *port)
{
    const htmt_uwide done = port->done[port->first];
    return done > port->progress ? done - port->progress : 0;
}

/* a / b, rounded half up; most quotients fit 64 bits, where a division is short. */
static htmt_uwide rounded(htmt_uwide a, uint64_t b)
{
    a += b / 2;
    return a <= UINT64_MAX ? (uint64_t)a / b : a / b;
}

htmt_time htmt__issue_earliest(const struct htmt__issue_figures *f,
                               const struct htmt__issue_port *port, uint32_t *thread)
{
    if (port->inside == 0)
        return -1;
    *thread = port->first;
    htmt_uwide wait = rounded(left_of_first(port), f->step[port->ready]);
    return wait <= (htmt_uwide)(HTMT_TIME_MAX - port->at) ? port->at + (htmt_time)wait : -1;
}

void htmt__issue_leave(const struct htmt__issue_figures *f, struct htmt__issue_port *port,
                       htmt_time now, uint32_t thread)
{
    advance(f, port, now);
    port->inside &= ~(UINT32_C(1) << thread);
    port->ready--;
    port->generation++;
    if (port->inside && thread == port->first)
        find_first(port);
}

htmt_time htmt__issue_alone(const struct htmt__issue_figures *f, uint64_t instructions)
{
    uint64_t cycles;
    if (__builtin_mul_overflow(instructions, f->slots, &cycles))
        return -1;
    return htmt_charge_time(f->cycle, cycles);
}
