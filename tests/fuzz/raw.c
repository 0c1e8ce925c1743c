/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/io/raw.h"
#include "tests/fuzz/input.h"

#include <string.h>

/* Raw radar data: the first 16 bytes say how a line lies, the others are the file. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__sar_raw raw = {0};
    if (size < 16)
        return 0;
    const uint8_t *b = bytes;
    struct htmt__sar_layout l = {.lines = 1 + b[0] % 16u,
                                 .samples = 1 + b[1] % 16u,
                                 .format = (enum htmt__sar_format)(b[2] % 4),
                                 .bits = 2 + b[3] % 7u,
                                 .big_endian = b[4] % 2,
                                 .file_header = b[5] % 32u,
                                 .line_header = 16,
                                 .line_trailer = b[6] % 4u,
                                 .replica_bytes = b[7] % 8u,
                                 .replica_every = 1 + b[8] % 4u,
                                 .gain_byte = b[9] % 16u,
                                 .gain_mask = b[10],
                                 .number = {b[11] % 8u, b[11] / 16 % 9u, b[11] & 8},
                                 .start = {b[12] % 8u, b[12] / 16 % 9u, b[12] & 8},
                                 .prf = {b[13] % 8u, b[13] / 16 % 9u, b[13] & 8},
                                 .start_step = b[14] / 16.0};
    l.window.line = b[15] % l.lines;
    l.window.lines = l.lines - l.window.line;
    l.window.sample = b[15] / 16 % l.samples;
    l.window.samples = l.samples - l.window.sample;
    const char *path = fuzz_file(".raw", bytes + 16, size - 16);
    int rc = htmt__sar_raw_read(path, &l, &raw, &fault);
    fuzz_judge(rc, &fault);
    htmt__sar_raw_destroy(&raw);
    return 0;
}
