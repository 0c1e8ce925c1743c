/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/node/profile.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__profile *profile = NULL;
    const char *path = fuzz_file(".yaml", bytes, size);
    fuzz_judge(htmt__profile_load(&profile, path, &fault), &fault);
    htmt__profile_free(profile);
    return 0;
}
