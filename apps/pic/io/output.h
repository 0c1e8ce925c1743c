/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files of a plasma run, written atomically.
 */
#ifndef HTMT_APPS_PIC_IO_OUTPUT_H
#define HTMT_APPS_PIC_IO_OUTPUT_H

#include "apps/pic/io/record.h"

/* Check that such a file can be written later. Call it before a long run. Errors: HTMT_EUSAGE (the
 * name has another ending), those of htmt_whole_file_check(). */
int htmt__pic_records_check(const char *path, struct htmt_fault *fault);
int htmt__pic_npy_check(const char *path, struct htmt_fault *fault);

#define HTMT__PIC_PATH_MAX 4200

/* The file of a snapshot after so many steps: "fields.npy" becomes "fields-020.npy", with as many
 * digits as the deck's number of steps has. steps = 0: `path` itself. Errors: HTMT_ERANGE (too
 * long). */
int htmt__pic_snapshot_path(const char *path, const struct htmt__pic_deck *deck, uint64_t steps,
                            char out[static HTMT__PIC_PATH_MAX]);

/* Records: .csv with one line a step, or .npy of steps x columns. The columns are t, field,
 * kinetic, total, px, py, pz, charge, wave_cos, wave_sin, particles. A .csv of a run that ended
 * early has a last line "# incomplete: N of M steps". */
int htmt__pic_write_records(const char *path, const struct htmt__pic_series *series,
                            struct htmt_fault *fault);

/* .npy, 4 x nz x ny x nx: rho, Ex, Ey, Ez. */
int htmt__pic_write_fields(const char *path, const struct htmt__pic_fields *fields,
                           struct htmt_fault *fault);

/* .npy, particles x 7, ordered by species: species from 0, x, y, z, vx, vy, vz. */
int htmt__pic_write_particles(const char *path, const struct htmt__pic_particles *p,
                              struct htmt_fault *fault);

/* The same files in pieces: open, append as they come, and finish (apps/formats/npy.h). Fields by
 * htmt__npy_append(). */
struct htmt__npy;
int htmt__pic_fields_open(const char *path, const uint32_t n[3], struct htmt__npy **npy,
                          struct htmt_fault *fault);
int htmt__pic_particles_open(const char *path, uint64_t count, struct htmt__npy **npy,
                             struct htmt_fault *fault);
int htmt__pic_particles_append(struct htmt__npy *npy, uint32_t species,
                               const struct htmt__pic_species *s, struct htmt_fault *fault);

/* .svg, .png or .pdf: the field's energy against time with the growth, damping or noise of theory;
 * below it all energies, and the change of the total. The title tells of a run that ended early. */
int htmt__pic_plot_energies(const char *path, const struct htmt__pic_series *series,
                            struct htmt_fault *fault);

/* .svg, .png or .pdf: vx against x after so many steps. */
int htmt__pic_plot_phase_space(const char *path, const struct htmt__pic_deck *deck, uint64_t steps,
                               const struct htmt__pic_particles *p, struct htmt_fault *fault);

#endif
