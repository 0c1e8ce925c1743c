/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/machine/machine.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt_machine *machine = NULL;
    const char *path = fuzz_file(".yaml", bytes, size);
    fuzz_judge(htmt_machine_load(path, NULL, 0, &machine, &fault), &fault);
    htmt_machine_destroy(&machine);
    return 0;
}
