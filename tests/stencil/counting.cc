/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The loops of the stencil with numbers that count what is done with them, on one block. Prints a
 * line for each loop: its name, and additions, products, quotients, roots of a cell.
 */
#include "tests/source/counting.h"

#include <cmath>
#include <cstdint>

/* Quotients of literals are constants of the source, and stay of the type that they have. */
#define HTMT_APPS_STENCIL_LOOPS_H
#define HTMT__STENCIL_MARGIN 4
#define HTMT__STENCIL_FIELDS 5
#define HTMT__STENCIL_STATES 6
#define double number
#include "apps/stencil/loops.c"
#undef double

namespace
{

enum { B = 8, N = B + 8 };

void print(const char *name, long cells)
{
    const long all[] = {done.add, done.mul, done.div, done.function};
    std::printf("%s", name);
    for (long count : all)
        std::printf(" %g", static_cast<double>(count) / static_cast<double>(cells));
    std::printf("\n");
    done = {};
}

} // namespace

int main()
{
    std::vector<number> u(5 * N * N * N, 1.0), q(6 * N * N * N, 1.0), gx(3 * B * N * N, 1.0),
        gy(gx), gz(gx), d(5 * B * B * B, 1.0), f(d), next(d);
    const long all = N * N * N, part = B * N * N, own = B * B * B;
    htmt__stencil_primitive(B, 1.4, 2.5, u.data(), q.data()), print("primitive", all);
    htmt__stencil_courant(B, 1.4, 0.1, q.data(), 0.0), print("courant", own);
    htmt__stencil_no_density(B, d.data()), print("no_density", own);
    htmt__stencil_gradient_x(B, 10.0, q.data(), gx.data()), print("gradient_x", part);
    htmt__stencil_gradient_y(B, 10.0, q.data(), gy.data()), print("gradient_y", part);
    htmt__stencil_gradient_z(B, 10.0, q.data(), gz.data()), print("gradient_z", part);
    htmt__stencil_momentum_x(B, 10.0, 1.0, q.data(), gy.data(), gz.data(), d.data());
    print("momentum_x", own);
    htmt__stencil_momentum_y(B, 10.0, 1.0, q.data(), gx.data(), gz.data(), d.data());
    print("momentum_y", own);
    htmt__stencil_momentum_z(B, 10.0, 1.0, q.data(), gx.data(), gy.data(), d.data());
    print("momentum_z", own);
    htmt__stencil_energy(B, 10.0, 1.0, 1.0, q.data(), gx.data(), gy.data(), gz.data(), d.data());
    print("energy", own);
    htmt__stencil_flux_x(B, 10.0, u.data(), q.data(), f.data()), print("flux_x", own);
    htmt__stencil_flux_y(B, 10.0, u.data(), q.data(), f.data()), print("flux_y", own);
    htmt__stencil_flux_z(B, 10.0, u.data(), q.data(), f.data()), print("flux_z", own);
    htmt__stencil_update(B, 0.0, 1.0, 0.1, u.data(), d.data(), f.data(), next.data());
    print("update", own);
}
