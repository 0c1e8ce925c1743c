/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A file in memory, for libraries and programs that write files where they like; what they wrote
 * then goes to its place, whole.
 */
#ifndef HTMT_EMUL_LOOPS_BOUND_SCRATCH_H
#define HTMT_EMUL_LOOPS_BOUND_SCRATCH_H

#include "runtime/base/error.h"

/* A descriptor, to be closed by the caller; -1: none. */
int htmt__bound_scratch(void);

/* All that was written into it becomes the file. Errors: HTMT_EIO (nothing was written), those of
 * runtime/base/whole_file.h. */
int htmt__bound_scratch_save(int scratch, const char *path, struct htmt_fault *fault);

#endif
