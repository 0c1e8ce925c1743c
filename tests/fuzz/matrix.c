/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/cannon/io/matrix.h"
#include "tests/fuzz/input.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__cannon_matrix m = {0};
    const char *path = fuzz_file(".mtx", bytes, size);
    int rc = htmt__cannon_matrix_read(path, &m, &fault);
    fuzz_judge(rc, &fault);
    if (!rc)
        htmt__cannon_matrix_destroy(&m);
    return 0;
}
