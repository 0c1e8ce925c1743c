/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/lib/formula.h"
#include "emul/validate/expression.h"
#include "tests/fuzz/input.h"

#include <stdlib.h>
#include <string.h>

static int exact(void *user, const char *name, struct htmt_exact *value, struct htmt_fault *fault)
{
    (void)user;
    *value = htmt_exact_whole(strlen(name));
    return name[0] == 'x' ? htmt_fault_set(fault, HTMT_EINVAL, "no name begins with x") : 0;
}

static int real(void *user, const char *name, double *value, struct htmt_fault *fault)
{
    (void)user, (void)fault;
    *value = (double)strlen(name);
    return 0;
}

/* The two little languages of the closed forms and of the validation. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt_exact value;
    double number;
    char *text = fuzz_text(bytes, size);
    fuzz_judge(htmt__formula(text, exact, NULL, &value, &fault), &fault);
    fuzz_judge(htmt__expression(text, real, NULL, &number, &fault), &fault);
    free(text);
    return 0;
}
