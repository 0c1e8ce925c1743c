/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The width of a page for people.
 */
#ifndef HTMT_EMUL_LIB_TEXT_WIDTH_H
#define HTMT_EMUL_LIB_TEXT_WIDTH_H

#include <stdio.h>

#define HTMT__TEXT_WIDTH 98 /* columns when nothing says more */

/* Columns for what is written to this file descriptor: the number in the environment's COLUMNS,
 * else HTMT__TEXT_WIDTH or those of a narrower terminal; at least 40, at most 400. */
int htmt__text_width(int fd);

/* The same for this stream. Standard output and standard error stand for their descriptors, also
 * while another stream is in their place (emul/lib/text/sink.h). */
int htmt__text_width_of(FILE *out);

#endif
