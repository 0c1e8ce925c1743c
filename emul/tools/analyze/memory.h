/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folder emul/tools/analyze: the program htmt-analyze, which reads C source with libclang and
 * Fortran by gfortran, and writes the loops as a nest file (docs/loops.md). libclang and isl are
 * linked into this program alone.
 *
 * The program is a process of its own that ends after one reading: its memory lives to the end of
 * the process, and a host without memory ends it with one line.
 */
#ifndef HTMT_EMUL_TOOLS_ANALYZE_MEMORY_H
#define HTMT_EMUL_TOOLS_ANALYZE_MEMORY_H

#include <stddef.h>

/* Cleared bytes, aligned for any type. */
void *htmt__source_alloc(size_t bytes);

/* A copy of the text. */
char *htmt__source_text(const char *text);
char *htmt__source_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Room for one more item of an array that starts as NULL; `count` is how many it has, a power of
 * two is when it grows. */
void *htmt__source_room(void *items, size_t count, size_t size);

/* What was taken since the mark is given back: texts that one question needs. */
struct htmt__source_mark {
    void *block;
    size_t used;
};
struct htmt__source_mark htmt__source_mark(void);
void htmt__source_rewind(struct htmt__source_mark mark);

/* Gives all of it back. */
void htmt__source_release(void);

#endif
