/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* sigabbrev_np */
#include "emul/lib/plugin/trial.h"

#include "emul/lib/plugin/plugin.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a crash would print, the caller tells in one line. */
_Noreturn static void load(const char *word)
{
    struct htmt_app app;
    struct htmt_fault fault = {0};
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    signal(SIGALRM, SIG_DFL);
    alarm(HTMT__TRIAL_SECONDS);
    (void)htmt__plugin_load(word, 0, &app, &fault);
    _exit(0);
}

static int judge(const char *word, int status, struct htmt_fault *fault)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s: its constructor runs longer than %d s",
                              word, HTMT__TRIAL_SECONDS);
    if (WIFSIGNALED(status))
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s: its constructor raises SIG%s", word,
                              sigabbrev_np(WTERMSIG(status)));
    if (WEXITSTATUS(status))
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s: its constructor ends the process", word);
    return 0;
}

int htmt__plugin_try(const char *word, struct htmt_fault *fault)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        load(word);
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            child = -1;
    if (child < 0)
        return htmt_fault_set(fault, HTMT_ESYSTEM, "%s: no process to load it in: %s", word,
                              strerror(errno));
    return judge(word, status, fault);
}
