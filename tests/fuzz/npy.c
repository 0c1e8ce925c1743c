/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/formats/npy.h"
#include "tests/fuzz/input.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__npy_shape shape;
    void *elements = NULL;
    const char *path = fuzz_file(".npy", bytes, size);
    fuzz_judge(htmt__npy_read(path, UINT32_MAX, 0, &shape, &elements, &fault), &fault);
    free(elements);
    return 0;
}
