/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bytes of a trace file, and zlib streams in it. Packed and inflated bytes lie in the trace's own
 * two buffers, which only grow, until the next stream is read.
 */
#include "emul/lib/trace/file.h"

#include "runtime/base/array.h"
#include "runtime/base/input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <unistd.h>

int htmt__trace_refuse(const struct htmt_trace *t, uint64_t byte, struct htmt_fault *fault,
                       const char *format, ...)
{
    char text[sizeof fault->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return htmt_fault_set(fault, HTMT_EFORMAT, "%s: byte %" PRIu64 ": %s", t->path, byte, text);
}

int htmt__trace_out_of_memory(const struct htmt_trace *t, struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory while reading", t->path);
}

int htmt__trace_bytes_at(const struct htmt_trace *t, uint64_t offset, void *bytes, size_t length,
                         struct htmt_fault *fault)
{
    for (size_t done = 0; done < length;) {
        ssize_t n = pread(t->fd, (char *)bytes + done, length - done, (off_t)(offset + done));
        if (n < 0 && errno != EINTR)
            return htmt_input_failed(t->path, "read", errno, fault);
        if (n == 0)
            return htmt__trace_refuse(t, offset + done, fault,
                                      "found the end of the file, which was longer, expected "
                                      "%zu more bytes",
                                      length - done);
        done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

int htmt__trace_inflate(struct htmt_trace *t, uint64_t offset, uint32_t bytes, uint32_t crc,
                        uint32_t raw, struct htmt_fault *fault)
{
    size_t used = 0, made = 0;
    if (!htmt__array_fits(&t->packed.at, &t->packed.room, bytes, 1) ||
        !htmt__array_fits(&t->raw.at, &t->raw.room, (size_t)raw + 1, 1))
        return htmt__trace_out_of_memory(t, fault);
    int rc = htmt__trace_bytes_at(t, offset, t->packed.at, bytes, fault);
    if (rc)
        return rc;
    uint32_t found = libdeflate_crc32(0, t->packed.at, bytes);
    if (found != crc)
        return htmt__trace_refuse(t, offset, fault,
                                  "found %" PRIu32 " bytes with the CRC %08" PRIx32
                                  ", expected %08" PRIx32 ": the file is damaged",
                                  bytes, found, crc);
    if (!t->inflater)
        t->inflater = libdeflate_alloc_decompressor();
    if (!t->inflater)
        return htmt__trace_out_of_memory(t, fault);
    enum libdeflate_result result = libdeflate_zlib_decompress_ex(t->inflater, t->packed.at, bytes,
                                                                  t->raw.at, raw, &used, &made);
    if (result == LIBDEFLATE_SUCCESS && used == bytes && made == raw)
        return 0;
    return htmt__trace_refuse(t, offset, fault,
                              "found %s, expected a zlib stream of %" PRIu32 " bytes that gives "
                              "%" PRIu32,
                              result == LIBDEFLATE_SUCCESS              ? "another length"
                              : result == LIBDEFLATE_INSUFFICIENT_SPACE ? "more bytes"
                                                                        : "no whole zlib stream",
                              bytes, raw);
}
