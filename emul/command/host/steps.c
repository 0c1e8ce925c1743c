/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The instructions of a call, one by one.
 *
 * While the trap flag of an x86-64 processor is set, each instruction ends in a signal, whose
 * handler counts it and sees where the next one is. So a count is exact, and the same in every
 * file, whoever else uses the core: a sine of 2 has 105 instructions. A comparison and the branch
 * behind it are one for the processor, so the handler looks at the last instruction's first bytes
 * when it comes to a conditional branch. A signal costs up to 20 microseconds in a virtual machine,
 * so a function costs a few milliseconds. By hand: a call of a function of 20 instructions that do
 * nothing and a return is 21 more than a call of none.
 *
 * The handler is the process's, so one thread counts at a time, and nothing else of it expects such
 * signals.
 */
#define _GNU_SOURCE /* names of registers */
#include "emul/command/host/steps.h"

#if defined __x86_64__
#include <signal.h>
#include <string.h>
#include <ucontext.h>

/* Of the handler, which has no argument. */
static struct {
    volatile unsigned steps, fused;
    const unsigned char *volatile last;
} counted;

static bool is_prefix(unsigned char byte)
{
    return byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e || byte == 0x3e;
}

/* Whether a conditional branch behind the instruction is one with it: comparisons, tests,
 * additions, subtractions, ands and counts, of registers, or of memory and a register that is not
 * written. */
static bool fuses(const unsigned char *at)
{
    while (is_prefix(*at))
        at++;
    at += (*at & 0xf0) == 0x40;
    const unsigned code = at[0], which = at[1] >> 3 & 7, kind = code >> 3;
    const bool memory = at[1] >> 6 != 3;
    const bool arithmetic = which == 0 || which == 4 || which == 5 || which == 7;
    if (code < 0x40)
        return (code & 7) < 6 && (kind == 0 || kind == 4 || kind == 5 || kind == 7) &&
               !(memory && kind != 7 && (code & 7) < 2);
    switch (code) {
    case 0x84: /* test */
    case 0x85:
    case 0xa8:
    case 0xa9:
        return true;
    case 0x80: /* with a number */
    case 0x81:
    case 0x83:
        return !memory && arithmetic;
    case 0xf6:
    case 0xf7:
        return !memory && which == 0;
    case 0xfe:
    case 0xff:
        return !memory && which < 2;
    default:
        return false;
    }
}

static void step(int signal, siginfo_t *info, void *user)
{
    const ucontext_t *at = user;
    const unsigned char *next = (const unsigned char *)(uintptr_t)at->uc_mcontext.gregs[REG_RIP];
    const bool branch = (*next & 0xf0) == 0x70 || (*next == 0x0f && (next[1] & 0xf0) == 0x80);
    (void)signal;
    (void)info;
    counted.steps++;
    if (branch && counted.last && fuses(counted.last))
        counted.fused++;
    counted.last = next;
}

/* Below the bytes under the stack that a function may use without saying so. */
#define FLAGS(change)                                                                              \
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\t" change                                 \
                     "\n\tpopfq\n\tlea 128(%%rsp), %%rsp"                                          \
                     :                                                                             \
                     :                                                                             \
                     : "memory", "cc");

static unsigned steps_of(htmt__host_once_fn *once, double x)
{
    counted.steps = counted.fused = 0;
    counted.last = NULL;
    FLAGS("orq $0x100, (%%rsp)")
    once(x);
    FLAGS("andq $-0x101, (%%rsp)")
    return counted.steps - counted.fused;
}

unsigned htmt__host_steps(htmt__host_once_fn *once, htmt__host_once_fn *none, double x)
{
    struct sigaction count = {.sa_sigaction = step, .sa_flags = SA_SIGINFO}, before;
    once(x); /* functions are bound */
    none(x);
    if (sigaction(SIGTRAP, &count, &before))
        return 0;
    const unsigned with = steps_of(once, x), without = steps_of(none, x);
    sigaction(SIGTRAP, &before, NULL);
    return with > without ? with - without : 0;
}
#else
unsigned htmt__host_steps(htmt__host_once_fn *once, htmt__host_once_fn *none, double x)
{
    (void)once;
    (void)none;
    (void)x;
    return 0;
}
#endif
