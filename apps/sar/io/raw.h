/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Raw data: lines of interleaved I, Q numbers as the radar's quantiser left them. Nothing is
 * converted here; the programs make complex numbers of them themselves:
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
    HTMT__SAR_U8,  /* unsigned bytes, whatever the bits in them */
    HTMT__SAR_I8,  /* two's complement */
    HTMT__SAR_I16, /* in memory of the host's byte order */
    HTMT__SAR_C64, /* two floats */
};

/* Where the numbers stand in a file: a file header, then `lines` records, each a header, `samples`
 * pairs and a trailer. */
struct htmt__sar_layout {
    uint32_t lines, samples; /* of the whole file */
    enum htmt__sar_format format;
    unsigned bits; /* I8: of each number, the bits above them are no part of it; 8: all are */
    bool big_endian;
    uint64_t file_header, line_header, line_trailer; /* bytes */
    /* Every replica_every-th line from replica_first on is longer: it has a recorded pulse of so
     * many bytes between header and pairs, which is skipped. 0 bytes: no line has. */
    uint64_t replica_bytes;
    uint32_t replica_every, replica_first;
    /* Receiver attenuation of a line, in dB, in the bits gain_mask of byte gain_byte of its header.
     * Mask 0: it is not in the header. */
    uint64_t gain_byte;
    uint8_t gain_mask;
    /* What of it is read; the counts are what struct htmt__sar_radar calls lines and samples. */
    struct {
        uint32_t line, lines, sample, samples;
    } window;
};

/* The window, gathered: pair (line, sample) stands at
 * bytes + (line * samples + sample) * htmt__sar_pair_bytes(format). */
struct htmt__sar_raw {
    uint32_t lines, samples;
    enum htmt__sar_format format;
    double mean_i, mean_q;
    double *gain; /* per line; NULL: 1 */
    void *bytes;
};

/* Bytes of one pair: 2, 2, 4, 8. */
size_t htmt__sar_pair_bytes(enum htmt__sar_format format);

/* Numbers I and Q of a pair as they stand, mean and gain not applied. */
void htmt__sar_pair(const struct htmt__sar_raw *raw, uint32_t line, uint32_t sample, double *i,
                    double *q);

/* Room for lines x samples pairs, zero; mean 0, no gains. The caller gives *raw to
 * htmt__sar_raw_destroy(). Errors: HTMT_ERANGE, HTMT_EHOSTFIT, HTMT_ENOMEM. */
int htmt__sar_raw_create(struct htmt__sar_raw *raw, uint32_t lines, uint32_t samples,
                         enum htmt__sar_format format, struct htmt_fault *fault);
/* Leaves an empty one, which may be destroyed again. */
void htmt__sar_raw_destroy(struct htmt__sar_raw *raw);

/* Bytes that a file of this layout has. */
uint64_t htmt__sar_file_bytes(const struct htmt__sar_layout *layout);

/* Read the window of a file. A file of another size than the layout says is refused with both
 * numbers, and so is a number that is not finite. The mean is left 0; gains are
 * set when they stand in the headers.
 * Errors: HTMT_ENOENT, HTMT_EFORMAT, HTMT_EIO, and those of htmt__sar_raw_create(); *raw is
 * untouched on failure. */
int htmt__sar_raw_read(const char *path, const struct htmt__sar_layout *layout,
                       struct htmt__sar_raw *raw, struct htmt_fault *fault);

/* Mean of all I and of all Q of the window, summed line by line in order. */
void htmt__sar_raw_measure_mean(const struct htmt__sar_raw *raw, double *mean_i, double *mean_q);

#endif
