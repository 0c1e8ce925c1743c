/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt doctor`: what this host and this installation have, and whether they work.
 */
#ifndef HTMT_EMUL_LIB_VERBS_DOCTOR_H
#define HTMT_EMUL_LIB_VERBS_DOCTOR_H

#include "emul/lib/verbs/verb.h"

extern const struct htmt_app_option htmt__doctor_rows[];

/* argv[0] is the verb; its options follow. Returns the exit status: 0; 1 if the self-test
 * has another result than the known one; 2 for bad input; 4 if the host fails. */
int htmt__verb_doctor(struct htmt__command *program, int argc, char **argv);

#endif
