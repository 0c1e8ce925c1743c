/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Raw data: lines of interleaved I and Q numbers as the radar's quantiser left them. This module
 * does not convert them; the programs make complex numbers of them:
 *
 *     z = gain[line] * ((I - mean_i) + j (Q - mean_q)).
 */
#ifndef HTMT_APPS_SAR_IO_RAW_H
#define HTMT_APPS_SAR_IO_RAW_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum htmt__sar_format {
    HTMT__SAR_U8,  /* unsigned bytes with any number of used bits */
    HTMT__SAR_I8,  /* two's complement */
    HTMT__SAR_I16, /* in memory of the host's byte order */
    HTMT__SAR_C64, /* two floats */
};

/* A whole number in the header of each line, 1 to 8 bytes; 0 bytes: there is none. */
struct htmt__sar_field {
    uint64_t byte;
    unsigned bytes;
    bool little_endian;
};

/* The layout of a file: a file header, then `lines` records, each a header, `samples` pairs and a
 * trailer. */
struct htmt__sar_layout {
    uint32_t lines, samples; /* of the whole file */
    enum htmt__sar_format format;
    unsigned bits; /* I8: used bits of each number; the bits above them are ignored; 8: all bits */
    bool big_endian;
    uint64_t file_header, line_header, line_trailer; /* bytes */
    /* Every replica_every-th line from replica_first on holds a recorded pulse of replica_bytes
     * bytes between header and pairs. The reader skips it. 0 bytes: no line has one. */
    uint64_t replica_bytes;
    uint32_t replica_every, replica_first;
    /* The bits gain_mask of byte gain_byte of a line's header hold a code, from which follows the
     * receiver's attenuation in dB: a code above gain_above is larger by gain_subtract. Mask 0: it
     * is not in the header. */
    uint64_t gain_byte;
    uint8_t gain_mask, gain_above, gain_subtract;
    /* The number of a line, from which missing ones show; the start of its sampling window, in
     * units of start_step samples; the code of its prf, which may not change. */
    struct htmt__sar_field number, start, prf;
    double start_step;
    /* The part that is read. Its counts are lines and samples of struct htmt__sar_radar. */
    struct {
        uint32_t line, lines, sample, samples;
    } window;
};

/* The window, without gaps: pair (line, sample) is at
 * bytes + (line * samples + sample) * htmt__sar_pair_bytes(format). */
struct htmt__sar_raw {
    uint32_t lines, samples;
    enum htmt__sar_format format;
    double mean_i, mean_q;
    double *gain; /* per line; NULL: 1 */
    void *bytes;
    /* Where the headers number the lines: which line of the file each is, or HTMT__SAR_MISSING, and
     * how many are missing, in how many gaps. NULL: they follow each other. */
    uint32_t *of_file;
    uint32_t missing, gaps;
    int64_t shift_least,
        shift_most; /* samples by which lines began later than line 0 of the file */
};

#define HTMT__SAR_MISSING UINT32_MAX

/* Bytes of one pair: 2, 2, 4, 8. */
static inline size_t htmt__sar_pair_bytes(enum htmt__sar_format format)
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

/* The numbers I and Q of a pair as stored, without mean and gain. */
void htmt__sar_pair(const struct htmt__sar_raw *raw, uint32_t line, uint32_t sample, double *i,
                    double *q);

/* A line of the window with mean and gain: samples complex numbers. */
void htmt__sar_raw_line(const struct htmt__sar_raw *raw, uint32_t line, double _Complex *z);

/* Room for lines x samples pairs, zero; mean 0, no gains. The caller gives *raw to
 * htmt__sar_raw_destroy(). Errors: HTMT_ERANGE, HTMT_EHOSTFIT, HTMT_ENOMEM. */
int htmt__sar_raw_create(struct htmt__sar_raw *raw, uint32_t lines, uint32_t samples,
                         enum htmt__sar_format format, struct htmt_fault *fault);
/* Leaves an empty one, which may be destroyed again. */
void htmt__sar_raw_destroy(struct htmt__sar_raw *raw);

/* Give the host's pages of lines [first, end) back: the numbers of these lines are lost. */
void htmt__sar_raw_forget(struct htmt__sar_raw *raw, uint32_t first, uint32_t end);

/* The size in bytes of a file with this layout. */
uint64_t htmt__sar_file_bytes(const struct htmt__sar_layout *layout);

/* Lines of the window with those that are missing among them: window.lines where the headers have
 * no number. Errors: HTMT_ENOENT, HTMT_EIO, HTMT_EFORMAT (a number that does not grow, or grows by
 * more than the window has lines), HTMT_ENOMEM. */
int htmt__sar_raw_count(const char *path, const struct htmt__sar_layout *layout, uint32_t *lines,
                        struct htmt_fault *fault);

/* Read the window of a file. A file of another size than the layout says is refused with both
 * numbers. A number that is not finite is refused, and a line of another prf than line 0. The means
 * are left 0; gains are set when the headers hold them.
 *
 * Missing lines are put in, with gain 0; lines whose sampling window starts elsewhere than that of
 * line 0 of the file are moved to its columns. What no sample covers has the mean of all samples,
 * to the nearest number of the format. Errors: HTMT_ENOENT, HTMT_EFORMAT, HTMT_EIO, and those of
 * htmt__sar_raw_create(); *raw is untouched on failure. */
int htmt__sar_raw_read(const char *path, const struct htmt__sar_layout *layout,
                       struct htmt__sar_raw *raw, struct htmt_fault *fault);

/* Mean of all I and of all Q of the window, summed line by line in order. */
void htmt__sar_raw_measure_mean(const struct htmt__sar_raw *raw, double *mean_i, double *mean_q);

#endif
