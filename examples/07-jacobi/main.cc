/* SPDX-License-Identifier: BSD-3-Clause
 *
 * 07: neighbour puts, in C++. Jacobi's method on a plate whose rows are spread over the slices.
 * After each sweep a slice puts its first and last row into the margins of the slices beside it.
 */
#include <algorithm>
#include <cstdio>
#include <htmt.hpp>

const int SLICES = 4, ROWS = 8, WIDTH = 52, SWEEPS = 10, WORDS = (ROWS + 2) * WIDTH;

static void sweep(const double *old, double *now, int rows) /* inside a border that stays */
{
    for (int row = 1; row <= rows; row++)
        for (int i = row * WIDTH + 1; i < (row + 1) * WIDTH - 1; i++)
            now[i] = 0.25 * (old[i - WIDTH] + old[i - 1] + old[i + 1] + old[i + WIDTH]);
}

/* What a slice does for a sweep. Its arguments: how many it has done. `even`: all before them. */
static htmt::stage sweeper(const htmt::frame<double> &even, const htmt::frame<double> &odd)
{
    htmt::stage s;
    s.kernel = [](htmt::kernel &k) {
        sweep(k.used<const double>(0).data(), k.used<double>(1).data() - WIDTH, ROWS);
        k.count(HTMT_FLOP, 4 * ROWS * (WIDTH - 2));
    };
    s.control = [even, odd](htmt::context &c) {
        const auto i = c.slice();
        int &done = c.args<int>();
        const auto &old = done % 2 ? odd : even, &now = done % 2 ? even : odd;
        c.use(old.part(i, 0, WORDS), HTMT_READ);
        c.use(now.part(i, WIDTH, ROWS * WIDTH), HTMT_UPDATE); /* rows may come into its margins */
        c.work(); /* the kernel runs here: what follows happens when it has ended */
        if (++done == SWEEPS)
            return c.retire();
        /* A neighbour may be a sweep ahead, so even and odd sweeps have slots of their own. */
        const htmt::slot arrived = c.slot(1 + done % 2);
        const htmt_grid grid = {{SLICES, 1, 1}, {}};
        c.signal(arrived);
        c.put_neighbour(grid, {1}, now.at(i), now.part(i, ROWS * WIDTH, WIDTH), arrived);
        c.put_neighbour(grid, {-1}, now.at(i, WORDS - WIDTH), now.part(i, WIDTH, WIDTH), arrived);
    };
    s.count = s.reset = 3; /* the own sweep, and a row from either side; a border counts as one */
    return s;
}
int main()
try {
    std::vector<double> start((SLICES * ROWS + 2) * WIDTH), serial[2];
    std::fill_n(start.begin(), WIDTH, 100.0); /* hot at the top */
    serial[0] = serial[1] = start;
    for (int i = 0; i < SWEEPS; i++)
        sweep(serial[i % 2].data(), serial[1 - i % 2].data(), SLICES * ROWS);
    htmt::machine machine("small-htmt");
    htmt::emulator e(machine);
    auto even = e.frame<double>("cram", WORDS, "even"), odd = e.frame<double>("cram", WORDS, "odd");
    htmt::type_desc d("sweeper", "cram", "cram");
    d.footprint = HTMT_RESIDENT; /* its kernels use objects */
    d.execute = sweeper(even, odd);
    d.fibers = {d.execute, d.execute};
    auto type = e.type(d.takes<int>());
    for (int i = 0; i < SLICES; i++) {
        for (auto &field : {even, odd})
            std::copy_n(&start[i * ROWS * WIDTH], WORDS, field.values(i).begin());
        e.root(i).assemble(type, 0);
    }
    e.run();
    bool right = true;
    for (int i = 0; i < SLICES; i++)
        right &= std::equal(&even.values(i)[WIDTH], &even.values(i)[WORDS - WIDTH],
                            &serial[0][(i * ROWS + 1) * WIDTH]);
    std::printf("below the corner: %g\npredicted: %lld fs\n", even.values(0)[WIDTH + 1],
                (long long)e.predicted());
    /* Nanoseconds: sweeps at 10 flop/ns; between them rows at 2 words/ns, 20 of latency. */
    htmt_time ns = SWEEPS * 4 * ROWS * (WIDTH - 2) / 10 + (SWEEPS - 1) * (WIDTH / 2 + 20);
    return !right || e.predicted() != ns * 1000000;
} catch (const htmt::error &x) {
    std::fprintf(stderr, "%s\n", x.what());
    return x.exit_status();
}
