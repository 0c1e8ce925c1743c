/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/io/parameters.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__sar_parameters p = {0};
    const char *path = fuzz_file(".yaml", bytes, size);
    int rc = htmt__sar_parameters_read(path, &p, &fault);
    fuzz_judge(rc, &fault);
    if (!rc)
        htmt__sar_parameters_destroy(&p);
    return 0;
}
