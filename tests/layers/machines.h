/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Machines for tests: what does not load ends the test.
 */
#ifndef HTMT_TESTS_LAYERS_MACHINES_H
#define HTMT_TESTS_LAYERS_MACHINES_H

#include "layers/machine/machine.h"

/* A machine of the shipped ones or of a file, with one figure set; NULL: none. */
struct htmt_machine *machine_load(const char *name, const char *set);
struct htmt_machine *machine_load_sets(const char *name, const char *const *sets, unsigned count);
/* A file m.yaml of this text. */
struct htmt_machine *machine_parse(const char *text);
uint64_t machine_parse_hash(const char *text);

#endif
