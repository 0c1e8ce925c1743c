/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From C files to trees: the only place that knows libclang.
 */
#ifndef HTMT_EMUL_TOOLS_ANALYZE_PARSE_H
#define HTMT_EMUL_TOOLS_ANALYZE_PARSE_H

#include "emul/tools/analyze/syntax.h"
#include "runtime/base/error.h"

/* What is not read at all: "the class", "solver". */
struct htmt__unread {
    struct htmt__source_place place;
    const char *what, *name;
    struct htmt__unread *next;
};

struct htmt__parse {
    struct htmt__declaration *functions, **last; /* with bodies, in the order of the sources */
    struct htmt__declaration **declaration;      /* a table by names of what files share */
    struct htmt__unread *unread;
    const char *guessed; /* the line about modules that are missing; NULL: none is */
};

/* Adds the functions of the file; `arguments` are those of the compiler, such as "-DN=4".
 * Errors: those of inputs; HTMT_EFORMAT (it does not parse: libclang's first error), HTMT_ESYSTEM.
 */
int htmt__parse_file(struct htmt__parse *p, const char *path, const char *const *arguments,
                     int count, struct htmt_fault *fault);

/* Fortran sources, by the ends of their names. */
bool htmt__fortran_is_source(const char *path);
/* Adds the procedures of all files, which are one program. Errors: those of inputs; HTMT_EFORMAT
 * (gfortran's first error), HTMT_ESYSTEM (there is no gfortran). */
int htmt__fortran_parse(struct htmt__parse *p, const char *const *paths, unsigned count,
                        const char *const *arguments, int options, struct htmt_fault *fault);

/* Whether the file and what it includes may be read: regular files, none an output. Errors: those
 * of htmt_input_read(), with the line of the #include. */
int htmt__includes_check(const char *path, const char *const *arguments, int count,
                         struct htmt_fault *fault);

/* How compile_commands.json, or the one of a folder, compiles a source: the words for
 * htmt__parse_file(). Errors: those of inputs; HTMT_EFORMAT (no list of entries; none of the
 * source, or two), HTMT_ENOMEM. */
int htmt__database_find(const char *path, const char *source, const char ***words, unsigned *count,
                        struct htmt_fault *fault);

#endif
