/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Particles have no names, so the check finds a partner for each: the particles of one program are
 * sorted by cell, and each particle of the other takes the first one near enough in its cell, else
 * in the 26 cells around, since rounding may have moved it across an edge. Greedy pairing is right
 * because the bound is many orders below the mean distance. Places that are taken at the front of a
 * cell are skipped for good, so equal particles, as of a lattice at rest, cost no square.
 *
 * Threads look for the first one near enough, which changes nothing. The particles then take them
 * one by one, in order. Where that one has been taken before, or there is none, the particle looks
 * again, among those that are left and in the cells around. So pairs are those of one thread. Most
 * candidates differ in x: a list of it, as floats in the order of the cells, is what is looked
 * through, and particles are looked at where the floats agree to their own rounding.
 */
#include "apps/pic/check.h"

#include "apps/lib/host_parts.h"
#include "apps/pic/io/by_key.h"
#include "parcels/kernel.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT_ONCE    32u /* places or particles that are looked at side by side */
#define EACH_WIDTH HTMT_CLONES("arch=x86-64-v4", "arch=x86-64-v3", "default")

struct comparison {
    const struct htmt__pic_deck *deck;
    unsigned threads;
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
    uint64_t count;
    uint32_t *first, *number; /* cells + 1 places; of the particle at each place */
    uint32_t *free;           /* for each cell, the first place that may still be free */
    float *x;                 /* of the particle at each place */
    uint64_t *taken;          /* a bit for each place whose particle has a partner */
};

static bool is_taken(const struct bins *b, uint32_t place)
{
    return b->taken[place / 64] >> place % 64 & 1;
}

static void take(struct bins *b, uint32_t place)
{
    b->taken[place / 64] |= UINT64_C(1) << place % 64;
}

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
    for (uint32_t i = b->free[cell]; i < b->first[cell + 1]; i++) {
        double away;
        if (is_taken(b, i) || !is_near(c, &b->particle[b->number[i]], q, &away))
            continue;
        take(b, i);
        while (b->free[cell] < b->first[cell + 1] && is_taken(b, b->free[cell]))
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

/* ---- bins ----------------------------------------------------------------------------------- */

#define RANGES 64u

struct binning {
    const struct comparison *c;
    struct bins *b;
    uint32_t *cell;
};

static uint64_t range_first(const struct bins *b, uint32_t range)
{
    return b->count * range / RANGES;
}

static void find_cells(void *user, uint32_t range)
{
    const struct binning *w = user;
    uint32_t at[3];
    for (uint64_t i = range_first(w->b, range); i < range_first(w->b, range + 1); i++)
        w->cell[i] = (uint32_t)cell_of(w->c->deck, &w->b->particle[i], at);
}

static void list_x(void *user, uint32_t range)
{
    const struct binning *w = user;
    for (uint64_t i = range_first(w->b, range); i < range_first(w->b, range + 1); i++)
        w->b->x[i] = (float)w->b->particle[w->b->number[i]].x;
}

static void bins_destroy(struct bins *b)
{
    free(b->first);
    free(b->number);
    free(b->free);
    free(b->x);
    free(b->taken);
}

/* On failure there is nothing to destroy. */
static int bins_create(const struct comparison *c, const struct htmt__pic_species *from,
                       struct bins *b, struct htmt_fault *fault)
{
    const uint64_t cells = htmt__pic_deck_cells(c->deck), count = from->count;
    struct htmt__pic_by_key by = {0};
    *b = (struct bins){.particle = from->at,
                       .count = count,
                       .first = malloc((cells + 1) * sizeof *b->first),
                       .number = malloc((count + 1) * sizeof *b->number),
                       .free = malloc(cells * sizeof *b->free)};
    struct binning w = {c, b, malloc((count + 1) * sizeof *w.cell)};
    bool whole = b->first && b->number && b->free && w.cell &&
                 !htmt__pic_by_key_create(&by, c->threads, (uint32_t)cells, count, NULL);
    if (whole) {
        htmt_host_parts(c->threads, RANGES, find_cells, &w);
        htmt__pic_by_key_order(&by, w.cell, b->first, b->number);
        memcpy(b->free, b->first, cells * sizeof *b->free);
    }
    htmt__pic_by_key_destroy(&by);
    free(w.cell); /* before the next lists are there */
    whole = whole && (b->x = calloc(count + AT_ONCE, sizeof *b->x)) &&
            (b->taken = calloc(count / 64 + 1, sizeof *b->taken));
    if (whole) {
        htmt_host_parts(c->threads, RANGES, list_x, &w);
        return 0;
    }
    bins_destroy(b);
    return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory to compare particles");
}

/* ---- pairs ---------------------------------------------------------------------------------- */

#define STRETCH   2048u /* particles that a thread looks up at a time */
#define STRETCHES 32u
#define NOBODY    UINT32_MAX

struct match {
    double away;
    uint32_t place; /* of the first one near enough in the cell, taken or not; NOBODY */
};

struct search {
    struct comparison *c;
    struct bins *b;
    uint32_t count; /* stretches */
    struct {
        const struct htmt__pic_particle *at;
        uint32_t count;
    } stretch[STRETCHES];
    struct match match[STRETCHES][STRETCH];
};

/* The first place from `place` on, below `end`, whose x is that one but for rounding; `end`: none.
 * Behind the last place the list has room for another AT_ONCE. */
EACH_WIDTH static uint32_t next_alike(const float *list, uint32_t place, uint32_t end, float x,
                                      float width)
{
    for (; place < end; place += AT_ONCE) {
        uint32_t alike = 0;
        for (uint32_t i = 0; i < AT_ONCE; i++)
            alike |= (uint32_t)(fabsf(list[place + i] - x) <= width) << i;
        if (alike && place + (uint32_t)__builtin_ctz(alike) < end)
            return place + (uint32_t)__builtin_ctz(alike);
    }
    return end;
}

/* Some particles side by side: each waits for the memory that it needs next while the others work.
 */
static void look_up_some(const struct search *s, const struct htmt__pic_particle *q,
                         struct match *match, uint32_t count)
{
    const struct bins *b = s->b;
    const float width = (float)(s->c->bound + 0x1p-22 * s->c->deck->n[0]);
    uint32_t place[AT_ONCE], end[AT_ONCE], at[3];
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t cell = cell_of(s->c->deck, &q[i], at);
        place[i] = b->first[cell];
        end[i] = b->first[cell + 1];
        __builtin_prefetch(&b->x[place[i]]);
        __builtin_prefetch(&b->x[place[i] + 16]);
    }
    for (uint32_t i = 0; i < count; i++) {
        place[i] = next_alike(b->x, place[i], end[i], (float)q[i].x, width);
        __builtin_prefetch(&b->number[place[i]]);
    }
    for (uint32_t i = 0; i < count; i++)
        if (place[i] < end[i]) {
            __builtin_prefetch(&b->particle[b->number[place[i]]].x);
            __builtin_prefetch(&b->particle[b->number[place[i]]].vz);
        }
    for (uint32_t i = 0; i < count; i++) {
        while (place[i] < end[i] &&
               !is_near(s->c, &b->particle[b->number[place[i]]], &q[i], &match[i].away))
            place[i] = next_alike(b->x, place[i] + 1, end[i], (float)q[i].x, width);
        match[i].place = place[i] < end[i] ? place[i] : NOBODY;
    }
}

static void look_up(void *user, uint32_t number)
{
    struct search *s = user;
    const uint32_t count = s->stretch[number].count;
    for (uint32_t i = 0; i < count; i += AT_ONCE)
        look_up_some(s, s->stretch[number].at + i, &s->match[number][i],
                     count - i < AT_ONCE ? count - i : AT_ONCE);
}

/* The particles of the stretches are looked up, and then take their partners in order. */
static void pair(struct search *s)
{
    htmt_host_parts(s->c->threads, s->count, look_up, s);
    for (uint32_t n = 0; n < s->count; n++)
        for (uint32_t i = 0; i < s->stretch[n].count; i++) {
            const struct match *m = &s->match[n][i];
            double away = m->away;
            if (m->place != NOBODY && !is_taken(s->b, m->place))
                take(s->b, m->place);
            else
                away = find(s->c, s->b, &s->stretch[n].at[i]);
            compare(s->c, "particles", away < 0 ? INFINITY : away, s->c->bound);
        }
    s->count = 0;
}

/* The other program's particles of the species lie in some of the runs. */
static int compare_species(struct comparison *c, uint32_t species,
                           const struct htmt__pic_species *of, const struct htmt__pic_runs *runs,
                           struct htmt_fault *fault)
{
    uint64_t all = 0;
    for (uint64_t r = 0; r < runs->count; r++)
        all += runs->run[r].species == species ? runs->run[r].count : 0;
    if (of->count != all) {
        compare(c, "particles", INFINITY, 1);
        return 0;
    }
    struct bins bins;
    struct search *s = malloc(sizeof *s);
    int rc = s ? bins_create(c, of, &bins, fault)
               : htmt_fault_set(fault, HTMT_ENOMEM, "no host memory to compare particles");
    if (!rc) {
        s->c = c;
        s->b = &bins;
        s->count = 0;
        for (uint64_t r = 0; r < runs->count; r++)
            for (uint64_t i = 0; i < runs->run[r].count && runs->run[r].species == species;
                 i += STRETCH) {
                const uint64_t rest = runs->run[r].count - i;
                s->stretch[s->count].at = runs->run[r].at + i;
                s->stretch[s->count++].count = rest < STRETCH ? (uint32_t)rest : STRETCH;
                if (s->count == STRETCHES)
                    pair(s);
            }
        pair(s);
        bins_destroy(&bins);
    }
    free(s);
    return rc;
}

/* ---- all ------------------------------------------------------------------------------------ */

int htmt__pic_check_on(unsigned threads, const struct htmt__pic_deck *deck,
                       const struct htmt__pic_result *a, const struct htmt__pic_result *b,
                       const struct htmt__pic_runs *runs, struct htmt__pic_check *check,
                       struct htmt_fault *fault)
{
    struct comparison c = {.deck = deck,
                           .threads = threads,
                           .bound = htmt__pic_rounding(deck, (double)deck->steps * deck->dt),
                           .worst = {.tolerance = 1}};
    int rc = 0;
    compare_records(&c, a->record, b->record);
    if (c.bound <= HTMT__PIC_LOST) {
        for (uint64_t i = 0; i < HTMT__PIC_FIELDS * htmt__pic_deck_cells(deck); i++)
            compare(&c, "fields", fabs(a->fields->at[i] - b->fields->at[i]), c.bound);
        for (uint32_t s = 0; s < deck->species_count && !rc; s++)
            rc = compare_species(&c, s, &a->particles->of[s], runs, fault);
    }
    if (rc)
        return rc;
    *check = c.worst;
    check->pass = check->value <= check->tolerance;
    return 0;
}

int htmt__pic_runs_of(const struct htmt__pic_particles *particles, struct htmt__pic_runs *runs,
                      struct htmt_fault *fault)
{
    runs->count = particles->species;
    runs->run = malloc((runs->count + 1) * sizeof *runs->run);
    if (!runs->run)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory to compare particles");
    for (uint32_t s = 0; s < particles->species; s++)
        runs->run[s] = (struct htmt__pic_run){s, particles->of[s].count, particles->of[s].at};
    return 0;
}

int htmt__pic_check(const struct htmt__pic_deck *deck, const struct htmt__pic_result *a,
                    const struct htmt__pic_result *b, struct htmt__pic_check *check,
                    struct htmt_fault *fault)
{
    struct htmt__pic_runs runs;
    int rc = htmt__pic_runs_of(b->particles, &runs, fault);
    if (!rc)
        rc = htmt__pic_check_on(1, deck, a, b, &runs, check, fault);
    free(runs.run);
    return rc;
}
