/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/process.h"

#include "runtime/base/error.h"
#include "runtime/base/temporary.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void htmt_process_end(int code, const char *line)
{
    htmt__temporaries_remove();
    ssize_t written = write(STDERR_FILENO, line, strlen(line));
    (void)written; /* nobody is left to be told */
    _exit(htmt_exit_status(code));
}

void htmt_process_lock(void)
{
    pthread_mutex_lock(&lock);
}

void htmt_process_unlock(void)
{
    pthread_mutex_unlock(&lock);
}
