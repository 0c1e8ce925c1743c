/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/io/scene_file.h"
#include "tests/fuzz/input.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__sar_target *targets = NULL;
    uint32_t count;
    const char *path = fuzz_file(".yaml", bytes, size);
    fuzz_judge(htmt__sar_targets_read(path, &targets, &count, &fault), &fault);
    free(targets);
    return 0;
}
