/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Errors of groups of rows, and what they are to reach.
 */
#ifndef HTMT_EMUL_VALIDATE_PIM_GROUPS_H
#define HTMT_EMUL_VALIDATE_PIM_GROUPS_H

#include "emul/validate/pim/judge.h"

/* Fill judgement->group, groups and missed. Errors: HTMT_ENOMEM, HTMT_ERANGE (too many groups). */
int htmt__groups(struct htmt__pim_judgement *judgement, struct htmt_fault *fault);

#endif
