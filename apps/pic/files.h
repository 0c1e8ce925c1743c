/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files of the last step, out of the parcel program slice by slice: never is more in memory than a
 * field of a plane of slices, or a species of one slice. All ranks call these functions alike; rank
 * 0 writes.
 */
#ifndef HTMT_APPS_PIC_FILES_H
#define HTMT_APPS_PIC_FILES_H

#include "apps/pic/program.h"

/* As htmt__pic_write_fields() and htmt__pic_write_particles(). Errors: theirs, and those of the
 * program's results. */
int htmt__pic_stream_fields(const struct htmt__pic_program *program, const char *path,
                            struct htmt_fault *fault);
/* After htmt__pic_program_share(). */
int htmt__pic_stream_particles(const struct htmt__pic_program *program, const char *path,
                               struct htmt_fault *fault);

#endif
