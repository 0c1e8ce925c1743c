/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The picture of a machine, as Figure 1 of Hereld et al. has it: on the left each component with
 * its figures and the channels between them, the innermost layer on top; on the right the sums over
 * a slice and over the machine. The sources of the figures stand below. With the results of a run,
 * processors, channels and ports inside networks are coloured by their use, and the bottlenecks are
 * numbered.
 */
#ifndef HTMT_EMUL_LIB_PICTURE_MACHINE_H
#define HTMT_EMUL_LIB_PICTURE_MACHINE_H

#include "emul/lib/picture/machine_run.h"
#include "emul/lib/picture/sheet.h"

/* run NULL: none. The sheet is empty; texts of both must live until it is written. Errors:
 * HTMT_ENOMEM. */
int htmt__picture_machine(const struct htmt_machine *m, const struct htmt__machine_run *run,
                          struct htmt__sheet *sheet);

#endif
