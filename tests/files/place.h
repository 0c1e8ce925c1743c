/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fresh folders for the files of a test, and files that are read and written whole. What fails ends
 * the test.
 */
#ifndef HTMT_TESTS_FILES_PLACE_H
#define HTMT_TESTS_FILES_PLACE_H

#include <stddef.h>

struct place {
    char folder[32], path[160];
};

/* A fresh folder; `path` names the file `name` in it, which is not there yet. */
struct place place(const char *name);
/* Removes that file, if there is one, and the folder, in which nothing else may be left. */
void place_clear(const struct place *p);
/* Removes the folder with all that is in it. */
void place_remove(const struct place *p);
/* Writes the file `name` in the folder. */
void place_put(const struct place *p, const char *name, const char *text);

/* The bytes of a file with a zero byte behind them, and how many there are unless `length` is NULL;
 * the caller frees them. */
char *file_content(const char *path, size_t *length);
void file_write(const char *path, const void *bytes, size_t length);
/* The text of a file with the first `old` replaced; NULL: nothing is. The caller frees it. */
char *file_changed(const char *path, const char *old, const char *new);

#endif
