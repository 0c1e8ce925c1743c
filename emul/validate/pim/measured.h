/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measured rows. A shipped file (emul/validate/measured of the sources, share/htmt/measured of an
 * installation) begins with "# TITLE", "# source: ..." and "# unit: ns"; then follow `id,value` and
 * a row a line. A folder of --data may also hold files with the columns
 * `id,quantity,value,unit,source,note`. Of these the rows count whose note begins with the word
 * "measured", such as "measured; second server", unless it says "reference only". The others are
 * counted by their note, so that none is left out in silence.
 *
 * Ids:
 *     N.LEVEL.DPUS.TASKLETS.WORDS.REPETITIONS   copy inside DPUs, of 4-byte words; wram or mram
 *     N.host.LEVEL.WAY.DPUS.WORDS               WAY: to-dpu, from-dpu, broadcast; words a DPU
 *     SERVER.PROGRAM.DPUS.SIZE.PART             PART: kernel, cpu-to-dpu, dpu-to-cpu, inter-dpu
 */
#ifndef HTMT_EMUL_VALIDATE_PIM_MEASURED_H
#define HTMT_EMUL_VALIDATE_PIM_MEASURED_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum htmt__measured_kind {
    HTMT__MEASURED_COPY,
    HTMT__MEASURED_HOST,
    HTMT__MEASURED_PROGRAM,
    HTMT__MEASURED_UNKNOWN /* an id of no kind above, and of any quantity */
};

struct htmt__measured_row {
    const char *id;
    const char *file; /* that has it, and its line */
    int line;
    double seconds;
    const char *value, *unit; /* as written */
    enum htmt__measured_kind kind;
    char server[16], program[16]; /* PROGRAM: "U", "VA" */
    char part[16];                /* LEVEL, or PART */
    char way[16];                 /* WAY */
    uint32_t dpus, tasklets;
    uint64_t words, repetitions; /* words: SIZE of a program */
};

/* Rows that do not count, because of their note. */
struct htmt__measured_note {
    const char *note;
    unsigned rows;
};

struct htmt__measured {
    unsigned count, files, notes;
    size_t room, text_room, name_room, note_room;
    struct htmt__measured_row *row;
    struct htmt__measured_note *note;
    char **text; /* the files, which rows point into */
    char **name;
};

/* Reads all files of the folder, or the shipped ones (NULL). Errors: HTMT_ENOENT (no file),
 * HTMT_EFORMAT (columns, a number, an id twice), HTMT_EUNIT (another unit than fs to s), HTMT_EIO,
 * HTMT_ENOMEM. On success the caller calls htmt__measured_clear(). */
int htmt__measured_load(const char *folder, struct htmt__measured *measured,
                        struct htmt_fault *fault);
/* The shipped ones, whatever HTMT_MEASURED_PATH names. */
int htmt__measured_shipped(struct htmt__measured *measured, struct htmt_fault *fault);
void htmt__measured_clear(struct htmt__measured *measured);

/* NULL: there is no such row. */
const struct htmt__measured_row *htmt__measured_find(const struct htmt__measured *measured,
                                                     const char *id);

#endif
