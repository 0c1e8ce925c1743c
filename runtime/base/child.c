/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* environ */
#include "runtime/base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int send_to(posix_spawn_file_actions_t *actions, int stream, const char *path)
{
    return path ? posix_spawn_file_actions_addopen(actions, stream, path,
                                                   O_WRONLY | O_CREAT | O_TRUNC, 0600)
                : 0;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

int htmt__child_run(const struct htmt__child *c, struct htmt__child_end *end,
                    struct htmt_fault *fault)
{
    posix_spawn_file_actions_t actions;
    struct rusage used = {.ru_nswap = 0};
    pid_t pid, ended;
    int status = 0;
    if (posix_spawn_file_actions_init(&actions))
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    int rc = send_to(&actions, STDERR_FILENO, c->said);
    rc = rc ? rc : send_to(&actions, STDOUT_FILENO, c->wrote);
    rc = rc ? rc
            : posix_spawnp(&pid, c->words[0], &actions, NULL, (char *const *)(uintptr_t)c->words,
                           environ);
    posix_spawn_file_actions_destroy(&actions);
    if (rc)
        return htmt_fault_set(fault, rc == ENOENT ? HTMT_EUSAGE : HTMT_ESYSTEM,
                              "%s: cannot start it: %s", c->words[0], strerror(rc));
    while ((ended = wait4(pid, &status, 0, &used)) < 0 && errno == EINTR)
        continue;
    if (ended < 0)
        return htmt_fault_set(fault, HTMT_ESYSTEM, "%s: cannot wait for it: %s", c->words[0],
                              strerror(errno));
    *end = (struct htmt__child_end){.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                                    .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                                    .computed = seconds(used.ru_utime) + seconds(used.ru_stime)};
    return 0;
}

void htmt__child_said(const char *path, char *line, size_t room)
{
    FILE *said = fopen(path, "r");
    if (!said || !fgets(line, (int)room, said))
        snprintf(line, room, "it says nothing");
    line[strcspn(line, "\n")] = '\0';
    if (said)
        fclose(said);
}
