/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/node/tape/tape.h"
#include "tests/fuzz/input.h"

#include <stdio.h>

/* An even first byte: a tape of ours; an odd one: lackey's text. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__tape *tape = NULL;
    char error[300] = "";
    if (!size)
        return 0;
    const char *path = fuzz_file(".ops", bytes + 1, size - 1);
    int rc = bytes[0] % 2 ? htmt__tape_load_lackey(&tape, path, error, sizeof error)
                          : htmt__tape_load(&tape, path, 0, error, sizeof error);
    if (rc)
        htmt_fault_set(&fault, rc, "%s", error);
    fuzz_judge(rc, &fault);
    htmt__tape_free(tape);
    return 0;
}
