/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decks: read from YAML, and the quantities that follow from one.
 *
 * Units. Lengths are cells, times 1 / omega_p, and permittivity is 1. A species of density 1,
 * charge -1 and mass 1 then has the plasma frequency sqrt(density charge^2 / mass) = 1, and with a
 * thermal velocity of 0.5 a Debye length of half a cell. A particle of the simulation stands for
 * density / per-cell real ones, its share: of 4 x 4 x 4 in a cell each has 1 / 64 of that charge
 * and mass, and moves as one real particle does, since only charge / mass counts.
 */
#include "apps/pic/io/deck.h"

#include "layers/file/parameters.h"
#include "layers/file/search.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- quantities ----------------------------------------------------------------------------- */

uint64_t htmt__pic_deck_cells(const struct htmt__pic_deck *deck)
{
    return (uint64_t)deck->n[0] * deck->n[1] * deck->n[2];
}

static uint64_t in_a_cell(const struct htmt__pic_deck_species *s)
{
    return (uint64_t)s->per_cell[0] * s->per_cell[1] * s->per_cell[2];
}

uint64_t htmt__pic_deck_count(const struct htmt__pic_deck *deck, uint32_t species)
{
    return htmt__pic_deck_cells(deck) * in_a_cell(&deck->species[species]);
}

uint64_t htmt__pic_deck_particles(const struct htmt__pic_deck *deck)
{
    uint64_t count = 0;
    for (uint32_t s = 0; s < deck->species_count; s++)
        count += htmt__pic_deck_count(deck, s);
    return count;
}

double htmt__pic_deck_particles_real(const struct htmt__pic_deck *deck)
{
    double in_cells = 0;
    for (uint32_t s = 0; s < deck->species_count; s++)
        in_cells += (double)in_a_cell(&deck->species[s]);
    return in_cells * deck->n[0] * deck->n[1] * deck->n[2];
}

int htmt__pic_deck_coarse(const struct htmt__pic_deck *deck)
{
    for (int axis = 0; axis < 3; axis++)
        if (2 * (uint64_t)llabs(deck->mode[axis]) > deck->n[axis])
            return axis;
    return -1;
}

double htmt__pic_deck_share(const struct htmt__pic_deck *deck, uint32_t species)
{
    const struct htmt__pic_deck_species *s = &deck->species[species];
    return s->density / (double)in_a_cell(s);
}

double htmt__pic_deck_background(const struct htmt__pic_deck *deck)
{
    double charge = 0;
    for (uint32_t s = 0; s < deck->species_count; s++)
        charge += deck->species[s].density * deck->species[s].charge;
    return -charge;
}

double htmt__pic_deck_mass(const struct htmt__pic_deck *deck)
{
    double mass = 0;
    for (uint32_t s = 0; s < deck->species_count; s++)
        mass += deck->species[s].density * deck->species[s].mass;
    return mass * (double)htmt__pic_deck_cells(deck);
}

double htmt__pic_deck_debye(const struct htmt__pic_deck *deck, uint32_t *species, int *axis)
{
    double shortest = INFINITY;
    for (uint32_t s = 0; s < deck->species_count; s++)
        for (int a = 0; a < 3; a++) {
            const struct htmt__pic_deck_species *of = &deck->species[s];
            const double frequency = sqrt(of->density * of->charge * of->charge / of->mass);
            const double length = of->thermal[a] / frequency; /* infinite without charge */
            if (deck->n[a] < 2 || of->thermal[a] <= 0 || !(length < shortest))
                continue;
            shortest = length;
            *species = s;
            *axis = a;
        }
    return shortest;
}

double htmt__pic_deck_frequency(const struct htmt__pic_deck *deck)
{
    double square = 0;
    for (uint32_t i = 0; i < deck->species_count; i++) {
        const struct htmt__pic_deck_species *s = &deck->species[i];
        square += s->density * s->charge * s->charge / s->mass;
    }
    return sqrt(square);
}

bool htmt__pic_deck_perturbed(const struct htmt__pic_deck *deck)
{
    bool any = false;
    for (uint32_t s = 0; s < deck->species_count; s++)
        any = any || deck->species[s].amplitude != 0;
    return any;
}

double htmt__pic_deck_temperature(const struct htmt__pic_deck *deck)
{
    const struct htmt__pic_deck_species *s = &deck->species[0];
    return htmt__pic_deck_share(deck, 0) * s->mass * s->thermal[0] * s->thermal[0];
}

void htmt__pic_deck_wave_vector(const struct htmt__pic_deck *deck, double k[3])
{
    for (int axis = 0; axis < 3; axis++)
        k[axis] = 2 * M_PI * deck->mode[axis] / deck->n[axis];
}

void htmt__pic_deck_describe(const struct htmt__pic_deck *deck, char *text, size_t room)
{
    snprintf(text, room,
             "%s: %u x %u x %u cells, %" PRIu64 " particles of %u species, %" PRIu64
             " steps of %g / omega_p",
             deck->name, deck->n[0], deck->n[1], deck->n[2], htmt__pic_deck_particles(deck),
             deck->species_count, deck->steps, deck->dt);
}

/* The part of a cell's particles that leave it through a face in a step, by the mean of the
 * positive part of a normal distribution: drift d, width s give s / sqrt(2 pi) exp(-d^2 / 2 s^2) +
 * d / 2 (1 + erf(d / sqrt(2) s)). By hand: without drift 0.399 s; a drift of 2 s gives 2.008 s one
 * way and 0.0085 s the other, and their difference is the drift. A cold beam goes one way only. */
double htmt__pic_flux(const struct htmt__pic_deck *deck, uint32_t species, int axis, int sign)
{
    const struct htmt__pic_deck_species *s = &deck->species[species];
    double drift = sign * s->drift[axis], thermal = s->thermal[axis];
    if (thermal <= 0)
        return deck->dt * (drift > 0 ? drift : 0);
    double z = drift / (sqrt(2) * thermal);
    return deck->dt * (thermal / sqrt(2 * M_PI) * exp(-z * z) + drift / 2 * (1 + erf(z)));
}

/* ---- reading -------------------------------------------------------------------------------- */

#define PER_CELL_MOST (1 << 20) /* of a species */
#define SPEED_MOST    1e6

static const char *const units[] = {"cells, 1/omega_p", NULL};
static const char *const starts[] = {[HTMT__PIC_LATTICE] = "lattice",
                                     [HTMT__PIC_QUIET] = "quiet",
                                     [HTMT__PIC_RANDOM] = "random",
                                     NULL};

static const struct htmt_schema_row species_rows[] = {
    {.key = "name", .kind = HTMT_SCHEMA_TEXT},
    {.key = "charge", .kind = HTMT_UNIT_NUMBER, .least = -1e6, .most = 1e6},
    {.key = "mass", .kind = HTMT_UNIT_NUMBER, .least = 0, .most = 1e9, .above_least = true},
    {.key = "density", .kind = HTMT_UNIT_NUMBER, .least = 0, .most = 1e6, .above_least = true},
    {.key = "per-cell", .kind = HTMT_SCHEMA_LIST, .items = 3, .least = 1, .most = 65536},
    {.key = "start", .kind = HTMT_SCHEMA_CHOICE, .words = starts},
    {.key = "thermal",
     .kind = HTMT_SCHEMA_LIST,
     .items = 3,
     .least = 0,
     .most = SPEED_MOST,
     .optional = true},
    {.key = "drift",
     .kind = HTMT_SCHEMA_LIST,
     .items = 3,
     .least = -SPEED_MOST,
     .most = SPEED_MOST,
     .optional = true},
    {.key = "amplitude", .kind = HTMT_UNIT_NUMBER, .least = -1, .most = 1, .fallback = "0"},
    {.key = NULL}};

static const struct htmt_schema_row deck_rows[] = {
    {.key = "htmt-deck", .kind = HTMT_SCHEMA_WHOLE, .least = 1, .most = 1},
    {.key = "units", .kind = HTMT_SCHEMA_CHOICE, .words = units},
    {.key = "cells",
     .kind = HTMT_SCHEMA_LIST,
     .items = 3,
     .least = 1,
     .most = HTMT__PIC_CELLS_MOST},
    {.key = "dt", .kind = HTMT_UNIT_NUMBER, .least = 0, .most = 1e6, .above_least = true},
    {.key = "steps", .kind = HTMT_SCHEMA_WHOLE, .least = 1, .most = (double)HTMT__PIC_STEPS_MOST},
    {.key = "mode",
     .kind = HTMT_SCHEMA_LIST,
     .items = 3,
     .least = -HTMT__PIC_CELLS_MOST,
     .most = HTMT__PIC_CELLS_MOST,
     .optional = true},
    {.key = "species",
     .kind = HTMT_SCHEMA_GROUPS,
     .rows = species_rows,
     .least = 1,
     .most = HTMT__PIC_SPECIES_MAX},
    {.key = NULL}};

/* Three whole numbers. */
static int read_whole(const struct htmt_parameters *p, const char *key, int32_t value[3],
                      struct htmt_fault *fault)
{
    unsigned count;
    const double *list = htmt_parameter_list(p, key, &count);
    for (int axis = 0; axis < 3; axis++) {
        if (list[axis] != floor(list[axis]))
            return htmt_parameter_refuse(p, key, HTMT_EFORMAT, fault,
                                         "found %g, expected three whole numbers", list[axis]);
        value[axis] = (int32_t)list[axis];
    }
    return 0;
}

static int read_counts(const struct htmt_parameters *p, const char *key, uint32_t value[3],
                       struct htmt_fault *fault)
{
    int32_t whole[3];
    int rc = read_whole(p, key, whole, fault);
    for (int axis = 0; axis < 3 && !rc; axis++)
        value[axis] = (uint32_t)whole[axis];
    return rc;
}

/* Zeros when it is not given. */
static void read_vector(const struct htmt_parameters *p, const char *key, double value[3])
{
    unsigned count;
    if (htmt_parameter_given(p, key))
        memcpy(value, htmt_parameter_list(p, key, &count), 3 * sizeof *value);
}

static int read_species(const struct htmt_parameters *p, struct htmt__pic_deck_species *s,
                        struct htmt_fault *fault)
{
    const char *name = htmt_parameter_text(p, "name");
    s->charge = htmt_parameter_number(p, "charge");
    s->mass = htmt_parameter_number(p, "mass");
    s->density = htmt_parameter_number(p, "density");
    s->start = (enum htmt__pic_start)htmt_parameter_choice(p, "start");
    s->amplitude = htmt_parameter_number(p, "amplitude");
    read_vector(p, "thermal", s->thermal);
    read_vector(p, "drift", s->drift);
    int rc = read_counts(p, "per-cell", s->per_cell, fault);
    if (rc)
        return rc;
    double count = (double)s->per_cell[0] * (double)s->per_cell[1] * (double)s->per_cell[2];
    if (count > PER_CELL_MOST)
        return htmt_parameter_refuse(p, "per-cell", HTMT_ERANGE, fault,
                                     "found %.6g particles in a cell, expected at most %d", count,
                                     PER_CELL_MOST);
    if (!*name || strlen(name) >= sizeof s->name)
        return htmt_parameter_refuse(p, "name", HTMT_ERANGE, fault,
                                     "found %zu characters, expected 1 to %zu", strlen(name),
                                     sizeof s->name - 1);
    memcpy(s->name, name, strlen(name) + 1);
    return 0;
}

/* What the values must be together. */
static int check_deck(const struct htmt_parameters *p, const struct htmt__pic_deck *d,
                      struct htmt_fault *fault)
{
    const int axis = htmt_parameter_given(p, "mode") ? htmt__pic_deck_coarse(d) : -1;
    if (axis >= 0)
        return htmt_parameter_refuse(
            p, "mode", HTMT_ERANGE, fault, "found %d on an axis of %u cells, expected %d to %d",
            d->mode[axis], d->n[axis], -(int)(d->n[axis] / 2), (int)(d->n[axis] / 2));
    const double plasma = htmt__pic_deck_frequency(d), count = htmt__pic_deck_particles_real(d);
    if (!(plasma * d->dt <= 2)) {
        /* six digits of the longest stable step, none of them rounded up */
        double digit = pow(10, floor(log10(2 / plasma)) - 5);
        double longest = round(2 / plasma / digit) * digit;
        return htmt_parameter_refuse(p, "dt", HTMT_ERANGE, fault,
                                     "found %g, expected at most %.6g: the plasma frequency of all "
                                     "species is %.6g and leapfrog is stable up to omega_p dt = 2",
                                     d->dt, plasma * longest > 2 ? longest - digit : longest,
                                     plasma);
    }
    if (count > (double)HTMT__PIC_PARTICLES_MOST)
        return htmt_parameter_refuse(p, "species", HTMT_ERANGE, fault,
                                     "found %.6g particles, expected at most %" PRIu64, count,
                                     HTMT__PIC_PARTICLES_MOST);
    return 0;
}

/* Make a deck of the parameters, and destroy them. */
static int finish(const char *file, struct htmt_parameters **parameters,
                  struct htmt__pic_deck *deck, struct htmt_fault *fault)
{
    const struct htmt_parameters *p = *parameters;
    struct htmt__pic_deck d = {.dt = htmt_parameter_number(p, "dt"),
                               .steps = (uint64_t)htmt_parameter_whole(p, "steps"),
                               .species_count = htmt_parameter_count(p, "species")};
    htmt_search_name(file, d.name, sizeof d.name);
    int rc = read_counts(p, "cells", d.n, fault);
    if (!rc && htmt_parameter_given(p, "mode"))
        rc = read_whole(p, "mode", d.mode, fault);
    for (uint32_t s = 0; s < d.species_count && !rc; s++)
        rc = read_species(htmt_parameter_group(p, "species", s), &d.species[s], fault);
    if (!rc)
        rc = check_deck(p, &d, fault);
    htmt_parameters_destroy(parameters);
    if (!rc)
        *deck = d;
    return rc;
}

int htmt__pic_deck_parse(const char *file, const char *text, struct htmt__pic_deck *deck,
                         struct htmt_fault *fault)
{
    struct htmt_parameters *p = NULL;
    int rc = htmt_parameters_parse(file, text, strlen(text), "a plasma deck", deck_rows, &p, fault);
    return rc ? rc : finish(file, &p, deck, fault);
}

int htmt__pic_deck_read(const char *name, struct htmt__pic_deck *deck, struct htmt_fault *fault)
{
    static const struct htmt_search decks = {"deck", "decks", "HTMT_DECKS_PATH"};
    char path[HTMT_PATH_MAX];
    struct htmt_parameters *p = NULL;
    int rc = htmt_search_path(&decks, name, NULL, path, fault);
    if (!rc)
        rc = htmt_parameters_read(path, "a plasma deck", deck_rows, &p, fault);
    if (!rc)
        rc = finish(path, &p, deck, fault);
    if (!rc && !htmt_search_shipped(&decks, path))
        memcpy(deck->path, path, sizeof deck->path);
    return rc;
}

_Static_assert(sizeof((struct htmt__pic_deck){0}.path) == HTMT_PATH_MAX, "a path fits");
