/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Raw data, and the window of a raw file. A line of the file has a header, in some lines a replica
 * of the pulse, the pairs, and a trailer. Only the pairs of the window are read, line by line,
 * straight to their place; what the host's byte order or the number of bits asks for is done there.
 */
#include "apps/sar/io/raw.h"

#include "apps/fft/complex.h"
#include "runtime/base/input.h"
#include "runtime/base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

size_t htmt__sar_pair_bytes(enum htmt__sar_format format)
{
    switch (format) {
    case HTMT__SAR_I16:
        return 4;
    case HTMT__SAR_C64:
        return 8;
    case HTMT__SAR_U8:
    case HTMT__SAR_I8:
        break;
    }
    return 2;
}

static const void *line_at(const struct htmt__sar_raw *raw, uint32_t line)
{
    size_t stride = raw->samples * htmt__sar_pair_bytes(raw->format);
    return (const char *)raw->bytes + line * stride;
}

/* Number k of a line. */
static double number(const void *line, enum htmt__sar_format format, size_t k)
{
    switch (format) {
    case HTMT__SAR_I8:
        return ((const int8_t *)line)[k];
    case HTMT__SAR_I16:
        return ((const int16_t *)line)[k];
    case HTMT__SAR_C64:
        return (double)((const float *)line)[k];
    case HTMT__SAR_U8:
        break;
    }
    return ((const uint8_t *)line)[k];
}

void htmt__sar_pair(const struct htmt__sar_raw *raw, uint32_t line, uint32_t sample, double *i,
                    double *q)
{
    const void *at = line_at(raw, line);
    *i = number(at, raw->format, 2 * (size_t)sample);
    *q = number(at, raw->format, 2 * (size_t)sample + 1);
}

void htmt__sar_raw_line(const struct htmt__sar_raw *raw, uint32_t line, double _Complex *z)
{
    double gain = raw->gain ? raw->gain[line] : 1, i, q;
    for (uint32_t s = 0; s < raw->samples; s++) {
        htmt__sar_pair(raw, line, s, &i, &q);
        z[s] = gain * CMPLX(i - raw->mean_i, q - raw->mean_q);
    }
}

/* ---- memory --------------------------------------------------------------------------------- */

int htmt__sar_raw_create(struct htmt__sar_raw *raw, uint32_t lines, uint32_t samples,
                         enum htmt__sar_format format, struct htmt_fault *fault)
{
    if (!lines || !samples)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "raw data of %" PRIu32 " lines x %" PRIu32 " samples: found none",
                              lines, samples);
    double gib = 1024.0 * 1024 * 1024;
    double bytes = (double)lines * samples * (double)htmt__sar_pair_bytes(format);
    char left[HTMT_MEMORY_TEXT];
    if (!htmt_memory_holds(bytes, left))
        return htmt_fault_set(fault, HTMT_EHOSTFIT,
                              "raw data of %" PRIu32 " lines x %" PRIu32 " samples: %.2f GiB, %s",
                              lines, samples, bytes / gib, left);
    struct htmt__sar_raw r = {.lines = lines, .samples = samples, .format = format};
    r.bytes = calloc((size_t)lines * samples, htmt__sar_pair_bytes(format));
    if (!r.bytes)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for raw data of %.2f GiB",
                              bytes / gib);
    *raw = r;
    return 0;
}

void htmt__sar_raw_destroy(struct htmt__sar_raw *raw)
{
    free(raw->gain);
    free(raw->bytes);
    *raw = (struct htmt__sar_raw){0};
}

void htmt__sar_raw_forget(struct htmt__sar_raw *raw, uint32_t first, uint32_t end)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *begin = raw->bytes;
    const char *from = line_at(raw, first), *to = line_at(raw, end);
    size_t skip = (page - (uintptr_t)from % page) % page, behind = (uintptr_t)to % page;
    if ((size_t)(to - from) > skip + behind)
        (void)madvise(begin + (from - begin) + skip, (size_t)(to - from) - skip - behind,
                      MADV_DONTNEED);
}

/* ---- the file ------------------------------------------------------------------------------- */

static uint64_t record_bytes(const struct htmt__sar_layout *l)
{
    return l->line_header + l->samples * htmt__sar_pair_bytes(l->format) + l->line_trailer;
}

/* Replicas in the first `lines` lines. */
static uint64_t replicas_in(const struct htmt__sar_layout *l, uint32_t lines)
{
    if (!l->replica_bytes || lines <= l->replica_first)
        return 0;
    return (lines - l->replica_first - 1) / l->replica_every + 1;
}

static uint64_t offset_of_line(const struct htmt__sar_layout *l, uint32_t line)
{
    return l->file_header + line * record_bytes(l) + replicas_in(l, line) * l->replica_bytes;
}

uint64_t htmt__sar_file_bytes(const struct htmt__sar_layout *l)
{
    return offset_of_line(l, l->lines);
}

/* Read all bytes, or return the error. */
static int read_at(int fd, const char *path, void *to, size_t bytes, uint64_t from,
                   struct htmt_fault *fault)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t n = pread(fd, (char *)to + done, bytes - done, (off_t)(from + done));
        if (n == 0)
            return htmt_fault_set(fault, HTMT_EIO, "%s: ended at byte %" PRIu64 " while being read",
                                  path, from + done);
        if (n < 0 && errno != EINTR)
            return htmt_fault_set(fault, HTMT_EIO, "%s: cannot read: %s", path, strerror(errno));
        done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* A line of the window, and its gain where the header has it. Numbers are brought to the host's
 * form: bytes in its order, and the low 2 to 7 bits of two's complement with their sign extended.
 */
static int read_line(int fd, const char *path, const struct htmt__sar_layout *l,
                     struct htmt__sar_raw *raw, uint32_t line, struct htmt_fault *fault)
{
    const size_t pair = htmt__sar_pair_bytes(l->format), numbers = 2 * (size_t)raw->samples;
    const uint32_t in_file = l->window.line + line;
    uint8_t *at = (uint8_t *)raw->bytes + line * raw->samples * pair, code = 0;
    int rc = read_at(fd, path, at, raw->samples * pair,
                     l->file_header + in_file * record_bytes(l) + l->line_header +
                         replicas_in(l, in_file + 1) * l->replica_bytes + l->window.sample * pair,
                     fault);
    if (!rc && l->gain_mask) {
        rc = read_at(fd, path, &code, 1, offset_of_line(l, in_file) + l->gain_byte, fault);
        int step = (code & l->gain_mask) >> __builtin_ctz(l->gain_mask);
        raw->gain[line] = pow(10, (step > l->gain_above ? step - l->gain_subtract : step) / 20.0);
    }
    if (rc)
        return rc;
    if (l->big_endian && pair > 2)
        for (uint8_t *b = at; b < at + raw->samples * pair; b += pair / 2)
            for (size_t k = 0; k < pair / 4; k++) {
                uint8_t byte = b[k];
                b[k] = b[pair / 2 - 1 - k];
                b[pair / 2 - 1 - k] = byte;
            }
    if (l->format == HTMT__SAR_I8 && l->bits < 8) {
        const int sign = 1 << (l->bits - 1), mask = 2 * sign - 1;
        for (size_t k = 0; k < numbers; k++)
            at[k] = (uint8_t)(((at[k] & mask) ^ sign) - sign);
    }
    const float *found = line_at(raw, line);
    for (size_t k = 0; k < numbers && l->format == HTMT__SAR_C64; k++)
        if (!isfinite(found[k]))
            return htmt_fault_set(fault, HTMT_EFORMAT,
                                  "%s: found %f in line %" PRIu32
                                  ", sample %zu, expected finite numbers",
                                  path, (double)found[k], in_file, l->window.sample + k / 2);
    return 0;
}

int htmt__sar_raw_read(const char *path, const struct htmt__sar_layout *l,
                       struct htmt__sar_raw *raw, struct htmt_fault *fault)
{
    struct htmt__sar_raw r = {0};
    int fd = -1, rc = htmt_input_open(path, HTMT_INPUT_DATA, &fd, fault);
    if (rc)
        return rc;
    struct stat st;
    const uint64_t expected = htmt__sar_file_bytes(l);
    if (fstat(fd, &st))
        rc = htmt_fault_set(fault, HTMT_EIO, "%s: %s", path, strerror(errno));
    else if ((uint64_t)st.st_size != expected)
        rc = htmt_fault_set(fault, HTMT_EFORMAT,
                            "%s: found %lld bytes, expected %" PRIu64 ": header %" PRIu64
                            " + %" PRIu32 " lines x (%" PRIu64 " + %" PRIu32
                            " samples x %zu + %" PRIu64 ") + %" PRIu64 " replicas x %" PRIu64,
                            path, (long long)st.st_size, expected, l->file_header, l->lines,
                            l->line_header, l->samples, htmt__sar_pair_bytes(l->format),
                            l->line_trailer, replicas_in(l, l->lines), l->replica_bytes);
    else
        rc = htmt__sar_raw_create(&r, l->window.lines, l->window.samples, l->format, fault);
    if (!rc && l->gain_mask && !(r.gain = calloc(r.lines, sizeof *r.gain)))
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no memory for gains of lines");
    for (uint32_t line = 0; !rc && line < r.lines; line++)
        rc = read_line(fd, path, l, &r, line, fault);
    close(fd);
    if (rc)
        htmt__sar_raw_destroy(&r);
    else
        *raw = r;
    return rc;
}

/* ---- mean ----------------------------------------------------------------------------------- */

void htmt__sar_raw_measure_mean(const struct htmt__sar_raw *raw, double *mean_i, double *mean_q)
{
    double all[2] = {0}, pairs = (double)raw->lines * raw->samples;
    for (uint32_t line = 0; line < raw->lines; line++) {
        double sum[2] = {0}, i, q;
        for (uint32_t s = 0; s < raw->samples; s++) {
            htmt__sar_pair(raw, line, s, &i, &q);
            sum[0] += i;
            sum[1] += q;
        }
        all[0] += sum[0];
        all[1] += sum[1];
    }
    *mean_i = all[0] / pairs;
    *mean_q = all[1] / pairs;
}
