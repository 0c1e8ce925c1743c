/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The files that --svg, --png and --pdf name: one sheet as each of them.
 */
#ifndef HTMT_EMUL_LIB_PICTURE_PICTURE_FILES_H
#define HTMT_EMUL_LIB_PICTURE_PICTURE_FILES_H

#include "emul/lib/picture/sheet.h"

/* NULL: not wanted. */
struct htmt__picture_files {
    const char *svg, *png, *pdf;
};

bool htmt__picture_files_any(const struct htmt__picture_files *files);

/* To be asked before the work begins. Errors: HTMT_EUSAGE (a name does not end as its option says),
 * those of htmt__sheet_check() and htmt_output_claim(). */
int htmt__picture_files_claim(const struct htmt__picture_files *files, struct htmt_fault *fault);

/* Errors: those of htmt__sheet_write(). */
int htmt__picture_files_write(const struct htmt__picture_files *files, struct htmt__sheet *sheet,
                              struct htmt_fault *fault);

#endif
