/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Processes that compute one result together: one of them writes it. That is a variable of the
 * process, one of the few (docs/architecture.md).
 */
#ifndef HTMT_RUNTIME_BASE_WHOLE_FILE_NOWHERE_H
#define HTMT_RUNTIME_BASE_WHOLE_FILE_NOWHERE_H

#include <stdbool.h>

/* From now on what this process writes into files is lost, and no file is created or replaced. */
void htmt__whole_files_nowhere(bool all);

#endif
