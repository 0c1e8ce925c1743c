/* SPDX-License-Identifier: BSD-3-Clause
 *
 * To be preloaded: the memory of a process over time. HEAP_FILE=FILE writes to FILE.PID a line
 * every HEAP_EVERY seconds, of a process that has jemalloc:
 *
 *     SECONDS ALLOCATED RESIDENT
 *
 * bytes that the program has and did not free, and those that the process has in memory, in KiB.
 */
#include <jemalloc/jemalloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#pragma weak mallctl

static size_t allocated(void)
{
    uint64_t epoch = 1;
    size_t bytes = 0, size = sizeof bytes;
    mallctl("epoch", NULL, NULL, &epoch, sizeof epoch);
    mallctl("stats.allocated", &bytes, &size, NULL, 0);
    return bytes;
}

static size_t resident(void)
{
    unsigned long pages = 0, in_memory = 0;
    FILE *in = fopen("/proc/self/statm", "r");
    if (!in || fscanf(in, "%lu %lu", &pages, &in_memory) != 2)
        abort();
    fclose(in);
    return in_memory * (size_t)sysconf(_SC_PAGESIZE);
}

static void *watch(void *file)
{
    const char *every = getenv("HEAP_EVERY");
    const double seconds = every ? atof(every) : 1;
    const struct timespec pause = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
    for (unsigned i = 1;; i++) {
        nanosleep(&pause, NULL);
        fprintf(file, "%.1f %zu %zu\n", i * seconds, allocated() >> 10, resident() >> 10);
        fflush(file);
    }
    return NULL;
}

/* No signal of the program's comes to the thread. */
static void start(FILE *file)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (!file || pthread_create(&thread, NULL, watch, file))
        abort();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

__attribute__((constructor)) static void begin(void)
{
    char name[4096];
    const char *file = getenv("HEAP_FILE");
    if (!file || !&mallctl)
        return;
    snprintf(name, sizeof name, "%s.%ld", file, (long)getpid());
    start(fopen(name, "w"));
}
