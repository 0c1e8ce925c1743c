/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt machine`: prints, checks and compares machine files.
 */
#ifndef HTMT_EMUL_LIB_VERBS_MACHINE_H
#define HTMT_EMUL_LIB_VERBS_MACHINE_H

/* argv[0] is the verb; its arguments follow:
 *     list                                        the machines in the search folders
 *     show NAME|FILE [--resolved] [--set K=V]...  every figure with its source, or resolved
 *     check FILE...                               check that the files load
 *     diff A B                                    the different figures of two machines
 *     picture NAME|FILE -o FILE [--set K=V]... [--run FILE]
 *                                                 .svg, .png or .pdf, coloured by a run's results
 * Results go to standard output, one line per failure to standard error. Returns the exit status:
 * 0; 1 if diff finds a difference; 2 for bad input; 4 if output fails. */
int htmt__verb_machine(int argc, char **argv);

#endif
