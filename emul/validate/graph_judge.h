/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt validate graph`: plays golden rows of graph programs on the machine AM-CCA, and compares
 * every count exactly.
 */
#ifndef HTMT_EMUL_VALIDATE_GRAPH_JUDGE_H
#define HTMT_EMUL_VALIDATE_GRAPH_JUDGE_H

#include "apps/lib/app.h"

#include <stdio.h>

struct htmt__graph_judgement {
    const char *data; /* folder of graphs, and of rows, if it has any; NULL: graphs that are made */
    const char *csv;  /* a line for each row; NULL: none */
    bool quiet;       /* the differences and the total alone */
};

/* Plays row by row, and prints each as it is judged. Errors: HTMT_EWRONG (a count differs, or an
 * answer is wrong), HTMT_ENOENT (a graph is not there), those of files and of the application. */
int htmt__graph_judge(const struct htmt_app *const *apps, const struct htmt__graph_judgement *how,
                      FILE *out, struct htmt_fault *fault);

#endif
