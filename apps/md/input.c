/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/md/input.h"

#include "apps/formats/lines.h"
#include "apps/lib/random.h"
#include "runtime/base/input.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MOST 4096
#define EXPECTED  "a word, x, y, z and perhaps vx, vy, vz"

void htmt__md_atoms_destroy(struct htmt__md_atoms *a)
{
    free(a->x);
    free(a->v);
    *a = (struct htmt__md_atoms){0};
}

static int allocate(struct htmt__md_atoms *a, uint64_t count)
{
    *a = (struct htmt__md_atoms){
        .count = count, .x = calloc(count, 3 * sizeof *a->x), .v = calloc(count, 3 * sizeof *a->v)};
    if (a->x && a->v)
        return 0;
    htmt__md_atoms_destroy(a);
    return HTMT_ENOMEM;
}

/* ---- a file --------------------------------------------------------------------------------- */

/* The word in front of an atom's numbers says which element it is: all are alike here. */
static int skip_word(struct htmt__lines *l)
{
    l->at += strspn(l->at, " \t");
    const size_t n = strcspn(l->at, " \t");
    l->at += n;
    return n ? 0 : htmt__lines_refuse(l, HTMT_EFORMAT, l->line, EXPECTED);
}

static int read_atom(struct htmt__lines *l, struct htmt__md_atoms *a, uint64_t i,
                     const double box[3])
{
    bool outside = false;
    int rc = skip_word(l);
    for (unsigned axis = 0; axis < 3 && !rc; axis++) {
        double *x = &a->x[3 * i + axis];
        rc = htmt__lines_value(l, false, x);
        outside |= !rc && !(*x >= 0 && *x < box[axis]);
        *x -= box[axis] * floor(*x / box[axis]);
        *x = *x < box[axis] ? *x : 0;
    }
    a->outside += outside;
    if (!rc && i == 0)
        a->moving = !htmt__lines_ended(l);
    for (unsigned axis = 0; axis < 3 && !rc && a->moving; axis++)
        rc = htmt__lines_value(l, false, &a->v[3 * i + axis]);
    return rc ? rc : htmt__lines_end(l);
}

struct place {
    const double *x;
    uint64_t atom;
};

static int by_place(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    for (unsigned axis = 0; axis < 3; axis++)
        if (p->x[axis] != q->x[axis])
            return p->x[axis] < q->x[axis] ? -1 : 1;
    return p->atom < q->atom ? -1 : 1;
}

/* Two atoms in one place have no finite energy. */
static int refuse_overlap(const char *path, const struct htmt__md_atoms *a,
                          struct htmt_fault *fault)
{
    struct place *p = malloc(a->count * sizeof *p);
    int rc = p ? 0 : HTMT_ENOMEM;
    for (uint64_t i = 0; i < a->count && p; i++)
        p[i] = (struct place){a->x + 3 * i, i};
    if (p)
        qsort(p, a->count, sizeof *p, by_place);
    for (uint64_t i = 1; i < a->count && !rc; i++)
        if (!memcmp(p[i - 1].x, p[i].x, 3 * sizeof(double)))
            rc = htmt_fault_set(fault, HTMT_EFORMAT,
                                "%s:%" PRIu64 ": found atom %" PRIu64 " in the place of atom "
                                "%" PRIu64 " (line %" PRIu64 "), expected a place of its own: "
                                "their energy is not finite",
                                path, p[i].atom + 3, p[i].atom + 1, p[i - 1].atom + 1,
                                p[i - 1].atom + 3);
    free(p);
    return rc;
}

int htmt__md_read(const char *path, const double box[3], struct htmt__md_atoms *a,
                  struct htmt_fault *fault)
{
    struct htmt__lines l = {.path = path, .fault = fault, .comment = "", .most = LINE_MOST};
    uint64_t count = 0;
    int rc = htmt_input_stream(path, HTMT_INPUT_DATA, &l.in, fault);
    if (rc)
        return rc;
    rc = htmt__lines_next(&l);
    if (rc == 1)
        rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s: found an empty file, expected XYZ", path);
    rc = rc ? rc : htmt__lines_count(&l, "the number of atoms", &count);
    rc = rc ? rc : htmt__lines_end(&l);
    if (!rc && (count == 0 || count > UINT32_MAX))
        rc = htmt__lines_refuse(&l, HTMT_EFORMAT, l.line, "from 1 to 4294967295 atoms");
    rc = rc ? rc : htmt__lines_next(&l);
    if (!rc && allocate(a, count))
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "%s: no host memory for %" PRIu64 " atoms", path,
                            count);
    for (uint64_t i = 0; i < count && !rc; i++) {
        rc = htmt__lines_next(&l);
        rc = rc ? rc : read_atom(&l, a, i, box);
    }
    if (rc == 1)
        rc = htmt_fault_set(fault, HTMT_EFORMAT,
                            "%s: found %" PRIu64 " lines, expected %" PRIu64
                            ", two and one of each atom",
                            path, l.number, count + 2);
    if (!rc && (rc = htmt__lines_next_data(&l)) == 0)
        rc = htmt__lines_refuse(&l, HTMT_EFORMAT, l.line, "the end of the file");
    rc = rc == 1 ? refuse_overlap(path, a, fault) : rc;
    htmt__lines_clear(&l);
    fclose(l.in);
    if (rc)
        htmt__md_atoms_destroy(a);
    return rc;
}

/* ---- a lattice ------------------------------------------------------------------------------ */

int htmt__md_lattice(const uint32_t cells[3], double a, struct htmt__md_atoms *atoms)
{
    static const uint32_t basis[4][3] = {{0, 0, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}};
    int rc = allocate(atoms, (uint64_t)4 * cells[0] * cells[1] * cells[2]);
    for (uint64_t i = 0; i < atoms->count && !rc; i++) {
        const uint64_t cube = i / 4, at[3] = {cube % cells[0], cube / cells[0] % cells[1],
                                              cube / cells[0] / cells[1]};
        for (unsigned axis = 0; axis < 3; axis++)
            atoms->x[3 * i + axis] = htmt__md_plane(a, 2 * at[axis] + basis[i % 4][axis]);
    }
    return rc;
}

/* The sum of twelve numbers that are equally spread over (0, 1], less 6: nearly normally
 * distributed, with mean 0 and variance 1, and without functions that differ from host to host. */
static double normal(uint64_t seed, uint64_t atom, unsigned axis)
{
    double sum = -6;
    for (unsigned k = 0; k < 12; k++)
        sum += htmt__random_share(htmt__random_at(seed, atom, axis, k));
    return sum;
}

void htmt__md_heat(struct htmt__md_atoms *a, double temperature, uint64_t seed)
{
    const double n = (double)a->count;
    double twice = 0;
    memset(a->v, 0, a->count * 3 * sizeof *a->v);
    if (a->count < 2 || temperature == 0)
        return;
    for (unsigned axis = 0; axis < 3; axis++) {
        double sum = 0;
        for (uint64_t i = 0; i < a->count; i++)
            sum += a->v[3 * i + axis] = normal(seed, i, axis);
        for (uint64_t i = 0; i < a->count; i++) {
            double *v = &a->v[3 * i + axis];
            *v -= sum / n;
            twice += *v * *v;
        }
    }
    const double factor = sqrt(temperature * 3 * (n - 1) / twice);
    for (uint64_t i = 0; i < 3 * a->count; i++)
        a->v[i] *= factor;
}
