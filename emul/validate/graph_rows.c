/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* asprintf */
#include "emul/validate/graph_rows.h"

#include "emul/validate/csv.h"
#include "layers/file/search.h"
#include "runtime/base/array.h"
#include "runtime/base/input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MOST 64

const char *const htmt__graph_count_columns[] = {
#define HTMT__GRAPH_COUNT_COLUMN(member, column, figure) column,
    HTMT__GRAPH_COUNT_MAP(HTMT__GRAPH_COUNT_COLUMN)
#undef HTMT__GRAPH_COUNT_COLUMN
};

const char *const htmt__graph_count_figures[] = {
#define HTMT__GRAPH_COUNT_FIGURE(member, column, figure) figure,
    HTMT__GRAPH_COUNT_MAP(HTMT__GRAPH_COUNT_FIGURE)
#undef HTMT__GRAPH_COUNT_FIGURE
};

static const struct htmt_search search = {"table of graph runs", "cells", "HTMT_CELLS_PATH"};

/* Columns that each table has, then those that it may have. */
enum column { ID, APP, GRAPH, ROOT, NETWORK, SIDE, CONFIG, NEEDED, ITERATIONS = NEEDED, KNOWN };
static const char *const names[KNOWN] = {"id",      "app",  "graph",  "root",
                                         "network", "side", "config", "iterations"};

struct reading {
    struct htmt__graph_rows *all;
    struct htmt__csv_place place;
    bool begun, left_out;
    int columns;
    int at[KNOWN + HTMT__GRAPH_COUNTS]; /* of each known column; -1: it is not there */
};

/* ---- one row --------------------------------------------------------------------------------- */

static int number(const struct htmt__csv_place *p, const char *text, uint64_t least, uint64_t most,
                  const char *expected, uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || n < least || n > most)
        return htmt__csv_refuse(p, HTMT_EFORMAT, text, expected);
    *out = n;
    return 0;
}

static int read_figure(const struct htmt__csv_place *p, const char *name, const char *value,
                       struct htmt__graph_row *r, unsigned *seen)
{
    static const char *const figures[HTMT__GRAPH_FIGURES] = {
        "recv", "action", "diffuse", "vicinity", "min", "max", "ghosts", "cool"};
    uint64_t n = 0;
    for (unsigned i = 0; i < HTMT__GRAPH_FIGURES; i++)
        if (strcmp(figures[i], name) == 0) {
            int rc = number(p, value, i == HTMT__GRAPH_COOL ? 0 : 1, 1000000,
                            "a figure of config from 1 to 1000000", &n);
            r->figure[i] = (uint32_t)n;
            *seen |= 1u << i;
            return rc;
        }
    const bool truth = strcmp(value, "true") == 0;
    if (!truth && strcmp(value, "false") != 0)
        return htmt__csv_refuse(p, HTMT_EFORMAT, value, "true or false");
    if (strcmp(name, "throttle") == 0)
        r->throttles = truth;
    else if (strcmp(name, "split") != 0 && strcmp(name, "termination") != 0)
        return htmt__csv_refuse(p, HTMT_EFORMAT, name, "a figure of config that is played");
    else if (truth != (name[0] == 's'))
        return htmt__csv_refuse(p, HTMT_EFORMAT, name, "split=true and termination=false");
    return 0;
}

static int read_config(const struct htmt__csv_place *p, char *text, struct htmt__graph_row *r)
{
    unsigned seen = 0;
    char *word;
    int rc = 0;
    r->throttles = true;
    while (!rc && (word = strsep(&text, " "))) {
        char *value = strchr(word, '=');
        if (!*word)
            continue;
        if (!value)
            return htmt__csv_refuse(p, HTMT_EFORMAT, word, "NAME=VALUE");
        *value++ = '\0';
        rc = read_figure(p, word, value, r, &seen);
    }
    if (!rc && seen + 1 != 1u << HTMT__GRAPH_FIGURES)
        rc = htmt__csv_refuse(
            p, HTMT_EFORMAT, "",
            "recv, action, diffuse, vicinity, min, max, ghosts and cool in config");
    return rc;
}

static int read_row(const struct reading *g, char *line, struct htmt__graph_row *r)
{
    char *c[COLUMNS_MOST];
    uint64_t root = 0, side = 0, iterations = 1, count = 0;
    const struct htmt__csv_place *p = &g->place;
    if (htmt__csv_cut(line, c, g->columns, true) != g->columns)
        return htmt__csv_refuse(p, HTMT_EFORMAT, line, "as many columns as the first line has");
    *r = (struct htmt__graph_row){.id = c[g->at[ID]],
                                  .app = c[g->at[APP]],
                                  .graph = c[g->at[GRAPH]],
                                  .file = p->file,
                                  .line = p->line};
    const char *network = c[g->at[NETWORK]];
    if (!*r->id || !*r->graph)
        return htmt__csv_refuse(p, HTMT_EFORMAT, "", "an id and a graph");
    if (strcmp(r->app, "bfs") != 0 && strcmp(r->app, "sssp") != 0 &&
        strcmp(r->app, "pagerank") != 0)
        return htmt__csv_refuse(p, HTMT_EFORMAT, r->app, "bfs, sssp or pagerank");
    r->mesh = strcmp(network, "mesh") == 0;
    if (!r->mesh && strcmp(network, "torus") != 0)
        return htmt__csv_refuse(p, HTMT_EFORMAT, network, "torus or mesh");
    int rc = number(p, c[g->at[ROOT]], 0, UINT32_MAX - 1, "a root", &root);
    rc = rc ? rc : number(p, c[g->at[SIDE]], 1, 1000, "a side from 1 to 1000", &side);
    if (!rc && g->at[ITERATIONS] >= 0 && *c[g->at[ITERATIONS]])
        rc = number(p, c[g->at[ITERATIONS]], 1, 1000000, "iterations", &iterations);
    r->root = (uint32_t)root;
    r->side = (uint32_t)side;
    r->iterations = (uint32_t)iterations;
    for (int i = 0; !rc && i < HTMT__GRAPH_COUNTS; i++) {
        const int at = g->at[KNOWN + i];
        r->wanted[i] = -1;
        if (at < 0 || !*c[at])
            continue;
        rc = number(p, c[at], 0, INT64_MAX, "a count", &count);
        r->wanted[i] = (int64_t)count;
    }
    return rc ? rc : read_config(p, c[g->at[CONFIG]], r);
}

/* ---- files ----------------------------------------------------------------------------------- */

static int read_head(struct reading *g, char *line)
{
    char *c[COLUMNS_MOST];
    g->begun = true;
    g->columns = htmt__csv_cut(line, c, COLUMNS_MOST, true);
    g->left_out = g->columns > COLUMNS_MOST;
    for (int i = 0; i < KNOWN + HTMT__GRAPH_COUNTS; i++) {
        const char *name = i < KNOWN ? names[i] : htmt__graph_count_columns[i - KNOWN];
        g->at[i] = -1;
        for (int k = 0; !g->left_out && k < g->columns; k++)
            if (strcmp(c[k], name) == 0)
                g->at[i] = k;
        g->left_out |= i < NEEDED && g->at[i] < 0;
    }
    g->all->others += g->left_out;
    return 0;
}

static int read_line(void *context, char *line)
{
    struct reading *g = context;
    const size_t n = strlen(line);
    if (n && line[n - 1] == '\r')
        line[n - 1] = '\0';
    if (!*line || (!g->begun && *line == '#') || g->left_out)
        return 0;
    if (!g->begun)
        return read_head(g, line);
    if (!htmt__array_fits(&g->all->row, &g->all->room, g->all->count + 1, sizeof *g->all->row))
        return htmt_fault_set(g->place.fault, HTMT_ENOMEM, "%s: out of memory", g->place.file);
    int rc = read_row(g, line, &g->all->row[g->all->count]);
    g->all->count += !rc;
    return rc;
}

static int read_table(void *context, const char *folder, const char *file, struct htmt_fault *fault)
{
    struct htmt__graph_rows *all = context;
    struct reading g = {.all = all, .place = {.fault = fault}};
    size_t length;
    char *path;
    if (!htmt__array_fits(&all->text, &all->text_room, all->files + 1, sizeof *all->text) ||
        !htmt__array_fits(&all->name, &all->name_room, all->files + 1, sizeof *all->name) ||
        asprintf(&path, "%s/%s", folder, file) < 0)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory", folder);
    all->name[all->files] = path;
    all->text[all->files] = NULL;
    g.place.file = path;
    int rc = htmt_input_read(path, HTMT_INPUT_LIST, &all->text[all->files], &length, fault);
    all->files++;
    return rc ? rc : htmt__csv_lines(all->text[all->files - 1], &g.place, read_line, &g);
}

int htmt__graph_rows_load(const char *folder, struct htmt__graph_rows *rows,
                          struct htmt_fault *fault)
{
    struct htmt__csv_search s = {.take = read_table, .context = rows, .fault = fault};
    *rows = (struct htmt__graph_rows){.count = 0};
    if (folder)
        htmt__csv_folder(folder, &s);
    else
        htmt_search_folders(&search, htmt__csv_folder, &s);
    if (!s.rc && !folder && !rows->count)
        return htmt_fault_set(fault, HTMT_ENOENT, "found no table of graph runs in %s", s.tried);
    return s.rc;
}

void htmt__graph_rows_clear(struct htmt__graph_rows *rows)
{
    for (size_t i = 0; i < rows->files; i++) {
        free(rows->text[i]);
        free(rows->name[i]);
    }
    free(rows->text);
    free(rows->name);
    free(rows->row);
    *rows = (struct htmt__graph_rows){.count = 0};
}
