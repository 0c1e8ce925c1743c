/* SPDX-License-Identifier: BSD-3-Clause
 *
 * To be preloaded: a call of the host fails. FAULT=CALL:N fails the N-th of these calls after
 * main() began and outside of dlopen(), FAULT=CALL:N+ that one and all behind it, FAULT=none none.
 * Calls of children count along with those of the process. With FAULT=none and FAULT_COUNT=FILE the
 * end of the process writes there how many of each there were; with FAULT_TRACE each failure prints
 * who called.
 *
 *   CALL     what is counted                                      errno
 *   memory   malloc() and kin, jemalloc's mallocx()               ENOMEM
 *   mmap     mmap(), which jemalloc calls, too                    ENOMEM
 *   thread   pthread_create()                                     EAGAIN
 *   open     open(), opendir()                                    EMFILE
 *   read     read(), pread()                                      EIO
 *   write    write(), also where stdio calls it                   ENOSPC
 *   fsync    fsync()                                              EIO
 *   rename   rename()                                             EIO
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum call { MEMORY, MMAP, THREAD, OPEN, READ, WRITE, FSYNC, RENAME, CALLS, ALL };

static const struct {
    const char *name;
    int why;
} kinds[CALLS] = {
    [MEMORY] = {"memory", ENOMEM}, [MMAP] = {"mmap", ENOMEM},  [THREAD] = {"thread", EAGAIN},
    [OPEN] = {"open", EMFILE},     [READ] = {"read", EIO},     [WRITE] = {"write", ENOSPC},
    [FSYNC] = {"fsync", EIO},      [RENAME] = {"rename", EIO},
};

static enum call chosen = CALLS; /* until main() begins */
static unsigned long first, last;
static atomic_ulong own[CALLS], *calls = own; /* later: memory that children share */

static void trace(void)
{
    void *frames[40];
    enum call counted = chosen;
    chosen = CALLS;
    backtrace_symbols_fd(frames, backtrace(frames, 40), STDERR_FILENO);
    chosen = counted;
}

static bool fails(enum call call)
{
    if (call != chosen && chosen != ALL)
        return false;
    unsigned long n = atomic_fetch_add(&calls[call], 1) + 1;
    if (chosen == ALL || n < first || n > last)
        return false;
    if (getenv("FAULT_TRACE"))
        trace();
    errno = kinds[call].why;
    return true;
}

/* The function of that name behind this file's. */
#define NEXT(name) (__extension__(typeof(&name)) dlsym(RTLD_NEXT, #name))

/* ---- libraries ------------------------------------------------------------------------------ */

/* Constructors of libraries run as part of this call. They are not the project's, and not all of
 * them stand a failure: libgfortran's does not. */
void *dlopen(const char *file, int mode)
{
    enum call counted = chosen;
    chosen = CALLS;
    void *handle = NEXT(dlopen)(file, mode);
    chosen = counted;
    return handle;
}

/* ---- memory --------------------------------------------------------------------------------- */

void *malloc(size_t size)
{
    static typeof(&malloc) next;
    next = next ? next : NEXT(malloc);
    return fails(MEMORY) ? NULL : next(size);
}

void *calloc(size_t n, size_t size)
{
    static typeof(&calloc) next;
    next = next ? next : NEXT(calloc);
    return fails(MEMORY) ? NULL : next(n, size);
}

void *realloc(void *p, size_t size)
{
    static typeof(&realloc) next;
    next = next ? next : NEXT(realloc);
    return fails(MEMORY) ? NULL : next(p, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    static typeof(&aligned_alloc) next;
    next = next ? next : NEXT(aligned_alloc);
    return fails(MEMORY) ? NULL : next(alignment, size);
}

int posix_memalign(void **p, size_t alignment, size_t size)
{
    static typeof(&posix_memalign) next;
    next = next ? next : NEXT(posix_memalign);
    return fails(MEMORY) ? ENOMEM : next(p, alignment, size);
}

void *memalign(size_t alignment, size_t size)
{
    static typeof(&memalign) next;
    next = next ? next : NEXT(memalign);
    return fails(MEMORY) ? NULL : next(alignment, size);
}

void *mallocx(size_t size, int flags);
void *mallocx(size_t size, int flags)
{
    static typeof(&mallocx) next;
    next = next ? next : NEXT(mallocx);
    return fails(MEMORY) ? NULL : next(size, flags);
}

void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    if (fails(MMAP))
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);
}

/* ---- threads -------------------------------------------------------------------------------- */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *),
                   void *user)
{
    return fails(THREAD) ? EAGAIN : NEXT(pthread_create)(thread, attributes, routine, user);
}

/* ---- files ---------------------------------------------------------------------------------- */

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return fails(OPEN) ? -1 : NEXT(open)(path, flags, mode);
}

DIR *opendir(const char *path)
{
    return fails(OPEN) ? NULL : NEXT(opendir)(path);
}

ssize_t read(int fd, void *bytes, size_t n)
{
    return fails(READ) ? -1 : NEXT(read)(fd, bytes, n);
}

ssize_t pread(int fd, void *bytes, size_t n, off_t offset)
{
    return fails(READ) ? -1 : NEXT(pread)(fd, bytes, n, offset);
}

ssize_t write(int fd, const void *bytes, size_t n)
{
    return fails(WRITE) ? -1 : syscall(SYS_write, fd, bytes, n);
}

int fsync(int fd)
{
    return fails(FSYNC) ? -1 : NEXT(fsync)(fd);
}

int rename(const char *from, const char *to)
{
    return fails(RENAME) ? -1 : NEXT(rename)(from, to);
}

/* The C library calls its write() without a look at preloaded ones: that function becomes a jump to
 * the one above. */
static void lead_stdio_here(void)
{
#ifdef __x86_64__
    unsigned char jump[12] = {0x48,
                              0xb8, [10] = 0xff, [11] = 0xe0}; /* mov $write, %rax; jmp *%rax */
    ssize_t (*here)(int, const void *, size_t) = write;
    unsigned char *there = dlsym(RTLD_NEXT, "write");
    memcpy(jump + 2, &here, sizeof here);
    uintptr_t page = (uintptr_t)there & ~(uintptr_t)4095;
    if (mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
        memcpy(there, jump, sizeof jump);
#endif
}

/* ---- begin and end -------------------------------------------------------------------------- */

static void begin(void)
{
    const char *fault = getenv("FAULT");
    void *shared = (void *)syscall(SYS_mmap, NULL, sizeof own, PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const char *colon = fault ? strchr(fault, ':') : NULL;
    if (shared != MAP_FAILED)
        calls = shared;
    char *end;
    if (fault && !strcmp(fault, "none"))
        chosen = ALL;
    if (!colon)
        return;
    first = strtoul(colon + 1, &end, 10);
    last = *end == '+' ? ULONG_MAX : first;
    for (enum call k = 0; k < CALLS; k++)
        if (!strncmp(kinds[k].name, fault, (size_t)(colon - fault)))
            chosen = k;
}

__attribute__((destructor)) static void end(void)
{
    enum call counted = chosen;
    const char *path = getenv("FAULT_COUNT");
    chosen = CALLS;
    FILE *f = path && counted == ALL ? fopen(path, "w") : NULL;
    if (!f)
        return;
    for (enum call k = 0; k < CALLS; k++)
        fprintf(f, "%s %lu\n", kinds[k].name, calls[k]);
    fclose(f);
}

static int (*command)(int, char **, char **);

static int begin_command(int argc, char **argv, char **environment)
{
    begin();
    return command(argc, argv, environment);
}

int __libc_start_main(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
                      void (*)(void), void *);
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
    command = main;
    lead_stdio_here();
    return NEXT(__libc_start_main)(begin_command, argc, argv, init, fini, loader_fini, stack_end);
}
