/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/report/html.h"
#include "emul/lib/report/reader.h"
#include "emul/lib/report/report.h"
#include "tests/fuzz/input.h"

#include <stdlib.h>

/* What was read can be printed. */
static void print(const struct htmt__document *d)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return;
    htmt__report_document(d, out);
    htmt__html_print(d, NULL, NULL, out);
    fclose(out);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__document d;
    int rc = htmt__document_load(fuzz_file(".json", bytes, size), &d, &fault);
    fuzz_judge(rc, &fault);
    if (!rc)
        print(&d);
    htmt__document_clear(&d);
    return 0;
}
