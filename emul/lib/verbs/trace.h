/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt trace`: looks at trace files (docs/trace-format.md).
 */
#ifndef HTMT_EMUL_LIB_VERBS_TRACE_H
#define HTMT_EMUL_LIB_VERBS_TRACE_H

#define HTMT__TRACE_USAGE                                                                          \
    "info FILE | sort FILE -o OUT | digest FILE | check FILE | path FILE [--json OUT|-] | "        \
    "export FILE [--perfetto OUT] [--paje OUT] [--csv OUT] [--unit fs|ps]"

/* argv[0] is the verb; its arguments follow:
 *     info FILE          what the trace says of its run
 *     sort FILE -o OUT   the trace with its blocks in the order of slice and number
 *     digest FILE        16 hexadecimal digits, the same for any order of blocks
 *     check FILE         compares the sums over all intervals with the footer's
 *     path FILE [--json OUT|-]   the critical path, the slack beside it, what more speed gains
 *     export FILE [--perfetto OUT] [--paje OUT] [--csv OUT] [--unit fs|ps]   for other tools
 * Results go to standard output, one line per failure to standard error. Returns the exit status:
 * 0; 1 if check finds a difference; 2 for bad input; 4 if output fails. */
int htmt__verb_trace(int argc, char **argv);

#endif
