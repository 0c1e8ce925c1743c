/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Options of `htmt run | model | predict APP`: one table of common rows and the application's own.
 * Parsing, help, the man page's test and the run record read the same rows.
 */
#ifndef HTMT_EMUL_OPTIONS_OPTIONS_H
#define HTMT_EMUL_OPTIONS_OPTIONS_H

#include "apps/lib/app.h"

#include <stdbool.h>
#include <stdint.h>

/* XX(id, name, value name or NULL, default or NULL, help) */
#define HTMT__OPTION_MAP(XX)                                                                       \
    XX(MACHINE, "machine", "NAME|FILE", "htmt-oct98", "the machine to emulate")                    \
    XX(COSTS, "costs", "NAME|FILE", NULL, "cost file; without it the kernels' own counts")         \
    XX(SET, "set", "KEY=VALUE", NULL, "change a figure of the machine; may be repeated")           \
    XX(SLICES, "slices", "N", NULL,                                                                \
       "use N slices; without it all of the machine, or what the problem allows")                  \
    XX(THREADS, "threads", "N|LAYER=N,..", "online",                                               \
       "host threads in all, or workers of each layer; online: the CPUs at hand")                  \
    XX(SEED, "seed", "N", "1", "seed of everything that is generated")                             \
    XX(JSON, "json", "FILE|-", NULL, "write the results as JSON; - replaces the report")           \
    XX(CHECK_DETERMINISM, "check-determinism", NULL, NULL,                                         \
       "run again with 1, 2, 3 and 8 threads and delays; compare every event")                     \
    XX(CHECKED, "checked", NULL, NULL, "make what a kernel did not declare unreadable to it")      \
    XX(DELAY_SEED, "delay-seed", "N", "0", "not 0: random host delays before kernels")             \
    XX(RUN_AHEAD, "run-ahead", "BYTES", "256MiB", "host memory of closures in flight")             \
    XX(FOLD, "fold", NULL, NULL, "one slice stands for all; model only, where slices are alike")   \
    XX(EXPLAIN, "explain", NULL, NULL, "follow the critical path: why it took so long")            \
    XX(SUMMARY, "summary", NULL, NULL, "a table of what each parcel type asks of the machine")     \
    XX(TABLE, "table", "csv:FILE", NULL, "write that table as comma-separated values")             \
    XX(LINT, "lint", NULL, NULL, "list and price departures from the percolation model")           \
    XX(TERM, "term", "NAME", NULL, "of predict: the figures of a term, and where they stand")      \
    XX(LARGEST, "largest", NULL, NULL, "of predict: the largest problem, and which memory binds")  \
    XX(QUIET, "quiet", NULL, NULL, "one line instead of the report, and no progress")

enum htmt__option {
#define HTMT__OPTION_ENUM(id, name, value, fallback, help) HTMT__##id,
    HTMT__OPTION_MAP(HTMT__OPTION_ENUM)
#undef HTMT__OPTION_ENUM
        HTMT__OPTIONS
};

/* The common rows; ends with a NULL name. */
extern const struct htmt_app_option htmt__common_rows[];

#define HTMT__SETS_MAX 64
#define HTMT__ROWS_MAX 64 /* an application's rows; further ones are unknown options */

/* A command line taken apart. Values are the given text, the row's default, or NULL; "" for a
 * switch that was given. All text belongs to argv or to the tables. */
struct htmt__options {
    const struct htmt_app *app;
    const struct htmt_app_option *rows; /* of own values: the application's or its verb's */
    const struct htmt_app_verb *verb;   /* its own, which takes no common options; NULL: another */
    const char *common[HTMT__OPTIONS];
    const char *own[HTMT__ROWS_MAX];
    bool common_given[HTMT__OPTIONS], own_given[HTMT__ROWS_MAX];
    const char *set[HTMT__SETS_MAX];
    unsigned set_count;
};

/* argv holds what follows APP: `--name value`, `--name=value`, `--switch`.
 * Errors: HTMT_EUSAGE. */
int htmt__options_parse(const struct htmt_app *app, int argc, char *const *argv,
                        struct htmt__options *options, struct htmt_fault *fault);

/* The same for `htmt VERB APP`, with the verb's own rows alone. */
int htmt__options_parse_verb(const struct htmt_app *app, const struct htmt_app_verb *verb, int argc,
                             char *const *argv, struct htmt__options *options,
                             struct htmt_fault *fault);

/* A whole number from `least` to `most`, decimal digits only; `name` for the message.
 * Errors: HTMT_EUSAGE, HTMT_ERANGE. */
int htmt__options_number(const char *name, const char *text, uint64_t least, uint64_t most,
                         uint64_t *value, struct htmt_fault *fault);

/* Bytes: a whole number with KiB, MiB, GiB or nothing behind it. Errors: as above. */
int htmt__options_bytes(const char *name, const char *text, uint64_t *value,
                        struct htmt_fault *fault);

/* What the machine must be known for: slices, threads, seed, observers' switches. `request` gets
 * everything but the observers; request->machine must be set.
 * Errors: HTMT_EUSAGE, HTMT_ERANGE. */
int htmt__options_resolve(const struct htmt__options *options, struct htmt_request *request,
                          struct htmt_fault *fault);

#endif
