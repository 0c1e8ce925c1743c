/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/picture/machine_run.h"
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

/* The same results beside the picture of a machine. */
static void picture(const char *path)
{
    struct htmt_fault fault = {0};
    struct htmt_machine *m = NULL;
    struct htmt__machine_run *run = NULL;
    struct htmt__machine_port port;
    uint64_t peak;
    double stalled;
    int rc = htmt_machine_load("htmt-oct98", NULL, 0, &m, &fault);
    if (!rc)
        rc = htmt__machine_run_open(&run, path, m, &fault);
    fuzz_judge(rc, &fault);
    if (!rc) {
        (void)htmt__machine_run_title(run);
        (void)htmt__machine_run_used(run, "vortex dram out");
        (void)htmt__machine_run_port(run, "vortex", "x", &port);
        (void)htmt__machine_run_memory(run, "DRAM", &peak, &stalled);
    }
    htmt__machine_run_close(&run);
    htmt_machine_destroy(&m);
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
    picture(fuzz_file(".json", bytes, size));
    return 0;
}
