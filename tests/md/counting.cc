/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernels' text with numbers that count what is done with them. Prints operations of a
 * candidate, a pair within the cut, what an atom takes beside these, and what it takes to move it:
 * of candidates that are all too far, of one more pair, of an atom without candidates.
 */
#include "tests/source/counting.h"

#include <cstdint>
#include <cstring>

#define restrict __restrict
#define REAL       number
#define TEXT(name) name
#define LANES      1
#define INLINE     static inline

namespace
{

bool operator<=(number a, number b)
{
    return a.v <= b.v;
}

} // namespace

#include "apps/md/kernel_text.h"

namespace
{

long taken()
{
    const long all = done.add + done.mul + done.div + done.function;
    done = {};
    return all;
}

/* An atom with `count` candidates beside itself, the first `pairs` of them near. */
long operations(size_t count, size_t pairs)
{
    std::vector<number> x(count + 9, 0.0), y(x), z(x), far2(x);
    std::vector<uint8_t> hit(count + 65);
    std::vector<uint32_t> kept(count + 9);
    for (size_t i = 0; i <= count; i++)
        x[i] = i == 0 ? 0 : i <= pairs ? 1.1 : 50.0;
    near n{{x.data(), y.data(), z.data()}, far2.data(), hit.data(), kept.data(), count + 1};
    const number at[3] = {0.0, 0.0, 0.0};
    number force[3];
    sums all{};
    taken();
    distances(&n, at, 6.25);
    const size_t found = keep(&n, 0);
    atom(&n, found, at, force, &all);
    return found == pairs ? taken() : -1;
}

} // namespace

int main()
{
    const long none = operations(0, 0), candidate = operations(1, 0) - none,
               pair = operations(1, 1) - operations(1, 0);
    std::printf("candidate %ld %ld\n", candidate, (operations(500, 0) - none) / 500);
    std::printf("pair %ld %ld\n", pair, (operations(60, 60) - operations(60, 0)) / 60);
    std::printf("atom %ld\n", none - candidate);
    const motion m{1.0, 0.1, 0.1, 0.2};
    number f[3], x[3], v[3], d[3];
    moved sum{};
    taken();
    move_atom(&m, f, x, v, d, &sum);
    std::printf("move %ld\n", taken());
    return 0;
}
