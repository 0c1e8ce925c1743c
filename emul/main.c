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

/* OpenBLAS starts threads when it is loaded. The kernel delivers a signal to any thread that does
 * not block it, and an unblocked SIGINT would end the process without a report. The threads
 * therefore must inherit a mask that blocks the signals of emul/questions/interrupt.c. This
 * function blocks them before the libraries start; main() unblocks them. */
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
