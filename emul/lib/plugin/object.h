/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A shared object becomes part of the process and stays until its end: kernels and tables of a
 * plug-in may be in use as long.
 */
#ifndef HTMT_EMUL_LIB_PLUGIN_OBJECT_H
#define HTMT_EMUL_LIB_PLUGIN_OBJECT_H

#include "runtime/base/error.h"

#include <stdint.h>

/* Loads the file and finds what it exports by that name. A constructor that ends the process, or
 * that lasts longer than `watchdog` seconds (0: as long as it likes), is named in a line first.
 * Errors: HTMT_EFORMAT (it is no whole shared object for this processor, cannot be loaded, or
 * exports no such thing), those of runtime/base/input.h, HTMT_ENOMEM, HTMT_ESYSTEM. */
int htmt__object_load(const char *path, const char *symbol, uint32_t watchdog, void **exported,
                      struct htmt_fault *fault);

#endif
