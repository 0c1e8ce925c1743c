/* SPDX-License-Identifier: BSD-3-Clause */
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

/* ---- what rounding explains ----------------------------------------------------------------- */

static bool streams(const struct htmt__pic_deck *deck)
{
    for (uint32_t s = 1; s < deck->species_count; s++)
        if (memcmp(deck->species[s].drift, deck->species[0].drift, sizeof deck->species[s].drift))
            return true;
    return false;
}

static double fastest_drift(const struct htmt__pic_deck *deck)
{
    double most = 0;
    for (uint32_t s = 0; s < deck->species_count; s++)
        for (int axis = 0; axis < 3; axis++)
            most = fmax(most, fabs(deck->species[s].drift[axis]));
    return most;
}

double htmt__pic_rounding(const struct htmt__pic_deck *deck, double t)
{
    double edge = fmax(fmax(deck->n[0], deck->n[1]), deck->n[2]);
    double size = fmax(edge, fastest_drift(deck));
    double phase = t * htmt__pic_deck_frequency(deck);
    double growth = streams(deck) ? exp(phase / sqrt(8)) : (1 + phase) * (1 + phase);
    return 64 * DBL_EPSILON * size * growth;
}

/* ---- records -------------------------------------------------------------------------------- */

static void compare_record(struct comparison *c, const struct htmt__pic_record *a,
                           const struct htmt__pic_record *b, double bound)
{
    double terms = DBL_EPSILON * (double)htmt__pic_deck_particles(c->deck);
    double sum = (bound + terms) * sqrt(2 * htmt__pic_deck_mass(c->deck) * (b->field + b->kinetic));
    compare(c, "records", fabs(a->field - b->field), sum);
    compare(c, "records", fabs(a->kinetic - b->kinetic), sum);
    for (int axis = 0; axis < 3; axis++)
        compare(c, "records", fabs(a->momentum[axis] - b->momentum[axis]), sum);
    compare(c, "records", fabs(a->charge - b->charge),
            bound * (double)htmt__pic_deck_cells(c->deck));
    compare(c, "records", fabs(a->wave[0] - b->wave[0]), bound);
    compare(c, "records", fabs(a->wave[1] - b->wave[1]), bound);
}

static void compare_records(struct comparison *c, const struct htmt__pic_record *a,
                            const struct htmt__pic_record *b)
{
    for (uint64_t n = 0; n < c->deck->steps; n++) {
        double bound = htmt__pic_rounding(c->deck, (double)n * c->deck->dt);
        if (bound <= HTMT__PIC_LOST)
            compare_record(c, &a[n], &b[n], bound);
        compare(c, "records", a[n].particles == b[n].particles ? 0 : INFINITY, 1);
    }
}

static void compare_fields(struct comparison *c, const struct htmt__pic_fields *a,
                           const struct htmt__pic_fields *b)
{
    uint64_t count = HTMT__PIC_FIELDS * htmt__pic_deck_cells(c->deck);
    for (uint64_t i = 0; i < count; i++)
        compare(c, "fields", fabs(a->at[i] - b->at[i]), c->bound);
}

/* ---- particles ------------------------------------------------------------------------------ */

/* The particles of one species by cell. */
struct bins {
    uint64_t *first, *number; /* cells + 1 places in `number`; of each particle */
    uint64_t *free;           /* for each cell, the first place that may still be free */
    bool *taken;              /* already has a partner */
};

static uint64_t cell_at(const struct htmt__pic_deck *d, const uint32_t at[3])
{
    return ((uint64_t)at[2] * d->n[1] + at[1]) * d->n[0] + at[0];
}

static void place_of(const struct htmt__pic_deck *d, const struct htmt__pic_particle *q,
                     uint32_t at[3])
{
    const double x[3] = {q->x, q->y, q->z};
    for (int axis = 0; axis < 3; axis++)
        at[axis] = x[axis] >= 0 && x[axis] < d->n[axis] ? (uint32_t)x[axis] : 0;
}

static uint64_t cell_of(const struct htmt__pic_deck *d, const struct htmt__pic_particle *q)
{
    uint32_t at[3];
    place_of(d, q, at);
    return cell_at(d, at);
}

static int bins_create(struct bins *b, const struct htmt__pic_deck *d,
                       const struct htmt__pic_crowd *crowd, struct htmt_fault *fault)
{
    uint64_t cells = htmt__pic_deck_cells(d);
    b->first = calloc(cells + 2, sizeof *b->first);
    b->free = malloc(cells * sizeof *b->free);
    b->number = malloc((crowd->count + 1) * sizeof *b->number);
    b->taken = calloc(crowd->count + 1, sizeof *b->taken);
    if (!b->first || !b->free || !b->number || !b->taken)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory to compare particles");
    /* two places ahead: filling moves each start to where its cell begins */
    for (uint64_t i = 0; i < crowd->count; i++)
        b->first[cell_of(d, &crowd->at[i]) + 2]++;
    for (uint64_t c = 2; c < cells + 2; c++)
        b->first[c] += b->first[c - 1];
    for (uint64_t i = 0; i < crowd->count; i++)
        b->number[b->first[cell_of(d, &crowd->at[i]) + 1]++] = i;
    memcpy(b->free, b->first, cells * sizeof *b->free);
    return 0;
}

static void bins_destroy(struct bins *b)
{
    free(b->first);
    free(b->free);
    free(b->number);
    free(b->taken);
}

/* Distance on a ring of length n. */
static double apart(double a, double b, double n)
{
    double d = fabs(a - b);
    return d < n / 2 ? d : n - d;
}

/* Is none of the six differences above the bound? Then *most is the largest of them. Most particles
 * of a cell differ in the first one. */
static bool is_near(const struct comparison *c, const struct htmt__pic_particle *a,
                    const struct htmt__pic_particle *b, double *most)
{
    const uint32_t *n = c->deck->n;
    const double from[6] = {a->x, a->y, a->z, a->vx, a->vy, a->vz};
    const double to[6] = {b->x, b->y, b->z, b->vx, b->vy, b->vz};
    *most = 0;
    for (int i = 0; i < 6; i++) {
        double away = i < 3 ? apart(from[i], to[i], n[i]) : fabs(from[i] - to[i]);
        if (!(away <= c->bound))
            return false;
        *most = away > *most ? away : *most;
    }
    return true;
}

/* The first free particle of a cell that is near enough; -1: none. */
static double find_in(struct comparison *c, struct bins *b, uint64_t cell,
                      const struct htmt__pic_crowd *crowd, const struct htmt__pic_particle *q)
{
    for (uint64_t i = b->free[cell]; i < b->first[cell + 1]; i++) {
        double away;
        if (b->taken[i] || !is_near(c, &crowd->at[b->number[i]], q, &away))
            continue;
        b->taken[i] = true;
        while (b->free[cell] < b->first[cell + 1] && b->taken[b->free[cell]])
            b->free[cell]++;
        return away;
    }
    return -1;
}

/* Search the particle's own cell, then the cells across an edge that rounding may have crossed. */
static double find(struct comparison *c, struct bins *b, const struct htmt__pic_crowd *crowd,
                   const struct htmt__pic_particle *q)
{
    uint32_t at[3];
    place_of(c->deck, q, at);
    double away = find_in(c, b, cell_at(c->deck, at), crowd, q);
    for (uint32_t i = 0; i < 27 && away < 0; i++) {
        const uint32_t step[3] = {i % 3, i / 3 % 3, i / 9};
        uint32_t near[3];
        for (int axis = 0; axis < 3; axis++)
            near[axis] = (at[axis] + c->deck->n[axis] + step[axis] - 1) % c->deck->n[axis];
        away = find_in(c, b, cell_at(c->deck, near), crowd, q);
    }
    return away;
}

static int compare_crowd(struct comparison *c, const struct htmt__pic_crowd *a,
                         const struct htmt__pic_crowd *b, struct htmt_fault *fault)
{
    struct bins bins = {0};
    if (a->count != b->count) {
        compare(c, "particles", INFINITY, 1);
        return 0;
    }
    int rc = bins_create(&bins, c->deck, b, fault);
    for (uint64_t i = 0; i < a->count && !rc; i++) {
        double away = find(c, &bins, b, &a->at[i]);
        compare(c, "particles", away < 0 ? INFINITY : away, c->bound);
    }
    bins_destroy(&bins);
    return rc;
}

static int compare_particles(struct comparison *c, const struct htmt__pic_particles *a,
                             const struct htmt__pic_particles *b, struct htmt_fault *fault)
{
    int rc = 0;
    for (uint32_t s = 0; s < c->deck->species_count && !rc; s++)
        rc = compare_crowd(c, &a->crowd[s], &b->crowd[s], fault);
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
        compare_fields(&c, a->fields, b->fields);
        rc = compare_particles(&c, a->particles, b->particles, fault);
    }
    if (rc)
        return rc;
    *check = c.worst;
    check->pass = check->value <= check->tolerance;
    return 0;
}
