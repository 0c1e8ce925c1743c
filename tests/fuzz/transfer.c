/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/volume/io/transfer.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__volume_transfer t = {0};
    const char *path = fuzz_file(".yaml", bytes, size);
    int rc = htmt__volume_transfer_read(path, &t, &fault);
    fuzz_judge(rc, &fault);
    if (!rc)
        htmt__volume_transfer_destroy(&t);
    return 0;
}
