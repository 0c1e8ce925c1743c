/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Signals that end the command. A signal belongs to the process, so this file has a global
 * variable, one of the few (docs/architecture.md).
 *
 * SIGINT (Ctrl-C) and SIGTERM: while the command listens, the first one asks the run to end with
 * its report. Otherwise the command prints one line and ends at once, with the status of an
 * interrupted run. The second one ends the process at once, as if there were no handler. So do
 * other signals that end a process. All of them remove the temporary files first.
 */
#ifndef HTMT_EMUL_LIB_QUESTIONS_INTERRUPT_H
#define HTMT_EMUL_LIB_QUESTIONS_INTERRUPT_H

#include <stdatomic.h>
#include <stdbool.h>

/* Blocks or unblocks these signals in the calling thread. */
void htmt__interrupt_block(bool block);

/* Installs the handlers. Signals that are ignored, as SIGHUP after nohup, stay ignored. SIGXFSZ is
 * ignored from now on: a file that grows too large is then an error of the write. */
void htmt__interrupt_handle(void);

/* Says whether the run can end with a report now. */
void htmt__interrupt_listen(bool listens);

/* This process is one of the ranks that a launcher has started. A signal that ends it at once
 * prints its line if nobody has set *once, and sets it; NULL: it prints none. A launcher that sends
 * SIGTERM kills soon after: a run that has not ended with its report after so many ms ends at once.
 */
void htmt__interrupt_rank(atomic_bool *once, unsigned patience);
/* The rank's report is out: no deadline, and no line any more. */
void htmt__interrupt_rank_over(void);

/* Whether the run has been asked to end. */
bool htmt__interrupt_asked(void);

#endif
