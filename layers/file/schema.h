/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The one strict reader of description files: machines, costs and parameters of applications. A
 * const table of rows says which keys a mapping may hold, what each value is, its bounds and where
 * it goes. The reader walks a mapping against its table, refuses unknown and missing keys, and
 * hands over each value with its row. Every refusal is one line with file and line, what was found
 * and what was expected.
 *
 *     static const struct htmt_schema_row target[] = {
 *         {.key = "range", .kind = HTMT_UNIT_METRES, .least = 0, .most = 1e7},
 *         {.key = "amplitude", .kind = HTMT_UNIT_NUMBER, .fallback = "1"},
 *         {.key = NULL}};
 *     static const struct htmt_schema_row scene[] = {
 *         {.key = "carrier", .kind = HTMT_UNIT_HERTZ, .least = 1e6, .most = 1e12},
 *         {.key = "window", .kind = HTMT_SCHEMA_CHOICE, .words = windows, .fallback = "hamming"},
 *         {.key = "targets", .kind = HTMT_SCHEMA_GROUPS, .rows = target, .most = 1000},
 *         {.key = NULL}};
 */
#ifndef HTMT_LAYERS_FILE_SCHEMA_H
#define HTMT_LAYERS_FILE_SCHEMA_H

#include "layers/file/units.h"
#include "layers/file/yaml.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a value may be beside a quantity, whose kind is its enum htmt_dimension. */
enum htmt_schema_kind {
    HTMT_SCHEMA_WHOLE = HTMT_UNITS, /* a whole number, signed, exact */
    HTMT_SCHEMA_CHOICE,             /* one of .words */
    HTMT_SCHEMA_SWITCH,             /* true or false */
    HTMT_SCHEMA_TEXT,               /* any text */
    HTMT_SCHEMA_LIST,               /* of numbers: [1, 2.5]; the bounds hold for each */
    HTMT_SCHEMA_GROUP,              /* a mapping with .rows */
    HTMT_SCHEMA_GROUPS,             /* a list of mappings with .rows; the bounds hold for their
                                 number */
    HTMT_SCHEMA_NAMED,              /* a mapping from names to mappings with .rows */
    HTMT_SCHEMA_NODE,               /* the owner of the table reads it */
    HTMT_SCHEMA_FIGURE              /* a figure with a source, whose owner reads the text */
};

struct htmt__figures;

/* A table ends with a NULL key. The bounds are long double, which holds every double and every
 * 64-bit number. */
struct htmt_schema_row {
    const char *key;
    unsigned kind;
    long double least, most;  /* inclusive, in the unit of the dimension; both 0: none.
                                 Of doubles and whole numbers, most <= least: no upper bound */
    bool above_least;         /* least itself is refused */
    bool optional;            /* may be missing; a figure may be not-modelled */
    const char *fallback;     /* as it would stand in the file; NULL: none. Not of lists, groups */
    const char *noun;         /* the operation of HTMT_UNIT_OPERATION and HTMT_UNIT_OPERATIONS */
    unsigned items;           /* HTMT_SCHEMA_LIST: exactly so many; 0: any number */
    const char *const *words; /* HTMT_SCHEMA_CHOICE: ends with NULL */
    const struct htmt_schema_row *rows;
    /* Groups of figures that a plain value may replace: read in place of htmt__figures_walk(). */
    int (*read)(struct htmt__figures *figures, const struct htmt_yaml *node, const char *key,
                const struct htmt_schema_row *rows, struct htmt_fault *fault);
    /* Where a figure goes: `size` bytes at `offset` in the struct that the table fills. */
    size_t offset, size;
    uint64_t absent; /* the value of a figure that is not modelled */
};

/* Gets every row's value in turn; node is NULL where the file has none. A code other than 0 ends
 * the reading. */
typedef int htmt_schema_take(void *into, const struct htmt_schema_row *row,
                             const struct htmt_yaml *node, struct htmt_fault *fault);

/* The tree of a file; `path` must outlive it. On success the caller owns *root. Errors: those of
 * htmt_input_read() and htmt_yaml_parse(). */
int htmt_schema_open(const char *path, struct htmt_yaml **root, struct htmt_fault *fault);

/* Refuse a file whose key `key`, its version, is missing or not 1; `what` names the file. Errors:
 * HTMT_EFORMAT. */
int htmt__schema_version(const struct htmt_yaml *root, const char *key, const char *what,
                         struct htmt_fault *fault);

/* Rows before the NULL key. */
unsigned htmt_schema_count(const struct htmt_schema_row *rows);

/* Refuse what is no mapping or has a key without a row; `what` names it. Errors: HTMT_EFORMAT. */
int htmt_schema_keys(const struct htmt_yaml *mapping, const char *what,
                     const struct htmt_schema_row *rows, struct htmt_fault *fault);

/* Walk a mapping that is complete, in the order of the table. Errors: HTMT_EFORMAT (not a mapping,
 * an unknown key, a missing one whose row is not optional and has no fallback), those of take. */
int htmt_schema_read(const struct htmt_yaml *mapping, const char *what,
                     const struct htmt_schema_row *rows, htmt_schema_take *take, void *into,
                     struct htmt_fault *fault);

/* The same, for an owner who reads all values: the node of each row, NULL where there is none. */
int htmt_schema_nodes(const struct htmt_yaml *mapping, const char *what,
                      const struct htmt_schema_row *rows, const struct htmt_yaml **nodes,
                      struct htmt_fault *fault);

/* Walk a mapping that may be a part, as the file of a machine with a base is: its values, then its
 * groups, both in the order of the file, then what is named, in the order of the table (layers
 * before the networks that join them). Errors: as above, but no key needs to be there. */
int htmt_schema_read_part(const struct htmt_yaml *mapping, const char *what,
                          const struct htmt_schema_row *rows, htmt_schema_take *take, void *into,
                          struct htmt_fault *fault);

/* What a message expects instead of the key `found`: htmt__suggest() over the rows. */
void htmt_schema_suggest(const struct htmt_schema_row *rows, const char *found, char *hint,
                         size_t room);

#ifdef __cplusplus
}
#endif

#endif
