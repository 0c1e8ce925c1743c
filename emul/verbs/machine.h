/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt machine`: look at machine files.
 */
#ifndef HTMT_EMUL_VERBS_MACHINE_H
#define HTMT_EMUL_VERBS_MACHINE_H

/* argv[0] is the verb, what follows are its arguments:
 *     list                                        the machines that can be found by name
 *     show NAME|FILE [--resolved] [--set K=V]...  every figure with its source, or the dump
 *     check FILE...                               whether the files load
 *     diff A B                                    the figures in which two machines differ
 * Results go to standard output, each mistake as one line to standard error. Returns the exit
 * status: 0, 1 when diff finds a difference, 2 for bad input, 4 when output fails. */
int htmt__verb_machine(int argc, char **argv);

#endif
