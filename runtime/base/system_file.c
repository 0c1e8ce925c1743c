/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files in which the kernel says something, below a root that tests choose. Control groups of
 * version 1 have a folder for each controller, those of version 2 one for all; a limit of any group
 * above that of the process binds it too, so all of them are visited, from the innermost to the
 * top.
 */
#include "runtime/base/system_file.h"

#include "runtime/base/input.h"

#include <inttypes.h>
#include <math.h>
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

bool htmt__system_number(const char *root, const char *path, const char *key, uint64_t *number)
{
    const size_t length = strlen(key);
    char *text = htmt__system_text(root, path);
    bool found = false;
    const char *at = text;
    while (at && *at && strncmp(at, key, length) != 0) { /* the next line */
        at = strchr(at, '\n');
        at += at != NULL;
    }
    if (at && *at)
        found = sscanf(at + length, "%" SCNu64, number) == 1;
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

/* A line "4:cpu,memory:/group" of version 1, "0::/group" of version 2. */
static void visit_line(const struct visit *v, char *line)
{
    char mount[80], list[ROOM], wanted[64],
        *controllers = strchr(line, ':'),
        *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return;
    *group++ = '\0';
    controllers++;
    snprintf(mount, sizeof mount, "/%s", v->controller);
    snprintf(wanted, sizeof wanted, ",%s,", v->controller);
    if (!*controllers)
        visit_groups(v, "", group, true);
    else if (snprintf(list, sizeof list, ",%s,", controllers) < ROOM && strstr(list, wanted))
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

/* cpu.max is "200000 100000", microseconds of each period, or "max 100000". */
static void quota_of(const char *root, const char *folder, bool second, void *user)
{
    double *least = user;
    char path[ROOM + 32];
    uint64_t quota, period;
    snprintf(path, sizeof path, "%s/%s", folder, second ? "cpu.max" : "cpu.cfs_quota_us");
    char *text = htmt__system_text(root, path);
    int found = text ? sscanf(text, "%" SCNu64 " %" SCNu64, &quota, &period) : 0;
    free(text);
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
    if (!second && found == 1 && htmt__system_number(root, path, "", &period))
        found = 2;
    if (found == 2 && period && (int64_t)quota > 0 && (double)quota / (double)period < *least)
        *least = (double)quota / (double)period;
}

double htmt__system_quota(const char *root)
{
    double least = INFINITY;
    htmt__system_groups(root, "cpu", quota_of, &least);
    return least;
}
