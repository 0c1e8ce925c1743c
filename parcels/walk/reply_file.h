/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the file of a captured run, written front to back and read as a whole.
 */
#ifndef HTMT_PARCELS_WALK_REPLY_FILE_H
#define HTMT_PARCELS_WALK_REPLY_FILE_H

#include "layers/machine/machine.h"
#include "runtime/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the kernels of a service replied. */
struct htmt__reply {
    const struct htmt_ops *ops; /* NULL: a cost function says them */
    const void *result;         /* NULL: nobody looks at it */
    size_t bytes;               /* of the result */
};

/* What the run came to. */
struct htmt__reply_end {
    uint64_t plan;    /* a hash of the program's */
    uint64_t machine; /* hash; 0: its time does not follow from machine and replies alone */
    uint64_t predicted, history;
    bool compares; /* the history, with others: it is none of an earlier version */
};

struct htmt__reply_writer;

/* Errors: those of htmt_whole_file_open(), HTMT_ENOMEM. */
int htmt__reply_writer_open(struct htmt__reply_writer **writer, const char *path, const char *about,
                            struct htmt_fault *fault);
/* Errors: HTMT_EIO. */
int htmt__reply_write(struct htmt__reply_writer *w, uint64_t key, const struct htmt__reply *reply,
                      struct htmt_fault *fault);
int htmt__reply_write_kept(struct htmt__reply_writer *w, const void *table, size_t bytes,
                           struct htmt_fault *fault);
/* The file is in its place; clears *writer whatever comes of it. Errors: HTMT_EIO. */
int htmt__reply_writer_commit(struct htmt__reply_writer **writer, const struct htmt__reply_end *end,
                              struct htmt_fault *fault);
/* There is no file; clears *writer; NULL accepted. */
void htmt__reply_writer_abandon(struct htmt__reply_writer **writer);

struct htmt__reply_reader;

/* Errors: those of htmt_input_read(); HTMT_EFORMAT: no such file, cut off, damaged, or with another
 * `about`; HTMT_ENOMEM. */
int htmt__reply_reader_open(struct htmt__reply_reader **reader, const char *path, const char *about,
                            struct htmt_fault *fault);
void htmt__reply_reader_destroy(struct htmt__reply_reader **reader); /* NULL accepted */
/* The reply of that key; its result, beyond what the file has of it zeros, goes to `result`. False:
 * there is none, or one that has other parts. */
bool htmt__reply_find(struct htmt__reply_reader *r, uint64_t key, struct htmt_ops *ops,
                      void *result, size_t bytes);
/* The next table. False: there is none of so many bytes. */
bool htmt__reply_kept(struct htmt__reply_reader *r, void *table, size_t bytes);
bool htmt__reply_kept_all(const struct htmt__reply_reader *r); /* no further one is there */
struct htmt__reply_end htmt__reply_end(const struct htmt__reply_reader *r);
/* Keys whose reply was not found so far. */
uint64_t htmt__reply_left(struct htmt__reply_reader *r);

#endif
