/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Quantities that follow from a deck.
 */
#include "apps/pic/io/deck.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

uint64_t htmt__pic_deck_cells(const struct htmt__pic_deck *deck)
{
    return (uint64_t)deck->n[0] * deck->n[1] * deck->n[2];
}

static uint64_t in_a_cell(const struct htmt__pic_species *s)
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

double htmt__pic_deck_crowd(const struct htmt__pic_deck *deck)
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
    const struct htmt__pic_species *s = &deck->species[species];
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

double htmt__pic_deck_frequency(const struct htmt__pic_deck *deck)
{
    double square = 0;
    for (uint32_t i = 0; i < deck->species_count; i++) {
        const struct htmt__pic_species *s = &deck->species[i];
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
    const struct htmt__pic_species *s = &deck->species[0];
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
