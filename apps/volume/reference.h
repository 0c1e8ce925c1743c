/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The serial ray caster over the whole volume: the oracle for correctness and the base line for
 * speed. It keeps the contract of ray.h with code of its own.
 */
#ifndef HTMT_APPS_VOLUME_REFERENCE_H
#define HTMT_APPS_VOLUME_REFERENCE_H

#include "apps/volume/io/transfer.h"
#include "apps/volume/ray.h"

/* Samples of all rays of an image: taken (interpolated and looked up), skipped as empty, and saved
 * because the ray had ended. Their sum is the number of samples in the volume. */
struct htmt__volume_cast_counts {
    uint64_t rays, inside, ended; /* rays; those with samples; those that ended early */
    uint64_t taken, skipped, saved;
};

/* Render image[(j * width + i) * channels + c], with row 0 at the top. skip_empty: leave out
 * invisible blocks of voxels; the image is the same. counts may be NULL. Errors: HTMT_ENOMEM. */
int htmt__volume_reference_image(const struct htmt__volume *v,
                                 const struct htmt__volume_transfer_table *table,
                                 const struct htmt__volume_camera *camera,
                                 const struct htmt__volume_casting *casting, bool skip_empty,
                                 float *image, struct htmt__volume_cast_counts *counts,
                                 struct htmt_fault *fault);
/* The same on several threads of the host, to the same bits. */
int htmt__volume_reference_image_on(unsigned threads, const struct htmt__volume *v,
                                    const struct htmt__volume_transfer_table *table,
                                    const struct htmt__volume_camera *camera,
                                    const struct htmt__volume_casting *casting, bool skip_empty,
                                    float *image, struct htmt__volume_cast_counts *counts,
                                    struct htmt_fault *fault);

#endif
