/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parcel program of focusing (Hereld et al., section 3.2.2). Patches are assigned to slices in
 * turn. Each slice has a coordinator, an activation on a SPIM, that leads the slice's patches
 * through the stages of decomposition.h. Patches overlap in time: while the SPELL works on one
 * patch, the next patch is read and the previous one written.
 *
 * Call: create on a fresh emulator, htmt_emulator_run(), destroy.
 */
#ifndef HTMT_APPS_SAR_PROGRAM_H
#define HTMT_APPS_SAR_PROGRAM_H

#include "apps/sar/decomposition.h"
#include "parcels/htmt.h"

struct htmt__sar_program;

/* Raw data of plan.radar's size, and for each patch room for the lines of the image that it gives,
 * in points of the decomposition's precision. Of patches whose slices are not here (n modulo the
 * slices) there need be neither. In a model run both are NULL. */
struct htmt__sar_data {
    const struct htmt__sar_raw *raw;
    void *const *image;
    bool named;       /* patches are sections of the run */
    unsigned threads; /* of the host, that write the pages of frames and image; 0 as 1 */
};

/* Create objects, types and first parcels. Program and data must stay until the run is over.
 * Errors: HTMT_EINVAL (more patches than the data has), HTMT_ENOMEM, and those of the emulator,
 * whose line is copied into *fault. */
int htmt__sar_program_create(struct htmt_emulator *e,
                             const struct htmt__sar_decomposition *decomposition,
                             const struct htmt__sar_data *data, struct htmt__sar_program **program,
                             struct htmt_fault *fault);
/* After a run, in all its processes alike: the lines of the image that patch n gives, where they
 * are gathered (apps/lib/gather.h); NULL elsewhere. They are valid until the next call. Errors:
 * those of htmt_object_fetch(). */
int htmt__sar_program_lines(const struct htmt__sar_program *program, uint32_t n,
                            const void **lines);
/* After a run: free the host memory of the frames in DRAM. The reports stay. */
void htmt__sar_program_release(struct htmt__sar_program *program);
void htmt__sar_program_destroy(struct htmt__sar_program **program); /* NULL accepted */

/* The libraries and vectors that decide the last bits of an image: "FFTW 3.3.10, AVX-512". */
void htmt__sar_kernel_set(char *text, size_t room);

#endif
