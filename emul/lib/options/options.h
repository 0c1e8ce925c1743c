/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folder emul/lib/options: the command line and its record; of emul it includes only this folder.
 *
 * Options of `htmt run | model | predict APP`: a table of common rows and the rows of the
 * application. Parsing, help, the test of the manual page and the run record read the same rows.
 */
#ifndef HTMT_EMUL_LIB_OPTIONS_OPTIONS_H
#define HTMT_EMUL_LIB_OPTIONS_OPTIONS_H

#include "apps/lib/task_parts.h"

#include <stdbool.h>
#include <stdint.h>

/* XX(id, name, name of the value or NULL, default or NULL, help) */
#define HTMT__OPTION_MAP(XX)                                                                       \
    XX(MACHINE, "machine", "NAME|FILE", "htmt-oct98", "the machine to emulate")                    \
    XX(COSTS, "costs", "NAME|FILE", NULL, "cost file; without it, the counts of the kernels")      \
    XX(SET, "set", "KEY=VALUE", NULL, "change a figure of the machine; may be repeated")           \
    XX(SLICES, "slices", "N", NULL,                                                                \
       "use N slices; without it, as many as the problem can feed, at most all of the machine")    \
    XX(THREADS, "threads", "N|LAYER=N,..", "online",                                               \
       "host threads in all, or workers of each layer; online: the available CPUs")                \
    XX(SEED, "seed", "N", "1", "seed of all generated data")                                       \
    XX(TIMING, "timing", "KIND", "counts",                                                         \
       "what a service takes: counts (of operations), operations (of recorded kernels, one by "    \
       "one: run alone) or profile=FILE,.. (of operations that are made of profiles)")             \
    XX(AGAINST_CLOCK, "against-clock", NULL, NULL,                                                 \
       "run only, with --timing operations on a machine of this host: time the same kernels here") \
    XX(TIME_KERNELS, "time-kernels", NULL, NULL,                                                   \
       "run only: tell how long the kernels take on this host, apart from the emulator")           \
    XX(QUIET_BY, "quiet-by", "KIND", "free",                                                       \
       "how slices find out that no post is left: free (they know) or acks (each post to another " \
       "slice is answered by a word)")                                                             \
    XX(JSON, "json", "FILE|-", NULL, "write the results as JSON; - replaces the report")           \
    XX(CHECK_DETERMINISM, "check-determinism", NULL, NULL,                                         \
       "run again with 1, 2, 3 and 8 threads and delays; compare every event")                     \
    XX(CHECKED, "checked", NULL, NULL,                                                             \
       "make undeclared data unreadable to kernels, name kernels that write next to theirs; mail " \
       "and signals left over are an error")                                                       \
    XX(WATCHDOG, "watchdog", "SECONDS", "0",                                                       \
       "end the process, with a line, if a kernel or control runs longer; 0: never")               \
    XX(DELAY_SEED, "delay-seed", "N", "0", "random host delays before kernels; 0: none")           \
    XX(RUN_AHEAD, "run-ahead", "BYTES", "256MiB", "host memory of closures in flight")             \
    XX(CLOCK, "clock", "KIND", "auto",                                                             \
       "auto: windows where --clock-threads are more than 1, else sequential; sequential: from "   \
       "event to event; windows: partition by partition in windows of the machine's lookahead; "   \
       "shared: windows, each of them by all clock threads; predictions are the same")             \
    XX(CLOCK_THREADS, "clock-threads", "N", "1",                                                   \
       "host threads, of those of --threads, that play slices")                                    \
    XX(CLOCK_PARTITIONS, "clock-partitions", "N", "0", "of slices, for them; 0: some a thread")    \
    XX(OLD_HISTORY, "old-history", NULL, NULL,                                                     \
       "tell the history hash as earlier versions made it, too; until the next version")           \
    XX(MPI, "mpi", "KIND", "auto",                                                                 \
       "the processes of one mpirun are one run: auto (if there are several, and MPI is "          \
       "installed), on (or it is an error) or off (each runs alone)")                              \
    XX(FOLD, "fold", NULL, NULL, "emulate one slice for all; model only, if all slices are alike") \
    XX(EXPLAIN, "explain", NULL, NULL, "follow the critical path: what the time was spent on")     \
    XX(SECTIONS, "sections", NULL, NULL,                                                           \
       "name iterations of the application: report, JSON and trace have the statistics of each")   \
    XX(TRACE, "trace", "FILE", NULL, "record every interval of virtual time in a trace file")      \
    XX(TRACE_SLICES, "trace-slices", "N-M,..", NULL, "record these slices only")                   \
    XX(TRACE_LAYERS, "trace-layers", "NAME,..", NULL,                                              \
       "record processors, memories and links of these layers only")                               \
    XX(TRACE_TYPES, "trace-types", "NAME,..", NULL,                                                \
       "record these types of parcels only; (put), (signal), (send): of messages")                 \
    XX(TRACE_WINDOW, "trace-window", "T0..T1", NULL,                                               \
       "record only what lies between two virtual times, such as 10us..20us")                      \
    XX(CAPTURE, "capture", "FILE", NULL,                                                           \
       "run only: write what kernels counted and found, for model --captured")                     \
    XX(CAPTURED, "captured", "FILE", NULL,                                                         \
       "model only: play the run that was captured in this file, on any machine")                  \
    XX(SUMMARY, "summary", NULL, NULL, "print a table of the demand of each parcel type")          \
    XX(TABLE, "table", "csv:FILE", NULL, "write that table as comma-separated values")             \
    XX(LINT, "lint", NULL, NULL, "list departures from the percolation model, with their price")   \
    XX(TERM, "term", "NAME", NULL,                                                                 \
       "predict only: the figures that a term depends on, with file and line")                     \
    XX(LARGEST, "largest", NULL, NULL,                                                             \
       "predict only: the largest problem, and the memory that limits it")                         \
    XX(STRICT, "strict", NULL, NULL, "a warning about the input is an error, status 2")            \
    XX(PROGRESS, "progress", "KIND", "auto",                                                       \
       "progress on standard error: auto (a line on a terminal, else one a minute), json or off")  \
    XX(QUIET, "quiet", NULL, NULL, "one line instead of the report, and no progress")

enum htmt__option {
#define HTMT__OPTION_ENUM(id, name, value, fallback, help) HTMT__##id,
    HTMT__OPTION_MAP(HTMT__OPTION_ENUM)
#undef HTMT__OPTION_ENUM
        HTMT__OPTIONS
};

/* The common rows; ends with a NULL name. */
extern const struct htmt_app_option htmt__common_rows[];

/* An application may have an option of the same name: --table, of which the command takes what
 * begins with "csv:", and --against-clock, which is then the application's. */
bool htmt__options_shared(const struct htmt_app_option *common);

#define HTMT__SETS_MAX 64
#define HTMT__ROWS_MAX HTMT_APP_OPTIONS_MAX

/* A parsed command line. A value is the given text, the default of the row, or NULL; "" for a given
 * switch. All text belongs to argv or to the tables. */
struct htmt__options {
    const struct htmt_app *app;
    const struct htmt_app_option *rows; /* of own[]: of the application or of its verb */
    const struct htmt_app_verb *verb;   /* an application verb, without common options; or NULL */
    const char *common[HTMT__OPTIONS];
    const char *own[HTMT__ROWS_MAX];
    bool common_given[HTMT__OPTIONS], own_given[HTMT__ROWS_MAX];
    const char *set[HTMT__SETS_MAX];
    unsigned set_count;
};

/* argv holds the words after APP: `--name value`, `--name=value`, `--switch`.
 * Errors: HTMT_EUSAGE. */
int htmt__options_parse(const struct htmt_app *app, int argc, char *const *argv,
                        struct htmt__options *options, struct htmt_fault *fault);

/* The same for an application verb, `htmt VERB APP`, with only the rows of the verb; or, without an
 * application, for a verb of the command. */
int htmt__options_parse_verb(const struct htmt_app *app, const struct htmt_app_verb *verb, int argc,
                             char *const *argv, struct htmt__options *options,
                             struct htmt_fault *fault);

/* A whole number from `least` to `most`, decimal digits only; `name` is for the message.
 * Errors: HTMT_EUSAGE, HTMT_ERANGE. */
int htmt__options_number(const char *name, const char *text, uint64_t least, uint64_t most,
                         uint64_t *value, struct htmt_fault *fault);

/* The value of an option, "--mpi", among words that are not parsed yet; NULL: it is not there. */
const char *htmt__options_word(const char *option, int argc, char *const *argv);

/* The value of --watchdog among words that are not parsed yet; 0: none that could be one. */
uint32_t htmt__options_watchdog(int argc, char *const *argv);

/* Bytes: a number, followed by B, kB, MB, GB (powers of 1000), KiB, MiB, GiB (of 1024) or nothing:
 * "64", "64B", "0.5MiB". Errors: as above; a part of a byte. */
int htmt__options_bytes(const char *name, const char *text, uint64_t *value,
                        struct htmt_fault *fault);

/* Slices that a host alone joins are for applications that know such machines. Errors: HTMT_EUSAGE.
 */
int htmt__options_check_machine(const struct htmt_app *app, const struct htmt_machine *machine,
                                struct htmt_fault *fault);

/* Reads the options that depend on the machine: slices, threads, seed, switches. Sets all of
 * `request` except the observers; request->machine must be set.
 * Errors: HTMT_EUSAGE, HTMT_ERANGE. */
int htmt__options_resolve(const struct htmt__options *options, struct htmt_request *request,
                          struct htmt_fault *fault);

#endif
