/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Run the command inside a test and keep what it prints. Included once per test program.
 */
#ifndef HTMT_TESTS_EMUL_CAPTURE_H
#define HTMT_TESTS_EMUL_CAPTURE_H

#include "emul/command/command.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct captured {
    int status;
    char out[65536], err[4096];
};

static void read_back(FILE *file, char *text, size_t room)
{
    rewind(file);
    size_t length = fread(text, 1, room - 1, file);
    text[length] = '\0';
    fclose(file);
}

static void capture(struct captured *c, const struct htmt_app *const *apps, int argc, char **argv)
{
    FILE *out = tmpfile(), *err = tmpfile();
    int old_out = dup(STDOUT_FILENO), old_err = dup(STDERR_FILENO);
    cr_assert(out && err && old_out >= 0 && old_err >= 0);
    fflush(NULL);
    dup2(fileno(out), STDOUT_FILENO);
    dup2(fileno(err), STDERR_FILENO);
    struct htmt__command program = {
        .name = "htmt", .verbs = htmt__command_verbs, .apps = {.linked = apps}};
    c->status = htmt__command(&program, argc, argv);
    fflush(NULL);
    dup2(old_out, STDOUT_FILENO);
    dup2(old_err, STDERR_FILENO);
    close(old_out);
    close(old_err);
    read_back(out, c->out, sizeof c->out);
    read_back(err, c->err, sizeof c->err);
}

static inline unsigned lines_of(const char *text)
{
    unsigned n = 0;
    for (; (text = strchr(text, '\n')); text++)
        n++;
    return n;
}

/* CAPTURE(&c, apps, "run", "toy", "--quiet") */
#define CAPTURE(c, apps, ...)                                                                      \
    capture((c), (apps), (int)(sizeof((char *[]){"htmt", __VA_ARGS__}) / sizeof(char *)),          \
            (char *[]){"htmt", __VA_ARGS__, NULL})

#endif
