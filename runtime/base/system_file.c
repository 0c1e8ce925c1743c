/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/system_file.h"

#include "runtime/base/input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 1024 /* of a path */

char *htmt__system_text(const char *root, const char *path)
{
    char whole[ROOM], *text = NULL;
    size_t length;
    if (snprintf(whole, sizeof whole, "%s%s", root, path) >= ROOM ||
        htmt_input_read(whole, HTMT_INPUT_TEXT, &text, &length, NULL))
        return NULL;
    return text;
}

static bool find_number(const char *text, const char *key, uint64_t *number)
{
    size_t length = strlen(key);
    for (const char *at = text; at && *at; at = strchr(at, '\n'), at += at != NULL)
        if (strncmp(at, key, length) == 0)
            return sscanf(at + length, "%" SCNu64, number) == 1;
    return false;
}

bool htmt__system_number(const char *root, const char *path, const char *key, uint64_t *number)
{
    char *text = htmt__system_text(root, path);
    bool found = text && find_number(text, key, number);
    free(text);
    return found;
}

struct visit {
    const char *root, *controller;
    void (*call)(const char *root, const char *folder, bool second, void *user);
    void *user;
};

static void visit_group(const struct visit *v, const char *mount, const char *group, bool second)
{
    char folder[ROOM];
    if (snprintf(folder, sizeof folder, "/sys/fs/cgroup%s%s", mount, group) < ROOM)
        v->call(v->root, folder, second, v->user);
}

/* Where the process has a view of its own, no line names the group at the top. */
static void visit_groups(const struct visit *v, const char *mount, char *group, bool second)
{
    for (char *slash = strrchr(group, '/'); slash; slash = strrchr(group, '/')) {
        visit_group(v, mount, group, second);
        *slash = '\0';
    }
    visit_group(v, mount, "", second);
}

static bool names(const char *controllers, const char *controller)
{
    char list[ROOM], wanted[64];
    snprintf(wanted, sizeof wanted, ",%s,", controller);
    return snprintf(list, sizeof list, ",%s,", controllers) < ROOM && strstr(list, wanted);
}

/* A line "4:cpu,memory:/group" of version 1, "0::/group" of version 2. */
static void visit_line(const struct visit *v, char *line)
{
    char mount[80], *controllers = strchr(line, ':'),
                    *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return;
    *group++ = '\0';
    controllers++;
    snprintf(mount, sizeof mount, "/%s", v->controller);
    if (!*controllers)
        visit_groups(v, "", group, true);
    else if (names(controllers, v->controller))
        visit_groups(v, mount, group, false);
}

void htmt__system_groups(const char *root, const char *controller,
                         void (*visit)(const char *root, const char *folder, bool second,
                                       void *user),
                         void *user)
{
    struct visit v = {root, controller, visit, user};
    char *text = htmt__system_text(root, "/proc/self/cgroup"), *rest = text;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n"))
        visit_line(&v, line);
    free(text);
}
