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
    free(raw->of_file);
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

/* ---- what the headers tell ------------------------------------------------------------------ */

/* A line counter tells time. A receiver that lost lines leaves no trace but a jump of the counter,
 * and lines behind the jump would be focused as if the satellite had stood still meanwhile: 40 lost
 * lines of ERS smear a point over 170 m. So the place of a line is its number less that of the
 * first one, and places without a line are filled with nothing.
 *
 * The window's start tells range. Radars move the start of the sampling window in the middle of a
 * pass, to follow the ground. A start that is 37 samples later puts the echo of a point 37 columns
 * to the left, so such a line is moved to the right, and the samples of line 0's window that it
 * does not have are filled.
 *
 * Example: lines numbered 7, 8, 11 with starts 4, 4, 6 (in samples) are places 0, 1 and 4; 2 and 3
 * are missing; place 4 has no samples in its columns 0 and 1. Numbers of b bytes return to 0 behind
 * 2^(8 b) - 1, so differences are taken modulo that. */

static bool has(const struct htmt__sar_field *f)
{
    return f->bytes != 0;
}

static int read_field(int fd, const char *path, const struct htmt__sar_layout *l,
                      const struct htmt__sar_field *f, uint32_t line, uint64_t *value,
                      struct htmt_fault *fault)
{
    uint8_t b[8];
    int rc = read_at(fd, path, b, f->bytes, offset_of_line(l, line) + f->byte, fault);
    *value = 0;
    for (unsigned i = 0; i < f->bytes && !rc; i++)
        *value = *value << 8 | b[f->little_endian ? f->bytes - 1 - i : i];
    return rc;
}

/* The places of the window's lines: which line of the file each has. *lines: how many places. */
static int place_lines(int fd, const char *path, const struct htmt__sar_layout *l, uint32_t *lines,
                       uint32_t **of_file, uint32_t *gaps, struct htmt_fault *fault)
{
    const uint32_t first = l->window.line, count = l->window.lines;
    const uint64_t most =
        l->number.bytes < 8 ? (UINT64_C(1) << 8 * l->number.bytes) - 1 : UINT64_MAX;
    uint64_t before = 0, at = 0, number;
    uint32_t *place = calloc(2 * (size_t)count, sizeof *place);
    if (!place)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the places of lines");
    *gaps = 0;
    for (uint32_t n = 0; n < count; n++, before = number) {
        int rc = read_field(fd, path, l, &l->number, first + n, &number, fault);
        const uint64_t step = n ? (number - before) & most : 0;
        if (!rc && n && (!step || step > most / 2))
            rc = htmt_fault_set(fault, HTMT_EFORMAT,
                                "%s: found number %" PRIu64 " in line %" PRIu32 " behind %" PRIu64
                                ", expected a larger one: is line_number where the file has it?",
                                path, number, first + n, before);
        /* Missing so far: at - (n - 1), since line n - 1 is at place `at`; with this gap step - 1
         * more, and at most `count` in all, which `place` has room for. */
        if (!rc && n && at - (n - 1) + (step - 1) > count)
            rc = htmt_fault_set(
                fault, HTMT_EFORMAT,
                "%s: found number %" PRIu64 " in line %" PRIu32 " behind %" PRIu64
                ", expected at most as many missing lines as the window has, %" PRIu32
                ": choose a window without the gap",
                path, number, first + n, before, count);
        if (rc) {
            free(place);
            return rc;
        }
        for (uint64_t k = 1; k < step; k++)
            place[at + k] = HTMT__SAR_MISSING;
        at += step;
        *gaps += step > 1;
        place[at] = first + n;
    }
    *lines = (uint32_t)at + 1;
    *of_file = place;
    return 0;
}

int htmt__sar_raw_count(const char *path, const struct htmt__sar_layout *l, uint32_t *lines,
                        struct htmt_fault *fault)
{
    uint32_t *of_file = NULL, gaps;
    int fd = -1;
    *lines = l->window.lines;
    if (!has(&l->number))
        return 0;
    int rc = htmt_input_open(path, HTMT_INPUT_DATA, &fd, fault);
    if (rc)
        return rc;
    rc = place_lines(fd, path, l, lines, &of_file, &gaps, fault);
    close(fd);
    free(of_file);
    return rc;
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* Samples of a line of the window that the file has: `count` from `to` on in the window, from
 * `from` on in the file. */
struct covered {
    uint32_t to, from, count;
};

static struct covered covered_by(const struct htmt__sar_layout *l, int64_t shift)
{
    const int64_t begin = (int64_t)l->window.sample - shift; /* of column 0, in the line */
    const int64_t end = begin + l->window.samples;
    const int64_t low = begin > 0 ? begin : 0, high = end < l->samples ? end : l->samples;
    if (low >= high)
        return (struct covered){0};
    return (struct covered){(uint32_t)(low - begin), (uint32_t)low, (uint32_t)(high - low)};
}

/* By how many samples the line's window starts later than that of line 0. A prf that differs from
 * that of line 0 is refused. */
static int read_shift(int fd, const char *path, const struct htmt__sar_layout *l, uint32_t line,
                      int64_t *shift, struct htmt_fault *fault)
{
    uint64_t here = 0, first = 0;
    int rc = 0;
    *shift = 0;
    if (has(&l->prf)) {
        rc = read_field(fd, path, l, &l->prf, 0, &first, fault);
        if (!rc)
            rc = read_field(fd, path, l, &l->prf, line, &here, fault);
        if (!rc && here != first)
            rc = htmt_fault_set(fault, HTMT_EFORMAT,
                                "%s: found prf code %" PRIu64 " in line %" PRIu32
                                ", expected %" PRIu64
                                " as in line 0: one prf serves a run; choose a window before or "
                                "behind, and its prf",
                                path, here, line, first);
    }
    if (rc || !has(&l->start))
        return rc;
    rc = read_field(fd, path, l, &l->start, 0, &first, fault);
    if (!rc)
        rc = read_field(fd, path, l, &l->start, line, &here, fault);
    const double later = here >= first ? (double)(here - first) : -(double)(first - here);
    const double samples = round(later * l->start_step);
    if (!rc && !(fabs(samples) < l->samples))
        rc = htmt_fault_set(fault, HTMT_EFORMAT,
                            "%s: found a window start of %" PRIu64 " in line %" PRIu32
                            ", %.0f samples from that of line 0, expected less than the %" PRIu32
                            " of a line",
                            path, here, line, samples, l->samples);
    *shift = rc ? 0 : (int64_t)samples;
    return rc;
}

/* A line of the file, and its gain where the header has it. Numbers are brought to the host's form:
 * bytes in its order, and the low 2 to 7 bits of two's complement with their sign extended. */
static int read_line(int fd, const char *path, const struct htmt__sar_layout *l,
                     struct htmt__sar_raw *raw, uint32_t line, uint32_t in_file,
                     const struct covered *c, struct htmt_fault *fault)
{
    const size_t pair = htmt__sar_pair_bytes(l->format), numbers = 2 * (size_t)c->count;
    uint8_t *at = (uint8_t *)raw->bytes + ((size_t)line * raw->samples + c->to) * pair, code = 0;
    int rc = read_at(fd, path, at, c->count * pair,
                     l->file_header + in_file * record_bytes(l) + l->line_header +
                         replicas_in(l, in_file + 1) * l->replica_bytes + c->from * pair,
                     fault);
    if (!rc && l->gain_mask) {
        rc = read_at(fd, path, &code, 1, offset_of_line(l, in_file) + l->gain_byte, fault);
        int step = (code & l->gain_mask) >> __builtin_ctz(l->gain_mask);
        raw->gain[line] = pow(10, (step > l->gain_above ? step - l->gain_subtract : step) / 20.0);
    }
    if (rc)
        return rc;
    if (l->big_endian && pair > 2)
        for (uint8_t *b = at; b < at + c->count * pair; b += pair / 2)
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
    const float *found = (const float *)line_at(raw, line) + 2 * (size_t)c->to;
    for (size_t k = 0; k < numbers && l->format == HTMT__SAR_C64; k++)
        if (!isfinite(found[k]))
            return htmt_fault_set(fault, HTMT_EFORMAT,
                                  "%s: found %f in line %" PRIu32
                                  ", sample %zu, expected finite numbers",
                                  path, (double)found[k], in_file, c->from + k / 2);
    return 0;
}

/* Give the samples of a line that nothing covers the mean of all that are. */
static void fill_line(struct htmt__sar_raw *raw, uint32_t line, const struct covered *c,
                      const double mean[2])
{
    const size_t pair = htmt__sar_pair_bytes(raw->format), half = pair / 2;
    uint8_t *at = (uint8_t *)raw->bytes + (size_t)line * raw->samples * pair;
    for (uint32_t s = 0; s < raw->samples; s++)
        for (size_t k = 0; k < 2 && (s < c->to || s - c->to >= c->count); k++) {
            const int16_t whole = (int16_t)lrint(mean[k]);
            const int8_t byte = (int8_t)(uint8_t)lrint(mean[k]);
            const float real = (float)mean[k];
            const void *number = raw->format == HTMT__SAR_C64   ? (const void *)&real
                                 : raw->format == HTMT__SAR_I16 ? (const void *)&whole
                                                                : (const void *)&byte;
            memcpy(at + s * pair + k * half, number, half);
        }
}

/* All lines, in their places. Sums of numbers are taken as they come, for what nothing covers. */
static int read_lines(int fd, const char *path, const struct htmt__sar_layout *l,
                      struct htmt__sar_raw *raw, struct covered *c, struct htmt_fault *fault)
{
    double sum[2] = {0}, pairs = 0, mean[2];
    bool whole = true;
    int rc = 0;
    for (uint32_t n = 0; n < raw->lines && !rc; n++) {
        const uint32_t in_file = raw->of_file ? raw->of_file[n] : l->window.line + n;
        int64_t shift = 0;
        c[n] = (struct covered){0};
        if (in_file != HTMT__SAR_MISSING)
            rc = read_shift(fd, path, l, in_file, &shift, fault);
        if (!rc && in_file != HTMT__SAR_MISSING) {
            c[n] = covered_by(l, shift);
            rc = read_line(fd, path, l, raw, n, in_file, &c[n], fault);
        }
        raw->shift_least = shift < raw->shift_least ? shift : raw->shift_least;
        raw->shift_most = shift > raw->shift_most ? shift : raw->shift_most;
        whole &= c[n].count == raw->samples;
        raw->missing += in_file == HTMT__SAR_MISSING;
    }
    if (rc || whole)
        return rc;
    for (uint32_t n = 0; n < raw->lines; n++, pairs += c[n - 1].count)
        for (uint32_t s = c[n].to; s < c[n].to + c[n].count; s++) {
            double i, q;
            htmt__sar_pair(raw, n, s, &i, &q);
            sum[0] += i;
            sum[1] += q;
        }
    for (int k = 0; k < 2; k++)
        mean[k] = pairs > 0 ? sum[k] / pairs : 0;
    for (uint32_t n = 0; n < raw->lines; n++)
        if (c[n].count < raw->samples)
            fill_line(raw, n, &c[n], mean);
    return 0;
}

int htmt__sar_raw_read(const char *path, const struct htmt__sar_layout *l,
                       struct htmt__sar_raw *raw, struct htmt_fault *fault)
{
    struct htmt__sar_raw r = {0};
    uint32_t lines = l->window.lines, gaps = 0, *of_file = NULL;
    struct covered *covered = NULL;
    struct stat st;
    int fd = -1, rc = htmt_input_open(path, HTMT_INPUT_DATA, &fd, fault);
    if (rc)
        return rc;
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
    if (!rc && has(&l->number))
        rc = place_lines(fd, path, l, &lines, &of_file, &gaps, fault);
    if (!rc)
        rc = htmt__sar_raw_create(&r, lines, l->window.samples, l->format, fault);
    r.of_file = of_file;
    r.gaps = gaps;
    if (!rc && !(covered = calloc(lines, sizeof *covered)))
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the places of lines");
    if (!rc && (l->gain_mask || gaps) && !(r.gain = calloc(lines, sizeof *r.gain)))
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no memory for gains of lines");
    for (uint32_t n = 0; n < lines && !rc && r.gain && !l->gain_mask; n++)
        r.gain[n] = of_file[n] == HTMT__SAR_MISSING ? 0 : 1;
    if (!rc)
        rc = read_lines(fd, path, l, &r, covered, fault);
    close(fd);
    free(covered);
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
