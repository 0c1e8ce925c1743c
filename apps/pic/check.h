/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compare two programs: records, fields, and every particle, whatever the order.
 */
#ifndef HTMT_APPS_PIC_CHECK_H
#define HTMT_APPS_PIC_CHECK_H

#include "apps/pic/io/deck.h"
#include "apps/pic/io/record.h"

#include <stdbool.h>

struct htmt__pic_result {
    const struct htmt__pic_particles *particles; /* NULL: in runs, where a function takes these */
    const struct htmt__pic_record *record;       /* of each step */
    const struct htmt__pic_fields *fields;
};

/* Particles that lie here and there. */
struct htmt__pic_runs {
    struct htmt__pic_run {
        uint32_t species;
        uint64_t count;
        const struct htmt__pic_particle *at;
    } * run;
    uint64_t count;
};

struct htmt__pic_check {
    const char *name;        /* "particles", "fields" or "records": where the largest value is */
    double value, tolerance; /* largest difference, in units of the rounding bound; 1 */
    bool pass;
};

/* The rounding bound after a time t, in cells, cells omega_p and the field's unit:
 *     64 eps n (1 + omega_p t)^2          particles that drift together,
 *     64 eps n exp(omega_p t / sqrt(8))   streams, whose fastest wave grows at that rate,
 * with n the longest edge of the box, or the fastest drift where that is larger; eps = 2^-52. */
double htmt__pic_rounding(const struct htmt__pic_deck *deck, double t);

/* Every particle of one program has a partner of its own in the other, within the bound in each of
 * the six coordinates. The fields agree within the bound. The sums of each step agree, energies and
 * momentum in units of sqrt(2 mass energy) and with eps more for each term. The counts of particles
 * are equal. When the bound exceeds HTMT__PIC_LOST, trajectories are lost: particles and fields are
 * then no longer compared, and sums only up to that step. Errors: HTMT_ENOMEM. */
#define HTMT__PIC_LOST 1e-4
int htmt__pic_check(const struct htmt__pic_deck *deck, const struct htmt__pic_result *a,
                    const struct htmt__pic_result *b, struct htmt__pic_check *check,
                    struct htmt_fault *fault);

/* All particles as runs, one a species; the caller frees runs->run. Errors: HTMT_ENOMEM. */
int htmt__pic_runs_of(const struct htmt__pic_particles *particles, struct htmt__pic_runs *runs,
                      struct htmt_fault *fault);

/* The same on several threads of the host, with the same outcome. The particles of b lie in runs;
 * the check is quick where those of a run are near each other. */
int htmt__pic_check_on(unsigned threads, const struct htmt__pic_deck *deck,
                       const struct htmt__pic_result *a, const struct htmt__pic_result *b,
                       const struct htmt__pic_runs *runs, struct htmt__pic_check *check,
                       struct htmt_fault *fault);

#endif
