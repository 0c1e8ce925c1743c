/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The files of a prediction of calls, in a folder of their own: the C file that calls them, the
 * plug-in of htmt-cc whose operations are played, and the code that the clock times.
 */
#ifndef HTMT_EMUL_COMMAND_HOST_CALL_FILES_H
#define HTMT_EMUL_COMMAND_HOST_CALL_FILES_H

#include "apps/lib/host_clock.h"
#include "emul/command/host/call.h"
#include "emul/command/host/predict.h"
#include "emul/command/host/several.h"
#include "layers/file/search.h"

#define HTMT__CALL_WORDS 128
#define HTMT__CALL_PATH  (HTMT_PATH_MAX + 32)

struct htmt__call_files {
    const struct htmt__predict_options *options;
    unsigned calls;
    char folder[HTMT_PATH_MAX], source[HTMT_PATH_MAX]; /* source: its whole path */
    char include[HTMT__CALL_PATH], htmt_cc[HTMT__CALL_PATH];
    char ir[HTMT__CALL_PATH], said[HTMT__CALL_PATH], driver[HTMT__CALL_PATH],
        application[HTMT__CALL_PATH], object[HTMT__CALL_PATH], plugin[HTMT__CALL_PATH],
        plain[HTMT__CALL_PATH];
    char tables[HTMT__CALL_PATH];
    char *flags;                        /* a copy, split into words */
    const char *flag[HTMT__CALL_WORDS]; /* up to NULL */
    const char *layer;                  /* of the machine, whose processor plays */
    struct htmt_host_expected core;
    struct htmt__several several; /* what is other while several cores run */
    struct htmt_fault *fault;     /* of whoever asks */
};

/* `options`, `calls`, `layer` and `fault` are given. Whatever these return, it is closed. */
int htmt__call_files_open(struct htmt__call_files *f);
/* The file of the calls, and the plug-in of it; the arguments have the types of the functions. */
int htmt__call_files_build(const struct htmt__call_files *f, struct htmt__call *call);
/* The code of the clock, and a copy of it for core `i`, which goes with the files. */
int htmt__call_files_plain(const struct htmt__call_files *f);
int htmt__call_files_copy(const struct htmt__call_files *f, unsigned i,
                          char path[HTMT__CALL_PATH + 16]);
/* Whatever the fault says of the files in the folder holds for the source. */
void htmt__call_files_name_source(const struct htmt__call_files *f);
void htmt__call_files_close(struct htmt__call_files *f);

#endif
