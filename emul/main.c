/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/table.h"
#include "emul/questions/interrupt.h"
#include "emul/text/sink.h"
#include "emul/verbs/verb.h"

#include <stddef.h>

/* Libraries take time to start. A signal that comes meanwhile waits for its handler. */
static void before_libraries(void)
{
    htmt__interrupt_block(true);
}

__attribute__((section(".preinit_array"),
               used)) static void (*const first)(void) = before_libraries;

/* OpenBLAS asks this function of its own, which the library exports, for OPENBLAS_NUM_THREADS. The
 * definition here takes its place: without it the library starts a thread for each processor when
 * it is loaded. The command never uses those threads, they would take signals that are meant for
 * it, and where memory or threads are short OpenBLAS hangs at the end of the process. */
int openblas_num_threads_env(void);
int openblas_num_threads_env(void)
{
    return 1;
}

int main(int argc, char **argv)
{
    htmt__interrupt_handle();
    htmt__interrupt_block(false);
    htmt__sink_open();
    return htmt__command(htmt_apps, argc, argv);
}
