/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files that users name. Each is looked at after it was opened, by its descriptor, so that what is
 * checked is what is read: a file, no folder, pipe or device, no larger than its kind may be, and
 * none that an option of the same command writes.
 */
#include "runtime/base/input.h"

#include "runtime/base/array.h"
#include "runtime/base/output_claims.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOM_FIRST 4096 /* bytes for a file that does not tell its length, as those of /proc */

static const struct {
    uint64_t most;
    const char *size, *what;
} kinds[] = {
#define ROW(kind, most, size, what) {(most), (size), (what)},
    HTMT_INPUT_MAP(ROW)
#undef ROW
};

/* ---- refusals ------------------------------------------------------------------------------- */

/* Whose fault an error of the host is: of the name that the user gave, or the host's own. */
static int code_of(int error)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
    case EACCES:
    case EPERM:
    case ELOOP:
    case ENAMETOOLONG:
    case ENXIO:
    case ENODEV:
        return HTMT_ENOENT;
    case ENOMEM:
        return HTMT_ENOMEM;
    case EMFILE:
    case ENFILE:
        return HTMT_ESYSTEM;
    default:
        return HTMT_EIO;
    }
}

int htmt_input_failed(const char *path, const char *what, int error, struct htmt_fault *fault)
{
    return htmt_fault_set(fault, code_of(error), "%s: cannot %s: %s", path, what, strerror(error));
}

static int failed(const char *path, const char *what, struct htmt_fault *fault)
{
    return htmt_input_failed(path, what, errno, fault);
}

static int refuse_size(const char *path, const char *more, uint64_t bytes,
                       enum htmt_input_kind kind, struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_EFORMAT,
                          "%s: found %s%" PRIu64 " bytes, expected at most %s in a %s", path, more,
                          bytes, kinds[kind].size, kinds[kind].what);
}

/* ---- opening -------------------------------------------------------------------------------- */

/* Without O_NONBLOCK a pipe would wait for its writer. */
static int open_checked(const char *path, enum htmt_input_kind kind, int *fd, uint64_t *bytes,
                        struct htmt_fault *fault)
{
    struct stat at;
    int found = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), rc;
    if (found < 0)
        return failed(path, "open", fault);
    if (fstat(found, &at))
        rc = failed(path, "look at it", fault);
    else if (!S_ISREG(at.st_mode))
        rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s: found a %s, expected a file", path,
                            S_ISDIR(at.st_mode)    ? "folder"
                            : S_ISFIFO(at.st_mode) ? "pipe"
                            : S_ISSOCK(at.st_mode) ? "socket"
                                                   : "device");
    else if ((*bytes = (uint64_t)at.st_size) > kinds[kind].most)
        rc = refuse_size(path, "", *bytes, kind, fault);
    else
        rc = htmt__output_spares(path, found, fault);
    if (rc)
        close(found);
    else
        *fd = found;
    return rc;
}

int htmt_input_open(const char *path, enum htmt_input_kind kind, int *fd, struct htmt_fault *fault)
{
    uint64_t bytes;
    return open_checked(path, kind, fd, &bytes, fault);
}

int htmt_input_stream(const char *path, enum htmt_input_kind kind, FILE **in,
                      struct htmt_fault *fault)
{
    int fd = -1, rc = htmt_input_open(path, kind, &fd, fault);
    FILE *stream = rc ? NULL : fdopen(fd, "rb");
    if (!rc && !stream) {
        rc = failed(path, "open", fault);
        close(fd);
    }
    if (!rc)
        *in = stream;
    return rc;
}

/* ---- whole files ---------------------------------------------------------------------------- */

/* A file may grow while it is read, or not tell its length, so it is read until it ends. Room for a
 * NUL is left. */
int htmt_input_read(const char *path, enum htmt_input_kind kind, char **text, size_t *length,
                    struct htmt_fault *fault)
{
    uint64_t bytes = 0;
    size_t used = 0;
    int fd = -1, rc = open_checked(path, kind, &fd, &bytes, fault);
    if (rc)
        return rc;
    size_t room = (bytes > ROOM_FIRST ? bytes : ROOM_FIRST) + 2;
    char *at = malloc(room);
    if (!at)
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory while reading", path);
    for (ssize_t n = 1; n && !rc;) {
        if (!htmt__array_fits(&at, &room, used + 2, 1)) {
            rc = htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory while reading", path);
            break;
        }
        n = read(fd, at + used, room - used - 1);
        if (n < 0 && errno != EINTR)
            rc = failed(path, "read", fault);
        used += n > 0 ? (size_t)n : 0;
        if (!rc && used > kinds[kind].most)
            rc = refuse_size(path, "more than ", kinds[kind].most, kind, fault);
    }
    close(fd);
    if (rc) {
        free(at);
        return rc;
    }
    at[used] = '\0';
    *text = at;
    *length = used;
    return 0;
}
