/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/validate/golden.h"
#include "tests/fuzz/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A folder with one table. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__golden golden = {0};
    char folder[300];
    snprintf(folder, sizeof folder, "%s", fuzz_file(".csv", bytes, size));
    *strrchr(folder, '/') = '\0';
    setenv("HTMT_GOLDEN_PATH", folder, 1);
    int rc = htmt__golden_load(&golden, NULL, &fault);
    fuzz_judge(rc, &fault);
    if (!rc)
        htmt__golden_clear(&golden);
    return 0;
}
