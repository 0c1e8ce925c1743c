/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/table.h"
#include "emul/verbs/verb.h"

#include <signal.h>
#include <stddef.h>

static void mask(int how)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(how, &set, NULL);
}

/* OpenBLAS starts threads when it is loaded. They are to inherit a mask that blocks what
 * emul/verbs/interrupt.c watches for: the kernel hands such a signal to any thread that lets it
 * through, and that would end the process without a report. So block before the libraries start,
 * and no longer than that. */
static void before_libraries(void)
{
    mask(SIG_BLOCK);
}

__attribute__((section(".preinit_array"),
               used)) static void (*const first)(void) = before_libraries;

int main(int argc, char **argv)
{
    mask(SIG_UNBLOCK);
    return htmt__command(htmt_apps, argc, argv);
}
