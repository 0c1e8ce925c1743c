/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folder tests/fuzz: one libFuzzer harness for each reader. A harness gives the bytes to its reader
 * and asserts what the reader promises of every input: success, or a refusal in one line with a
 * status of its own, and nothing left behind. `make fuzz` builds and runs them.
 */
#ifndef HTMT_TESTS_FUZZ_INPUT_H
#define HTMT_TESTS_FUZZ_INPUT_H

#include "runtime/base/error.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A file of the process's own with these bytes; the name ends in `suffix`. The next call for the
 * same suffix writes it anew. */
const char *fuzz_file(const char *suffix, const uint8_t *bytes, size_t size);

/* The bytes as a string; the caller frees it. */
char *fuzz_text(const uint8_t *bytes, size_t size);

/* Asserts that a failure has a code of bad input or of the host, and one printable line; success
 * none. */
void fuzz_judge(int rc, const struct htmt_fault *fault);

#endif
