/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Traces with their blocks in the order of slice and number.
 */
#ifndef HTMT_EMUL_LIB_TRACE_SORT_H
#define HTMT_EMUL_LIB_TRACE_SORT_H

#include "emul/trace/htmt_trace.h"

/* Writes the file `path`, whole or not at all. A sorted trace is copied byte by byte.
 * Errors: HTMT_EFORMAT (a block is damaged), those of htmt_whole_file_open() and
 * htmt_whole_file_commit(). */
int htmt__trace_sort(struct htmt_trace *t, const char *path, struct htmt_fault *fault);

#endif
