/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* program_invocation_name */
#include "bench/command.h"
#include "bench/clock.h"

#include <errno.h>
#include <jansson.h>
#include <libgen.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS_MAX = 60 };

extern char **environ;

void bench_built(char room[static 4096], const char *file)
{
    char own[4096];
    snprintf(own, sizeof own, "%s", program_invocation_name);
    snprintf(room, 4096, "%s/../%s", dirname(own), file);
}

/* The JSON of the run comes through the pipe. */
static pid_t start(const char *htmt, const char *const *words, int *from)
{
    const char *all[WORDS_MAX + 4] = {htmt};
    unsigned count = 1;
    int ends[2];
    pid_t child;
    posix_spawn_file_actions_t actions;
    while (*words && count < WORDS_MAX)
        all[count++] = *words++;
    all[count++] = "--json";
    all[count] = "-";
    if (pipe(ends) || posix_spawn_file_actions_init(&actions) ||
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) ||
        posix_spawn_file_actions_addclose(&actions, ends[0]) ||
        posix_spawnp(&child, htmt, &actions, NULL, (char *const *)(uintptr_t)all, environ))
        bench_fail("htmt does not start");
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    *from = ends[0];
    return child;
}

static uint64_t whole_of(const json_t *run, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(run, key));
}

static struct bench_command result_of(const json_t *run)
{
    const char *hash = json_string_value(json_object_get(run, "history_hash"));
    const json_t *wall = json_object_get(run, "wall");
    if (!hash)
        bench_fail("htmt tells no history");
    return (struct bench_command){.emulate_s =
                                      json_number_value(json_object_get(wall, "emulate_s")),
                                  .history = strtoull(hash, NULL, 16),
                                  .predicted_fs = whole_of(run, "predicted_fs"),
                                  .events = whole_of(run, "events")};
}

struct bench_command bench_command(const char *htmt, const char *const *words)
{
    int from, status;
    double begin = bench_now();
    pid_t child = start(htmt, words, &from);
    json_t *run = json_loadfd(from, JSON_DISABLE_EOF_CHECK, NULL);
    if (waitpid(child, &status, 0) != child || status)
        bench_fail("htmt fails");
    double seconds = bench_now() - begin;
    struct bench_command c = result_of(run);
    c.seconds = seconds;
    json_decref(run);
    close(from);
    return c;
}
