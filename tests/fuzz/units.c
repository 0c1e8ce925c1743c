/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/file/units.h"
#include "tests/fuzz/input.h"

#include <math.h>
#include <stdlib.h>

/* The first byte chooses the dimension, the rest is the quantity. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt_quantity exact;
    double real = 0;
    char why[300];
    if (!size)
        return 0;
    enum htmt_dimension dimension = bytes[0] % HTMT_UNITS;
    char *text = fuzz_text(bytes + 1, size - 1);
    int rc = htmt_quantity_read(text, dimension, "flop", &exact, why, sizeof why);
    fuzz_judge(rc ? htmt_fault_set(&fault, rc, "%s", why) : 0, &fault);
    rc = htmt_unit_name(dimension)[0]
             ? htmt_quantity_double(text, dimension, &real, why, sizeof why)
             : 0;
    fuzz_judge(rc ? htmt_fault_set(&fault, rc, "%s", why) : 0, &fault);
    if (!isfinite(real))
        abort();
    free(text);
    return 0;
}
