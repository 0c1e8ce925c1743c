/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The typed operations of compiled code against those that a measured machine has.
 */
#include "emul/command/host/host.h"
#include "layers/node/tape/tape.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static bool measured(const char *name)
{
    for (unsigned i = 0; htmt__host_row(i); i++)
        if (strcmp(htmt__host_row(i), name) == 0)
            return true;
    return false;
}

Test(host_rows, every_typed_operation_of_compiled_code_is_measured)
{
    unsigned typed = 0;
    char name[40];
    for (int o = 0; o < HTMT_OPERATIONS; o++)
        for (int t = HTMT_I32; t <= HTMT_F64; t++) {
            if (o == HTMT_CALL ||
                !htmt__tape_has((enum htmt_operation)o, (enum htmt_type_of_operand)t))
                continue;
            snprintf(name, sizeof name, "%s-%s", htmt_operation_name((enum htmt_operation)o),
                     htmt_operand_name((enum htmt_type_of_operand)t));
            cr_expect(measured(name), "%s", name);
            typed++;
        }
    cr_expect_eq(typed, 7 * 4 + 10 * 2);
    cr_expect(measured("call"));
}

Test(host_rows, what_is_measured_has_a_name_that_machines_know_and_fits)
{
    unsigned n = 0;
    for (; htmt__host_row(n); n++) {
        enum htmt_operation o;
        enum htmt_type_of_operand t;
        cr_expect(htmt_operation_of(htmt__host_row(n), &o, &t), "%s", htmt__host_row(n));
        for (unsigned k = 0; k < n; k++)
            cr_expect_str_neq(htmt__host_row(k), htmt__host_row(n));
    }
    cr_expect_leq(n, HTMT__HOST_RATES);
}
