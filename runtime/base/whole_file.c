/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ATTEMPTS 100 /* names tried for the temporary file */
#define SUFFIX   48  /* characters of ".PID-ATTEMPT.tmp" and the NUL */

struct htmt__whole_file {
    FILE *stream;
    char *path;
    char *temporary; /* NULL: a device or pipe, written to as it is */
};

static int failed(const char *path, const char *what, struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_EIO, "%s: cannot %s: %s", path, what, strerror(errno));
}

static int no_memory(const char *path, struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for a file name", path);
}

/* The caller frees it; NULL: out of memory. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

static bool is_special(const char *path)
{
    struct stat at;
    return stat(path, &at) == 0 && !S_ISREG(at.st_mode) && !S_ISDIR(at.st_mode);
}

static int check_folder(const char *path, const char *folder, struct htmt_fault *fault)
{
    struct stat at;
    if (stat(folder, &at) || !S_ISDIR(at.st_mode))
        return htmt_fault_set(fault, HTMT_ENOENT, "%s: there is no folder '%s'", path, folder);
    if (access(folder, W_OK | X_OK))
        return htmt_fault_set(fault, HTMT_EINVAL, "%s: no permission to write into '%s'", path,
                              folder);
    if (stat(path, &at) == 0 && S_ISDIR(at.st_mode))
        return htmt_fault_set(fault, HTMT_EINVAL, "%s: is a folder, expected a file", path);
    return 0;
}

int htmt__whole_file_check(const char *path, struct htmt_fault *fault)
{
    size_t length = strlen(path);
    if (length == 0 || path[length - 1] == '/')
        return htmt_fault_set(fault, HTMT_EINVAL, "'%s': expected the name of a file to write",
                              path);
    if (is_special(path) && access(path, W_OK))
        return htmt_fault_set(fault, HTMT_EINVAL, "%s: no permission to write", path);
    if (is_special(path))
        return 0;
    char *folder = folder_of(path);
    if (!folder)
        return no_memory(path, fault);
    int rc = check_folder(path, folder, fault);
    free(folder);
    return rc;
}

/* A new file beside the target, named by the process, not at random, so that a left-over can be
 * recognized; ATTEMPTS covers left-overs of a process with the same number and other threads. */
static int open_beside(struct htmt__whole_file *f, struct htmt_fault *fault)
{
    size_t room = strlen(f->path) + SUFFIX;
    f->temporary = malloc(room);
    if (!f->temporary)
        return no_memory(f->path, fault);
    for (int k = 0; k < ATTEMPTS; k++) {
        snprintf(f->temporary, room, "%s.%ld-%d.tmp", f->path, (long)getpid(), k);
        f->stream = fopen(f->temporary, "wbxe");
        if (f->stream)
            return 0;
        if (errno != EEXIST)
            break;
    }
    free(f->temporary);
    f->temporary = NULL;
    return failed(f->path, "create a temporary file beside it", fault);
}

/* Never created here: it is there. */
static FILE *open_special(const char *path)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    FILE *stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (fd >= 0 && !stream)
        close(fd);
    return stream;
}

static int open_stream(struct htmt__whole_file *f, struct htmt_fault *fault)
{
    if (!is_special(f->path))
        return open_beside(f, fault);
    f->stream = open_special(f->path);
    return f->stream ? 0 : failed(f->path, "open", fault);
}

static void release(struct htmt__whole_file **file)
{
    free((*file)->temporary);
    free((*file)->path);
    free(*file);
    *file = NULL;
}

int htmt__whole_file_open(const char *path, struct htmt__whole_file **file,
                          struct htmt_fault *fault)
{
    int rc = htmt__whole_file_check(path, fault);
    if (rc)
        return rc;
    struct htmt__whole_file *f = calloc(1, sizeof *f);
    if (!f)
        return no_memory(path, fault);
    f->path = strdup(path);
    rc = f->path ? open_stream(f, fault) : no_memory(path, fault);
    if (rc)
        release(&f);
    else
        *file = f;
    return rc;
}

FILE *htmt__whole_file_stream(struct htmt__whole_file *file)
{
    return file->stream;
}

/* What reaches a disk is flushed to it; a pipe or a terminal has none. */
static int finish_stream(struct htmt__whole_file *f, struct htmt_fault *fault)
{
    int rc = 0;
    if (ferror(f->stream) || fflush(f->stream) || (f->temporary && fsync(fileno(f->stream))))
        rc = failed(f->path, "write", fault);
    if (fclose(f->stream) && !rc)
        rc = failed(f->path, "write", fault);
    return rc;
}

/* A rename lasts only when the folder itself is on the disk. */
static int sync_folder(const struct htmt__whole_file *f, struct htmt_fault *fault)
{
    char *folder = folder_of(f->path);
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int rc = fd >= 0 && fsync(fd) == 0 ? 0 : failed(f->path, "flush its folder", fault);
    if (fd >= 0)
        close(fd);
    free(folder);
    return rc;
}

static int put_in_place(struct htmt__whole_file *f, struct htmt_fault *fault)
{
    if (rename(f->temporary, f->path))
        return failed(f->path, "rename the finished file", fault);
    free(f->temporary);
    f->temporary = NULL;
    return sync_folder(f, fault);
}

int htmt__whole_file_commit(struct htmt__whole_file **file, struct htmt_fault *fault)
{
    struct htmt__whole_file *f = *file;
    int rc = finish_stream(f, fault);
    if (!rc && f->temporary)
        rc = put_in_place(f, fault);
    if (f->temporary)
        unlink(f->temporary);
    release(file);
    return rc;
}

void htmt__whole_file_abandon(struct htmt__whole_file **file)
{
    if (!file || !*file)
        return;
    fclose((*file)->stream);
    if ((*file)->temporary)
        unlink((*file)->temporary);
    release(file);
}

int htmt__whole_file_write(const char *path, const void *bytes, size_t length,
                           struct htmt_fault *fault)
{
    struct htmt__whole_file *f = NULL;
    int rc = htmt__whole_file_open(path, &f, fault);
    if (rc)
        return rc;
    fwrite(bytes, 1, length, f->stream); /* a failure stays in the stream */
    return htmt__whole_file_commit(&f, fault);
}
