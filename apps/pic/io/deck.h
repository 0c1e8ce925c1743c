/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A deck: a user's description of the plasma. docs/pic.md has the keys.
 *
 * Lengths are in cells, times in 1/omega_p, velocities in cells omega_p. Charge, mass and density
 * are relative to the electrons whose plasma frequency is omega_p (apps/pic/io/particles.h).
 */
#ifndef HTMT_APPS_PIC_IO_DECK_H
#define HTMT_APPS_PIC_IO_DECK_H

#include "apps/pic/io/particles.h"
#include "runtime/base/error.h"

#include <stdbool.h>
#include <stddef.h>

#define HTMT__PIC_CELLS_MOST     65536 /* along an axis */
#define HTMT__PIC_PARTICLES_MOST (UINT64_C(1) << 50)
#define HTMT__PIC_STEPS_MOST     UINT64_C(1000000000)

enum htmt__pic_start {
    HTMT__PIC_LATTICE, /* x on a lattice, velocities by random numbers of the seed */
    HTMT__PIC_QUIET,   /* x evenly spaced, all else by radical inverses: little noise */
    HTMT__PIC_RANDOM   /* everything by random numbers of the seed */
};

struct htmt__pic_deck_species {
    char name[32];
    double charge, mass, density;
    uint32_t per_cell[3]; /* particles along the edges of a cell; their product in a cell */
    enum htmt__pic_start start;
    double thermal[3]; /* standard deviation of the velocity along each axis */
    double drift[3];
    double amplitude; /* of the density wave with the deck's mode, by a displacement along k of
                         amplitude / |k| sin(k x); relative to the density */
};

struct htmt__pic_deck {
    char name[64];
    char path[1024]; /* of a deck that is not shipped; else empty */
    uint32_t n[3];   /* cells */
    double dt;
    uint64_t steps;
    int32_t mode[3]; /* wave of the start and of the records */
    uint32_t species_count;
    struct htmt__pic_deck_species species[HTMT__PIC_SPECIES_MAX];
};

/* Read a deck: a path (it has a '/' or ends in .yaml), or the name of a shipped deck (NAME.yaml in
 * HTMT_DECKS_PATH; when it is not set, among the shipped ones).
 * Errors: HTMT_ENOENT, HTMT_EFORMAT, HTMT_EUNIT, HTMT_ERANGE (zero cells, omega_p dt > 2, ...),
 * HTMT_ENOMEM, HTMT_EIO. */
int htmt__pic_deck_read(const char *name, struct htmt__pic_deck *deck, struct htmt_fault *fault);

/* The same for a text. Messages name it `file`. */
int htmt__pic_deck_parse(const char *file, const char *text, struct htmt__pic_deck *deck,
                         struct htmt_fault *fault);

/* Quantities that follow from a deck. */
uint64_t htmt__pic_deck_cells(const struct htmt__pic_deck *deck);
uint64_t htmt__pic_deck_count(const struct htmt__pic_deck *deck, uint32_t species);
uint64_t htmt__pic_deck_particles(const struct htmt__pic_deck *deck); /* of all species */
/* The same as a double, where the number may exceed 64 bits. */
double htmt__pic_deck_particles_real(const struct htmt__pic_deck *deck);
/* An axis with too few cells for the mode; -1: there is none. */
int htmt__pic_deck_coarse(const struct htmt__pic_deck *deck);
/* The number of real particles, in units of the unit density, for one particle of the species. */
double htmt__pic_deck_share(const struct htmt__pic_deck *deck, uint32_t species);
double htmt__pic_deck_mass(const struct htmt__pic_deck *deck);       /* of all species in the box */
double htmt__pic_deck_background(const struct htmt__pic_deck *deck); /* charge of a cell that
                                                                        makes the box neutral */
/* The shortest Debye length along an axis with several cells, in cells: thermal velocity over
 * plasma frequency of a species. INFINITY: none is warm there. *species and *axis tell whose. */
double htmt__pic_deck_debye(const struct htmt__pic_deck *deck, uint32_t *species, int *axis);
double htmt__pic_deck_frequency(const struct htmt__pic_deck *deck); /* of all species together */
bool htmt__pic_deck_perturbed(const struct htmt__pic_deck *deck);   /* the start has a wave */
/* m v_th^2 of a simulated particle of the first species, along x. */
double htmt__pic_deck_temperature(const struct htmt__pic_deck *deck);
void htmt__pic_deck_wave_vector(const struct htmt__pic_deck *deck, double k[3]); /* of the mode */

/* For model runs and the closed form, which have no positions: the mean number of cells that the
 * particles of a species move upwards along the axis in a step. Particles that move downwards count
 * as at rest. With sign -1 the directions are exchanged. The result times the density and the area
 * of a face is the number of particles that cross the face.
 */
double htmt__pic_flux(const struct htmt__pic_deck *deck, uint32_t species, int axis, int sign);

/* "two-stream: 32 x 4 x 4 cells, 4,096 particles of 2 species, 400 steps of 0.1 / omega_p" */
void htmt__pic_deck_describe(const struct htmt__pic_deck *deck, char *text, size_t room);

/* ---- initial conditions ---------------------------------------------------------------------- */

/* Deviates of the normal distribution: of each share in (0, 1) the x below which so much of it
 * lies. The same bits on all hosts whose log() and sqrt() agree. */
void htmt__pic_normal(const double *share, double *deviate, uint32_t count);

/* The particles of a species at the start, each a pure function of its number. */
struct htmt__pic_birth {
    const struct htmt__pic_deck *deck;
    uint64_t seed;
    uint32_t species;
};

#define HTMT__PIC_BATCH 256u

/* The particles of at most HTMT__PIC_BATCH numbers: first their positions, then their velocities.
 * Any thread. */
void htmt__pic_place(const struct htmt__pic_birth *birth, const uint64_t *number, uint32_t count,
                     struct htmt__pic_particle *to);
void htmt__pic_set_off(const struct htmt__pic_birth *birth, const uint64_t *number, uint32_t count,
                       struct htmt__pic_particle *to);

/* Room for all particles of the deck, with the charge, the mass and the number of each species; the
 * particles themselves are not made. Errors: HTMT_EHOSTFIT, HTMT_ENOMEM. On success the caller owns
 * *p and gives it to htmt__pic_particles_destroy(). */
int htmt__pic_particles_create(const struct htmt__pic_deck *deck, struct htmt__pic_particles *p,
                               struct htmt_fault *fault);

/* The particles of every species in the order of their numbers (not by cell). Errors and ownership
 * are the same. */
int htmt__pic_start(const struct htmt__pic_deck *deck, uint64_t seed, struct htmt__pic_particles *p,
                    struct htmt_fault *fault);

/* Copy all particles. Errors and ownership are the same. */
int htmt__pic_particles_copy(const struct htmt__pic_particles *from, struct htmt__pic_particles *to,
                             struct htmt_fault *fault);
/* Leaves no particles; *p may be destroyed again. */
void htmt__pic_particles_destroy(struct htmt__pic_particles *p);

#endif
