/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a message offers to who wrote a word that is not among those allowed.
 */
#ifndef HTMT_RUNTIME_BASE_SUGGEST_H
#define HTMT_RUNTIME_BASE_SUGGEST_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* The allowed word with the fewest wrong letters, at most two; NULL: none is near. */
const char *htmt__suggest_near(const char *found, const char *const *allowed, unsigned count);

/* "did you mean 'x'?", or "expected one of 'x', 'y'" and false when none is near. */
bool htmt__suggest(const char *found, const char *const *allowed, unsigned count, char *text,
                   size_t room);

/* "unknown KIND 'found', did you mean 'x'?"; when none is near, `list` is where to look:
 * "unknown KIND 'found'; LIST lists them". Returns HTMT_EUSAGE. */
int htmt__suggest_refuse(const char *kind, const char *found, const char *const *allowed,
                         unsigned count, const char *list, struct htmt_fault *fault);

#endif
