/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The command as one of the processes that a launcher of MPI has started.
 *
 * Ranks run the same command line. Rank 0 prints and writes; the others are silent, and what they
 * write into files is lost. A fault that all ranks have is told by rank 0. A rank that fails alone
 * tells its own line and ends all of them.
 */
#ifndef HTMT_EMUL_LIB_PLUGIN_MPI_LAUNCH_H
#define HTMT_EMUL_LIB_PLUGIN_MPI_LAUNCH_H

#include "emul/lib/options/provenance.h"
#include "emul/lib/plugin/mpi_part.h"
#include "emul/lib/text/sink.h"

#include <stdbool.h>

struct htmt__launch {
    bool joint; /* a rank of a run; false: it runs alone, or as one of independent copies */
    bool first; /* rank 0 */
    bool asked, agreed;
    const struct htmt__ranks_part *part; /* NULL: not joined */
    struct htmt_ranks ranks;
    atomic_bool own;
    atomic_bool *told; /* NULL: another rank tells why all end */
    struct htmt__silence silence;
};

/* Before the first thing is printed. `words`: the command line, whose options are not read yet. The
 * launch stays where it is until it ends, whatever comes of this. Errors: HTMT_EUSAGE (ranks are
 * demanded, and there is no launcher), HTMT_ESYSTEM, HTMT_ENOMEM, those of htmt__plugin_part(). */
int htmt__launch_begin(struct htmt__launch *launch, int words, char *const *word,
                       struct htmt_fault *fault);

/* The value of --mpi. Errors: HTMT_EUSAGE. */
int htmt__launch_check(const char *kind, struct htmt_fault *fault);

/* Another rank tells what there is to tell. */
bool htmt__launch_is_mute(const struct htmt__launch *launch);

/* NULL: it runs alone. */
const struct htmt_ranks *htmt__launch_ranks(const struct htmt__launch *launch);

/* The run is over, or has not begun, with this fault or none: then *fault becomes that of the first
 * rank with one. */
void htmt__launch_agree(struct htmt__launch *launch, struct htmt_fault *fault);
/* All ranks have agreed that there is no fault: they shall run the same. Errors: HTMT_EINVAL: they
 * do not; HTMT_ESYSTEM, HTMT_ENOMEM. */
int htmt__launch_compare(struct htmt__launch *launch, const struct htmt__provenance *record,
                         struct htmt_fault *fault);

/* All is told; nothing is printed after it. Returns the status, or ends the processes of all ranks
 * if it is not 0 and they did not agree. */
int htmt__launch_end(struct htmt__launch *launch, int status);

#endif
