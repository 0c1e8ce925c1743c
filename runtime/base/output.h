/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The outputs that the options of a command name. Two options may not name one file, and an output
 * may not be an input: one of them would be lost. The command claims the outputs that options name
 * before it opens its inputs; outputs whose names depend on an input, such as snapshots, after it.
 * A file is known by device and inode, a file that does not exist yet by those of its folder and by
 * its name.
 *
 * Files belong to the process, and a reader of inputs cannot know the options. Hence the claims are
 * a global variable, one of the few (docs/architecture.md), for one thread. Without claims, as in a
 * program that uses the library alone, nothing is refused.
 */
#ifndef HTMT_RUNTIME_BASE_OUTPUT_H
#define HTMT_RUNTIME_BASE_OUTPUT_H

#include "runtime/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Checks that `path` can be written (htmt_whole_file_check()) and claims it for `option`, such as
 * "--json". An option may claim many files, and one file again. Devices and pipes are not claimed.
 * The line in *fault starts with the option.
 * Errors: those of the check, HTMT_EUSAGE (another option has claimed the file, or it is an
 * input), HTMT_ENOMEM. */
int htmt_output_claim(const char *option, const char *path, struct htmt_fault *fault);

#ifdef __cplusplus
}
#endif

#endif
