/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts of the reader of nest files: what a node of the file says becomes plain data.
 */
#ifndef HTMT_EMUL_LOOPS_NEST_READER_H
#define HTMT_EMUL_LOOPS_NEST_READER_H

#include "emul/loops/nest/file.h"
#include "layers/file/schema.h"

/* A file that is being read. */
struct htmt__nest_reading {
    struct htmt__nest_file *file;
    struct htmt_fault *fault;
};

/* Text of a scalar, shorter than room. */
int htmt__nest_read_text(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                         const char *what, char *text, size_t room);

/* A name: letters, digits, _ and ., a letter or _ first. */
int htmt__nest_read_name(struct htmt__nest_reading *r, const char *name, int line, const char *what,
                         char text[static HTMT__NEST_NAME]);

/* The whole text of a scalar as an expression; NULL for a missing node leaves it empty. */
int htmt__nest_read_expression(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                               const struct htmt__nest_names *names, const char *what,
                               struct htmt__nest_expression *expression);

/* The names of parameters, and those of a nest's loops. */
struct htmt__nest_names htmt__nest_names_of(const struct htmt__nest_file *file,
                                            const struct htmt__nest *nest);

/* "a", "a..b" from *text on. */
int htmt__nest_read_range(const char **text, const struct htmt__nest_names *names,
                          const struct htmt__nest_place *place, struct htmt__nest_range *range);

/* "u:0..4[k-1, j, i] x2" behind its first word; nest is NULL where an array or its components alone
 * stand. */
int htmt__nest_read_access(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                           const struct htmt__nest *nest, const char *what,
                           struct htmt__nest_access *access);
int htmt__nest_read_part(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                         const char *what, struct htmt__nest_part *part);

/* An expression or a list of pieces. */
int htmt__nest_read_count(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                          const char *what, struct htmt__nest_count *count);

/* Index of an array or parameter of that name; -1: none. */
int htmt__nest_find_array(const struct htmt__nest_file *file, const char *name);
int htmt__nest_find_parameter(const struct htmt__nest_file *file, const char *name);

int htmt__nest_read_nests(struct htmt__nest_reading *r, const struct htmt_yaml *node);
int htmt__nest_read_dependences(struct htmt__nest_reading *r, const struct htmt_yaml *node);
/* Formal names of procedures, before anything names them; then the bodies. */
int htmt__nest_read_formals(struct htmt__nest_reading *r, const struct htmt_yaml *node);
int htmt__nest_read_procedures(struct htmt__nest_reading *r, const struct htmt_yaml *node);
int htmt__nest_read_steps(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                          struct htmt__nest_step **step, unsigned *steps);

/* Refuses a node that is not of that kind, and makes room for its children, zeroed: *all and *count
 * are set. */
int htmt__nest_room(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                    enum htmt_yaml_kind kind, const char *what, size_t size, void *all,
                    unsigned *count);

/* Where a node stands, for messages. */
struct htmt__nest_place htmt__nest_place_at(const struct htmt__nest_reading *r,
                                            const struct htmt_yaml *node, const char *what);

void htmt__nest_clear_range(struct htmt__nest_range *range);
void htmt__nest_clear_count(struct htmt__nest_count *count);
void htmt__nest_clear_nest(struct htmt__nest *nest);
void htmt__nest_clear_steps(struct htmt__nest_step *step, unsigned steps);

#endif
