/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/traffic/derived.h"
#include "apps/traffic/io/table_file.h"
#include "tests/fuzz/input.h"

/* What is read is completed, turned round and regenerated. */
static int use(struct htmt__traffic_table *t, struct htmt_fault *fault)
{
    const struct htmt__traffic_changes changes = {.rotates = true, .least = 1, .most = 2};
    struct htmt__traffic_table made = {.nodes = 0};
    int rc = htmt__traffic_complete(t, fault);
    if (!rc)
        rc = htmt__traffic_adjust(t, &changes, &made, fault);
    htmt__traffic_clear(&made);
    if (!rc)
        rc = htmt__traffic_profile_make(t, 3, &made, fault);
    if (!rc)
        rc = htmt__traffic_complete(&made, fault);
    htmt__traffic_clear(&made);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__traffic_table t = {.nodes = 0};
    const char *path = fuzz_file(".yaml", bytes, size);
    int rc = htmt__traffic_table_read(path, &t, &fault);
    if (!rc)
        rc = use(&t, &fault);
    fuzz_judge(rc, &fault);
    htmt__traffic_clear(&t);
    return 0;
}
