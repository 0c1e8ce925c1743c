/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The loops of gravity with numbers that count what is done with them, of a target and a source.
 * Prints a line for each: its name, and additions, products, quotients, roots.
 */
#include "tests/source/counting.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

#define HTMT_PARCELS_KERNEL_H
#define HTMT_CLONES(...)
#define restrict
#define double number
#include "apps/nbody/forces.c"
#undef double

namespace
{

void print(const char *name, long pairs)
{
    const long all[] = {done.add, done.mul, done.div, done.function};
    std::printf("%s", name);
    for (long count : all)
        std::printf(" %g", static_cast<double>(count) / static_cast<double>(pairs));
    std::printf("\n");
    done = {};
}

} // namespace

int main()
{
    enum { TARGETS = 64, SOURCES = 100 };
    static htmt__nbody_targets t;
    std::vector<number> source(10 * SOURCES, 1.0);
    for (int i = 0; i < TARGETS; i++)
        t.x[0][i] = 0.01 * i;
    done = {};
    htmt__nbody_pull(&t, TARGETS, source.data(), SOURCES, -100, 0.1),
        print("body", TARGETS * SOURCES);
    htmt__nbody_pull_quad(&t, TARGETS, source.data(), SOURCES, 0.1),
        print("cell", TARGETS * SOURCES);
}
