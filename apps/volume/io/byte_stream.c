/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bytes of a file in order. Plain bytes are read by read(), gzip by zlib, which tells a truncated
 * file from a corrupt one.
 *
 * Deflate makes at most 1032 bytes of one (a match of 258 bytes costs two bits at least), so the
 * length of a file bounds what can come of it before anything is unpacked. A header that promises
 * more is refused without memory for its voxels: 1 MB of gzip cannot hold a volume of 2 GB.
 *
 * The check sum stands at the end of gzip, so it is tested only when a stream is read to its end.
 * The readers of voxels do that with htmt__volume_byte_stream_finish(), also if they need no more.
 */
#include "apps/volume/io/volume_file.h"

#include "runtime/base/input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define PIECE ((size_t)1 << 20)

#define DEFLATE_MOST 1032

struct htmt__volume_byte_stream {
    const char *path;
    int fd;    /* for plain bytes, else -1 */
    gzFile gz; /* else NULL */
    uint64_t most;
};

/* ---- life ----------------------------------------------------------------------------------- */

static int failed(const char *path, const char *what, struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_EIO, "%s: cannot %s: %s", path, what, strerror(errno));
}

/* Gzip is recognized by its first two bytes. */
static int start(struct htmt__volume_byte_stream *s, int fd, uint64_t offset,
                 enum htmt__volume_coding coding, struct htmt_fault *fault)
{
    unsigned char magic[2] = {0};
    struct stat st;
    if (fstat(fd, &st))
        return failed(s->path, "look at it", fault);
    if (pread(fd, magic, sizeof magic, (off_t)offset) < 0)
        return failed(s->path, "read", fault);
    bool gzip = magic[0] == 0x1f && magic[1] == 0x8b;
    if (coding == HTMT__GZIP && !gzip)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: found bytes %02x %02x at offset %" PRIu64
                              ", expected gzip (1f 8b)",
                              s->path, magic[0], magic[1], offset);
    if (lseek(fd, (off_t)offset, SEEK_SET) < 0)
        return failed(s->path, "seek", fault);
    uint64_t length = (uint64_t)st.st_size;
    s->most = length > offset ? length - offset : 0;
    if (!gzip || coding == HTMT__PLAIN) {
        s->fd = fd;
        return 0;
    }
    s->most *= DEFLATE_MOST;
    s->gz = gzdopen(fd, "rb");
    if (!s->gz)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory to unpack it", s->path);
    gzbuffer(s->gz, PIECE / 8);
    return 0;
}

int htmt__volume_byte_stream_open(const char *path, uint64_t offset,
                                  enum htmt__volume_coding coding,
                                  struct htmt__volume_byte_stream **stream,
                                  struct htmt_fault *fault)
{
    int fd = -1, rc = htmt_input_open(path, HTMT_INPUT_DATA, &fd, fault);
    if (rc)
        return rc;
    struct htmt__volume_byte_stream *s = calloc(1, sizeof *s);
    if (!s)
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory to read it", path);
    if (s) {
        s->path = path;
        s->fd = -1;
        rc = start(s, fd, offset, coding, fault);
    }
    if (rc) {
        close(fd);
        free(s);
        return rc;
    }
    *stream = s;
    return 0;
}

void htmt__volume_byte_stream_close(struct htmt__volume_byte_stream **stream)
{
    struct htmt__volume_byte_stream *s = *stream;
    if (s && s->gz)
        gzclose(s->gz);
    if (s && s->fd >= 0)
        close(s->fd);
    free(s);
    *stream = NULL;
}

bool htmt__volume_byte_stream_packed(const struct htmt__volume_byte_stream *stream)
{
    return stream->gz != NULL;
}

uint64_t htmt__volume_byte_stream_most(const struct htmt__volume_byte_stream *stream)
{
    return stream->most;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Read the bytes that there are, up to `count`. */
static int read_some(struct htmt__volume_byte_stream *s, void *bytes, size_t count, size_t *got,
                     struct htmt_fault *fault)
{
    if (s->gz) {
        int n = gzread(s->gz, bytes, (unsigned)count), code = 0;
        if (n >= 0 && n < (int)count)
            gzerror(s->gz, &code);
        *got = (size_t)(n > 0 ? n : 0);
        if (n >= 0 && code >= 0)
            return 0;
        const char *why = gzerror(s->gz, &code);
        if (code == Z_ERRNO)
            return failed(s->path, "read", fault);
        if (code == Z_MEM_ERROR)
            return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory to unpack it", s->path);
        if (code == Z_BUF_ERROR)
            return htmt_fault_set(fault, HTMT_EFORMAT,
                                  "%s: truncated: the gzip data end in the middle", s->path);
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s: corrupt gzip data: %s", s->path, why);
    }
    ssize_t n;
    do
        n = read(s->fd, bytes, count);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return failed(s->path, "read", fault);
    *got = (size_t)n;
    return 0;
}

int htmt__volume_byte_stream_take(struct htmt__volume_byte_stream *s, void *bytes, uint64_t count,
                                  const char *what, struct htmt_fault *fault)
{
    unsigned char *to = bytes;
    uint64_t done = 0;
    while (done < count) {
        size_t piece = count - done < PIECE ? (size_t)(count - done) : PIECE, got = 0;
        int rc = read_some(s, to + done, piece, &got, fault);
        if (rc)
            return rc;
        if (!got)
            return htmt_fault_set(fault, HTMT_EFORMAT,
                                  "%s: truncated: found %" PRIu64 " bytes of %s, expected %" PRIu64,
                                  s->path, done, what, count);
        done += got;
    }
    return 0;
}

int htmt__volume_byte_stream_skip(struct htmt__volume_byte_stream *s, uint64_t count,
                                  const char *what, struct htmt_fault *fault)
{
    unsigned char waste[4096];
    int rc = 0;
    while (!rc && count) {
        uint64_t piece = count < sizeof waste ? count : sizeof waste;
        rc = htmt__volume_byte_stream_take(s, waste, piece, what, fault);
        count -= piece;
    }
    return rc;
}

int htmt__volume_byte_stream_finish(struct htmt__volume_byte_stream *s, uint64_t *rest,
                                    struct htmt_fault *fault)
{
    unsigned char waste[4096];
    size_t got = 0;
    *rest = 0;
    do {
        int rc = read_some(s, waste, sizeof waste, &got, fault);
        if (rc)
            return rc;
        *rest += got;
    } while (got);
    return 0;
}
