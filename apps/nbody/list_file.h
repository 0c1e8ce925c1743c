/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lengths of lists, which a run writes and a model run reads.
 */
#ifndef HTMT_APPS_NBODY_LIST_FILE_H
#define HTMT_APPS_NBODY_LIST_FILE_H

#include "apps/nbody/plan.h"

/* The caller frees *lists. Errors: those of .npy files; HTMT_EFORMAT (other columns, slices, groups
 * or bodies than the plan has). */
int htmt__nbody_lists_read(const char *path, const struct htmt__nbody_plan *p,
                           struct htmt__nbody_lengths **lists, uint64_t *count,
                           struct htmt_fault *fault);
int htmt__nbody_lists_write(const char *path, const struct htmt__nbody_lengths *lists,
                            uint64_t count, struct htmt_fault *fault);

#endif
