/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/tools/analyze/fortran.h"
#include "emul/tools/analyze/memory.h"
#include "tests/fuzz/input.h"

#include <stdlib.h>

/* A parse tree as gfortran prints it, up to the trees that loops are read from; and a source of
 * Fortran in both forms, whose statements are matched with that tree's. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__parse parse = {.functions = NULL};
    struct htmt__fortran_tree tree = {.spaces = NULL};
    char *text = fuzz_text(bytes, size);
    struct htmt__fortran_source source[] = {{.path = "a.f90", .text = text},
                                            {.path = "b.f", .text = text, .is_fixed = true}};
    htmt__fortran_scan(&source[0]);
    htmt__fortran_scan(&source[1]);
    int rc = htmt__fortran_read(&tree, text, &fault);
    fuzz_judge(rc, &fault);
    if (!rc) {
        htmt__fortran_place(&tree, source, 2);
        htmt__fortran_functions(&tree, &parse);
    }
    htmt__source_release();
    free(text);
    return 0;
}
