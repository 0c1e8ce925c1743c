/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The isentropic vortex, which moves and stays as it is: how its error falls with the cells.
 */
#include "apps/stencil/cases.h"
#include "apps/stencil/reference.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

/* Root of the mean squared error of density after the vortex has moved by its diameter, an eighth
 * of the box, in n^2 cells; steps fall with h^(8/3), so that the error in time falls as that in
 * space. The serial program computes it: parcels have its fields to 1e-13
 * (tests/stencil/app_test.c), and it needs no cells along z. */
static double error_of(uint32_t n)
{
    const struct htmt__stencil_gas gas = {1.4, 2.5, 0, 0, 1.0 / n};
    const uint32_t cells[3] = {n, n, 1};
    const double t = 0.25;
    const unsigned steps = (unsigned)ceil(96 * pow(n / 64.0, 8.0 / 3));
    struct htmt__stencil_reference *r;
    double sum = 0;
    cr_assert_eq(htmt__stencil_reference_create(cells, &gas, &r, NULL), 0);
    for (int then = 0; then < 2; then++) {
        for (uint32_t i = 0; i < n * n; i++) {
            const uint32_t cell[3] = {i % n, i / n, 0};
            double u[HTMT__STENCIL_FIELDS];
            htmt__stencil_case_at(HTMT__STENCIL_VORTEX, &gas, cells, cell, then * t, 1, u);
            for (unsigned c = 0; c < HTMT__STENCIL_FIELDS; c++)
                if (!then)
                    htmt__stencil_reference_field(r, c)[i] = u[c];
            const double off = htmt__stencil_reference_field(r, 0)[i] - u[0];
            sum += then ? off * off : 0;
        }
        for (unsigned k = 0; !then && k < steps; k++)
            htmt__stencil_reference_step(r, t / steps);
    }
    htmt__stencil_reference_destroy(&r);
    return sqrt(sum) / n;
}

Test(stencil_vortex, error_falls_as_order_8_promises)
{
    const double e4 = error_of(32), e8 = error_of(64);
    cr_assert_geq(e4 / e8, 30, "from 4 to 8 cells a diameter by %g", e4 / e8);
    if (!getenv("HTMT_LONG"))
        return;
    const double e16 = error_of(128), e32 = error_of(256);
    cr_assert_geq(e8 / e16, 140, "from 8 to 16 cells a diameter by %g", e8 / e16);
    cr_assert_geq(e16 / e32, 200, "from 16 to 32 by %g", e16 / e32);
}
