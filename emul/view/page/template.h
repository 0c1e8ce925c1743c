/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The page without data, as the Makefile puts it together.
 */
#ifndef HTMT_EMUL_VIEW_PAGE_TEMPLATE_H
#define HTMT_EMUL_VIEW_PAGE_TEMPLATE_H

/* The line in whose place the data go. */
#define HTMT__PAGE_MARKER "<!--HTMT-DATA-->\n"

extern const char htmt__page_template[];

#endif
