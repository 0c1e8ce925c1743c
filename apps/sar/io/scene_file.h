/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Scenes as files: read lists of targets; write raw data, parameters and gains for
 * htmt__sar_input_read().
 */
#ifndef HTMT_APPS_SAR_IO_SCENE_FILE_H
#define HTMT_APPS_SAR_IO_SCENE_FILE_H

#include "apps/sar/io/scene.h"

/* Read a YAML file with the one key `targets`, a list of mappings. The caller frees *targets.
 * Errors: those of htmt_parameters_read(). */
int htmt__sar_targets_read(const char *path, struct htmt__sar_target **targets, uint32_t *count,
                           struct htmt_fault *fault);

/* Write NAME.raw, NAME.yaml and, where the gain differs from line to line, NAME.gain. Each file is
 * written atomically, the parameter file last. Errors: those of runtime/base/whole_file.h,
 * HTMT_ENOMEM.
 */
int htmt__sar_scene_write(const char *name, const struct htmt__sar_scene *scene,
                          const struct htmt__sar_raw *raw, struct htmt_fault *fault);

/* Check that these files can be written, and claim them for --out. Errors: those of
 * htmt_output_claim(). */
int htmt__sar_scene_claim(const char *name, struct htmt_fault *fault);

#endif
