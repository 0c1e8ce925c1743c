/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/table.h"
#include "emul/questions/interrupt.h"
#include "emul/text/sink.h"
#include "emul/verbs/verb.h"
#include "runtime/base/error.h"

#include <stddef.h>
#include <stdio.h>

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

/* jemalloc, too, asks for a name of the command's: all threads share the one arena that is there
 * from the start. It would make others as threads begin, and crash where there is no memory for
 * one. The kernels hardly allocate, so the threads do not wait for each other. */
extern const char *const malloc_conf;
const char *const malloc_conf = "narenas:1";

/* FFTW calls this function where it has no memory, and then aborts. */
static void end_transform(const char *file, int line)
{
    char text[160];
    snprintf(text, sizeof text, "htmt: FFTW cannot go on (%s:%d), most likely for want of memory\n",
             file, line);
    htmt__interrupt_end(text, htmt_exit_status(HTMT_ENOMEM));
}

void fftw_assertion_failed(const char *what, int line, const char *file);
void fftw_assertion_failed(const char *what, int line, const char *file)
{
    (void)what;
    end_transform(file, line);
}

void fftwf_assertion_failed(const char *what, int line, const char *file);
void fftwf_assertion_failed(const char *what, int line, const char *file)
{
    (void)what;
    end_transform(file, line);
}

int main(int argc, char **argv)
{
    htmt__interrupt_handle();
    htmt__interrupt_block(false);
    htmt__sink_open();
    return htmt__command(htmt_apps, argc, argv);
}
