/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/loops/nest/program.h"
#include "tests/fuzz/input.h"

#include <stdlib.h>

/* A file of loops, and its program where no parameter is missing. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__nest_file *file = NULL;
    struct htmt__nest_program *program = NULL;
    char *text = fuzz_text(bytes, size);
    int rc = htmt__nest_file_parse("nests.yaml", text, size, &file, &fault);
    fuzz_judge(rc, &fault);
    if (!rc)
        fuzz_judge(htmt__nest_program_make(file, NULL, 0, 1, &program, &fault), &fault);
    htmt__nest_program_destroy(&program);
    htmt__nest_file_destroy(&file);
    free(text);
    return 0;
}
