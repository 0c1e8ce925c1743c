/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/loops/nest/between.h"
#include "emul/loops/nest/stream.h"
#include "tests/fuzz/input.h"

#include <stdlib.h>

/* A file of loops, its program where no parameter is missing, and what that moves. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__nest_file *file = NULL;
    struct htmt__nest_program *program = NULL;
    char *text = fuzz_text(bytes, size);
    int rc = htmt__nest_file_parse("nests.yaml", text, size, &file, &fault);
    fuzz_judge(rc, &fault);
    if (!rc)
        fuzz_judge(rc = htmt__nest_program_make(file, NULL, 0, 1, &program, &fault), &fault);
    const struct htmt__stream_request request = {
        .capacities = 2, .capacity = {64, 4096}, .most = 100000};
    struct htmt__stream_moved *moved =
        program ? calloc((size_t)program->runs * 2 + 1, sizeof *moved) : NULL;
    struct htmt__between_kept *kept = program ? calloc(program->runs + 1, sizeof *kept) : NULL;
    if (moved && kept && !rc) {
        rc = htmt__stream_play(program, &request, moved);
        if (rc == HTMT_ERANGE)
            (void)htmt__stream_sample(program, &request, moved);
        (void)htmt__between_find(program, 4096, kept);
    }
    free(moved);
    free(kept);
    htmt__nest_program_destroy(&program);
    htmt__nest_file_destroy(&file);
    free(text);
    return 0;
}
