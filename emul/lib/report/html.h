/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The report of one run as a page: one file without scripts that asks for nothing else.
 */
#ifndef HTMT_EMUL_LIB_REPORT_HTML_H
#define HTMT_EMUL_LIB_REPORT_HTML_H

#include "emul/lib/report/document.h"

/* `over_time` prints the section about use over time; NULL: there is no trace, which the page says.
 * Errors: HTMT_ENOMEM; those of `out` stay in its ferror(). */
int htmt__html_print(const struct htmt__document *d, int (*over_time)(const void *user, FILE *out),
                     const void *user, FILE *out);

#endif
