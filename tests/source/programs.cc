/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The random programs of tests/random/loops.py with numbers that count what is done with them.
 * Prints a line for each: its number, additions, multiplications, divisions, functions, references.
 */
#include "counting.h"

#include <cstdlib>

namespace
{

/* A matrix with some words around it, which subscripts beside it touch. */
struct matrix {
    enum { BESIDE = 4 };
    long n;
    std::vector<number> *words;
    explicit matrix(long n)
        : n(n), words(new std::vector<number>((unsigned long)((n + 2 * BESIDE) * (n + 2 * BESIDE)),
                                              number(1.0)))
    {
    }
    struct row {
        number *at;
        word operator[](long j) const { return word{at + j}; }
    };
    row operator[](long i) const
    {
        return row{&words->at((unsigned long)((i + BESIDE) * (n + 2 * BESIDE) + BESIDE))};
    }
};

#define REAL         number
#define MATRIX(name) matrix name
#include PROGRAMS

void report(int program)
{
    std::printf("%d %ld %ld %ld %ld %ld\n", program, done.add, done.mul, done.div, done.function,
                done.reads + done.writes);
    done = counts();
}

} // namespace

int main(int, char **argv)
{
    const int n = std::atoi(argv[1]), p = std::atoi(argv[2]);
    matrix u(n), v(n), w(n);
    CALLS(n, p, u, v, w)
    return 0;
}
