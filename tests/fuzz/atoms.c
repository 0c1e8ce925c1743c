/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/md/input.h"
#include "tests/fuzz/input.h"

#include <assert.h>
#include <ctype.h>

/* A first line may promise so many atoms that memory for them takes the time of a thousand inputs.
 */
static int promises_much(const uint8_t *bytes, size_t size)
{
    size_t digits = 0;
    while (digits < size && isspace(bytes[digits]))
        digits++;
    const size_t first = digits;
    while (digits < size && isdigit(bytes[digits]))
        digits++;
    return digits - first > 5;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const double box[3] = {8, 9, 10.5};
    struct htmt_fault fault = {0};
    struct htmt__md_atoms a = {0};
    if (promises_much(bytes, size))
        return 0;
    int rc = htmt__md_read(fuzz_file(".xyz", bytes, size), box, &a, &fault);
    fuzz_judge(rc, &fault);
    for (uint64_t i = 0; i < 3 * a.count && !rc; i++)
        assert(a.x[i] >= 0 && a.x[i] < box[i % 3]);
    htmt__md_atoms_destroy(&a);
    return 0;
}
