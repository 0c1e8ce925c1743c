/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether a file can be a plug-in: what the dynamic linker says of other files, or dies of.
 */
#ifndef HTMT_EMUL_LIB_PLUGIN_ELF_H
#define HTMT_EMUL_LIB_PLUGIN_ELF_H

#include "runtime/base/error.h"

#include <stdbool.h>

/* Is it a whole shared object for this processor? *binds_now: the object itself asks the dynamic
 * linker to bind its symbols when it is loaded (`-z now`). Errors: HTMT_EFORMAT, those of
 * runtime/base/input.h. */
int htmt__elf_check(const char *path, bool *binds_now, struct htmt_fault *fault);

#endif
