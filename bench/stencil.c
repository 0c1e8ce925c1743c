/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Four steps of the compressible flow on 64^3 cells in blocks of 8^3: the loops over the blocks of
 * one array with margins, serially, and parcels of two slices on one host thread and on two, in
 * turn; and 4096 slices of 256^3 cells, folded, without data. Pages of fields are written before
 * the clock starts, in both; those of parcels in the first step.
 */
#include "apps/stencil/cases.h"
#include "apps/stencil/stage.h"
#include "bench/clock.h"
#include "bench/command.h"

#include <stdlib.h>
#include <string.h>

#define CELLS  64
#define STEPS  4
#define M      HTMT__STENCIL_MARGIN
#define ROW    (CELLS + 2 * M)
#define B      8
#define N      (B + 2 * M)
#define FIELDS HTMT__STENCIL_FIELDS
#define ALL    (FIELDS * ROW * ROW * ROW)

static double *filled(size_t words)
{
    double *at = malloc(words * sizeof *at);
    if (!at)
        bench_fail("no memory for a field");
    for (size_t i = 0; i < words; i++)
        at[i] = 1;
    return at;
}

static size_t cell(size_t x, size_t y, size_t z)
{
    return FIELDS * ((z * ROW + y) * ROW + x);
}

/* The box is periodic. */
static void fill_margins(double *u)
{
    for (size_t z = 0; z < ROW; z++)
        for (size_t y = 0; y < ROW; y++)
            for (size_t x = 0; x < ROW; x++) {
                const size_t at[3] = {x, y, z};
                size_t from[3];
                for (int a = 0; a < 3; a++)
                    from[a] = (at[a] + CELLS - M) % CELLS + M;
                if (memcmp(at, from, sizeof at) != 0)
                    memcpy(u + cell(x, y, z), u + cell(from[0], from[1], from[2]),
                           FIELDS * sizeof *u);
                else if (x == M) /* a row inside */
                    x = M + CELLS - 1;
            }
}

/* Rows of a box of the field at u, and back. */
static void copy(double *u, double *box, size_t edge, int back)
{
    for (size_t z = 0; z < edge; z++)
        for (size_t y = 0; y < edge; y++) {
            double *in = u + cell(0, y, z), *out = box + FIELDS * edge * (z * edge + y);
            memcpy(back ? in : out, back ? out : in, FIELDS * edge * sizeof *u);
        }
}

static void block(const struct htmt__stencil_gas *g, unsigned stage, double dt, double *const f[3],
                  size_t at, double *s, double *most)
{
    double *u = s, *next = u + FIELDS * N * N * N;
    copy(f[stage] + at - cell(M, M, M), u, N, 0);
    if (stage)
        copy(f[0] + at, next, B, 0);
    htmt__stencil_stage(B, g, stage, dt, u, next, next + FIELDS * B * B * B, most);
    copy(f[(stage + 1) % 3] + at, next, B, 1);
}

static double serial(void)
{
    const struct htmt__stencil_gas gas = {1.4, 2.5, 1e-3, 1e-3, 1.0 / CELLS};
    const uint32_t cells[3] = {CELLS, CELLS, CELLS};
    double *f[3], *s = filled(8 * FIELDS * N * N * N), most = 0;
    for (unsigned i = 0; i < 3; i++)
        f[i] = filled(ALL);
    for (uint32_t i = 0; i < CELLS * CELLS * CELLS; i++) {
        const uint32_t at[3] = {i % CELLS, i / CELLS % CELLS, i / CELLS / CELLS};
        htmt__stencil_case_at(HTMT__STENCIL_SHEAR, &gas, cells, at, 0, 1,
                              f[0] + cell(at[0] + M, at[1] + M, at[2] + M));
    }
    const double begun = bench_now();
    for (unsigned i = 0; i < 3 * STEPS; i++) {
        const unsigned stage = i % 3;
        fill_margins(f[stage]);
        for (size_t z = M; z < M + CELLS; z += B)
            for (size_t y = M; y < M + CELLS; y += B)
                for (size_t x = M; x < M + CELLS; x += B)
                    block(&gas, stage, 2.6e-3, f, cell(x, y, z), s, &most);
    }
    const double took = bench_now() - begun;
    if (!(most > 0 && f[0][cell(M, M, M)] > 0.9))
        bench_fail("the serial program is wrong");
    for (unsigned i = 0; i < 3; i++)
        free(f[i]);
    free(s);
    return took;
}

static struct bench_command parcels(const char *threads)
{
    const char *const words[] = {"run",     "stencil", "--cells", "64,64,64",  "--slices",
                                 "2",       "--check", "none",    "--threads", threads,
                                 "--steps", "4",       NULL};
    char htmt[4096];
    bench_built(htmt, "htmt");
    return bench_command(htmt, words);
}

int main(void)
{
    static const char *const folded[] = {"model",    "stencil", "--cells", "4096,4096,4096",
                                         "--slices", "4096",    "--fold",  NULL};
    const uint64_t work = 3 * STEPS * CELLS * CELLS * CELLS;
    char htmt[4096];
    bench_built(htmt, "htmt");
    bench_report("stencil", "serial_1", serial(), "s", work);
    bench_report("stencil", "parcels_1", parcels("1").emulate_s, "s", work);
    bench_report("stencil", "parcels_2", parcels("2").emulate_s, "s", work);
    bench_report("stencil-fold", "folded_1", bench_command(htmt, folded).seconds, "s", work);
    return 0;
}
