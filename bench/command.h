/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The htmt command as a program that is measured.
 */
#ifndef BENCH_COMMAND_H
#define BENCH_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

/* One run: seconds from its start to its end and of its emulated section, its history hash, what it
 * predicts and how many events that took. */
struct bench_command {
    double seconds, emulate_s;
    uint64_t history, predicted_fs, events;
};

/* Where a file of the build is: of `build/bench/program`, "htmt" is `build/htmt`. */
void bench_built(char room[static 4096], const char *file);

/* Runs it with these words (the last is NULL), --json and nothing else; a failure ends the
 * program. */
struct bench_command bench_command(const char *htmt, const char *const *words);

#endif
