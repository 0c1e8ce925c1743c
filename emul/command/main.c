/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/command/command.h"
#include "emul/lib/program_run.h"
#include "emul/lib/questions/interrupt.h"

#include <stddef.h>

/* jemalloc asks for a name of the command's: all threads share the one arena that is there from the
 * start. It would make others as threads begin, and crash where there is no memory for one. The
 * kernels hardly allocate, so the threads do not wait for each other. */
extern const char *const malloc_conf;
const char *const malloc_conf = "narenas:1";

/* Libraries take time to start. A signal that comes meanwhile waits for its handler. */
static void before_libraries(void)
{
    htmt__interrupt_block(true);
}

__attribute__((section(".preinit_array"),
               used)) static void (*const first)(void) = before_libraries;

int main(int argc, char **argv)
{
    struct htmt__command program = {.name = "htmt", .verbs = htmt__command_verbs};
    if (htmt__python_asked(argc, argv)) {
        htmt__interrupt_block(false);
        return htmt__python_run(argc, argv);
    }
    return htmt__program_run(&program, argc, argv);
}
