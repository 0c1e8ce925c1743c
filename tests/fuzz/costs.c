/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/lib/task_parts.h"
#include "apps/pic/settings.h"
#include "tests/fuzz/input.h"

/* The file of the plasma: its table has rows of every kind. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__pic_costs costs;
    struct htmt_request request = {.costs = fuzz_file(".yaml", bytes, size)};
    fuzz_judge(htmt__pic_costs_read(&request, &costs, &fault), &fault);
    return 0;
}
