/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/machine/machine.h"
#include "tests/fuzz/input.h"

#include <stdlib.h>

/* The shipped machine with the input as the value of --set. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt_machine *machine = NULL;
    char *text = fuzz_text(bytes, size);
    const char *set[] = {text};
    fuzz_judge(htmt_machine_load("htmt-oct98", set, 1, &machine, &fault), &fault);
    htmt_machine_destroy(&machine);
    free(text);
    return 0;
}
