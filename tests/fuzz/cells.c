/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/validate/graph_rows.h"
#include "tests/fuzz/input.h"

#include <stdio.h>
#include <string.h>

/* A folder with one table. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__graph_rows rows;
    char folder[300];
    snprintf(folder, sizeof folder, "%s", fuzz_file(".csv", bytes, size));
    *strrchr(folder, '/') = '\0';
    fuzz_judge(htmt__graph_rows_load(folder, &rows, &fault), &fault);
    htmt__graph_rows_clear(&rows);
    return 0;
}
