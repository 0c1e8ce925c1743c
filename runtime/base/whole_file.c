/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whole files: a reader finds the old file or the new one, never a part.
 *
 * The bytes go into a new file beside the target, which is flushed to the disk and then renamed;
 * a rename within a folder replaces a file in one step, and lasts once the folder is flushed too.
 * "Beside" means in the folder of the file itself, so symbolic links at the end of a path are
 * followed first: the link stays and what it points to is replaced. A device or a pipe cannot be
 * replaced and is written as it is.
 *
 * All that can be known before is checked before (htmt_whole_file_check()), so that a run of an
 * hour does not end with a folder that is missing. Temporary files are listed (temporary.h), and a
 * process that ends by a signal removes them.
 */
#define _GNU_SOURCE /* asprintf */
#include "runtime/base/whole_file.h"

#include "runtime/base/temporary.h"
#include "runtime/base/whole_file_nowhere.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ATTEMPTS  100 /* names tried for the temporary file */
#define SUFFIX    20  /* bytes of ".PID-ATTEMPT.tmp" with the NUL, at most: a PID has 7 digits */
#define LINKS     40  /* symbolic links that a path may go through, as many as the kernel allows */
#define MODE_BITS 07777

struct htmt_whole_file {
    FILE *stream;
    char *path;      /* as given, for messages */
    char *target;    /* `path` without symbolic links at its end; replaced */
    char *temporary; /* NULL: a device or pipe, written to as it is */
    struct htmt__temporary listed;
};

static bool nowhere;

void htmt__whole_files_nowhere(bool all)
{
    nowhere = all;
}

static int failed(const char *path, const char *what, struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_EIO, "%s: cannot %s: %s", path, what, strerror(errno));
}

static int no_memory(const char *path, struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for a file name", path);
}

char *htmt_whole_file_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* ---- symbolic links ------------------------------------------------------------------------- */

/* Each link is read, and what it points to is seen from where the link is seen. */
int htmt_whole_file_target(const char *path, char **target, struct htmt_fault *fault)
{
    char *at = strdup(path), text[PATH_MAX];
    for (int k = 0; at && k < LINKS; k++) {
        const ssize_t length = readlink(at, text, sizeof text - 1);
        if (length < 0) { /* no link */
            *target = at;
            return 0;
        }
        text[length] = '\0';
        const char *slash = strrchr(at, '/');
        const int folder = text[0] == '/' || !slash ? 0 : (int)(slash + 1 - at);
        char *next = NULL;
        if (asprintf(&next, "%.*s%s", folder, at, text) < 0)
            next = NULL;
        free(at);
        at = next;
    }
    free(at);
    return at ? htmt_fault_set(fault, HTMT_EINVAL,
                               "%s: found a circle of symbolic links, "
                               "expected a file",
                               path)
              : no_memory(path, fault);
}

/* ---- check ---------------------------------------------------------------------------------- */

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
    if (access(path, W_OK) && errno != ENOENT)
        return htmt_fault_set(fault, HTMT_EINVAL, "%s: no permission to write", path);
    return 0;
}

/* The name of the temporary file is longer than that of the file, and must be allowed. */
static int check_name(const char *path, const char *target, const char *folder,
                      struct htmt_fault *fault)
{
    const char *slash = strrchr(target, '/');
    size_t name = strlen(slash ? slash + 1 : target), whole = strlen(target);
    long name_most = pathconf(folder, _PC_NAME_MAX);
    if (name_most > SUFFIX && name > (size_t)name_most - SUFFIX)
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "%s: found a name of %zu bytes, expected at most %ld", path, name,
                              name_most - SUFFIX);
    if (whole > PATH_MAX - SUFFIX)
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "%s: found a path of %zu bytes, expected at most %d", path, whole,
                              PATH_MAX - SUFFIX);
    return 0;
}

int htmt_whole_file_check(const char *path, struct htmt_fault *fault)
{
    size_t length = strlen(path);
    if (length == 0 || path[length - 1] == '/')
        return htmt_fault_set(fault, HTMT_EINVAL, "'%s': expected the name of a file to write",
                              path);
    if (is_special(path) && access(path, W_OK))
        return htmt_fault_set(fault, HTMT_EINVAL, "%s: no permission to write", path);
    if (is_special(path) || nowhere)
        return 0;
    char *target = NULL;
    int rc = htmt_whole_file_target(path, &target, fault);
    char *folder = rc ? NULL : htmt_whole_file_folder(target);
    if (!rc && !folder)
        rc = no_memory(path, fault);
    if (!rc)
        rc = check_folder(path, folder, fault);
    if (!rc)
        rc = check_name(path, target, folder, fault);
    free(folder);
    free(target);
    return rc;
}

/* ---- open ----------------------------------------------------------------------------------- */

/* A new file beside the target, named by the process, not at random, so that a left-over can be
 * recognized; ATTEMPTS covers left-overs of a process with the same number and other threads. It
 * gets the older file's mode. */
static int open_beside(struct htmt_whole_file *f, struct htmt_fault *fault)
{
    const size_t room = strlen(f->target) + SUFFIX;
    struct stat older;
    int fd = -1;
    f->temporary = malloc(room);
    f->listed.path = f->temporary;
    for (int k = 0; f->temporary && fd < 0 && k < ATTEMPTS; k++) {
        snprintf(f->temporary, room, "%s.%ld-%d.tmp", f->target, (long)getpid(), k);
        fd = htmt__temporary_create(&f->listed);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd >= 0 && (stat(f->target, &older) != 0 || fchmod(fd, older.st_mode & MODE_BITS) == 0) &&
        (f->stream = fdopen(fd, "wb")))
        return 0;
    int rc = failed(f->path, "create a temporary file beside it", fault);
    if (fd >= 0) {
        close(fd);
        htmt__temporary_end(&f->listed, NULL);
    }
    return rc;
}

/* Something special is never created here: it is there. */
static int open_stream(struct htmt_whole_file *f, struct htmt_fault *fault)
{
    if (!is_special(f->path))
        return open_beside(f, fault);
    int fd = open(f->path, O_WRONLY | O_CLOEXEC);
    f->stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (f->stream)
        return 0;
    int rc = failed(f->path, "open", fault);
    if (fd >= 0)
        close(fd);
    return rc;
}

static void release(struct htmt_whole_file **file)
{
    free((*file)->temporary);
    free((*file)->target);
    free((*file)->path);
    free(*file);
    *file = NULL;
}

int htmt_whole_file_open(const char *path, struct htmt_whole_file **file, struct htmt_fault *fault)
{
    int rc = htmt_whole_file_check(path, fault);
    if (rc)
        return rc;
    struct htmt_whole_file *f = calloc(1, sizeof *f);
    if (!f)
        return no_memory(path, fault);
    f->path = strdup(nowhere ? "/dev/null" : path);
    rc = f->path ? htmt_whole_file_target(path, &f->target, fault) : no_memory(path, fault);
    if (!rc)
        rc = open_stream(f, fault);
    if (rc)
        release(&f);
    else
        *file = f;
    return rc;
}

FILE *htmt_whole_file_stream(struct htmt_whole_file *file)
{
    return file->stream;
}

/* ---- end ------------------------------------------------------------------------------------ */

/* What reaches a disk is flushed to it; a pipe or a terminal has none. */
static int finish_stream(struct htmt_whole_file *f, struct htmt_fault *fault)
{
    int rc = 0;
    if (ferror(f->stream) || fflush(f->stream) || (f->temporary && fsync(fileno(f->stream))))
        rc = failed(f->path, "write", fault);
    if (fclose(f->stream) && !rc)
        rc = failed(f->path, "write", fault);
    return rc;
}

/* A rename lasts only when the folder itself is on the disk. */
static int put_in_place(struct htmt_whole_file *f, struct htmt_fault *fault)
{
    if (htmt__temporary_end(&f->listed, f->target))
        return failed(f->path, "rename the finished file", fault);
    char *folder = htmt_whole_file_folder(f->target);
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int rc = fd >= 0 && fsync(fd) == 0 ? 0 : failed(f->path, "flush its folder", fault);
    if (fd >= 0)
        close(fd);
    free(folder);
    return rc;
}

int htmt_whole_file_commit(struct htmt_whole_file **file, struct htmt_fault *fault)
{
    struct htmt_whole_file *f = *file;
    int rc = finish_stream(f, fault);
    if (!rc && f->temporary)
        rc = put_in_place(f, fault);
    else if (f->temporary)
        htmt__temporary_end(&f->listed, NULL);
    release(file);
    return rc;
}

void htmt_whole_file_abandon(struct htmt_whole_file **file)
{
    if (!file || !*file)
        return;
    fclose((*file)->stream);
    if ((*file)->temporary)
        htmt__temporary_end(&(*file)->listed, NULL);
    release(file);
}

int htmt_whole_file_write(const char *path, const void *bytes, size_t length,
                          struct htmt_fault *fault)
{
    struct htmt_whole_file *f = NULL;
    int rc = htmt_whole_file_open(path, &f, fault);
    if (rc)
        return rc;
    fwrite(bytes, 1, length, f->stream); /* a failure stays in the stream */
    return htmt_whole_file_commit(&f, fault);
}
