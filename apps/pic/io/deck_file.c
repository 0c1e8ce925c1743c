/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Read decks from YAML.
 */
#include "apps/pic/io/deck.h"
#include "layers/file/parameters.h"
#include "layers/file/search.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- values --------------------------------------------------------------------------------- */

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

static int check_cell(const struct htmt_parameters *p, const struct htmt__pic_species *s,
                      struct htmt_fault *fault)
{
    double count = (double)s->per_cell[0] * (double)s->per_cell[1] * (double)s->per_cell[2];
    if (count <= PER_CELL_MOST)
        return 0;
    return htmt_parameter_refuse(p, "per-cell", HTMT_ERANGE, fault,
                                 "found %.6g particles in a cell, expected at most %d", count,
                                 PER_CELL_MOST);
}

static int read_name(const struct htmt_parameters *p, struct htmt__pic_species *s,
                     struct htmt_fault *fault)
{
    const char *name = htmt_parameter_text(p, "name");
    if (!*name || strlen(name) >= sizeof s->name)
        return htmt_parameter_refuse(p, "name", HTMT_ERANGE, fault,
                                     "found %zu characters, expected 1 to %zu", strlen(name),
                                     sizeof s->name - 1);
    memcpy(s->name, name, strlen(name) + 1);
    return 0;
}

static int read_species(const struct htmt_parameters *p, struct htmt__pic_species *s,
                        struct htmt_fault *fault)
{
    s->charge = htmt_parameter_number(p, "charge");
    s->mass = htmt_parameter_number(p, "mass");
    s->density = htmt_parameter_number(p, "density");
    s->start = (enum htmt__pic_start)htmt_parameter_choice(p, "start");
    s->amplitude = htmt_parameter_number(p, "amplitude");
    read_vector(p, "thermal", s->thermal);
    read_vector(p, "drift", s->drift);
    int rc = read_counts(p, "per-cell", s->per_cell, fault);
    if (!rc)
        rc = check_cell(p, s, fault);
    if (!rc)
        rc = read_name(p, s, fault);
    return rc;
}

static int read_all_species(const struct htmt_parameters *p, struct htmt__pic_deck *d,
                            struct htmt_fault *fault)
{
    int rc = 0;
    d->species_count = htmt_parameter_count(p, "species");
    for (uint32_t s = 0; s < d->species_count && !rc; s++)
        rc = read_species(htmt_parameter_group(p, "species", s), &d->species[s], fault);
    return rc;
}

/* ---- what the values must be together ------------------------------------------------------- */

static int check_mode(const struct htmt_parameters *p, const struct htmt__pic_deck *d,
                      struct htmt_fault *fault)
{
    int axis = htmt__pic_deck_coarse(d);
    if (axis < 0)
        return 0;
    return htmt_parameter_refuse(
        p, "mode", HTMT_ERANGE, fault, "found %d on an axis of %u cells, expected %d to %d",
        d->mode[axis], d->n[axis], -(int)(d->n[axis] / 2), (int)(d->n[axis] / 2));
}

/* Six digits of the longest stable step, none of them rounded up. */
static double longest_step(double plasma)
{
    double digit = pow(10, floor(log10(2 / plasma)) - 5), step = round(2 / plasma / digit) * digit;
    return plasma * step > 2 ? step - digit : step;
}

static int check_step(const struct htmt_parameters *p, const struct htmt__pic_deck *d,
                      struct htmt_fault *fault)
{
    double plasma = htmt__pic_deck_frequency(d);
    if (plasma * d->dt <= 2)
        return 0;
    return htmt_parameter_refuse(p, "dt", HTMT_ERANGE, fault,
                                 "found %g, expected at most %.6g: the plasma frequency of all "
                                 "species is %.6g and leapfrog is stable up to omega_p dt = 2",
                                 d->dt, longest_step(plasma), plasma);
}

static int check_count(const struct htmt_parameters *p, const struct htmt__pic_deck *d,
                       struct htmt_fault *fault)
{
    double count = htmt__pic_deck_crowd(d);
    if (count <= (double)HTMT__PIC_PARTICLES_MOST)
        return 0;
    return htmt_parameter_refuse(p, "species", HTMT_ERANGE, fault,
                                 "found %.6g particles, expected at most %" PRIu64, count,
                                 HTMT__PIC_PARTICLES_MOST);
}

static int fill(const struct htmt_parameters *p, struct htmt__pic_deck *d, struct htmt_fault *fault)
{
    d->dt = htmt_parameter_number(p, "dt");
    d->steps = (uint64_t)htmt_parameter_whole(p, "steps");
    int rc = read_counts(p, "cells", d->n, fault);
    if (!rc && htmt_parameter_given(p, "mode"))
        rc = read_whole(p, "mode", d->mode, fault);
    if (!rc)
        rc = read_all_species(p, d, fault);
    if (!rc && htmt_parameter_given(p, "mode"))
        rc = check_mode(p, d, fault);
    if (!rc)
        rc = check_step(p, d, fault);
    if (!rc)
        rc = check_count(p, d, fault);
    return rc;
}

static int finish(const char *file, struct htmt_parameters **p, struct htmt__pic_deck *deck,
                  struct htmt_fault *fault)
{
    struct htmt__pic_deck d = {0};
    htmt_search_name(file, d.name, sizeof d.name);
    int rc = fill(*p, &d, fault);
    htmt_parameters_destroy(p);
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
