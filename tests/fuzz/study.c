/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/study/file.h"
#include "layers/file/yaml.h"
#include "tests/apps/table.h"
#include "tests/fuzz/input.h"

#include <stdlib.h>

/* A study file: its cases, and what each of its axes says. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__applications apps = {.linked = htmt_apps};
    struct htmt__sweep *w = calloc(1, sizeof *w);
    if (!w)
        return 0;
    int rc = htmt__sweep_read(w, &apps, fuzz_file(".yaml", bytes, size), &fault);
    fuzz_judge(rc, &fault);
    for (unsigned i = 0; i < w->axes && !rc; i++) {
        struct htmt__axis axis;
        struct htmt_fault why = {0};
        const int bad = htmt__axis_read(w->where[i], w->vary[i], &axis, &why);
        fuzz_judge(bad, &why);
        htmt__axis_fini(&axis);
    }
    htmt__study_fini(&w->study);
    htmt_yaml_destroy(&w->tree);
    free(w);
    return 0;
}
