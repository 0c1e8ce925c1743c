/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files that go when the process ends early. A handler of a signal must find them, so they stand in
 * a list that needs no allocation (each record belongs to its file) under a lock that a handler can
 * take: a spin lock whose holder takes no signals. Creating and renaming a file happens under it,
 * so that the list and the disk agree at any moment at which a signal may come.
 */
#include "runtime/base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 8

static struct htmt__temporary *list;
static atomic_int children[CHILDREN];       /* 0: none */
static atomic_flag busy = ATOMIC_FLAG_INIT; /* whoever holds the list takes no signals */

/* A handler that interrupted the holder would wait for ever, so the holder takes no signals. */
static void enter(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        ;
}

static void leave(const sigset_t *before)
{
    int kept = errno;
    atomic_flag_clear_explicit(&busy, memory_order_release);
    pthread_sigmask(SIG_SETMASK, before, NULL);
    errno = kept;
}

int htmt__temporary_create(struct htmt__temporary *t)
{
    sigset_t before;
    enter(&before);
    int fd = open(t->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) {
        t->next = list;
        t->from = &list;
        if (t->next)
            t->next->from = &t->next;
        list = t;
    }
    leave(&before);
    return fd;
}

int htmt__temporary_end(struct htmt__temporary *t, const char *path)
{
    sigset_t before;
    enter(&before);
    int rc = path ? rename(t->path, path) : unlink(t->path), why = errno;
    if (rc && path)
        unlink(t->path);
    errno = why;
    *t->from = t->next;
    if (t->next)
        t->next->from = t->from;
    leave(&before);
    return rc;
}

bool htmt__temporary_is_listed(const char *begin)
{
    sigset_t before;
    bool found = false;
    enter(&before);
    for (const struct htmt__temporary *t = list; t && !found; t = t->next)
        found = strncmp(t->path, begin, strlen(begin)) == 0;
    leave(&before);
    return found;
}

void htmt__temporaries_forget(void)
{
    list = NULL;
    for (int i = 0; i < CHILDREN; i++)
        atomic_store(&children[i], 0);
    atomic_flag_clear(&busy); /* another thread may have held it when the process was forked */
}

void htmt__temporaries_child(pid_t child, bool runs)
{
    for (int i = 0; i < CHILDREN; i++) {
        int expected = runs ? 0 : child;
        if (atomic_compare_exchange_strong(&children[i], &expected, runs ? child : 0))
            return;
    }
}

void htmt__temporaries_remove(void)
{
    sigset_t before;
    for (int i = 0; i < CHILDREN; i++) {
        const pid_t child = atomic_load(&children[i]);
        if (child > 0 && kill(child, SIGTERM) == 0)
            while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
                ;
    }
    enter(&before);
    for (const struct htmt__temporary *t = list; t; t = t->next)
        unlink(t->path);
    /* never left: who would create or rename a file now waits for the end of the process */
}
