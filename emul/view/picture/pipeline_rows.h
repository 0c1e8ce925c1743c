/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HTMT_EMUL_VIEW_PICTURE_PIPELINE_ROWS_H
#define HTMT_EMUL_VIEW_PICTURE_PIPELINE_ROWS_H

#include "emul/view/picture/pipeline.h"

/* Sets p->type, p->row and p->rows; row_of gets the row of each step of the trace, or -1. type
 * NULL: the type with the most stages, of these the first. Errors: HTMT_EUSAGE (no such type, or
 * the trace has none). */
int htmt__pipeline_rows_find(struct htmt__pipeline *p, const char *type, int *row_of,
                             struct htmt_fault *fault);

#endif
