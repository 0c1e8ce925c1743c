/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Energies, forces and motion against sums that are computed otherwise: of a lattice and of any
 * atoms, over images, in long double.
 */
#include "tests/apps/asked.h"
#include "tests/apps/table.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static double figure(const struct asked *a, const char *name)
{
    for (unsigned i = 0; i < a->outcome.found_count; i++)
        if (strcmp(a->outcome.found[i].name, name) == 0)
            return a->outcome.found[i].value;
    cr_assert_fail("%s was not found", name);
    return 0;
}

static void run_md(struct asked *a, uint32_t slices, const char *const *given)
{
    ask_app(a, &htmt_app_md, "htmt-oct98", slices, HTMT_RUN, NULL, given);
    cr_assert_eq(run(a), 0, "%s", a->fault.text);
    cr_assert_eq(a->outcome.correct, 1);
}

/* Energy and r F of a pair. */
static long double pair(long double r2, long double *virial)
{
    const long double c = 1 / (r2 * r2 * r2);
    *virial += 24 * c * (2 * c - 1);
    return 4 * c * (c - 1);
}

/* ---- a lattice ------------------------------------------------------------------------------- */

/* Of an atom: half of the pairs with all others, at multiples of a / 2 whose sum is even. */
static long double lattice_energy(long double a, long double cut, long double *virial)
{
    const int far = (int)(2 * cut / a) + 1;
    long double energy = 0;
    *virial = 0;
    for (int x = -far; x <= far; x++)
        for (int y = -far; y <= far; y++)
            for (int z = -far; z <= far; z++) {
                const long double r2 = (x * x + y * y + z * z) * a * a / 4;
                if ((x + y + z) % 2 == 0 && r2 > 0 && r2 < cut * cut)
                    energy += pair(r2, virial);
            }
    *virial /= 2;
    return energy / 2;
}

Test(md_app, a_lattice_has_the_energy_and_pressure_of_its_sum)
{
    const long double density = 0.8442L, n = 32000;
    long double virial;
    const long double energy = lattice_energy(cbrtl(4 / density), 2.5L, &virial);
    struct asked a;
    run_md(&a, 8, GIVEN("edge", "20", "steps", "0"));
    cr_assert_float_eq(figure(&a, "first_potential"), (double)energy, 1e-10);
    cr_assert_float_eq(figure(&a, "first_potential"), -6.7733681, 5e-8);
    const long double pressure = density * (3 * (n - 1) / n * 1.44L + virial) / 3;
    cr_assert_float_eq(figure(&a, "first_pressure"), (double)pressure, 1e-10);
    cr_assert_float_eq(figure(&a, "first_pressure"), -5.0197073, 5e-8);
    cr_assert_float_eq(figure(&a, "first_temperature"), 1.44, 1e-11);
    done(&a);
}

/* ---- any atoms ------------------------------------------------------------------------------- */

#define MOST 700

struct box {
    long double edge[3], x[MOST][3];
    unsigned count;
};

/* A file of atoms at the places of a coarse grid, moved by up to a fifth of its step. */
static void write_atoms(struct box *b, const char *path, unsigned per_edge, const double edge[3])
{
    FILE *out = fopen(path, "w");
    uint64_t random = 7;
    cr_assert(out);
    b->count = per_edge * per_edge * per_edge;
    cr_assert_leq(b->count, MOST);
    fprintf(out, "%u\nany atoms\n", b->count);
    for (unsigned i = 0; i < b->count; i++) {
        const unsigned at[3] = {i % per_edge, i / per_edge % per_edge, i / per_edge / per_edge};
        fprintf(out, "A");
        for (unsigned axis = 0; axis < 3; axis++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            const double step = edge[axis] / per_edge,
                         x = step * (at[axis] + 0.3 + 0.4 * (double)(random >> 11) * 0x1p-53);
            b->edge[axis] = edge[axis];
            b->x[i][axis] = x;
            fprintf(out, " %.17g", x - (i % 3 ? 0 : edge[axis])); /* a third lies outside */
        }
        fprintf(out, "\n");
    }
    fclose(out);
}

/* All images that the cut may reach, from 27 boxes. */
static long double sum_of(const struct box *b, long double cut, long double *virial,
                          unsigned *pairs)
{
    long double energy = 0;
    *virial = *pairs = 0;
    for (unsigned i = 0; i < b->count; i++)
        for (unsigned j = 0; j < i; j++)
            for (int k = 0; k < 27; k++) {
                const int way[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
                long double r2 = 0;
                for (unsigned a = 0; a < 3; a++) {
                    const long double d = b->x[i][a] - b->x[j][a] + way[a] * b->edge[a];
                    r2 += d * d;
                }
                if (r2 < cut * cut) {
                    energy += pair(r2, virial);
                    ++*pairs;
                }
            }
    return energy;
}

static void compare(const char *path, const struct box *b, const char *edges, const char *cut,
                    uint32_t slices)
{
    const long double r = strtold(cut, NULL), n = b->count;
    long double virial;
    unsigned pairs;
    const long double energy = sum_of(b, r, &virial, &pairs), c = 1 / (r * r * r * r * r * r),
                      at_cut = 4 * c * (c - 1);
    for (int shift = 0; shift < 2; shift++) {
        struct asked a;
        run_md(&a, slices,
               GIVEN("in", path, "box", edges, "cut", cut, "steps", "0", shift ? "shift" : "tail",
                     ""));
        const double tail = figure(&a, "tail_potential");
        cr_assert_float_eq((figure(&a, "potential") - tail) * (double)n,
                           (double)(energy - (shift ? pairs * at_cut : 0)), 1e-10, "cut %s", cut);
        cr_assert_float_eq(figure(&a, "first_virial"), (double)virial, 1e-10);
        cr_assert_float_eq(figure(&a, "neighbours") * (double)n, 2.0 * pairs, 1e-6);
        const long double rho = n / (b->edge[0] * b->edge[1] * b->edge[2]), c3 = 1 / (r * r * r);
        const long double wanted = 8 / 3.0L * acosl(-1) * rho * (c3 * c3 * c3 / 3 - c3);
        cr_assert_float_eq(tail, shift ? 0 : (double)wanted, 1e-14);
        const long double pressure =
            16 / 3.0L * acosl(-1) * rho * rho * (2 * c3 * c3 * c3 / 3 - c3);
        cr_assert_float_eq(figure(&a, "first_pressure"),
                           (double)(virial * rho / (3 * n) + (shift ? 0 : pressure)), 1e-12);
        done(&a);
    }
}

Test(md_app, any_atoms_have_the_energy_of_the_sum_over_images)
{
    char path[] = "/tmp/md-atoms-XXXXXX";
    struct box b;
    const int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    /* one block without cells, to half the edge; cells in one slice and in several */
    write_atoms(&b, path, 4, (double[]){7.5, 8, 9});
    compare(path, &b, "7.5,8,9", "2.6", 1);
    compare(path, &b, "7.5,8,9", "3.75", 1);
    write_atoms(&b, path, 8, (double[]){12, 11.5, 13});
    compare(path, &b, "12,11.5,13", "2.5", 1);
    compare(path, &b, "12,11.5,13", "1.9", 8);
    compare(path, &b, "12,11.5,13", "1.9", 5);
    unlink(path);
}

/* ---- two atoms ------------------------------------------------------------------------------- */

/* Steps of two atoms `apart` along x, at rest; the file is `path`. */
static void run_dimer(struct asked *a, const char *path, double apart, const char *steps,
                      const char *dt)
{
    FILE *out = fopen(path, "w");
    cr_assert(out);
    fprintf(out, "2\n\nA 4.9 5 5\nA %.17g 5 5\n", 4.9 + apart);
    fclose(out);
    run_md(a, 8, GIVEN("in", path, "box", "12,12,12", "steps", steps, "dt", dt));
}

Test(md_app, a_dimer_at_its_minimum_stays_there)
{
    char path[] = "/tmp/md-dimer-XXXXXX";
    struct asked a;
    close(mkstemp(path));
    run_dimer(&a, path, pow(2, 1. / 6), "100", "0.005");
    cr_assert_float_eq(2 * figure(&a, "first_potential"), -1, 1e-15);
    cr_assert_float_eq(figure(&a, "first_virial"), 0, 1e-13);
    cr_assert_lt(figure(&a, "kinetic"), 1e-28);
    done(&a);
    unlink(path);
}

/* The dimer swings; the energy that velocity Verlet keeps differs from the true one by a term of
 * order dt^2. */
Test(md_app, the_error_of_the_energy_goes_with_the_square_of_the_step)
{
    char path[] = "/tmp/md-dimer-XXXXXX";
    static const char *const steps[] = {"40", "80", "160"}, *const dts[] = {"0.004", "0.002",
                                                                            "0.001"};
    double drift[3];
    close(mkstemp(path));
    for (int i = 0; i < 3; i++) {
        struct asked a;
        run_dimer(&a, path, 1.25, steps[i], dts[i]);
        drift[i] = figure(&a, "energy_drift");
        cr_assert_lt(fabs(figure(&a, "momentum")), 1e-15);
        done(&a);
    }
    cr_assert_float_eq(drift[0] / drift[1], 4, 0.2, "%g %g", drift[0], drift[1]);
    cr_assert_float_eq(drift[1] / drift[2], 4, 0.05, "%g %g", drift[1], drift[2]);
    unlink(path);
}

/* ---- a liquid -------------------------------------------------------------------------------- */

/* Each pair is computed from both sides, by two parcels perhaps: the forces differ in the last
 * digit, and momentum stays to that. With a shifted potential energy is kept to order dt^2. */
Test(md_app, momentum_and_energy_stay_while_atoms_migrate)
{
    static const char *const steps[] = {"60", "120"}, *const dts[] = {"0.005", "0.0025"};
    double drift[2];
    for (int i = 0; i < 2; i++) {
        struct asked a;
        run_md(&a, 3,
               GIVEN("edge", "6", "density", "0.7", "temperature", "3", "shift", "", "steps",
                     steps[i], "dt", dts[i]));
        cr_assert_lt(figure(&a, "momentum"), 1e-13 * 864);
        cr_assert_gt(figure(&a, "rebuilds"), 5);
        cr_assert_gt(figure(&a, "changed_cells"), 50);
        drift[i] = figure(&a, "energy_drift");
        done(&a);
    }
    cr_assert_lt(fabs(drift[0]), 0.01);
    cr_assert_float_eq(drift[0] / drift[1], 4, 0.4, "%g %g", drift[0], drift[1]);
}

Test(md_app, scaled_velocities_have_the_temperature)
{
    struct asked a;
    run_md(&a, 1, GIVEN("edge", "5", "steps", "40", "scale-steps", "40", "scale-to", "0.9"));
    cr_assert_float_eq(figure(&a, "temperature"), 0.9, 0.01);
    done(&a);
}
