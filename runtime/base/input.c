/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/input.h"

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

static const char *name_of(mode_t mode)
{
    return S_ISDIR(mode)    ? "folder"
           : S_ISFIFO(mode) ? "pipe"
           : S_ISSOCK(mode) ? "socket"
                            : "device";
}

static int refuse_size(const char *path, const char *more, uint64_t bytes,
                       enum htmt_input_kind kind, struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_EFORMAT,
                          "%s: found %s%" PRIu64 " bytes, expected at most %s in a %s", path, more,
                          bytes, kinds[kind].size, kinds[kind].what);
}

/* ---- opening -------------------------------------------------------------------------------- */

static int check(int fd, const char *path, enum htmt_input_kind kind, uint64_t *bytes,
                 struct htmt_fault *fault)
{
    struct stat at;
    if (fstat(fd, &at))
        return failed(path, "look at it", fault);
    if (!S_ISREG(at.st_mode))
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s: found a %s, expected a file", path,
                              name_of(at.st_mode));
    *bytes = (uint64_t)at.st_size;
    return *bytes > kinds[kind].most ? refuse_size(path, "", *bytes, kind, fault) : 0;
}

/* Without O_NONBLOCK a pipe would wait for its writer. */
static int open_checked(const char *path, enum htmt_input_kind kind, int *fd, uint64_t *bytes,
                        struct htmt_fault *fault)
{
    int found = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (found < 0)
        return failed(path, "open", fault);
    int rc = check(found, path, kind, bytes, fault);
    if (!rc)
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

struct text {
    char *at;
    size_t length, room; /* room for a NUL is left */
};

static int grow(struct text *t, const char *path, struct htmt_fault *fault)
{
    size_t room = 2 * t->room;
    char *more = realloc(t->at, room);
    if (!more)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory while reading", path);
    t->at = more;
    t->room = room;
    return 0;
}

/* 1: more may follow. A file may grow, or not tell its length. */
static int read_some(struct text *t, int fd, const char *path, enum htmt_input_kind kind,
                     struct htmt_fault *fault)
{
    int rc = t->length + 1 < t->room ? 0 : grow(t, path, fault);
    if (rc)
        return rc;
    ssize_t n = read(fd, t->at + t->length, t->room - t->length - 1);
    if (n < 0 && errno != EINTR)
        return failed(path, "read", fault);
    t->length += n > 0 ? (size_t)n : 0;
    if (t->length > kinds[kind].most)
        return refuse_size(path, "more than ", kinds[kind].most, kind, fault);
    return n != 0;
}

static int read_open(int fd, uint64_t bytes, const char *path, enum htmt_input_kind kind,
                     struct text *t, struct htmt_fault *fault)
{
    int rc;
    t->room = (bytes > ROOM_FIRST ? bytes : ROOM_FIRST) + 2;
    t->at = malloc(t->room);
    if (!t->at)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory while reading", path);
    while ((rc = read_some(t, fd, path, kind, fault)) > 0)
        ;
    t->at[t->length] = '\0';
    return rc;
}

int htmt_input_read(const char *path, enum htmt_input_kind kind, char **text, size_t *length,
                    struct htmt_fault *fault)
{
    uint64_t bytes = 0;
    struct text t = {0};
    int fd = -1, rc = open_checked(path, kind, &fd, &bytes, fault);
    if (rc)
        return rc;
    rc = read_open(fd, bytes, path, kind, &t, fault);
    close(fd);
    if (rc) {
        free(t.at);
        return rc;
    }
    *text = t.at;
    *length = t.length;
    return 0;
}
