/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The random programs of `tests/random/loops.py inside`, whose words are touched in a simulated
 * memory. Prints a line for each program and capacity: its number, the capacity, and the bytes that
 * all programs so far read and wrote.
 */
#include "../loops/lru.h"
#undef double

#include <string>

namespace
{

enum { MOST = 16, SPECIES = 4 };

/* A word: it is read where its value is asked for. */
struct word {
    lru::number *at;
    operator double() const { return at->read(); }
    word &operator=(double value) { return *at = value, *this; }
    word &operator=(const word &other) { return *this = (double)other; }
    word &operator+=(double value) { return *at += value, *this; }
    word &operator-=(double value) { return *at -= value, *this; }
};

/* Rows of n words, one behind the other. */
struct matrix {
    long n;
    lru::number *words;
    struct row {
        lru::number *words;
        word operator[](long j) const { return word{words + j}; }
    };
    row operator[](long i) const { return row{words + i * n}; }
};

struct matrices {
    long n;
    lru::number *words;
    matrix operator[](long c) const { return matrix{n, words + c * n * n}; }
};

alignas(64) lru::number room[3][MOST * MOST], species[2][SPECIES * MOST * MOST];

#define REAL           double
#define MATRIX(name)   matrix name
#define MATRICES(name) matrices name
#include PROGRAMS

void report(int program)
{
    lru::all.print((std::to_string(program) + " ").c_str());
}

} // namespace

int main(int, char **argv)
{
    const int n = std::atoi(argv[1]), p = std::atoi(argv[2]);
    matrix u{n, room[0]}, v{n, room[1]}, w{n, room[2]};
    matrices y{n, species[0]}, z{n, species[1]};
    CALLS(n, p, u, v, w, y, z)
    unsetenv("CAPACITIES");
    return 0;
}
