/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The text of cns.c and forms.c with numbers that count what is done with them. Prints a line for
 * each function: its name, additions, multiplications, divisions, functions, reads, writes.
 */
#include "counting.h"

namespace
{

struct array {
    std::vector<number> *words;
    word operator[](long i) const { return word{&words->at((unsigned long)i)}; }
};

#define REAL number
#define IN   array
#define OUT  array
#include "cns.c"

#include "forms.c"

enum { WORDS = 400000 };

array make()
{
    return array{new std::vector<number>(WORDS, number(1.0))};
}

void report(const char *name)
{
    std::printf("%s %ld %ld %ld %ld %ld %ld\n", name, done.add, done.mul, done.div, done.function,
                done.reads, done.writes);
    done = counts();
}

} // namespace

int main()
{
    const int nx = 5, ny = 4, nz = 3, n = 7;
    array a = make(), b = make(), c = make(), d = make(), e = make(), f = make(), g = make();
    hyp_z(nx, ny, nz, 1.0, a, b, c), report("hyp_z");
    shear(nx, ny, nz, a, b, c, d), report("shear");
    mixed_z(nx, ny, nz, 1.0, a, b, c, d, e, f, g), report("mixed_z");
    species(nx, ny, nz, a, b, c, d, e), report("species");
    ctoprim(nx, ny, nz, a, b), report("ctoprim");
    laplace(nx, ny, nz, a, b, c), report("laplace");
    inlined(nx, ny, a, b, c), report("inlined");
    mixture(nx, ny, n, a, b, c), report("mixture");
    triangle(n, a, b, c), report("triangle");
    limiter(nx, ny, a, b), report("limiter");
    product(n, a, b, c), report("product");
    return 0;
}
