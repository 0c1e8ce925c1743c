/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/io/parameters.h"
#include "tests/fuzz/input.h"

#include <stdlib.h>

/* The first byte is the number of lines. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    double *decibels = NULL;
    if (!size)
        return 0;
    const char *path = fuzz_file(".gain", bytes + 1, size - 1);
    fuzz_judge(htmt__sar_gains_read(path, bytes[0], &decibels, &fault), &fault);
    free(decibels);
    return 0;
}
