/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/file/units.h"
#include "tests/fuzz/input.h"

#include <math.h>
#include <stdlib.h>

/* The first byte chooses the dimension, the rest is the quantity. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__quantity exact;
    double real = 0;
    if (!size)
        return 0;
    enum htmt__dimension dimension = bytes[0] % HTMT__DIMENSIONS;
    char *text = fuzz_text(bytes + 1, size - 1);
    fuzz_judge(htmt__quantity_read(text, dimension, "flop", &exact, fault.text, sizeof fault.text),
               &fault);
    int rc = htmt__unit_name(dimension)[0]
                 ? htmt__quantity_double(text, dimension, &real, fault.text, sizeof fault.text)
                 : 0;
    fuzz_judge(rc, &fault);
    if (!isfinite(real))
        abort();
    free(text);
    return 0;
}
