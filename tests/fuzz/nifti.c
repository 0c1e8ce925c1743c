/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/volume/io/volume.h"
#include "tests/fuzz/input.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__volume v = {0};
    double range[2];
    const char *path = fuzz_file(".nii.gz", bytes, size);
    int rc = htmt__volume_read(path, (struct htmt__volume_choice){0}, &v, &fault);
    fuzz_judge(rc, &fault);
    if (rc)
        return 0;
    htmt__volume_range(&v, range);
    if (!isfinite(range[0]) || !isfinite(range[1]))
        abort();
    htmt__volume_destroy(&v);
    return 0;
}
