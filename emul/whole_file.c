/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* asprintf */
#include "emul/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The caller frees it; NULL: out of memory. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* A device or pipe has to be written to: a rename would put a file in its place. */
static bool is_special(const char *path)
{
    struct stat at;
    return stat(path, &at) == 0 && !S_ISREG(at.st_mode) && !S_ISDIR(at.st_mode);
}

static int check_folder(const char *name, const char *path, const char *folder,
                        struct htmt_fault *fault)
{
    struct stat at;
    if (stat(folder, &at) || !S_ISDIR(at.st_mode))
        return htmt_fault_set(fault, HTMT_ENOENT, "--%s %s: there is no folder '%s'", name, path,
                              folder);
    if (access(folder, W_OK | X_OK))
        return htmt_fault_set(fault, HTMT_EINVAL, "--%s %s: no permission to write into '%s'", name,
                              path, folder);
    if (stat(path, &at) == 0 && S_ISDIR(at.st_mode))
        return htmt_fault_set(fault, HTMT_EINVAL, "--%s %s: is a folder, expected a file", name,
                              path);
    return 0;
}

int htmt__whole_file_check(const char *name, const char *path, struct htmt_fault *fault)
{
    if (is_special(path) && access(path, W_OK))
        return htmt_fault_set(fault, HTMT_EINVAL, "--%s %s: no permission to write", name, path);
    if (is_special(path))
        return 0;
    char *folder = folder_of(path);
    if (!folder)
        return htmt_fault_set(fault, HTMT_ENOMEM, "--%s %s: out of memory", name, path);
    int code = check_folder(name, path, folder, fault);
    free(folder);
    return code;
}

static int write_all(int file, const char *text, size_t length)
{
    while (length) {
        ssize_t n = write(file, text, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        text += n;
        length -= (size_t)n;
    }
    return 0;
}

/* mkstemp() keeps the file to its owner; a result is for everyone whom the mask lets. */
static int open_up(int file)
{
    mode_t mask = umask(0);
    umask(mask);
    return fchmod(file, 0666 & ~mask);
}

static int fill(int file, const char *text, size_t length)
{
    int failed = open_up(file) || write_all(file, text, length) || fsync(file);
    int why = errno;
    failed |= close(file);
    errno = why ? why : errno;
    return failed ? -1 : 0;
}

static int write_special(const char *path, const char *text, size_t length,
                         struct htmt_fault *fault)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    int failed = file < 0 || write_all(file, text, length);
    int why = errno;
    if (file >= 0 && close(file))
        failed = 1;
    if (!failed)
        return 0;
    return htmt_fault_set(fault, HTMT_EIO, "%s: cannot be written: %s", path, strerror(why));
}

int htmt__whole_file_write(const char *path, const char *text, size_t length,
                           struct htmt_fault *fault)
{
    if (is_special(path))
        return write_special(path, text, length, fault);
    char *temporary = NULL;
    if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory", path);
    int code = 0, file = mkstemp(temporary);
    if (file < 0 || fill(file, text, length) || rename(temporary, path)) {
        code = htmt_fault_set(fault, HTMT_EIO, "%s: cannot be written: %s", path, strerror(errno));
        if (file >= 0)
            unlink(temporary);
    }
    free(temporary);
    return code;
}
