/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/validate/pim/measured.h"
#include "tests/fuzz/input.h"

#include <stdio.h>
#include <string.h>

/* A folder with one table. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__measured measured = {0};
    char folder[300];
    snprintf(folder, sizeof folder, "%s", fuzz_file(".csv", bytes, size));
    *strrchr(folder, '/') = '\0';
    int rc = htmt__measured_load(folder, &measured, &fault);
    fuzz_judge(rc, &fault);
    if (!rc)
        htmt__measured_clear(&measured);
    return 0;
}
