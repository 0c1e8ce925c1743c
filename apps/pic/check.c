/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Particles have no names, so the check finds a partner for each: the particles of one program are
 * sorted by cell, and each particle of the other takes the first one near enough in its cell, else
 * in the 26 cells around, since rounding may have moved it across an edge. Greedy pairing is right
 * because the bound is many orders below the mean distance. Places that are taken at the front of a
 * cell are skipped for good, so equal particles, as of a lattice at rest, cost no square.
 */
#include "apps/pic/check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct comparison {
    const struct htmt__pic_deck *deck;
    double bound;                 /* at the end of the run */
    struct htmt__pic_check worst; /* so far */
};

/* A difference that is not a number counts as infinite. */
static void compare(struct comparison *c, const char *name, double difference, double bound)
{
    double value = isnan(difference) ? INFINITY : difference > 0 ? difference / bound : 0;
    if (value > c->worst.value || !c->worst.name) {
        c->worst.name = name;
        c->worst.value = value;
    }
}

double htmt__pic_rounding(const struct htmt__pic_deck *deck, double t)
{
    bool streams = false;
    double drift = 0;
    for (uint32_t s = 0; s < deck->species_count; s++) {
        const double *v = deck->species[s].drift;
        streams |= memcmp(v, deck->species[0].drift, sizeof deck->species[s].drift) != 0;
        for (int axis = 0; axis < 3; axis++)
            drift = fmax(drift, fabs(v[axis]));
    }
    double edge = fmax(fmax(deck->n[0], deck->n[1]), deck->n[2]);
    double size = fmax(edge, drift);
    double phase = t * htmt__pic_deck_frequency(deck);
    double growth = streams ? exp(phase / sqrt(8)) : (1 + phase) * (1 + phase);
    return 64 * DBL_EPSILON * size * growth;
}

/* ---- sums ----------------------------------------------------------------------------------- */

static void compare_records(struct comparison *c, const struct htmt__pic_record *a,
                            const struct htmt__pic_record *b)
{
    const double terms = DBL_EPSILON * (double)htmt__pic_deck_particles(c->deck);
    for (uint64_t n = 0; n < c->deck->steps; n++, a++, b++) {
        double bound = htmt__pic_rounding(c->deck, (double)n * c->deck->dt);
        if (bound <= HTMT__PIC_LOST) {
            double sum =
                (bound + terms) * sqrt(2 * htmt__pic_deck_mass(c->deck) * (b->field + b->kinetic));
            compare(c, "records", fabs(a->field - b->field), sum);
            compare(c, "records", fabs(a->kinetic - b->kinetic), sum);
            for (int axis = 0; axis < 3; axis++)
                compare(c, "records", fabs(a->momentum[axis] - b->momentum[axis]), sum);
            compare(c, "records", fabs(a->charge - b->charge),
                    bound * (double)htmt__pic_deck_cells(c->deck));
            compare(c, "records", fabs(a->wave[0] - b->wave[0]), bound);
            compare(c, "records", fabs(a->wave[1] - b->wave[1]), bound);
        }
        compare(c, "records", a->particles == b->particles ? 0 : INFINITY, 1);
    }
}

/* ---- particles ------------------------------------------------------------------------------ */

/* The particles of one species by cell. */
struct bins {
    const struct htmt__pic_particle *particle;
    uint64_t *first, *number; /* cells + 1 places in `number`; of each particle */
    uint64_t *free;           /* for each cell, the first place that may still be free */
    bool *taken;              /* already has a partner */
};

static uint64_t cell_at(const struct htmt__pic_deck *d, const uint32_t at[3])
{
    return ((uint64_t)at[2] * d->n[1] + at[1]) * d->n[0] + at[0];
}

/* The cell of a particle: its place along the axes, and its number. */
static uint64_t cell_of(const struct htmt__pic_deck *d, const struct htmt__pic_particle *q,
                        uint32_t at[3])
{
    const double x[3] = {q->x, q->y, q->z};
    for (int axis = 0; axis < 3; axis++)
        at[axis] = x[axis] >= 0 && x[axis] < d->n[axis] ? (uint32_t)x[axis] : 0;
    return cell_at(d, at);
}

/* Is none of the six differences above the bound? Then *most is the largest of them. Positions are
 * on a ring. Most particles of a cell differ in the first one. */
static bool is_near(const struct comparison *c, const struct htmt__pic_particle *a,
                    const struct htmt__pic_particle *b, double *most)
{
    const uint32_t *n = c->deck->n;
    const double from[6] = {a->x, a->y, a->z, a->vx, a->vy, a->vz};
    const double to[6] = {b->x, b->y, b->z, b->vx, b->vy, b->vz};
    *most = 0;
    for (int i = 0; i < 6; i++) {
        double away = fabs(from[i] - to[i]);
        if (i < 3 && !(away < (double)n[i] / 2))
            away = n[i] - away;
        if (!(away <= c->bound))
            return false;
        *most = away > *most ? away : *most;
    }
    return true;
}

/* Take the first free particle of a cell that is near enough: how far it is away; -1: none. */
static double find_in(struct comparison *c, struct bins *b, uint64_t cell,
                      const struct htmt__pic_particle *q)
{
    for (uint64_t i = b->free[cell]; i < b->first[cell + 1]; i++) {
        double away;
        if (b->taken[i] || !is_near(c, &b->particle[b->number[i]], q, &away))
            continue;
        b->taken[i] = true;
        while (b->free[cell] < b->first[cell + 1] && b->taken[b->free[cell]])
            b->free[cell]++;
        return away;
    }
    return -1;
}

/* Search the particle's own cell, then the cells across an edge that rounding may have crossed. */
static double find(struct comparison *c, struct bins *b, const struct htmt__pic_particle *q)
{
    uint32_t at[3];
    double away = find_in(c, b, cell_of(c->deck, q, at), q);
    for (uint32_t i = 0; i < 27 && away < 0; i++) {
        const uint32_t step[3] = {i % 3, i / 3 % 3, i / 9};
        uint32_t near[3];
        for (int axis = 0; axis < 3; axis++)
            near[axis] = (at[axis] + c->deck->n[axis] + step[axis] - 1) % c->deck->n[axis];
        away = find_in(c, b, cell_at(c->deck, near), q);
    }
    return away;
}

static int compare_species(struct comparison *c, const struct htmt__pic_species *a,
                           const struct htmt__pic_species *b, struct htmt_fault *fault)
{
    const uint64_t cells = htmt__pic_deck_cells(c->deck);
    uint32_t at[3];
    int rc = 0;
    if (a->count != b->count) {
        compare(c, "particles", INFINITY, 1);
        return 0;
    }
    struct bins bins = {.particle = b->at,
                        .first = calloc(cells + 2, sizeof *bins.first),
                        .free = malloc(cells * sizeof *bins.free),
                        .number = malloc((b->count + 1) * sizeof *bins.number),
                        .taken = calloc(b->count + 1, sizeof *bins.taken)};
    if (!bins.first || !bins.free || !bins.number || !bins.taken) {
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no host memory to compare particles");
        goto out;
    }
    /* a counting sort; two places ahead, since filling moves each start to where its cell begins */
    for (uint64_t i = 0; i < b->count; i++)
        bins.first[cell_of(c->deck, &b->at[i], at) + 2]++;
    for (uint64_t k = 2; k < cells + 2; k++)
        bins.first[k] += bins.first[k - 1];
    for (uint64_t i = 0; i < b->count; i++)
        bins.number[bins.first[cell_of(c->deck, &b->at[i], at) + 1]++] = i;
    memcpy(bins.free, bins.first, cells * sizeof *bins.free);
    for (uint64_t i = 0; i < a->count; i++) {
        double away = find(c, &bins, &a->at[i]);
        compare(c, "particles", away < 0 ? INFINITY : away, c->bound);
    }
out:
    free(bins.first);
    free(bins.number);
    free(bins.free);
    free(bins.taken);
    return rc;
}

/* ---- all ------------------------------------------------------------------------------------ */

int htmt__pic_check(const struct htmt__pic_deck *deck, const struct htmt__pic_result *a,
                    const struct htmt__pic_result *b, struct htmt__pic_check *check,
                    struct htmt_fault *fault)
{
    struct comparison c = {.deck = deck,
                           .bound = htmt__pic_rounding(deck, (double)deck->steps * deck->dt),
                           .worst = {.tolerance = 1}};
    int rc = 0;
    compare_records(&c, a->record, b->record);
    if (c.bound <= HTMT__PIC_LOST) {
        for (uint64_t i = 0; i < HTMT__PIC_FIELDS * htmt__pic_deck_cells(deck); i++)
            compare(&c, "fields", fabs(a->fields->at[i] - b->fields->at[i]), c.bound);
        for (uint32_t s = 0; s < deck->species_count && !rc; s++)
            rc = compare_species(&c, &a->particles->of[s], &b->particles->of[s], fault);
    }
    if (rc)
        return rc;
    *check = c.worst;
    check->pass = check->value <= check->tolerance;
    return 0;
}
