/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpirun starts n copies of one command line. Whether they are ranks of one run or n runs follows
 * from the option --mpi, from what the launcher has put into the environment, and from whether
 * mpi.so is installed. All ranks read the command line and compute the same request; rank 0 alone
 * prints and writes files, the others are silent, and their last line is kept.
 *
 * Twice all ranks agree on a fault: before the run, when each has prepared it, and after it. The
 * first rank with a fault decides, and rank 0 tells its line. A rank that fails between cannot
 * agree. It then waits PATIENCE seconds, since if rank 0 fails for the same reason, too, its line
 * is the one to be read; then it tells its own line and ends all processes. Digests of machine,
 * costs and options are exchanged before the run, so that ranks on hosts with other files do not
 * run something else.
 */
#include "emul/lib/plugin/mpi_launch.h"

#include "emul/lib/options/options.h"
#include "emul/lib/plugin/plugin.h"
#include "emul/lib/questions/interrupt.h"
#include "runtime/base/whole_file_nowhere.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Seconds in which rank 0, if it fails, too, tells the line and the launcher ends the others. */
#define PATIENCE 2

/* Open MPI sends SIGKILL so many seconds after SIGTERM, if it is not told otherwise. */
#define KILLED_AFTER 1u
#define IN_TIME      300u /* ms before */

/* ms in which an interrupted run may end with its report. */
static unsigned patience(void)
{
    const char *told = getenv("OMPI_MCA_odls_base_sigkill_timeout");
    unsigned long seconds = told ? strtoul(told, NULL, 10) : KILLED_AFTER;
    seconds = seconds < 1 ? KILLED_AFTER : seconds < 3600 ? seconds : 3600;
    return (unsigned)seconds * 1000 - IN_TIME;
}

/* What the launchers of Open MPI and of PMIx tell a process. */
static const char *told_rank(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    return rank ? rank : getenv("PMIX_RANK");
}

/* PMIx alone does not say how many there are. */
static bool is_one_of_many(void)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    return size ? strcmp(size, "1") != 0 : told_rank() != NULL;
}

int htmt__launch_begin(struct htmt__launch *launch, int words, char *const *word,
                       struct htmt_fault *fault)
{
    const char *kind = htmt__options_word("--mpi", words, word), *rank = told_rank();
    const bool demanded = kind && strcmp(kind, "on") == 0,
               refused = kind && strcmp(kind, "off") == 0;
    void *part;
    *launch = (struct htmt__launch){.first = !rank || strcmp(rank, "0") == 0};
    if (demanded && !rank)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--mpi: found no launcher, expected mpirun -n RANKS htmt ...");
    if (refused || (!demanded && !is_one_of_many()))
        return 0;
    if (!demanded && !htmt__plugin_part_exists("mpi")) {
        if (launch->first)
            fputs("htmt: warning: this installation lacks mpi.so; each process that the launcher "
                  "has started runs alone\n",
                  stderr);
        return 0;
    }
    launch->joint = true;
    launch->told = launch->first ? &launch->own : NULL;
    htmt__interrupt_rank(launch->told, patience());
    if (!launch->first) {
        htmt__whole_files_nowhere(true);
        htmt__silence_begin(&launch->silence);
    }
    int rc = htmt__plugin_part("mpi", "htmt_mpi", "--mpi", &part, fault);
    if (rc)
        return rc;
    launch->part = part;
    rc = launch->part->join(&launch->ranks, &launch->told);
    if (rc) {
        launch->part = NULL;
        return htmt_fault_set(fault, rc, "--mpi: Open MPI cannot start: %s", htmt_strerror(rc));
    }
    htmt__interrupt_rank(launch->told, patience());
    return 0;
}

int htmt__launch_check(const char *kind, struct htmt_fault *fault)
{
    if (strcmp(kind, "auto") == 0 || strcmp(kind, "on") == 0 || strcmp(kind, "off") == 0)
        return 0;
    return htmt_fault_set(fault, HTMT_EUSAGE, "--mpi: found '%s', expected auto, on or off", kind);
}

bool htmt__launch_is_mute(const struct htmt__launch *launch)
{
    return launch->joint && !launch->first;
}

const struct htmt_ranks *htmt__launch_ranks(const struct htmt__launch *launch)
{
    return launch->part ? &launch->ranks : NULL;
}

/* ---- the same run ---------------------------------------------------------------------------- */

static const char *other_than(const struct htmt__provenance_digest *a,
                              const struct htmt__provenance_digest *b)
{
    return a->machine != b->machine   ? "another machine"
           : a->costs != b->costs     ? "another cost file"
           : a->options != b->options ? "other options"
                                      : NULL;
}

/* Each rank sends its digest to all, and compares what it gets with that of rank 0. */
static int compare(const struct htmt_ranks *ranks, const struct htmt__provenance_digest *own,
                   struct htmt_fault *fault)
{
    struct htmt__provenance_digest first = {0}, other;
    struct htmt_bytes *to = calloc(ranks->count, sizeof *to),
                      *from = calloc(ranks->count, sizeof *from);
    int rc = to && from ? 0 : htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the ranks");
    for (uint32_t i = 0; i < ranks->count && !rc; i++)
        to[i] = (struct htmt_bytes){own, sizeof *own};
    if (!rc && ranks->exchange(ranks->self, to, from))
        rc = htmt_fault_set(fault, HTMT_ESYSTEM, "the other ranks of the run are lost");
    for (uint32_t i = 0; i < ranks->count && !rc; i++) {
        if (from[i].size != sizeof other) {
            rc = htmt_fault_set(fault, HTMT_ESYSTEM, "rank %u is another version of htmt", i);
            break;
        }
        memcpy(&other, from[i].at, sizeof other);
        first = i ? first : other;
        if (other_than(&other, &first))
            rc = htmt_fault_set(fault, HTMT_EINVAL,
                                "rank %u has %s than rank 0, expected the same in all ranks", i,
                                other_than(&other, &first));
    }
    free(to);
    free(from);
    return rc;
}

int htmt__launch_compare(struct htmt__launch *launch, const struct htmt__provenance *record,
                         struct htmt_fault *fault)
{
    const struct htmt__provenance_digest own = htmt__provenance_digest(record);
    int rc = launch->part ? compare(&launch->ranks, &own, fault) : 0;
    launch->agreed &= !rc || rc == HTMT_EINVAL;
    return rc;
}

/* ---- end ------------------------------------------------------------------------------------- */

void htmt__launch_agree(struct htmt__launch *launch, struct htmt_fault *fault)
{
    struct htmt_fault first = *fault;
    uint32_t rank = 0;
    if (!launch->part)
        return;
    launch->asked = true;
    launch->agreed = launch->part->agree(PATIENCE, &first, &rank);
    if (launch->agreed && launch->first && launch->told && first.code == HTMT_ECANCELLED)
        atomic_store(launch->told, true); /* by the report that follows */
    if (launch->agreed && first.code)
        htmt_fault_set(fault, first.code, "rank %u: %s", rank,
                       *first.text ? first.text : htmt_strerror(first.code));
}

/* A rank that fails alone waits for rank 0: that tells what all ranks say, and a launcher ends the
 * others when it has failed. */
int htmt__launch_end(struct htmt__launch *launch, int status)
{
    if (!launch->joint)
        return status;
    fflush(stdout);
    htmt__silence_end(&launch->silence);
    if (status && !launch->first && !launch->agreed) {
        struct timespec nap = {.tv_sec = PATIENCE};
        if (!launch->asked)
            nanosleep(&nap, NULL);
        bool late = launch->told && atomic_exchange(launch->told, true);
        if (!late && launch->silence.length)
            fprintf(stderr, "%s\n", launch->silence.line);
    }
    if (launch->told)
        atomic_store(launch->told, true);
    htmt__interrupt_rank_over();
    if (launch->part && status && !launch->agreed)
        launch->part->abort(status);
    else if (launch->part)
        launch->part->leave();
    return status;
}
