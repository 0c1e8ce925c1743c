/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The readers of graph files, each from the beginning of `in`. Each fills a list that is empty; the
 * caller clears it. Errors: those of htmt__graph_read().
 */
#ifndef HTMT_APPS_FORMATS_GRAPH_PARTS_H
#define HTMT_APPS_FORMATS_GRAPH_PARTS_H

#include "apps/formats/graph.h"
#include "apps/formats/lines.h"

typedef int htmt__graph_reader(const char *path, FILE *in, struct htmt__graph_list *list,
                               struct htmt_fault *fault);

htmt__graph_reader htmt__graph_read_market, htmt__graph_read_snap, htmt__graph_read_list,
    htmt__graph_read_500, htmt__graph_read_metis;

/* A number of vertices that a file names on the line. Errors: HTMT_ERANGE. */
int htmt__graph_take_vertices(const struct htmt__lines *l, uint64_t vertices,
                              struct htmt__graph_list *list);
/* A weight on the line. Errors: HTMT_EFORMAT, HTMT_ERANGE. */
int htmt__graph_take_weight(struct htmt__lines *l, bool integer, float *weight);
/* The same of a number that was read. */
int htmt__graph_weigh(const struct htmt__lines *l, double value, bool integer, float *weight);
/* HTMT_ENOMEM with its line. */
int htmt__graph_no_memory(const char *path, struct htmt_fault *fault);

#endif
