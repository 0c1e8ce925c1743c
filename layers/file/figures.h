/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures: what a description file is made of once its mappings are spelled out as dotted keys,
 * each with its value as written, its source and the line it came from. A later figure of the same
 * key takes the place of the earlier one: that is all there is to inheritance and to --set.
 */
#ifndef HTMT_LAYERS_FILE_FIGURES_H
#define HTMT_LAYERS_FILE_FIGURES_H

#include "layers/file/figure.h"
#include "layers/file/schema.h"

#define HTMT__NOT_MODELLED "not-modelled"

struct htmt__figures {
    struct htmt_figure *at;
    unsigned count;
    size_t room;
    struct htmt__figure_range {
        char key[sizeof((struct htmt_figure){0}.key)];
        char text[24]; /* "0.8x..1.5x" */
    } * range;         /* of figures whose files say how well they are known */
    unsigned ranges;
    size_t range_room;
    /* A hash table of numbers of figures, from 1; NULL: keys are looked for one by one. It holds as
     * long as no key comes or goes. A copy of the struct may share it. */
    uint32_t *index;
    uint32_t slots; /* a power of two */
    bool shares_index;
};

void htmt__figures_fini(struct htmt__figures *figures);

/* Makes the index. Errors: HTMT_ENOMEM. */
int htmt__figures_index(struct htmt__figures *figures);

/* NULL when there is none. The pointer holds until the next put. */
struct htmt_figure *htmt__figures_find(const struct htmt__figures *figures, const char *key);

/* The figure `group`.`key`. */
struct htmt_figure *htmt__figures_find_under(const struct htmt__figures *figures, const char *group,
                                             const char *key);

/* Put a figure at the end, or in the place of the one with its key. Errors: HTMT_ENOMEM,
 * HTMT_EFORMAT (far too many). */
int htmt__figures_put(struct htmt__figures *figures, const struct htmt_figure *figure,
                      struct htmt_fault *fault);

/* Remove the figures whose key starts with `prefix`. */
void htmt__figures_drop(struct htmt__figures *figures, const char *prefix);

/* Read {value: ..., source: ...} under `key` and put it. Errors: HTMT_EFORMAT (source missing,
 * empty or too long...), HTMT_ENOMEM. */
int htmt__figures_read(struct htmt__figures *figures, const struct htmt_yaml *node, const char *key,
                       struct htmt_fault *fault);

/* The same under `key`.`name`. */
int htmt__figures_read_under(struct htmt__figures *figures, const struct htmt_yaml *node,
                             const char *key, const char *name, struct htmt_fault *fault);

/* One of several values with a common source: {fixed: 8 B, hop: 1 B, source: ...}; `source` may be
 * NULL. A mapping has a source of its own. */
int htmt__figures_read_shared(struct htmt__figures *figures, const struct htmt_yaml *value,
                              const struct htmt_yaml *source, const char *key, const char *name,
                              struct htmt_fault *fault);

/* Read a plain value without source: a name. */
int htmt__figures_read_plain(struct htmt__figures *figures, const struct htmt_yaml *node,
                             const char *key, struct htmt_fault *fault);

/* Read a mapping and the groups in it, row by row; `prefix` is the dotted key of the mapping, "" at
 * the top. HTMT_SCHEMA_TEXT and HTMT_SCHEMA_CHOICE are names without source, HTMT_SCHEMA_NODE is
 * passed over, any other value is a figure with its source. Keys may be missing. Errors:
 * HTMT_EFORMAT, HTMT_ENOMEM.
 */
int htmt__figures_walk(struct htmt__figures *figures, const struct htmt_yaml *mapping,
                       const char *prefix, const struct htmt_schema_row *rows,
                       struct htmt_fault *fault);

/* Write "prefix.name" into key. Errors: HTMT_EFORMAT, at the node's line, when it is too long. */
int htmt__figures_key(const struct htmt_yaml *node, const char *prefix, const char *name,
                      char key[static sizeof((struct htmt_figure){0}.key)],
                      struct htmt_fault *fault);

/* Split "key=value" of --set. Errors: HTMT_EFORMAT. */
int htmt__figures_set(const char *assignment, struct htmt_figure *figure, struct htmt_fault *fault);

bool htmt__figure_modelled(const struct htmt_figure *figure);

/* The figure as its row says; operations of a row without a noun may be any. Errors: those of
 * htmt_quantity_read(), with the figure's place in front. */
int htmt__figure_quantity(const struct htmt_figure *figure, const struct htmt_schema_row *row,
                          struct htmt_quantity *q, struct htmt_fault *fault);

/* Fault with the figure's place in front: "file:line: key: ..." or "--set key: ...". Returns code.
 */
int htmt__figure_refuse(const struct htmt_figure *figure, int code, struct htmt_fault *fault,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
