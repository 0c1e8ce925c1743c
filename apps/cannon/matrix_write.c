/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writing .npy whole or not at all.
 */
#include "apps/cannon/matrix.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER   128 /* bytes: 10 of preamble and a dictionary padded to a multiple of 64 */
#define ATTEMPTS 100 /* names tried for the temporary file */

static int failed(const char *path, const char *what, int code, struct htmt_fault *fault)
{
    return htmt_fault_set(fault, code, "%s: cannot %s: %s", path, what, strerror(errno));
}

/* The caller frees it. */
static char *folder_of(const char *path)
{
    char *copy = strdup(path);
    char *folder = copy ? strdup(dirname(copy)) : NULL;
    free(copy);
    return folder;
}

static int check_folder(const char *path, const char *folder, struct htmt_fault *fault)
{
    struct stat st;
    if (stat(folder, &st))
        return htmt_fault_set(fault, HTMT_ENOENT, "%s: the output folder %s: %s", path, folder,
                              strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return htmt_fault_set(fault, HTMT_ENOENT, "%s: %s is not a folder", path, folder);
    if (access(folder, W_OK | X_OK))
        return htmt_fault_set(fault, HTMT_EINVAL, "%s: cannot write in %s: %s", path, folder,
                              strerror(errno));
    if (!stat(path, &st) && S_ISDIR(st.st_mode))
        return htmt_fault_set(fault, HTMT_EINVAL, "%s: is a folder, expected a file to write",
                              path);
    if (!stat(path, &st) && !S_ISREG(st.st_mode)) /* the rename would put a file in its place */
        return htmt_fault_set(fault, HTMT_EINVAL, "%s: is a device or pipe, expected a file", path);
    return 0;
}

int htmt__matrix_check_output(const char *path, struct htmt_fault *fault)
{
    size_t n = strlen(path);
    if (n == 0 || path[n - 1] == '/')
        return htmt_fault_set(fault, HTMT_EINVAL, "\"%s\": expected the name of a file to write",
                              path);
    char *folder = folder_of(path);
    if (!folder)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for its folder's name", path);
    int rc = check_folder(path, folder, fault);
    free(folder);
    return rc;
}

/* A new file beside `path`; its name goes to `name`. Named by the process, not at random, so that
 * a left-over can be told; ATTEMPTS covers left-overs of a process with the same number. */
static int open_beside(const char *path, char *name, size_t room, struct htmt_fault *fault)
{
    for (int k = 0; k < ATTEMPTS; k++) {
        snprintf(name, room, "%s.%ld-%d.tmp", path, (long)getpid(), k);
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0)
            return fd;
        if (errno != EEXIST)
            break;
    }
    return failed(path, "create a temporary file beside it", HTMT_EIO, fault);
}

/* At most 52 characters of numbers: 118 bytes of header hold them and the newline at its end. */
static void make_header(const struct htmt__matrix *m, char header[HEADER + 1])
{
    char text[HEADER - 10];
    snprintf(text, sizeof text,
             "{'descr': '<f8', 'fortran_order': False, 'shape': (%" PRIu64 ", %" PRIu64 "), }",
             m->rows, m->cols);
    memcpy(header, "\x93NUMPY\x01", 8);
    header[8] = (char)(HEADER - 10);
    header[9] = 0;
    snprintf(header + 10, HEADER - 9, "%-*s\n", HEADER - 11, text);
}

static int write_elements(FILE *out, const struct htmt__matrix *m)
{
    char header[HEADER + 1];
    uint64_t n = m->rows * m->cols;
    make_header(m, header);
    if (fwrite(header, 1, HEADER, out) != HEADER || fwrite(m->at, sizeof *m->at, n, out) != n ||
        fflush(out) || fsync(fileno(out)))
        return HTMT_EIO;
    return 0;
}

/* A rename lasts only when the folder itself is on the disk. */
static int sync_folder(const char *path)
{
    char *folder = folder_of(path);
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int rc = fd >= 0 && !fsync(fd) ? 0 : HTMT_EIO;
    if (fd >= 0)
        close(fd);
    free(folder);
    return rc;
}

static int write_named(const char *path, const char *name, int fd, const struct htmt__matrix *m,
                       struct htmt_fault *fault)
{
    FILE *out = fdopen(fd, "wb");
    if (!out) {
        int rc = failed(path, "open a stream", HTMT_EIO, fault);
        close(fd);
        return rc;
    }
    int rc = write_elements(out, m);
    if (rc)
        failed(path, "write", rc, fault);
    if (fclose(out) && !rc)
        rc = failed(path, "write", HTMT_EIO, fault);
    if (!rc && rename(name, path))
        rc = failed(path, "rename the finished file", HTMT_EIO, fault);
    return rc;
}

int htmt__matrix_write(const char *path, const struct htmt__matrix *m, struct htmt_fault *fault)
{
    int rc = htmt__matrix_check_output(path, fault);
    if (rc)
        return rc;
    size_t room = strlen(path) + 48;
    char *name = malloc(room);
    if (!name)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for a file name", path);
    rc = open_beside(path, name, room, fault);
    if (rc >= 0) {
        rc = write_named(path, name, rc, m, fault);
        if (rc)
            unlink(name);
        else if (sync_folder(path))
            rc = failed(path, "flush its folder", HTMT_EIO, fault);
    }
    free(name);
    return rc;
}
