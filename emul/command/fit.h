/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HTMT_EMUL_COMMAND_FIT_H
#define HTMT_EMUL_COMMAND_FIT_H

#include "emul/lib/verbs/verb.h"

extern const struct htmt__verb htmt__verb_row_fit;

#endif
