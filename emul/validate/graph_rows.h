/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Golden rows of graph programs: runs of CCA-Simulator, a line each, with their counts.
 *
 * A file is CSV whose first line, behind comments ("# ..."), names the columns, in any order. It
 * has id, app, graph, root, network, side and config; iterations of pagerank; and any of the counts
 * below, of which those that a row has are judged. Other columns are not looked at. A file without
 * the first of these is no table of such rows, and is left out.
 *
 *     graph    a name: NAME, NAME.edgelist, inputs/NAME.edgelist in the folder of --data; or
 *              KIND-SCALE-FACTOR-SEED, a graph that is made: rmat-6-4-1
 *     network  torus or mesh
 *     config   "throttle=true recv=4 action=2048 diffuse=4096 vicinity=2 min=10 max=15 ghosts=3
 *              cool=22"; also "split=true termination=false", and nothing else of these
 */
#ifndef HTMT_EMUL_VALIDATE_GRAPH_ROWS_H
#define HTMT_EMUL_VALIDATE_GRAPH_ROWS_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* XX(member, column, figure of the application) */
#define HTMT__GRAPH_COUNT_MAP(XX)                                                                  \
    XX(CYCLES, "total_cycles", "cycles")                                                           \
    XX(OBJECTS, "objects", "objects")                                                              \
    XX(CREATED, "actions_created", "messages")                                                     \
    XX(WORK, "actions_work", "actions_true")                                                       \
    XX(FALSE_ACTIONS, "actions_false", "actions_false")                                            \
    XX(DIFFUSIONS, "diffusions_created", "diffusions")                                             \
    XX(DONE, "diffusions_work", "diffusions_done")                                                 \
    XX(OUTDATED, "diffusions_false", "diffusions_outdated")                                        \
    XX(FILTERED, "diffusions_filtered", "diffusions_filtered")                                     \
    XX(OVERLAPPED, "actions_overlapped", "actions_overlapped")                                     \
    XX(PRUNED, "diffusions_pruned", "diffusions_pruned")                                           \
    XX(HOPS, "operons_moved", "hops")

enum htmt__graph_count {
#define HTMT__GRAPH_COUNT_ENUM(member, column, figure) HTMT__GRAPH_##member,
    HTMT__GRAPH_COUNT_MAP(HTMT__GRAPH_COUNT_ENUM)
#undef HTMT__GRAPH_COUNT_ENUM
        HTMT__GRAPH_COUNTS
};

enum htmt__graph_figure {
    HTMT__GRAPH_RECV,
    HTMT__GRAPH_ACTION,
    HTMT__GRAPH_DIFFUSE,
    HTMT__GRAPH_VICINITY,
    HTMT__GRAPH_LEAST,
    HTMT__GRAPH_MOST,
    HTMT__GRAPH_GHOSTS,
    HTMT__GRAPH_COOL,
    HTMT__GRAPH_FIGURES
};

struct htmt__graph_row {
    const char *id, *app, *graph; /* as written; text of their file */
    const char *file;
    int line;
    bool mesh, throttles;
    uint32_t root, iterations, side, figure[HTMT__GRAPH_FIGURES];
    int64_t wanted[HTMT__GRAPH_COUNTS]; /* -1: not judged */
};

struct htmt__graph_rows {
    struct htmt__graph_row *row;
    size_t count, room;
    char **text, **name; /* of the files, which rows point into */
    size_t files, text_room, name_room;
    unsigned others; /* files of other columns */
};

extern const char *const htmt__graph_count_columns[HTMT__GRAPH_COUNTS],
    *const htmt__graph_count_figures[HTMT__GRAPH_COUNTS];

/* The files *.csv of a folder, or those that are shipped (NULL). A folder without rows gives none.
 * Errors: HTMT_ENOENT (nothing is shipped), HTMT_EFORMAT, HTMT_ENOMEM, HTMT_EIO. The caller clears
 * *rows, whatever comes of it. */
int htmt__graph_rows_load(const char *folder, struct htmt__graph_rows *rows,
                          struct htmt_fault *fault);
void htmt__graph_rows_clear(struct htmt__graph_rows *rows);

#endif
